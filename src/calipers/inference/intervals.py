"""Which interval belongs to which kind of value: one table, the default first."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from calipers.inference import area, calibration, delta, mean, proportion
from calipers.inference.contrast import skewness
from calipers.inference.estimate import Interval
from calipers.inference.grouped import about, grouped
from calipers.inference.jackknife import jackknife
from calipers.inference.quantiles import t, z
from calipers.inference.resampled import RESAMPLED, Draws, drawn_again
from calipers.metrics.values import (
    ENOUGH_POSITIVES,
    Area,
    Calibration,
    Combination,
    FScore,
    Grouped,
    Largest,
    Linearised,
    Mean,
    PrecisionArea,
    Proportion,
    Quantile,
    QueryMean,
    Smooth,
    Unseen,
    Value,
    Without,
    few_decide,
)
from calipers.statistics.moments import Moments

Bounds = tuple[float, float]
Method = Callable[[Any, float, Bounds], Interval]

FEW_GROUPS = 10  # one more than the degrees of freedom below which Student's t is wide
FEW = 5  # an estimate that rests on fewer rows of its rarest outcome says so
OUT_OF_RANGE = "the numbers are too large or too small to be squared; rescale them"
NO_SPREAD = "the rows show no spread"
TOO_FEW = "too few rows to show a spread"
DEGENERATE = "degenerate: no spread was seen, which is no certainty"
ONE_OF_A_CLASS = "fewer than two rows of a class"
UNSEEN = "the upper end is mostly an allowance for errors not seen: only"
MOSTLY = 2.0  # times the distance that the rows themselves show
OF_SKEWED = {"hall": mean.hall, "long-tailed": mean.long_tailed}
NO_VARIANCE = 1e-20  # rounding in the gradient of a constant
ROUNDING = 1e-14  # a standard deviation below this share of the mean is rounding


def _few(rarest: float, of: str) -> tuple[str, ...]:
    return (f"rests on {rarest:.3g} {of}",) if rarest < FEW else ()


def _share(name: str, rule: Callable[[float, float, float], tuple[Any, Any]]) -> Method:
    """An interval of hits and trials, mapped where the value is a monotone map of the share."""

    def find(v: Proportion, level: float, bounds: Bounds) -> Interval:
        share = float(v.hits / v.trials)
        trials = float(v.trials if v.effective is None else v.effective)
        low, high = rule(share * trials, trials, level)
        if v.through is not None:
            low, high = v.through(low), v.through(high)
        rarest = min(share, 1 - share) * trials
        weighted = "" if v.effective is None or v.equal_weights else ", effective rows"
        flags = (DEGENERATE,) if low == high else _few(rarest, "rows of the rarer outcome")
        return Interval(float(low), float(high), name + weighted, flags)

    return find


_wilson = _share("wilson", proportion.wilson)


def _largest(v: Largest, level: float, bounds: Bounds) -> Interval:
    total = float(v.counts.sum())
    return _of_largest(v, total if v.effective is None else float(v.effective), level)


def _of_largest(v: Largest, rows: float, level: float, after: str = "") -> Interval:
    """The interval of counts that stand for so many independent rows."""
    total = float(v.counts.sum())
    low, high = proportion.largest(v.counts * (rows / total), level)
    if not after and v.effective is not None and not v.equal_weights:
        after = ", effective rows"
    most = float(v.value) * rows
    few = (f"only {most:.3g} rows of the largest class",) if most < FEW else ()
    return Interval(low, high, "largest-share" + after, few)


def _mover(v: Combination, level: float, bounds: Bounds) -> Interval:
    each = [(c, p, _wilson(p, level, bounds)) for c, p in v.parts]
    parts = [(c, float(p.value), found.low, found.high) for c, p, found in each]
    low, high = proportion.mover(float(v.value), parts, bounds)
    flags = {flag for *_, found in each for flag in found.flags}
    return Interval(low, high, "mover over " + each[0][2].method, tuple(sorted(flags)[:1]))


def _normal_sum(v: Combination, level: float, bounds: Bounds) -> Interval:
    """The textbook's value ± z·sd of independent shares, clipped; shares of 0 and 1 add no width."""
    variance = 0.0
    for c, p in v.parts:
        share, trials = float(p.hits / p.trials), float(p.trials if p.effective is None else p.effective)
        variance += c * c * share * (1 - share) / trials
    return _normal(float(v.value), variance, level, bounds)


