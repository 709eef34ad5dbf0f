"""The evaluation of a file: which columns are what, read once, then measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from typing import Any

import numpy as np

from calipers.data.containers import Numbers, Text
from calipers.data.reading import read
from calipers.data.schema import Schema
from calipers.errors import InputError, OutOfMemory
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.file_rows import FileRows
from calipers.evaluation.memory import bytes_of, machine_share
from calipers.evaluation.out_of_core import LargeRows
from calipers.files.choosing import Chosen, as_numbers, choose, measure_numbers, named
from calipers.files.table import Columns, Table
from calipers.remarks import Remark

OTHERS = 40  # additional columns that are read, for tables of rows
PER_CELL = 16  # bytes of memory for a cell of a file, at the peak of an evaluation
SEVERAL = ("score", "by")  # arguments that may name several columns


def read_rows(
    table: Table,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    deciding: Sequence[str] | None = None,
    schema: Schema | None = None,
    memory: str | int | None = None,
    cells: bool = False,
) -> FileRows:
    """Choose the columns of a table and read them, unless they need more than `memory`.

    columns: what each is called (truth, pred, score, by, weights, groups); those that are not named are found by their
    usual names. options: arguments of `calipers.evaluate`. deciding: metrics that say what the rows are, if options has
    none. schema: what the rows mean, which also names the columns. memory: by default a share of what there is. cells:
    the rows themselves are needed, and not only their statistics.
    """
    of_numbers = measure_numbers(deciding or options["metrics"])
    if schema is not None:
        options, columns = _as_schema(schema, options, columns)
    has_threshold = options["threshold"] is not None
    chosen = choose(table, columns["truth"], columns["pred"], columns["score"], has_threshold=has_threshold)
    chosen = as_numbers(table, chosen, options, of_numbers=of_numbers)
    if schema is not None and len(chosen.classes) > 1 and schema.order is not None:
        chosen = _in_order(chosen, schema.order)
    slices = [named(table, name, "by") for name in columns["by"]]
    weight, groups = (
        None if columns[key] is None else named(table, columns[key], key) for key in ("weights", "groups")
    )
    group_columns = slices if groups is None else [*slices, groups]
    limit = machine_share() if memory is None else bytes_of(memory)

    def again(found: Columns) -> Chosen:
        """The columns, once all labels are known: fractions may come further down than the sample."""
        if chosen.numbers or not isinstance(true_labels := found["label", chosen.truth], Text):
            return chosen
        return as_numbers(table, chosen, options, [str(v) for v in true_labels.values], of_numbers=of_numbers)

    def read_all() -> FileRows:
        found = _read(table, chosen, weight, group_columns)
        final = again(found)
        if final.numbers and not chosen.numbers:
            found = _read(table, final, weight, group_columns)
        return FileRows(final, found, slices, weight, groups)

    columns_read = 1 + len(chosen.scores) + (chosen.pred is not None) + (weight is not None) + len(group_columns)
    if table.expected() * columns_read * PER_CELL <= limit:
        return read_all()
    return LargeRows(
        chosen, {}, slices, weight, groups, table=table, memory=limit, asked=memory, again=again,
        read_all=read_all, cells_needed=cells,
    ).or_all()  # fmt: skip


def _as_schema(
    schema: Schema, options: Mapping[str, Any], columns: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The options and the names of columns that a schema stands for."""
    if schema.facts.label_sets or schema.facts.ranked:
        raise InputError("evaluation.schema_not_of_files", task=schema.task)
    known = {"task": schema.task, "threshold": schema.threshold, "positive": schema.positive, "labels": schema.shown}
    if schema.columns is None:
        return {**options, **known}, {**columns, "by": columns["by"] or list(schema.by)}
    if any(columns.values()):
        raise InputError("data.schema_and_columns")
    named = schema.columns._asdict()
    score = named["score"]
    named |= {"score": [] if score is None else [score] if isinstance(score, str) else score, "by": list(schema.by)}
    return {**options, **known}, named


def _in_order(chosen: Chosen, labels: Sequence[Any]) -> Chosen:
    """The score columns in the order of the classes that a schema lists."""
    listed = [str(label) for label in labels]
    if unknown := [name for name in chosen.classes if name not in listed]:
        name = Remark("files.score_columns", names=chosen.scores)
        raise InputError("data.label_not_listed", name=name, label=unknown[0], labels=list(labels))
    both = sorted(zip(chosen.classes, chosen.scores, strict=True), key=lambda pair: listed.index(pair[0]))
    classes, scores = zip(*both, strict=True)
    return replace(chosen, classes=classes, scores=scores)


def other_columns(table: Table, rows: FileRows) -> dict[str, Any]:
    """The columns of a table that are not measured, as text, a few dozen at most; of a query none, since its rows may
    come in another order when it runs again."""
    if table.parts[0].source is None:
        return {}
    chosen = rows.chosen
    used = {chosen.truth, chosen.pred, *chosen.scores, *rows.slices, rows.weight, rows.groups}
    names = [name for name in table.names if name not in used and table.names.count(name) == 1][:OTHERS]
    cells = table.read([], [], names) if names else {}
    return {name: _cells(cells["group", name]) for name in names}


def _cells(column: Any) -> Any:
    if not isinstance(column, Text):
        return column.array if isinstance(column, Numbers) else column
    return np.array([*column.values, None], object)[np.minimum(column.codes, len(column.values))]


def evaluate_file(
    path: str | PathLike[str],
    named: Mapping[str, Any],
    options: Mapping[str, Any],
    schema: Schema | None = None,
    memory: str | int | None = None,
) -> Evaluation:
    """The evaluation of a file by its path; named: the names of the columns, as `read_rows` takes them."""
    try:
        with Table([fspath(path)]) as table:
            return read_rows(table, _columns(named), options, schema=schema, memory=memory).evaluation(options, schema)
    except MemoryError as error:
        raise OutOfMemory("evaluation.no_memory", error=str(error) or "MemoryError") from None


def schema_of_file(path: str | PathLike[str], named: Mapping[str, Any], options: Mapping[str, Any]) -> Schema:
    """What the rows of a file mean; the arguments are those of `evaluate_file`."""
    with Table([fspath(path)]) as table:
        settings, inputs = read_rows(table, _columns(named), options).question(options)
        batch = read(settings, *inputs.values, names=inputs.names)
    return replace(batch.schema, columns=inputs.columns)


def _columns(named: Mapping[str, Any]) -> dict[str, Any]:
    lists = {key: _names(key, value) for key, value in named.items()}
    return {key: names if key in SEVERAL else next(iter(names), None) for key, names in lists.items()}


def _names(argument: str, value: Any) -> list[str]:
    """The names of columns in an argument."""
    names = [] if value is None else [value] if isinstance(value, str) else value
    is_list = isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)
    if not is_list or (argument not in SEVERAL and len(names) > 1):
        raise InputError("evaluation.column_of_a_file", argument=argument, value=value)
    return list(names)


def _read(table: Table, chosen: Chosen, weight: str | None, slices: Sequence[str]) -> Columns:
    """The columns: labels and scores, or numbers alone."""
    both = [name for name in (chosen.truth, chosen.pred) if name is not None]
    numbers = [*(both if chosen.numbers else chosen.scores), *([] if weight is None else [weight])]
    return table.read([] if chosen.numbers else both, numbers, slices)
