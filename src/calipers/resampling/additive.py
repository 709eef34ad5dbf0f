"""Which measures are functions of sums over rows: of tables, of bins of a score, of counts of labels, of row means."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.data.batch import Batch
from calipers.metrics.base import Measure, RowMean
from calipers.metrics.bins import codes_of_width, mean_gap
from calipers.metrics.views import Views
from calipers.resampling.influence import hits_of, of_top, scored_column
from calipers.resampling.row_draws import TOTAL, Additive, Column
from calipers.resampling.tables import Tables, codes_of, over_counts, over_tables
from calipers.statistics.confusion import ConfusionCounts, Margins, OneVsRest
from calipers.statistics.labels import LabelCounts
from calipers.statistics.ranks import RankCounts
from calipers.statistics.scores import ScoreSamples

Array = npt.NDArray[Any]


def additive(
    measure: Measure, views: Views, index: int | None, known: dict[str, Any]
) -> Additive | None:
    """The measure as a function of sums over the rows behind the views; None where it is none.

    `known` keeps the columns that several measures of these views share.
    """
    metric, rows = measure.metric, views.source
    if rows is None:
        return None
    if metric.over in (OneVsRest, Margins, ConfusionCounts):
        if views.evidence.get(LabelCounts) is not None:
            return None if rows.pred is None else _labels(measure, views, rows, index, known)
        return _table(measure, views, rows, index, known)
    if index is None and measure.average is None:
        if metric.over is RankCounts and rows.scan is not None:
            return mean(hits_of(measure, views))
        if metric.rows is not None and (metric.over is RowMean or views.facts.top_class):
            return mean(np.asarray(metric.rows(rows)))
        if metric.over is ScoreSamples and (views.facts.one_score or of_top(measure, views)):
            _, score, is_true = scored_column(measure, views, None)
            return gaps(measure, score, is_true)
    return None


def mean(each: Array) -> Additive:
    """The mean of a number that each row has."""

    def of(total: Array, weight: Array) -> Array:
        with np.errstate(invalid="ignore"):
            return np.asarray(total[:, 0] / weight[:, 0])

    return Additive((Column(None, 1, np.ascontiguousarray(each, np.float64)), TOTAL), of)


def gaps(measure: Measure, score: Array, is_true: Array) -> Additive | None:
    """A summary of the gaps between promised and observed frequency over bins of equal width."""
    of_gaps = measure.metric.of_gaps
    asked = {**measure.metric.parameters, **measure.parameters}
    if of_gaps is None or asked["rule"] != "width":
        return None
    bins = int(asked["bins"])
    codes = codes_of_width(score, bins)
    weights = TOTAL if of_gaps is mean_gap else Column(codes, bins, None)  # a mean needs only the weight in all

    def of(weight: Array, gap: Array) -> Array:
        return np.asarray(of_gaps(weight, gap))

    return Additive((weights, Column(codes, bins, is_true - score.astype(np.float64))), of)


def _table(
    measure: Measure, views: Views, rows: Batch, index: int | None, known: dict[str, Any]
) -> Additive | None:
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
        return over_tables(measure, views, Tables(tables), index)

    return Additive((known["cells"],), of)


def _labels(measure: Measure, views: Views, rows: Batch, index: int | None, known: dict[str, Any]) -> Additive:
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
