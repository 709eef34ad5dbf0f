"""The sign-flip test: a permutation test of paired differences."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calipers.choices import Alternative
from calipers.inference.outcome import Outcome, sided
from calipers.remarks import Remark

EXACT_UP_TO = 20  # differences, all 2^n signs of which are tried
DRAWS = 100_000
SAME = 1e-12  # sums that differ by rounding alone


def sign_flip(differences: npt.ArrayLike, alternative: Alternative = "two-sided", seed: int = 0) -> Outcome:
    """The mean of paired differences against its distribution when every sign is as likely as the other (Fisher 1935).

    All signs are tried for up to 20 differences; for more, 100 000 draws, the observed signs among them.

    >>> sign_flip([0.02, 0.01, 0.03, 0.02, 0.02])
    sign-flip test: statistic 0.02, p = 0.062
    """
    d = np.asarray(differences, np.float64).ravel()
    d = d[d != 0]
    if not len(d):
        return Outcome(0.0, 1.0, Remark("inference.sign_flip"))
    sums = _all_sums(d) if len(d) <= EXACT_UP_TO else _drawn_sums(d, seed)
    observed, slack = float(d.sum()), SAME * float(np.abs(d).sum())
    below, above = float((sums <= observed + slack).mean()), float((sums >= observed - slack).mean())
    name = Remark("inference.sign_flip") if len(d) <= EXACT_UP_TO else Remark("inference.sign_flip_drawn", count=DRAWS)
    return Outcome(observed / np.size(differences), sided(below, above, alternative), name)


def _all_sums(d: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The sum under each of the 2^n choices of signs."""
    sums = np.zeros(1)
    for value in d:
        sums = np.concatenate((sums + value, sums - value))
    return sums


def _drawn_sums(d: npt.NDArray[np.float64], seed: int) -> npt.NDArray[np.float64]:
    """Sums of randomly drawn signs, after the sum itself."""
    rng, sums = np.random.default_rng(seed), [np.array([d.sum()])]
    block = max(1, 10_000_000 // len(d))
    for start in range(1, DRAWS, block):
        count = min(block, DRAWS - start)
        sums.append((2 * rng.integers(0, 2, (count, len(d)), np.int8) - 1) @ d)
    return np.concatenate(sums)
