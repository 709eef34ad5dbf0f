"""How much each row moves a measure: what a variance is made of when rows come in groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.data.batch import Batch, Scan
from calipers.metrics.base import Measure
from calipers.metrics.outputs import influence as of_numbers
from calipers.metrics.outputs import row_losses
from calipers.metrics.scores import influence_on_area, influence_on_precision
from calipers.metrics.values import (
    Area,
    Largest,
    Mean,
    PrecisionArea,
    Smooth,
    Value,
    Without,
    number,
)
from calipers.metrics.views import Views
from calipers.resampling.tables import MAX_CELLS, Tables, codes_of, over_tables
from calipers.statistics.confusion import ConfusionCounts, Margins, OneVsRest
from calipers.statistics.labels import LabelCounts
from calipers.statistics.ranks import RankCounts
from calipers.statistics.rows import Rows
from calipers.statistics.scores import ScoreSamples

Array = npt.NDArray[Any]
STEP = 1e-4  # share of a cell by which it is moved to see what its rows do: the error is of the order of its square


def influence_of_rows(
    measure: Measure, views: Views, index: int | None, value: Value
) -> Callable[[], Array] | None:
    """Finds what each row adds to the error of the measure, its weight put in; None where only a bootstrap can tell."""
    rows, metric = views.source, measure.metric
    assert rows is not None
    if isinstance(value, Without) and not value.resampled:
        return None
    if metric.of_numbers:
        return _of_outputs(measure, rows, index, value)
    if isinstance(value, Smooth) and value.influence is not None:
        return value.influence
    if isinstance(value, Largest) and index is None:
        return lambda: deviations(views, (rows.truth == int(value.counts.argmax())).astype(np.float64))
    if metric.from_labels and metric.over in (OneVsRest, Margins, ConfusionCounts):
        if views.evidence.get(LabelCounts) is not None or len(views.labels) ** 4 > MAX_CELLS:
            return None
        return lambda: _through_cells(measure, views, index)
    if isinstance(value, (Area, PrecisionArea)) and measure.average is None:
        return lambda: _of_scores(measure, views, index, value)
    if metric.over is RankCounts:
        return lambda: deviations(views, hits_of(measure, views))
    if index is None and measure.average is None and (isinstance(value, Mean) or rows.facts.label_sets):
        losses = losses_of(measure, rows)
        return None if losses is None else lambda: deviations(views, losses)
    return None


def _of_outputs(measure: Measure, rows: Batch, index: int | None, value: Value) -> Callable[[], Array] | None:
    """Of predicted numbers: on the mean where the value is a map of one, else on the value itself."""
    numbers = rows_of(rows)
    if numbers.truth.ndim == 2:
        if index is None:
            return None
        numbers = numbers.output(index)
    if isinstance(value, Mean):
        losses = row_losses(measure, numbers)
        w = np.ones(numbers.n) if numbers.weights is None else numbers.weights
        if measure.loss is not None and measure.loss.kind == "percentage":
            w = w * (numbers.truth != 0)
        return lambda: np.asarray(w * (np.asarray(losses) - value.moments.mean) / w.sum())
    influence = of_numbers(measure, numbers)
    return None if influence is None else lambda: influence


def rows_of(batch: Batch) -> Rows:
    """True and predicted numbers of a batch, as formulas take them."""
    assert batch.score is not None
    return Rows(batch.truth, batch.score, batch.weights)


def weights_of(views: Views) -> Array:
    """The rows' weights, restated where the prevalence is."""
    rows = views.source
    assert rows is not None
    own = np.ones(len(rows)) if rows.weights is None else rows.weights
    if not views.fixed:
        return own
    samples, is_true = views.evidence.get(ScoreSamples), rows.truth == rows.positive
    at = views.positive
    if samples is not None:
        totals = samples.positives, samples.negatives
    else:
        truth = views.confusion.cells.sum(1)
        totals = float(truth[at]), float(truth.sum() - truth[at])
    return np.asarray(own * np.where(is_true, totals[0] / own[is_true].sum(), totals[1] / own[~is_true].sum()))


