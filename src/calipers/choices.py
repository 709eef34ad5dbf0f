"""Options with fixed choices, each as a Literal: type checkers and the checks at run time read the same words."""

from __future__ import annotations

from typing import Literal, TypeAlias

TaskName: TypeAlias = Literal["binary", "multiclass", "multilabel", "regression", "clustering"]
ComparisonTask: TypeAlias = Literal[TaskName, "ranking", "recommendation", "topics"]
ModelTask: TypeAlias = Literal["classification", "regression", "ranking"]
Missing: TypeAlias = Literal["error", "drop"]
Better: TypeAlias = Literal["higher", "lower"]
Side: TypeAlias = Literal["truth", "prediction"]  # what the rows of a confusion matrix are
ShareOf: TypeAlias = Literal[Side, "all"]

# Clusterings
Noise: TypeAlias = Literal["drop", "cluster"]
EntropyMean: TypeAlias = Literal["arithmetic", "geometric", "min", "max"]
Given: TypeAlias = Literal["clusters", "classes"]  # of two columns of labels, the one that is known

# Rankings
Ties: TypeAlias = Literal["id", "mean", "order"]
Unjudged: TypeAlias = Literal["zero", "drop"]
MissingQueries: TypeAlias = Literal["zero", "skip"]
NoRelevant: TypeAlias = Literal["zero", "one", "skip"]

# Recommendations
Seen: TypeAlias = Literal["keep", "drop"]
UnknownItems: TypeAlias = Literal["error", "drop"]

# Intervals and tests
IntervalMethod: TypeAlias = Literal[
    "wilson", "clopper-pearson", "jeffreys", "agresti-coull", "normal", "largest-share", "mover", "newcombe",
    "logit-half", "hall", "long-tailed", "t", "t-scaled", "delong-wilson", "delong-logit", "delong", "influence-logit",
    "noise", "delta", "jackknife", "order-statistics", "grouped", "subsample", "bca", "percentile", "basic",
    "wilson-cc", "newcombe-cc", "delong-logit-z", "hanley-mcneil", "woolf", "simel", "fisher-z",
]  # fmt: skip
Band: TypeAlias = Literal["pointwise", "simultaneous"]
Zeros: TypeAlias = Literal["drop", "pratt", "split"]  # differences of 0 in the signed-rank test
Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
Adjustment: TypeAlias = Literal["holm", "bonferroni", "bh", "none"]
PValueAdjustment: TypeAlias = Literal[Adjustment, "hochberg", "hommel", "by", "finner", "li"]
FamilyAdjustment: TypeAlias = Literal["max-t", Adjustment]
McNemar: TypeAlias = Literal["mid-p", "exact", "asymptotic", "corrected"]
PairedTest: TypeAlias = Literal[
    "delong-z", "paired-t", "mcnemar-mid-p", "mcnemar-exact", "mcnemar-asymptotic", "mcnemar-corrected"
]
UnpairedTest: TypeAlias = Literal["delong", "delong-z"]  # of areas of different rows
Posterior: TypeAlias = Literal["correlated-t", "sign", "signed-rank"]
FoldTest: TypeAlias = Literal[
    "corrected", "nadeau-bengio", "paired-t", "5x2cv-t", "5x2cv-f", "wilcoxon", "wilcoxon-pratt", "wilcoxon-normal",
    "sign-flip", "sign", "hodges-lehmann",
]  # fmt: skip
DatasetTest: TypeAlias = Literal["nemenyi", "bonferroni-dunn", PValueAdjustment]

# Validation and gates
FoldInterval: TypeAlias = Literal["rows", "folds", "nested"]
BootstrapMethod: TypeAlias = Literal[".632+", ".632", "out-of-bag", "optimism", "resubstitution", "resample"]
BootstrapName: TypeAlias = Literal[BootstrapMethod, "oob", "apparent", "632", "632+"]
SelectionRule: TypeAlias = Literal["one standard error", "best"]
SimplerEnd: TypeAlias = Literal["first", "last"]
Loss: TypeAlias = Literal["zero-one", "squared"]
Verdict: TypeAlias = Literal["pass", "fail", "inconclusive"]
Inconclusive: TypeAlias = Literal["pass", "fail"]

# Parameters of metrics
ClassAverage: TypeAlias = Literal["macro", "weighted", "micro", "means"]
OutputAverage: TypeAlias = Literal["uniform", "variance"]
Average: TypeAlias = Literal[ClassAverage, OutputAverage]
Gain: TypeAlias = Literal["linear", "exponential"]
Denominator: TypeAlias = Literal["relevant", "min"]
Interpolation: TypeAlias = Literal["step", "trapezoid", "11-point", "all-point"]
Pairs: TypeAlias = Literal["equal", "prevalence"]
Penalty: TypeAlias = Literal["linear", "quadratic"]
BinRule: TypeAlias = Literal["width", "mass", "quantile", "sas"]
ClosedSide: TypeAlias = Literal["left", "right"]
CalibrationMethod: TypeAlias = Literal["isotonic", "platt", "beta", "temperature", "shift"]

# Curves, charts and pages
ThresholdCurve: TypeAlias = Literal[
    "roc", "pr", "det", "gain", "lift", "sweep", "thresholds", "scores", "calibration", "decision"
]
NumberCurve: TypeAlias = Literal["residuals", "bland_altman", "predictions", "errors"]
CurveKind: TypeAlias = Literal[ThresholdCurve, NumberCurve, "top_k", "exposure"]
CurveAverage: TypeAlias = Literal["macro", "micro"]
ComparedCurve: TypeAlias = Literal["roc", "pr"]
EvaluationChart: TypeAlias = Literal[
    "roc", "pr", "confusion", "calibration", "scores", "thresholds", "decision", "gain", "lift", "det", "intervals",
    "residuals", "predicted", "errors", "contingency", "silhouette", "exposure", "topics",
]  # fmt: skip
ComparisonChart: TypeAlias = Literal["difference", "intervals", "roc", "pr", "calibration", "scores"]
DatasetChart: TypeAlias = Literal["critical_difference"]
ValidationChart: TypeAlias = Literal["folds", "roc", "pr"]
FoldChart: TypeAlias = Literal["difference"]
ClusterChart: TypeAlias = Literal["n_clusters"]
GateChart: TypeAlias = Literal["checks"]
CalibrationChart: TypeAlias = Literal["calibration", "map"]
DecisionChart: TypeAlias = Literal["decision", "difference"]
IntervalChart: TypeAlias = Literal["intervals"]
SweepChart: TypeAlias = Literal["learning", "validation"]
PartsChart: TypeAlias = Literal["parts"]
TrendChart: TypeAlias = Literal["trend"]
Lang: TypeAlias = Literal["en", "vi", "zh"]
Theme: TypeAlias = Literal["light", "dark", "print"]
