"""Intervals of the agreement of clusters with classes."""

from __future__ import annotations

import math

import numpy as np

from calipers.inference.estimate import Interval
from calipers.inference.method import TOO_FEW, Bounds, no_interval
from calipers.inference.quantiles import t, z
from calipers.metrics.agreement import Agreement
from calipers.metrics.probabilities import chi2_tail
from calipers.remarks import Remark

NO_CHANGE = 1e-12  # smaller changes of a value without a row are rounding
FEWEST = 3  # rows


def jackknife(v: Agreement, level: float, bounds: Bounds) -> Interval:
    """Student's t about the value less its bias, both from rows left out; it always holds the value itself.

    Entropies of a table are too low by about half a row per cell, and samples drawn from the table double that: in the
    trials (docs/decisions/clusters.md) bootstrap intervals of mutual information covered as little as 0%, these 92 to
    97%. Where both are the same partition no row shows an error. The bound is then the value with as many rows dealt
    at random as Wilson's interval allows for when none of n was.

    A root of chi-squared has a corner where labels are independent: near it, the value varies as much as its bias, and
    where chi-squared is not significant, 0 is inside (docs/decisions/named-methods.md).
    """
    if v.rows < FEWEST:
        return no_interval(TOO_FEW)
    with np.errstate(all="ignore"):
        left, times = v.left_out()
        parts = float(times.sum())
        mean = float(times @ left / parts)
        apart = left - mean
        square, fourth = float(times @ apart**2), float(times @ apart**4)
        variance, bias = square * (parts - 1) / parts, (parts - 1) * (mean - v.value)
        deciding = float(times @ (np.abs(apart) > NO_CHANGE))
        df = min(deciding, 3 * square**2 / fourth if fourth > 0 else deciding, parts) - 1
    if not (math.isfinite(variance) and math.isfinite(bias)):
        return no_interval(TOO_FEW)
    error = math.sqrt(variance + (0.0 if v.chi_squared is None else 2 * bias**2))
    reach = t(level, max(df, 1.0)) * error if error > NO_CHANGE else 0.0
    ends = [v.value, v.value - bias - reach, v.value - bias + reach] if reach else [v.value]
    if v.same or not reach:
        ends.append(v.mixed(z(level) ** 2 / (v.rows + z(level) ** 2)))
    if v.chi_squared is not None and chi2_tail(*v.chi_squared) > 1 - level:
        ends.append(0.0)
    low, high = (min(max(end, bounds[0]), bounds[1]) for end in (min(ends), max(ends)))
    flags = (Remark("inference.sparse_table", cells=v.cells),) if v.cells > v.rows and abs(bias) > error else ()
    return Interval(low, high, "jackknife", flags)
