"""Areas under ROC curves of several models on the same rows, compared by DeLong's placements."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from calipers.choices import Alternative
from calipers.inference.outcome import Outcome, chi2_p, normal_p
from calipers.remarks import Remark

Array = npt.NDArray[np.float64]
ROUNDING = 1e-12


def placements(pos: Array, neg: Array) -> tuple[Array, Array]:
    """For each positive the share of negatives it outscores, for each negative the share of positives above it.

    Ties count one half; both means are the area. Binary search in the sorted other sample: O((P + N) log).

    >>> [x.tolist() for x in placements(np.array([0.8, 0.4]), np.array([0.1, 0.4]))]
    [[1.0, 0.75], [1.0, 0.75]]
    """
    return _share_below(np.sort(neg), pos), 1 - _share_below(np.sort(pos), neg)


def _share_below(ordered: Array, scores: Array) -> Array:
    twice = np.searchsorted(ordered, scores, "left") + np.searchsorted(ordered, scores, "right")
    return twice / (2 * len(ordered))


def covariance(v10: Array, v01: Array) -> Array:
    """DeLong's covariance matrix of K areas from their placements, K x P and K x N (DeLong et al. 1988, eq. 4-6).

    NaN if a class has fewer than two rows.

    >>> covariance(np.array([[1.0, 0.75, 0.5]]), np.array([[1.0, 0.5]])).round(6).tolist()
    [[0.083333]]
    """
    if v10.shape[1] < 2 or v01.shape[1] < 2:
        return np.full((len(v10), len(v10)), np.nan)
    of_positives: Array = np.atleast_2d(np.cov(v10)) / v10.shape[1]
    of_negatives: Array = np.atleast_2d(np.cov(v01)) / v01.shape[1]
    return of_positives + of_negatives


def delong_test(difference: float, error: float, alternative: Alternative = "two-sided") -> Outcome:
    """The normal test of a difference of areas; identical curves have neither difference nor error: z = 0, p = 1.

    "greater": the first area is the larger, whatever the direction of the scores.

    >>> delong_test(0.02, 0.01), delong_test(0.0, 0.0).pvalue
    (paired DeLong test: statistic 2, p = 0.046, 1.0)
    """
    z = difference / error if error > ROUNDING else math.copysign(math.inf, difference) if difference else 0.0
    return Outcome(z, normal_p(z, alternative), Remark("inference.delong"))


def delong_many(areas: Array, covariances: Array) -> Outcome:
    """Whether K areas are all equal: their contrasts against the inverse of their covariance, χ² with its rank.

    >>> delong_many(np.array([0.8, 0.8, 0.8]), np.eye(3)).pvalue
    1.0
    """
    contrasts = np.eye(len(areas))[1:] - np.eye(len(areas))[0]
    gap, spread = contrasts @ areas, contrasts @ covariances @ contrasts.T
    rank = int(np.linalg.matrix_rank(spread, ROUNDING, hermitian=True))
    q = float(gap @ np.linalg.pinv(spread, ROUNDING, hermitian=True) @ gap) if rank else 0.0
    return Outcome(q, chi2_p(q, rank) if rank else 1.0, Remark("inference.delong_all"), rank)