def _normal(value: float, variance: float, level: float, bounds: Bounds) -> Interval:
    """Lay z·sd on both sides, clipped to the range. No variance: no width, which the flag says is no certainty."""
    reach = z(level) * math.sqrt(max(0.0, variance))
    flags = () if reach > 0 else (DEGENERATE,)
    return Interval(max(bounds[0], value - reach), min(bounds[1], value + reach), "normal", flags)


def _normal_f(v: FScore, level: float, bounds: Bounds) -> Interval:
    tp, fp, fn = (float(c * v.shrink) for c in (v.tp, v.fp, v.fn))
    value, inside = float(v.value), tp > 0 and fp + fn > 0
    variance = delta.logit_variance(tp, fp, fn, v.beta) * (value * (1 - value)) ** 2 if inside else 0.0
    return _normal(value, variance, level, bounds)


def _logit_half(v: FScore, level: float, bounds: Bounds) -> Interval:
    tp, fp, fn = (float(c * v.shrink) for c in (v.tp, v.fp, v.fn))
    if v.beta == 1:
        low, high = (2 * j / (1 + j) for j in proportion.wilson(tp, tp + fp + fn, level))
        return Interval(low, high, "wilson", _few(min(tp, fp + fn), "rows of the rarer outcome"))
    low, high = delta.logit_half(tp, fp, fn, v.beta, level)
    return Interval(low, high, "logit, half a count added", _few(min(tp, fp + fn), "rows of the rarer outcome"))


def _of_mean(name: str) -> Method:
    def find(v: Mean, level: float, bounds: Bounds) -> Interval:
        m = v.moments
        bounds = bounds[0], min(bounds[1], v.most)
        rows, m2, m3 = _of_equal_rows(m)
        if name in OF_SKEWED:
            low, high = OF_SKEWED[name](rows, m.mean, m2, m3, level, bounds)
        else:
            quantile = t(level, rows - 1) if name == "t" else z(level)
            low, high = mean.student(rows, m.mean, m2, quantile, bounds)
        few: tuple[str, ...] = (f"rests on {m.effective:.3g} rows",) if m.effective < 2 * FEW else ()
        if v.unseen is not None and name == "hall" and m.effective > 1:
            low, high, unseen = _allow_for_unseen(v, v.unseen, low, high, 1.0, level, bounds)
            few += unseen
        if low != low:
            return _none(NO_SPREAD if m.n > 1 else "one row shows no spread")
        low, high = _mapped(v, low, high)
        weighted = "" if math.isclose(m.effective, m.n) else ", effective rows"
        return Interval(low, high, name + weighted, few)

    return find


def _of_equal_rows(m: Moments) -> tuple[float, float, float]:
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


def _allow_for_unseen(
    v: Mean, unseen: Unseen, low: float, high: float, independent: float, level: float, bounds: Bounds
) -> tuple[float, float, tuple[str, ...]]:
    """The ends with an allowance for errors not seen, and a flag where it is most of the distance.

    `independent`: of rows in groups, the share that would be as many independent ones. Errors that were seen show how
    groups differ, so that fewer of them are enough (as for shares, docs/decisions/groups.md).
    """
    m = v.moments
    if low != low and unseen.errors > 0:  # equal losses of wrong rows show nothing
        return low, high, ()
    low, reach = (low, high - m.mean) if low == low else (m.mean, 0.0)
    added = mean.unseen_errors(m.effective * independent, unseen.errors / independent, unseen.cost, level)
    high = max(m.mean, min(bounds[1], v.most, m.mean + math.hypot(reach, added)))
    return low, high, (f"{UNSEEN} {unseen.errors:.3g} wrong predictions",) if added > MOSTLY * reach else ()


def _of_queries(name: str) -> Method:
    """Student's t on the scale of the bounds: logit for a share, log for a sum of gains."""

    def find(v: QueryMean, level: float, bounds: Bounds) -> Interval:
        m = v.moments
        if m.n < 2:
            return _none("one query shows no spread")
        spread = m.m2 if m.m2 > m.weight * (ROUNDING * m.mean) ** 2 else 0.0
        rests = m.n if bounds != delta.UNIT else v.inside
        off = f" that are not {round(m.mean)}" if rests < m.n else ""
        few = (f"rests on {rests} queries{off}",) if rests < 2 * FEW else ()
        if name == "hall":
            low, high = mean.hall(m.n, m.mean, spread, m.m3, level, bounds)
        elif name == "t":
            low, high = mean.student(m.n, m.mean, spread, t(level, m.n - 1), bounds)
        else:
            low, high = delta.on_scale(m.mean, math.sqrt(spread / (m.n - 1) / m.n), t(level, m.n - 1), bounds)
            if low != low:
                low, high = delta.at_bound(m.mean, m.n, level, bounds)
        if low != low:
            return _none(NO_SPREAD)
        return Interval(low, high, f"t ({delta.scale(bounds)})" if name == "t-scaled" else name, few)

    return find