def deviations(views: Views, each: Array) -> Array:
    """What each row adds to the error of the mean of a number that each has."""
    w = weights_of(views)
    if not views.fixed:
        return np.asarray(w * (each - w @ each / w.sum()) / w.sum())
    rows = views.source
    assert rows is not None
    out = np.zeros(len(each))
    for part in (rows.truth == rows.positive, rows.truth != rows.positive):  # classes of a set size vary within
        out[part] = w[part] * (each[part] - w[part] @ each[part] / w[part].sum()) / w.sum()
    return out


def _through_cells(measure: Measure, views: Views, index: int | None) -> Array:
    """Rows of one cell move the measure alike: by its slope there, a central difference over all cells at once."""
    rows, table = views.source, views.confusion
    assert rows is not None
    at = np.argwhere(table.cells > 0)
    cells = table.cells.astype(np.float64)
    ends = []
    for step in (STEP, -STEP):
        changed = np.repeat(cells[None], len(at), 0)
        changed[np.arange(len(at)), at[:, 0], at[:, 1]] *= 1 + step
        ends.append(over_tables(measure, views, Tables(changed), index))
    slopes = np.zeros_like(cells)
    slopes[at[:, 0], at[:, 1]] = (ends[0] - ends[1]) / (2 * STEP * cells[at[:, 0], at[:, 1]])
    if views.fixed:
        slopes -= ((slopes * cells).sum(1) / cells.sum(1))[:, None]
    codes = codes_of(rows, views)
    assert codes is not None
    return np.asarray(weights_of(views) * slopes[rows.truth.astype(np.intp), codes])


def scored_column(measure: Measure, views: Views, index: int | None) -> tuple[ScoreSamples, Array, Array]:
    """The sorted samples that a measure of one score looks at, and the score and class of each row."""
    rows = views.source
    assert rows is not None
    assert rows.score is not None
    if index is not None:
        scores = views.class_scores
        return scores.columns[index], rows.score[:, index], scores.is_true(index)
    if of_top(measure, views):
        assert rows.scan is not None
        return views.top, rows.score[np.arange(len(rows)), rows.scan.top], rows.scan.top == rows.truth
    return views.samples, rows.score, rows.truth == rows.positive


def of_top(measure: Measure, views: Views) -> bool:
    """Whether several classes are measured by the score of the top one."""
    return views.facts.top_class and measure.metric.top_class


def _of_scores(measure: Measure, views: Views, index: int | None, value: Area | PrecisionArea) -> Array:
    samples, score, is_true = scored_column(measure, views, index)
    w = weights_of(views)
    if isinstance(value, Area):
        return np.asarray(value.slope * w * influence_on_area(samples, score, is_true) / w.sum())
    return np.asarray(w * influence_on_precision(samples, score, is_true) / w.sum())


def hits_of(measure: Measure, views: Views) -> Array:
    """What each row adds, by the rank of its true class."""
    rows, k = views.source, len(views.labels)
    assert rows is not None
    assert rows.scan is not None
    unit = [float(number(measure.formula(RankCounts(cells, None, 1)))) for cells in np.eye(k)]
    return np.array(unit)[rows.scan.rank.astype(np.intp) - 1]


def losses_of(measure: Measure, batch: Batch) -> Array | None:
    """The row-wise losses behind a mean; None where the measure has no row-wise form."""
    if measure.metric.of_numbers:
        whole = batch.truth.ndim == 1 and not (measure.loss is not None and measure.loss.kind == "percentage")
        return row_losses(measure, rows_of(batch)) if whole else None
    rows: Callable[[Batch], Any] | None = measure.metric.rows
    if rows is None or measure.average is not None:
        return None
    if batch.facts.one_score:
        if not measure.metric.probabilities or batch.score is None:
            return None
        batch = replace(batch, scan=_scan_of_two(batch))
    losses = rows(batch)
    return losses if isinstance(losses, np.ndarray) else None


def _scan_of_two(batch: Batch) -> Scan:
    """What row-wise forms look at in a matrix of two classes, from the score of one of them."""
    if Scan not in batch.cache:
        assert batch.score is not None
        other, none = 1 - batch.score, np.zeros(0, np.intp)
        own = np.where(batch.truth == batch.positive, batch.score, other).astype(np.float64, copy=False)
        square = batch.score.astype(np.float64, copy=False) ** 2 + other.astype(np.float64, copy=False) ** 2
        batch.cache[Scan] = Scan(none, none, own, square, 0.0, 1.0, 0, 0, 0.0, 0)
    scan: Scan = batch.cache[Scan]
    return scan
