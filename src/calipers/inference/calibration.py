"""Bounds for binned calibration errors, which noise alone makes positive."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calipers.inference.proportion import clopper_pearson
from calipers.inference.quantiles import z

Array = NDArray[np.float64]
Bins = Sequence[float] | Array

# Mean, variance and third central moment of |Z|, Z standard normal.
HALF_NORMAL = math.sqrt(2 / math.pi), 1 - 2 / math.pi, math.sqrt(2 / math.pi) * (4 / math.pi - 1)


def ece_bounds(
    counts: Bins, score: Bins, outcome: Bins, variance: Bins, level: float
) -> tuple[float, float, float]:
    """Bounds of the binned calibration error Σ wᵦ|ȳᵦ - p̄ᵦ|, and the error that a calibrated model would show.

    Per bin: rows (or effective rows), mean score, mean outcome, mean of p(1 - p). Noise eᵦ biases the error
    upwards, so the sides differ. Whatever the true gaps δ, Σ wᵦ|δᵦ + eᵦ| - Σ wᵦ|δᵦ| <= Σ wᵦ|eᵦ|: low is
    max(0, ECE - q), q the quantile of that sum of half-normals by three moments (Cornish-Fisher). And the
    mean of |δᵦ + eᵦ| is at least |δᵦ|: high is ECE + z sd. The variance of eᵦ is the larger of mean p(1 - p)
    and what the outcomes show; both sides carry the sampling of the shares wᵦ. The third value is Σ wᵦ√(2vᵦ /
    πnᵦ).

    >>> low, high, calibrated = ece_bounds([50, 50], [0.2, 0.7], [0.4, 0.62], [0.15, 0.2], 0.95)
    >>> round(low, 4), round(high, 4), round(calibrated, 4)
    (0.0168, 0.2363, 0.0471)
    """
    n, p, y, v = occupied(counts, score, outcome, variance)
    if not n.size:
        return math.nan, math.nan, math.nan
    shares = n / n.sum()
    gaps = abs(y - p)
    ece = float(shares @ gaps)
    observed = y * (1 - y)
    # If all outcomes are the same, half a row of each outcome is added.
    unseen = (n * y + 0.5) * (n * (1 - y) + 0.5) / (n + 1) ** 2
    noise = shares * np.sqrt(np.maximum(v, np.where(observed > 0, observed, unseen)) / n)
    # Σ wᵦ|δᵦ| moves with the shares even where every gap is known.
    of_shares = max(0.0, float(shares @ gaps**2) - ece**2) / float(n.sum())
    first, second, third = HALF_NORMAL
    spread = math.sqrt(second * float(noise @ noise) + of_shares)
    skewness = third * float(((noise / spread) ** 3).sum()) if spread > 0 else 0.0
    quantile = z(level)
    low = ece - first * float(noise.sum()) - spread * (quantile + skewness * (quantile**2 - 1) / 6)
    high = ece + quantile * math.sqrt(float(noise @ noise) + of_shares)
    return max(0.0, low), min(1.0, high), first * float(shares @ np.sqrt(v / n))


def mce_bounds(
    counts: Bins, score: Bins, outcome: Bins, variance: Bins, level: float
) -> tuple[float, float, float]:
    """Bounds of the largest calibration gap maxᵦ|ȳᵦ - p̄ᵦ|, and the one that a calibrated model would show.

    Over the bins with rows. One of them is the worst in truth, and its own upper bound holds: high is the
    largest upper bound of a gap. When the intervals of all B outcomes hold at once (Šidák, half the risk), so
    does the largest gap that they leave: low. Intervals of outcomes are Clopper & Pearson's, as bins may have
    few rows. The third value is the mean of the largest half-normal, ∫ 1 - Πᵦ(2Φ(x/σᵦ) - 1) dx with σᵦ² =
    vᵦ/nᵦ.

    >>> low, high, calibrated = mce_bounds([50, 50], [0.2, 0.7], [0.4, 0.62], [0.15, 0.2], 0.95)
    >>> round(low, 4), round(high, 4), round(calibrated, 4)
    (0.0331, 0.3482, 0.0668)
    """
    n, p, y, v = occupied(counts, score, outcome, variance)
    if not n.size:
        return math.nan, math.nan, math.nan
    below, above = clopper_pearson(y * n, n, ((1 + level) / 2) ** (1 / n.size))
    low = float(np.maximum(below - p, p - above).max())
    below, above = clopper_pearson(y * n, n, level)
    high = float(np.maximum(above - p, p - below).max())
    return max(0.0, low), high, mean_of_largest(np.sqrt(v / n))


def occupied(counts: Bins, score: Bins, outcome: Bins, variance: Bins) -> tuple[Array, Array, Array, Array]:
    """The four columns of the bins that have rows.

    >>> [column.tolist() for column in occupied([2, 0], [0.5, 0.5], [1.0, math.nan], [0.25, 0.25])]
    [[2.0], [0.5], [1.0], [0.25]]
    """
    n, p, y, v = (np.asarray(column, dtype=np.float64) for column in (counts, score, outcome, variance))
    mask = n > 0
    return n[mask], p[mask], y[mask], v[mask]


def mean_of_largest(scales: Array) -> float:
    """The mean of the largest of independent half-normals, by Simpson's rule on 512 steps.

    >>> round(mean_of_largest(np.array([1.0])), 6), round(mean_of_largest(np.array([1.0, 1.0])), 6)
    (0.797885, 1.128379)
    """
    from scipy.special import erf

    scales = scales[scales > 0]
    if not scales.size:
        return 0.0
    x = np.linspace(0, 9 * scales.max(), 513)
    tail = 1 - erf(x[:, None] / (scales * math.sqrt(2))).prod(axis=1)
    return float(4 * np.trapezoid(tail, x) - np.trapezoid(tail[::2], x[::2])) / 3


DRAWS = 1000  # of the noise of a curve


def curve_bounds(
    share: Array, gap: Array, operator: Array, noise: Array, rows: float, level: float
) -> tuple[float, float, float]:
    """Bounds of the mean gap Σ s|g| along a smooth curve, and the one that a calibrated model would show.

    As for bins: the curve errs by e = L ε, L the operator of the curve and ε the errors of the outcomes, so that the
    mean of |g| is at most that of the true gaps plus Σ s|e|, whose quantile gives low; and high is the mean plus z sd
    of Σ s sign(g) e, with the sampling of the shares. Errors along the curve go together, so that Σ s|e| is drawn
    (with a fixed seed).

    >>> one = np.array([0.5, 0.5])
    >>> low, high, calibrated = curve_bounds(one, np.array([0.2, -0.08]), np.eye(2), np.array([0.07, 0.07]), 100, 0.95)
    >>> round(low, 2), round(high, 2), round(calibrated, 2)
    (0.02, 0.24, 0.06)
    """
    mean = float(share @ np.abs(gap))
    normal = np.random.default_rng(0).standard_normal((len(noise), DRAWS))
    errors = share @ np.abs(operator @ (noise[:, None] * normal))
    of_shares = max(0.0, float(share @ gap**2) - mean**2) / rows
    spread, middle = math.hypot(float(errors.std()), math.sqrt(of_shares)), float(errors.mean())
    tail = float(np.quantile(errors, (1 + level) / 2))
    low = mean - middle - math.hypot(tail - middle, z(level) * math.sqrt(of_shares)) if spread > 0 else mean
    moved = (share * np.sign(gap)) @ operator * noise
    high = mean + z(level) * math.sqrt(float(moved @ moved) + of_shares)
    return max(0.0, low), min(1.0, high), middle
