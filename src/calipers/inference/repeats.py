"""Whether values repeat as independent rows repeat them, or as copies do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

HIGHEST = 6  # higher numbers of occurrences add no information


class Repeats(NamedTuple):
    """How often the copied values occur, how many there are, and the p-value."""

    times: int
    values: float
    pvalue: float


def copied(occurring: Sequence[float]) -> Repeats:
    """Whether too many values occur exactly k times; `occurring[k]` is the number of values that occur k times.

    Rows drawn independently from any distribution whatever, smooth, rounded or lumpy, make m₁ values that occur once,
    m₂ twice, ... with means Σλᵏe^(-λ)/k! over the values. By Cauchy and Schwarz (k! mₖ)² <= (k-1)! mₖ₋₁ (k+1)! mₖ₊₁:
    where many values occur twice, some occur three times. Rows that were doubled have m₂ values and nothing beside.
    The p-value is 3m times the level at which the Poisson limits of the three counts still contradict this, over m ks.

    >>> copied([0, 600, 200, 0]).times, copied([0, 0, 500, 0]).pvalue < 1e-6
    (2, True)
    >>> copied([0, 1000, 90, 6]).pvalue
    1.0
    """
    m = [*occurring, *[0.0] * (HIGHEST + 2 - len(occurring))]
    tried = [Repeats(k, m[k], _against(m[k - 1], m[k], m[k + 1], (k + 1) / k)) for k in range(2, HIGHEST + 1)]
    best = min(tried, key=lambda each: each.pvalue)
    return best._replace(pvalue=min(1.0, 3 * len(tried) * best.pvalue))


def _against(fewer: float, these: float, more: float, factor: float) -> float:
    """The least level, a power of ten, at which the limits of the counts contradict these² <= factor · fewer · more."""
    from scipy.special import gammaincinv

    level = 1.0
    for power in range(1, 13):
        tail = 10.0**-power
        low = float(gammaincinv(these, tail)) if these else 0.0
        high = [float(gammaincinv(count + 1, 1 - tail)) for count in (fewer, more)]
        if not low * low > factor * math.prod(high):
            return level
        level = tail
    return level
