"""Intervals for one proportion and for linear combinations of independent ones."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.inference.quantiles import t, z

Array = npt.NDArray[Any]


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


def trust(errors: float, units: float, level: float) -> float:
    """The weight (0 to 1) of a variance that is estimated from this number of errors, against a conservative one.

    errors / (errors + z²/2 · units). Wilson's own interval adds z²/2 errors (Wilson 1927), so that an interval with
    these shares does not move faster than his where the errors are few. `units`: independent units per row.

    >>> trust(0, 1, 0.95), round(trust(5, 1, 0.95), 3)
    (0.0, 0.722)
    """
    return errors / (errors + z(level) ** 2 / 2 * units)


def clopper_pearson(hits: Any, trials: Any, level: float) -> tuple[Any, Any]:
    """Clopper & Pearson's (1934) intervals by quantiles of the beta distribution, 0 and 1 at the ends; vectorised.

    "Exact": it never covers less than the level, and in most cases more (Newcombe 1998, method 5).

    >>> low, high = clopper_pearson(81, 263, 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.2527, 0.3676)
    """
    return _beta_quantiles(hits, trials, level, 0.0)


def largest(counts: Array, level: float) -> tuple[float, float]:
    """The interval of the largest of several shares, which is a maximum and not the share of one given class.

    Classes whose counts lie within 2z standard deviations of the largest one may have the largest share too. The count
    of the largest of k such classes is too high: for k > 2 the lower end is Clopper and Pearson's at (1 - level) / k
    (Bonferroni; with ties the upper end hardly ever misses). Where classes without a row are that near, the number of
    them is Chao's estimate (1984). Everything else is Wilson's. Of two shares, one is at least 1/2.

    >>> [round(x, 4) for x in largest(np.array([100.0, 900.0]), 0.95)]
    [0.8798, 0.9171]
    >>> [round(x, 4) for x in largest(np.array([24.0] + [16.0] * 61), 0.95)]
    [0.0115, 0.0355]
    """
    n, most = float(counts.sum()), float(counts.max(initial=0.0))
    low, high = wilson(most, n, level)
    near = most - 2 * z(level) * math.sqrt(2 * most)
    tied = float(((counts >= near) & (counts > 0)).sum())
    if near <= 0:
        single, double = (float((np.round(counts) == k).sum()) for k in (1, 2))
        tied += single * (single - 1) / (2 * (double + 1))
    if tied > 2:
        low = float(clopper_pearson(most, n, 1 - 2 * (1 - level) / tied)[0])
    return max(low, 0.5) if len(counts) == 2 else low, high


def jeffreys(hits: float, trials: float, level: float) -> tuple[float, float]:
    """The equal-tailed posterior interval under Jeffreys' prior, Beta(½, ½), and exactly 0 and 1 at the ends.

    Brown, Cai & DasGupta (2001, sec. 4.1.2) set the low end to 0 at no hits and the high one to 1 at no misses, without
    which the coverage falls there. At a low level the posterior median can leave out hits/trials: stretched to hold it.

    >>> low, high = jeffreys(0, 10, 0.95)
    >>> low, round(high, 4)
    (0.0, 0.2172)
    """
    if not trials > 0:
        return math.nan, math.nan
    low, high = _beta_quantiles(hits, trials, level, 0.5)
    return min(float(low), hits / trials), max(float(high), hits / trials)


def _beta_quantiles(hits: Any, trials: Any, level: float, more: float) -> tuple[Any, Any]:
    """Tails of Beta(hits + more, misses + 1 - more) and Beta(hits + 1 - more, misses + more)."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    hits, misses = np.asarray(hits, np.float64), np.maximum(0.0, np.asarray(trials) - hits)
    # The beta quantile at 1 - tail is taken from the mirrored distribution, which has 0, not NaN, at the end.
    low = np.where(hits > 0, betaincinv(np.where(hits > 0, hits + more, 1.0), misses + 1 - more, tail), 0.0)
    high = np.where(misses > 0, 1 - betaincinv(np.where(misses > 0, misses + more, 1.0), hits + 1 - more, tail), 1.0)
    return low, high


def agresti_coull(hits: float, trials: float, level: float) -> tuple[float, float]:
    """Agresti & Coull's (1998) interval: the normal one with z²/2 hits and z²/2 misses added, clipped to [0, 1].

    It has Wilson's centre and is never narrower.

    >>> [round(x, 4) for x in agresti_coull(15, 148, 0.95)]
    [0.0614, 0.1615]
    """
    if not trials > 0:
        return math.nan, math.nan
    square = z(level) ** 2
    more = trials + square
    centre = (hits + square / 2) / more
    reach = z(level) * math.sqrt(centre * (1 - centre) / more)
    return max(0.0, min(centre - reach, hits / trials)), min(1.0, max(centre + reach, hits / trials))


