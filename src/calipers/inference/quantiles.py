"""Two-sided normal and Student quantiles, without SciPy where a series is as good."""

import math
from functools import lru_cache

# Below this many degrees of freedom the asymptotic series of `t` is worse than 1e-9.
SERIES_FROM = 200


@lru_cache(maxsize=256)
def z(level: float) -> float:
    """The normal quantile that leaves `level` of the probability between -z and z.

    Φ⁻¹((1 + level) / 2), taken from the lower tail so that levels close to 1 keep their digits.

    >>> round(z(0.95), 6)
    1.959964
    """
    from statistics import NormalDist  # brings fractions, decimal and random along: not before a bound is asked for

    return -NormalDist().inv_cdf((1 - level) / 2)


@lru_cache(maxsize=1024)
def t(level: float, df: float) -> float:
    """The two-sided quantile of Student's t with `df` degrees of freedom, any positive real.

    For df >= 200 the Cornish-Fisher series z + g₁/df + ... + g₅/df⁵ (Abramowitz & Stegun 26.7.5; g₅ from
    Fisher & Cornish 1960), otherwise SciPy's inverse. No degrees of freedom, no quantile: NaN.

    >>> round(t(0.95, 9), 6), round(t(0.95, 1e4), 6), t(0.95, math.inf) == z(0.95)
    (2.262157, 1.960201, True)
    """
    if not df > 0:
        return math.nan
    if df < SERIES_FROM:
        from scipy.special import stdtrit

        return -float(stdtrit(df, (1 - level) / 2))
    x = z(level)
    if math.isinf(df):
        return x
    y, v = x * x, 1 / df
    g1 = (y + 1) / 4
    g2 = ((5 * y + 16) * y + 3) / 96
    g3 = (((3 * y + 19) * y + 17) * y - 15) / 384
    g4 = ((((79 * y + 776) * y + 1482) * y - 1920) * y - 945) / 92160
    g5 = (((((27 * y + 339) * y + 930) * y - 1782) * y - 765) * y + 17955) / 368640
    return x * (1 + v * (g1 + v * (g2 + v * (g3 + v * (g4 + v * g5)))))
