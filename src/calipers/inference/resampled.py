"""p-values and intervals from resampling. p is (b + 1)/(m + 1), because what was seen is one of the arrangements."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.choices import Alternative
from calipers.inference.estimate import Interval
from calipers.inference.outcome import Outcome, sided
from calipers.inference.quantiles import z
from calipers.inference.scale import scaled
from calipers.metrics.views import Unavailable
from calipers.remarks import Remark

Array = npt.NDArray[Any]
EXACT_UP_TO = 16  # differences whose 2ⁿ signs are all tried
BLOCK = 1 << 22  # numbers in memory at once
RESAMPLED = ("bca", "percentile", "basic")  # methods for every value whose rows can be resampled
LOST = 0.5  # with more resamples than this undefined, the others say nothing
ROUNDING = 1e-14  # a range of replicates below this share of the value is rounding


def sign_flip(
    differences: npt.ArrayLike, flips: int = 9999, seed: int = 0, alternative: Alternative = "two-sided"
) -> Outcome:
    """The sign-flip permutation test that row differences are symmetric about 0; the statistic is their mean.

    Up to 16 differences that are not 0, all sign patterns are tried and p is exact; beyond, `flips` random ones.

    >>> sign_flip([0.1, 0.2, 0.3, 0.4])
    sign-flip test (all 16 patterns): statistic 0.25, p = 0.12
    >>> sign_flip([0.0, 0.0]).pvalue
    1.0
    """
    d = np.asarray(differences, np.float64).ravel()
    mean = float(d.mean()) if len(d) else 0.0
    d = d[d != 0]
    slack = 1e-12 * float(np.abs(d).sum())  # sums of the same numbers in another order differ by rounding
    if len(d) <= EXACT_UP_TO:
        signs = (np.arange(1 << len(d))[:, None] >> np.arange(len(d))) & 1
        sums = (2 * signs - 1) @ d
        below, above = float(np.mean(sums <= d.sum() + slack)), float(np.mean(sums >= d.sum() - slack))
        return Outcome(mean, sided(below, above, alternative), Remark("inference.sign_flip_all", count=len(sums)))
    rng, low, high = np.random.default_rng(seed), 0, 0
    step = max(1, BLOCK // len(d))
    for start in range(0, flips, step):
        signs = rng.integers(0, 2, (min(step, flips - start), len(d)), np.int8)
        sums = 2 * (signs @ d) - d.sum()
        low, high = low + int((sums <= d.sum() + slack).sum()), high + int((sums >= d.sum() - slack).sum())
    below, above = (low + 1) / (flips + 1), (high + 1) / (flips + 1)
    return Outcome(mean, sided(below, above, alternative), Remark("inference.sign_flip_draws", count=flips))


def bootstrap_p(replicates: npt.ArrayLike, null: float = 0.0, alternative: Alternative = "two-sided") -> float:
    """The p-value of H: difference = null from bootstrap replicates of the difference.

    The share of replicates on the far side of the null, (b + 1)/(m + 1), doubled for two sides; it goes with the
    percentile interval. Replicates that are NaN (a class was not drawn) are left out.

    >>> bootstrap_p([0.1, 0.2, 0.3]), bootstrap_p([0.0, 0.0])
    (0.5, 1.0)
    """
    values = np.asarray(replicates, np.float64)
    values = values[~np.isnan(values)]
    m = len(values)
    low, high = int((values <= null).sum()), int((values >= null).sum())
    # "greater" is refuted by replicates at or below the null.
    return sided((high + 1) / (m + 1), (low + 1) / (m + 1), alternative)


def percentile(replicates: npt.ArrayLike, level: float) -> tuple[float, float]:
    """The percentile interval of bootstrap replicates.

    >>> percentile(range(101), 0.5)
    (25.0, 75.0)
    """
    return _ends(_ordered(replicates), (1 - level) / 2, (1 + level) / 2)


def _ordered(replicates: npt.ArrayLike) -> Array:
    values = np.sort(np.asarray(replicates, np.float64))
    return values[: len(values) - int(np.isnan(values).sum())]


def _ends(ordered: Array, first: float, second: float) -> tuple[float, float]:
    """Two quantiles, linear between the values: NumPy's rule without its price for a thousand values."""
    if not len(ordered):
        return float("nan"), float("nan")
    return _quantile(ordered, first), _quantile(ordered, second)


def _quantile(ordered: Array, share: float) -> float:
    place = share * (len(ordered) - 1)
    at = min(int(place), len(ordered) - 2) if len(ordered) > 1 else 0
    low, high = float(ordered[at]), float(ordered[min(at + 1, len(ordered) - 1)])
    return low + (place - at) * (high - low)


