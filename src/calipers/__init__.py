"""Calipers measures models: how good, how sure, and where they fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calipers import metrics
    from calipers.advice import power, which_test
    from calipers.comparison import Comparison, compare
    from calipers.entrances import evaluate, evaluate_counts
    from calipers.errors import CalipersError, InputError, MissingExtra, UnknownName
    from calipers.evaluation import Evaluation
    from calipers.experiments import compare_datasets, compare_folds
    from calipers.gating import gate
    from calipers.inference.estimate import Estimate
    from calipers.metrics import fbeta_from
    from calipers.metrics import named as metric
    from calipers.ranking import rank
    from calipers.report.explain import explain
    from calipers.report.plots.given import plot_confusion, plot_roc
    from calipers.sklearn.scorer import scorer
    from calipers.validation.bias_variance import BiasVariance, bias_variance
    from calipers.validation.folds import cross_validate
    from calipers.validation.learning import LearningCurve, ValidationCurve, learning_curve, validation_curve
    from calipers.validation.resample import bootstrap_validate
    from calipers.validation.select import select
    from calipers.validation.validation import Validation

__all__ = [
    "BiasVariance",
    "CalipersError",
    "Comparison",
    "Estimate",
    "Evaluation",
    "InputError",
    "LearningCurve",
    "MissingExtra",
    "UnknownName",
    "Validation",
    "ValidationCurve",
    "bias_variance",
    "bootstrap_validate",
    "compare",
    "compare_datasets",
    "compare_folds",
    "cross_validate",
    "evaluate",
    "evaluate_counts",
    "explain",
    "fbeta_from",
    "gate",
    "learning_curve",
    "metric",
    "metrics",
    "plot_confusion",
    "plot_roc",
    "power",
    "rank",
    "scorer",
    "select",
    "validation_curve",
    "which_test",
]
__version__ = "0.1.0"

# Where each public name lives. It is imported when first asked for, so that the shell can show help without NumPy.
_HOMES = {
    "BiasVariance": "validation.bias_variance:BiasVariance",
    "CalipersError": "errors:CalipersError",
    "Comparison": "comparison:Comparison",
    "Estimate": "inference.estimate:Estimate",
    "Evaluation": "evaluation:Evaluation",
    "InputError": "errors:InputError",
    "LearningCurve": "validation.learning:LearningCurve",
    "MissingExtra": "errors:MissingExtra",
    "UnknownName": "errors:UnknownName",
    "Validation": "validation.validation:Validation",
    "ValidationCurve": "validation.learning:ValidationCurve",
    "bias_variance": "validation.bias_variance:bias_variance",
    "bootstrap_validate": "validation.resample:bootstrap_validate",
    "compare": "comparison:compare",
    "compare_datasets": "experiments:compare_datasets",
    "compare_folds": "experiments:compare_folds",
    "cross_validate": "validation.folds:cross_validate",
    "evaluate": "entrances:evaluate",
    "evaluate_counts": "entrances:evaluate_counts",
    "explain": "report.explain:explain",
    "fbeta_from": "metrics:fbeta_from",
    "gate": "gating:gate",
    "learning_curve": "validation.learning:learning_curve",
    "metric": "metrics:named",
    "metrics": "metrics:",
    "plot_confusion": "report.plots.given:plot_confusion",
    "plot_roc": "report.plots.given:plot_roc",
    "power": "advice:power",
    "rank": "ranking:rank",
    "scorer": "sklearn.scorer:scorer",
    "select": "validation.select:select",
    "validation_curve": "validation.learning:validation_curve",
    "which_test": "advice:which_test",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'calipers' has no attribute {name!r}")
    from importlib import import_module

    module, _, inside = _HOMES[name].partition(":")
    home = import_module(f"calipers.{module}")
    found = globals()[name] = getattr(home, inside) if inside else home
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
