"""Intervals of what is known by blocks of rows."""

from __future__ import annotations

import math

import numpy as np

from calipers.inference.estimate import Interval
from calipers.inference.method import TOO_FEW, Bounds, few_rows, no_interval
from calipers.inference.quantiles import t
from calipers.metrics.blocked import Blocked
from calipers.remarks import Remark

NO_SPREAD = Remark("topics.no_spread")
FEWEST, FEW = 3, 20  # blocks without which there is no interval, and below which it has a flag
ROUNDING = 1e-12


def spread(v: Blocked) -> tuple[float, float, float]:
    """The value less its bias, its variance and their degrees of freedom: the jackknife of blocks of unequal size.

    With a share w of the rows in a block, its pseudo-value is (θ - (1 - w) θ₋) / w: Busing, Meijer and van der Leeden
    1999, Statistics and Computing 9:3-8. The degrees of freedom fall with the kurtosis of the terms of the variance.
    """
    left, share = v.left_out()
    pseudo = (v.value - (1 - share) * left) / share
    centre = float(share @ pseudo)
    terms = (pseudo - centre) * np.sqrt(share / (1 - share))
    square, fourth = float(np.sum(terms**2)), float(np.sum(terms**4))
    blocks = len(left)
    df = min(blocks, 3 * square**2 / fourth if fourth > 0 else blocks) - 1
    return centre, square / blocks, max(df, 1.0)


def jackknife(v: Blocked, level: float, bounds: Bounds) -> Interval:
    """Student's t about the value less its bias, both from blocks left out; it always holds the value itself."""
    blocks = len(v.left_out()[0])
    if blocks < FEWEST:
        return no_interval(TOO_FEW)
    with np.errstate(all="ignore"):
        centre, variance, df = spread(v)
    if not (math.isfinite(centre) and math.isfinite(variance)):
        return no_interval(TOO_FEW)
    error = math.sqrt(variance)
    if error <= ROUNDING * max(1.0, abs(v.value)):
        return no_interval(NO_SPREAD)
    reach = t(level, df) * error
    ends = (v.value, centre - reach, centre + reach)
    low, high = (min(max(end, bounds[0]), bounds[1]) for end in (min(ends), max(ends)))
    return Interval(low, high, "jackknife", few_rows(blocks, "inference.few_blocks", FEW))