class Draws(NamedTuple):
    """A measure in samples drawn again, what finds the acceleration for BCa, and whether whole groups were drawn."""

    values: Array
    acceleration: Callable[[], float]
    grouped: bool = False


def basic(replicates: npt.ArrayLike, value: float, level: float) -> tuple[float, float]:
    """The basic interval: the percentile one mirrored at the estimate, (2v - high, 2v - low).

    >>> basic(range(101), 40, 0.5)
    (5.0, 55.0)
    """
    low, high = percentile(replicates, level)
    return 2 * value - high, 2 * value - low


def bca(replicates: npt.ArrayLike, value: float, level: float, acceleration: float) -> tuple[float, float]:
    """Efron's bias-corrected and accelerated interval (1987), with this acceleration.

    Percentiles Φ(b + (b ± z)/(1 - a(b ± z))), b the normal quantile of the share of replicates below the estimate, ties
    half, kept away from 0 and 1 by half a replicate. Without bias and acceleration it is the percentile interval.

    >>> bca(range(101), 50, 0.5, 0.0), [round(x, 2) for x in bca(range(101), 40, 0.5, 0.05)]
    ((25.0, 75.0), [12.82, 57.22])
    """
    from statistics import NormalDist  # not before a bound is asked for: see quantiles.py

    ordered = _ordered(replicates)
    if not len(ordered):
        return float("nan"), float("nan")
    normal, least = NormalDist(), 0.5 / len(ordered)
    share = float(ordered.searchsorted(value) + ordered.searchsorted(value, "right")) / 2 / len(ordered)
    bias = normal.inv_cdf(min(max(share, least), 1 - least))
    ends = []
    for quantile in (-z(level), z(level)):
        shifted = bias + quantile
        room = 1 - acceleration * shifted  # beyond the pole of the correction, the bound is the most extreme replicate
        ends.append(normal.cdf(bias + shifted / room) if room > 0 else float(shifted > 0))
    return _ends(ordered, *sorted(ends))


def acceleration(influence: Array, times: Array | None = None) -> float:
    """Efron's acceleration Σu³ / 6(Σu²)^1.5 of influence values, each `times` over; values are centred first.

    Jackknife values enter with a minus sign: what leaves a low value behind pulled upwards.

    >>> round(acceleration(np.array([1.0, 1.0, 1.0, -3.0])), 4)
    -0.0962
    """
    u = np.asarray(influence, np.float64)
    n = np.ones(len(u)) if times is None else times
    known = np.isfinite(u)
    u, n = u[known], n[known]
    if not len(u):
        return 0.0
    u = scaled(u)[0]
    u = scaled(u - n @ u / n.sum())[0]
    square = float(n @ u**2)
    return float(n @ u**3) / (6 * square**1.5) if square > 0 else 0.0


def resampled_interval(
    method: str, value: float, level: float, bounds: tuple[float, float], draws: Callable[[], Draws]
) -> Interval:
    """Bootstrap bounds, clipped to the range. Resamples that lean to one side can leave the estimate out: a flag."""
    if not math.isfinite(value):
        return Interval(math.nan, math.nan, Remark("inference.infinite"))
    try:
        values, acceleration, grouped = draws()
    except Unavailable as why:
        return Interval(math.nan, math.nan, why.remark)
    known = values[np.isfinite(values)]
    if len(known) < (1 - LOST) * len(values):
        return Interval(math.nan, math.nan, Remark("inference.undefined_resamples"))
    label = Remark("inference.resamples", method=method, count=len(values))
    label = Remark("inference.grouped", method=label) if grouped else label
    left = len(values) - len(known)
    flags: tuple[str, ...] = ()
    if left:
        flags = (Remark("inference.resamples_left_out", count=left, total=len(values)),)
    if np.ptp(known) <= ROUNDING * max(1.0, abs(value)):
        return Interval(value, value, label, (*flags, Remark("inference.same_resamples")))
    if method == "bca":
        low, high = bca(known, value, level, acceleration())
    elif method == "basic":
        low, high = basic(known, value, level)
    else:
        low, high = percentile(known, level)
    low, high = (min(max(end, bounds[0]), bounds[1]) for end in (low, high))
    if low == high:
        flags += (Remark("inference.same_bounds"),)
    if not low <= value <= high:
        flags += (Remark("inference.outside"),)
    return Interval(low, high, label, flags)
