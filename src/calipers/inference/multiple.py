"""p-values of several tests taken together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from calipers.errors import InputError

Array = npt.NDArray[np.float64]


def holm(pvalues: Sequence[float]) -> list[float]:
    """Holm's step-down: the k-th smallest of m times m - k + 1, made non-decreasing; all errors held to the level.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    return in_order(pvalues, lambda p, m: np.maximum.accumulate(p * np.arange(m, 0, -1)))


def bonferroni(pvalues: Sequence[float]) -> list[float]:
    """Each times the number of tests.

    >>> bonferroni([0.01, 0.04, 0.5])
    [0.03, 0.12, 1.0]
    """
    return in_order(pvalues, lambda p, m: p * m)


def benjamini_hochberg(pvalues: Sequence[float]) -> list[float]:
    """The k-th smallest of m times m/k, made non-decreasing from the end: the share of false finds is held.

    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    return in_order(pvalues, lambda p, m: np.minimum.accumulate((p * m / np.arange(1, m + 1))[::-1])[::-1])


def in_order(pvalues: Sequence[float], adjust: Callable[[Array, int], Array]) -> list[float]:
    """Adjust the sorted p-values, cap them at 1 and return them in their original order; NaN stays NaN."""
    p = np.asarray(pvalues, np.float64)
    out = np.full(len(p), np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    if len(order):
        # Rounded to 15 digits, so that 3 x 0.01 is 0.03; p-values are not known better.
        out[order] = [float(f"{x:.15g}") for x in np.minimum(1.0, adjust(p[order], len(order)))]
    return [float(x) for x in out]


ADJUSTMENTS: dict[str, Callable[[Sequence[float]], list[float]]] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "bh": benjamini_hochberg,
    "none": lambda pvalues: [float(p) for p in pvalues],
}


def adjusted(pvalues: Sequence[float], how: str = "holm") -> list[float]:
    """The p-values adjusted by name.

    >>> adjusted([], "holm"), adjusted([0.2, 0.01])
    ([], [0.2, 0.02])
    """
    if how not in ADJUSTMENTS:
        raise InputError("inference.unknown_adjustment", value=how, known=list(ADJUSTMENTS))
    return ADJUSTMENTS[how](pvalues)
