"""Confusion matrices by the thousand: predicted classes of rows, and what measures of tables say of each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.cached import lazy
from calipers.data.batch import Batch
from calipers.metrics.averages import over_classes
from calipers.metrics.influence import weights_of
from calipers.metrics.resolve import resolve
from calipers.metrics.sums import Additive, Column
from calipers.metrics.values import Combination, Proportion, number
from calipers.metrics.views import Unavailable, Views
from calipers.statistics.combine import Evidence
from calipers.statistics.confusion import ConfusionCounts, Margins, OneVsRest

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.metrics.over.counts import Counted

Array = npt.NDArray[Any]
MAX_CELLS = 4_000_000  # cells of confusion matrices in memory at once
STEP = 1e-4  # relative step of a numerical derivative by a cell; its error is of the order of the square


def codes_of(batch: Batch, views: Views) -> Array | None:
    """Predicted classes as codes; a binary score is cut where its label metrics cut it. None for label sets."""
    if not batch.facts.one_class:
        return None
    if batch.pred is not None and views.counted:
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


def over_counts(measure: Measure, counts: OneVsRest, at: int | None) -> Array:
    """A measure of many sets of counts (sets, classes) at once: of the class `at`, pooled, or over all classes."""
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


def sums_of_table(
    view: Counted, measure: Measure, views: Views, rows: Batch, index: int | None, known: dict[str, Any]
) -> Additive | None:
    """A measure of the confusion matrix as a function of its cells."""
    k, total = len(views.labels), _total(rows)
    if "cells" not in known:
        codes = codes_of(rows, views)
        if codes is None:
            return None
        where = rows.truth.astype(np.uint32) * np.uint32(k) + codes.astype(np.uint32)
        known["cells"] = Column(where, k * k, None)

    def of(cells: Array) -> Array:
        tables = cells.reshape(-1, k, k)
        with np.errstate(all="ignore"):
            if views.fixed:  # the restated totals of the true classes
                tables = tables * (views.confusion.cells.sum(1) / tables.sum(2))[:, :, None]
            else:
                tables = tables * (total / tables.sum((1, 2)))[:, None, None]
        return view.of_tables(measure, views, Tables(tables), index)

    return Additive((known["cells"],), of)


def sums_of_labels(measure: Measure, views: Views, rows: Batch, index: int | None, known: dict[str, Any]) -> Additive:
    """A measure of the counts of each label as a function of them."""
    total = _total(rows)
    if "labels" not in known:
        assert rows.pred is not None
        kinds = (2 * rows.truth.astype(np.uint32) + rows.pred.astype(np.uint32)).T  # TN, FP, FN, TP
        known["labels"] = tuple(Column(np.ascontiguousarray(kind), 4, None) for kind in kinds)

    def of(*labels: Array) -> Array:
        cells = np.stack(labels, 1)
        with np.errstate(all="ignore"):
            tn, fp, fn, tp = np.moveaxis(cells * (total / cells.sum(2, keepdims=True)), 2, 0)
        return over_counts(measure, OneVsRest(tp, fp, fn, tn), views.positive if index is None else index)

    return Additive(known["labels"], of)


def _total(rows: Batch) -> float:
    """What the rows weigh in all, which counts of a sample are shares of."""
    return float(len(rows) if rows.weights is None else rows.weights.sum())


def influence_through_cells(view: Counted, measure: Measure, views: Views, index: int | None) -> Array:
    """Rows of one cell move the measure alike: by its slope there, a central difference over all cells at once."""
    rows, table = views.source, views.confusion
    assert rows is not None
    at = np.argwhere(table.cells > 0)
    cells = table.cells.astype(np.float64)
    ends = []
    for step in (STEP, -STEP):
        changed = np.repeat(cells[None], len(at), 0)
        changed[np.arange(len(at)), at[:, 0], at[:, 1]] *= 1 + step
        ends.append(view.of_tables(measure, views, Tables(changed), index))
    slopes = np.zeros_like(cells)
    slopes[at[:, 0], at[:, 1]] = (ends[0] - ends[1]) / (2 * STEP * cells[at[:, 0], at[:, 1]])
    if views.fixed:
        slopes -= ((slopes * cells).sum(1) / cells.sum(1))[:, None]
    codes = codes_of(rows, views)
    assert codes is not None
    return np.asarray(weights_of(views) * slopes[rows.truth.astype(np.intp), codes])


def tried_rows(
    view: Counted, measure: Measure, views: Views, index: int | None, value: Proportion | Combination
) -> list[tuple[Array, Array]]:
    """For each share behind a value, whether each row is in its denominator, and whether it is a hit.

    Seen from tables with more rows in one cell. Of measures of one class, or that treat all classes alike, a few cells
    stand for the others.
    """
    rows = views.source
    assert rows is not None
    truth, codes, k = rows.truth.astype(np.intp), codes_of(rows, views), len(views.labels)
    assert codes is not None
    if isinstance(value, Combination) or k == 1:
        cells = [(i, j) for i in range(k) for j in range(k)]
        kinds = truth * k + codes
    elif index is None and (measure.average == "micro" or view.alike):
        cells, kinds = [(0, 1), (0, 0)], (truth == codes).astype(np.intp)
    else:
        one = views.positive if index is None else index
        assert one is not None
        other = 1 if one == 0 else 0
        cells = [(i, j) for i in (other, one) for j in (other, one)]
        kinds = 2 * (truth == one) + (codes == one)
    own, more = shares_of(value), np.zeros((len(shares_of(value)), 2, len(cells)))
    for at, cell in enumerate(cells):
        for i, (_, then) in enumerate(_with_more(measure, views, index, cell)[: len(own)]):
            now = own[i][1]
            more[i, :, at] = then.trials - now.trials, then.hits - now.hits
    more = np.round(more / float(views.confusion.cells.sum()), 6)
    return [(trials[kinds], hits[kinds]) for trials, hits in more]


def shares_of(value: Any) -> list[tuple[float, Proportion]]:
    """The shares that a value adds up, each with its factor."""
    if isinstance(value, Combination):
        return [(float(c), p) for c, p in value.parts]
    return [(1.0, value)] if isinstance(value, Proportion) else []


def _with_more(measure: Measure, views: Views, index: int | None, cell: tuple[int, int]) -> list[Any]:
    """The shares with as many rows more in one cell as there are in all, so that weights lose no digits."""
    table = views.confusion
    cells = table.cells.astype(np.float64)
    cells[cell] += cells.sum()
    evidence = Evidence.holding(ConfusionCounts(views.labels, cells, None, views.rows))
    return shares_of(resolve(measure, replace(views, evidence=evidence), index).value)
