"""The exact evaluation of a file that does not fit into memory.

Rows are read in chunks. What can be merged is counted at once; scores go to buckets on disk, and one walk over the
buckets in ascending order finds what it finds in memory (docs/decisions/out-of-core.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from calipers.data.batch import Batch
from calipers.data.reading import read
from calipers.data.schema import Schema
from calipers.errors import InputError, not_a_number
from calipers.evaluation.bucket_walk import BucketWalk
from calipers.evaluation.evaluate import decided
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.file_rows import FileRows
from calipers.evaluation.of_batch import demand, known_methods, of_evidence, raise_interval_error
from calipers.evaluation.score_buckets import ScoreBuckets
from calipers.files.choosing import Chosen
from calipers.files.table import Columns, Table
from calipers.files.temporary import private_folder
from calipers.inference.resampled import RESAMPLED
from calipers.metrics import plan
from calipers.metrics.base import CATALOGUE
from calipers.remarks import Remark
from calipers.settings import Settings
from calipers.statistics.combine import Evidence
from calipers.statistics.moments import Losses
from calipers.statistics.scores import ScoreSamples, losses_and_range
from calipers.statistics.sketch import BUDGET, ScoreSketch

PER_CHUNK_ROW = 200  # bytes of memory for a row while its chunk is read
CHUNK_ROWS = (1 << 12, 1 << 20)
MEANING = ("positive", "labels", "threshold", "task")  # options that a schema replaces
SCORES = ScoreSamples.__name__
CELLS = (1 << 12, BUDGET)
PER_CELL = 1024  # bytes of memory for a cell of a sketch, while it is made and read


class NotThisWay(Exception):
    """The rows of a file cannot be evaluated out of memory; the remark says why."""

    def __init__(self, why: Remark) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True)
class LargeRows(FileRows):
    """Rows that stay in their file, because all of them need more than `memory`.

    asked: the limit as somebody wrote it; without one, what needs all rows at once reads them. again: the columns, once
    all labels are known. read_all: reads all rows. cells_needed: the rows themselves will be asked for.
    """

    table: Table = field(kw_only=True)
    memory: int = field(kw_only=True)
    asked: str | int | None = field(kw_only=True)
    again: Callable[[Columns], Chosen] = field(kw_only=True)
    read_all: Callable[[], FileRows] = field(kw_only=True)
    cells_needed: bool = field(kw_only=True)

    def or_all(self) -> FileRows:
        """All rows in memory, where it is clear already that nothing else will do."""
        try:
            self._refuse()
        except NotThisWay as reason:
            return self._all(reason.why)
        return self

    def _all(self, why: Remark) -> FileRows:
        if self.asked is not None:
            raise InputError("evaluation.beyond_memory", memory=self.asked, why=why)
        return self.read_all()

    def evaluation(self, options: Mapping[str, Any], schema: Schema | None = None) -> Evaluation:
        """The evaluation of these rows: out of memory where that is possible."""
        try:
            refuse_drawn(options)
            return evaluate_large(self, options, schema)
        except NotThisWay as reason:
            return self._all(reason.why).evaluation(options, schema)

    def _refuse(self) -> None:
        for is_given, code in (
            (self.groups is not None, "evaluation.large_groups"),
            (self.weight is not None, "evaluation.large_weights"),
            (bool(self.slices), "evaluation.large_slices"),
            (self.chosen.numbers or len(self.chosen.scores) != 1, "evaluation.large_task"),
            (self.cells_needed, "evaluation.large_rows"),
        ):
            if is_given:
                raise NotThisWay(Remark(code))


def refuse_drawn(options: Mapping[str, Any]) -> None:
    """Raise NotThisWay where an interval draws the rows again."""
    interval = options["interval"]
    methods = () if interval is None else (interval,) if isinstance(interval, str) else tuple(interval.values())
    if drawn := [method for method in methods if method in RESAMPLED]:
        raise NotThisWay(Remark("evaluation.large_bootstrap", method=drawn[0]))


def evaluate_large(rows: LargeRows, options: Mapping[str, Any], schema: Schema | None) -> Evaluation:
    """The evaluation of one score of two classes."""
    settings, schema, notes = meaning(rows, options, schema)
    if not schema.facts.one_score or not schema.scored or schema.positive is None:
        raise NotThisWay(Remark("evaluation.large_task"))
    with private_folder() as folder, closing(_Pass(rows, settings, schema, folder)) as found:
        found.run()
        evidence = found.evidence()
    if found.dropped:
        notes += (Remark("evaluation.dropped", count=found.dropped),)
    requested = settings.metrics is not None
    listed = tuple(CATALOGUE[name] for name in settings.metrics or ()) if requested else plan.headline(schema)
    evaluation = of_evidence(known_methods(settings), schema, listed, evidence, notes=notes)
    if requested:
        demand(evaluation)
    raise_interval_error(evaluation.settings, evaluation)
    return evaluation


def meaning(
    rows: LargeRows, options: Mapping[str, Any], schema: Schema | None
) -> tuple[Settings, Schema, tuple[str, ...]]:
    """What is asked of all rows, what they mean, and notes on that: the labels that occur say it."""
    chosen = rows.chosen
    labels = [name for name in (chosen.truth, chosen.pred) if name is not None]
    cells = rows.table.read_distinct(labels)
    if rows.again(cells).numbers:
        raise NotThisWay(Remark("evaluation.large_task"))
    count = len(_codes(cells["label", chosen.truth]))
    cells = {**cells, **{("number", name): np.full(count, 0.5) for name in chosen.scores}}
    settings, inputs = replace(rows, cells=cells).question(options, schema)
    settings, of_classes = decided(settings) if schema is None else (settings, False)
    asked = replace(settings, missing="drop")  # whether labels may be missing is for the rows to say
    batch = read(asked, *inputs.values, names=inputs.names, of_classes=of_classes, schema=schema)
    return settings, replace(batch.schema, columns=inputs.columns), batch.notes


def _refuse_nan(batch: Batch) -> None:
    assert batch.score is not None
    undefined = np.isnan(batch.score)
    if undefined.any():
        first = int(undefined.argmax())
        row = first if batch.kept is None else int(batch.kept[first])
        raise not_a_number(int(undefined.sum()), row, batch.names.score)


def _codes(column: Any) -> Any:
    return getattr(column, "codes", getattr(column, "array", column))


@dataclass
class _Pass:
    """The rows of a file on their way into statistics."""

    rows: LargeRows
    settings: Settings
    schema: Schema
    folder: str
    buckets: ScoreBuckets | None = None

    def run(self) -> None:
        """Read all rows."""
        chosen = self.rows.chosen
        labels = [name for name in (chosen.truth, chosen.pred) if name is not None]
        least, most = CHUNK_ROWS
        size = min(max(self.rows.memory // PER_CHUNK_ROW, least), most)
        self.rows.table.read_chunks(labels, list(chosen.scores), [], size, self._start)
        if self.trouble is not None:
            raise self.trouble
        if not self.kept:
            raise InputError("data.all_rows_missing")

    def _start(self) -> Callable[[Columns], None]:
        """Begin, or begin again."""
        self.close()
        self.buckets = None
        self.counted = Evidence.empty()
        self.losses: tuple[Losses, Losses] | None = None
        self.low, self.high = np.inf, -np.inf
        self.seen = self.kept = self.dropped = 0
        self.trouble: InputError | None = None
        return self._add

    def close(self) -> None:
        """Remove what is on disk."""
        if self.buckets is not None:
            self.buckets.close()

    def _add(self, cells: Columns) -> None:
        count = len(_codes(cells["label", self.rows.chosen.truth]))
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
            if error.code != "data.all_rows_missing":
                raise
            self.dropped += len(_codes(cells["label", self.rows.chosen.truth]))
            return None
        self.dropped += batch.dropped
        return batch

    def _note(self, error: InputError, count: int) -> None:
        """Keep the first error with the row that the caller knows; its count is that of all rows."""
        values = dict(error.values)
        if error.code == "data.all_labels_missing":
            error = InputError("data.labels_missing", name=values["name"], count=count, row=0)
            values = dict(error.values)
        if isinstance(row := values.get("row"), int):
            values["row"] = row + self.seen
        if "count" not in values:
            raise InputError(error.code, **values) from None
        if self.trouble is None:
            self.trouble = InputError(error.code, **values)
        elif self.trouble.code == error.code and self.trouble.values.get("name") == values.get("name"):
            together = self.trouble.values["count"] + values["count"]
            self.trouble = InputError(error.code, **{**self.trouble.values, "count": together})

    def _measure(self, batch: Batch) -> None:
        assert batch.score is not None
        assert batch.positive is not None
        self.kept += len(batch)
        if self.buckets is None:
            self.recipes = {k: v for k, v in plan.everything(batch).items() if k != SCORES}
            rows = max(self.rows.table.expected(), len(batch))
            self.dtype = batch.score.dtype
            self.buckets = ScoreBuckets(self.folder, self.rows.memory, rows)
        self.buckets.add(batch.score, batch.truth, batch.positive)
        self.counted = self.counted.merge(Evidence.of(batch, self.recipes))
        both, low, high = losses_and_range(batch)
        self.low, self.high = min(self.low, low), max(self.high, high)
        if self.losses is None:
            self.losses = both
        else:
            self.losses = self.losses[0].merge(both[0]), self.losses[1].merge(both[1])

    def evidence(self) -> Evidence:
        """The statistics of all rows."""
        return Evidence({**self.counted.parts, SCORES: self._walked()})

    def _walked(self) -> ScoreSketch:
        assert self.buckets is not None
        assert self.losses is not None
        own = self.schema.threshold
        least, most = CELLS
        budget = min(max(self.rows.memory // PER_CELL, least), most)
        totals = self.buckets.totals
        walk = BucketWalk(totals, self.dtype, (own,) if isinstance(own, float) else (), budget)
        done = 0
        for part in self.buckets:
            walk.add(part)
            done += part.rows
            self.rows.table.watch("sorted rows", done, sum(totals))
        return walk.sketch(self.losses, (self.low, self.high))
