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


class Tied(NamedTuple):
    """The next rows, which have one score."""

    score: float
    positives: int
    negatives: int


Part = Sorted | Tied
Pieces = list[tuple[int, Part]]  # parts of slices, by their codes


class Bucket(NamedTuple):
    """The next rows, in the order in which they came, with their codes in each column of slices."""

    pos: Array
    neg: Array
    pos_codes: list[Array]
    neg_codes: list[Array]

    @property
    def rows(self) -> int:
        """How many they are."""
        return len(self.pos) + len(self.neg)

    def whole(self) -> Part:
        """All of them."""
        return Sorted(np.sort(self.pos), np.sort(self.neg))

    def pieces(self, column: int, count: int) -> Pieces:
        """Those of each slice of a column that has `count` slices."""
        both = (self.pos, self.pos_codes[column]), (self.neg, self.neg_codes[column])
        (pos, pos_at), (neg, neg_at) = (_native.group_scores(*side, count) for side in both)
        pieces: Pieces = []
        for code in np.flatnonzero(np.diff(pos_at) + np.diff(neg_at)).tolist():
            mine, other = pos[pos_at[code] : pos_at[code + 1]], neg[neg_at[code] : neg_at[code + 1]]
            mine.sort()
            other.sort()
            pieces.append((code, Sorted(mine, other)))
        return pieces


class TiedBucket(NamedTuple):
    """The next rows, which have one score; counts: by column, the positives and negatives of each slice that occurs."""

    score: float
    positives: int
    negatives: int
    counts: list[dict[int, tuple[int, int]]]

    @property
    def rows(self) -> int:
        """How many they are."""
        return self.positives + self.negatives

    def whole(self) -> Part:
        """All of them."""
        return Tied(*self[:3])

    def pieces(self, column: int, count: int) -> Pieces:
        """Those of each slice of a column that has `count` slices."""
        return [(code, Tied(self.score, *both)) for code, both in self.counts[column].items()]


class ScoreBuckets:
    """The scores of two classes, taken a chunk at a time in any order and given back in ascending order.

    memory: bytes for buffers, and for a bucket in memory. rows: about how many there will be. columns: how many columns
    of slice codes go with the scores.
    """

    def __init__(self, folder: str, memory: int, rows: int, columns: int = 0) -> None:
        self._folder, self._memory, self._rows, self._columns = folder, memory, rows, columns
        self.bucket_rows = min(max(memory // (PER_ROW + 16 * columns), LEAST_ROWS), MOST_ROWS)
        self._spill: _native.Spill | None = None

    def add(self, scores: Array, codes: Array, positive: int, columns: list[Array]) -> None:
        """Add rows, none of whose scores is NaN."""
        if self._spill is None:
            self._open(self._split(scores))
        assert self._spill is not None
        with room_for_spools():
            self._spill.add(scores, codes, positive, columns)

    def _split(self, sample: Array) -> Array:
        """Scores that split rows like these into buckets of about the right size."""
        count = min(MOST_SPLITTERS, 1 + 3 * self._rows // (2 * self.bucket_rows))
        ordered = np.sort(sample) + sample.dtype.type(0)
        return np.unique(ordered[np.arange(1, count + 1) * len(ordered) // (count + 1)]) if len(ordered) else ordered

    def _open(self, splitters: Array) -> None:
        self._splitters = np.ascontiguousarray(splitters)
        bins = 2 * (len(splitters) + 1) * (2 if self._columns else 1)
        block = self._memory // 8 // (bins * (splitters.dtype.itemsize + 4 * self._columns))
        with room_for_spools():
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - closed by `close`
        beside = ["<u4"] * self._columns
        self._spill = _native.Spill(self._file.fileno(), self._splitters, min(max(block, 64), BLOCK), beside)

    @property
    def totals(self) -> tuple[int, int]:
        """How many positives and negatives there are."""
        if self._spill is None:
            return 0, 0
        pos, neg = self._spill.counts().sum(0).tolist()
        return pos, neg

    def close(self) -> None:
        """Give back the disk."""
        if self._spill is not None:
            self._file.close()
            self._spill = None

    def __iter__(self) -> Iterator[Bucket | TiedBucket]:
        if self._spill is None:
            return
        for bucket, (positives, negatives) in enumerate(self._spill.counts().tolist()):
            if not positives + negatives:
                continue
            if bucket % 2:
                yield self._tied(bucket, positives, negatives)
            elif positives + negatives > 4 * self.bucket_rows:
                yield from self._again(bucket, positives + negatives)
            else:
                (pos, *pos_codes), (neg, *neg_codes) = (self._read(bucket, other) for other in (0, 1))
                yield Bucket(pos, neg, pos_codes, neg_codes)

    def _read(self, bucket: int, other: int, begin: int = 0, end: int | None = None) -> list[Array]:
        assert self._spill is not None
        last = self._spill.blocks(bucket, other) if end is None else end
        with room_for_spools():
            return self._spill.read(bucket, other, begin, last)

    def _tied(self, bucket: int, positives: int, negatives: int) -> TiedBucket:
        """Rows with one score, of which there may be more than fit into memory."""
        counts: list[dict[int, list[int]]] = [{} for _ in range(self._columns)]
        for other, at in self._blocks(bucket) if self._columns else ():
            for column, codes in enumerate(self._read(bucket, other, at, at + 1)[1:]):
                found = np.bincount(codes)
                for code in np.flatnonzero(found).tolist():
                    counts[column].setdefault(code, [0, 0])[other] += int(found[code])
        score = float(self._splitters[bucket // 2])
        known = [{code: (pos, neg) for code, (pos, neg) in each.items()} for each in counts]
        return TiedBucket(score, positives, negatives, known)

    def _blocks(self, bucket: int) -> list[tuple[int, int]]:
        assert self._spill is not None
        return [(other, at) for other in (0, 1) for at in range(self._spill.blocks(bucket, other))]

    def _again(self, bucket: int, rows: int) -> Iterator[Bucket | TiedBucket]:
        """The rows of a bucket that is too large: the first chunk said little about the others."""
        blocks = self._blocks(bucket)
        chosen = blocks[:: max(1, len(blocks) // SAMPLED)]
        smaller = ScoreBuckets(self._folder, self._memory, rows, self._columns)
        smaller._open(smaller._split(np.concatenate([self._read(bucket, o, at, at + 1)[0] for o, at in chosen])))
        try:
            for other, at in blocks:
                scores, *columns = self._read(bucket, other, at, at + 1)
                smaller.add(scores, np.full(len(scores), other, np.uint8), 0, columns)
            yield from smaller
        finally:
            smaller.close()
