"""From a measure and the views of the evidence to a value that inference understands.

How a metric is looked at (one class, the positive one, all classes, rows) is decided here, once, outside every metric.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.errors import UnknownName
from calipers.metrics import gradient
from calipers.metrics.averages import averaged
from calipers.metrics.base import Measure, RowMean
from calipers.metrics.class_columns import of_columns
from calipers.metrics.joint import Joint, Sizes
from calipers.metrics.outputs import of_numbers
from calipers.metrics.ranking import step_of
from calipers.metrics.values import (
    Answer,
    Combination,
    FScore,
    Largest,
    Mean,
    Proportion,
    Smooth,
    Without,
    mean_loss,
    number,
)
from calipers.metrics.views import Unavailable, Views
from calipers.metrics.weighted_shares import of_equal_weights, smoothed, weighted
from calipers.remarks import Remark
from calipers.statistics.classes import ClassScores
from calipers.statistics.confusion import ConfusionCounts, Margins, OneVsRest
from calipers.statistics.errors import Errors
from calipers.statistics.labels import LabelCounts, LabelPairs
from calipers.statistics.moments import Moments
from calipers.statistics.queries import QueryGains
from calipers.statistics.ranks import RankCounts
from calipers.statistics.rows import Rows
from calipers.statistics.scores import ScoreSamples

Array = npt.NDArray[Any]
OF_COUNTS = (OneVsRest, Margins, ConfusionCounts, RankCounts)
TN_UNKNOWN = Remark("metrics.tn_unknown")


def resolve(measure: Measure, views: Views, index: int | None = None) -> Answer:
    """The value of a measure: of the class at `index`, of the positive class, or over all classes."""
    metric = measure.metric
    try:
        if views.facts.of_numbers != metric.of_numbers:
            other = Remark("metrics.of_numbers") if metric.of_numbers else Remark("metrics.not_of_numbers")
            raise Unavailable(other)
        with np.errstate(all="ignore"):
            answer = _FORMS[metric.over](measure, views, index)
            if metric.over in OF_COUNTS and weighted(answer.value) and views.equal_weights:
                answer = answer._replace(value=of_equal_weights(answer.value))
            point = float(number(answer.value))
    except Unavailable as why:
        return Answer(Without(np.nan, why.remark), why.remark, available=False)
    value, reason, flags, available, _ = answer
    return Answer(value, reason or (metric.undefined if point != point else ""), flags, available, point)


def _of_counts(measure: Measure, views: Views, index: int | None) -> Answer:
    counts = views.one_vs_rest
    if measure.average is None:
        at = views.positive if index is None else index
        if at is None:
            raise _ambiguous(measure, views)
        return _of_one(measure, counts.at(at))
    if measure.average == "micro":
        answer = _of_one(measure, counts.pooled())
        pairs = views.evidence.get(LabelPairs)
        if pairs is not None and not isinstance(answer.value, Without):
            return Answer(_of_pooled(measure, counts, pairs))
        several = views.evidence.get(LabelCounts) is not None
        return answer._replace(flags=(Remark("metrics.independent_labels"),)) if several else answer
    return averaged(measure, views, counts)


def _of_pooled(measure: Measure, c: OneVsRest, pairs: LabelPairs) -> Smooth:
    """Labels of the same rows added up, which are not so many rows."""
    spread = partial(gradient.of_pairs, lambda each: number(measure.formula(each.pooled())), c, pairs.second)
    total = c.pooled()
    shrink = sum(total.counts) / sum(total.squares or total.counts) / len(pairs.labels)  # effective rows a label
    rarest, rows = min(total.tp, total.fp + total.fn) * shrink, sum(total.counts) * shrink
    return Smooth(float(number(measure.formula(total))), spread, len(pairs.labels), float(rarest), float(rows))


def _of_one(measure: Measure, c: OneVsRest) -> Answer:
    raw = measure.formula(c)
    reason = TN_UNKNOWN if c.tn != c.tn and np.isnan(number(raw)) else ""
    if c.squares is not None and isinstance(raw, (Proportion, Combination, FScore)):
        raw = smoothed(raw, measure.formula(OneVsRest(*c.squares[:4])))
    if isinstance(raw, Without) or (isinstance(raw, (Proportion, Combination, FScore)) and not c.fixed):
        return Answer(raw, reason)
    squares = c.counts if c.squares is None else c.squares
    total, second = np.nansum(c.counts), np.nansum(squares)
    spread = partial(gradient.of_one, measure.formula, c)
    rarest = _rarest(np.array(c.counts), np.array(squares))
    smooth = Smooth(float(number(raw)), spread, 2, rarest, float(total**2 / second), restated=c.fixed)
    return Answer(smooth, reason)


def _rarest(counts: Array, squares: Array) -> float:
    """The least effective count of a cell, each by its own weights: those of classes differ when restated."""
    return float(np.fmin.reduce(np.where(counts > 0, counts * counts / squares, counts), axis=None))


def _table(views: Views, index: int | None) -> ConfusionCounts:
    """The confusion matrix of all classes, or of one class against the rest."""
    if index is None:
        return views.confusion
    counts = views.one_vs_rest.at(index)
    if counts.tn != counts.tn:
        raise Unavailable(TN_UNKNOWN)
    return counts.against_rest(views.rows)


def _of_margins(measure: Measure, views: Views, index: int | None) -> Answer:
    table = _table(views, index)
    raw = measure.formula(table.margins)
    total = table.cells.sum()
    rows = float(total if table.squares is None else total**2 / table.squares.sum())
    if isinstance(raw, (Proportion, Largest)) and not views.fixed:
        if table.squares is None or isinstance(raw, Largest):
            return Answer(raw if table.squares is None else raw._replace(effective=rows))
        second = ConfusionCounts(table.labels, table.squares, None, table.rows)
        return Answer(smoothed(raw, measure.formula(second.margins)))
    if isinstance(raw, Without):
        return Answer(raw)
    smallest = _smallest(table)
    spread = partial(gradient.of_margins, measure.formula, table, views.fixed)
    return Answer(Smooth(float(number(raw)), spread, len(table.labels), smallest, rows, restated=views.fixed))


def _smallest(table: ConfusionCounts) -> float:
    """The count that a measure of the whole table is based on: of two classes the least cell.

    Of many, most cells are nearly empty and decide nothing: it is based on hits and errors.
    """
    if len(table.labels) <= 2:
        return _rarest(table.cells, table.second)
    return _rarest(*(np.array([np.trace(x), x.sum() - np.trace(x)], np.float64) for x in (table.cells, table.second)))


def _of_confusion(measure: Measure, views: Views, index: int | None) -> Answer:
    table = _table(views, index)
    raw = measure.formula(table)
    if table.squares is not None and isinstance(raw, Combination):
        weights = ConfusionCounts(table.labels, table.squares, None, table.rows)
        raw = smoothed(raw, measure.formula(weights))
    absent = len(table.labels) - len(raw.parts) if isinstance(raw, Combination) else 0
    why = Remark("inference.class_without_rows")
    left_out = Remark("metrics.classes_left_out", count=absent, total=len(table.labels), why=why)
    return Answer(raw, "", (left_out,) if absent else ())


def _of_samples(measure: Measure, views: Views, index: int | None) -> Answer:
    metric = measure.metric
    if metric.probabilities and views.why_not_probabilities:
        raise Unavailable(views.why_not_probabilities)
    whole = index is None and measure.average is None
    if whole and (losses := views.losses(measure.name)) is not None:
        return Answer(mean_loss(losses, metric.most_of_two if len(views.labels) == 2 else np.inf))
    if whole and metric.rows is not None and views.facts.top_class:
        return Answer(Mean(views.moments(measure.name), metric.most_of_two if len(views.labels) == 2 else np.inf))
    of_top = whole and metric.top_class and views.facts.top_class
    if index is not None or measure.average is not None or (not views.facts.one_score and not of_top):
        if index is None and measure.average is None:
            raise _ambiguous(measure, views)
        return of_columns(measure, views, index)
    samples = views.samples if views.facts.one_score else views.top
    if metric.probabilities and not samples.probabilities:
        low, high = samples.range
        raise Unavailable(Remark("metrics.out_of_range", low=low, high=high))
    raw = measure.formula(samples)
    if not isinstance(raw, Mean):
        return Answer(raw)
    if views.fixed:
        return Answer(_of_strata(measure, samples, raw))
    return Answer(raw._replace(most=min(raw.most, metric.most_of_two)))


def _of_strata(measure: Measure, s: ScoreSamples, raw: Mean) -> Mean | Without:
    """A mean over rows whose classes have set shares: only what varies within the classes counts.

    It is told as the mean of one sample with the same variance, third cumulant and degrees of freedom (Satterthwaite).
    """
    no_pos, no_neg = (None if w is None else w[:0] for w in (s.pos_weights, s.neg_weights))
    alone = ScoreSamples(s.pos, s.neg[:0], s.pos_weights, no_neg), ScoreSamples(s.pos[:0], s.neg, no_pos, s.neg_weights)
    if min(s.effective) <= 1:
        return Without(raw.value, Remark("metrics.fewer_than_two_of_a_class"))
    variance = cumulant = lost = 0.0
    for m, n in zip((measure.formula(part).moments for part in alone), s.effective, strict=True):
        share = m.weight / (s.positives + s.negatives)
        part = share**2 * m.m2 / m.weight / (n - 1)
        variance, cumulant = variance + part, cumulant + share**3 * m.m3 / m.weight / n**2
        lost += part**2 / (n - 1)
    rows = 1 + variance**2 / lost if lost else sum(s.effective)
    m2, m3 = variance * rows * (rows - 1), cumulant * rows**3
    moments = Moments(s.rows, rows, rows, raw.value, m2, m3, 0.0, m2)
    return Mean(moments, measure.metric.most_of_two, unseen=raw.unseen)


def _all_classes_only(index: int | None) -> None:
    if index is not None:
        raise Unavailable(Remark("metrics.all_classes_only"))


def _of_class_scores(measure: Measure, views: Views, index: int | None) -> Answer:
    _all_classes_only(index)
    if views.facts.label_sets:
        raise Unavailable(Remark("metrics.of_classes"))
    return Answer(measure.formula(views.class_scores))


def _of_ranks(measure: Measure, views: Views, index: int | None) -> Answer:
    _all_classes_only(index)
    ranks = views.ranks
    raw = measure.formula(ranks)
    if ranks.squares is not None and isinstance(raw, Proportion):
        raw = smoothed(raw, measure.formula(RankCounts(ranks.squares, None, ranks.rows)))
    return Answer(raw)


def _of_rows(measure: Measure, views: Views, index: int | None) -> Answer:
    if not views.facts.label_sets:
        raise Unavailable(Remark("metrics.of_label_sets"))
    _all_classes_only(index)
    return Answer(measure.formula(views.moments(measure.name)))


def _of_queries(measure: Measure, views: Views, index: int | None) -> Answer:
    each = values_of_queries(measure, views)
    left = int(np.isnan(each).sum())
    flags = (Remark("metrics.queries_left_out", count=left, total=len(each)),) if left else ()
    return Answer(measure.formula(each[~np.isnan(each)]), "", flags)


def values_of_queries(measure: Measure, views: Views) -> Array:
    """The measure of each query, NaN where one is left out; one not asked for before is computed now."""
    gains, ranked = views.queries, views.rankings
    if measure.name in gains.names:
        return gains.of_measure(measure.name)
    if ranked is None:
        raise Unavailable(Remark("metrics.not_asked_for_queries", names=[measure.name]))
    return QueryGains.of(ranked, {measure.name: step_of(measure, ranked.most)}).of_measure(measure.name)


_FORMS: dict[Any, Callable[[Measure, Views, int | None], Answer]] = {
    OneVsRest: _of_counts,
    Margins: _of_margins,
    ConfusionCounts: _of_confusion,
    ScoreSamples: _of_samples,
    ClassScores: _of_class_scores,
    RankCounts: _of_ranks,
    RowMean: _of_rows,
    QueryGains: _of_queries,
    **dict.fromkeys((Errors, Joint, Sizes, Rows), of_numbers),
}


def _ambiguous(measure: Measure, views: Views) -> UnknownName:
    name = measure.metric.name
    averages = [f"{name}(average={a})" for a in ("macro", "weighted", "micro")]
    code = "metrics.of_one_class_of_two" if len(views.labels) == 2 else "metrics.of_one_class"
    return UnknownName(code, metric=name, averages=averages)