def _mapped(v: Mean, low: float, high: float) -> tuple[float, float]:
    return (low, high) if v.through is None else (float(v.through(low)), float(v.through(high)))


def _linearised(rows_left_out: bool) -> Method:
    """Student's t on the scale of the range. From rows left out one by one, with as many degrees of freedom as rows
    decide the spread: the trials (`make coverage AREA=regression`) fell to 75 % without.
    """

    def find(v: Linearised, level: float, bounds: Bounds) -> Interval:
        with np.errstate(all="ignore"):
            left = v.left_out() if rows_left_out and v.left_out is not None else None
            variance, df = (v.variance(), v.rows - 1) if left is None else jackknife(left)
        if not (df > 0 and math.isfinite(variance)):
            return _none(TOO_FEW if v.rows < 4 else "the values are too large to square")
        error, far = math.sqrt(variance), t(level, min(df, v.rows - 1))
        skew = 0.0 if left is None else skewness(left.mean() - left, len(left))
        ends = mean.reaches(t(level, v.rows - 1), skew)
        low, high = (delta.on_scale(v.value, error, max(far, abs(end)), bounds)[k] for k, end in enumerate(ends))
        if low != low:
            return _none(NO_SPREAD)
        # k rows far off and alike make 3k degrees of freedom (inference/jackknife.py).
        few = (f"rests on {v.rows:.3g} rows",) if v.rows < 2 * FEW else few_decide((df + 1) / 3, v.rows, 3)
        return Interval(low, high, f"{'linearised' if left is None else 'jackknife'} ({delta.scale(bounds)})", few)

    return find


def _plain_linearised(v: Linearised, level: float, bounds: Bounds) -> Interval:
    variance = v.variance()
    return _normal(v.value, variance, level, bounds) if math.isfinite(variance) else _none(TOO_FEW)


def _order_statistics(v: Quantile, level: float, bounds: Bounds) -> Interval:
    """The two ranks between which the true quantile lies with the level at least, whatever the distribution."""
    n = int(v.rows + 1e-9)
    low, high = proportion.ranks_around(n, v.share, level)
    if low < 1 or high > n:
        return _none(f"{n} {'row is' if n == 1 else 'rows are'} too few for {100 * level:g}% by order statistics")
    ends = v.ranked(low, high)
    flags = (DEGENERATE,) if ends[0] == ends[1] else ()
    return Interval(*ends, f"order statistics {low} and {high}", flags)


def _plain_delong(v: Area, level: float, bounds: Bounds) -> Interval:
    """DeLong's variance and the normal quantile, clipped; separated or constant scores have no width."""
    if min(v.positives, v.negatives) < 2:
        return _none(ONE_OF_A_CLASS)
    variance, _ = area.delong(v.v10, v.v01, v.positives, v.negatives)
    return _normal(v.value, v.slope**2 * variance, level, bounds)._replace(method="delong")


def _newcombe(v: Area, level: float, bounds: Bounds) -> Interval:
    low, high = (v.offset + v.slope * end for end in area.newcombe5(v.auc, v.positives, v.negatives, level))
    return Interval(low, high, "newcombe") if low == low else _none("a class has no rows")


def _delong_wilson(v: Area, level: float, bounds: Bounds) -> Interval:
    if min(v.positives, v.negatives) <= 1:
        return _none(ONE_OF_A_CLASS)
    variance, df = area.delong(v.v10, v.v01, v.positives, v.negatives)
    return _of_area(v, area.auc(v.auc, variance, df, v.positives, v.negatives, level), "delong-wilson")


def _delong_logit(v: Area, level: float, bounds: Bounds) -> Interval:
    ends = area.delong_logit(v.auc, v.v10, v.v01, v.positives, v.negatives, level)
    return _of_area(v, ends, "delong-logit") if ends[0] == ends[0] else _none(ONE_OF_A_CLASS)


