"""Several models over several data sets: Friedman's ranks, what follows them, and the critical difference."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from calipers.errors import InputError
from calipers.inference.multiple import adjusted
from calipers.inference.outcome import Outcome, capped, chi2_p, f_p, normal_p
from calipers.inference.quantiles import z
from calipers.inference.signed_rank import SAME, tied_ranks
from calipers.remarks import Remark

Array = npt.NDArray[np.float64]


def ranks_of(scores: npt.ArrayLike, higher: bool = True) -> Array:
    """Ranks of the models (columns) within each data set (row): 1 is best, ties take mean ranks.

    >>> ranks_of([[0.9, 0.8, 0.8], [0.3, 0.2, 0.1]]).tolist()
    [[1.0, 2.5, 2.5], [1.0, 2.0, 3.0]]
    """
    x = np.asarray(scores, np.float64)
    if x.ndim != 2 or x.shape[0] < 2 or x.shape[1] < 2:
        raise InputError("inference.friedman_shape", shape=x.shape)
    if not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0].tolist()
        raise InputError("inference.friedman_not_finite", row=row, column=column)
    return np.array([tied_ranks(-row if higher else row, SAME * float(np.abs(row).max())) for row in x])


def _titled(name: Remark, *, ties: bool) -> Remark:
    return name if ties else Remark("inference.ties_ignored", method=name)


def friedman(ranks: Array, ties: bool = True) -> Outcome:
    """Friedman's χ² of ranks: 12N/(k(k+1)) Σ(Rⱼ - (k+1)/2)², over the share of its spread that ties leave.

    ties=False is the formula without that correction, which Demšar (2006) and others print. All tied: p = 1.

    >>> friedman(ranks_of([[3, 2, 1], [3, 1, 2], [3, 2, 1]]))
    Friedman chi-squared test: statistic 4.667, p = 0.097
    """
    n, k = ranks.shape
    centre = (k + 1) / 2
    between = n * float(((ranks.mean(0) - centre) ** 2).sum())
    within = float(((ranks - centre) ** 2).sum()) / (n * (k - 1)) if ties else k * (k + 1) / 12
    chi2 = between / within if within > 0 else 0.0
    return Outcome(chi2, chi2_p(chi2, k - 1), _titled(Remark("inference.friedman"), ties=ties), k - 1)


def iman_davenport(ranks: Array, ties: bool = True) -> Outcome:
    """Iman & Davenport's F = (N-1)χ²/(N(k-1) - χ²) with k-1 and (k-1)(N-1) degrees of freedom: less conservative.

    >>> iman_davenport(ranks_of([[3, 2, 1], [3, 1, 2], [3, 2, 1]]))
    Iman-Davenport F-test: statistic 7, p = 0.049
    """
    n, k = ranks.shape
    chi2, df = friedman(ranks, ties).statistic, (k - 1.0, (k - 1.0) * (n - 1))
    left = n * (k - 1) - chi2
    f = (n - 1) * chi2 / left if left > 1e-12 * n * k else math.inf
    return Outcome(f, f_p(f, df), _titled(Remark("inference.iman_davenport"), ties=ties), df)


def error_of(ranks: Array) -> float:
    """The standard error √(k(k+1)/(6N)) of a difference of two mean ranks."""
    n, k = ranks.shape
    return math.sqrt(k * (k + 1) / (6 * n))


def critical_difference(models: int, sets: int, level: float = 0.95) -> float:
    """Nemenyi's critical difference q √(k(k+1)/(6N)): mean ranks closer than this do not differ significantly.

    q is the quantile of the studentized range with infinite degrees of freedom, over √2.

    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(level, models, np.inf)) / math.sqrt(2)
    return q * math.sqrt(models * (models + 1) / (6 * sets))


def dunn_difference(models: int, sets: int, level: float = 0.95) -> float:
    """Bonferroni and Dunn's critical difference from a control: z at α/(k-1) times √(k(k+1)/(6N)) (Demšar 2006).

    >>> round(dunn_difference(4, 14), 2)
    1.17
    """
    return z(1 - (1 - level) / (models - 1)) * math.sqrt(models * (models + 1) / (6 * sets))


def nemenyi(ranks: Array) -> dict[tuple[int, int], float]:
    """p-values of all pairs of models (Nemenyi 1963), already for all pairs at once.

    >>> round(nemenyi(ranks_of([[3, 2, 1], [3, 1, 2], [3, 2, 1]]))[0, 2], 4)
    0.1025
    """
    from scipy.stats import studentized_range

    mean, error, k = ranks.mean(0), error_of(ranks), ranks.shape[1]
    gaps = {(i, j): abs(float(mean[i] - mean[j])) for i in range(k) for j in range(i + 1, k)}
    return {
        pair: capped(float(studentized_range.sf(gap / error * math.sqrt(2), k, np.inf))) if gap else 1.0
        for pair, gap in gaps.items()
    }


def holm_ranks(ranks: Array, control: int | None = None, adjust: str = "holm") -> dict[tuple[int, int], float]:
    """Adjusted p-values of z = (Rᵢ - Rⱼ)/√(k(k+1)/(6N)): of all pairs, or of each model against the control.

    >>> found = holm_ranks(ranks_of([[3, 2, 1], [3, 1, 2], [3, 2, 1]]), control=0)
    >>> {pair: round(p, 4) for pair, p in found.items()}
    {(0, 1): 0.1025, (0, 2): 0.0825}
    """
    mean, error, k = ranks.mean(0), error_of(ranks), ranks.shape[1]
    every = [(i, j) for i in range(k) for j in range(i + 1, k)]
    pairs = every if control is None else [(control, j) for j in range(k) if j != control]
    raw = [normal_p(float(mean[i] - mean[j]) / error) for i, j in pairs]
    return dict(zip(pairs, adjusted(raw, adjust), strict=True))
