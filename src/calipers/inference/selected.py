"""p-values of what was chosen as the best of many, and of shares of one part of the rows against the rest."""

from __future__ import annotations

import math

import numpy as np

from calipers.inference.outcome import capped


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
        return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)

    possible = k[whole - k <= rest]
    logs = choose(rows, possible) + choose(rest, whole - possible) - choose(every, np.array(whole))
    return capped(float(np.exp(logs).sum()))
