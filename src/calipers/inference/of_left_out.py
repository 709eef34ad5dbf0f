"""Intervals of what all rows or users have together: silhouettes, and the coverage and concentration of lists."""

from __future__ import annotations

import math

import numpy as np

from calipers.inference import delta
from calipers.inference.estimate import Interval
from calipers.inference.jackknife import jackknife
from calipers.inference.method import FEW, NO_SPREAD, TOO_FEW, Bounds, no_interval, on_scale
from calipers.inference.quantiles import t
from calipers.metrics.left_out import LeftOut
from calipers.remarks import Remark

FEWEST = 3  # rows or users
NO_CHANGE, ROUNDING = 1e-14, 1e-12  # rounding of a value without a row, and of a value at its bound
UNCHANGED = {"users": Remark("recommendation.no_change")}


def jackknife_of(v: LeftOut, level: float, bounds: Bounds) -> Interval:
    """Student's t on the scale of the range, from the values without each row or user.

    The interval is for as many other rows or users: coverage and entropy grow with their number, so that the bias of
    the jackknife is not taken off (docs/decisions/recommendations.md).
    """
    too_few = Remark("recommendation.too_few_users") if v.unit == "users" else TOO_FEW
    if v.n < FEWEST:
        return no_interval(too_few)
    with np.errstate(all="ignore"):
        variance, df = jackknife(v.left_out())
    if not math.isfinite(variance):
        return no_interval(too_few)
    error = math.sqrt(variance)
    low, high = delta.on_scale(v.value, error if error > NO_CHANGE else 0.0, t(level, df), bounds)
    # All items are recommended, or no item is shared: leaving out a user changes nothing.
    if low != low and v.unit == "users":
        bound = next((end for end in bounds if abs(v.value - end) < ROUNDING), v.value)
        low, high = delta.at_bound(bound, v.n, level, bounds)
    if low != low:
        return no_interval(UNCHANGED.get(v.unit, NO_SPREAD))
    of_users, of_queries = v.unit == "users", v.unit == "queries"
    code = "recommendation.few_users" if of_users else "inference.few_queries" if of_queries else "inference.few_rows"
    few = (Remark(code, count=v.n),) if v.n < 2 * FEW else ()
    return Interval(low, high, on_scale("jackknife", delta.scale(bounds)), few)
