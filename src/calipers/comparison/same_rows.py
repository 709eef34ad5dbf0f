"""What several models say about the same rows: read with the same classes, on the rows that all of them have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from calipers.data import labels as encoding
from calipers.data.batch import Batch
from calipers.data.reading import read
from calipers.data.schema import NAMES, Names
from calipers.errors import InputError
from calipers.evaluation.evaluate import decided
from calipers.settings import Settings


def read_models(
    settings: Mapping[str, Settings],
    y_true: Any,
    models: Mapping[str, Any],
    weights: Any,
    groups: Any,
    names: Names = NAMES,
    by: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Batch], Any]:
    """The batch of each model, read with its own settings, all with the same classes, and the codes of the groups."""
    asked = {name: decided(each) for name, each in settings.items()}

    def each(**changed: Any) -> dict[str, Batch]:
        by_name = {}
        for name, predictions in models.items():
            own, of_classes = asked[str(name)]
            q = replace(own, **changed)
            try:
                called = names._replace(pred=f"models[{name!r}]")
                columns = (y_true, predictions, None, weights, by, groups)
                by_name[str(name)] = read(q, *columns, names=called, of_classes=of_classes)
            except InputError as error:
                if called.pred in str(error):
                    raise
                raise InputError("comparison.of_model", name=str(name), error=error) from None
        return by_name

    batches = each()
    first = next(iter(batches.values()))
    if any(batch.labels != first.labels for batch in batches.values()):  # one predicts a class that another does not
        every = encoding.union(*(batch.labels for batch in batches.values()))
        batches = each(labels=every)
    if len({batch.task for batch in batches.values()}) > 1:
        tasks = [f"{name} {batch.task}" for name, batch in batches.items()]
        raise InputError("comparison.tasks_differ", tasks=tasks)
    batches = on_common_rows(batches)
    return batches, next(iter(batches.values())).group_codes


def on_common_rows(batches: dict[str, Batch]) -> dict[str, Batch]:
    """The rows that no model left out."""
    left = [batch.kept for batch in batches.values() if batch.kept is not None]
    if not left:
        return batches
    rows = max(len(batch) if batch.kept is None else int(batch.kept[-1]) + 1 for batch in batches.values())
    common = np.arange(rows)
    for kept in left:
        common = np.intersect1d(common, kept, assume_unique=True)
    if not len(common):
        raise InputError("comparison.nothing_left")
    every = {n: np.arange(len(b)) if b.kept is None else b.kept for n, b in batches.items()}
    total = max(len(b) + b.dropped for b in batches.values())
    return {
        name: replace(batch.take(np.searchsorted(every[name], common)), kept=common, dropped=total - len(common))
        for name, batch in batches.items()
    }
