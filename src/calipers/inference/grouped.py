"""The interval of a value whose rows come in groups: the default's, with the variance and the groups that were seen."""

from __future__ import annotations

import math
from collections.abc import Callable

from calipers.inference import area, delta, groups
from calipers.inference.jackknife import effective_differences
from calipers.inference.mean import raised, reaches
from calipers.inference.method import on_scale
from calipers.inference.of_smooth import safe_rows
from calipers.inference.proportion import mover
from calipers.inference.quantiles import t
from calipers.metrics.between_groups import Between, GroupedShare
from calipers.metrics.values import Area, Combination, Grouped, Mean, PrecisionArea, Proportion, Smooth
from calipers.remarks import Remark

Bounds = tuple[float, float]
FARTHEST_OF_AREAS = 2.0  # times Student's t: farther ends of areas hardly covered more
ROUNDING = 1e-12  # rounding of a sum of influences, relative to the value


def grouped(v: Grouped, level: float, bounds: Bounds) -> tuple[Bounds, str, float]:
    """Bounds (NaN where no spread was seen), the method, and about how many groups they are based on."""
    if v.shares is not None:
        return _of_shares(v, v.shares(), level, bounds)
    between, size = v.between(), abs(v.of.moments.mean) if isinstance(v.of, Mean) else abs(float(v.value))
    if between.variance <= (ROUNDING * (1 + size)) ** 2:
        between = between._replace(variance=0.0)
    if isinstance(v.of, Area):
        return _of_area(v.of, between, level)
    if isinstance(v.of, PrecisionArea) and between.variance > 0 and 0 < v.of.value < 1:
        return _of_precision(v.of, between, level)
    if isinstance(v.of, Mean):
        return _of_mean(v.of, between, level, bounds)
    fewest, value = min(between.groups, default=0.0), float(v.value)
    if isinstance(v.of, Smooth) and v.of.trials is not None:
        rows, per_row = v.of.trials(), min(n / m for n, m in zip(between.groups, between.rows, strict=True))
        ends = area.mean_of_areas(value, between.variance, between.df, rows * per_row, level, rows)
        return ends, on_scale(Remark("metrics.influence_of_rows"), "wilson"), about(between)
    if isinstance(v.of, Smooth) and v.of.classes > 1 and not v.of.restated and all(map(math.isfinite, bounds)):
        ends = _of_table(v.of, between, v.equal, level, bounds)
        return ends, on_scale(Remark("inference.linearised"), "wilson"), about(between)
    ends = delta.on_scale(value, math.sqrt(between.variance), t(level, between.df), bounds)
    if ends[0] != ends[0]:
        ends = delta.at_bound(value, fewest, level, bounds)
    return ends, on_scale(Remark("inference.linearised"), delta.scale(bounds)), about(between)


def about(between: Between) -> float:
    """As how many groups of equal size the variance is as sure as; without one, how many there are."""
    return between.df + 1 if between.variance > 0 else min(between.groups, default=0.0)


def _of_shares(v: Grouped, parts: list[GroupedShare], level: float, bounds: Bounds) -> tuple[Bounds, str, float]:
    each = [groups.share(p.value, *p.between[:2], p.rows, p.between.groups[0], level) for p in parts]
    few = min(about(p.between) for p in parts)
    if isinstance(v.of, Proportion):
        through: Callable[[float], float] = v.of.through or float
        return (float(through(each[0][0])), float(through(each[0][1]))), "wilson", few
    assert isinstance(v.of, Combination)
    alone, value = sum(p.coefficient**2 * p.between.variance for p in parts), float(v.of.value)
    # Groups that hold several classes make their shares vary together.
    together = math.sqrt(v.between().variance / alone) if alone > 0 else 1.0
    scaled = [(p.coefficient * together, p.value, *ends) for p, ends in zip(parts, each, strict=True)]
    return mover(value, scaled, bounds), Remark("inference.mover", method="wilson"), few


