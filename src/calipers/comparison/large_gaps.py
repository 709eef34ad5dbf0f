"""Calibration errors of models on the same rows of a large file: resampled through sums over bins.

A resample draws each row Poisson(1) times, so that the sums over bins of all models vary together as the sums of the
products of what each row adds. With many rows they are normal, and are drawn as such, without the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.data.batch import Batch
from calipers.metrics.base import Measure
from calipers.metrics.sums import Additive, Column, gaps

Array = npt.NDArray[Any]
RESAMPLES = 2000  # their spread is known to 1.6%


class GapSums:
    """What rows add to the bins of a calibration error of several models: sums, and sums of products."""

    def __init__(self, measure: Measure) -> None:
        self._measure = measure
        self._sums: Array = np.zeros(0)
        self._products: Array = np.zeros((0, 0))
        self._values: list[Callable[[Array], Array]] = []  # of each model, from sums

    def add(self, batches: list[Batch]) -> None:
        """Add rows; batches: those of each model."""
        found = [self._parts(batch) for batch in batches]
        columns = list(dict.fromkeys(column for part in found for column in part.columns))
        ends = np.cumsum([0, *(column.cells for column in columns)]).tolist()
        at = {column: slice(*both) for column, both in zip(columns, pairwise(ends), strict=True)}
        if not self._values:
            self._sums, self._products = np.zeros(ends[-1]), np.zeros((ends[-1], ends[-1]))
            self._values = [_reader(part, [at[column] for column in part.columns]) for part in found]
        weights = batches[0].weights
        for k, one in enumerate(columns):
            mine = _weighted(one, weights)
            self._sums[at[one]] += _binned(one, None, mine, len(batches[0]))
            for other in columns[k:]:
                product = _times(mine, _weighted(other, weights))
                sums = _binned(one, other, product, len(batches[0]))
                self._products[at[one], at[other]] += sums
                if other is not one:
                    self._products[at[other], at[one]] += sums.T

    def _parts(self, batch: Batch) -> Additive:
        assert batch.score is not None
        found = gaps(self._measure, batch.score, batch.truth == batch.positive)
        assert found is not None
        return found

    def resampled(self, seed: int) -> list[Array]:
        """The calibration error of each model in resamples of the rows."""
        values, vectors = np.linalg.eigh(self._products)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        normal = np.random.default_rng(seed).standard_normal((RESAMPLES, len(root)))
        drawn = self._sums + normal @ root.T
        return [value(drawn) for value in self._values]


def can_be_summed(measure: Measure) -> bool:
    """Whether a measure is a calibration error over bins whose ends are known before the rows."""
    asked = {**measure.metric.parameters, **measure.parameters}
    return measure.average is None and measure.metric.of_gaps is not None and asked["rule"] == "width"


def _reader(part: Additive, where: list[slice]) -> Callable[[Array], Array]:
    of = part.of  # without the rows of the chunk
    return lambda sums: of(*(sums[:, at] for at in where))


def _weighted(column: Column, weights: Array | None) -> Array | None:
    return column.values if weights is None else _times(column.values, weights)


def _times(first: Array | None, second: Array | None) -> Array | None:
    if first is None or second is None:
        return second if first is None else first
    return first * second


def _binned(one: Column, other: Column | None, values: Array | None, rows: int) -> Array:
    """Sums of values, or of ones, by the cells of a column, or by those of two."""
    cells = one.cells * (1 if other is None else other.cells)
    codes = one.codes
    if other is not None and other.codes is not None:
        codes = other.codes if codes is None else codes.astype(np.int64) * other.cells + other.codes
    if codes is None:
        sums = np.array([float(rows) if values is None else values.sum()])
    else:
        sums = np.bincount(codes, values, cells).astype(np.float64)
    return sums if other is None else sums.reshape(one.cells, other.cells)
