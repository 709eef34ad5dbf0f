"""Formulas over the measures of each query of a ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.left_out import LeftOut
from calipers.metrics.over.base import View
from calipers.metrics.ranking import step_of
from calipers.metrics.values import Answer, QueryMean, Value
from calipers.metrics.views import Unavailable, Views
from calipers.remarks import Remark
from calipers.statistics.queries import QueryGains

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.resampling.bootstrap import Acceleration, Bootstrap

Array = npt.NDArray[Any]


class OfQueries(View, over=QueryGains):
    """The measure of each query; their rankings are read by `rank`, not by a plan."""

    section, taken = "Ranking", "queries"
    own_symbols = ("precision", "k", "p")
    of_queries = True

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """The mean over the queries that have one."""
        each = self.of_each_query(measure, views)
        left = int(np.isnan(each).sum())
        code = "recommendation.users_left_out" if views.facts.recommended else "metrics.queries_left_out"
        flags = (Remark(code, count=left, total=len(each)),) if left else ()
        return Answer(counting(measure.formula(each[~np.isnan(each)]), views), "", flags)

    def of_each_query(self, measure: Measure, views: Views) -> Array:
        """The measure of each query."""
        return values_of_queries(measure, views)

    def drawn(self, bootstrap: Bootstrap, measure: Measure, value: Value) -> tuple[Array, Acceleration]:
        """The queries, each with its measure."""
        return bootstrap.of_queries(self.of_each_query(measure, bootstrap.views))

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """The measure of each query, where the formula is not that of one query."""
        if "{average_precision}" not in measure.metric.formula:
            return {}
        each = self.of_each_query(measure, views)
        return {"average_precision": each[~np.isnan(each)]}


def counting(value: Value, views: Views) -> Value:
    """The value with what it counts, queries or users, for its remarks."""
    return value._replace(unit=views.facts.unit) if isinstance(value, (QueryMean, LeftOut)) else value


def values_of_queries(measure: Measure, views: Views) -> Array:
    """The measure of each query, NaN where one is left out; one not asked for before is computed now."""
    gains, ranked = views.queries, views.rankings
    if measure.name in gains.names:
        return gains.of_measure(measure.name)
    if ranked is None:
        raise Unavailable(Remark("metrics.not_asked_for_queries", names=[measure.name]))
    return QueryGains.of(ranked, {measure.name: step_of(measure, ranked.most)}).of_measure(measure.name)
