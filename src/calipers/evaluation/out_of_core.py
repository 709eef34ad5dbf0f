"""The exact evaluation of a file that does not fit into memory.

Rows are read in chunks. What can be merged is counted at once; scores go to buckets on disk, and one walk over the
buckets in ascending order finds what it finds in memory (docs/decisions/large-files.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from calipers.data.matrices import by_difference
from calipers.data.reading import read
from calipers.data.schema import Schema
from calipers.errors import InputError
from calipers.evaluation.evaluate import decided
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.file_chunks import NotThisWay, codes_of
from calipers.evaluation.file_rows import FileRows
from calipers.evaluation.large_pass import LargePass
from calipers.evaluation.of_batch import checked, known_methods, listed_in, of_evidence
from calipers.files.choosing import Chosen
from calipers.files.table import Columns, Table
from calipers.files.temporary import private_folder
from calipers.inference.resampled import RESAMPLED
from calipers.remarks import Remark
from calipers.settings import Label, Settings
from calipers.statistics.combine import Evidence


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
    """The evaluation of scores of classes, of predicted labels, or of predicted numbers."""
    try:
        settings, found, notes = meaning(rows.table, rows, options, schema, rows.again)
    except NumbersBelow as late:
        return evaluate_large(replace(rows, chosen=late.chosen), options, schema)
    try:
        passed = _pass(rows, settings, found)
    except InputError as error:
        if schema is not None or error.code != "data.schema_of_probabilities":
            raise
        passed = _pass(rows, settings, replace(found, why_not_probabilities=error.values["why"]))
        if len(found.labels) == 2:
            notes += (by_difference(passed.schema.why_not_probabilities),)
    found = passed.schema
    if passed.dropped:
        notes += (Remark("evaluation.dropped", count=passed.dropped),)
    settings, listed = known_methods(settings), listed_in(settings, found)
    slices = {
        name: {value: of_evidence(settings, found, listed, each, notes=notes) for value, each in values.items()}
        for name, values in passed.slices.items()
    }
    return checked(of_evidence(settings, found, listed, passed.evidence, notes=notes, slices=slices))


class NumbersBelow(Exception):
    """Further down than the sample, labels turn out to be numbers; chosen: the columns as such."""

    def __init__(self, chosen: Chosen) -> None:
        super().__init__(chosen)
        self.chosen = chosen


class Passed(NamedTuple):
    """What one pass over a file found: what its rows mean, their statistics and those of slices, and rows left out."""

    schema: Schema
    evidence: Evidence
    slices: dict[str, dict[Label, Evidence]]
    dropped: int


def _pass(rows: LargeRows, settings: Settings, schema: Schema) -> Passed:
    table, memory = rows.table, rows.memory
    with private_folder() as folder, closing(LargePass(table, rows, memory, settings, folder, schema)) as found:
        found.run()
        if found.scan is not None and found.scan.why:
            schema = replace(schema, why_not_probabilities=found.scan.why)
        return Passed(schema, *found.walked(), found.dropped)


def meaning(
    table: Table,
    rows: FileRows,
    options: Mapping[str, Any],
    schema: Schema | None,
    again: Callable[[Columns], Chosen],
) -> tuple[Settings, Schema, tuple[str, ...]]:
    """The settings, the schema of all rows, which depends on the labels that occur, and notes."""
    chosen = rows.chosen
    labels = [name for name in (chosen.truth, chosen.pred) if name is not None]
    if chosen.numbers:
        cells: Columns = {("number", name): np.array([0.5, 1.5]) for name in labels}
        count = 2
    else:
        cells = table.read_distinct(labels)
        if (late := again(cells)).numbers:
            raise NumbersBelow(late)
        count = len(codes_of(cells["label", chosen.truth]))
    ones = () if rows.weight is None else (rows.weight,)
    cells = {**cells, **{("number", name): np.full(count, 1 / max(2, len(chosen.scores))) for name in chosen.scores}}
    cells = {**cells, **{("number", name): np.ones(count) for name in ones}}
    cells = {**cells, **{("group", name): np.zeros(count, np.int64) for name in rows.slices}}
    settings, inputs = replace(rows, cells=cells).question(options, schema)
    settings, of_classes = decided(settings) if schema is None else (settings, False)
    asked = replace(settings, missing="drop")  # missing labels are checked when the rows are read
    batch = read(asked, *inputs.values, names=inputs.names, of_classes=of_classes, schema=schema)
    return settings, replace(batch.schema, columns=inputs.columns), batch.notes
