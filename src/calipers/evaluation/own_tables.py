"""Tables that belong to one kind of evaluation: of clusters, of queries, of users."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from calipers.errors import InputError
from calipers.evaluation.per_cluster import PerCluster
from calipers.evaluation.per_query import PerQuery
from calipers.metrics.views import Unavailable
from calipers.statistics.recommended import RecommendedLists

if TYPE_CHECKING:
    from calipers.data.schema import Schema
    from calipers.evaluation.evaluation import Record
    from calipers.metrics.base import Measure
    from calipers.metrics.views import Views

Array = npt.NDArray[Any]


class HasTables:
    """What an evaluation has beside its metrics: tables of its clusters, queries or users."""

    if TYPE_CHECKING:
        record: Record | None
        seen: Views | None
        listed: tuple[Measure, ...]
        schema: Schema

        @property
        def task(self) -> str:
            """The task."""
            raise NotImplementedError

        @property
        def views(self) -> Views:
            """The statistics."""
            raise NotImplementedError

    @property
    def per_cluster(self) -> PerCluster:
        """Each cluster of a clustering, as a table."""
        if self.record is not None and self.record.clusters is not None:
            return self.record.clusters
        views = self.views
        if not views.facts.clustered:
            raise InputError("evaluation.no_clusters", what="per_cluster", task=self.task)
        return PerCluster.of(views.contingency, views.geometry)

    @property
    def has_clusters(self) -> bool:
        """Whether there is a table of clusters."""
        saved = self.record is not None and self.record.clusters is not None
        return saved or (self.seen is not None and self.views.facts.clustered)

    @property
    def silhouettes(self) -> Array:
        """The silhouette of each row of a clustering; NaN for noise and for rows that were not drawn."""
        geometry = self.views.geometry
        if geometry is None:
            raise InputError("evaluation.no_silhouettes")
        return geometry.of_rows

    @property
    def per_query(self) -> PerQuery:
        """The metrics of each query of a ranking, or of each user with truth of recommendations, as a table."""
        views, recommended = self.views, self.schema.facts.recommended
        try:
            gains = views.queries
        except Unavailable:
            raise InputError("evaluation.no_queries", task=self.task) from None
        return PerQuery(gains, "user" if recommended else "query", self._of_lists() if recommended else {})

    def _of_lists(self) -> dict[str, Array]:
        """The listed metrics of the list of each user with truth."""
        lists = self.views.evidence.get(RecommendedLists)
        assert lists is not None
        each = [m for m in self.listed if m.metric.view.of_lists and m.metric.each is not None]
        return {m.name: m.metric.view.of_each_query(m, self.views)[lists.tested] for m in each}
