"""Each cluster in one line of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.evaluation.tables import ColumnTable, names_of

if TYPE_CHECKING:
    from calipers.statistics.contingency import Contingency
    from calipers.statistics.geometry import Geometry

Array = npt.NDArray[Any]


class PerCluster(ColumnTable):
    """Columns of equal length, largest cluster first: cluster, rows; the most frequent class and its share, if there
    are classes; the mean silhouette, if there are features."""

    @classmethod
    def of(cls, table: Contingency, geometry: Geometry | None) -> PerCluster:
        """The clusters of a table, with their silhouettes if there are any."""
        sizes = np.bincount(table.columns_of, table.cells, len(table.clusters)).astype(np.int64)
        order = np.argsort(-sizes, kind="stable")
        columns = {"cluster": names_of([table.clusters[i] for i in order]), "rows": sizes[order]}
        if table.classes:
            commonest, share = _commonest(table, sizes)
            columns |= {"class": names_of([table.classes[i] for i in commonest[order]]), "share": share[order]}
        if geometry is not None:
            place = {label: i for i, label in enumerate(geometry.clusters)}
            means = geometry.of_clusters
            where = [place.get(table.clusters[i]) for i in order]
            columns["silhouette"] = np.array([np.nan if i is None else means[i] for i in where])
        return cls(columns)

    def __repr__(self) -> str:
        return f"<{len(self['cluster'])} clusters; columns {', '.join(self._columns)}>"


def _commonest(table: Contingency, sizes: Array) -> tuple[Array, Array]:
    """The class that most rows of each cluster have, and their share of it."""
    order = np.lexsort((-table.rows_of, table.cells, table.columns_of))  # the largest cell of a cluster comes last
    commonest, most = np.zeros(len(sizes), np.int64), np.zeros(len(sizes))
    commonest[table.columns_of[order]] = table.rows_of[order]
    most[table.columns_of[order]] = table.cells[order]
    return commonest, most / np.maximum(sizes, 1)
