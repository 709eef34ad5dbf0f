"""What guessing gives for a metric: the mark on its bar."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calipers.answers.classes import NOT_THERE, calibrated

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.metrics.base import Measure

# Metrics that guessing leaves at one value, whatever the classes are.
ALWAYS = {
    "roc_auc": 0.5, "gini": 0.0, "mcc": 0.0, "kappa": 0.0, "youden_j": 0.0, "markedness": 0.0, "r2": 0.0,
    "bias": 0.0, "explained_variance": 0.0, "d2_absolute": 0.0,
}  # fmt: skip


class Margins(NamedTuple):
    """Shares: of the positive class, of rows predicted positive, of the commonest class; and the number of classes."""

    positive: float
    flagged: float
    commonest: float
    classes: int


# With one positive class: as many rows flagged as the model flags, but at random; every probability the prevalence.
OF_ONE: dict[str, Callable[[Margins], float]] = {
    "precision": lambda m: m.positive,
    "average_precision": lambda m: m.positive,
    "recall": lambda m: m.flagged,
    "fpr": lambda m: m.flagged,
    "specificity": lambda m: 1 - m.flagged,
    "npv": lambda m: 1 - m.positive,
    "f1": lambda m: 2 * m.positive * m.flagged / (m.positive + m.flagged) if m.positive + m.flagged else math.nan,
    "brier": lambda m: m.positive * (1 - m.positive),
    "log_loss": lambda m: -sum(p * math.log(p) for p in (m.positive, 1 - m.positive) if p > 0),
}
OF_CLASSES: dict[str, Callable[[Margins], float]] = {
    "accuracy": lambda m: m.commonest,
    "balanced_accuracy": lambda m: 1 / m.classes,
}


def guessing(ev: Evaluation, measure: Measure) -> float:
    """What guessing gives, or a calibrated model for a calibration error; NaN where there is no such number."""
    name = measure.metric.name
    expected = calibrated(ev[measure.name])
    if name in ALWAYS or not math.isnan(expected):
        return ALWAYS.get(name, expected)
    formula = OF_CLASSES.get(name) or (OF_ONE.get(name) if ev.positive is not None and not measure.parameters else None)
    margins = None if formula is None else _margins(ev)
    return math.nan if formula is None or margins is None else formula(margins)


def _margins(ev: Evaluation) -> Margins | None:
    try:
        table = ev.confusion
    except NOT_THERE:
        return None
    truth, predicted = table.margins if table.rows == "truth" else table.margins[::-1]
    total, classes = float(truth.sum()), int(np.count_nonzero(truth))
    if classes < 2:
        return None
    k = 0 if ev.positive is None else table.labels.index(ev.positive)
    return Margins(float(truth[k]) / total, float(predicted[k]) / total, float(truth.max()) / total, classes)
