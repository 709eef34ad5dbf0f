"""Clusterings of the same rows, by their classes, by the distances between rows, or both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from calipers.arguments import refuse_unknown
from calipers.choices import Noise
from calipers.comparison.paired_bootstrap import Model
from calipers.comparison.same_rows import on_common_rows
from calipers.data import clusterings, features
from calipers.data.schema import Names
from calipers.errors import InputError
from calipers.evaluation.evaluate_clusters import cluster_settings, evaluation_of, geometry_of
from calipers.metrics.calling import AskedMetrics
from calipers.settings import Settings


@dataclass(frozen=True)
class Options:
    """The arguments of `evaluate_clusters` that all clusterings have in common."""

    X: Any = None
    distance: Any = "euclidean"
    sample: int | None = None
    noise: Noise = "drop"


def read_clusterings(
    truth: Any, models: Mapping[str, Any], metrics: AskedMetrics | None, rules: Mapping[str, Any], groups: Any,
    **rest: Any,
) -> tuple[dict[str, Model], Settings]:  # fmt: skip
    """The evaluation of each clustering on the rows that all of them have; rest: missing, level and seed."""
    refuse_unknown("evaluate_clusters", rules, [field.name for field in fields(Options)])
    options, settings = Options(**rules), cluster_settings(metrics, **rest)
    if truth is None and options.X is None:
        raise InputError("comparison.clusterings_of_nothing")
    batches, table = {}, None
    for name, labels in models.items():
        called = Names("y_true", f"models[{name!r}]")
        batch = clusterings.read(labels, truth, called, options.noise, settings.missing, groups)
        if options.X is not None:
            table = features.table_of(options.X, len(batch) + batch.dropped) if table is None else table
            if settings.missing == "drop" and options.distance != features.PRECOMPUTED:
                batch = clusterings.complete(batch, features.incomplete(table))
        batches[str(name)] = batch
    by_name = {}
    for name, batch in on_common_rows(batches).items():
        geometry = None if table is None else geometry_of(batch, table, options.distance, options.sample, settings.seed)
        read = batch.meaning(scored=table is not None, predicted="" if truth is None else batch.schema.predicted)
        by_name[name] = Model(read, evaluation_of(settings, read, geometry))
    return by_name, settings
