"""One score column of a large file, a class against the rest: through buckets into sketches with exact walks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.data.batch import Batch
from calipers.evaluation.bucket_walk import BucketWalk, Totals
from calipers.evaluation.placed_rows import PlacedRows
from calipers.evaluation.score_buckets import ScoreBuckets
from calipers.statistics.sketch import ScoreSketch

Array = npt.NDArray[Any]


class SliceCodes(NamedTuple):
    """The codes of some rows in a column of slices, and how many slices there are so far."""

    codes: Array
    slices: int


class OneVsRest(NamedTuple):
    """Scores of some rows, the codes of their classes, and the code of the class that the scores are for; of several
    classes at once, those of a row come one after the other."""

    scores: Array
    codes: Array
    positive: int


class ScoreColumn:
    """The scores of a column, and how many rows of its class and of others each slice has.

    pick: finds the scores in a batch. numbered: whether buckets have the numbers of rows.
    """

    def __init__(
        self, pick: Callable[[Batch], OneVsRest], buckets: ScoreBuckets, slices: int, *, numbered: bool
    ) -> None:
        self._pick, self._numbered = pick, numbered
        self.buckets = buckets
        self._totals = [SliceTotals() for _ in range(1 + slices)]  # of all rows, then of the columns of slices

    def add(self, batch: Batch, slices: Sequence[SliceCodes], first: int) -> None:
        """Add rows; first: the number of the first of them."""
        scores, codes, positive = self._pick(batch)
        self.dtype, self.per_row = scores.dtype, len(scores) // len(batch)
        weights = None if batch.weights is None else self._repeated(batch.weights)
        every = [SliceCodes(self._repeated(own), count) for own, count in slices]
        whole = SliceCodes(np.zeros(len(scores), np.uint16), 1)
        for totals, own in zip(self._totals, (whole, *every), strict=True):
            totals.add(own, codes, positive, weights)
        beside = [] if weights is None else [weights]
        if self._numbered:
            beside.append(np.arange(first * self.per_row, first * self.per_row + len(scores), dtype=np.float64))
        self.buckets.add(scores, codes, positive, [*beside, *(each.codes for each in every)])

    def _repeated(self, column: Array) -> Array:
        return column if self.per_row == 1 else np.repeat(column, self.per_row)

    @property
    def totals(self) -> list[list[Totals]]:
        """Of all rows, then of the slices of each column."""
        return [each.of_slices() for each in self._totals]

    def places(self, folder: str, memory: int, rows: int, columns: int, stack: ExitStack) -> list[PlacedRows]:
        """Where so many rows find their places: among all rows, and within the slices of each column.

        columns: how many columns of scores share the memory. stack: closes them.
        """
        totals, found = self.totals, []
        for at, each in enumerate(totals):
            share, column = columns * len(totals), at - 1 if at else None
            found.append(PlacedRows(folder, memory, rows * self.per_row, share, each, column, self.per_row))
            stack.callback(found[-1].close)
        return found

    def walked(
        self,
        walk_of: Callable[[Totals, np.dtype[Any], Sequence[BucketWalk]], BucketWalk],
        placed: Sequence[PlacedRows] = (),
    ) -> Iterator[int]:
        """Walk over all buckets, so that `sketches` are known; yields how many rows each bucket has.

        placed: where rows find their places among all rows, and within the slices of each column.
        """
        (whole,), *totals = self.totals
        walks = [[walk_of(each, self.dtype, ()) for each in own] for own in totals]
        walks.insert(0, [walk_of(whole, self.dtype, walks[0] if walks else ())])
        counts = [len(own) for own in walks[1:]]
        for bucket in self.buckets:
            every = (each.place(bucket) for each in placed) if placed else bucket.parts(counts)
            for own, parts in zip(walks, every, strict=True):
                for code, part in parts:
                    own[code].add(part)
            yield bucket.rows
        self.buckets.close()
        self.sketches: list[list[ScoreSketch]] = [[walk.sketch() for walk in own] for own in walks]


class WeightSums:
    """What the positives and negatives of each slice weigh: sums, and what they lost by rounding."""

    def __init__(self) -> None:
        self._sums = np.zeros((0, 2, 2))

    def add(self, weights: Array, codes: Array, count: int) -> None:
        """Add rows of `count` slices; codes: twice that of the slice, and 1 more for negatives."""
        more = _native.weight_sums(weights, codes, 2 * count).reshape(count, 2, 2)
        before = np.concatenate((self._sums, np.zeros((count - len(self._sums), 2, 2))))
        a, b = before[..., 0], more[..., 0]
        total = a + b
        part = total - a
        lost = before[..., 1] + more[..., 1] + ((a - (total - part)) + (b - part))
        self._sums = np.stack((total, lost), -1)

    def of(self, code: int) -> Array | None:
        """Those of one slice; None where rows have no weights."""
        return self._sums[code] if len(self._sums) else None


class SliceTotals:
    """How many positives and negatives each slice has, and what they weigh."""

    def __init__(self) -> None:
        self._rows = np.zeros((0, 2), np.int64)
        self._sums = WeightSums()

    def add(self, slices: SliceCodes, codes: Array, positive: int, weights: Array | None) -> None:
        """Add rows, with the codes of their classes and that of the positives."""
        own, count = slices
        more = np.array([[pos := np.count_nonzero(codes == positive), len(codes) - pos]])
        if count > 1:
            more = _native.count_codes(own, codes, positive, count)
        more[: len(self._rows)] += self._rows
        self._rows = more
        if weights is not None:
            self._sums.add(weights, 2 * own + (codes != positive).astype(np.uint16), count)

    def of_slices(self) -> list[Totals]:
        """Those of each slice."""
        return [Totals((pos, neg), self._sums.of(code)) for code, (pos, neg) in enumerate(self._rows.tolist())]
