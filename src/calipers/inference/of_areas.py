"""Intervals of areas under curves: the ROC area and average precision."""

from __future__ import annotations

from calipers.inference import area
from calipers.inference.estimate import Interval
from calipers.inference.method import FEW, FEW_WEIGHTED, Bounds, few_rows, no_interval, normal
from calipers.metrics.values import Area, PrecisionArea
from calipers.remarks import Remark

ONE_OF_A_CLASS = Remark("inference.one_of_a_class")
FEW_POSITIVES = 10  # with fewer, the average precision of one class was covered in 90%
ONE_MISRANKED = 1  # the fewest misranked rows without a flag; with fewer, coverage is still high, at times 100%


def delong_wilson(v: Area, level: float, bounds: Bounds) -> Interval:
    """Wilson's interval with DeLong's variance, which is shrunk to a safe one where few misranked rows show it."""
    if min(v.positives, v.negatives) <= 1:
        return no_interval(ONE_OF_A_CLASS)
    variance, df = area.delong(v.v10, v.v01, v.positives, v.negatives)
    ends = area.auc(v.auc, variance, df, v.positives, v.negatives, level)
    return _of_area(v, ends, "delong-wilson", FEW_WEIGHTED if v.weighted else ONE_MISRANKED)


def delong_logit(v: Area, level: float, bounds: Bounds) -> Interval:
    """DeLong's variance on the scale of the logit."""
    ends = area.delong_logit(v.auc, v.v10, v.v01, v.positives, v.negatives, level)
    return _of_area(v, ends, "delong-logit", FEW) if ends[0] == ends[0] else no_interval(ONE_OF_A_CLASS)


def _of_area(v: Area, ends: Bounds, method: str, fewest: float) -> Interval:
    low, high = (v.offset + v.slope * end for end in ends)
    flags = few_rows(min(v.positives, v.negatives) * min(v.auc, 1 - v.auc), "inference.misranked", fewest)
    if v.auc in (0.0, 1.0):
        flags = tuple(Remark("inference.separated", why=flag) for flag in flags)
    return Interval(low, high, method, flags)


def delong(v: Area, level: float, bounds: Bounds) -> Interval:
    """DeLong's variance and the normal quantile, clipped; separated or constant scores have no width."""
    if min(v.positives, v.negatives) < 2:
        return no_interval(ONE_OF_A_CLASS)
    variance, _ = area.delong(v.v10, v.v01, v.positives, v.negatives)
    return normal(v.value, v.slope**2 * variance, level, bounds)._replace(method="delong")


def newcombe(v: Area, level: float, bounds: Bounds) -> Interval:
    """Newcombe's fifth method, from the area and the two sample sizes alone."""
    low, high = (v.offset + v.slope * end for end in area.newcombe5(v.auc, v.positives, v.negatives, level))
    return Interval(low, high, "newcombe") if low == low else no_interval(Remark("inference.class_without_rows"))


def influence_logit(v: PrecisionArea, level: float, bounds: Bounds) -> Interval:
    """The influence of rows on the scale of the logit."""
    low, high = area.average_precision(v.value, v.variance, v.positives, v.rows, level, v.kurtosis, v.harm)
    if low != low:
        return no_interval(Remark("inference.fewer_than_two_positives"))
    return Interval(low, high, "influence-logit", few_rows(v.positives, "inference.positives", FEW_POSITIVES))


def normal_precision(v: PrecisionArea, level: float, bounds: Bounds) -> Interval:
    """The value ± z·sd, clipped."""
    return normal(v.value, v.variance, level, bounds)
