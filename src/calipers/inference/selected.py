"""p-values of what was chosen as the best of many, and of one part of the rows against the rest."""

from __future__ import annotations

import math

import numpy as np

from calipers.inference.outcome import capped, normal_p


def selected_p(z: float, ends: float = 0.05) -> float:
    """The p-value of the largest of the statistics at all cut points between two quantiles of a score.

    P(max |Z| > z) ≈ φ(z)(z - 1/z) log((1-ε)²/ε²) + 4φ(z)/z (Miller & Siegmund 1982, Biometrics 38:1011), ε the share
    left out at either end.

    >>> round(selected_p(3.0), 3), selected_p(0.5)
    (0.076, 1.0)
    """
    if z <= 1:
        return 1.0
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return capped(density * (z - 1 / z) * 2 * math.log((1 - ends) / ends) + 4 * density / z)


def beyond_the_tail(sizes: np.ndarray, most: int = 25) -> float:
    """The p-value that the largest of these sizes lies beyond the tail that the next ones show.

    In a tail of any power, i·log(x(i)/x(i+1)) of the ordered sizes are independent exponentials of the same mean
    (Rényi 1953), so the first over the mean of the next k - 1 is F with 2 and 2(k - 1) degrees of freedom, whatever the
    power. In lighter tails the first is smaller beside the others, so that the p-value is too large.

    >>> beyond_the_tail(np.r_[np.arange(1, 60), 5000.0]) < 1e-4, beyond_the_tail(np.arange(1.0, 61)) > 0.3
    (True, True)
    """
    from scipy.special import fdtrc

    k = min(most, len(sizes) // 5)
    top = np.sort(np.partition(sizes, len(sizes) - k - 1)[-k - 1 :])[::-1]
    top = top[top > 0]
    if len(top) < 3:
        return 1.0
    steps = np.arange(1, len(top)) * np.log(top[:-1] / top[1:])
    mean = float(steps[1:].mean())
    if not mean > 0:
        return 0.0 if steps[0] > 0 else 1.0
    return float(fdtrc(2, 2 * (len(steps) - 1), steps[0] / mean))


def more_within_strata(marked: np.ndarray, rows: np.ndarray, marked_rest: np.ndarray, rest: np.ndarray) -> float:
    """The one-sided p-value that a part holds more marked rows than the rest, within strata that both share.

    Fisher's test where one stratum is left; else Mantel and Haenszel's (1959), with a continuity correction. Rows of
    strata that only one of the two has say nothing.

    >>> one = more_within_strata(*np.array([[3.0], [4.0], [1.0], [4.0]]))
    >>> round(one, 4), more_within_strata(*np.array([[30.0, 1], [100, 10], [300, 9], [1000, 90]])) > 0.4
    (0.2429, True)
    """
    counts = np.round([marked, rows, marked_rest, rest])
    m, n, m_rest, n_rest = counts[:, (counts[1] > 0) & (counts[3] > 0)]
    if len(m) == 1:
        return more_than_the_rest(m[0], n[0], m_rest[0], n_rest[0])
    total, whole = n + n_rest, m + m_rest
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.nan_to_num(n * n_rest * whole * (total - whole) / (total**2 * (total - 1))).sum()
    above = (m - n * whole / total).sum() - 0.5
    return normal_p(above / math.sqrt(spread), "greater") if spread > 0 else 1.0


def more_than_the_rest(marked: float, rows: float, marked_rest: float, rest: float) -> float:
    """The one-sided exact p-value that a part holds more marked rows than its share (Fisher).

    The number of marked rows in the part is hypergeometric when all margins are given.

    >>> round(more_than_the_rest(3, 4, 1, 4), 4), round(more_than_the_rest(0, 5, 3, 9), 4)
    (0.2429, 1.0)
    """
    from scipy.special import gammaln

    marked, rows, marked_rest, rest = (round(x) for x in (marked, rows, marked_rest, rest))
    k = np.arange(marked, min(marked + marked_rest, rows) + 1)
    whole, every = marked + marked_rest, rows + rest

    def choose(n: int, k: np.ndarray) -> np.ndarray:
        ways: np.ndarray = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        return ways

    possible = k[whole - k <= rest]
    logs = choose(rows, possible) + choose(rest, whole - possible) - choose(every, np.array(whole))
    return capped(float(np.exp(logs).sum()))
