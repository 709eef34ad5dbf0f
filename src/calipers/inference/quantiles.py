"""Two-sided normal and Student quantiles, without SciPy where a series is as good."""

import math
from functools import lru_cache
from typing import Self

# Below this many degrees of freedom the asymptotic series of `t` is worse than 1e-9.
SERIES_FROM = 200


SUREST = 1 - 2**-53  # the largest level below 1


class Widened(float):
    """A level for estimates whose variance is `factor` times the variance that the rows show.

    `z` and `t` of it are those of `level` times the root of the factor. As a number it is the level at which a normal
    interval is as wide, for methods that use no such quantile.

    >>> widened = Widened(0.95, 2.25)
    >>> round(z(widened) / z(0.95), 9), round(t(widened, 9) / t(0.95, 9), 9), round(widened, 4)
    (1.5, 1.5, 0.9967)
    """

    __slots__ = ("level", "stretch")
    level: float
    stretch: float

    def __new__(cls, level: float, factor: float) -> Self:
        """The level whose quantiles are multiplied by the root of the factor."""
        stretch = math.sqrt(factor)
        self = super().__new__(cls, min(SUREST, math.erf(z(level) * stretch / math.sqrt(2))))
        self.level, self.stretch = level, stretch
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[float, float]]:
        return type(self), (self.level, self.stretch**2)


def z(level: float) -> float:
    """The normal quantile that leaves `level` of the probability between -z and z.

    Φ⁻¹((1 + level) / 2), taken from the lower tail so that levels close to 1 keep their digits.

    >>> round(z(0.95), 6)
    1.959964
    """
    return level.stretch * _z(level.level) if isinstance(level, Widened) else _z(level)


@lru_cache(maxsize=256)
def _z(level: float) -> float:
    from statistics import NormalDist  # slow to import (fractions, decimal, random), so not before a bound is needed

    return -NormalDist().inv_cdf((1 - level) / 2)


def t(level: float, df: float) -> float:
    """The two-sided quantile of Student's t with `df` degrees of freedom, any positive real.

    For df >= 200 the Cornish-Fisher series z + g₁/df + ... + g₅/df⁵ (Abramowitz & Stegun 26.7.5; g₅ from
    Fisher & Cornish 1960), otherwise SciPy's inverse. No degrees of freedom, no quantile: NaN.

    >>> round(t(0.95, 9), 6), round(t(0.95, 1e4), 6), t(0.95, math.inf) == z(0.95)
    (2.262157, 1.960201, True)
    """
    return level.stretch * _t(level.level, df) if isinstance(level, Widened) else _t(level, df)


@lru_cache(maxsize=1024)
def _t(level: float, df: float) -> float:
    if not df > 0:
        return math.nan
    if df < SERIES_FROM:
        from scipy.special import stdtrit

        return -float(stdtrit(df, (1 - level) / 2))
    x = _z(level)
    if math.isinf(df):
        return x
    y, v = x * x, 1 / df
    g1 = (y + 1) / 4
    g2 = ((5 * y + 16) * y + 3) / 96
    g3 = (((3 * y + 19) * y + 17) * y - 15) / 384
    g4 = ((((79 * y + 776) * y + 1482) * y - 1920) * y - 945) / 92160
    g5 = (((((27 * y + 339) * y + 930) * y - 1782) * y - 765) * y + 17955) / 368640
    return x * (1 + v * (g1 + v * (g2 + v * (g3 + v * (g4 + v * g5)))))
