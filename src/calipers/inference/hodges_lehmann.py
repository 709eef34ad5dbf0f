"""Paired differences without a distribution: the sign test, and the estimate and interval behind Wilcoxon's test."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.choices import Alternative
from calipers.inference.outcome import Outcome, sided
from calipers.inference.quantiles import z
from calipers.inference.signed_rank import EXACT_UP_TO, SAME, sum_distribution
from calipers.remarks import Remark

Array = npt.NDArray[np.float64]


def sign_test(differences: Array, alternative: Alternative = "two-sided") -> Outcome:
    """The exact sign test: how many differences are above 0, of those that are not 0.

    >>> sign_test(np.array([0.1, 0.2, -0.1, 0.3, 0.2, 0.4, 0.0]))
    sign test (exact): statistic 5, p = 0.22
    """
    from scipy.special import bdtr, bdtrc

    scale = SAME * float(np.abs(differences).max(initial=0.0))
    up, down = int((differences > scale).sum()), int((differences < -scale).sum())
    n = up + down
    below, above = (float(bdtr(up, n, 0.5)), float(bdtrc(up - 1, n, 0.5)) if up else 1.0) if n else (1.0, 1.0)
    return Outcome(float(up), sided(below, above, alternative), Remark("inference.sign_test"))


class Located(NamedTuple):
    """The centre of differences, and an interval of it."""

    value: float
    low: float
    high: float


def hodges_lehmann(differences: Array, level: float = 0.95) -> Located:
    """The median of the means of all pairs of differences (Hodges and Lehmann 1963), with the interval that Wilcoxon's
    test does not reject: exact for differences without ties.

    >>> [round(x, 4) for x in hodges_lehmann(np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
    ...                                      - np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]))]
    [0.46, 0.01, 0.786]
    """
    d = np.asarray(differences, np.float64)
    n, (i, j) = len(d), np.triu_indices(len(d))
    walsh = np.sort((d[i] + d[j]) / 2)
    alpha = (1 - level) / 2
    if n <= EXACT_UP_TO:
        reached = np.cumsum(sum_distribution(np.arange(1, n + 1))) >= alpha * (1 - 1e-12)
        place = max(1, int(reached.argmax()))
    else:
        place = max(1, round(len(walsh) / 2 - z(level) * math.sqrt(n * (n + 1) * (2 * n + 1) / 24)))
    return Located(float(np.median(walsh)), float(walsh[place - 1]), float(walsh[len(walsh) - place]))
