"""Formulas over the scores of all classes at once: the matrix of scores, and the ranks of the true class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.influence import Finder, deviations
from calipers.metrics.over.base import Tried, Trier, View, all_classes_only, named, whole
from calipers.metrics.over.samples import sorted_scores
from calipers.metrics.sums import mean
from calipers.metrics.values import Answer, Proportion, Value, number
from calipers.metrics.views import Unavailable, Views
from calipers.metrics.weighted_shares import of_equal_weights, smoothed, weighted
from calipers.remarks import Remark
from calipers.statistics.classes import ClassScores
from calipers.statistics.combine import Recipe
from calipers.statistics.ranks import RankCounts

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.metrics.plan import RowKind
    from calipers.metrics.sums import Additive

Array = npt.NDArray[Any]


class OfMatrix(View, over=ClassScores):
    """A score for each class."""

    section, taken = "Many classes", "classes"

    def recipe(self, measure: Measure, rows: RowKind) -> tuple[str, Recipe] | None:
        """The matrix; of a single score its two samples, which is why there is no value."""
        return sorted_scores(rows) if rows.task.one_score else named(ClassScores)

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of all classes."""
        all_classes_only(index)
        if views.facts.label_sets:
            raise Unavailable(Remark("metrics.of_classes"))
        scores = views.class_scores
        if not isinstance(scores, ClassScores):
            raise Unavailable(Remark("metrics.rows_not_kept"))
        return Answer(measure.formula(scores))


class OfRanks(View, over=RankCounts):
    """How often the true class has each rank among the scores."""

    section, taken = "Many classes", "classes"

    def recipe(self, measure: Measure, rows: RowKind) -> tuple[str, Recipe] | None:
        """The ranks, where the highest score decides."""
        return named(RankCounts) if rows.task.top_class else None

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of all classes."""
        all_classes_only(index)
        ranks = views.ranks
        raw = measure.formula(ranks)
        if ranks.squares is not None and isinstance(raw, Proportion):
            raw = smoothed(raw, measure.formula(RankCounts(ranks.squares, None, ranks.rows)))
        return Answer(of_equal_weights(raw) if weighted(raw) and views.equal_weights else raw)

    def influence(self, measure: Measure, views: Views, index: int | None, value: Value) -> Finder | None:
        """By the rank of the true class of each row."""
        return lambda: deviations(views, _hits(measure, views))

    def sums(self, measure: Measure, views: Views, index: int | None, known: dict[str, Any]) -> Additive | None:
        """A mean of hits."""
        scanned = views.source is not None and views.source.scan is not None
        return mean(_hits(measure, views)) if scanned and whole(measure, index) else None

    def tried(self, measure: Measure, views: Views, index: int | None, value: Value) -> Trier | None:
        """A share of all rows."""

        def tried() -> Tried:
            hits = _hits(measure, views)
            return [(np.ones(len(hits)), hits)]

        return tried

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """Rows by rank."""
        return {"rank_counts": views.ranks.cells}


def _hits(measure: Measure, views: Views) -> Array:
    """What each row adds, by the rank of its true class."""
    rows, k = views.source, len(views.labels)
    assert rows is not None
    assert rows.scan is not None
    unit = [float(number(measure.formula(RankCounts(cells, None, 1)))) for cells in np.eye(k)]
    return np.array(unit)[rows.scan.rank.astype(np.intp) - 1]
