"""Intervals of means over rows and over queries, and of quantiles."""

from __future__ import annotations

import math

from calipers.inference import delta, mean, proportion
from calipers.inference.estimate import Interval
from calipers.inference.method import (
    DEGENERATE,
    FEW,
    FEW_ENOUGH,
    NO_SPREAD,
    Bounds,
    Method,
    few_rows,
    no_interval,
    on_scale,
)
from calipers.inference.quantiles import t, z
from calipers.metrics.values import Mean, Quantile, QueryMean, Unseen
from calipers.remarks import Remark
from calipers.statistics.moments import Moments

MOSTLY = 2.0  # a flag, if the allowance is this many times the usual distance
MUCH = 0.4  # a flag, if one more error would be this part of the distance (docs/decisions/unseen-errors.md)
OF_SKEWED = {"hall": mean.hall, "long-tailed": mean.long_tailed}
ROUNDING = 1e-14  # a standard deviation below this share of the mean is rounding


def of_mean(name: str) -> Method:
    """An interval of a mean: Hall's or that for long tails, Student's t, or the normal one."""

    def find(v: Mean, level: float, bounds: Bounds) -> Interval:
        m = v.moments
        bounds = bounds[0], min(bounds[1], v.most)
        rows, m2, m3 = of_equal_rows(m)
        heavier = _heavier(m) if name == "long-tailed" else 1.0
        if name in OF_SKEWED:
            low, high = OF_SKEWED[name](rows, m.mean, m2, m3 * heavier, level, bounds)
            if heavier > 1:
                least = mean.student(rows, m.mean, m2, t(level, rows - 1), bounds)
                low, high = min(low, least[0]), max(high, least[1])
        else:
            quantile = t(level, rows - 1) if name == "t" else z(level)
            low, high = mean.student(rows, m.mean, m2, quantile, bounds)
        few: tuple[str, ...] = (Remark("inference.few_rows", count=m.effective),) if m.effective < 2 * FEW else ()
        if v.unseen is not None and name == "hall" and m.effective > 1:
            low, high, unseen = allow_for_unseen(v, v.unseen, low, high, 1.0, level, bounds)
            few += unseen
        if low != low and name == v.default and m.n > 1:
            low, high = delta.at_bound(m.mean, m.effective, level, bounds)
            few = few_rows(0.0, "inference.rows_of_rarer")
        if low != low:
            return no_interval(NO_SPREAD if m.n > 1 else Remark("inference.one_row"))
        low, high = _mapped(v, low, high)
        alike = math.isclose(m.effective, m.n)
        return Interval(low, high, name if alike else Remark("inference.effective", method=name), few)

    return find


def of_equal_rows(m: Moments) -> tuple[float, float, float]:
    """Rows and central sums of as many rows of equal weight, with the variance and the skewness of the mean.

    The variance is that of Σwc/W, with the weight of the rows that vary; the skewness takes the larger of that weight
    and the typical one. A single row that has nearly all the weight shows no spread.
    """
    if not (m.effective > 1 and m.m2 > m.weight * (ROUNDING * m.mean) ** 2):
        return m.effective, 0.0, 0.0
    typical = m.squares / m.weight
    alike = typical == 1 or math.isclose(m.effective, m.n)
    rows, unit = (m.effective, typical) if alike else (float(m.n), m.unit)
    by, skewed = rows / m.weight, math.sqrt(max(unit, typical))
    return rows, m.m2 * unit * by * by, m.m3 * skewed * unit * math.sqrt(unit) * by**3


def _heavier(m: Moments) -> float:
    """How many times as heavy as typical rows those are that vary, at least 1.

    Where weights grow with the losses, the third moment of the weighted losses grows faster than the weight that shows
    in their squares. It is not kept, and taken to grow by this factor (docs/decisions/weights.md).
    """
    times = m.unit * m.weight / m.squares if m.effective > 1 and m.m2 > 0 else 1.0
    return times if times > 1 + 1e-9 else 1.0  # equal weights, but for rounding


