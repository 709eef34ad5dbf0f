"""Confusion matrices by the thousand: predicted classes of rows, and a measure of many tables at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.cached import lazy
from calipers.data.batch import Batch
from calipers.metrics.averages import over_classes
from calipers.metrics.base import Measure
from calipers.metrics.values import number
from calipers.metrics.views import Unavailable, Views
from calipers.statistics.confusion import ConfusionCounts, Margins, OneVsRest

Array = npt.NDArray[Any]
MAX_CELLS = 4_000_000  # cells of confusion matrices in memory at once


def codes_of(batch: Batch, views: Views) -> Array | None:
    """Predicted classes as codes; a binary score is cut where its label metrics cut it. None for label sets."""
    if not batch.facts.one_class:
        return None
    if batch.pred is not None and "ConfusionCounts" in views.evidence.parts:
        return batch.pred
    assert batch.score is not None
    assert batch.positive is not None
    try:
        threshold = batch.score.dtype.type(views.decision_threshold)
        classes = np.array([1 - batch.positive, batch.positive], np.uint8)
        return np.asarray(classes[(batch.score >= threshold).view(np.uint8)])
    except Unavailable:
        return None


@dataclass(frozen=True, eq=False)
class Tables:
    """Many confusion matrices, (tables, K, K); what several measures need of them is found once."""

    cells: Array

    @lazy
    def counts(self) -> OneVsRest:
        """The counts of each class."""
        tp, truth, predicted = self.cells.diagonal(0, 1, 2), self.cells.sum(2), self.cells.sum(1)
        return OneVsRest(tp, predicted - tp, truth - tp, truth.sum(1)[:, None] - truth - predicted + tp)

    @lazy
    def margins(self) -> Margins:
        """Agreement and both margins."""
        return Margins.of(self.counts)


def over_tables(measure: Measure, views: Views, tables: Tables, index: int | None = None) -> Array:
    """The measure of many confusion matrices at once: formulas take leading axes."""
    if measure.metric.over is OneVsRest:
        return over_counts(measure, tables.counts, views.positive if index is None else index)
    with np.errstate(all="ignore"):
        whole = ConfusionCounts(views.labels, tables.cells, None, views.rows)
        if index is not None:
            whole = tables.counts.at(index).against_rest(views.rows)
            tables = Tables(whole.cells)
        counted: Any = tables.margins if measure.metric.over is Margins else whole
        values = np.asarray(number(measure.formula(counted)), np.float64)
        return np.broadcast_to(values, len(tables.cells)).copy()


def over_counts(measure: Measure, counts: OneVsRest, at: int | None) -> Array:
    """The same of many sets of counts (sets, classes): of the class `at`, pooled, or over all classes."""
    with np.errstate(all="ignore"):
        if measure.average is None:
            assert at is not None
            counted = counts.at(at)
        elif measure.average == "micro":
            counted = counts.pooled()
        else:
            occurs = counts.tp + counts.fp + counts.fn > 0
            if np.isinf(measure.metric.worst):
                occurs = occurs & ~np.isnan(number(measure.formula(counts)))
            return np.asarray(over_classes(measure, occurs)(counts), np.float64)
        values = np.asarray(number(measure.formula(counted)), np.float64)
        return np.broadcast_to(values, len(counts.tp)).copy()


def multinomial(table: ConfusionCounts, fixed: bool, seed: int, replicates: range) -> Array:
    """Rows of a table drawn again, within the true classes where their shares were set from outside."""
    cells, second = table.cells.astype(np.float64), table.second.astype(np.float64)
    strata = cells[:, None, :] if fixed else cells[None]  # (stratum, its rows, columns)
    squares = (second[:, None, :] if fixed else second[None]).sum((1, 2))
    rng = np.random.default_rng((seed, replicates.start))
    out = []
    for stratum, square in zip(strata, squares, strict=True):
        total = stratum.sum()
        n = round(total**2 / square) if square else 0
        shares = stratum.ravel() / total if n else np.full(stratum.size, 1 / stratum.size)
        draws = rng.multinomial(n, shares, len(replicates)) * (total / max(n, 1))
        out.append(draws.reshape(len(replicates), *stratum.shape))
    return np.concatenate(out, 1)


def without_a_row(table: ConfusionCounts) -> tuple[Tables, Array]:
    """The table without one row of each cell in turn, and how many rows the cell has."""
    at = np.argwhere(table.cells > 0)
    cells, second = table.cells[*at.T].astype(np.float64), table.second[*at.T].astype(np.float64)
    left = np.repeat(table.cells[None].astype(np.float64), len(at), 0)
    left[np.arange(len(at)), at[:, 0], at[:, 1]] -= second / cells  # a row of the cell's usual weight
    return Tables(left), cells**2 / second
