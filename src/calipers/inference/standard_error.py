"""The standard error of each kind of value: the root of the variance that its default interval is made from."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from calipers.inference import area, delta, of_blocks
from calipers.inference.jackknife import jackknife
from calipers.metrics.blocked import Blocked
from calipers.metrics.left_out import LeftOut
from calipers.metrics.values import (
    Area,
    Combination,
    FScore,
    Grouped,
    Linearised,
    Mean,
    PrecisionArea,
    Proportion,
    QueryMean,
    Smooth,
    Value,
)


def _slope(through: Callable[[Any], Any] | None, at: float) -> float:
    """The derivative of a map, by the complex step."""
    return 1.0 if through is None else float(np.imag(through(at + 1e-40j)) / 1e-40)


def _share(v: Proportion) -> float:
    share, trials = float(v.hits / v.trials), float(v.trials if v.effective is None else v.effective)
    return share * (1 - share) / trials * _slope(v.through, share) ** 2


def _mean(v: Mean | QueryMean) -> float:
    m = v.moments
    if not m.effective > 1:
        return math.nan
    return m.m2 / m.weight / (m.effective - 1) * _slope(getattr(v, "through", None), m.mean) ** 2


def _area(v: Area) -> float:
    return v.slope**2 * area.delong(v.v10, v.v01, v.positives, v.negatives)[0] if min(v[3:5]) > 1 else math.nan


def _f(v: FScore) -> float:
    tp, fp, fn = (float(c * v.shrink) for c in (v.tp, v.fp, v.fn))
    inside = tp > 0 and fp + fn > 0
    return delta.logit_variance(tp, fp, fn, v.beta) * float(v.value * (1 - v.value)) ** 2 if inside else 0.0


def _linearised(v: Linearised) -> float:
    return v.variance() if v.left_out is None else jackknife(v.left_out())[0]


VARIANCES: dict[type, Callable[[Any], float]] = {
    Proportion: _share,
    Combination: lambda v: sum(c * c * _share(p) for c, p in v.parts),
    FScore: _f,
    Mean: _mean,
    QueryMean: _mean,
    Area: _area,
    PrecisionArea: lambda v: v.variance,
    Smooth: lambda v: v.spread(0.0).variance,
    Linearised: _linearised,
    LeftOut: lambda v: jackknife(v.left_out())[0],
    Blocked: lambda v: of_blocks.spread(v)[1],
    Grouped: lambda v: v.between().variance if v.known else math.nan,
}


def standard_error(value: Value) -> float:
    """The standard error; NaN for kinds that have none, such as quantiles, maxima and calibration errors.

    >>> round(standard_error(Proportion(90, 100)), 4), standard_error(Proportion(90, 100, np.sqrt)) < 0.03
    (0.03, True)
    """
    find = VARIANCES.get(type(value))
    if find is None:
        return math.nan
    with np.errstate(all="ignore"):
        variance = float(find(value))
    return math.sqrt(variance) if variance >= 0 else math.nan
