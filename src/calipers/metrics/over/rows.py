"""Formulas over the moments of a measure that each row has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.metrics.over.base import View, all_classes_only, of_rows, whole
from calipers.metrics.sums import mean
from calipers.metrics.values import Answer
from calipers.metrics.views import RowMean, Unavailable, Views
from calipers.remarks import Remark
from calipers.statistics.combine import Recipe

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.metrics.plan import RowKind
    from calipers.metrics.sums import Additive


class OfLabelSets(View, over=RowMean):
    """Means over multi-label data."""

    section, taken = "Multi-label classification", "label_sets"

    def recipe(self, measure: Measure, rows: RowKind) -> tuple[str, Recipe] | None:
        """The moments of the row-wise form."""
        return of_rows(measure) if rows.task.label_sets else None

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of all labels."""
        if not views.facts.label_sets:
            raise Unavailable(Remark("metrics.of_label_sets"))
        all_classes_only(index)
        return Answer(measure.formula(views.moments(measure.name)))

    def sums(self, measure: Measure, views: Views, index: int | None, known: dict[str, Any]) -> Additive | None:
        """A mean over rows."""
        rows = measure.metric.rows
        assert rows is not None
        assert views.source is not None
        return mean(np.asarray(rows(views.source))) if whole(measure, index) else None
