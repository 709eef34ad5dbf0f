"""Differences of measures of all rows or users together, which have no share, mean or table to be paired by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.comparison.paired_bootstrap import Model
from calipers.inference import of_blocks
from calipers.inference.contrast import Contrast
from calipers.inference.paired_losses import left_out_t
from calipers.metrics.agreement import Subsample
from calipers.metrics.base import Measure
from calipers.metrics.blocked import Blocked
from calipers.metrics.left_out import LeftOut
from calipers.metrics.values import Answer, Without
from calipers.remarks import Remark

Array = npt.NDArray[Any]


def together(measure: Measure, gap: float, values: Sequence[Answer], models: Sequence[Model]) -> Contrast | None:
    """The contrast by what the measure is without each row, user or block of documents, by rows that were drawn, or
    none with the reason; None for measures of other kinds, and where groups of rows are left out together.
    """
    first, second = (answer.value for answer in values)
    view = measure.metric.view
    if view.of_numbers or view.of_clusters or view.of_topics:
        for each in (first, second):
            if isinstance(each, Without) and not each.resampled:
                return Contrast(gap, np.nan, np.nan, "", each.why)
    if isinstance(first, Blocked) and isinstance(second, Blocked):
        return of_blocks.difference(first, second)
    if isinstance(first, LeftOut) and isinstance(second, LeftOut):
        grouped = models[0].batch.group_codes is not None if first.unit == "rows" else False
        return None if grouped else left_out_t(gap, first.left_out() - second.left_out())
    if isinstance(first, Subsample) or isinstance(second, Subsample):
        return _drawn(gap, models)
    return None


def over_queries(measure: Measure, first: Array, second: Array) -> Contrast | None:
    """The contrast of a measure of all queries together, from the value of each; None for means over queries."""
    if measure.metric.view.of_lists and measure.metric.each is None:  # a proportion of users, computed from the lists
        return None
    a, b = (measure.formula(each) for each in (first, second))
    return left_out_t(a.value - b.value, a.left_out() - b.left_out()) if isinstance(a, LeftOut) else None


def _drawn(gap: float, models: Sequence[Model]) -> Contrast:
    """Silhouettes of some rows: by how much the difference of the means over all rows may differ.

    The rows are paired if the same ones were drawn; clusterings with different noise are drawn apart.
    """
    first, second = (model.views.geometry for model in models)
    assert first is not None
    assert second is not None
    parts = [(g.silhouettes, g.rows) for g in (first, second)]
    paired = np.array_equal(first.of, second.of)
    if paired:
        parts = [(first.silhouettes - second.silhouettes, first.rows)]
    drawn = min(len(values) for values, _ in parts)
    if drawn < 2:
        return Contrast(gap, np.nan, np.nan, "", Remark("inference.too_few"))
    square = sum(float(values.var(ddof=1)) / len(values) * (1 - len(values) / rows) for values, rows in parts)
    method = Remark("inference.subsample", count=drawn, total=max(rows for _, rows in parts))
    each = parts[0][0] - parts[0][0].mean() if paired else None
    return Contrast(gap, float(np.sqrt(square)), drawn - 1.0, method, rows=each)