def _mapped(v: Mean, low: float, high: float) -> tuple[float, float]:
    return (low, high) if v.through is None else (float(v.through(low)), float(v.through(high)))


def allow_for_unseen(
    v: Mean, unseen: Unseen, low: float, high: float, independent: float, level: float, bounds: Bounds
) -> tuple[float, float, tuple[str, ...]]:
    """The ends with an allowance for errors not seen, and a flag where it is most of the distance.

    Errors of unsure predictions say nothing about those of sure ones: the flag also appears where one more error, of
    the average cost over all rows, would be much of the distance. Rows with weights or in groups do not have it: it
    would appear in half of their samples that are covered.

    `independent`: of rows in groups, the share that would be as many independent ones. Errors that were seen show how
    groups differ, so that fewer of them are enough (as for shares, docs/decisions/groups.md).
    """
    m = v.moments
    if low != low and unseen.errors > 0:  # equal losses of wrong rows show nothing
        return low, high, ()
    low, reach = (low, high - m.mean) if low == low else (m.mean, 0.0)
    added = mean.unseen_errors(m.effective * independent, unseen.errors / independent, unseen.cost, level)
    high = max(m.mean, min(bounds[1], v.most, m.mean + math.hypot(reach, added)))
    if added > MOSTLY * reach:
        return low, high, (Remark("inference.unseen", count=unseen.errors),)
    alike = independent == 1 and math.isclose(m.effective, m.n)
    much = alike and unseen.cost / m.n > MUCH * reach
    return low, high, (Remark("inference.one_more_error", amount=unseen.cost / m.n),) if much else ()


def of_queries(name: str) -> Method:
    """Student's t on the scale of the bounds: logit for a share, log for a sum of gains."""

    def find(v: QueryMean, level: float, bounds: Bounds) -> Interval:
        m, of_users = v.moments, v.unit == "users"
        if m.n < 2:
            return no_interval(Remark("recommendation.one_user" if of_users else "inference.one_query"))
        spread = m.m2 if m.m2 > m.weight * (ROUNDING * m.mean) ** 2 else 0.0
        rests = m.n if bounds != delta.UNIT else v.inside
        few: tuple[str, ...] = ()
        if rests < m.n and rests < FEW_ENOUGH:
            code = "recommendation.few_users_off" if of_users else "inference.few_queries_off"
            few = (Remark(code, count=rests, bound=round(m.mean)),)
        elif m.n < 2 * FEW:
            few = (Remark("recommendation.few_users" if of_users else "inference.few_queries", count=m.n),)
        if name == "hall":
            low, high = mean.hall(m.n, m.mean, spread, m.m3, level, bounds)
        elif name == "t":
            low, high = mean.student(m.n, m.mean, spread, t(level, m.n - 1), bounds)
        else:
            low, high = delta.on_scale(m.mean, math.sqrt(spread / (m.n - 1) / m.n), t(level, m.n - 1), bounds)
            if low != low:
                low, high = delta.at_bound(m.mean, m.n, level, bounds)
        if low != low:
            return no_interval(NO_SPREAD)
        return Interval(low, high, on_scale("t", delta.scale(bounds)) if name == "t-scaled" else name, few)

    return find


def order_statistics(v: Quantile, level: float, bounds: Bounds) -> Interval:
    """The two ranks between which the true quantile lies with at least this level, for any distribution."""
    n = int(v.rows + 1e-9)
    low, high = proportion.ranks_around(n, v.share, level)
    if low < 1 or high > n:
        return no_interval(Remark("inference.few_for_order", count=n, percent=100 * level))
    ends = v.ranked(low, high)
    flags = (DEGENERATE,) if ends[0] == ends[1] else ()
    return Interval(*ends, Remark("inference.order_statistics", low=low, high=high), flags)
