"""The rows of a large file on their way into statistics: what is counted at once, and scores through buckets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from calipers import _native
from calipers.data.batch import Array, Batch, Scan
from calipers.data.containers import numbers
from calipers.data.matrices import why_not_probabilities
from calipers.data.schema import Schema
from calipers.errors import InputError
from calipers.evaluation.bucket_walk import BucketWalk, Totals
from calipers.evaluation.class_influences import InfluenceSums
from calipers.evaluation.file_chunks import FileChunks
from calipers.evaluation.large_slices import LEAST_CELLS, Parts, Slices, merged
from calipers.evaluation.of_batch import listed_in
from calipers.evaluation.placed_rows import together
from calipers.evaluation.score_buckets import ScoreBuckets
from calipers.evaluation.score_column import OneVsRest, ScoreColumn
from calipers.files.table import Columns
from calipers.metrics import plan
from calipers.settings import Label
from calipers.statistics.class_sketches import ClassSketches
from calipers.statistics.classes import ClassScores
from calipers.statistics.combine import Evidence
from calipers.statistics.rows import Rows
from calipers.statistics.scores import TOP, ScoreSamples
from calipers.statistics.sketch import BUDGET, ScoreSketch

CELLS = (LEAST_CELLS, BUDGET)
FEW_SHARE = 4  # the rows of slices with few rows may take 1/4 of the memory
PER_CELL = 1024  # bytes of memory for a cell of a sketch, while it is made and read
MOST_SLICES = 1000  # of a column: each has a walk of its own for each score column
SCORES, CLASSES = ScoreSamples.__name__, ClassScores.__name__
WALKED = (SCORES, TOP, CLASSES)  # statistics that walks over buckets make


@dataclass
class LargePass(FileChunks):
    """The rows of a file on their way into statistics."""

    schema: Schema

    def run(self) -> None:
        """Read all rows."""
        super().run()
        if not self.kept:
            raise InputError("data.all_rows_missing" if self.dropped else "data.all_weights_zero")

    def begin(self) -> None:
        """Forget what was taken."""
        self.close()
        self.columns: dict[str, list[ScoreColumn]] = {}  # by the statistic that they make
        self.kept = 0
        self.scan: WorstScan | None = None
        self.counted = Evidence.empty()
        room = self.memory // FEW_SHARE // max(1, len(self.rows.slices))
        self.slices = {name: Slices(room) for name in self.rows.slices}

    def close(self) -> None:
        """Remove what is on disk."""
        for columns in getattr(self, "columns", {}).values():
            for column in columns:
                column.buckets.close()

    def take(self, cells: Columns) -> None:
        """Add the rows of a chunk."""
        batch = self.batch(replace(self.rows, cells=cells), self.schema)
        if batch is not None and self.trouble is None:
            if self.schema.why_not_probabilities:
                self.scan = WorstScan.of(self._matrix(cells, batch), self.kept).joined(self.scan)
            self._measure(batch)

    def _matrix(self, cells: Columns, batch: Batch) -> Array:
        """The score columns of the rows of a batch as they are in the file."""
        columns = [numbers(cells["number", name], name) for name in self.rows.chosen.scores]
        matrix = np.stack(columns, 1)
        return matrix if batch.kept is None else matrix[batch.kept]

    def _measure(self, batch: Batch) -> None:
        recipes = dict(plan.of_many(batch))
        if batch.weights is not None and batch.facts.of_numbers:
            recipes[Rows.__name__] = lambda _: ScoreSketch.empty()  # a summary of errors counts rows
        walked = [name for name in WALKED if recipes.pop(name, None) is not None]
        if not self.columns and batch.score is not None and not batch.facts.of_numbers:
            self._open(batch, walked)
        codes = [of.add(batch, name, recipes, self._most_slices) for name, of in self.slices.items()]
        if not self.slices:  # else all rows are those of the slices of a column together
            self.counted = merged(self.counted, batch, recipes)
        for columns in self.columns.values():
            for column in columns:
                column.add(batch, codes, self.kept)
        self.kept += len(batch)

    def _open(self, batch: Batch, walked: list[str]) -> None:
        """Make the columns of scores, each with its share of the memory."""
        picks = {name: own for name in walked if (own := list(_picks(name, batch)))}
        if CLASSES in picks and self._pools:
            picks[CLASSES].append(_of_all)
        count, rows = max(1, sum(map(len, picks.values()))), max(self.table.expected(), len(batch))
        for name, own in picks.items():
            kinds = {"weighted": batch.weights is not None, "numbered": name == CLASSES}
            self.columns[name] = [
                ScoreColumn(
                    pick, ScoreBuckets(self.folder, self.memory // count, rows, len(self.slices), **kinds),
                    len(self.slices), numbered=name == CLASSES,
                )
                for pick in own
            ]  # fmt: skip

    @property
    def _pools(self) -> bool:
        """Whether a micro average of scores was asked for: it needs a walk over the scores of all classes at once."""
        return any(m.average == "micro" and m.metric.walked for m in listed_in(self.settings, self.schema))

    @property
    def _walk_count(self) -> int:
        """How many columns of scores have a walk."""
        return sum(map(len, self.columns.values()))

    @property
    def _most_slices(self) -> int:
        return MOST_SLICES // max(1, self._walk_count)

    def walked(self) -> tuple[Evidence, dict[str, dict[Label, Evidence]]]:
        """The statistics of all rows, and of the slices of each column."""
        found: list[Parts] = [
            [{} for _ in range(count)] for count in (1, *(len(of.codes) for of in self.slices.values()))
        ]
        entries = sum(column.per_row for columns in self.columns.values() for column in columns)
        count = self.counter("sorted rows", self.kept * entries)
        for name, columns in self.columns.items():
            for rows in self._walk(columns, found, name):
                count(rows)
        if self.slices:
            self.counted = reduce(Evidence.merge, next(iter(self.slices.values())).counted)
        whole, *slices = found
        both = zip(self.slices.items(), slices, strict=True)
        return Evidence({**self.counted.parts, **whole[0]}), {name: of.evidence(parts) for (name, of), parts in both}

    def _walk(self, columns: list[ScoreColumn], found: list[Parts], name: str) -> Iterator[int]:
        """Walk over columns, and add the statistic that they make of all rows and of slices."""
        if name != CLASSES:
            (column,) = columns
            yield from column.walked(self._walk_of)
            for parts, sketches in zip(found, column.sketches, strict=True):
                for part, sketch in zip(parts, sketches, strict=True):
                    part[name] = sketch
            return
        with ExitStack() as stack:
            placed = [column.places(self.folder, self.memory, self.kept, len(columns), stack) for column in columns]
            for column, own in zip(columns, placed, strict=True):
                yield from column.walked(self._walk_of, own)
            classes = len(self.schema.labels)
            count = self.counter("joined rows", self.kept * len(found) * (1 + len(columns) - classes))
            for at, parts in enumerate(found):
                of_columns = [column.sketches[at] for column in columns]
                totals, ranges = [column.totals[at] for column in columns], [own[at] for own in placed]
                sums = InfluenceSums(of_columns[:classes], totals[:classes]).of(together(ranges[:classes], count))
                pooled: list[dict[str, Array]] = []
                if len(columns) > classes:
                    pool = InfluenceSums(of_columns[classes:], totals[classes:])
                    pooled = pool.of(together(ranges[classes:], lambda rows: count(rows // classes)), classes)
                for code, part in enumerate(parts):
                    each = tuple(sketches[code] for sketches in of_columns)
                    every = [sums[code], *pooled[code : code + 1]]
                    influences = {measure: np.concatenate([own[measure] for own in every]) for measure in sums[code]}
                    walked = each[classes] if pooled else None
                    part[name] = ClassSketches(self.schema.labels, each[:classes], influences, walked)

    def _walk_of(self, totals: Totals, dtype: np.dtype[Any], slices: Sequence[BucketWalk]) -> BucketWalk:
        """A walk over all rows, which slices are parts of, or over a slice, with its share of the cells."""
        least, most = CELLS
        count = self._walk_count * (1 + sum(len(of.codes) for of in self.slices.values()))
        own = self.schema.threshold
        budget = min(max(self.memory // PER_CELL // count, least), most)
        return BucketWalk(totals, dtype, (own,) if isinstance(own, float) else (), budget, slices)


class WorstScan(NamedTuple):
    """What keeps score columns from being probabilities: what a scan found, and the row that sums worst."""

    scan: Scan
    worst: Array

    @classmethod
    def of(cls, matrix: Array, first: int) -> WorstScan:
        """Of some rows; first: the number of the first of them."""
        scan = Scan(*_native.scan_rows(matrix, None))
        return cls(scan._replace(worst_row=first + scan.worst_row), matrix[scan.worst_row])

    def joined(self, before: WorstScan | None) -> WorstScan:
        """With what was found of the rows before."""
        if before is None:
            return self
        a, b = before.scan, self.scan
        later = abs(b.worst_sum - 1) > abs(a.worst_sum - 1)
        scan = (b if later else a)._replace(low=min(a.low, b.low), high=max(a.high, b.high))
        return WorstScan(scan, self.worst if later else before.worst)

    @property
    def why(self) -> str:
        """Why they are none."""
        return why_not_probabilities(self.scan, self.worst)


def _picks(name: str, batch: Batch) -> Iterator[Any]:
    """What finds the scores of each column behind a statistic in a batch."""
    if name != CLASSES:
        yield of_positive if name == SCORES else _of_top
    elif not batch.why_not_probabilities or len(batch.labels) == 2:  # scores of more classes that are none say nothing
        yield from (partial(_of_class, k) for k in range(len(batch.labels)))


def of_positive(batch: Batch) -> OneVsRest:
    """The scores of the positive class."""
    assert batch.score is not None
    assert batch.positive is not None
    return OneVsRest(batch.score, batch.truth, batch.positive)


def _of_class(k: int, batch: Batch) -> OneVsRest:
    assert batch.score is not None
    return OneVsRest(np.ascontiguousarray(batch.score[:, k]), batch.truth, k)


def _of_all(batch: Batch) -> OneVsRest:
    """Every (row, class) pair as one binary decision."""
    assert batch.score is not None
    is_true = np.equal.outer(batch.truth, np.arange(len(batch.labels)))
    return OneVsRest(np.ascontiguousarray(batch.score).reshape(-1), is_true.reshape(-1).astype(np.uint8), 1)


def _of_top(batch: Batch) -> OneVsRest:
    assert batch.score is not None
    assert batch.scan is not None
    top = batch.scan.top
    return OneVsRest(batch.score[np.arange(len(batch)), top], (top == batch.truth).astype(np.uint8), 1)
