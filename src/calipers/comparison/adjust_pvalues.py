"""`adjust_pvalues`: p-values of several tests, adjusted by one of the published methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from calipers.arguments import named_arguments
from calipers.choices import PValueAdjustment
from calipers.data import containers
from calipers.errors import InputError, UnknownName, nearest
from calipers.inference.multiple import benjamini_hochberg, bonferroni, holm, in_order

Array: TypeAlias = npt.NDArray[np.float64]
METHODS: tuple[PValueAdjustment, ...] = get_args(PValueAdjustment)


def hochberg(pvalues: Any) -> list[float]:
    """Hochberg's step-up (1988): the k-th smallest of m times m - k + 1, made non-decreasing from the end.

    >>> hochberg([0.01, 0.04, 0.03])
    [0.03, 0.04, 0.04]
    """
    return in_order(pvalues, lambda p, m: np.minimum.accumulate((p * np.arange(m, 0, -1))[::-1])[::-1])


def benjamini_yekutieli(pvalues: Any) -> list[float]:
    """Benjamini and Yekutieli (2001): Benjamini and Hochberg's times Σ1/k, for tests with any dependence.

    >>> benjamini_yekutieli([0.01, 0.04, 0.03])
    [0.055, 0.0733333333333333, 0.0733333333333333]
    """

    def adjust(p: Array, m: int) -> Array:
        ranks = np.arange(1, m + 1)
        return np.minimum.accumulate((p * m / ranks * (1 / ranks).sum())[::-1])[::-1]

    return in_order(pvalues, adjust)


def hommel(pvalues: Any) -> list[float]:
    """Hommel's method (1988), by the algorithm of Wright (1992): at least as powerful as Hochberg's.

    >>> hommel([0.01, 0.02, 0.022])
    [0.022, 0.022, 0.022]
    """

    def adjust(p: Array, m: int) -> Array:
        ranks = np.arange(1, m + 1)
        least = float((m * p / ranks).min())
        q, result = np.full(m, least), np.full(m, least)
        for size in range(m - 1, 1, -1):
            below, above = np.arange(m - size + 1), np.arange(m - size + 1, m)
            q1 = float((size * p[above] / np.arange(2, size + 1)).min())
            q[below] = np.minimum(size * p[below], q1)
            q[above] = q[m - size]
            result = np.maximum(result, q)
        return np.asarray(np.maximum(result, p))

    return in_order(pvalues, adjust)


def finner(pvalues: Any) -> list[float]:
    """Finner's step-down (1993): 1 - (1 - p)^(m/k) for the k-th smallest of m, made non-decreasing.

    >>> [round(p, 6) for p in finner([0.01, 0.04, 0.03])]
    [0.029701, 0.044661, 0.044661]
    """
    return in_order(pvalues, lambda p, m: np.maximum.accumulate(1 - (1 - p) ** (m / np.arange(1, m + 1))))


def li(pvalues: Any) -> list[float]:
    """Li's two-step procedure (2008): p / (p + 1 - largest p), and the largest p itself.

    >>> [round(p, 6) for p in li([0.01, 0.04, 0.03])]
    [0.010309, 0.04, 0.030303]
    """
    return in_order(pvalues, lambda p, m: np.where(p < p.max(), p / (p + 1 - p.max()), p))


ADJUSTMENTS: dict[str, Callable[[Any], list[float]]] = {
    "holm": holm, "hochberg": hochberg, "hommel": hommel, "bonferroni": bonferroni, "bh": benjamini_hochberg,
    "by": benjamini_yekutieli, "finner": finner, "li": li, "none": list,
}  # fmt: skip


@named_arguments
def adjust_pvalues(pvalues: Any, method: PValueAdjustment = "holm") -> Array:
    """Adjust the p-values of several tests. They are returned in the order of `pvalues`; NaN stays NaN.

    - method: "holm", "hochberg", "hommel" or "bonferroni" limit the probability of any false positive (Hochberg's and
      Hommel's methods assume independent or positively dependent tests); "bh" (Benjamini and Hochberg) and "by"
      (Benjamini and Yekutieli, for any dependence) limit the share of false positives; "finner" and "li" are for
      comparisons with a control (García et al. 2010); "none".

    >>> adjust_pvalues([0.01, 0.04, 0.03], "holm")
    array([0.03, 0.06, 0.06])
    """
    if method not in ADJUSTMENTS:
        raise UnknownName("comparison.unknown_adjustment", name=method, near=nearest(str(method), METHODS))
    p = containers.numbers(pvalues, "pvalues").astype(np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1) | np.isnan(p)).all():
        raise InputError("comparison.not_pvalues")
    return np.array(ADJUSTMENTS[method](p))
