"""Formulas over the table of classes and clusters."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.agreement import Agreement, RootOfChiSquared
from calipers.metrics.over.base import View, all_classes_only, named
from calipers.metrics.overlaps import Overlaps, values_of
from calipers.metrics.overlaps_left_out import left_out
from calipers.metrics.sums import TOTAL, Additive, Column
from calipers.metrics.values import Answer, Smooth, Value, Without, number
from calipers.metrics.views import Views
from calipers.remarks import Remark
from calipers.statistics.combine import Recipe
from calipers.statistics.contingency import Contingency

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.metrics.plan import RowKind
    from calipers.resampling.bootstrap import Acceleration, Bootstrap

Array = npt.NDArray[Any]
JOINT = 2_000  # cells of a table that models are paired by; beyond, rows are drawn


class OfClusters(View):
    """What views of clusters have in common."""

    section, taken = "Clustering", "clusters"
    own_symbols = ("rows", "pairs", "beta")
    from_labels = True
    of_clusters = True

    def recipe(self, measure: Measure, rows: RowKind) -> tuple[str, Recipe] | None:
        """The counts of pairs of class and cluster."""
        return named(Contingency) if rows.task.clustered else None


class OfOverlaps(OfClusters, over=Overlaps):
    """Agreement of clusters with classes."""

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of all classes and clusters."""
        all_classes_only(index)
        overlaps = views.overlaps
        if not len(overlaps.cells):
            return Answer(Without(np.nan, Remark("metrics.no_clustered_rows")), Remark("metrics.no_clustered_rows"))
        value = measure.formula(overlaps)
        if isinstance(value, (Without, Smooth)):
            return Answer(value)
        cells, rows = int(np.prod(overlaps.shape)), float(overlaps.rows)
        left = partial(left_out, measure, overlaps)
        mixed, root = partial(_mixed, measure, overlaps), value if isinstance(value, RootOfChiSquared) else None
        found = Agreement(float(number(value)), rows, cells, overlaps.same, left, mixed)
        return Answer(found if root is None else found._replace(chi_squared=root.chi_squared))

    def drawn(self, bootstrap: Bootstrap, measure: Measure, value: Value) -> tuple[Array, Acceleration]:
        """Independent rows are drawn by the cells of the table, which needs no rows; groups are drawn whole."""
        if bootstrap.groups is not None or bootstrap.by_row:
            return bootstrap.of_rows(measure)
        return bootstrap.of_overlaps(measure)

    def sums(self, measure: Measure, views: Views, index: int | None, known: dict[str, Any]) -> Additive | None:
        """A function of how many rows each filled cell has; noise has a cell of its own."""
        rows = views.source
        if rows is None or rows.pred is None:
            return None
        seen = views.overlaps
        if "cells" not in known:
            table, width = views.contingency, max(len(views.contingency.clusters), 1)
            where = np.searchsorted(
                table.rows_of * width + table.columns_of, rows.truth.astype(np.int64) * width + rows.pred
            )
            where[rows.pred >= len(table.clusters)] = len(table.cells)
            known["cells"] = Column(where.astype(np.uint32), len(table.cells) + 1, None)

        def of(cells: Array, *_: Array) -> Array:
            return values_of(measure, seen.drawn(cells[:, :-1]))

        return Additive((known["cells"],) if len(seen.cells) <= JOINT else (known["cells"], TOTAL), of)

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """The sums over the table."""
        return symbols_of(views.overlaps, measure)


def _mixed(measure: Measure, overlaps: Overlaps, share: float) -> float:
    """The measure if this share of the rows were dealt at random."""
    with np.errstate(all="ignore"):
        return float(number(measure.formula(overlaps.mixed(share))))


class OfContingency(OfClusters, over=Contingency):
    """Rows in and out of clusters."""

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of all rows."""
        all_classes_only(index)
        return Answer(measure.formula(views.contingency))

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """How many rows there are, and how many are noise."""
        table = views.contingency
        return {"noise": table.noise, "all_rows": table.rows}


def symbols_of(o: Overlaps, measure: Measure) -> dict[str, Any]:
    """The symbols of formulas, as numbers and short lists."""
    from calipers.metrics.base import CATALOGUE
    from calipers.metrics.clustering import mean_entropy

    names = ("together", "of_classes", "of_clusters", "pairs", "rows", "cells", "information", "class_entropy",
             "cluster_entropy", "largest_in_clusters", "largest_in_classes")  # fmt: skip
    seen = {name: getattr(o, name) for name in names}
    seen |= {"class_of_cell": o.classes[o.down], "cluster_of_cell": o.clusters[o.across]}
    seen |= {"class_count": len(o.classes), "cluster_count": len(o.clusters)}
    parts = [name for name in ("homogeneity", "completeness", "bcubed_precision", "bcubed_recall")
             if f"{{{name}}}" in measure.metric.formula]  # fmt: skip
    seen |= {name: float(CATALOGUE[name].formula(o)) for name in parts}
    if "mean" in measure.metric.parameters:
        seen["mean_entropy"] = mean_entropy(o, str(measure.parameters.get("mean", "arithmetic")))
    if "given" in measure.metric.parameters:
        seen |= of_given(o, str(measure.parameters.get("given", measure.metric.parameters["given"])))
    if "expected_information" in measure.metric.formula:
        seen["expected_information"] = o.expected_information
    if "matched" in measure.metric.formula:
        seen["matched"] = o.matched
    return seen


def of_given(o: Overlaps, given: str) -> dict[str, Any]:
    """The symbols of formulas that predict one side from the other, which is given."""
    known = given == "clusters"
    return {
        "largest_of_given": o.largest_in_clusters if known else o.largest_in_classes,
        "most_common": (o.classes if known else o.clusters).max(),
        "entropy_of_other": o.class_entropy if known else o.cluster_entropy,
    }
