"""Formulas over where clusters lie."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.metrics.influence import Finder
from calipers.metrics.left_out import LeftOut
from calipers.metrics.over.base import View, all_classes_only
from calipers.metrics.values import Answer, Value
from calipers.metrics.views import Unavailable, Views
from calipers.remarks import Remark
from calipers.statistics.geometry import Geometry

if TYPE_CHECKING:
    from calipers.metrics.base import Measure


class OfGeometry(View, over=Geometry):
    """Distances between rows; `evaluate_clusters` computes them, not a plan, because they do not merge."""

    section, taken = "Clustering by geometry", "points"
    of_clusters = True

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of all clusters."""
        all_classes_only(index)
        if views.geometry is None:
            raise Unavailable(Remark("metrics.no_features"))
        value = measure.formula(views.geometry)
        clusters = len(views.geometry.clusters)
        alone = clusters < 2 and measure.metric.name != "inertia"
        reason = Remark("metrics.one_cluster") if alone else ""
        return Answer(value, reason if np.isnan(value.value) else "")

    def influence(self, measure: Measure, views: Views, index: int | None, value: Value) -> Finder | None:
        """How far the measure without each row is from their mean; None where it is not known."""
        return _deviations(value) if isinstance(value, LeftOut) else None

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """Sums of squares and extreme distances."""
        g = views.geometry
        if g is None:
            return {}
        return {"within": g.within, "between": g.between, "cluster_count": len(g.clusters), "points": g.rows,
                "least_between": g.least, "most_within": g.most}  # fmt: skip


def _deviations(value: LeftOut) -> Finder:
    left = value.left_out()
    return lambda: np.asarray(left.mean() - left)
