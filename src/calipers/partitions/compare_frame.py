"""`compare` of score columns of a Spark or Dask data frame: paired tests need the rows, so the columns are gathered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from calipers.comparison.compare import Comparison, compare
from calipers.comparison.paired_tests import Pairing
from calipers.errors import InputError
from calipers.partitions.engine import Engine, engine_of, known_columns, memory_of
from calipers.partitions.gathered import gathered
from calipers.tasks import task_of


def compare_frame(frame: Any, models: Mapping[str, Any], memory: str | int | None, **arguments: Any) -> Comparison:
    """The comparison of these columns; arguments: those of `compare`."""
    return compare_engine(engine_of(frame), models, memory, **arguments)


def compare_engine(engine: Engine, models: Mapping[str, Any], memory: str | int | None, **arguments: Any) -> Comparison:
    """The same of an adapter."""
    if task_of(arguments["task"]).ranked or task_of(arguments["task"]).of_topics:
        raise InputError("partitions.not_compared")
    if not isinstance(models, Mapping) or len(models) < 2:
        raise InputError("comparison.two_models")
    if arguments["truth"] is None:
        raise InputError("comparison.which_truth", columns=list(engine.columns)[:8])
    if isinstance(arguments["by"], Mapping):
        raise InputError("partitions.by_of_names")
    named = [arguments[name] for name in ("truth", "weights", "groups", "by", "key")]
    table = gathered(engine, known_columns(engine, *named, *models.values()), memory_of(engine, memory))
    found = compare(table, models, **arguments)
    drawn_alike = arguments["key"] is not None or arguments["groups"] is not None
    return found if drawn_alike else _not_resampled(found)


def _not_resampled(found: Comparison) -> Comparison:
    """The comparison without resamples, which would depend on the order of the partitions."""
    assert isinstance(found.pairing, Pairing)
    by = {name: {value: _not_resampled(part) for value, part in parts.items()} for name, parts in found.by.items()}
    return replace(found, pairing=replace(found.pairing, seed=None), known={}, by=by)
