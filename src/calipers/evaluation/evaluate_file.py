"""The evaluation of a file: which columns are what, read once, then measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import Any

import numpy as np

from calipers.data.columns import Inputs
from calipers.data.containers import Numbers, Text
from calipers.data.reading import read
from calipers.data.schema import Columns as SchemaColumns
from calipers.data.schema import Names, Schema
from calipers.errors import InputError
from calipers.evaluation.evaluate import of_inputs
from calipers.evaluation.evaluation import Evaluation
from calipers.files.choosing import Chosen, as_numbers, choose, measure_numbers, named
from calipers.files.spellings import as_in, as_known, as_labels, values
from calipers.files.table import Columns, Table
from calipers.remarks import Remark
from calipers.settings import Settings

OTHERS = 40  # columns that are read beside those that are measured
SEVERAL = ("score", "by")  # arguments that may name several columns


@dataclass(frozen=True)
class FileRows:
    """The cells of a file that are to be measured, and which column is what."""

    chosen: Chosen
    cells: Columns
    slices: Sequence[str]
    weight: str | None
    groups: str | None
    others: Mapping[str, Any] = field(default_factory=dict)  # columns that are not measured, for whoever looks at rows

    def question(self, options: Mapping[str, Any], schema: Schema | None = None) -> tuple[Settings, Inputs]:
        """What is asked of these rows, and the rows; options: arguments of `calipers.evaluate`."""
        cells, chosen, options = self.cells, self.chosen, dict(options)
        groups = None if self.groups is None else cells["group", self.groups]
        weights = None if self.weight is None else cells["number", self.weight]
        by = {name: cells["group", name] for name in self.slices}
        if chosen.numbers:
            assert chosen.pred is not None
            true, predicted = cells["number", chosen.truth], cells["number", chosen.pred]
            if schema is None:
                options["task"] = "regression"
            return Settings(**options), self._inputs(true, predicted, None, weights, by, groups)
        labelled = [cells["label", name] for name in (chosen.truth, chosen.pred) if name is not None]
        columns = {name: cells["number", name] for name in chosen.scores}
        if schema is None:
            true, *labels = as_labels(labelled, options["labels"] or ())
            options |= _named_classes(true, chosen, options)
        else:
            true, *labels = (as_known(column, schema.labels) for column in labelled)
        score = None if not columns else next(iter(columns.values())) if len(columns) == 1 else columns
        return Settings(**options), self._inputs(true, labels[0] if labels else None, score, weights, by, groups)

    def _inputs(self, true: Any, pred: Any, score: Any, weights: Any, by: Mapping[str, Any], groups: Any) -> Inputs:
        chosen = self.chosen
        scores = None if not chosen.scores else chosen.scores[0] if len(chosen.scores) == 1 else list(chosen.scores)
        named = SchemaColumns(chosen.truth, chosen.pred, scores, self.weight, self.groups)
        return Inputs(true, pred, score, weights, by, groups, self.names, named, self.others)

    def evaluation(self, options: Mapping[str, Any], schema: Schema | None = None) -> Evaluation:
        """The evaluation of these rows, which mean what the schema says, or what they look like."""
        return of_inputs(*self.question(options, schema), schema)

    @property
    def names(self) -> Names:
        """How messages name the columns."""
        chosen = self.chosen
        scores: str = Remark("files.column", name=chosen.scores[0]) if chosen.scores else ""
        return Names(
            Remark("files.column", name=chosen.truth),
            "" if chosen.pred is None else Remark("files.column", name=chosen.pred),
            Remark("files.score_columns", names=chosen.scores) if len(chosen.scores) > 1 else scores,
        )


def _named_classes(true: Any, chosen: Chosen, options: Mapping[str, Any]) -> dict[str, Any]:
    """The positive class and the list of classes as the truth writes them, or as the names of score columns say."""
    positive, labels = options["positive"], options["labels"]
    if positive is not None:
        positive = as_in(true, [positive])[0]
    elif len(chosen.classes) == len(chosen.scores) == 1:
        positive = as_in(true, chosen.classes)[0]
    if labels is not None:
        labels = as_in(true, labels)
    elif chosen.classes and len(chosen.scores) > 1:
        labels = _matched(true, chosen)
    return {"positive": positive, "labels": labels}


def read_rows(
    table: Table,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
    *,
    deciding: Sequence[str] | None = None,
    schema: Schema | None = None,
) -> FileRows:
    """Choose the columns of a table and read them.

    columns: what each is called (truth, pred, score, by, weights, groups); those that are not named are found by their
    usual names. options: arguments of `calipers.evaluate`. deciding: metrics that say what the rows are, if options has
    none. schema: what the rows mean, which also names the columns.
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
    cells = _read(table, chosen, weight, group_columns)
    # Fractions may come further down than the sample.
    if not chosen.numbers and isinstance(true_labels := cells["label", chosen.truth], Text):
        again = as_numbers(table, chosen, options, [str(v) for v in true_labels.values], of_numbers=of_numbers)
        cells, chosen = (_read(table, again, weight, group_columns) if again.numbers else cells), again
    return FileRows(chosen, cells, slices, weight, groups)


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
    path: str | PathLike[str], named: Mapping[str, Any], options: Mapping[str, Any], schema: Schema | None = None
) -> Evaluation:
    """The evaluation of a file by its path; named: the names of the columns, as `read_rows` takes them."""
    with Table([fspath(path)]) as table:
        return read_rows(table, _columns(named), options, schema=schema).evaluation(options, schema)


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


def _matched(true: Any, chosen: Chosen) -> list[Any]:
    """The classes of the score columns, as the truth writes them; a true label without a column is an error."""
    classes = as_in(true, chosen.classes)
    lacking = [v for v in values(true) if v not in classes]
    if lacking:
        raise InputError("files.no_score_column", label=lacking[0], truth=chosen.truth, columns=chosen.scores)
    return classes
