"""Intervals of what all users, or queries, have together: coverage, concentration, a geometric mean."""

from __future__ import annotations

import math

import numpy as np

from calipers.inference import delta
from calipers.inference.estimate import Interval
from calipers.inference.jackknife import jackknife
from calipers.inference.method import FEW, NO_SPREAD, TOO_FEW, Bounds, no_interval, on_scale
from calipers.inference.quantiles import t
from calipers.metrics.over_users import OverUsers
from calipers.remarks import Remark

FEWEST = 3  # users
NO_CHANGE = 1e-14  # of a value without a user: rounding


def jackknife_over_users(v: OverUsers, level: float, bounds: Bounds) -> Interval:
    """Student's t on the scale of the range, from the values without each user.

    The interval is for as many other users: coverage and entropy grow with their number, so that the bias of the
    jackknife is not taken off (docs/decisions/recommendations.md).
    """
    if v.users < FEWEST:
        return no_interval(TOO_FEW)
    with np.errstate(all="ignore"):
        variance, df = jackknife(v.left_out())
    if not math.isfinite(variance):
        return no_interval(TOO_FEW)
    error = math.sqrt(variance)
    low, high = delta.on_scale(v.value, error if error > NO_CHANGE else 0.0, t(level, df), bounds)
    if low != low:
        return no_interval(Remark("recommendation.no_change") if v.unit == "users" else NO_SPREAD)
    code = "recommendation.few_users" if v.unit == "users" else "inference.few_queries"
    few = (Remark(code, count=v.users),) if v.users < 2 * FEW else ()
    return Interval(low, high, on_scale("jackknife", delta.scale(bounds)), few)
