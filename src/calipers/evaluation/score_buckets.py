"""Scores that do not fit into memory: sorted through buckets on disk, each of which fits."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.files.temporary import room_for_spools

Array = npt.NDArray[Any]
PER_ROW = 128  # bytes of memory for a row of a bucket that is being sorted and measured
MOST_ROWS = 1 << 20  # larger buckets are sorted no faster
LEAST_ROWS = 1 << 10
MOST_SPLITTERS = 1023
BLOCK = 1 << 14  # rows that are written at once, if the memory allows it
SAMPLED = 64  # blocks that say how to split a bucket again


class Sorted(NamedTuple):
    """The next rows: two ascending samples."""

    pos: Array
    neg: Array

    @property
    def rows(self) -> int:
        """How many they are."""
        return len(self.pos) + len(self.neg)


class Tied(NamedTuple):
    """The next rows, which have one score."""

    score: float
    positives: int
    negatives: int

    @property
    def rows(self) -> int:
        """How many they are."""
        return self.positives + self.negatives


class ScoreBuckets:
    """The scores of two classes, taken a chunk at a time in any order and given back in ascending order.

    memory: bytes for buffers, and for a bucket in memory. rows: about how many there will be.
    """

    def __init__(self, folder: str, memory: int, rows: int, splitters: Array | None = None) -> None:
        self._folder, self._memory, self._rows = folder, memory, rows
        self.bucket_rows = min(max(memory // PER_ROW, LEAST_ROWS), MOST_ROWS)
        self._spill: _native.Spill | None = None
        if splitters is not None:
            self._open(splitters)

    def add(self, scores: Array, codes: Array, positive: int) -> tuple[int, int]:
        """Add rows; how many of their scores are NaN, and which is the first."""
        if self._spill is None:
            self._open(self._split(scores[~np.isnan(scores)]))
        assert self._spill is not None
        with room_for_spools():
            return self._spill.add(scores, codes, positive, [])

    def _split(self, sample: Array) -> Array:
        """Scores that split rows like these into buckets of about the right size."""
        count = min(MOST_SPLITTERS, 1 + 3 * self._rows // (2 * self.bucket_rows))
        ordered = np.sort(sample) + sample.dtype.type(0)
        return np.unique(ordered[np.arange(1, count + 1) * len(ordered) // (count + 1)]) if len(ordered) else ordered

    def _open(self, splitters: Array) -> None:
        self._splitters = np.ascontiguousarray(splitters)
        size = 2 * (len(splitters) + 1) * splitters.dtype.itemsize
        block = min(max(self._memory // 8 // size, 64), BLOCK)
        with room_for_spools():
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - closed by `close`
        self._spill = _native.Spill(self._file.fileno(), self._splitters, block, [])

    @property
    def totals(self) -> tuple[int, int]:
        """How many positives and negatives there are."""
        if self._spill is None:
            return 0, 0
        pos, neg = self._spill.counts().sum(0).tolist()
        return pos, neg

    @property
    def spilled(self) -> int:
        """Bytes on disk."""
        return 0 if self._spill is None else self._spill.bytes

    def close(self) -> None:
        """Give back the disk."""
        if self._spill is not None:
            self._file.close()
            self._spill = None

    def __iter__(self) -> Iterator[Sorted | Tied]:
        if self._spill is None:
            return
        for bucket, (positives, negatives) in enumerate(self._spill.counts().tolist()):
            if bucket % 2:
                yield Tied(float(self._splitters[bucket // 2]), positives, negatives)
            elif positives + negatives > 4 * self.bucket_rows:
                yield from self._again(bucket, positives + negatives)
            elif positives + negatives:
                yield Sorted(*(self._sorted(bucket, other) for other in (0, 1)))

    def _read(self, bucket: int, other: int, begin: int, end: int) -> Array:
        assert self._spill is not None
        with room_for_spools():
            return self._spill.read(bucket, other, begin, end)[0]

    def _sorted(self, bucket: int, other: int) -> Array:
        assert self._spill is not None
        values = self._read(bucket, other, 0, self._spill.blocks(bucket, other))
        values.sort()
        return values

    def _again(self, bucket: int, rows: int) -> Iterator[Sorted | Tied]:
        """The rows of a bucket that is too large: the first chunk said little about the others."""
        assert self._spill is not None
        blocks = [(other, at) for other in (0, 1) for at in range(self._spill.blocks(bucket, other))]
        chosen = blocks[:: max(1, len(blocks) // SAMPLED)]
        smaller = ScoreBuckets(self._folder, self._memory, rows)
        smaller._open(smaller._split(np.concatenate([self._read(bucket, o, at, at + 1) for o, at in chosen])))
        try:
            for other, at in blocks:
                scores = self._read(bucket, other, at, at + 1)
                smaller.add(scores, np.full(len(scores), other, np.uint8), 0)
            yield from smaller
        finally:
            smaller.close()