def _of_table(v: Smooth, between: Between, equal: float, level: float, bounds: Bounds) -> Bounds:
    """As without groups (inference/of_smooth.py); where few errors were seen, the rows of a group count as one."""
    low, high = bounds
    share, rows = (v.value - low) / (high - low), safe_rows(v, bounds)
    if rows == math.inf:
        return math.nan, math.nan
    of_classes = (n / m for n, m in zip(between.groups, between.rows, strict=True))
    fewer = rows * min(equal / sum(between.rows), *of_classes)
    spread = share * (1 - share) / fewer
    ratio = between.variance / (high - low) ** 2 / spread if 0 < share < 1 else 0.0
    ends = area.of_misranked(share, ratio, 1.0, between.df, fewer, level, rows)
    return low + (high - low) * ends[0], low + (high - low) * ends[1]


def _of_area(v: Area, between: Between, level: float) -> tuple[Bounds, str, float]:
    negatives, positives = between.groups
    rows, fewer = min(v.positives, v.negatives), min(positives, negatives)
    if fewer <= 1:
        return (math.nan, math.nan), "", fewer
    variance = between.variance / v.slope**2
    low, high = area.auc(v.auc, variance, between.df, positives, negatives, level, rows)
    if variance > 0 and 0 < v.auc < 1:
        # The skewness on the scale of the logit, whose curvature is one already.
        curved = math.sqrt(variance) * (2 * v.auc - 1) / (v.auc * (1 - v.auc)) / 2
        ends = reaches(t(level, len(between.sums) - 1), _skewness(between) + curved, FARTHEST_OF_AREAS)
        low, high = _farther(v.auc, math.sqrt(variance), ends, 0.0, (low, high))
    return (v.offset + v.slope * low, v.offset + v.slope * high), "delong-wilson", about(between)


def _of_precision(v: PrecisionArea, between: Between, level: float) -> tuple[Bounds, str, float]:
    """The jackknife's interval on the scale of the logit, as of other values that are not sums, with groups as rows."""
    df = min(between.df, max(1.0, effective_differences(between.sums) - 1))
    ends = reaches(t(level, len(between.sums) - 1), _skewness(between), FARTHEST_OF_AREAS)
    low, high = _farther(v.value, math.sqrt(between.variance), ends, t(level, df), (v.value, v.value))
    return (low, high), on_scale("jackknife", "logit"), about(between)


def _skewness(between: Between) -> float:
    """That of the population of groups, from the influences of those that were drawn."""
    each = between.sums / math.sqrt(between.variance)
    return raised(float((each**3).sum()) / 3, len(each))


def _farther(value: float, error: float, ends: Bounds, least: float, known: Bounds) -> Bounds:
    """Ends so many standard errors away on the scale of the logit, at least `least`, where they are beyond `known`."""
    low, high = (delta.on_scale(value, error, max(least, abs(end)), delta.UNIT)[k] for k, end in enumerate(ends))
    return min(low, known[0]), max(high, known[1])


def _of_mean(v: Mean, between: Between, level: float, bounds: Bounds) -> tuple[Bounds, str, float]:
    """The interval of long tails with the skewness of the groups' influences, and on either side at least Student's.

    Few groups show little of the skewness that they have, so that the nearer end of a skewed interval is not to be
    trusted either.
    """
    if not between.variance > 0:
        within = bounds[0], min(bounds[1], v.most)
        ends = (math.nan, math.nan) if v.unseen else delta.at_bound(v.moments.mean, about(between), level, within)
        return ends, "wilson", about(between)
    mean, step, quantile = v.moments.mean, math.sqrt(between.variance), t(level, between.df)
    low, high = reaches(quantile, _skewness(between))
    low, high = mean + step * min(low, -quantile), mean + step * max(high, quantile)
    low, high = max(bounds[0], low), min(bounds[1], v.most, high)
    through = v.through or float
    return (float(through(low)), float(through(high))), "long-tailed", about(between)
