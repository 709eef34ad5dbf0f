"""What formulas see of the table of classes and clusters: margins, pairs of rows, entropies; of one table or many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.cached import lazy
from calipers.statistics.contingency import Contingency

if TYPE_CHECKING:
    from calipers.metrics.base import Measure

Array = npt.NDArray[Any]
FEW_ROWS = 5_000  # of a table whose expected information is computed anew in every sample
FEW_CELLS = 10_000  # of a table (classes times clusters) whose best matching is found anew in every sample


@dataclass(frozen=True, eq=False)
class Overlaps:
    """The filled cells of a table along the last axis, or of many tables that share their filled cells.

    down, across: the class and the cluster of each cell, codes without gaps, sorted by class and cluster. observed: of
    tables that were drawn again, the one that they were drawn from.
    """

    cells: Array
    down: Array
    across: Array
    observed: Overlaps | None = None

    @classmethod
    def of(cls, table: Contingency) -> Overlaps:
        """The table with as many classes and clusters as have rows."""
        down, across = (np.unique(codes, return_inverse=True)[1] for codes in (table.rows_of, table.columns_of))
        return cls(table.cells.astype(np.float64), down, across)

    def drawn(self, cells: Array) -> Overlaps:
        """Tables of the same classes and clusters with other counts, (tables, cells)."""
        return replace(self, cells=cells, observed=self)

    @lazy
    def _starts(self) -> Array:
        return np.flatnonzero(np.diff(self.down, prepend=-1))

    @lazy
    def _by_cluster(self) -> tuple[Array, Array]:
        order = np.lexsort((self.down, self.across))
        return order, np.flatnonzero(np.diff(self.across[order], prepend=-1))

    @lazy
    def classes(self) -> Array:
        """The rows of each class."""
        return np.add.reduceat(self.cells, self._starts, -1)

    @lazy
    def clusters(self) -> Array:
        """The rows of each cluster."""
        order, starts = self._by_cluster
        return np.add.reduceat(self.cells[..., order], starts, -1)

    @lazy
    def rows(self) -> Array:
        """All rows that are in a cluster."""
        return np.asarray(self.cells.sum(-1))

    @property
    def shape(self) -> tuple[int, int]:
        """How many classes and clusters there are."""
        return len(self._starts), len(self._by_cluster[1])

    @lazy
    def same(self) -> bool:
        """Whether each class is one cluster, and each cluster one class."""
        return len(self.down) == self.shape[0] == self.shape[1]

    def mixed(self, share: float) -> Overlaps:
        """The table in which this share of the rows was dealt to the clusters at random; classes keep their sizes."""
        down, across = (codes.ravel() for codes in np.indices(self.shape))
        table = np.zeros(self.shape)
        table[self.down, self.across] = (1 - share) * self.cells
        table += share * np.outer(self.classes, self.clusters) / self.rows
        return Overlaps(table.ravel(), down, across, observed=self)

    # Pairs of rows

    @lazy
    def together(self) -> Array:
        """Pairs of rows of one class and one cluster."""
        return np.asarray(_pairs(self.cells).sum(-1))

    @lazy
    def of_classes(self) -> Array:
        """Pairs of rows of one class."""
        return np.asarray(_pairs(self.classes).sum(-1))

    @lazy
    def of_clusters(self) -> Array:
        """Pairs of rows of one cluster."""
        return np.asarray(_pairs(self.clusters).sum(-1))

    @lazy
    def pairs(self) -> Array:
        """All pairs of rows."""
        return np.asarray(_pairs(self.rows))

    # Largest cells

    @lazy
    def largest_in_clusters(self) -> Array:
        """The rows of the most frequent class of each cluster."""
        order, starts = self._by_cluster
        return np.maximum.reduceat(self.cells[..., order], starts, -1)

    @lazy
    def largest_in_classes(self) -> Array:
        """The rows of the most frequent cluster of each class."""
        return np.maximum.reduceat(self.cells, self._starts, -1)

    @lazy
    def matched(self) -> Array:
        """Rows on the best matching of classes and clusters, one to one."""
        tables = np.atleast_2d(self.cells)
        if self.observed is not None and len(self.down) == len(self.observed.down) and np.prod(self.shape) > FEW_CELLS:
            return np.asarray(tables[:, self.observed._matching(self.observed.cells)].sum(-1))
        values = np.array([each[self._matching(each)].sum() for each in tables])
        return np.asarray(values if self.cells.ndim == 2 else values[0])

    def _matching(self, cells: Array) -> Array:
        """Which cells are on the best matching."""
        from scipy.optimize import linear_sum_assignment

        table = np.zeros(self.shape)
        table[self.down, self.across] = cells
        pairs = np.zeros(table.shape, bool)
        pairs[linear_sum_assignment(table, maximize=True)] = True
        return pairs[self.down, self.across]

    # Information, in nats

    @lazy
    def class_entropy(self) -> Array:
        """The entropy of the classes."""
        return _entropy(self.classes, self.rows)

    @lazy
    def cluster_entropy(self) -> Array:
        """The entropy of the clusters."""
        return _entropy(self.clusters, self.rows)

    @lazy
    def information(self) -> Array:
        """The mutual information of classes and clusters; from each cell apart, so that independence gives 0."""
        n, down = self.rows[..., None], self.classes[..., self.down]
        across = self.clusters[..., self.across]
        with np.errstate(divide="ignore", invalid="ignore"):
            each = self.cells / n * np.log(self.cells * n / (down * across))
        return np.asarray(np.maximum(np.where(self.cells > 0, each, 0.0).sum(-1), 0.0))

    @lazy
    def expected_information(self) -> Array:
        """The mean of the mutual information over all tables with these margins (Vinh, Epps and Bailey 2010, eq. 24a).

        Of samples of a large table, that of the table itself: its change with the margins is smaller by the root of the
        rows.
        """
        if self.observed is not None and (float(self.observed.rows) > FEW_ROWS or self.observed.same):
            # The bias is proportional to 1 / rows.
            return np.asarray(self.observed.expected_information * self.observed.rows / self.rows)
        if self.cells.ndim == 1:
            return np.asarray(_expected(self.classes, self.clusters))
        return np.array([_expected(*both) for both in zip(self.classes, self.clusters, strict=True)])


def values_of(measure: Measure, tables: Overlaps) -> Array:
    """A measure of many tables."""
    with np.errstate(all="ignore"):
        return np.asarray(measure.formula(tables), np.float64)


def _expected(classes: Array, clusters: Array) -> float:
    """Equal sizes share their terms, so that thousands of clusters have some hundred distinct ones."""
    grouped = (np.unique(sizes[sizes > 0].astype(np.int64), return_counts=True) for sizes in (classes, clusters))
    (a, times_a), (b, times_b) = grouped
    return _native.expected_information(a, times_a, b, times_b)


def _pairs(count: Array) -> Array:
    return np.asarray(count * (count - 1) / 2)


def _entropy(sizes: Array, total: Array) -> Array:
    share = sizes / total[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.maximum(-np.where(share > 0, share * np.log(share), 0.0).sum(-1), 0.0))
