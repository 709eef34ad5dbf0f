"""The rows of a large file on their way into statistics: what is counted at once, and scores through buckets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calipers.data.batch import Array, Batch
from calipers.data.reading import read
from calipers.data.schema import Schema
from calipers.errors import InputError, not_a_number
from calipers.evaluation.bucket_walk import BucketWalk
from calipers.evaluation.file_rows import FileRows
from calipers.evaluation.score_buckets import ScoreBuckets
from calipers.files.table import Columns, Table
from calipers.metrics import plan
from calipers.remarks import Remark
from calipers.settings import Label, Settings
from calipers.statistics.combine import Evidence, Recipe
from calipers.statistics.scores import ScoreSamples
from calipers.statistics.sketch import BUDGET

PER_CHUNK_ROW = 200  # bytes of memory for a row while its chunk is read
CHUNK_ROWS = (1 << 12, 1 << 20)
CELLS = (1 << 12, BUDGET)
PER_CELL = 1024  # bytes of memory for a cell of a sketch, while it is made and read
MOST_SLICES = 1000  # of a column: each has a walk of its own
MEANING = ("positive", "labels", "threshold", "task")  # options that a schema replaces
SCORES = ScoreSamples.__name__


class NotThisWay(Exception):
    """The rows of a file cannot be evaluated out of memory; the remark says why."""

    def __init__(self, why: Remark) -> None:
        super().__init__(why)
        self.why = why


def _refuse_nan(batch: Batch) -> None:
    assert batch.score is not None
    undefined = np.isnan(batch.score)
    if undefined.any():
        first = int(undefined.argmax())
        row = first if batch.kept is None else int(batch.kept[first])
        raise not_a_number(int(undefined.sum()), row, batch.names.score)


def codes_of(column: Any) -> Any:
    """The array of a column, as long as its rows."""
    return getattr(column, "codes", getattr(column, "array", column))


@dataclass
class LargePass:
    """The rows of a file on their way into statistics."""

    table: Table
    rows: FileRows
    memory: int
    settings: Settings
    schema: Schema
    folder: str
    buckets: ScoreBuckets | None = None

    def run(self) -> None:
        """Read all rows."""
        chosen = self.rows.chosen
        labels = [name for name in (chosen.truth, chosen.pred) if name is not None]
        least, most = CHUNK_ROWS
        size = min(max(self.memory // PER_CHUNK_ROW, least), most)
        self.table.read_chunks(labels, list(chosen.scores), self.rows.slices, size, self._start)
        if self.trouble is not None:
            raise self.trouble
        if self.buckets is None:
            raise InputError("data.all_rows_missing")

    def _start(self) -> Callable[[Columns], None]:
        """Begin, or begin again."""
        self.close()
        self.buckets = None
        self.counted = Evidence.empty()
        self.slices = {name: Slices() for name in self.rows.slices}
        self.seen = self.dropped = 0
        self.trouble: InputError | None = None
        return self._add

    def close(self) -> None:
        """Remove what is on disk."""
        if self.buckets is not None:
            self.buckets.close()

    def _add(self, cells: Columns) -> None:
        count = len(codes_of(cells["label", self.rows.chosen.truth]))
        try:
            batch = self._batch(cells)
            if batch is not None:
                _refuse_nan(batch)
                if self.trouble is None:
                    self._measure(batch)
        except InputError as error:
            self._note(error, count)
        self.seen += count

    def _batch(self, cells: Columns) -> Batch | None:
        """The rows of a chunk; None where all of them lack something and may."""
        options = {name: getattr(self.settings, name) for name in Settings.__dataclass_fields__}
        rows = replace(self.rows, cells=cells)
        settings, inputs = rows.question({**options, **dict.fromkeys(MEANING)}, self.schema)
        try:
            batch = read(settings, *inputs.values, names=inputs.names, schema=self.schema)
        except InputError as error:
            dropped = self.settings.missing == "drop" and error.code == "data.all_labels_missing"
            if error.code != "data.all_rows_missing" and not dropped:
                raise
            self.dropped += len(codes_of(cells["label", self.rows.chosen.truth]))
            return None
        self.dropped += batch.dropped
        return batch

    def _note(self, error: InputError, count: int) -> None:
        """Keep the first error with the row that the caller knows; its count is that of all rows."""
        if error.code == "data.all_labels_missing":
            error = InputError("data.labels_missing", name=error.values["name"], count=count, row=0)
        values = error.values
        if isinstance(values.get("row"), int):
            values["row"] += self.seen
        if "count" not in values:
            raise error
        if self.trouble is None:
            self.trouble = error
        elif self.trouble.code == error.code and self.trouble.values.get("name") == values.get("name"):
            self.trouble.values["count"] += values["count"]

    def _measure(self, batch: Batch) -> None:
        assert batch.score is not None
        assert batch.positive is not None
        if self.buckets is None:
            self.recipes = dict(plan.everything(batch))
            self.recipes.pop(SCORES)  # which the walk over the buckets makes
            rows = max(self.table.expected(), len(batch))
            self.dtype = batch.score.dtype
            self.buckets = ScoreBuckets(self.folder, self.memory, rows, len(self.slices))
        columns = [of.add(batch, name, self.recipes) for name, of in self.slices.items()]
        self.buckets.add(batch.score, batch.truth, batch.positive, columns)
        self.counted = self.counted.merge(Evidence.of(batch, self.recipes))

    def walked(self) -> tuple[Evidence, dict[str, dict[Label, Evidence]]]:
        """The statistics of all rows, and of the slices of each column."""
        assert self.buckets is not None
        totals, done = self.buckets.totals, 0
        walk = self._walk(totals)
        walks = [[self._walk(both) for both in of.totals] for of in self.slices.values()]
        for bucket in self.buckets:
            walk.add(bucket.whole())
            for column, parts in enumerate(walks):
                for code, piece in bucket.pieces(column, len(parts)):
                    parts[code].add(piece)
            done += bucket.rows
            self.table.watch("sorted rows", done, sum(totals))
        slices = {
            name: of.evidence(parts) for (name, of), parts in zip(self.slices.items(), walks, strict=True)
        }
        return Evidence({**self.counted.parts, SCORES: walk.sketch()}), slices

    def _walk(self, totals: tuple[int, int]) -> BucketWalk:
        """A walk over all rows or those of a slice, with their share of the cells."""
        least, most = CELLS
        count = 1 + sum(len(of.totals) for of in self.slices.values())
        own = self.schema.threshold
        budget = min(max(self.memory // PER_CELL // count, least), most)
        return BucketWalk(totals, self.dtype, (own,) if isinstance(own, float) else (), budget)


class Slices:
    """The slices of a column: their codes in the order in which they came, and what is counted of each."""

    def __init__(self) -> None:
        self.codes: dict[Label, int] = {}
        self.totals: list[tuple[int, int]] = []
        self.counted: list[Evidence] = []

    def add(self, batch: Batch, name: str, recipes: Mapping[str, Recipe]) -> Array:
        """Count the rows of a chunk; the codes of its rows."""
        own, values = batch.slices[name]
        table = np.array([self.codes.setdefault(value, len(self.codes)) for value in values], np.uint32)
        if len(self.codes) > MOST_SLICES:
            raise NotThisWay(Remark("evaluation.large_slices", name=name, most=MOST_SLICES))
        codes = table[own]
        sides = np.bincount(2 * codes + (batch.truth != batch.positive), minlength=2 * len(self.codes)).reshape(-1, 2)
        before = [*self.totals, *[(0, 0)] * (len(self.codes) - len(self.totals))]
        self.totals = [(a + int(p), b + int(n)) for (a, b), (p, n) in zip(before, sides, strict=True)]
        self.counted += [Evidence.empty()] * (len(self.codes) - len(self.counted))
        for value, rows in batch.parts(name) if recipes else ():
            at = self.codes[value]
            self.counted[at] = self.counted[at].merge(Evidence.of(rows, recipes))
        return codes

    def evidence(self, walks: list[BucketWalk]) -> dict[Label, Evidence]:
        """The statistics of each slice, values in order."""
        order = sorted(self.codes, key=lambda value: (isinstance(value, str), value))
        both = ((value, self.codes[value]) for value in order)
        return {value: Evidence({**self.counted[at].parts, SCORES: walks[at].sketch()}) for value, at in both}
