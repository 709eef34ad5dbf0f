"""Calipers evaluates machine-learning models: metrics with confidence intervals, findings, thresholds, comparisons."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calipers import metrics
    from calipers.comparison.adjust_pvalues import adjust_pvalues
    from calipers.comparison.advice import Advice, power, which_test
    from calipers.comparison.compare import Comparison, compare
    from calipers.comparison.crossings import Crossing
    from calipers.comparison.differences import Difference, Differences
    from calipers.comparison.folds_and_datasets import (
        DatasetComparison,
        FoldComparison,
        compare_datasets,
        compare_folds,
    )
    from calipers.comparison.independent import compare_independent
    from calipers.comparison.trend import Trend, trend
    from calipers.comparison.trend_line import TrendLine
    from calipers.data.schema import Schema
    from calipers.decisions.calibrate import Calibration, Change, calibrate
    from calipers.decisions.decision_curve import Benefit, BenefitDifference, DecisionCurve, decision_curve
    from calipers.errors import CalipersError, InputError, MissingExtra, UnknownName
    from calipers.evaluation.confusion import Confusion
    from calipers.evaluation.curve import Curve
    from calipers.evaluation.estimates import Estimates
    from calipers.evaluation.evaluate import evaluate
    from calipers.evaluation.evaluate_clusters import evaluate_clusters
    from calipers.evaluation.evaluate_counts import evaluate_counts
    from calipers.evaluation.evaluate_ranking import evaluate_ranking
    from calipers.evaluation.evaluate_recommendations import evaluate_recommendations
    from calipers.evaluation.evaluate_topics import evaluate_topics
    from calipers.evaluation.evaluation import Evaluation
    from calipers.evaluation.merging import merge
    from calipers.evaluation.per_query import PerQuery
    from calipers.evaluation.stream import Stream
    from calipers.evaluation.thresholds import BestThreshold
    from calipers.evaluation.worst_rows import WorstRows
    from calipers.findings.base import Finding
    from calipers.gating.checks import Check
    from calipers.gating.gate import GateFailed, GateResult, gate
    from calipers.gating.requirements import Requirement
    from calipers.inference.estimate import Estimate, Interval
    from calipers.inference.outcome import Outcome
    from calipers.inference.power import Power
    from calipers.metrics import fbeta_from
    from calipers.metrics import named as metric
    from calipers.metrics.base import Measure
    from calipers.report.documents import load, loads
    from calipers.report.explain import explain
    from calipers.report.explanation import Explanation
    from calipers.report.metric_list import MetricList
    from calipers.report.plots.from_numbers import plot_confusion, plot_roc
    from calipers.sklearn.scorer import Scorer, scorer
    from calipers.validation.bias_variance import BiasVariance, bias_variance
    from calipers.validation.bootstrap_validate import bootstrap_validate
    from calipers.validation.bootstrap_validation import BootstrapValidation, Replicate
    from calipers.validation.cluster_selection import ClusterSelection, NumberOfClusters, select_n_clusters
    from calipers.validation.cross_validate import cross_validate
    from calipers.validation.cross_validation import Validation
    from calipers.validation.curves import LearningCurve, ValidationCurve, learning_curve, validation_curve
    from calipers.validation.evaluate_model import evaluate_model
    from calipers.validation.fold import Fold
    from calipers.validation.fold_curves import FoldCurves
    from calipers.validation.select import select
    from calipers.validation.selection import Candidate, Selection
    from calipers.validation.sweep import FailedFit, Line

__all__ = [
    "Advice",
    "Benefit",
    "BenefitDifference",
    "BestThreshold",
    "BiasVariance",
    "BootstrapValidation",
    "Calibration",
    "CalipersError",
    "Candidate",
    "Change",
    "Check",
    "ClusterSelection",
    "Comparison",
    "Confusion",
    "Crossing",
    "Curve",
    "DatasetComparison",
    "DecisionCurve",
    "Difference",
    "Differences",
    "Estimate",
    "Estimates",
    "Evaluation",
    "Explanation",
    "FailedFit",
    "Finding",
    "Fold",
    "FoldComparison",
    "FoldCurves",
    "GateFailed",
    "GateResult",
    "InputError",
    "Interval",
    "LearningCurve",
    "Line",
    "Measure",
    "MetricList",
    "MissingExtra",
    "NumberOfClusters",
    "Outcome",
    "PerQuery",
    "Power",
    "Replicate",
    "Requirement",
    "Schema",
    "Scorer",
    "Selection",
    "Stream",
    "Trend",
    "TrendLine",
    "UnknownName",
    "Validation",
    "ValidationCurve",
    "WorstRows",
    "adjust_pvalues",
    "bias_variance",
    "bootstrap_validate",
    "calibrate",
    "compare",
    "compare_datasets",
    "compare_folds",
    "compare_independent",
    "cross_validate",
    "decision_curve",
    "evaluate",
    "evaluate_clusters",
    "evaluate_counts",
    "evaluate_model",
    "evaluate_ranking",
    "evaluate_recommendations",
    "evaluate_topics",
    "explain",
    "fbeta_from",
    "gate",
    "learning_curve",
    "load",
    "loads",
    "merge",
    "metric",
    "metrics",
    "plot_confusion",
    "plot_roc",
    "power",
    "scorer",
    "select",
    "select_n_clusters",
    "trend",
    "validation_curve",
    "which_test",
]
__version__ = "0.2.0"

# Where each public name lives. It is imported when first asked for, so that the shell can show help without NumPy.
_HOMES = {
    "Advice": "comparison.advice:Advice",
    "Benefit": "decisions.decision_curve:Benefit",
    "BenefitDifference": "decisions.decision_curve:BenefitDifference",
    "BestThreshold": "evaluation.thresholds:BestThreshold",
    "BiasVariance": "validation.bias_variance:BiasVariance",
    "BootstrapValidation": "validation.bootstrap_validation:BootstrapValidation",
    "Calibration": "decisions.calibrate:Calibration",
    "CalipersError": "errors:CalipersError",
    "Candidate": "validation.selection:Candidate",
    "Change": "decisions.calibrate:Change",
    "Check": "gating.checks:Check",
    "ClusterSelection": "validation.cluster_selection:ClusterSelection",
    "Comparison": "comparison.compare:Comparison",
    "Confusion": "evaluation.confusion:Confusion",
    "Crossing": "comparison.crossings:Crossing",
    "Curve": "evaluation.curve:Curve",
    "DatasetComparison": "comparison.folds_and_datasets:DatasetComparison",
    "DecisionCurve": "decisions.decision_curve:DecisionCurve",
    "Difference": "comparison.differences:Difference",
    "Differences": "comparison.differences:Differences",
    "Estimate": "inference.estimate:Estimate",
    "Estimates": "evaluation.estimates:Estimates",
    "Evaluation": "evaluation.evaluation:Evaluation",
    "Explanation": "report.explanation:Explanation",
    "FailedFit": "validation.sweep:FailedFit",
    "Finding": "findings.base:Finding",
    "Fold": "validation.fold:Fold",
    "FoldComparison": "comparison.folds_and_datasets:FoldComparison",
    "FoldCurves": "validation.fold_curves:FoldCurves",
    "GateFailed": "gating.gate:GateFailed",
    "GateResult": "gating.gate:GateResult",
    "InputError": "errors:InputError",
    "Interval": "inference.estimate:Interval",
    "LearningCurve": "validation.curves:LearningCurve",
    "Line": "validation.sweep:Line",
    "Measure": "metrics.base:Measure",
    "MetricList": "report.metric_list:MetricList",
    "MissingExtra": "errors:MissingExtra",
    "NumberOfClusters": "validation.cluster_selection:NumberOfClusters",
    "Outcome": "inference.outcome:Outcome",
    "PerQuery": "evaluation.per_query:PerQuery",
    "Power": "inference.power:Power",
    "Replicate": "validation.bootstrap_validation:Replicate",
    "Requirement": "gating.requirements:Requirement",
    "Schema": "data.schema:Schema",
    "Scorer": "sklearn.scorer:Scorer",
    "Selection": "validation.selection:Selection",
    "Stream": "evaluation.stream:Stream",
    "Trend": "comparison.trend:Trend",
    "TrendLine": "comparison.trend_line:TrendLine",
    "UnknownName": "errors:UnknownName",
    "Validation": "validation.cross_validation:Validation",
    "ValidationCurve": "validation.curves:ValidationCurve",
    "WorstRows": "evaluation.worst_rows:WorstRows",
    "adjust_pvalues": "comparison.adjust_pvalues:adjust_pvalues",
    "bias_variance": "validation.bias_variance:bias_variance",
    "bootstrap_validate": "validation.bootstrap_validate:bootstrap_validate",
    "calibrate": "decisions.calibrate:calibrate",
    "compare": "comparison.compare:compare",
    "compare_datasets": "comparison.folds_and_datasets:compare_datasets",
    "compare_folds": "comparison.folds_and_datasets:compare_folds",
    "compare_independent": "comparison.independent:compare_independent",
    "cross_validate": "validation.cross_validate:cross_validate",
    "decision_curve": "decisions.decision_curve:decision_curve",
    "evaluate": "evaluation.evaluate:evaluate",
    "evaluate_clusters": "evaluation.evaluate_clusters:evaluate_clusters",
    "evaluate_counts": "evaluation.evaluate_counts:evaluate_counts",
    "evaluate_model": "validation.evaluate_model:evaluate_model",
    "evaluate_ranking": "evaluation.evaluate_ranking:evaluate_ranking",
    "evaluate_recommendations": "evaluation.evaluate_recommendations:evaluate_recommendations",
    "evaluate_topics": "evaluation.evaluate_topics:evaluate_topics",
    "explain": "report.explain:explain",
    "fbeta_from": "metrics:fbeta_from",
    "gate": "gating.gate:gate",
    "learning_curve": "validation.curves:learning_curve",
    "load": "report.documents:load",
    "loads": "report.documents:loads",
    "merge": "evaluation.merging:merge",
    "metric": "metrics:named",
    "metrics": "metrics:",
    "plot_confusion": "report.plots.from_numbers:plot_confusion",
    "plot_roc": "report.plots.from_numbers:plot_roc",
    "power": "comparison.advice:power",
    "scorer": "sklearn.scorer:scorer",
    "select": "validation.select:select",
    "select_n_clusters": "validation.cluster_selection:select_n_clusters",
    "trend": "comparison.trend:trend",
    "validation_curve": "validation.curves:validation_curve",
    "which_test": "comparison.advice:which_test",
}
_RENAMED = {"rank": "evaluate_ranking"}


def _public(name: str) -> object:
    """A public name, imported from its home."""
    if name not in _HOMES:
        now = f": it is called {_RENAMED[name]} now" if name in _RENAMED else ""
        raise AttributeError(f"module 'calipers' has no attribute {name!r}{now}")
    module, _, inside = _HOMES[name].partition(":")
    home = import_module(f"calipers.{module}")
    found: object = getattr(home, inside) if inside else home
    globals()[name] = found
    return found


if not TYPE_CHECKING:  # type checkers see the imports above: any other name is an error
    __getattr__ = _public


def __dir__() -> list[str]:
    return sorted(__all__)
