"""What a test says, and the tails that every test reads its p-value from."""

from __future__ import annotations

import sys
from typing import NamedTuple, get_args

from calipers.choices import Alternative
from calipers.errors import InputError

ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)
LEAST = sys.float_info.min  # a p-value is small, never 0: the tail is there even where a float cannot hold it


class Outcome(NamedTuple):
    """A test statistic, its p-value and the method; degrees of freedom if there are any, and warnings.

    >>> Outcome(1.5, 0.13, "some test")
    some test: statistic 1.5, p = 0.13
    """

    statistic: float
    pvalue: float
    method: str
    df: float | tuple[float, float] | None = None
    note: str = ""

    def __repr__(self) -> str:
        return f"{self.method}: statistic {self.statistic:.4g}, p = {self.pvalue:.2g}"


def capped(p: float) -> float:
    """A p-value inside (0, 1].

    >>> capped(1.2), capped(0.0) > 0
    (1.0, True)
    """
    return min(1.0, max(LEAST, float(p))) if p == p else float("nan")


def sided(below: float, above: float, alternative: Alternative) -> float:
    """The p-value of a statistic with this much probability at or below it and at or above it.

    "greater" takes the upper tail as it is, whatever the sign of the statistic.

    >>> sided(0.98, 0.02, "greater"), sided(0.98, 0.02, "less"), sided(0.98, 0.02, "two-sided")
    (0.02, 0.98, 0.04)
    """
    if alternative not in ALTERNATIVES:
        raise InputError("inference.unknown_alternative", value=alternative, known=list(ALTERNATIVES))
    return capped({"greater": above, "less": below}.get(alternative, 2 * min(below, above)))


def normal_p(z: float, alternative: Alternative = "two-sided") -> float:
    """The p-value of a standard normal statistic.

    >>> round(normal_p(1.96), 4), round(normal_p(-1.96, "greater"), 4)
    (0.05, 0.975)
    """
    from scipy.special import ndtr

    return sided(float(ndtr(z)), float(ndtr(-z)), alternative)


def t_p(t: float, df: float, alternative: Alternative = "two-sided") -> float:
    """The p-value of a Student statistic.

    >>> round(t_p(2.262157, 9), 6), round(t_p(-2.262157, 9, "greater"), 6)
    (0.05, 0.975)
    """
    from scipy.special import stdtr

    return sided(float(stdtr(df, t)), float(stdtr(df, -t)), alternative)


def chi2_p(x: float, df: float) -> float:
    """The upper tail of chi-squared.

    >>> round(chi2_p(3.841459, 1), 6)
    0.05
    """
    from scipy.special import chdtrc

    return capped(float(chdtrc(df, x)))


def f_p(x: float, df: tuple[float, float]) -> float:
    """The upper tail of Fisher's F.

    >>> round(f_p(4.735063, (10, 5)), 6)
    0.05
    """
    from scipy.special import fdtrc

    return capped(float(fdtrc(*df, x)))
