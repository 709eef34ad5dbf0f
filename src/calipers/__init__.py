"""Calipers measures models: how good, how sure, and where they fail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calipers import metrics
    from calipers.comparison.advice import power, which_test
    from calipers.comparison.compare import Comparison, compare
    from calipers.comparison.folds_and_datasets import compare_datasets, compare_folds
    from calipers.errors import CalipersError, InputError, MissingExtra, UnknownName
    from calipers.evaluation.evaluate import evaluate
    from calipers.evaluation.evaluate_counts import evaluate_counts
    from calipers.evaluation.evaluate_ranking import evaluate_ranking
    from calipers.evaluation.evaluation import Evaluation
    from calipers.gating.gate import gate
    from calipers.inference.estimate import Estimate
    from calipers.metrics import fbeta_from
    from calipers.metrics import named as metric
    from calipers.report.explain import explain
    from calipers.report.plots.from_numbers import plot_confusion, plot_roc
    from calipers.sklearn.scorer import scorer
    from calipers.validation.bias_variance import BiasVariance, bias_variance
    from calipers.validation.bootstrap_validate import bootstrap_validate
    from calipers.validation.cross_validate import cross_validate
    from calipers.validation.cross_validation import Validation
    from calipers.validation.curves import LearningCurve, ValidationCurve, learning_curve, validation_curve
    from calipers.validation.select import select

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
    "evaluate_ranking",
    "explain",
    "fbeta_from",
    "gate",
    "learning_curve",
    "metric",
    "metrics",
    "plot_confusion",
    "plot_roc",
    "power",
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
    "Comparison": "comparison.compare:Comparison",
    "Estimate": "inference.estimate:Estimate",
    "Evaluation": "evaluation.evaluation:Evaluation",
    "InputError": "errors:InputError",
    "LearningCurve": "validation.curves:LearningCurve",
    "MissingExtra": "errors:MissingExtra",
    "UnknownName": "errors:UnknownName",
    "Validation": "validation.cross_validation:Validation",
    "ValidationCurve": "validation.curves:ValidationCurve",
    "bias_variance": "validation.bias_variance:bias_variance",
    "bootstrap_validate": "validation.bootstrap_validate:bootstrap_validate",
    "compare": "comparison.compare:compare",
    "compare_datasets": "comparison.folds_and_datasets:compare_datasets",
    "compare_folds": "comparison.folds_and_datasets:compare_folds",
    "cross_validate": "validation.cross_validate:cross_validate",
    "evaluate": "evaluation.evaluate:evaluate",
    "evaluate_counts": "evaluation.evaluate_counts:evaluate_counts",
    "explain": "report.explain:explain",
    "fbeta_from": "metrics:fbeta_from",
    "gate": "gating.gate:gate",
    "learning_curve": "validation.curves:learning_curve",
    "metric": "metrics:named",
    "metrics": "metrics:",
    "plot_confusion": "report.plots.from_numbers:plot_confusion",
    "plot_roc": "report.plots.from_numbers:plot_roc",
    "power": "comparison.advice:power",
    "evaluate_ranking": "evaluation.evaluate_ranking:evaluate_ranking",
    "scorer": "sklearn.scorer:scorer",
    "select": "validation.select:select",
    "validation_curve": "validation.curves:validation_curve",
    "which_test": "comparison.advice:which_test",
}
_RENAMED = {"rank": "evaluate_ranking"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        now = f": it is called {_RENAMED[name]} now" if name in _RENAMED else ""
        raise AttributeError(f"module 'calipers' has no attribute {name!r}{now}")
    from importlib import import_module

    module, _, inside = _HOMES[name].partition(":")
    home = import_module(f"calipers.{module}")
    value = globals()[name] = getattr(home, inside) if inside else home
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
