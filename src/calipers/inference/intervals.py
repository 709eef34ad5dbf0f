"""Which interval belongs to which kind of value: one table, the default first."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import get_args

import numpy as np

from calipers.choices import IntervalMethod
from calipers.inference import (
    calibration,
    classic,
    delta,
    of_agreement,
    of_areas,
    of_blocks,
    of_left_out,
    of_means,
    of_shares,
    of_smooth,
    of_subsample,
    proportion,
)
from calipers.inference.estimate import Interval
from calipers.inference.grouped import about, grouped
from calipers.inference.method import FEW, NO_SPREAD, Bounds, Method, few_rows, no_interval
from calipers.inference.quantiles import t, z
from calipers.inference.resampled import RESAMPLED, Draws, resampled_interval
from calipers.metrics.agreement import Agreement, Subsample
from calipers.metrics.blocked import Blocked
from calipers.metrics.left_out import LeftOut
from calipers.metrics.values import (
    Area,
    Calibration,
    CalibrationMean,
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
    Selected,
    Smooth,
    Smoothed,
    Value,
    Without,
)
from calipers.remarks import Remark

# Groups below which intervals covered too seldom. Areas need more: groups whose scores are far from those of the others
# are rare, and change an area most. Average precision depends on the groups at the top (docs/decisions/groups.md).
FEW_GROUPS, FEW_GROUPS_OF_AREAS = 4, 12
UNEVEN = 0.25  # if as many groups of equal size would be a smaller part of the groups, a few have most of the rows
OUT_OF_RANGE = Remark("inference.out_of_range")
NAMED = ("woolf", "simel", "fisher-z")  # methods of single metrics, which name them


def _noise(v: Calibration, level: float, bounds: Bounds) -> Interval:
    find = calibration.mce_bounds if v.largest else calibration.ece_bounds
    mask = v.weight > 0
    rows = v.weight[mask] * v.shrink
    low, high, expected = find(rows, v.score[mask], v.outcome[mask], v.variance[mask], level)
    return _above_noise(low, high, "MCE" if v.largest else "ECE", expected)


def _above_noise(low: float, high: float, metric: str, expected: float) -> Interval:
    """The bounds of a calibration error, beside the value that a calibrated model would show."""
    note = Remark("inference.calibrated", metric=metric, expected=expected)
    return Interval(low, high, Remark("inference.noise"), notes=(note,))


def _noise_of_classes(v: CalibrationMean, level: float, bounds: Bounds) -> Interval:
    """The mean of the bounds of the classes, whose errors may all go together: they are of the same rows."""
    each = [(share, _noise(part, level, bounds)) for share, part in zip(v.shares, v.parts, strict=True)]
    low, high = (sum(share * getattr(part, end) for share, part in each) for end in ("low", "high"))
    expected = sum(share * part.notes[0].values["expected"] for share, part in each)  # type: ignore[attr-defined]
    return _above_noise(low, high, "ECE", expected)


def _noise_of_curve(v: Smoothed, level: float, bounds: Bounds) -> Interval:
    low, high, expected = calibration.curve_bounds(v.share, v.gap, v.operator, v.noise, v.rows, level)
    return _above_noise(low, high, "ICI", expected)


def _grouped(v: Grouped, level: float, bounds: Bounds) -> Interval:
    """The default of the value behind it, with the variance of whole groups and how many of them show it."""
    if not v.known:
        return interval(v.of, level, bounds)
    if not math.isfinite(float(v.value)):
        return no_interval(Remark("inference.infinite"))
    if isinstance(v.of, Largest):
        between = v.between()
        spread, groups = float(v.value) * (1 - float(v.value)), about(between)
        rows = spread / between.variance * (z(level) / t(level, between.df)) ** 2 if between.variance > 0 else groups
        result = of_shares.largest_of_rows(v.of, rows, level, "inference.grouped")
    else:
        (low, high), method, groups = grouped(v, level, bounds)
        flags = of_shares.few_hits(v.of)
        if isinstance(v.of, Mean) and v.of.unseen is not None and groups >= 2:
            between = v.between()
            of_classes = (n / rows for n, rows in zip(between.groups, between.rows, strict=True))
            independent = min(v.groups / v.of.moments.n, *of_classes)
            low, high, flags = of_means.allow_for_unseen(v.of, v.of.unseen, low, high, independent, level, bounds)
        if low != low:
            return no_interval(NO_SPREAD if groups >= 2 else Remark("inference.one_group"))
        result = Interval(low, high, Remark("inference.grouped", method=method), flags)
    return result._replace(flags=_few_groups(v, groups) + result.flags)


def _few_groups(v: Grouped, groups: float) -> tuple[str, ...]:
    """A remark where an estimate depends on few groups, or a few of them have most of the rows."""
    ranked = isinstance(v.of, (Area, PrecisionArea)) or (isinstance(v.of, Smooth) and v.of.trials is not None)
    if isinstance(v.of, PrecisionArea):
        groups = min(groups, v.between().carried[0])  # those of the negatives that are ranked high
    if groups < (FEW_GROUPS_OF_AREAS if ranked else FEW_GROUPS):
        return (Remark("inference.few_groups", count=groups),)
    return (Remark("inference.uneven_groups", count=v.equal),) if v.equal < UNEVEN * v.groups else ()


def _why(v: Without, level: float, bounds: Bounds) -> Interval:
    return no_interval(v.why)


# The default method of each kind of value is its first.
METHODS: dict[type, dict[str, Method]] = {
    Proportion: {
        "wilson": of_shares.wilson,
        "clopper-pearson": of_shares.by_rule("clopper-pearson", proportion.clopper_pearson, 0),
        "jeffreys": of_shares.by_rule("jeffreys", proportion.jeffreys),
        "agresti-coull": of_shares.by_rule("agresti-coull", proportion.agresti_coull, 0),
        "wilson-cc": classic.wilson_cc,
        "normal": of_shares.by_rule("normal", proportion.normal, FEW),
    },
    Largest: {"largest-share": of_shares.largest},
    Combination: {"mover": of_shares.mover, "newcombe": of_shares.mover, "newcombe-cc": classic.newcombe_cc,
                  "normal": of_shares.normal_sum},
    FScore: {"logit-half": of_shares.logit_half, "normal": of_shares.normal_f_score},
    Mean: {name: of_means.of_mean(name) for name in (*of_means.OF_SKEWED, "t", "normal")},
    QueryMean: {name: of_means.of_queries(name) for name in ("t-scaled", "t", "hall")},
    Area: {
        "delong-wilson": of_areas.delong_wilson,
        "delong-logit": of_areas.delong_logit,
        "delong": of_areas.delong,
        "newcombe": of_areas.newcombe,
        "delong-logit-z": classic.delong_logit_z,
        "hanley-mcneil": classic.hanley_mcneil,
    },
    PrecisionArea: {"influence-logit": of_areas.influence_logit, "normal": of_areas.normal_precision},
    Calibration: {"noise": _noise},
    CalibrationMean: {"noise": _noise_of_classes},
    Smoothed: {"noise": _noise_of_curve},
    Smooth: {"delta": of_smooth.delta_method, "normal": of_smooth.normal_smooth, "woolf": classic.woolf,
             "simel": classic.simel},
    Linearised: {
        "jackknife": of_smooth.linearised(True),
        "delta": of_smooth.linearised(False),
        "normal": of_smooth.normal_linearised,
        "fisher-z": classic.fisher_z,
    },
    Agreement: {"jackknife": of_agreement.jackknife},
    Blocked: {"jackknife": of_blocks.jackknife},
    Subsample: {"subsample": of_subsample.subsample},
    LeftOut: {"jackknife": of_left_out.jackknife_of},
    Quantile: {"order-statistics": of_means.order_statistics},
    Grouped: {"grouped": _grouped},
    Selected: {},
    Without: {"none": _why},
}


def interval(
    value: Value,
    level: float,
    bounds: Bounds,
    method: str | None = None,
    draws: Callable[[], Draws] | None = None,
) -> Interval:
    """The interval of a value by a method that fits it, the default one where none is named."""
    chosen = value.of if isinstance(value, Grouped) else value
    if method is None and isinstance(chosen, Selected):
        method = "percentile"
    if method is None and isinstance(value, Grouped) and not value.known and can_be_resampled(value):
        low, high = delta.at_bound(float(value.value), value.equal, level, bounds)
        if low == low:  # no resample of rows without an error has one
            flags = _few_groups(value, value.equal) + few_rows(0.0, "inference.rows_of_rarer")
            return Interval(low, high, Remark("inference.grouped", method="wilson"), flags)
        method = "bca"
    if method in RESAMPLED and draws is not None:
        result = resampled_interval(method, float(value.value), level, bounds, draws)
        if not isinstance(chosen, Selected):
            return result
        return result._replace(notes=(Remark("inference.chosen_threshold", threshold=chosen.threshold),))
    methods = _methods(value)
    try:
        with np.errstate(over="ignore"):
            result = methods[next(iter(methods)) if method is None else method](value, level, bounds)
        if result.low < bounds[0] or result.high > bounds[1]:  # by the last digit: a bound through a map or a quadratic
            return result._replace(low=max(result.low, bounds[0]), high=min(result.high, bounds[1]))
        return result
    except (OverflowError, ZeroDivisionError):  # overflow or underflow of powers
        return no_interval(OUT_OF_RANGE)


def _methods(value: Value) -> dict[str, Method]:
    """The methods of a kind of value, the default first."""
    methods = METHODS[type(value)]
    if isinstance(value, (Smooth, Linearised)):
        return {name: method for name, method in methods.items() if name not in NAMED or name in value.named}
    if isinstance(value, Combination) and len(value.parts) > 2:  # means over classes, whose parts are of the same kind
        return {"wilson": of_shares.wilson_of_sum, **methods}
    return {value.default: methods[value.default], **methods} if isinstance(value, Mean) else methods


def fitting(value: Value) -> tuple[str, ...]:
    """The methods that a kind of value can have, the default first."""
    own = tuple(name for name in _methods(value) if name != "none")
    if isinstance(value, Grouped) and not value.known:
        own = ()
    if isinstance(value.of if isinstance(value, Grouped) else value, Selected):
        own = ("percentile",)
    return own + RESAMPLED if can_be_resampled(value) else own


def can_be_resampled(value: Value) -> bool:
    """Whether a bootstrap makes sense of it: not of counts, tests, p-values, and not of maxima, which it pushes up, nor
    of the items that users have together, of which users drawn twice have fewer.
    """
    value = value.of if isinstance(value, Grouped) else value
    if isinstance(value, (Largest, LeftOut, Subsample)):
        return False
    return not isinstance(value, Without) or value.resampled


def every_method() -> tuple[str, ...]:
    """Every name that `interval=` takes."""
    return get_args(IntervalMethod)