def _of_area(v: Area, ends: Bounds, method: str) -> Interval:
    low, high = (v.offset + v.slope * end for end in ends)
    certain = "perfect separation: " if v.auc in (0.0, 1.0) else ""
    flags = _few(min(v.positives, v.negatives) * min(v.auc, 1 - v.auc), "misranked rows of the smaller class")
    return Interval(low, high, method, tuple(certain + f for f in flags))


def _influence(v: PrecisionArea, level: float, bounds: Bounds) -> Interval:
    low, high = area.average_precision(v.value, v.variance, v.positives, v.rows, level, v.kurtosis, v.harm)
    if low != low:
        return _none("fewer than two positive rows")
    few = (f"rests on {v.positives:.3g} positive rows",) if v.positives < ENOUGH_POSITIVES else ()
    return Interval(low, high, "influence-logit", few or _few(v.rivals, "negatives above the median positive"))


def _normal_precision(v: PrecisionArea, level: float, bounds: Bounds) -> Interval:
    return _normal(v.value, v.variance, level, bounds)


def _noise(v: Calibration, level: float, bounds: Bounds) -> Interval:
    find = calibration.mce_bounds if v.largest else calibration.ece_bounds
    held = v.weight > 0
    rows = v.weight[held] * v.shrink
    low, high, expected = find(rows, v.score[held], v.outcome[held], v.variance[held], level)
    return Interval(low, high, "noise under calibration", (f"a calibrated model would show {expected:.3f}",))


def _delta(v: Smooth, level: float, bounds: Bounds) -> Interval:
    """The delta method, with a little added to the cells as the trials of docs/coverage.md advise.

    Ratios, and what follows from one, are centred and spread with half a count in every cell. Other measures keep
    their centre and take the spread with 1/K in every cell; on a bound, where the spread is 0, both are taken with one
    count in all.
    """
    if not math.isfinite(v.value):
        return _none("the value is infinite")
    few = _few(v.rarest, "rows of the rarest outcome")
    if v.trials is not None:
        _, variance, freedom = v.spread(0.0)
        low, high = area.mean_of_areas(v.value, variance, freedom, v.trials(), level)
        return Interval(low, high, f"{v.method} (wilson)", few)
    k = max(v.classes, 1)
    with np.errstate(all="ignore"):
        if v.classes and (v.restated or bounds == delta.RATIO):
            centre, variance, freedom = v.spread(0.5)
        elif v.classes and v.value in bounds:
            centre, variance, freedom = v.spread(1 / k**2)
        else:
            _, variance, freedom = v.spread(1 / k if v.classes else 0.0)
            centre = v.value
    variance = variance if variance > NO_VARIANCE else 0.0
    low, high = delta.on_scale(v.value, math.sqrt(variance), t(level, freedom), bounds, centre)
    if low != low:
        low, high = delta.at_bound(v.value, v.rarest, level, bounds)
        if low != low or high != high:
            return _none(NO_SPREAD)
    return Interval(low, high, f"{v.method} ({delta.scale(bounds)})", few)


def _normal_smooth(v: Smooth, level: float, bounds: Bounds) -> Interval:
    if not math.isfinite(v.value):
        return _none("the value is infinite")
    with np.errstate(all="ignore"):
        variance = v.spread(0.0).variance
    return _normal(v.value, variance if variance > NO_VARIANCE else 0.0, level, bounds)


def _grouped(v: Grouped, level: float, bounds: Bounds) -> Interval:
    """The default of the value behind it, with the variance of whole groups and how many of them show it."""
    if not v.known:
        return interval(v.of, level, bounds)
    if not math.isfinite(float(v.value)):
        return _none("the value is infinite")
    if isinstance(v.of, Largest):
        seen = v.between()
        spread, groups = float(v.value) * (1 - float(v.value)), about(seen)
        rows = spread / seen.variance * (z(level) / t(level, seen.df)) ** 2 if seen.variance > 0 else groups
        found = _of_largest(v.of, rows, level, ", grouped")
    else:
        (low, high), method, groups = grouped(v, level, bounds)
        flags = _few_hits(v.of)
        if isinstance(v.of, Mean) and v.of.unseen is not None and groups >= 2:
            seen = v.between()
            of_classes = (n / rows for n, rows in zip(seen.groups, seen.rows, strict=True))
            independent = min(v.groups / v.of.moments.n, *of_classes)
            low, high, flags = _allow_for_unseen(v.of, v.of.unseen, low, high, independent, level, bounds)
        if low != low:
            return _none(NO_SPREAD if groups >= 2 else "the rows of a class are all in one group")
        found = Interval(low, high, f"{method}, grouped", flags)
    few = (f"based on about {groups:.0f} groups",) if groups < FEW_GROUPS else ()
    return found._replace(flags=few + found.flags)


