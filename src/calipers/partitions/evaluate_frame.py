"""`evaluate` of a data frame of Spark or Dask: the arguments and the result are those of memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from calipers.data.schema import Columns, Schema
from calipers.errors import InputError
from calipers.evaluation.evaluate import evaluate
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.of_batch import asks_for_resampling, known_methods
from calipers.partitions.engine import Engine, engine_of, known_columns, memory_of
from calipers.partitions.first_pass import meaning_and_state_of
from calipers.partitions.gathered import gathered
from calipers.partitions.states import evaluation_of, state_of
from calipers.partitions.witnesses import Meaning, meaning_of
from calipers.settings import Settings


def evaluate_frame(
    frame: Any,
    named: Mapping[str, Any],
    options: Mapping[str, Any],
    schema: Schema | None = None,
    key: str | None = None,
    memory: str | int | None = None,
) -> Evaluation:
    """The evaluation of a data frame; named: the names of its columns (truth, pred, score, weights, by, groups)."""
    return of_engine(engine_of(frame), named, options, schema, key, memory)


def schema_of_frame(frame: Any, named: Mapping[str, Any], options: Mapping[str, Any]) -> Schema:
    """What the rows of a data frame mean, which one pass finds."""
    return schema_of_engine(engine_of(frame), named, options)


def schema_of_engine(engine: Engine, named: Mapping[str, Any], options: Mapping[str, Any]) -> Schema:
    """The same of an adapter."""
    columns, by = _columns(engine, named, None)
    known_columns(engine, *columns, by)
    return meaning_of(engine, Settings(**options), columns, by).schema


def of_engine(
    engine: Engine,
    named: Mapping[str, Any],
    options: Mapping[str, Any],
    schema: Schema | None = None,
    key: str | None = None,
    memory: str | int | None = None,
) -> Evaluation:
    """The same of an adapter."""
    settings = known_methods(Settings(**options))
    columns, by = _columns(engine, named, schema)
    most = memory_of(engine, memory)
    names = known_columns(engine, *columns, by, key)
    if columns.groups is not None or (key is not None and asks_for_resampling(settings)):
        return evaluate(gathered(engine, names, most), **named, **options, schema=schema, key=key)
    if schema is None:
        meaning, state = meaning_and_state_of(engine, settings, columns, by, most)
    else:
        schema.settings(settings)  # which refuses what the schema says already
        meaning, state = Meaning(replace(schema, columns=columns, by=tuple(by)), settings), None
    return evaluation_of(state or state_of(engine, meaning, most), meaning, most)


def _columns(engine: Engine, named: Mapping[str, Any], schema: Schema | None) -> tuple[Columns, Sequence[str]]:
    """The names of the columns, which a schema may have."""
    given = {name: value for name, value in named.items() if value is not None}
    if schema is not None and schema.columns is not None:
        if given:
            raise InputError("data.schema_and_columns")
        return schema.columns, schema.by
    if "truth" not in given:
        raise InputError("data.frame_without_truth", names=list(engine.columns)[:8])
    by = given.pop("by", ())
    if isinstance(by, Mapping):
        raise InputError("partitions.by_of_names")
    if "pred" not in given and "score" not in given:
        raise InputError("data.nothing_to_measure", truth=given["truth"])
    return Columns(**given), [by] if isinstance(by, str) else list(by)
