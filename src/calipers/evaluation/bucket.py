"""The rows of one bucket of scores, and what is made of them: parts in ascending order, for all rows and for slices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.statistics.sorting import order_of, sorted_samples, sorted_values

Array = npt.NDArray[Any]
Powers = tuple[float, float, float]  # of the weights of some rows: their sum, and those of squares and fourth powers


class Sorted(NamedTuple):
    """The next rows: two ascending samples, with their weights where they have some."""

    pos: Array
    neg: Array
    pos_weights: Array | None = None
    neg_weights: Array | None = None


class Tied(NamedTuple):
    """The next rows, which have one score."""

    score: float
    positives: int
    negatives: int
    weights: tuple[Powers, Powers] | None = None


Part = Sorted | Tied
Parts = Iterable[tuple[int, Part]]  # by code of the slice; all rows together have the code 0


class Side(NamedTuple):
    """Rows of one class, in the order in which they came: scores, weights, codes in each column of slices, numbers."""

    scores: Array
    weights: Array | None
    codes: list[Array]
    numbers: Array | None

    def grouped(self, column: int, count: int) -> tuple[Side, Array]:
        """The rows by their code in a column of slices, and where each code begins."""

        def by_code(values: Array | None) -> Array | None:
            return None if values is None else _native.group_scores(values, self.codes[column], count)[0]

        scores, starts = _native.group_scores(self.scores, self.codes[column], count)
        return Side(scores, by_code(self.weights), [], by_code(self.numbers)), starts

    def sorted_with_slices(self, count: int) -> tuple[Array, Array, Array] | None:
        """All scores ascending, those of each slice of the first column, and where each slice begins.

        One sort serves both. None if scores differ in so many bits that words have no room for codes.
        """
        coded = _native.CodedScores(self.scores, self.codes[0], count)
        return None if coded.words is None else coded.part(sorted_values(coded.words))

    def sorted_slices(self, column: int, count: int) -> tuple[Array, Array]:
        """The scores of each slice of a column ascending, and where each slice begins."""
        return _native.group_scores(self.scores, self.codes[column], count, ascending=True)

    def code(self, column: int | None) -> Array:
        """The code of each row in a column of slices; 0 for all rows together (None)."""
        return np.zeros(len(self.scores), np.uint16) if column is None else self.codes[column]

    def take(self, rows: Any) -> Side:
        """Some rows, without their codes."""
        weights, numbers = (None if x is None else x[rows] for x in (self.weights, self.numbers))
        return Side(self.scores[rows], weights, [], numbers)


def _by_code(pos: tuple[Array, Array], neg: tuple[Array, Array]) -> Parts:
    """The rows of slices: of both classes the scores in the order of codes, and where each code begins."""
    for code, mine, others in _places(pos[1], neg[1]):
        yield code, Sorted(pos[0][mine], neg[0][others])


def _places(pos_at: Array, neg_at: Array) -> Iterator[tuple[int, slice, slice]]:
    """The codes that occur, with the places of their positives and of their negatives."""
    for code in np.flatnonzero(np.diff(pos_at) + np.diff(neg_at)).tolist():
        yield code, slice(pos_at[code], pos_at[code + 1]), slice(neg_at[code], neg_at[code + 1])


class Bucket(NamedTuple):
    """The next rows, in the order in which they came."""

    pos: Side
    neg: Side

    @property
    def rows(self) -> int:
        """How many they are."""
        return len(self.pos.scores) + len(self.neg.scores)

    def split(self, column: int | None, count: int) -> Iterator[tuple[int, Bucket]]:
        """The rows of each of the `count` slices of a column, by code; all rows together (None) have the code 0."""
        if column is None:
            yield 0, self
            return
        (pos, pos_at), (neg, neg_at) = (side.grouped(column, count) for side in self)
        for code, mine, others in _places(pos_at, neg_at):
            yield code, Bucket(pos.take(mine), neg.take(others))

    def parts(self, counts: Sequence[int]) -> Iterator[Parts]:
        """All rows in ascending order, then those of the slices of each column; counts: how many slices it has."""
        if self.pos.weights is not None:
            for column, count in zip((None, *range(len(counts))), (1, *counts), strict=True):
                yield ((code, bucket._sorted()) for code, bucket in self.split(column, count))
            return
        done = 0
        pos, neg = (side.sorted_with_slices(counts[0]) for side in self) if counts else (None, None)
        if pos is not None and neg is not None:
            yield [(0, Sorted(pos[0], neg[0]))]
            yield _by_code(pos[1:], neg[1:])
            done = 1
        else:
            yield [(0, self._sorted())]
        for column, count in enumerate(counts[done:], done):
            yield _by_code(*(side.sorted_slices(column, count) for side in self))

    def _sorted(self) -> Sorted:
        (pos, pos_weights, *_), (neg, neg_weights, *_) = self
        if pos_weights is None or neg_weights is None:
            return Sorted(sorted_values(pos), sorted_values(neg))
        other = np.repeat(np.array([0, 1], np.uint8), [len(pos), len(neg)])
        found = sorted_samples(np.concatenate((pos, neg)), other, 0, np.concatenate((pos_weights, neg_weights)))
        return Sorted(*found[:4])

    def in_order(self) -> Bucket:
        """The rows of each class in ascending order."""
        return Bucket(*(side.take(order_of(side.scores)) for side in self))


class TiedBucket(NamedTuple):
    """The next rows, which have one score.

    slices: by column of slices, those of each slice that occurs. blocks: reads the rows, some at a time: 0 for
    positives and 1 for negatives, and these rows.
    """

    all: Tied
    slices: list[dict[int, Tied]]
    blocks: Callable[[], Iterator[tuple[int, Side]]]

    @property
    def rows(self) -> int:
        """How many they are."""
        return self.all.positives + self.all.negatives

    def parts(self, counts: Sequence[int]) -> Iterator[Parts]:
        """All rows, then those of the slices of each column."""
        return (self.of(column) for column in (None, *range(len(counts))))

    def of(self, column: int | None) -> Parts:
        """Those of each slice of a column, or all rows (None)."""
        return [(0, self.all)] if column is None else self.slices[column].items()
