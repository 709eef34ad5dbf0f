"""How much each row moves a measure: what a variance is made of when rows come in groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.data.batch import Batch, Scan
from calipers.metrics.values import Smooth, Value, Without
from calipers.metrics.views import Views

if TYPE_CHECKING:
    from calipers.metrics.base import Measure

Array = npt.NDArray[Any]
Finder = Callable[[], Array]  # computes the influence of each row when it is needed


def influence_of_rows(measure: Measure, views: Views, index: int | None, value: Value) -> Finder | None:
    """Finds what each row adds to the error of the measure, its weight put in; None where only a bootstrap can tell."""
    if isinstance(value, Without) and not value.resampled:
        return None
    if isinstance(value, Smooth) and value.influence is not None:
        return value.influence
    return measure.metric.view.influence(measure, views, index, value)


def weights_of(views: Views) -> Array:
    """The rows' weights, restated where the prevalence is."""
    rows = views.source
    assert rows is not None
    own = np.ones(len(rows)) if rows.weights is None else rows.weights
    if not views.fixed:
        return own
    positive, negative = views.class_weights
    is_true = rows.truth == rows.positive
    return np.asarray(own * np.where(is_true, positive / own[is_true].sum(), negative / own[~is_true].sum()))


def deviations(views: Views, each: Array) -> Array:
    """What each row adds to the error of the mean of a number that each has."""
    w = weights_of(views)
    if not views.fixed:
        return np.asarray(w * (each - w @ each / w.sum()) / w.sum())
    rows = views.source
    assert rows is not None
    out = np.zeros(len(each))
    # The sizes of the classes are fixed, so only the variation within each class counts.
    for part in (rows.truth == rows.positive, rows.truth != rows.positive):
        out[part] = w[part] * (each[part] - w[part] @ each[part] / w[part].sum()) / w.sum()
    return out


def row_losses(measure: Measure, batch: Batch) -> Array | None:
    """The row-wise form of a measure; None where it has none."""
    rows: Callable[[Batch], Any] | None = measure.metric.rows
    if rows is None or measure.average is not None:
        return None
    if batch.facts.one_score:
        if not measure.metric.probabilities or batch.score is None:
            return None
        batch = replace(batch, scan=_scan_of_two(batch))
    losses = rows(batch)
    return losses if isinstance(losses, np.ndarray) else None


def _scan_of_two(batch: Batch) -> Scan:
    """What row-wise forms look at in a matrix of two classes, from the score of one of them."""
    if Scan not in batch.cache:
        assert batch.score is not None
        other, none = 1 - batch.score, np.zeros(0, np.intp)
        own = np.where(batch.truth == batch.positive, batch.score, other).astype(np.float64, copy=False)
        square = batch.score.astype(np.float64, copy=False) ** 2 + other.astype(np.float64, copy=False) ** 2
        batch.cache[Scan] = Scan(none, none, own, square, 0.0, 1.0, 0, 0, 0.0, 0)
    scan: Scan = batch.cache[Scan]
    return scan
