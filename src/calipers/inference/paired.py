"""Two or more models right or wrong on the same rows: McNemar, Cochran, and intervals for the difference."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import numpy.typing as npt

from calipers.choices import Alternative, McNemar
from calipers.errors import InputError
from calipers.inference.area import bisect
from calipers.inference.outcome import Outcome, chi2_p, normal_p, sided
from calipers.inference.proportion import wilson
from calipers.inference.quantiles import z
from calipers.remarks import Remark

WAYS: tuple[McNemar, ...] = get_args(McNemar)
# What the comparison of rows by each version is called, with its interval.
MCNEMAR: dict[McNemar, Remark] = {
    "mid-p": Remark("inference.mcnemar"),
    "exact": Remark("inference.mcnemar_exact"),
    "corrected": Remark("inference.mcnemar_corrected"),
    "asymptotic": Remark("inference.mcnemar_asymptotic"),
}


def mcnemar(first: float, second: float, way: McNemar = "mid-p", alternative: Alternative = "two-sided") -> Outcome:
    """McNemar's test of two models on the same rows: `first` rows only the first got right, `second` only the second.

    exact: first ~ Binomial(first + second, 1/2). mid-p: half of the probability of what was seen is left out, which
    takes away most of the conservatism and keeps the level (Fagerland, Lydersen & Laake 2013). asymptotic:
    z = (b - c)/√(b + c); corrected: |b - c| less 1, but not below 0 (Edwards 1948). "greater": the first is better.
    No row that only one got right: statistic 0, p = 1.

    >>> mcnemar(11, 1, "exact")
    McNemar (exact): statistic 1, p = 0.0063
    >>> mcnemar(0, 0).pvalue, mcnemar(5, 5, "corrected").pvalue
    (1.0, 1.0)
    """
    if way not in WAYS:
        raise InputError("inference.unknown_mcnemar", value=way, known=list(WAYS))
    n, name = first + second, f"McNemar ({way})"
    if way in ("exact", "mid-p"):
        if not n:
            return Outcome(0.0, 1.0, name)
        from scipy.special import bdtr, bdtrc

        if not (float(first).is_integer() and float(second).is_integer()):
            raise InputError("inference.mcnemar_not_counts", test=name, first=first, second=second)
        below, above = float(bdtr(first, int(n), 0.5)), float(bdtrc(first - 1, int(n), 0.5)) if first else 1.0
        if way == "mid-p":  # P(X < b) + P(X = b)/2 on either side; both halves add up to 1
            half = (below + above - 1) / 2
            below, above = below - half, above - half
        return Outcome(float(min(first, second)), sided(below, above, alternative), name)
    gap = float(first - second)
    if way == "corrected":
        gap = math.copysign(max(abs(gap) - 1, 0.0), gap)
    score = gap / math.sqrt(n) if n else 0.0
    return Outcome(score * score, normal_p(score, alternative), name, 1)


def cochran_q(right: npt.ArrayLike, times: npt.ArrayLike | None = None) -> Outcome:
    """Cochran's Q: whether K models are right equally often, from an n x K table of right (1) and wrong (0).

    times: how many rows each row of the table stands for.

    Q = (K-1)(K ΣGⱼ² - N²)/(K N - ΣLᵢ²), Gⱼ the right answers of model j, Lᵢ those of row i, N all (Cochran 1950).
    With two models it is McNemar's asymptotic test. Rows that all got right, or wrong, drop out; none left: p = 1.

    >>> cochran_q([[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0]])
    Cochran's Q test: statistic 3.5, p = 0.17
    """
    table = np.asarray(right, np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError("inference.cochran_shape", shape=table.shape)
    of = np.ones(len(table)) if times is None else np.asarray(times, np.float64)
    k, each, rows = table.shape[1], of @ table, table.sum(1)
    spread = k * float(of @ rows) - float(of @ rows**2)
    q = (k - 1) * (k * float(each @ each) - float(of @ rows) ** 2) / spread if spread > 0 else 0.0
    return Outcome(q, chi2_p(q, k - 1), Remark("inference.cochran"), k - 1)


def tango_z(first: float, second: float, n: float, difference: float) -> float:
    """Tango's score statistic for H: p₁ - p₂ = difference; at 0 it is McNemar's (Tango 1998, Stat. Med. 17:891).

    (b - c - nδ)/√(n(2q + δ(1 - δ))), q the likelihood estimate of P(only second) under H: the larger root of
    2n q² + ((2n - b + c)δ - b - c) q - cδ(1 - δ).

    >>> round(tango_z(12, 2, 50, 0.0), 4), round((12 - 2) / 14**0.5, 4)
    (2.6726, 2.6726)
    """
    b, c, d = first, second, difference
    linear, constant = -b - c + (2 * n - b + c) * d, -c * d * (1 - d)
    q = (math.sqrt(max(0.0, linear * linear - 8 * n * constant)) - linear) / (4 * n)
    variance = n * (2 * q + d * (1 - d))
    gap = b - c - n * d
    if not variance > 0:
        return 0.0 if abs(gap) < 1e-9 * n else math.copysign(math.inf, gap)
    return gap / math.sqrt(variance)


def tango(first: float, second: float, n: float, level: float) -> tuple[float, float]:
    """Tango's score interval for p₁ - p₂: the differences that his statistic does not refuse.

    It contains 0 exactly when McNemar's asymptotic test does not reject.

    >>> [round(x, 3) for x in tango(9, 3, 32, 0.95)]
    [-0.027, 0.39]
    """
    if not n > 0:
        return math.nan, math.nan
    estimate, far = (first - second) / n, z(level)
    return (
        bisect(lambda d: tango_z(first, second, n, d) > far, -1.0, estimate),
        bisect(lambda d: tango_z(first, second, n, d) < -far, 1.0, estimate),
    )


def newcombe_paired(both: float, first: float, second: float, neither: float, level: float) -> tuple[float, float]:
    """Newcombe's method 10 for p₁ - p₂: Wilson limits squared and added, less what their correlation φ explains.

    φ = (eh - fg)/√(margins) with max(eh - fg - n/2, 0) where eh > fg (Newcombe 1998, Stat. Med. 17:2635).

    >>> [round(x, 4) for x in newcombe_paired(36, 12, 2, 0, 0.95)]
    [0.0569, 0.3404]
    """
    e, f, g, h = both, first, second, neither
    n = e + f + g + h
    if not n > 0:
        return math.nan, math.nan
    margins = (e + f) * (g + h) * (e + g) * (f + h)
    cross = e * h - f * g
    phi = (max(cross - n / 2, 0.0) if cross > 0 else cross) / math.sqrt(margins) if margins else 0.0
    p1, p2 = (e + f) / n, (e + g) / n
    (l1, u1), (l2, u2) = wilson(e + f, n, level), wilson(e + g, n, level)

    def reach(a: float, b: float) -> float:
        return math.sqrt(max(0.0, a * a - 2 * phi * a * b + b * b))

    return (f - g) / n - reach(p1 - l1, u2 - p2), (f - g) / n + reach(u1 - p1, p2 - l2)
