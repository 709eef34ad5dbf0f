"""Where the rows of a large file stand in the order of several score columns, brought together by row.

A walk over the buckets of a column knows the influence of each row, but meets the rows in the order of that column's
scores. Influences therefore go to disk once more, in ranges of rows, where those of all columns meet.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.evaluation.bucket import Bucket, Part, Side, Sorted, Tied, TiedBucket
from calipers.evaluation.bucket_walk import Totals
from calipers.evaluation.score_buckets import BLOCK
from calipers.files.temporary import room_for_spools
from calipers.statistics.sorting import sorted_values

Array = npt.NDArray[Any]
PER_ROW = 128  # bytes of memory for a row of a range and a column
RANGE = (1 << 10, 1 << 20)  # the least and the greatest number of rows in a range
MOST_RANGES = 1000


class Influences(NamedTuple):
    """Of some rows, on ROC AUC and on average precision, both up to a constant for each class."""

    area: Array
    precision: Array

    def repeated(self, counts: Array) -> Influences:
        """Each of them so many times."""
        return Influences(np.repeat(self.area, counts), np.repeat(self.precision, counts))


class Placing:
    """The influences of rows that come in ascending order, of so many positives and negatives.

    On ROC AUC DeLong's placements; on average precision what native/walk_blocks.hpp derives, times the positives over
    all rows. Sums of weights are kept in extended precision: what the highest scores weigh is a difference of two.
    """

    def __init__(self, totals: Totals) -> None:
        exact: Array = np.array(totals.rows)
        if totals.weights is not None:
            exact = totals.weights.astype(np.longdouble).sum(1)
        self._all, self._below = exact, np.zeros_like(exact)
        self._gain = self._pull = 0.0

    def next(self, pos: Side, neg: Side) -> tuple[Influences, Influences]:
        """The next rows, of each class in ascending order."""
        every = sorted_values(np.concatenate((pos.scores, neg.scores)))
        values = every[np.append(True, every[1:] != every[:-1])] if len(every) else every
        cuts = [np.append(np.searchsorted(side.scores, values), len(side.scores)) for side in (pos, neg)]
        of_pos, of_neg = self._groups(*(_sums(side.weights, cut) for side, cut in zip((pos, neg), cuts, strict=True)))
        return of_pos.repeated(np.diff(cuts[0])), of_neg.repeated(np.diff(cuts[1]))

    def next_tied(self, part: Tied) -> tuple[Influences, Influences]:
        """The next rows, which have one score: those of any positive and of any negative."""
        if part.weights is None:
            return self._groups(np.array([part.positives]), np.array([part.negatives]))
        return self._groups(*(np.array([powers[0]], np.longdouble) for powers in part.weights))

    def _groups(self, a: Array, b: Array) -> tuple[Influences, Influences]:
        """By group of rows with one score, whose positives and negatives weigh so much."""
        p, n = self._all
        i = self._below[0] + np.cumsum(a) - a
        j = self._below[1] + np.cumsum(b) - b
        self._below = self._below + np.array([a.sum(), b.sum()])
        tp, called = np.maximum(p - i, a), np.maximum((p - i) + (n - j), a + b)
        precision = tp / called
        gain = self._gain + np.cumsum(a * (1 - precision) / called)
        pull = self._pull + np.cumsum(a * precision / called)
        self._gain, self._pull = gain[-1], pull[-1]
        below, above = (2 * j + b) / (2 * (n or 1)), 1 - (2 * i + a) / (2 * (p or 1))
        plain = (x.astype(np.float64) for x in (below, precision + gain, above, -pull))
        return Influences(next(plain), next(plain)), Influences(next(plain), next(plain))


def _sums(weights: Array | None, cuts: Array) -> Array:
    """How many rows lie between neighbouring cuts, or what they weigh."""
    if weights is None:
        return np.diff(cuts)
    return np.diff(np.concatenate(([0], np.cumsum(weights, dtype=np.longdouble)))[cuts])


class Placed(NamedTuple):
    """A range of rows in their order: influences, which rows are positive, weights if any, and codes of slices."""

    influences: Influences
    positive: Array
    weights: Array | None
    codes: Array


class PlacedRows:
    """Influences on disk, in ranges of rows; of all rows together, or within each slice of a column.

    rows: how many there are. sharing: how many of these share the memory. totals: of each slice. column: that of the
    slices, None for all rows. whole: so many rows are in the same range.
    """

    def __init__(
        self,
        folder: str,
        memory: int,
        rows: int,
        sharing: int,
        totals: list[Totals],
        column: int | None = None,
        whole: int = 1,
    ) -> None:
        least, most = RANGE
        size = max(min(max(memory // (PER_ROW * sharing), least), most), -(-rows // MOST_RANGES))
        self.size = -(-size // whole) * whole
        self.ranges, self._rows, self._column = -(-rows // self.size), rows, column
        self._weighted = totals[0].weights is not None
        self._placings = [Placing(each) for each in totals]
        splitters = np.arange(1, self.ranges) * float(self.size) - 0.5  # no row is on one
        beside = ["<f8", "<f8", *["<f8"] * self._weighted, *["<u2"] * (column is not None)]
        block = memory // 8 // sharing // (2 * self.ranges * sum(int(kind[-1]) for kind in ("<f8", *beside)))
        with room_for_spools():
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by `close`
        self._spill = _native.Spill(self._file.fileno(), splitters, min(max(block, 64), BLOCK), beside)

    def close(self) -> None:
        """Give back the disk."""
        self._file.close()

    def place(self, bucket: Bucket | TiedBucket) -> Iterator[tuple[int, Part]]:
        """Add the rows of the next bucket; those of each slice in ascending order, by code."""
        if isinstance(bucket, TiedBucket):
            yield from self._place_tied(bucket)
            return
        for code, part in bucket.split(self._column, len(self._placings)):
            pos, neg = part.in_order()
            for other, (side, of) in enumerate(zip((pos, neg), self._placings[code].next(pos, neg), strict=True)):
                self._add(side, other, of, np.full(len(side.scores), code, np.uint16))
            yield code, Sorted(pos.scores, neg.scores, pos.weights, neg.weights)

    def _place_tied(self, bucket: TiedBucket) -> Iterator[tuple[int, Part]]:
        tables = np.zeros((2, 2, len(self._placings)))
        for code, part in bucket.of(self._column):
            assert isinstance(part, Tied)
            tables[:, :, code] = [[of.area[0], of.precision[0]] for of in self._placings[code].next_tied(part)]
            yield code, part
        for other, side in bucket.blocks():
            codes = side.code(self._column)
            self._add(side, other, Influences(*(table[codes] for table in tables[other])), codes)

    def _add(self, side: Side, other: int, of: Influences, codes: Array) -> None:
        """Add rows of a class (0: positives) by their numbers."""
        assert side.numbers is not None
        columns = [*of, *([] if side.weights is None else [side.weights]), *([] if self._column is None else [codes])]
        with room_for_spools():
            self._spill.add(side.numbers, np.full(len(codes), other, np.uint8), 0, columns)

    def read(self, at: int) -> Placed:
        """A range of rows."""
        first = at * self.size
        count = min(self.size, self._rows - first)
        found: list[Array] = [np.empty(count) for _ in range(2 + self._weighted)]
        positive, codes = np.zeros(count, bool), np.zeros(count, np.uint16)
        for other in (0, 1):
            with room_for_spools():
                numbers, *columns = self._spill.read(2 * at, other, 0, self._spill.blocks(2 * at, other))
            rows = numbers.astype(np.int64) - first
            for column, values in zip((*found, codes), columns, strict=False):
                column[rows] = values
            positive[rows] = other == 0
        return Placed(Influences(*found[:2]), positive, found[2] if self._weighted else None, codes)


def together(columns: list[PlacedRows], count: Callable[[int], object]) -> Iterator[list[Placed]]:
    """Each range of rows, in all columns; `count` gets how many rows each has."""
    for at in range(columns[0].ranges):
        placed = [column.read(at) for column in columns]
        yield placed
        count(len(placed[0].codes))
