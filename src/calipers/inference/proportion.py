"""Intervals for one proportion and for linear combinations of independent ones."""

import math
from collections.abc import Iterable

from calipers.inference.quantiles import z


def wilson(hits: float, trials: float, level: float) -> tuple[float, float]:
    """Wilson's score interval for a proportion; counts may be effective (weighted) ones.

    The roots of (p - hits/trials)² = z² p(1-p)/trials (Wilson 1927; Newcombe 1998, method 3). The low root is
    taken as product over high root, so that it is exactly 0 at no hits; the high one mirrors it. No trials,
    no interval: (NaN, NaN).

    >>> low, high = wilson(81, 263, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.2553, 0.3662)
    """
    if not trials > 0:
        return math.nan, math.nan
    estimate, misses = hits / trials, trials - hits
    square = z(level) ** 2
    root = math.sqrt(square * (square / 4 + hits * (misses / trials)))
    low = hits * estimate / (hits + square / 2 + root)
    high = 1 - misses * (misses / trials) / (misses + square / 2 + root)
    return min(low, estimate), max(high, estimate)


def mover(
    value: float,
    parts: Iterable[tuple[float, float, float, float]],
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[float, float]:
    """The interval of a constant plus Σ cᵢpᵢ, from its independent parts (cᵢ, pᵢ, lowᵢ, highᵢ).

    Square-and-add, or MOVER: low = value - √Σ(cᵢ(pᵢ - xᵢ))², xᵢ the end of part i that lowers the sum, and
    likewise upwards (Newcombe 1998, method 10; Donner & Zou 2012). Exact limits in, asymmetric limits out.

    >>> a, b = (1, 56 / 70, *wilson(56, 70, 0.95)), (-1, 48 / 80, *wilson(48, 80, 0.95))
    >>> low, high = mover(56 / 70 - 48 / 80, [a, b])
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    down = up = 0.0
    for c, p, low, high in parts:
        to_low, to_high = (c * (p - low), c * (high - p)) if c >= 0 else (c * (p - high), c * (low - p))
        down += to_low * to_low
        up += to_high * to_high
    return max(bounds[0], value - math.sqrt(down)), min(bounds[1], value + math.sqrt(up))
