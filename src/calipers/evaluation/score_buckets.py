"""Scores that do not fit into memory: sorted through buckets on disk, each of which fits."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.evaluation.bucket import Bucket, Side, Tied, TiedBucket
from calipers.files.temporary import room_for_spools

Array = npt.NDArray[Any]
PER_ROW = 128  # bytes of memory for a row of a bucket that is being sorted and measured
MOST_ROWS = 1 << 20  # larger buckets are sorted no faster
LEAST_ROWS = 1 << 10
MOST_SPLITTERS = 1023
BLOCK = 1 << 14  # rows that are written at once, if the memory allows it
SAMPLED = 64  # blocks that are sampled to split a bucket again


class ScoreBuckets:
    """The scores of two classes, taken a chunk at a time in any order and given back in ascending order.

    memory: bytes for buffers, and for a bucket in memory. rows: about how many there will be. columns: how many columns
    of slice codes go with the scores. weighted, numbered: whether weights and the numbers of rows do.
    """

    def __init__(
        self,
        folder: str,
        memory: int,
        rows: int,
        columns: int = 0,
        *,
        weighted: bool = False,
        numbered: bool = False,
    ) -> None:
        self._folder, self._memory, self._rows, self._columns = folder, memory, rows, columns
        self._weighted, self._numbered = weighted, numbered
        per_row = PER_ROW + 16 * columns + 64 * (weighted + numbered)
        self.bucket_rows = min(max(memory // per_row, LEAST_ROWS), MOST_ROWS)
        self._spill: _native.Spill | None = None

    def add(self, scores: Array, codes: Array, positive: int, columns: list[Array]) -> None:
        """Add rows, none of whose scores is NaN; columns: weights and numbers, if asked for, then codes of slices."""
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
        beside = [*["<f8"] * (self._weighted + self._numbered), *["<u2"] * self._columns]
        bins = 2 * (len(splitters) + 1) * (2 if beside else 1)
        block = self._memory // 8 // (bins * (splitters.dtype.itemsize + sum(int(kind[-1]) for kind in beside)))
        with room_for_spools():
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - closed by `close`
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
                yield Bucket(*(self._side(self._read(bucket, other)) for other in (0, 1)))

    def _read(self, bucket: int, other: int, begin: int = 0, end: int | None = None) -> list[Array]:
        assert self._spill is not None
        last = self._spill.blocks(bucket, other) if end is None else end
        with room_for_spools():
            return self._spill.read(bucket, other, begin, last)

    def _side(self, columns: list[Array]) -> Side:
        scores, *beside = columns
        weights = beside.pop(0) if self._weighted else None
        return Side(scores, weights, beside[self._numbered :], beside[0] if self._numbered else None)

    def _tied(self, bucket: int, positives: int, negatives: int) -> TiedBucket:
        """Rows with one score, of which there may be more than fit into memory."""
        score = float(self._splitters[bucket // 2])

        def blocks() -> Iterator[tuple[int, Side]]:
            for other, at in self._blocks(bucket):
                yield other, self._side(self._read(bucket, other, at, at + 1))

        if not self._weighted and not self._columns:
            return TiedBucket(Tied(score, positives, negatives), [], blocks)
        tables: list[dict[int, Array]] = [{} for _ in range(1 + self._columns)]
        for other, side in blocks():
            w = np.ones(len(side.scores)) if side.weights is None else side.weights
            for table, codes in zip(tables, (np.zeros(len(w), np.uint16), *side.codes), strict=True):
                found = np.stack([np.bincount(codes, each) for each in (w**0, w, w**2, w**4)], 1)
                for code in np.flatnonzero(found[:, 0]).tolist():
                    table.setdefault(code, np.zeros((2, 4)))[other] += found[code]

        def tied(sums: Array) -> Tied:
            (positives, *pos), (negatives, *neg) = sums.tolist()
            weights = (tuple(pos), tuple(neg)) if self._weighted else None
            return Tied(score, int(positives), int(negatives), weights)

        whole, *parts = ({code: tied(sums) for code, sums in table.items()} for table in tables)
        return TiedBucket(whole[0], parts, blocks)

    def _blocks(self, bucket: int) -> list[tuple[int, int]]:
        assert self._spill is not None
        return [(other, at) for other in (0, 1) for at in range(self._spill.blocks(bucket, other))]

    def _again(self, bucket: int, rows: int) -> Iterator[Bucket | TiedBucket]:
        """The rows of a bucket that is too large: the first chunk said little about the others."""
        blocks = self._blocks(bucket)
        chosen = blocks[:: max(1, len(blocks) // SAMPLED)]
        kinds = {"weighted": self._weighted, "numbered": self._numbered}
        smaller = ScoreBuckets(self._folder, self._memory, rows, self._columns, **kinds)
        smaller._open(smaller._split(np.concatenate([self._read(bucket, o, at, at + 1)[0] for o, at in chosen])))
        try:
            for other, at in blocks:
                scores, *columns = self._read(bucket, other, at, at + 1)
                smaller.add(scores, np.full(len(scores), other, np.uint8), 0, columns)
            yield from smaller
        finally:
            smaller.close()
