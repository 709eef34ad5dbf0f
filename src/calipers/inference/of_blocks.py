"""Intervals of what is known by blocks of rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.inference.contrast import Contrast
from calipers.inference.estimate import Interval
from calipers.inference.method import TOO_FEW, Bounds, few_rows, no_interval
from calipers.inference.quantiles import t
from calipers.metrics.blocked import Blocked
from calipers.remarks import Remark

Array = npt.NDArray[Any]
NO_SPREAD = Remark("topics.no_spread")
FEWEST, FEW = 3, 20  # blocks without which there is no interval, and below which it has a flag
ROUNDING = 1e-12


def spread(v: Blocked) -> tuple[float, float, float]:
    """The value less its bias, its variance and their degrees of freedom: the jackknife of blocks of unequal size.

    With a share w of the rows in a block, its pseudo-value is (θ - (1 - w) θ₋) / w: Busing, Meijer and van der Leeden
    1999, Statistics and Computing 9:3-8. The degrees of freedom fall with the kurtosis of the terms of the variance.
    """
    centre, terms = _terms(v.value, *v.left_out())
    square, fourth = float(np.sum(terms**2)), float(np.sum(terms**4))
    blocks = len(terms)
    df = min(blocks, 3 * square**2 / fourth if fourth > 0 else blocks) - 1
    return centre, square / blocks, max(df, 1.0)


def _terms(value: float, left: Array, share: Array) -> tuple[float, Array]:
    """The value less its bias, and a term for each block, whose mean square is the variance."""
    pseudo = (value - (1 - share) * left) / share
    centre = float(share @ pseudo)
    return centre, (pseudo - centre) * np.sqrt(share / (1 - share))


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


def difference(first: Blocked, second: Blocked) -> Contrast:
    """The difference of two values over the same blocks, from what it is without each of them."""
    (left, share), (other, _) = first.left_out(), second.left_out()
    gap = Blocked(first.value - second.value, lambda: (left - other, share))
    if len(share) < FEWEST:
        return Contrast(gap.value, math.nan, math.nan, "", TOO_FEW)
    with np.errstate(all="ignore"):
        _, variance, df = spread(gap)
    error, rounding = math.sqrt(variance), ROUNDING * max(1.0, abs(first.value))
    if not math.isfinite(error):
        return Contrast(gap.value, math.nan, math.nan, "", TOO_FEW)
    if error <= rounding < abs(gap.value):
        return Contrast(gap.value, math.nan, math.nan, "", NO_SPREAD)
    few = few_rows(len(share), "inference.few_blocks", FEW)
    rows = _terms(gap.value, *gap.left_out())[1]
    return Contrast(gap.value, error, df, Remark("comparison.jackknife_blocks"), few[0] if few else "", rows=rows)
