"""Bayesian sign and signed-rank tests over data sets, with a region of practical equality (Benavoli et al. 2014, 2017).

The prior is a pseudo-observation of a difference of 0, with the weights that baycomp has. Without a region
(rope 0), nothing is equal.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calipers.errors import InputError
from calipers.inference.folds import Rope

Array = npt.NDArray[np.float64]
DRAWS, SEED = 50_000, 0
SIGN_PRIOR, RANK_PRIOR = 1.0, 0.5  # weights of the pseudo-observation
BLOCK = 2_000_000  # numbers at a time


def sign_posterior(differences: Array, rope: float) -> Rope:
    """The probability that a new difference is most likely above the region, in it, or below it: which of three shares
    with a Dirichlet posterior is the largest, by numerical integration.

    >>> sign_posterior(np.array([0.03, 0.02, 0.04, 0.005, -0.02]), 0.01)
    P(better) = 0.637, P(equal) = 0.285, P(worse) = 0.079
    """
    from scipy.special import gammainc, gammaln

    d = _checked(differences, rope)
    counts = np.array([(d > rope).sum(), (np.abs(d) <= rope).sum() + SIGN_PRIOR, (d < -rope).sum()], float)
    most = float(counts.max())
    x = np.linspace(0, most + 12 * np.sqrt(most) + 40, 200_001)[1:]
    below = [gammainc(a, x) if a else np.ones_like(x) for a in counts]
    shares = []
    for k, a in enumerate(counts):
        density = np.exp((a - 1) * np.log(x) - x - gammaln(a)) if a else np.zeros_like(x)
        others = np.prod([below[j] for j in range(3) if j != k], axis=0)
        shares.append(float((density * others).sum()))  # on an even grid; `_of` divides by the whole
    return _of([shares[0], 0.0 if rope == 0 else shares[1], shares[2]])


def signed_rank_posterior(differences: Array, rope: float) -> Rope:
    """The probability that the mean of two new differences is most likely above the region, in it, or below it: 50 000
    draws from a Dirichlet process, always the same ones.

    >>> signed_rank_posterior(np.array([0.03, 0.02, 0.04, 0.005, -0.02]), 0.01)
    P(better) = 0.743, P(equal) = 0.243, P(worse) = 0.014
    """
    d = _checked(differences, rope)
    z = np.concatenate(([0.0], d))
    sums = z[:, None] + z[None, :]
    above, below = (np.heaviside(side - 2 * rope, 0.5) for side in (sums, -sums))
    sides = [above, 1 - above - below, below]
    rng, wins = np.random.default_rng(SEED), np.zeros(3)
    strength = np.concatenate(([RANK_PRIOR], np.ones(len(d))))
    step = max(1, BLOCK // len(z))
    for begin in range(0, DRAWS, step):
        w = rng.dirichlet(strength, min(step, DRAWS - begin))
        shares = np.stack([((w @ side) * w).sum(1) for side in sides], axis=1)
        wins += np.bincount(shares.argmax(1), minlength=3)
    return _of((wins / DRAWS).tolist())


def _of(shares: list[float]) -> Rope:
    total = sum(shares)
    better, equal, worse = (share / total for share in shares)
    return Rope(better, equal, worse)


def _checked(differences: Array, rope: float) -> Array:
    if not rope >= 0:
        raise InputError("inference.not_a_width", value=rope)
    return np.asarray(differences, np.float64).ravel()
