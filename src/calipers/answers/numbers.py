"""Predicted numbers: how far off are they, are they biased, and where are they off most?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from calipers.answers.base import Card, Number, against
from calipers.errors import InputError, UnknownName
from calipers.findings.base import dependent
from calipers.findings.numbers import ALPHA, HARM, error_trend
from calipers.metrics.views import Unavailable

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.inference.estimate import Estimate
    from calipers.statistics.rows import Rows

THIRDS, SOME = 3, 30  # parts by size of the prediction; with this many rows, each part has ten


def cards(ev: Evaluation) -> Iterator[Card]:
    """Size of the errors, bias, and where errors are largest; of several numbers per row, the size alone."""
    yield from sizes(ev)
    if ev.labels:
        return
    yield from biases(ev)
    where = _where(ev)
    if where is not None:
        yield where


def sizes(estimates: Mapping[str, Estimate]) -> Iterator[Card]:
    """R² against 0, which always predicting the mean has; the errors themselves in the unit of the target."""
    explained, root, mean = (_estimate(estimates, name) for name in ("r2", "rmse", "mae"))
    if explained is None or math.isnan(explained) or root is None:
        return
    numbers: dict[str, Number] = {"rmse": float(root), "r2": float(explained)}
    if mean is not None:
        numbers |= {"mae": float(mean)}
    if explained < 1:
        numbers["naive"] = float(root) / math.sqrt(1 - explained)
    yield Card("size", "perfect" if root <= 0 else against(explained, 0.0), "r2", explained, 0.0, numbers)


def biases(estimates: Mapping[str, Estimate]) -> Iterator[Card]:
    """The mean error against 0; slight where it is certain, but less than a tenth of the spread of the errors."""
    bias, root = (_estimate(estimates, name) for name in ("bias", "rmse"))
    if bias is None or root is None or math.isnan(bias) or not 0 < root < math.inf:
        return
    code = {"better": "too_high", "worse": "too_low", "open": "none"}[against(bias, 0.0)]
    apart, most = float(root) - abs(float(bias)), float(root) + abs(float(bias))
    spread = math.sqrt(max(0.0, apart)) * math.sqrt(most)  # a product of roots, because the product may overflow
    numbers: dict[str, Number] = {"bias": abs(float(bias)), "rmse": float(root), "sign": "high" if bias > 0 else "low"}
    slight = code != "none" and abs(bias) <= HARM * spread
    yield Card("bias", "slight" if slight else code, "bias", bias, 0.0, numbers)


def _where(ev: Evaluation) -> Card | None:
    """Whether errors go with the size of the prediction, and the mean error in the thirds of the predictions."""
    if not ev.is_live or dependent(ev):
        return None
    try:
        correlation, p = error_trend(ev)
    except (Unavailable, OverflowError):
        return None
    code = "alike" if p >= ALPHA or abs(correlation) <= HARM else "grow" if correlation > 0 else "shrink"
    rows = ev.views.kept_rows(0)
    return Card("where", code, numbers={"correlation": correlation, "p": p, **_thirds(rows)})


def _thirds(rows: Rows | None) -> dict[str, Number]:
    """The mean absolute error where predictions are low, in the middle, and high."""
    if rows is None or rows.n < SOME:
        return {}
    parts = np.array_split(np.argsort(rows.predictions, kind="stable"), THIRDS)
    weights = np.ones(rows.n) if rows.weights is None else rows.weights
    means = [float(rows.errors[part] @ weights[part] / weights[part].sum()) for part in parts if weights[part].sum()]
    return dict(zip(("low", "middle", "high"), means, strict=True)) if len(means) == THIRDS else {}


def _estimate(estimates: Mapping[str, Estimate], name: str) -> Estimate | None:
    try:
        return estimates[name]
    except (InputError, UnknownName, KeyError):
        return None
