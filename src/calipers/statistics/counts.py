"""What all statistics of counts share: cells, sums of squared weights beside them, and how they add up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from calipers.data import labels
from calipers.settings import Label
from calipers.statistics.base import Array, Statistic

if TYPE_CHECKING:
    from calipers.data.batch import Batch

Layout = Callable[[Array], Array]


class Counts(Statistic, abstract=True):
    """Counts by cell. `squares` are the sums of squared weights, None when every row weighs 1 and they are the counts.

    Repetition and importance give the same value and different intervals, and the squares distinguish them.
    """

    cells: Array
    squares: Array | None
    rows: int

    def union(self, other: Self) -> tuple[Layout, Layout, dict[str, Any]]:
        """How my cells and the other's are arranged over what both have, and the fields that describe it."""
        raise NotImplementedError

    @property
    def second(self) -> Array:
        """Sums of squared weights by cell; the counts themselves when no weights were given."""
        return self.cells if self.squares is None else self.squares

    def merge(self, other: Self) -> Self:
        """Add the counts cell by cell."""
        mine, theirs, about = self.union(other)
        weighted = self.squares is not None or other.squares is not None
        return replace(
            self,
            cells=mine(self.cells) + theirs(other.cells),
            squares=mine(self.second) + theirs(other.second) if weighted else None,
            rows=self.rows + other.rows,
            **about,
        )

    def scale(self, factor: int) -> Self:
        """Every count times `factor`."""
        squares = None if self.squares is None else self.squares * factor
        return replace(self, cells=self.cells * factor, squares=squares, rows=self.rows * factor)


@dataclass(frozen=True, eq=False)
class Labelled(Counts, abstract=True):
    """Counts by label. Labels are sorted, so that merging needs no agreement on their order."""

    labels: tuple[Label, ...]
    cells: Array
    squares: Array | None
    rows: int

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Count the truth and the predictions of a batch."""
        assert batch.pred is not None
        return cls.of_codes(batch.labels, batch.truth, batch.pred, batch.weights)

    @classmethod
    def of_codes(cls, values: tuple[Label, ...], truth: Array, pred: Array, weights: Array | None) -> Self:
        """Count from codes into `values`."""
        count = partial(cls._count, truth, pred, len(values))
        return cls(values, count(weights), None if weights is None else count(weights * weights), len(truth))

    @staticmethod
    def _count(truth: Array, pred: Array, labels: int, weights: Array | None) -> Array:
        """The cells of these rows."""
        raise NotImplementedError

    def union(self, other: Self) -> tuple[Layout, Layout, dict[str, Any]]:
        """Over the union of the labels."""
        values = labels.union(self.labels, other.labels)
        return partial(self._over, values), partial(other._over, values), {"labels": values}

    def _over(self, values: tuple[Label, ...], cells: Array) -> Array:
        """My cells over these labels, among which are mine."""
        raise NotImplementedError
