"""Which rows a share counts, and which of them each model gets right, found by measuring tables of one row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.base import Measure
from calipers.metrics.resolve import resolve
from calipers.metrics.values import Proportion
from calipers.metrics.views import Views
from calipers.statistics.combine import Evidence
from calipers.statistics.confusion import ConfusionCounts

Array = npt.NDArray[Any]


def hits_of(measure: Measure, views: Views, truth: Array, codes: Sequence[Array | None]) -> tuple[Array, ...] | None:
    """For a share of rows that the truth alone picks out: which rows those are, and which each model hit.

    views: of any of the models. codes: what each predicts. None where the denominator depends on what was predicted
    (precision), or there is not one label per row.
    """
    k, predicted = len(views.labels), [each for each in codes if each is not None]
    if k < 2 or len(predicted) < len(codes):
        return None
    # Metrics that belong to no single class treat all classes in the same way, so the first two represent every pair.
    units = [(t, p) for t in (0, 1) for p in (0, 1)] if views.positive is not None else [(0, 0), (0, 1)]
    by_cell = {cell: _unit(measure, views, k, cell) for cell in units}
    if any(unit is None for unit in by_cell.values()):
        return None
    hit, trial = ({cell: unit[i] for cell, unit in by_cell.items() if unit is not None} for i in (0, 1))
    if any(trial[t, 0] != trial[t, 1] for t in {t for t, _ in units}):
        return None
    if views.positive is None:
        tried = np.full(len(truth), trial[0, 0] > 0)
        return tried, *(np.where(truth == each, hit[0, 0], hit[0, 1]) > 0 for each in predicted)
    cells = np.array([hit[0, 0], hit[0, 1], hit[1, 0], hit[1, 1]]) > 0
    tried = np.array([trial[0, 0] > 0, trial[1, 0] > 0])[truth]
    return tried, *(cells[2 * truth + each] for each in predicted)


def _unit(measure: Measure, views: Views, k: int, cell: tuple[int, int]) -> tuple[float, float] | None:
    """Hits and trials of a table with one row in it."""
    cells = np.zeros((k, k), np.int64)
    cells[cell] = 1
    alone = replace(views, evidence=Evidence.holding(ConfusionCounts(views.labels, cells, None, 1)))
    value = resolve(measure, alone).value
    if not isinstance(value, Proportion) or value.through is not None:
        return None
    return float(value.hits), float(value.trials)
