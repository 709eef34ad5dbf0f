"""The rows of a large file, a chunk at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from calipers.data.batch import Batch
from calipers.data.reading import read
from calipers.data.schema import Schema
from calipers.errors import InputError, not_a_number
from calipers.evaluation.file_rows import FileRows
from calipers.evaluation.memory import reuse_freed_memory
from calipers.files.table import Columns, Table
from calipers.remarks import Remark
from calipers.settings import Settings

PER_CHUNK_CELL = 100  # bytes of memory for a cell while its chunk is read
LEAST_CHUNK, MOST_CELLS = 1 << 12, 1 << 21  # rows at least, and cells at most, of a chunk
MEANING = ("positive", "labels", "threshold", "task")  # options that a schema replaces


class NotThisWay(Exception):
    """The rows of a file cannot be evaluated out of memory; the remark says why."""

    def __init__(self, why: Remark) -> None:
        super().__init__(why)
        self.why = why


def codes_of(column: Any) -> Any:
    """The array of a column, as long as its rows."""
    return getattr(column, "codes", getattr(column, "array", column))


@dataclass
class FileChunks:
    """The rows of a file on their way into statistics.

    `begin` is called before the first chunk, also where the rows have to be read again, and `take` with every chunk.
    """

    table: Table
    rows: FileRows
    memory: int
    settings: Settings
    folder: str

    def run(self) -> None:
        """Read all rows."""
        chosen = self.rows.chosen
        both = [name for name in (chosen.truth, chosen.pred) if name is not None]
        labels, predicted = ([], both) if chosen.numbers else (both, chosen.scores)
        numbers = [*predicted, *([] if self.rows.weight is None else [self.rows.weight])]
        columns = max(2, len(labels) + len(numbers) + len(self.rows.slices))
        size = max(min(self.memory // PER_CHUNK_CELL, MOST_CELLS) // columns, LEAST_CHUNK)
        self.trouble: InputError | None = None
        self.dropped = 0
        reuse_freed_memory()
        self.table.read_chunks(labels, numbers, self.rows.slices, size, self._start)
        if self.trouble is not None:
            raise self.trouble

    def counter(self, what: str, total: int) -> Callable[[int], None]:
        """What shows the progress of work on so many rows; it gets the numbers of rows that are done."""
        done = 0

        def count(rows: int) -> None:
            nonlocal done
            done += rows
            self.table.watch(what, done, total)

        return count

    def begin(self) -> None:
        """Forget what was taken."""
        raise NotImplementedError

    def take(self, cells: Columns) -> None:
        """Add the rows of a chunk, unless `trouble` says that there will be an error."""
        raise NotImplementedError

    def _start(self) -> Callable[[Columns], None]:
        self.begin()
        self.seen = self.dropped = 0
        self.trouble = None
        return self._add

    def _add(self, cells: Columns) -> None:
        try:
            self.take(cells)
        except InputError as error:
            self._note(error, self._count(cells))
        self.seen += self._count(cells)

    def _count(self, cells: Columns) -> int:
        chosen = self.rows.chosen
        return len(codes_of(cells["number" if chosen.numbers else "label", chosen.truth]))

    def batch(self, rows: FileRows, schema: Schema) -> Batch | None:
        """The rows of a chunk; None where all of them lack something and may."""
        options = {name: getattr(self.settings, name) for name in Settings.__dataclass_fields__}
        settings, inputs = rows.question({**options, **dict.fromkeys(MEANING)}, schema)
        try:
            batch = read(settings, *inputs.values, names=inputs.names, schema=schema)
        except InputError as error:
            dropped = self.settings.missing == "drop" and error.code == "data.all_labels_missing"
            if error.code != "data.all_rows_missing" and not dropped:
                raise
            self.dropped += self._count(rows.cells)
            return None
        self.dropped += batch.dropped
        if not len(batch):
            return None
        _refuse_nan(batch)
        return batch

    def _note(self, error: InputError, count: int) -> None:
        """Keep the first error with the row that the caller knows; its count is that of all rows."""
        if error.code == "data.all_labels_missing":
            error = InputError("data.labels_missing", name=error.values["name"], count=count, row=0)
        values = error.values
        if isinstance(values.get("row"), int):
            values["row"] += self.seen
        why = values.get("why")
        if isinstance(why, Remark) and why.code == "data.row_sum":
            values["why"] = Remark("data.row_sum", row=why.values["row"] + self.seen, sum=why.values["sum"])
        if "count" not in values:
            raise error
        if self.trouble is None:
            self.trouble = error
        elif self.trouble.code == error.code and self.trouble.values.get("name") == values.get("name"):
            self.trouble.values["count"] += values["count"]


def _refuse_nan(batch: Batch) -> None:
    if batch.score is None or batch.facts.of_numbers:
        return
    undefined = np.isnan(batch.score)
    if undefined.any():
        first = int(undefined.argmax())
        row = first if batch.kept is None else int(batch.kept[first])
        raise not_a_number(int(undefined.sum()), row, batch.names.score)
