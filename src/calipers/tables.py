"""Confusion matrices by the thousand: predicted classes of rows, and a measure of many tables at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.batch import Batch
from calipers.metrics.averages import over_classes
from calipers.metrics.base import Measure
from calipers.metrics.values import number
from calipers.metrics.views import Unavailable, Views
from calipers.statistics.confusion import ConfusionCounts, Margins, OneVsRest

Array = npt.NDArray[Any]
HELD = 4_000_000  # cells of confusion matrices held at once


def codes_of(batch: Batch, views: Views) -> Array | None:
    """Predicted classes as codes; a binary score is cut where its label metrics cut it. None for label sets."""
    if batch.task in ("multilabel", "regression"):
        return None
    if batch.pred is not None and "ConfusionCounts" in views.evidence.parts:
        return batch.pred.astype(np.intp)
    assert batch.score is not None
    assert batch.positive is not None
    try:
        return np.where(batch.score >= batch.score.dtype.type(views.cut), batch.positive, 1 - batch.positive)
    except Unavailable:
        return None


def over_tables(measure: Measure, views: Views, cells: Array, index: int | None = None) -> Array:
    """The measure of many confusion matrices at once: formulas take leading axes."""
    diagonal, truth, said = cells.diagonal(0, 1, 2), cells.sum(2), cells.sum(1)
    total = truth.sum(1)
    with np.errstate(all="ignore"):
        if measure.metric.over is OneVsRest:
            rest = total[:, None] - truth - said + diagonal
            counts = OneVsRest(diagonal, said - diagonal, truth - diagonal, rest)
            if measure.average is None:
                at = views.positive if index is None else index
                assert at is not None
                counts = counts.at(at)
            elif measure.average == "micro":
                counts = counts.pooled()
            else:
                occurs = counts.tp + counts.fp + counts.fn > 0
                if np.isinf(measure.metric.worst):
                    occurs &= ~np.isnan(number(measure.formula(counts)))
                return np.asarray(over_classes(measure, occurs)(counts), np.float64)
            return np.broadcast_to(np.asarray(number(measure.formula(counts)), np.float64), len(cells)).copy()
        if measure.metric.over is Margins:
            counted: Any = Margins(diagonal.sum(1), truth, said, total)
        else:
            counted = ConfusionCounts(views.labels, cells, None, views.rows)
        return np.asarray(number(measure.formula(counted)), np.float64)
