"""The rows of a large file on their way into statistics: what is counted at once, and scores through buckets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from calipers import _native
from calipers.data.batch import Array, Batch
from calipers.data.schema import Schema
from calipers.errors import InputError
from calipers.evaluation.bucket_walk import BucketWalk, Totals
from calipers.evaluation.file_chunks import FileChunks, NotThisWay
from calipers.evaluation.score_buckets import ScoreBuckets
from calipers.files.table import Columns
from calipers.metrics import plan
from calipers.remarks import Remark
from calipers.settings import Label
from calipers.statistics.combine import Evidence, Recipe
from calipers.statistics.scores import ScoreSamples
from calipers.statistics.sketch import BUDGET

CELLS = (1 << 12, BUDGET)
PER_CELL = 1024  # bytes of memory for a cell of a sketch, while it is made and read
MOST_SLICES = 1000  # slices of a column: each has its own pass
SCORES = ScoreSamples.__name__


@dataclass
class LargePass(FileChunks):
    """The rows of a file on their way into statistics."""

    schema: Schema
    buckets: ScoreBuckets | None = None

    def run(self) -> None:
        """Read all rows."""
        super().run()
        if not self.counts_rows:
            raise InputError("data.all_rows_missing" if self.dropped else "data.all_weights_zero")

    def begin(self) -> None:
        """Forget what was taken."""
        self.close()
        self.buckets = None
        self.counts_rows = False
        self.counted = Evidence.empty()
        self.sums = WeightSums()
        self.slices = {name: Slices() for name in self.rows.slices}

    def close(self) -> None:
        """Remove what is on disk."""
        if self.buckets is not None:
            self.buckets.close()

    def take(self, cells: Columns) -> None:
        """Add the rows of a chunk."""
        batch = self.batch(replace(self.rows, cells=cells), self.schema)
        if batch is not None and self.trouble is None:
            self._measure(batch)

    def _measure(self, batch: Batch) -> None:
        self.counts_rows = True
        recipes = dict(plan.everything(batch))
        recipes.pop(SCORES, None)  # which the walk over the buckets makes
        other = (batch.truth != batch.positive).astype(np.uint32)
        columns = [of.add(batch, name, other, recipes) for name, of in self.slices.items()]
        self.counted = self.counted.merge(Evidence.of(batch, recipes))
        if batch.score is not None:
            self._spill(batch, other, columns)

    def _spill(self, batch: Batch, other: Array, columns: list[Array]) -> None:
        """Add the scores of a chunk to the buckets; columns: the codes of slices."""
        assert batch.score is not None
        assert batch.positive is not None
        if self.buckets is None:
            rows = max(self.table.expected(), len(batch))
            self.dtype = batch.score.dtype
            weighted = batch.weights is not None
            self.buckets = ScoreBuckets(self.folder, self.memory, rows, len(self.slices), weighted=weighted)
        if batch.weights is not None:
            self.sums.add(batch.weights, other, 1)
            columns.insert(0, batch.weights)
        self.buckets.add(batch.score, batch.truth, batch.positive, columns)

    def walked(self) -> tuple[Evidence, dict[str, dict[Label, Evidence]]]:
        """The statistics of all rows, and of the slices of each column."""
        if self.buckets is None:  # labels alone
            return self.counted, {name: of.evidence([]) for name, of in self.slices.items()}
        rows, done = self.buckets.totals, 0
        walk = self._walk(Totals(rows, self.sums.of(0)))
        walks = [[self._walk(each) for each in of.totals()] for of in self.slices.values()]
        for bucket in self.buckets:
            walk.add(bucket.whole())
            for column, parts in enumerate(walks):
                for code, piece in bucket.pieces(column, len(parts)):
                    parts[code].add(piece)
            done += bucket.rows
            self.table.watch("sorted rows", done, sum(rows))
        slices = {
            name: of.evidence(parts) for (name, of), parts in zip(self.slices.items(), walks, strict=True)
        }
        return Evidence({**self.counted.parts, SCORES: walk.sketch()}), slices

    def _walk(self, totals: Totals) -> BucketWalk:
        """A walk over all rows or those of a slice, with their share of the cells."""
        least, most = CELLS
        count = 1 + sum(len(of.codes) for of in self.slices.values())
        own = self.schema.threshold
        budget = min(max(self.memory // PER_CELL // count, least), most)
        return BucketWalk(totals, self.dtype, (own,) if isinstance(own, float) else (), budget)


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


class Slices:
    """The slices of a column: their codes in the order in which they came, and what is counted of each."""

    def __init__(self) -> None:
        self.codes: dict[Label, int] = {}
        self._rows: list[tuple[int, int]] = []
        self._sums = WeightSums()
        self.counted: list[Evidence] = []

    def totals(self) -> list[Totals]:
        """How many rows each slice has, and what they weigh."""
        return [Totals(rows, self._sums.of(code)) for code, rows in enumerate(self._rows)]

    def add(self, batch: Batch, name: str, other: Array, recipes: Mapping[str, Recipe]) -> Array:
        """Count the rows of a chunk; the codes of its rows."""
        own, values = batch.slices[name]
        table = np.array([self.codes.setdefault(value, len(self.codes)) for value in values], np.uint32)
        if len(self.codes) > MOST_SLICES:
            raise NotThisWay(Remark("evaluation.large_slices", name=name, most=MOST_SLICES))
        codes = table[own]
        both = 2 * codes + other
        sides = np.bincount(both, minlength=2 * len(self.codes)).reshape(-1, 2)
        before = [*self._rows, *[(0, 0)] * (len(self.codes) - len(self._rows))]
        self._rows = [(a + int(p), b + int(n)) for (a, b), (p, n) in zip(before, sides, strict=True)]
        if batch.weights is not None:
            self._sums.add(batch.weights, both, len(self.codes))
        self.counted += [Evidence.empty()] * (len(self.codes) - len(self.counted))
        for value, rows in batch.parts(name) if recipes else ():
            at = self.codes[value]
            self.counted[at] = self.counted[at].merge(Evidence.of(rows, recipes))
        return codes

    def evidence(self, walks: list[BucketWalk]) -> dict[Label, Evidence]:
        """The statistics of each slice, values in order; walks: those of scores, where there are some."""
        order = sorted(self.codes, key=lambda value: (isinstance(value, str), value))
        scores = [{SCORES: walk.sketch()} for walk in walks] or [{} for _ in order]
        both = ((value, self.codes[value]) for value in order)
        return {value: Evidence({**self.counted[at].parts, **scores[at]}) for value, at in both}
