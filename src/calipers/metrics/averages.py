"""Averages over classes, written once, outside every metric.

A class that occurs but where the metric is undefined counts as the worst value; a class that occurs neither in the
truth nor in the predictions is left out. Both are said in the flags.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.metrics import gradient
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.spread import Spread
from calipers.metrics.values import Answer, Combination, Proportion, Smooth, Without, number
from calipers.metrics.views import Views
from calipers.metrics.weighted_shares import smoothed
from calipers.remarks import Remark
from calipers.statistics.confusion import OneVsRest
from calipers.statistics.labels import LabelCounts, LabelPairs

Array = npt.NDArray[Any]


def averaged(measure: Measure, views: Views, c: OneVsRest) -> Answer:
    """The average over classes that the measure names (micro, which pools the counts, is no average)."""
    occurs = c.tp + c.fp + c.fn > 0
    raw = measure.formula(c)
    undefined = np.isnan(number(raw))
    worst = measure.metric.worst
    if np.isinf(worst):
        occurs &= ~undefined
    function = over_classes(measure, occurs)
    second = c.squares or c.counts
    rows = (c.tp + c.fn).sum()
    shrink = rows / (second[0] + second[2]).sum() if rows else np.nan
    spread: Callable[[float], Spread]
    pairs = views.evidence.get(LabelPairs)
    if pairs is not None:
        spread, method = partial(gradient.of_pairs, function, c, pairs.second), "delta"
    elif views.evidence.has(LabelCounts):
        spread, method = partial(gradient.of_labels, function, c), Remark("metrics.dependent_labels")
    else:
        spread, method = partial(gradient.of_classes, function, views.confusion, c.fixed), "delta"
    zero, out = int((undefined & occurs).sum()), int((~occurs).sum())
    flags = []
    if zero:
        why = measure.metric.undefined
        flags.append(Remark("metrics.classes_counted_as", count=zero, total=len(occurs), value=worst, why=why))
    if out:
        flags.append(Remark("metrics.classes_absent", count=out, total=len(occurs)))
    joint = not views.evidence.has(LabelCounts) and not c.fixed
    if joint and measure.average == "macro" and _of_true_rows(measure):
        return Answer(_mean_of_rows(measure, raw, c, occurs), "", tuple(flags))
    smallest, carrying = _rarest(c, occurs), np.inf if measure.average == "weighted" else _carrying(c, occurs)
    value = float(function(c)) if occurs.any() else np.nan
    if isinstance(raw, Without):
        return Answer(raw._replace(value=value), "", tuple(flags))
    smooth = Smooth(
        value, spread, len(occurs), smallest * shrink, float(rows * shrink), method, carrying=carrying * shrink
    )
    return Answer(smooth, "", tuple(flags))


def _rarest(c: OneVsRest, occurs: Array) -> float:
    """The count that an average is based on: of two classes the fewest hits or errors of one.

    Of many, some class has hardly an error, which decides nothing: it is based on hits and errors in all.
    """
    if len(occurs) <= 2:
        return float(np.min([np.where(occurs, x, np.inf) for x in (c.tp, c.fp + c.fn)], initial=np.inf))
    return float(min(c.tp.sum(), max(c.fn.sum(), c.fp.sum())))


def _carrying(c: OneVsRest, occurs: Array) -> float:
    """The rows of the small classes as far as these carry the variance of a mean over many, which goes with 1/rows.

    One small class of three is most of it, and five of twenty are many rows together (Satterthwaite 1946).
    """
    each = 1 / np.maximum(c.tp + c.fn, 1e-9)[occurs]
    return float(each.sum() ** 2 / (each**3).sum()) if len(occurs) > 2 and len(each) else np.inf


@cache
def _of_true_rows(measure: Measure) -> bool:
    """Whether the classes' shares are of different rows, and so independent: recall and miss rate.

    Seen from counts of which no two sums are equal; those at hand may agree by chance.
    """
    raw = measure.formula(OneVsRest(*np.array([1.0, 2.0, 4.0, 8.0])))
    return isinstance(raw, Proportion) and raw.through is None and bool(raw.trials == 5)


def _mean_of_rows(measure: Measure, raw: Proportion, c: OneVsRest, occurs: Array) -> Combination:
    if c.squares is not None:
        raw = smoothed(raw, measure.formula(OneVsRest(*c.squares)))
    count, defined = int(occurs.sum()), np.flatnonzero(raw.trials > 0).tolist()
    effective = raw.trials if raw.effective is None else raw.effective
    terms = [(1, Proportion(raw.hits[k], raw.trials[k], effective=effective[k])) for k in defined]
    return Combination(terms, measure.metric.worst * (count - len(defined)) / count, count)


def over_classes(measure: Measure, occurs: Array) -> Callable[[OneVsRest], Any]:
    """A class that occurs but where the metric is undefined counts as the worst; one that does not is left out."""
    if measure.average == "means":
        parts = [over_classes(CATALOGUE[f"{name}(average=macro)"], occurs) for name in ("precision", "recall")]
        of_means = measure.metric.of_means
        assert of_means is not None
        return lambda c: of_means(*(part(c) for part in parts), **measure.parameters)

    worst = 0.0 if np.isinf(measure.metric.worst) else measure.metric.worst

    def average(c: OneVsRest) -> Any:
        each = number(measure.formula(c))
        each = np.where(np.isnan(each), worst, each)
        share = occurs * (c.tp + c.fn) if measure.average == "weighted" else occurs * np.ones_like(each)
        return (share * each).sum(-1) / share.sum(-1)

    return average
