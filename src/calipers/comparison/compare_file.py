"""`compare` of columns of a file: in memory while they fit, else through the disk."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from os import PathLike, fspath
from typing import Any

from calipers.comparison.asking import Asked
from calipers.comparison.compare import Comparison, compare
from calipers.comparison.file_models import ModelColumns, Models, choose_models
from calipers.comparison.large_compare import MOST_MODELS, Compared, ComparePass
from calipers.comparison.large_pairs import LargePairs
from calipers.comparison.large_weighted import WeightedLargePairs
from calipers.data.schema import Schema
from calipers.errors import InputError, OutOfMemory
from calipers.evaluation.evaluate_file import PER_CELL
from calipers.evaluation.file_chunks import NotThisWay
from calipers.evaluation.file_rows import FileRows
from calipers.evaluation.memory import bytes_of, machine_share
from calipers.evaluation.of_batch import known_methods, listed_in, of_evidence
from calipers.evaluation.out_of_core import meaning
from calipers.files.choosing import Chosen, are_scores, measure_numbers, named
from calipers.files.spellings import as_in, as_labels
from calipers.files.table import Table
from calipers.files.temporary import private_folder
from calipers.remarks import Remark
from calipers.settings import Label
from calipers.tasks import task_of

OF_SETTINGS = ("positive", "labels", "level", "metrics", "missing", "task", "seed")
OF_JUDGING = ("margin", "baseline", "primary", "method", "adjust")


def compare_file(
    path: str | PathLike[str], models: Mapping[str, Any], truth: str, memory: str | int | None, **arguments: Any
) -> Comparison:
    """models: columns by the name of the model; arguments: those of `compare`, with the names of columns."""
    if not isinstance(models, Mapping) or not all(isinstance(name, str) for name in models.values()):
        raise InputError("comparison.columns_of_a_file")
    if isinstance(arguments["by"], Mapping):
        raise InputError("comparison.columns_of_a_file")
    try:
        with Table([fspath(path)]) as table:
            chosen = _chosen(table, models, truth, arguments)
            return compare_columns(table, chosen, list(map(str, models)), memory, arguments)
    except MemoryError as error:
        raise OutOfMemory("evaluation.no_memory", error=str(error) or "MemoryError") from None


def _chosen(table: Table, models: Mapping[str, str], truth: str, arguments: Mapping[str, Any]) -> ModelColumns:
    """The columns; models predict labels where their cells are not scores."""
    columns = [named(table, name, "models") for name in models.values()]
    by = arguments["by"]
    scored = all(are_scores(table.sample(name), table.sample(named(table, truth, "truth"))) for name in columns)
    of_numbers = None if arguments["task"] is None else task_of(arguments["task"]).of_numbers
    if of_numbers is None:
        of_numbers = measure_numbers(arguments["metrics"])
    found = choose_models(
        table, truth, columns if scored else (), () if scored else columns, arguments["key"], arguments["groups"],
        arguments["weights"], by=[by] if isinstance(by, str) else by or (), alone=True, of_numbers=of_numbers,
    )  # fmt: skip
    return found._replace(models=columns)


def compare_columns(
    table: Table,
    columns: ModelColumns,
    names: list[str],
    memory: str | int | None,
    arguments: Mapping[str, Any],
) -> Comparison:
    """The comparison of these columns, whose models have these names; arguments: those of `compare`."""
    limit = machine_share() if memory is None else bytes_of(memory)
    if table.expected() * columns.width * PER_CELL > limit:
        try:
            return _large(table, columns, names, limit, arguments)
        except NotThisWay as reason:
            if memory is not None:
                raise InputError("evaluation.beyond_memory", memory=memory, why=reason.why) from None
    return compare_read(columns.read(table), names, arguments)


def compare_read(read: Models, names: list[str], arguments: Mapping[str, Any]) -> Comparison:
    """The comparison of columns in memory."""
    models = dict(zip(names, read.predictions.values(), strict=True))
    true, *labels = as_labels([read.truth, *(models.values() if read.labelled else ())])
    positive = arguments["positive"]
    asked = {
        **arguments,
        "positive": None if positive is None else as_in(true, [positive])[0],
        "weights": read.weights,
        "groups": read.groups,
        "by": read.by or None,
        "key": read.key,
    }
    return compare(true, dict(zip(names, labels, strict=True)) if labels else models, **asked)


def _large(
    table: Table, columns: ModelColumns, names: list[str], memory: int, arguments: Mapping[str, Any]
) -> Comparison:
    """The comparison of scores of two classes through the disk."""
    for is_given, code in (
        (columns.of_numbers or columns.labelled, "comparison.large_labels"),
        (columns.keys or len(names) > MOST_MODELS, "comparison.large_rows"),
    ):
        if is_given:
            raise NotThisWay(Remark(code, most=MOST_MODELS) if code == "comparison.large_rows" else Remark(code))
    judging = {name: arguments[name] for name in OF_JUDGING}
    asked = Asked.of(dict(zip(names, columns.models, strict=True)), **judging)
    settings, each = asked.settings(arguments["threshold"], **{name: arguments[name] for name in OF_SETTINGS})
    schemas: dict[str, Schema] = {}
    notes: tuple[str, ...] = ()
    rows = FileRows(Chosen(columns.truth, None, tuple(columns.models)), {}, columns.by, columns.weights, None)
    for name, column in asked.models.items():
        one = replace(rows, chosen=replace(rows.chosen, scores=(column,)))
        options = {field: getattr(each[name], field) for field in each[name].__dataclass_fields__}
        _, schema, notes = meaning(table, one, options, None, lambda cells, chosen=one.chosen: chosen)  # type: ignore[misc]
        if not schema.facts.one_score or schema.positive is None:
            raise NotThisWay(Remark("comparison.large_labels"))
        schemas[column] = schema
    with private_folder() as folder, closing(
        ComparePass(table, rows, memory, settings, folder, schemas, asked.judging.primary)
    ) as found:
        found.run()
        ((whole,), *parts) = found.walked()
    if found.dropped:
        notes += (Remark("evaluation.dropped", count=found.dropped),)

    def compared(of: Compared, slices: Mapping[str, Mapping[Label, Comparison]]) -> Comparison:
        evaluations = {}
        for name, schema, statistics in zip(asked.models, schemas.values(), of.evidence, strict=True):
            own = known_methods(each[name])
            by = {column: {v: one.models[name] for v, one in values.items()} for column, values in slices.items()}
            evaluations[name] = of_evidence(own, schema, listed_in(own, schema), statistics, notes=notes, slices=by)
        listed = asked.listed(list(evaluations.values()), settings)
        pairing = LargePairs if columns.weights is None else WeightedLargePairs
        pairs = pairing(evaluations, of.differences, settings.seed, asked.methods)
        pairs.check_methods(listed)
        return Comparison(pairs, settings, tuple(listed), asked.judging, by=slices)

    slices = {
        name: {value: compared(own[code], {}) for value, code in of.ordered}
        for (name, of), own in zip(found.slices.items(), parts, strict=True)
    }
    return compared(whole, slices)