def _few_hits(v: Value) -> tuple[str, ...]:
    shares = [v] if isinstance(v, Proportion) else [p for _, p in v.parts] if isinstance(v, Combination) else []
    rarest = min((float(min(p.hits, p.trials - p.hits)) for p in shares), default=FEW)
    return _few(rarest, "rows of the rarer outcome")


def _why(v: Without, level: float, bounds: Bounds) -> Interval:
    return _none(v.why)


def _none(why: str) -> Interval:
    return Interval(math.nan, math.nan, why)


# The default method of each kind of value is its first.
METHODS: dict[type, dict[str, Method]] = {
    Proportion: {
        "wilson": _wilson,
        "clopper-pearson": _share("clopper-pearson", proportion.clopper_pearson),
        "jeffreys": _share("jeffreys", proportion.jeffreys),
        "agresti-coull": _share("agresti-coull", proportion.agresti_coull),
        "normal": _share("normal", proportion.normal),
    },
    Largest: {"largest-share": _largest},
    Combination: {"mover": _mover, "newcombe": _mover, "normal": _normal_sum},
    FScore: {"logit-half": _logit_half, "normal": _normal_f},
    Mean: {name: _of_mean(name) for name in (*OF_SKEWED, "t", "normal")},
    QueryMean: {"t-scaled": _of_queries("t-scaled"), "t": _of_queries("t"), "hall": _of_queries("hall")},
    Area: {
        "delong-wilson": _delong_wilson,
        "delong-logit": _delong_logit,
        "delong": _plain_delong,
        "newcombe": _newcombe,
    },
    PrecisionArea: {"influence-logit": _influence, "normal": _normal_precision},
    Calibration: {"noise": _noise},
    Smooth: {"delta": _delta, "normal": _normal_smooth},
    Linearised: {"jackknife": _linearised(True), "delta": _linearised(False), "normal": _plain_linearised},
    Quantile: {"order-statistics": _order_statistics},
    Grouped: {"grouped": _grouped},
    Without: {"none": _why},
}


def interval(
    value: Value,
    level: float,
    bounds: Bounds,
    method: str | None = None,
    draws: Callable[[], Draws] | None = None,
) -> Interval:
    """The interval of a value by a method that fits it, the default one unless told."""
    if method is None and isinstance(value, Grouped) and not value.known and can_be_drawn(value):
        method = "bca"
    if method in RESAMPLED and draws is not None:
        return drawn_again(method, float(value.value), level, bounds, draws)
    methods = _methods(value)
    try:
        with np.errstate(over="ignore"):
            found = methods[next(iter(methods)) if method is None else method](value, level, bounds)
        if found.low < bounds[0] or found.high > bounds[1]:  # by the last digit: a bound through a map or a quadratic
            return found._replace(low=max(found.low, bounds[0]), high=min(found.high, bounds[1]))
        return found
    except (OverflowError, ZeroDivisionError):  # powers of such numbers leave the range of doubles
        return _none(OUT_OF_RANGE)


def _methods(value: Value) -> dict[str, Method]:
    """The methods of a kind of value, the default first."""
    methods = METHODS[type(value)]
    return {value.default: methods[value.default], **methods} if isinstance(value, Mean) else methods


def fitting(value: Value) -> tuple[str, ...]:
    """The methods that a kind of value can have, the default first."""
    own = tuple(name for name in _methods(value) if name != "none")
    if isinstance(value, Grouped) and not value.known:
        own = ()
    return own + RESAMPLED if can_be_drawn(value) else own


def can_be_drawn(value: Value) -> bool:
    """Whether a bootstrap makes sense of it: not of counts, tests, p-values, and not of maxima, which it pushes up."""
    value = value.of if isinstance(value, Grouped) else value
    return not isinstance(value, Largest) and (not isinstance(value, Without) or value.resampled)


def every_method() -> tuple[str, ...]:
    """Every name that `interval=` takes."""
    own = (name for methods in METHODS.values() for name in methods if name != "none")
    return tuple(dict.fromkeys([*own, *RESAMPLED]))
