"""Intervals that papers name, beside the defaults: with continuity correction, Hanley and McNeil's, DeLong's with z,
Woolf's, Simel's and Fisher's."""

from __future__ import annotations

import math

import numpy as np

from calipers.inference import area, of_shares, proportion
from calipers.inference.delta import UNIT, on_scale
from calipers.inference.estimate import Interval
from calipers.inference.method import NO_SPREAD, TOO_FEW, Bounds, Method, no_interval, normal
from calipers.inference.of_areas import ONE_OF_A_CLASS
from calipers.inference.of_smooth import NO_VARIANCE
from calipers.inference.quantiles import z
from calipers.metrics.values import Area, Combination, Linearised, Smooth
from calipers.remarks import Remark


def wilson_corrected(hits: float, trials: float, level: float) -> tuple[float, float]:
    """Wilson's score interval with continuity correction (Newcombe 1998, method 4).

    >>> [round(x, 4) for x in wilson_corrected(81, 263, 0.95)], [round(x, 4) for x in wilson_corrected(0, 20, 0.95)]
    ([0.2535, 0.3682], [0.0, 0.2005])
    """
    if not trials > 0:
        return math.nan, math.nan
    p, far = hits / trials, z(level)
    q, square = 1 - p, far**2
    down = square - 2 - 1 / trials + 4 * p * (trials * q + 1)
    up = square + 2 - 1 / trials + 4 * p * (trials * q - 1)
    low = (2 * hits + square - 1 - far * math.sqrt(max(0.0, down))) / (2 * (trials + square))
    high = (2 * hits + square + 1 + far * math.sqrt(max(0.0, up))) / (2 * (trials + square))
    return (0.0 if hits <= 0 else max(0.0, min(low, p))), (1.0 if q <= 0 else min(1.0, max(high, p)))


wilson_cc = of_shares.by_rule("wilson-cc", wilson_corrected, 0)


def newcombe_cc(v: Combination, level: float, bounds: Bounds) -> Interval:
    """Square-and-add over Wilson's intervals with continuity correction (Newcombe 1998, method 11)."""
    each = [(float(c), float(p.value), wilson_cc(p, level, bounds)) for c, p in v.parts]
    parts = [(c, value, interval.low, interval.high) for c, value, interval in each]
    return Interval(*proportion.mover(float(v.value), parts, bounds), "newcombe-cc")


def hanley_mcneil_variance(value: float, positives: float, negatives: float) -> float:
    """The variance of an area for exponential scores (Hanley and McNeil 1982, eq. 2).

    >>> round(hanley_mcneil_variance(0.893, 51, 58) ** 0.5, 4)
    0.0325
    """
    first, second = value / (2 - value), 2 * value**2 / (1 + value)
    spread = (positives - 1) * (first - value**2) + (negatives - 1) * (second - value**2)
    return (value * (1 - value) + spread) / (positives * negatives)


def hanley_mcneil(v: Area, level: float, bounds: Bounds) -> Interval:
    """The area ± z times Hanley and McNeil's standard error, clipped."""
    if min(v.positives, v.negatives) <= 0:
        return no_interval(Remark("inference.class_without_rows"))
    variance = hanley_mcneil_variance(v.auc, v.positives, v.negatives)
    return normal(v.value, v.slope**2 * variance, level, bounds)._replace(method="hanley-mcneil")


def delong_logit_z(v: Area, level: float, bounds: Bounds) -> Interval:
    """DeLong's variance on the logit scale with the normal quantile, as it is published."""
    if min(v.positives, v.negatives) < 2:
        return no_interval(ONE_OF_A_CLASS)
    variance, _ = area.delong(v.v10, v.v01, v.positives, v.negatives)
    if v.auc in UNIT or not variance > 0:
        return normal(v.value, 0.0, level, bounds)._replace(method="delong-logit-z")
    low, high = (v.offset + v.slope * end for end in on_scale(v.auc, math.sqrt(variance), z(level), UNIT))
    return Interval(low, high, "delong-logit-z")


def on_log_scale(name: str) -> Method:
    """The value times and divided by exp(z·sd/value), with nothing added to the cells: Woolf's interval (1955) of an
    odds ratio, and Simel's (1991) of a likelihood ratio."""

    def find(v: Smooth, level: float, bounds: Bounds) -> Interval:
        if not (math.isfinite(v.value) and v.value > 0):
            return no_interval(Remark("inference.infinite"))
        with np.errstate(all="ignore"):
            variance = v.spread(0.0).variance
        if not variance > NO_VARIANCE:
            return no_interval(NO_SPREAD)
        reach = math.exp(z(level) * math.sqrt(variance) / v.value)
        return Interval(v.value / reach, v.value * reach, name)

    return find


woolf, simel = on_log_scale("woolf"), on_log_scale("simel")


def fisher_z(v: Linearised, level: float, bounds: Bounds) -> Interval:
    """Fisher's interval of a correlation (1921): tanh(atanh(r) ± z/√(n - 3)), for normal numbers."""
    if v.rows <= 3 or not abs(v.value) < 1:
        return no_interval(TOO_FEW)
    middle, reach = math.atanh(v.value), z(level) / math.sqrt(v.rows - 3)
    return Interval(math.tanh(middle - reach), math.tanh(middle + reach), "fisher-z")
