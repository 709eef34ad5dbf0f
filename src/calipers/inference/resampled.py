"""p-values from resampling: (b + 1)/(m + 1), because what was seen is one of the arrangements; never 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.inference.outcome import Outcome, sided

Array = npt.NDArray[Any]
EXACT_UP_TO = 16  # differences whose 2ⁿ signs are all tried
BLOCK = 1 << 22  # numbers held at once


def sign_flip(differences: npt.ArrayLike, flips: int = 9999, seed: int = 0, alternative: str = "two-sided") -> Outcome:
    """The sign-flip permutation test that row differences are symmetric about 0; the statistic is their mean.

    Up to 16 differences that are not 0, all sign patterns are tried and p is exact; beyond, `flips` random ones.

    >>> sign_flip([0.1, 0.2, 0.3, 0.4])
    sign-flip (all 16 patterns): statistic 0.25, p = 0.12
    >>> sign_flip([0.0, 0.0]).pvalue
    1.0
    """
    d = np.asarray(differences, np.float64).ravel()
    seen = float(d.mean()) if len(d) else 0.0
    d = d[d != 0]
    slack = 1e-12 * float(np.abs(d).sum())  # sums of the same numbers in another order differ by rounding
    if len(d) <= EXACT_UP_TO:
        signs = (np.arange(1 << len(d))[:, None] >> np.arange(len(d))) & 1
        sums = (2 * signs - 1) @ d
        below, above = float(np.mean(sums <= d.sum() + slack)), float(np.mean(sums >= d.sum() - slack))
        return Outcome(seen, sided(below, above, alternative), f"sign-flip (all {len(sums)} patterns)")
    rng, low, high = np.random.default_rng(seed), 0, 0
    step = max(1, BLOCK // len(d))
    for start in range(0, flips, step):
        signs = rng.integers(0, 2, (min(step, flips - start), len(d)), np.int8)
        sums = 2 * (signs @ d) - d.sum()
        low, high = low + int((sums <= d.sum() + slack).sum()), high + int((sums >= d.sum() - slack).sum())
    below, above = (low + 1) / (flips + 1), (high + 1) / (flips + 1)
    return Outcome(seen, sided(below, above, alternative), f"sign-flip ({flips} draws)")


def bootstrap_p(replicates: npt.ArrayLike, null: float = 0.0, alternative: str = "two-sided") -> float:
    """The p-value of H: difference = null from bootstrap replicates of the difference.

    The share of replicates on the far side of the null, (b + 1)/(m + 1), doubled for two sides; it goes with the
    percentile interval. Replicates that are NaN (a class was not drawn) are left out.

    >>> bootstrap_p([0.1, 0.2, 0.3]), bootstrap_p([0.0, 0.0])
    (0.5, 1.0)
    """
    found = np.asarray(replicates, np.float64)
    found = found[~np.isnan(found)]
    m = len(found)
    low, high = int((found <= null).sum()), int((found >= null).sum())
    # "greater" is refuted by replicates at or below the null.
    return sided((high + 1) / (m + 1), (low + 1) / (m + 1), alternative)


def percentile(replicates: npt.ArrayLike, level: float) -> tuple[float, float]:
    """The percentile interval of bootstrap replicates.

    >>> percentile(range(101), 0.5)
    (25.0, 75.0)
    """
    found = np.asarray(replicates, np.float64)
    found = found[~np.isnan(found)]
    if not len(found):
        return float("nan"), float("nan")
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
