"""The best value of a metric among the thresholds that meet a condition, with an interval that allows for the choice.

Every resample chooses its own threshold. The interval of a fixed one would say too much: what meets the condition by
chance moves the threshold, and with it the value (benchmarks/chosen_trials.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.errors import InputError
from calipers.evaluation.estimates import resampling
from calipers.evaluation.evaluation import Evaluation
from calipers.gating.requirements import OPS, Bar
from calipers.inference.resampled import percentile
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.values import number
from calipers.progress import with_progress
from calipers.remarks import Remark
from calipers.resampling.bootstrap import Bootstrap
from calipers.settings import Label
from calipers.statistics.confusion import OneVsRest

Array = npt.NDArray[Any]
POINTS = 1000  # thresholds that a resample chooses from, spread along the sweep
TAIL, MOST = 10, 10_000  # resamples beyond each bound, at least; resamples in all
MOST_ROWS = 200_000_000  # rows drawn in all, beyond which resamples are as few as the bounds allow
FAR = 1e300  # stands for infinity, which percentiles cannot be taken of


@dataclass(frozen=True, eq=False)
class Chosen:
    """A threshold and the value there; `bounds` chooses again in resamples, as many as the level asks for."""

    threshold: float
    value: float
    most: int
    again: Callable[[int], Iterator[float]] = field(repr=False)
    cache: dict[int, Array] = field(default_factory=dict, repr=False)

    def count(self, level: float) -> int:
        """How many resamples a level needs."""
        return min(MOST, max(self.most, math.ceil(2 * TAIL / (1 - level))))

    def bounds(self, level: float) -> tuple[float, float]:
        """The percentile interval of the best values."""
        count = self.count(level)
        if count not in self.cache:
            self.cache[count] = np.clip(list(self.again(count)), -FAR, FAR)
        low, high = percentile(self.cache[count], level)
        return low if low > -FAR else -math.inf, high if high < FAR else math.inf


def choose(ev: Evaluation, bar: Bar, condition: Bar, label: Label | None) -> Chosen | str:
    """The best threshold for a metric among those that meet a condition, or why there is none.

    label: the class whose score has the threshold; the positive one by default.
    """
    measure, other = (CATALOGUE[each.metric] for each in (bar, condition))
    for each in (measure, other):
        if not each.metric.view.of_counts or each.average is not None:
            raise InputError("gating.no_best_threshold", metric=str(each))
    area = ev["roc_auc"] if label in (None, ev.positive) else ev.classes[label]["roc_auc"]
    if math.isnan(area):  # one class alone has no thresholds to choose from
        return area.reason
    sign = 1 if bar.upwards else -1

    def criterion(c: OneVsRest) -> Array:
        value, limit = (np.asarray(number(each.formula(c))) for each in (measure, other))
        met = OPS[condition.op](limit, condition.number) & ~np.isnan(value)
        return np.where(met, sign * value, -np.inf)

    best = ev.best_threshold(criterion, label=label)
    if math.isinf(best.value):
        return Remark("gating.no_threshold", condition=str(condition))
    index = None if label in (None, ev.positive) else ev.labels.index(label)
    thresholds = ev.curve("sweep", label, points=POINTS).threshold
    worst = sign * measure.metric.bounds[0 if bar.upwards else 1]

    def again(count: int) -> Iterator[float]:
        boot = resampling(ev.views, ev.settings, index)
        for counts in _resampled_counts(boot, measure, thresholds, count):
            with np.errstate(all="ignore"):
                yield sign * max(worst, float(criterion(counts).max()))

    return Chosen(float(best), sign * best.value, min(ev.settings.replicates, MOST_ROWS // ev.rows), again)


def _resampled_counts(boot: Bootstrap, measure: Measure, thresholds: Array, count: int) -> Iterator[OneVsRest]:
    """The four counts at the thresholds in one resample after the other."""
    samples, keys = boot.ordered(measure)
    above = [_above(part, thresholds) for part in (samples.pos, samples.neg)]
    for replicate in with_progress(range(count), count):
        weights = boot.weighed(samples, keys, replicate)
        (tp, pos), (fp, neg) = (add(w) for add, w in zip(above, weights, strict=True))
        yield OneVsRest(tp, fp, pos - tp, neg - fp)


def _above(values: Array, thresholds: Array) -> Callable[[Array], tuple[Array, float]]:
    """What adds up the weights of sorted values at or above each threshold, and all of them: one pass, no long sums."""
    places = np.searchsorted(values, thresholds)
    edges = np.unique(np.append(places, (0, len(values))))
    at = np.searchsorted(edges, places)

    def add(weights: Array) -> tuple[Array, float]:
        below = np.zeros(len(edges))
        np.cumsum(np.add.reduceat(weights, edges[:-1], dtype=np.float64), out=below[1:])
        return below[-1] - below[at], float(below[-1])

    return add