def normal(hits: float, trials: float, level: float) -> tuple[float, float]:
    """The textbook's p ± z√(p(1-p)/n) (Wald), clipped to [0, 1]. Zero width for all hits or none.

    >>> [round(x, 4) for x in normal(81, 263, 0.95)], normal(20, 20, 0.95)
    ([0.2522, 0.3638], (1.0, 1.0))
    """
    if not trials > 0:
        return math.nan, math.nan
    share = hits / trials
    reach = z(level) * math.sqrt(max(0.0, share * (1 - share)) / trials)
    return max(0.0, share - reach), min(1.0, share + reach)


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


def mean_of_shares(each: Array, rows: Array, parts: Array, level: float) -> tuple[float, float, float]:
    """The score interval of a mean of many independent shares, and as how many rows of one share it varies.

    `parts` are the shares' parts of the mean, which add up to 1. Each share varies as with two more rows that are like
    the mean, because a class of few rows shows no spread where all of them are hits. The degrees of freedom are
    Satterthwaite's (1946). How the variance changes with the mean depends on which shares move: all of them, as in
    Wilson's interval of that many rows, or each by its part of the variance. The interval contains both, since either
    alone covers too little, with one uncertain share or with shares of few rows (docs/decisions/flags.md).

    >>> [round(x, 4) for x in mean_of_shares(np.array([0.9, 0.8, 1.0]), np.full(3, 20.0), np.full(3, 1 / 3), 0.95)]
    [0.7988, 0.9538, 60.2938]
    """
    mean, added = float(parts @ each), 2.0
    alike = 1 / float((parts * parts / rows).sum())
    if np.ptp(each) == 0 and each[0] in (0, 1):  # of many shares of 1, rounding may leave a mean below 1
        return *wilson(float(each[0]) * alike, alike, level), alike
    share = (each * rows + added * mean) / (rows + added)
    spread = parts * parts * share * (1 - share) / rows
    variance = float(spread.sum())
    df = variance**2 / float((spread * spread / (rows + added - 1)).sum())
    size = mean * (1 - mean) / variance * (z(level) / t(level, df)) ** 2
    moved = parts * share * (1 - share) / (rows * variance)  # how far each share moves if the mean moves by 1
    slope, bend = (float((parts * parts / rows * x).sum()) for x in ((1 - 2 * share) * moved, moved * moved))
    low, high = wilson(mean * size, size, level)
    least, most = score_bounds(mean, variance, slope, bend, t(level, df))
    return max(0.0, min(low, least)), min(1.0, max(high, most)), size


def score_bounds(value: float, variance: float, slope: float, bend: float, quantile: float) -> tuple[float, float]:
    """The values x with (value - x)² = quantile² (variance + slope·d - bend·d²), where d = x - value.

    >>> p, n = 0.3, 50  # of one share, Wilson's interval
    >>> [round(x, 4) for x in score_bounds(p, p * (1 - p) / n, (1 - 2 * p) / n, 1 / n, z(0.95))]
    [0.191, 0.4375]
    >>> [round(x, 4) for x in wilson(15, 50, 0.95)]
    [0.191, 0.4375]
    """
    square = quantile * quantile
    shift, scale = square * slope / 2, 1 + square * bend
    reach = math.sqrt(shift * shift + scale * square * variance)
    return value + (shift - reach) / scale, value + (shift + reach) / scale


def ranks_around(n: int, share: float, level: float) -> tuple[int, int]:
    """The ranks (from 1) of two of n rows between which their quantile lies with at least this level.

    Rows below the quantile are Binomial(n, share), whatever the distribution; each end is left out with half of
    1 - level at most. A rank of 0 or n + 1 says that n rows are too few.

    >>> ranks_around(30, 0.5, 0.95), ranks_around(5, 0.5, 0.95)
    ((10, 21), (0, 6))
    """
    from scipy.special import bdtr, bdtrik

    tail = (1 - level) / 2
    low = int(np.floor(bdtrik(tail, n, share))) if n and bdtr(0, n, share) <= tail else -1
    while low >= 0 and bdtr(low, n, share) > tail:  # rounding of the inverse
        low -= 1
    high = int(np.ceil(bdtrik(1 - tail, n, share))) if n else 0
    while high < n and bdtr(high, n, share) < 1 - tail:
        high += 1
    return low + 1, min(high, n) + 1
