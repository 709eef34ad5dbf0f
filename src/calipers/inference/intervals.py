"""Which interval belongs to which kind of value: one table, the default first."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from calipers.inference import area, calibration, delta, mean, proportion
from calipers.inference.estimate import Interval
from calipers.inference.quantiles import z
from calipers.metrics.values import (
    ENOUGH_POSITIVES,
    Area,
    Calibration,
    Combination,
    FScore,
    Mean,
    PrecisionArea,
    Proportion,
    Smooth,
    Value,
    Without,
)

Bounds = tuple[float, float]
Method = Callable[[Any, float, Bounds], Interval]

FEW = 5  # an estimate that rests on fewer rows of its rarest outcome says so
NO_SPREAD = "the rows show no spread"
NO_VARIANCE = 1e-20  # rounding in the gradient of a constant
ROUNDING = 1e-14  # a standard deviation below this share of the mean is rounding


def _few(rarest: float, of: str) -> tuple[str, ...]:
    return (f"rests on {rarest:.3g} {of}",) if rarest < FEW else ()


def _wilson(v: Proportion, level: float, bounds: Bounds) -> Interval:
    share = float(v.hits / v.trials)
    trials = float(v.trials if v.effective is None else v.effective)
    ends = proportion.wilson(share * trials, trials, level)
    if v.through is not None:
        ends = float(v.through(ends[0])), float(v.through(ends[1]))
    rarest = min(share, 1 - share) * trials
    weighted = "" if v.effective is None or math.isclose(trials, float(v.trials)) else ", effective rows"
    return Interval(*ends, "wilson" + weighted, _few(rarest, "rows of the rarer outcome"))


def _mover(v: Combination, level: float, bounds: Bounds) -> Interval:
    each = [(c, p, _wilson(p, level, bounds)) for c, p in v.parts]
    parts = [(c, float(p.value), found.low, found.high) for c, p, found in each]
    low, high = proportion.mover(float(v.value), parts, bounds)
    flags = {flag for *_, found in each for flag in found.flags}
    return Interval(low, high, "mover over " + each[0][2].method, tuple(sorted(flags)[:1]))


def _logit_half(v: FScore, level: float, bounds: Bounds) -> Interval:
    tp, fp, fn = (float(c * v.shrink) for c in (v.tp, v.fp, v.fn))
    if v.beta == 1:
        low, high = (2 * j / (1 + j) for j in proportion.wilson(tp, tp + fp + fn, level))
        return Interval(low, high, "wilson", _few(min(tp, fp + fn), "rows of the rarer outcome"))
    low, high = delta.logit_half(tp, fp, fn, v.beta, level)
    return Interval(low, high, "logit, half a count added", _few(min(tp, fp + fn), "rows of the rarer outcome"))


def _hall(v: Mean, level: float, bounds: Bounds) -> Interval:
    m = v.moments
    scale = m.effective / m.weight if m.weight else 0.0
    bounds = bounds[0], min(bounds[1], v.most)
    spread = m.m2 * scale if m.m2 > m.weight * (ROUNDING * m.mean) ** 2 else 0.0
    low, high = mean.hall(m.effective, m.mean, spread, m.m3 * scale, level, bounds)
    if low != low:
        return _none(NO_SPREAD if m.n > 1 else "one row shows no spread")
    weighted = "" if math.isclose(m.effective, m.n) else ", effective rows"
    few = (f"rests on {m.effective:.3g} rows",) if m.effective < 2 * FEW else ()
    return Interval(low, high, "hall" + weighted, few)


def _delong(v: Area, level: float, bounds: Bounds) -> Interval:
    ends = area.auc(v.auc, v.v10, v.v01, v.positives, v.negatives, level)
    if ends[0] != ends[0]:
        return _none("fewer than two rows of a class")
    low, high = (v.offset + v.slope * end for end in ends)
    fewer = min(v.positives, v.negatives)
    rarest = fewer * min(v.auc, 1 - v.auc)
    certain = "perfect separation: " if v.auc in (0.0, 1.0) else ""
    flags = _few(rarest, "misranked rows of the smaller class")
    method = "wilson on the smaller class" if certain else "delong-logit"
    return Interval(low, high, method, tuple(certain + f for f in flags))


def _influence(v: PrecisionArea, level: float, bounds: Bounds) -> Interval:
    low, high = area.average_precision(v.value, v.variance, v.positives, v.rows, level, v.kurtosis, v.harm)
    if low != low:
        return _none("fewer than two positive rows")
    few = (f"rests on {v.positives:.3g} positive rows",) if v.positives < ENOUGH_POSITIVES else ()
    return Interval(low, high, "influence-logit", few or _few(v.rivals, "negatives above the median positive"))


def _noise(v: Calibration, level: float, bounds: Bounds) -> Interval:
    find = calibration.mce_bounds if v.largest else calibration.ece_bounds
    held = v.weight > 0
    rows = v.weight[held] * v.shrink
    low, high, expected = find(rows, v.score[held], v.outcome[held], v.variance[held], level)
    return Interval(low, high, "noise under calibration", (f"a calibrated model would show {expected:.3f}",))


def _delta(v: Smooth, level: float, bounds: Bounds) -> Interval:
    """The delta method, with a little added to the cells as the trials in benchmarks/coverage_trials.py advise.

    Ratios, and what follows from one, are centred and spread with half a count in every cell. Other measures keep
    their centre and take the spread with 1/K in every cell; on a bound, where the spread is 0, both are taken with one
    count in all.
    """
    if not math.isfinite(v.value):
        return _none("the value is infinite")
    k = max(v.classes, 1)
    with np.errstate(all="ignore"):
        if v.classes and (v.restated or bounds == delta.RATIO):
            centre, variance = v.spread(0.5)
        elif v.classes and v.value in bounds:
            centre, variance = v.spread(1 / k**2)
        else:
            centre, variance = v.value, v.spread(1 / k if v.classes else 0.0)[1]
    variance = variance if variance > NO_VARIANCE else 0.0
    low, high = delta.on_scale(v.value, math.sqrt(variance), z(level), bounds, centre)
    if low != low:
        low, high = delta.at_bound(v.value, v.rarest, level, bounds)
        if low != low or high != high:
            return _none(NO_SPREAD)
    return Interval(low, high, f"{v.method} ({_scale(bounds)})", _few(v.rarest, "rows of the rarest outcome"))


def _scale(bounds: Bounds) -> str:
    return {delta.UNIT: "logit", delta.CORRELATION: "atanh", delta.RATIO: "log"}.get(bounds, "plain")


def _why(v: Without, level: float, bounds: Bounds) -> Interval:
    return _none(v.why)


def _none(why: str) -> Interval:
    return Interval(math.nan, math.nan, why)


# The default method of each kind of value is its first.
METHODS: dict[type, dict[str, Method]] = {
    Proportion: {"wilson": _wilson},
    Combination: {"mover": _mover},
    FScore: {"logit-half": _logit_half},
    Mean: {"hall": _hall},
    Area: {"delong-logit": _delong},
    PrecisionArea: {"influence": _influence},
    Calibration: {"noise": _noise},
    Smooth: {"delta": _delta},
    Without: {"none": _why},
}


def interval(value: Value, level: float, bounds: Bounds) -> Interval:
    """The default interval of a value."""
    return next(iter(METHODS[type(value)].values()))(value, level, bounds)
