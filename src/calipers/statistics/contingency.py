"""How many rows each class and cluster have in common: metrics of clusters against classes are formulas over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from calipers import _native
from calipers.data import labels
from calipers.errors import InputError
from calipers.settings import Label
from calipers.statistics.base import Array, Statistic

if TYPE_CHECKING:
    from calipers.data.batch import Batch

DENSE = 1 << 20  # cells of a table that is counted whole; a larger one is sorted, so that only its filled cells cost


@dataclass(frozen=True, eq=False)
class Contingency(Statistic):
    """The filled cells of the table of classes and clusters, in the order of class and cluster.

    classes, clusters: the labels, sorted; no classes where the truth is not known. rows_of, columns_of: the class and
    the cluster of each filled cell, as codes; cells: how many rows it has. noise: how many rows belong to no cluster,
    which the cells leave out.
    """

    classes: tuple[Label, ...]
    clusters: tuple[Label, ...]
    rows_of: Array
    columns_of: Array
    cells: Array
    noise: int = 0

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Count the pairs of class and cluster; a code beyond the clusters is noise."""
        assert batch.pred is not None
        assert batch.code_names is not None
        classes, clusters = batch.code_names
        found = cls.of_codes(classes, clusters, batch.truth, batch.pred)
        noise = len(batch) - int(found.cells.sum())
        return cls(classes, clusters, found.rows_of, found.columns_of, found.cells, noise)

    @classmethod
    def of_codes(
        cls, classes: Sequence[Label], clusters: Sequence[Label], truth: Array, pred: Array
    ) -> Self:
        """Count codes into these labels; codes beyond them have no cell."""
        side = max(len(classes), len(clusters), 1)
        if side * side <= DENSE:
            table = _native.confusion(truth, pred, side)
            down, across = np.nonzero(table)
            return cls(tuple(classes), tuple(clusters), down, across, table[down, across])
        known = pred < len(clusters)
        where = truth[known].astype(np.int64) * len(clusters) + pred[known]
        filled, cells = np.unique(where, return_counts=True)
        return cls(tuple(classes), tuple(clusters), filled // len(clusters), filled % len(clusters), cells)

    @classmethod
    def empty(cls) -> Self:
        """No rows."""
        none = np.zeros(0, np.int64)
        return cls((), (), none, none, none)

    @property
    def rows(self) -> int:
        """How many rows there are, noise included."""
        return int(self.cells.sum()) + self.noise

    def merge(self, other: Self) -> Self:
        """Add the counts cell by cell, over the labels of both."""
        if not self.rows or not other.rows:
            return self if self.rows else other
        if bool(self.classes) != bool(other.classes):
            raise InputError("statistics.classes_of_one_part")
        classes, clusters = (
            labels.union(getattr(self, name), getattr(other, name)) for name in ("classes", "clusters")
        )
        where = [part._places(classes, clusters) for part in (self, other)]
        filled, at = np.unique(np.concatenate(where), return_inverse=True)
        cells = np.zeros(len(filled), np.int64)
        np.add.at(cells, at, np.concatenate((self.cells, other.cells)))
        width = max(len(clusters), 1)
        return type(self)(classes, clusters, filled // width, filled % width, cells, self.noise + other.noise)

    def _places(self, classes: tuple[Label, ...], clusters: tuple[Label, ...]) -> Array:
        """The number of each filled cell in a table over these labels, row by row."""
        down, across = self.rows_of, self.columns_of
        if classes != self.classes:
            down = _moved(self.classes, classes)[down]
        if clusters != self.clusters:
            across = _moved(self.clusters, clusters)[across]
        return np.asarray(down * max(len(clusters), 1) + across, np.int64)

    def scale(self, factor: int) -> Self:
        """Every count times `factor`."""
        if not factor:
            return self.empty()
        return type(self)(
            self.classes, self.clusters, self.rows_of, self.columns_of, self.cells * factor, self.noise * factor
        )


def _moved(mine: Sequence[Label], every: Sequence[Label]) -> Array:
    """Where each of my labels is among all."""
    place = {label: code for code, label in enumerate(every)}
    return np.array([place[label] for label in mine], np.int64)
