"""Wilcoxon's signed-rank test with the permutation distribution of the ranks that were observed."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import numpy.typing as npt

from calipers.choices import Alternative, Zeros
from calipers.errors import InputError
from calipers.inference.outcome import Outcome, normal_p, sided
from calipers.remarks import Remark

Array = npt.NDArray[np.float64]
ZEROS: tuple[Zeros, ...] = get_args(Zeros)
EXACT_UP_TO = 100  # differences; the distribution of their rank sum takes n³ steps
SAME = 1e-10  # differences closer than this share of the largest number given are equal: .3 - .1 and .5 - .3 are


def wilcoxon(
    first: npt.ArrayLike,
    second: npt.ArrayLike | None = None,
    zeros: Zeros = "drop",
    alternative: Alternative = "two-sided",
    exact: bool | None = None,
) -> Outcome:
    """Wilcoxon's signed-rank test of paired numbers, or of their differences.

    zeros: "drop" leaves pairs without a difference out (Wilcoxon 1945), "pratt" ranks them and then leaves them out
    (Pratt 1959), "split" gives half of their ranks to each side, one of an odd number being ignored (Demšar 2006).
    The statistic is the smaller rank sum, or that of the positive differences where a side is named. p is exact up to
    100 differences, ties and all; beyond, normal with the variance Σr²/4 of the observed ranks. All zero: p = 1.

    >>> wilcoxon([125, 115, 130, 140, 140], [110, 122, 125, 120, 140])
    Wilcoxon signed-rank test (exact): statistic 2, p = 0.38
    """
    if zeros not in ZEROS:
        raise InputError("inference.unknown_zeros", value=zeros, known=list(ZEROS))
    a = np.asarray(first, np.float64)
    b = np.zeros(len(a)) if second is None else np.asarray(second, np.float64)
    if a.shape != b.shape or a.ndim != 1 or not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InputError("inference.wilcoxon_without_pairs")
    d, scale = a - b, SAME * float(np.max(np.abs([a, b]), initial=0.0))
    d = np.where(np.abs(d) <= scale, 0.0, d)
    empty = int((d == 0).sum())
    if zeros == "drop":
        d = d[d != 0]
    elif zeros == "split" and empty % 2:
        d = np.delete(d, int((d == 0).argmax()))
    ranks = tied_ranks(np.abs(d), scale)
    moving = ranks[d != 0]
    if not len(moving):
        return Outcome(0.0, 1.0, Remark("inference.wilcoxon_exact"))
    shared = float(ranks[d == 0].sum()) / 2 if zeros == "split" else 0.0
    up, total = float(moving[d[d != 0] > 0].sum()), float(moving.sum())
    statistic = shared + (min(up, total - up) if alternative == "two-sided" else up)
    if exact if exact is not None else len(moving) <= EXACT_UP_TO:
        chances = sum_distribution(np.rint(2 * moving).astype(np.int64))
        at = round(2 * up)
        below, above = float(chances[: at + 1].sum()), float(chances[at:].sum())
        return Outcome(statistic, sided(below, above, alternative), Remark("inference.wilcoxon_exact"))
    z = (up - total / 2) / math.sqrt(float(moving @ moving) / 4)
    return Outcome(statistic, normal_p(z, alternative), Remark("inference.wilcoxon_normal"))


def tied_ranks(values: Array, slack: float = 0.0) -> Array:
    """Ranks from 1, mean ranks for values that are no further than `slack` from their neighbour.

    >>> tied_ranks(np.array([0.2, 0.1, 0.2, 0.5])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    order = np.argsort(values, kind="stable")
    new = np.diff(values[order], prepend=-np.inf) > slack
    group = np.cumsum(new) - 1
    sizes = np.bincount(group) if len(group) else np.zeros(0, np.int64)
    ends = np.cumsum(sizes)
    ranks = np.empty(len(values))
    ranks[order] = (ends - (sizes - 1) / 2)[group]
    return ranks


def sum_distribution(parts: npt.NDArray[np.int64]) -> Array:
    """The chance of each sum when every part is in it with probability 1/2.

    >>> sum_distribution(np.array([1, 2])).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    chances = np.zeros(int(parts.sum()) + 1)
    chances[0], end = 1.0, 0
    for part in parts.tolist():
        shifted = chances[: end + 1] / 2
        chances[: end + 1] = shifted
        chances[part : part + end + 1] += shifted
        end += part
    return chances
