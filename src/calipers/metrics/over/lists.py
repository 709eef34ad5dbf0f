"""Formulas over the lists of recommended items, and over errors of predicted ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.exposures import Exposures
from calipers.metrics.left_out import LeftOut
from calipers.metrics.over.base import View
from calipers.metrics.over.queries import counting
from calipers.metrics.values import Answer, Proportion, QueryMean, Value
from calipers.metrics.views import Unavailable, Views
from calipers.remarks import Remark
from calipers.statistics.recommended import RatingErrors, RecommendedLists

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.resampling.bootstrap import Acceleration, Bootstrap

Array = npt.NDArray[Any]


class OfRecommendations(View):
    """What views of recommendations have in common; the lists are read by `evaluate_recommendations`, not by a plan."""

    section, taken = "Recommendation", "lists"
    of_lists = True

    def counted(self, value: Value, views: Views) -> int:
        """The users behind a value: users without truth count, too."""
        if isinstance(value, LeftOut):
            return value.n
        if isinstance(value, QueryMean):
            return int(value.moments.n)
        return int(value.trials) if isinstance(value, Proportion) else views.rows


class OfLists(OfRecommendations, over=RecommendedLists):
    """A mean over the lists of users, or a share of users."""

    of_queries = True

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """The mean over the users that have a value."""
        if measure.metric.each is None:
            return Answer(measure.formula(_lists(views)))
        each = self.of_each_query(measure, views)
        left = int(np.isnan(each).sum())
        flags: tuple[str, ...] = (Remark("recommendation.users_left_out", count=left, total=len(each)),) if left else ()
        return Answer(counting(measure.formula(each[~np.isnan(each)]), views), "", flags)

    def of_each_query(self, measure: Measure, views: Views) -> Array:
        """The measure of each user, NaN where there is none."""
        if measure.metric.each is None:
            lists = _lists(views)
            return np.where(lists.tested, lists.sizes > 0, np.nan)
        return np.asarray(measure.metric.each(exposures(measure, views)), np.float64)

    def drawn(self, bootstrap: Bootstrap, measure: Measure, value: Value) -> tuple[Array, Acceleration]:
        """The users, each with its value."""
        return bootstrap.of_queries(self.of_each_query(measure, bootstrap.views))

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """How many users have a list."""
        lists = _lists(views)
        return {"served": int(np.count_nonzero(lists.sizes[lists.tested])), "tested": int(lists.tested.sum())}


class OfExposures(OfRecommendations, over=Exposures):
    """A function of the lists of all users together."""

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of all users."""
        return Answer(measure.formula(exposures(measure, views)))

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """The counts of the items."""
        seen = exposures(measure, views)
        shown: dict[str, Any] = {"catalogue": len(seen.counts), "exposure": seen.counts}
        rising = np.sort(seen.counts)
        shown |= {"sorted_exposure": rising, "place": np.arange(1, len(rising) + 1)}
        return shown | {"exposure_share": seen.counts[seen.counts > 0] / max(seen.total, 1)}


class OfRatings(OfRecommendations, over=RatingErrors):
    """A function of sums over the rated items of users."""

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of all users with rated items."""
        errors = views.evidence.get(RatingErrors)
        if errors is None:
            raise Unavailable(Remark("recommendation.of_recommendations"))
        totals = errors.totals
        every = totals.sum(0)
        if not every[0]:
            raise Unavailable(Remark("recommendation.no_rated_items"))
        users = int(np.count_nonzero(totals[:, 0]))
        return Answer(LeftOut(float(measure.formula(every)), users, lambda: measure.formula(every - totals)))


def exposures(measure: Measure, views: Views) -> Exposures:
    """The first k items of each list."""
    lists, k = _lists(views), float(measure.parameters.get("k", np.inf))
    known: dict[float, Exposures] = lists.cut
    if k not in known:
        known[k] = Exposures(lists.first(k))
    return known[k]


def _lists(views: Views) -> RecommendedLists:
    lists = views.evidence.get(RecommendedLists)
    if lists is None:
        raise Unavailable(Remark("recommendation.of_recommendations"))
    return lists
