"""Where the rows of a large file stand in the order of each model's scores, brought together by row.

A walk over the buckets of a model knows the influence of each row, but meets the rows in the order of that model's
scores. Influences therefore go to disk once more, in ranges of rows, where those of all models meet.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.evaluation.score_buckets import BLOCK, Bucket, Sorted, TiedBucket
from calipers.files.temporary import room_for_spools

Array = npt.NDArray[Any]
PER_ROW = 128  # bytes of memory for a row of a range and a model
RANGE = (1 << 10, 1 << 20)  # the least and the greatest number of rows in a range
MOST_RANGES = 1000


class Influences(NamedTuple):
    """Of some rows, on ROC AUC and on average precision, both up to a constant for each class."""

    area: Array
    precision: Array


class Placing:
    """The influences of rows in ascending order of their scores, with the numbers of positives and negatives.

    On ROC AUC DeLong's placements; on average precision what native/walk_blocks.hpp derives, times the positives over
    all rows.
    """

    def __init__(self, positives: int, negatives: int) -> None:
        self._all = positives, negatives
        self._below = np.zeros(2, np.int64)
        self._gain = self._pull = 0.0

    def next(self, pos: Array, neg: Array) -> tuple[Influences, Influences]:
        """The next rows: two ascending samples."""
        values = np.unique(np.concatenate((pos, neg)))
        cuts = [np.append(np.searchsorted(side, values), len(side)) for side in (pos, neg)]
        counts = [np.diff(cut) for cut in cuts]
        of_pos, of_neg = self._groups(*counts)
        self._below += [len(pos), len(neg)]
        return Influences(*(np.repeat(x, counts[0]) for x in of_pos)), Influences(
            *(np.repeat(x, counts[1]) for x in of_neg)
        )

    def next_tied(self, positives: int, negatives: int) -> tuple[Influences, Influences]:
        """The next rows, which have one score: those of any positive and of any negative."""
        both = self._groups(np.array([positives]), np.array([negatives]))
        self._below += [positives, negatives]
        return both

    def _groups(self, a: Array, b: Array) -> tuple[Influences, Influences]:
        """By group of rows with one score, with so many positives and negatives."""
        p, n = self._all
        i = self._below[0] + np.cumsum(a) - a
        j = self._below[1] + np.cumsum(b) - b
        tp, called = p - i, (p - i) + (n - j)
        precision = tp / called
        gain = self._gain + np.cumsum(a * (1 - precision) / called)
        pull = self._pull + np.cumsum(a * precision / called)
        self._gain, self._pull = float(gain[-1]), float(pull[-1])
        with np.errstate(invalid="ignore", divide="ignore"):  # of one class
            below, above = (2 * j + b) / (2 * n), 1 - (2 * i + a) / (2 * p)
        return Influences(below, precision + gain), Influences(above, -pull)


class PlacedRows:
    """Influences on disk, in ranges of rows. rows: how many there are. models: how many share the memory."""

    def __init__(self, folder: str, memory: int, rows: int, models: int) -> None:
        least, most = RANGE
        self.size = max(min(max(memory // (PER_ROW * models), least), most), -(-rows // MOST_RANGES))
        self.ranges, self._rows = -(-rows // self.size), rows
        splitters = np.arange(1, self.ranges) * float(self.size) - 0.5  # between two rows
        block = memory // 8 // models // (2 * self.ranges * 3 * 8)
        with room_for_spools():
            self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by `close`
        self._spill = _native.Spill(self._file.fileno(), splitters, min(max(block, 64), BLOCK), ["<f8", "<f8"])

    def close(self) -> None:
        """Give back the disk."""
        self._file.close()

    def add(self, numbers: Array, other: int, of: Influences) -> None:
        """Add rows of a class (0: positives) by their numbers."""
        with room_for_spools():
            self._spill.add(numbers, np.full(len(numbers), other, np.uint8), 0, list(of))

    def add_bucket(self, bucket: Bucket | TiedBucket, placing: Placing) -> Sorted | None:
        """Add the rows of a bucket; in order, where they have more than one score."""
        if isinstance(bucket, TiedBucket):
            both = placing.next_tied(bucket.all.positives, bucket.all.negatives)
            for other, side in bucket.blocks():
                assert side.numbers is not None
                self.add(side.numbers, other, Influences(*(np.repeat(x, len(side.numbers)) for x in both[other])))
            return None
        orders = [np.argsort(side.scores, kind="stable") for side in bucket]
        pos, neg = (side.scores[order] for side, order in zip(bucket, orders, strict=True))
        for other, (side, order, of) in enumerate(zip(bucket, orders, placing.next(pos, neg), strict=True)):
            assert side.numbers is not None
            self.add(side.numbers[order], other, of)
        return Sorted(pos, neg)

    def read(self, at: int) -> tuple[Influences, Array]:
        """The influences of a range of rows, in the order of their numbers, and which of them are positive."""
        first = at * self.size
        count = min(self.size, self._rows - first)
        found, positive = Influences(np.empty(count), np.empty(count)), np.zeros(count, bool)
        for other in (0, 1):
            with room_for_spools():
                numbers, *columns = self._spill.read(2 * at, other, 0, self._spill.blocks(2 * at, other))
            rows = numbers.astype(np.int64) - first
            for column, values in zip(found, columns, strict=True):
                column[rows] = values
            positive[rows] = other == 0
        return found, positive


def together(models: list[PlacedRows]) -> Iterator[tuple[list[Influences], Array]]:
    """The influences on all models in each range of rows, and which rows are positive."""
    for at in range(models[0].ranges):
        read = [model.read(at) for model in models]
        yield [found for found, _ in read], read[0][1]
