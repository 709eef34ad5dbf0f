"""Intervals of values whose variance comes from a linear approximation: the delta method and the jackknife."""

from __future__ import annotations

import math

import numpy as np

from calipers.inference import area, delta, mean
from calipers.inference.contrast import skewness
from calipers.inference.estimate import Interval
from calipers.inference.jackknife import jackknife
from calipers.inference.method import (
    FEW,
    NO_SPREAD,
    TOO_FEW,
    Bounds,
    Method,
    few_rows,
    no_interval,
    normal,
    on_scale,
)
from calipers.inference.quantiles import t
from calipers.metrics.values import Linearised, Smooth, few_decide
from calipers.remarks import Remark

NO_VARIANCE = 1e-20  # smaller variances are rounding in the gradient of a constant
MOST, FEWEST = 2.0, 1.5  # times the effective rows, if one row has nearly all weight: it hides how much a table varies


def delta_method(v: Smooth, level: float, bounds: Bounds) -> Interval:
    """The delta method, with a little added to the cells as the trials of docs/coverage.md advise.

    Ratios, and what follows from one, are centred and spread with half a count in every cell. Measures with two bounds
    have Wilson's interval (`of_table`). Others keep their centre and take the spread with 1/K in every cell.
    """
    if not math.isfinite(v.value):
        return no_interval(Remark("inference.infinite"))
    few = few_rows(v.carrying, "inference.rows_of_rarest", FEW) or few_rows(v.rarest, "inference.rows_of_rarest")
    if v.trials is not None:
        _, variance, freedom = v.spread(0.0)
        low, high = area.mean_of_areas(v.value, variance, freedom, v.trials(), level)
        return Interval(low, high, on_scale(v.method, "wilson"), few)
    with np.errstate(all="ignore"):
        if v.classes and (v.restated or bounds == delta.RATIO):
            centre, variance, freedom = v.spread(0.5)
        elif v.classes > 1 and all(map(math.isfinite, bounds)):
            low, high = of_table(v, level, bounds)
            found = Interval(low, high, on_scale(v.method, "wilson"), few)
            return found if low == low else no_interval(NO_SPREAD)
        else:
            smoothed, variance, freedom = v.spread(1 / v.classes if v.classes else 0.0)
            centre = v.value
            # Where weights differ widely, a fraction of a row of typical weight can move the value by more than that.
            variance = max(variance, (smoothed - centre) ** 2)
    variance = variance if variance > NO_VARIANCE else 0.0
    low, high = delta.on_scale(v.value, math.sqrt(variance), t(level, freedom), bounds, centre)
    if low != low:
        low, high = delta.at_bound(v.value, v.rarest, level, bounds)
        if low != low or high != high:
            return no_interval(NO_SPREAD)
    return Interval(low, high, on_scale(v.method, delta.scale(bounds)), few)


def of_table(v: Smooth, level: float, bounds: Bounds) -> Bounds:
    """Wilson's interval with the variance of the delta method, shrunk to a safe one where few errors show it.

    The variance is taken with one row more in each class, right as often as all rows are: the hits of a class that was
    never hit do not vary. Where these rows move the value by more than its standard error, as the first prediction of a
    class moves its precision, it varies as much. It is not below the safe one (`safe_rows`).
    """
    low, high = bounds
    share, own = (v.value - low) / (high - low), v.spread(1 / v.classes, alike=True)
    variance, safe = max(own.variance, (own.value - v.value) ** 2), safe_rows(v, bounds)
    varies = variance > NO_VARIANCE and 0 < share < 1
    if safe == math.inf and not varies:
        return math.nan, math.nan  # a constant, such as the mean prevalence
    safe = min(safe, MOST * v.rows) if v.rows < FEWEST else safe
    trials = min(safe, (v.value - low) * (high - v.value) / variance) if varies else safe
    ends = area.of_misranked(share, float(varies), trials / safe, own.freedom, trials, level)
    return low + (high - low) * ends[0], low + (high - low) * ends[1]


def safe_rows(v: Smooth, bounds: Bounds) -> float:
    """As how many rows, each right or wrong, a measure varies with 1/K more in each cell: one row in each class.

    Around the value that the table then has: around one close to a bound, K - 1 errors more would be most of it.
    """
    low, high = bounds
    value, variance, _ = v.spread(1 / v.classes)
    return (value - low) * (high - value) / variance if variance > NO_VARIANCE else math.inf


def normal_smooth(v: Smooth, level: float, bounds: Bounds) -> Interval:
    """The value ± z·sd by the delta method, with nothing added to the cells."""
    if not math.isfinite(v.value):
        return no_interval(Remark("inference.infinite"))
    with np.errstate(all="ignore"):
        variance = v.spread(0.0).variance
    return normal(v.value, variance if variance > NO_VARIANCE else 0.0, level, bounds)


def linearised(rows_left_out: bool) -> Method:
    """Student's t on the scale of the range. From rows left out one by one, with as many degrees of freedom as rows
    decide the spread: the trials (`make coverage AREA=regression`) fell to 75% without.
    """

    def find(v: Linearised, level: float, bounds: Bounds) -> Interval:
        with np.errstate(all="ignore"):
            left = v.left_out() if rows_left_out and v.left_out is not None else None
            variance, df = (v.variance(), v.rows - 1) if left is None else jackknife(left)
        if not (df > 0 and math.isfinite(variance)):
            return no_interval(TOO_FEW if v.rows < 4 else Remark("inference.too_large"))
        error, far = math.sqrt(variance), t(level, min(df, v.rows - 1))
        skew = 0.0 if left is None else skewness(left.mean() - left, len(left))
        ends = mean.reaches(t(level, v.rows - 1), skew)
        low, high = (delta.on_scale(v.value, error, max(far, abs(end)), bounds)[k] for k, end in enumerate(ends))
        if low != low:
            return no_interval(NO_SPREAD)
        # k equally large deviations give 3k degrees of freedom (inference/jackknife.py).
        few = (Remark("inference.few_rows", count=v.rows),) if v.rows < 2 * FEW else few_decide((df + 1) / 3, v.rows, 3)
        method = Remark("inference.linearised") if left is None else "jackknife"
        return Interval(low, high, on_scale(method, delta.scale(bounds)), few)

    return find


def normal_linearised(v: Linearised, level: float, bounds: Bounds) -> Interval:
    """The value ± z·sd of the linearised value, clipped."""
    variance = v.variance()
    return normal(v.value, variance, level, bounds) if math.isfinite(variance) else no_interval(TOO_FEW)
