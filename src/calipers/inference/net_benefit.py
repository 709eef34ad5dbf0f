"""Bounds of sums of shares of the same rows, such as the net benefit TP/n - odds * FP/n and its differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.inference.groups import between
from calipers.inference.quantiles import t, z

Array = npt.NDArray[Any]
FAR, HALVINGS = 40.0, 60  # a z beyond which p is 0, and how often the range is halved to find a p-value


def bounds(shares: Array, coefficients: Array, rows: float, quantile: Array) -> tuple[Array, Array]:
    """Bounds of Σ coefficient x share, along the last axis, at a normal quantile for each sum.

    Wilson's intervals of the shares, combined by squaring and adding (MOVER), with the correlation -√(pq/(1-p)(1-q))
    that shares of the same rows have. A share of 0 has an interval all the same.

    >>> low, high = bounds(np.array([[0.3, 0.1]]), np.array([[1.0, -0.25]]), 100, np.array([1.96]))
    >>> round(float(low[0]), 3), round(float(high[0]), 3)
    (0.188, 0.374)
    """
    p, c, q = np.clip(shares, 0.0, 1 - 1e-12), coefficients, quantile[..., None]
    centre, room = p + q**2 / (2 * rows), 1 + q**2 / rows
    half = q * np.sqrt(p * (1 - p) / rows + q**2 / (4 * rows**2))
    below, above = p - (centre - half) / room, (centre + half) / room - p
    value, ratio = (c * p).sum(-1), np.sqrt(p / (1 - p))

    def reach(each: Array) -> Array:
        part = c * each
        return np.asarray(np.sqrt(np.maximum(0.0, (part**2 * (1 + ratio**2)).sum(-1) - (part * ratio).sum(-1) ** 2)))

    low, high = reach(np.where(c > 0, below, above)), reach(np.where(c > 0, above, below))
    return value - low, value + high


def pvalues(shares: Array, coefficients: Array, rows: float) -> Array:
    """Two-sided p-values of sums of 0: the level at which the interval of `bounds` reaches 0."""
    from scipy.special import erfc

    value = (coefficients * shares).sum(-1)
    least, most = np.zeros(len(value)), np.full(len(value), FAR)
    for _ in range(HALVINGS):
        middle = (least + most) / 2
        low, high = bounds(shares, coefficients, rows, middle)
        outside = np.where(value > 0, low > 0, high < 0)
        least, most = np.where(outside, middle, least), np.where(outside, most, middle)
    return np.asarray(erfc(least / math.sqrt(2)))


def net_benefit_band(tp: Array, fp: Array, odds: Array, rows: float, level: float) -> tuple[Array, Array]:
    """Bounds of net benefits, from the shares of true and of false positives among all rows."""
    shares, coefficients = np.stack((tp, fp), -1), np.stack((np.ones_like(odds), -odds), -1)
    return bounds(shares, coefficients, rows, np.full(len(tp), z(level)))


def band_of_groups(each: Array, weights: Array, groups: Array, level: float) -> tuple[float, float]:
    """Bounds of the mean of a number that each row has, by the variance that whole groups show."""
    total = float(weights.sum())
    mean = float(weights @ each) / total
    spread = between(weights * (each - mean) / total, None, groups)
    if not spread.df > 0:
        return math.nan, math.nan
    reach = t(level, spread.df) * math.sqrt(max(0.0, spread.variance))
    return mean - reach, mean + reach
