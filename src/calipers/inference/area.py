"""Intervals for areas under curves: ROC AUC and average precision."""

import math
from collections.abc import Callable

from calipers.inference.delta import UNIT, on_scale
from calipers.inference.proportion import wilson
from calipers.inference.quantiles import t, z


def exponential_variance(value: float, positives: float, negatives: float) -> float:
    """The variance of the AUC when both classes have exponential scores, in Newcombe's symmetric form.

    θ(1-θ)/(PN) · [1 + N*((1-θ)/(2-θ) + θ/(1+θ))] with N* = (P + N)/2 - 1: Hanley & McNeil (1982) has P - 1
    and N - 1 as the two multipliers; averaging them (Newcombe 2006, part 2, methods 4 and 5) removes the
    dependence on which class has the wider scores.

    >>> round(exponential_variance(0.75, 20, 20), 6)
    0.006067
    """
    spread = (1 - value) / (2 - value) + value / (1 + value)
    return value * (1 - value) / (positives * negatives) * (1 + ((positives + negatives) / 2 - 1) * spread)


def newcombe5(value: float, positives: float, negatives: float, level: float) -> tuple[float, float]:
    """Newcombe's method 5: the AUCs θ with the observed one within z standard errors, taken at θ.

    The roots of (θ̂ - θ)² = z² V(θ), V the `exponential_variance` (Newcombe 2006, Statist. Med. 25:559-573).
    Needs no scores, has no zero width at 0 or 1, and is exactly 0 or 1 there.

    >>> [round(x, 4) for x in newcombe5(0.8, 20, 30, 0.95)]
    [0.6433, 0.8941]
    """
    if not (positives > 0 and negatives > 0):
        return math.nan, math.nan
    square = z(level) ** 2

    def too_far(theta: float) -> bool:
        return (value - theta) ** 2 > square * exponential_variance(theta, positives, negatives)

    return bisect(too_far, 0.0, value), bisect(too_far, 1.0, value)


def bisect(beyond: Callable[[float], bool], outer: float, inner: float) -> float:
    """The point where `beyond` ceases to hold on the way from `outer` to `inner`; `outer` if it never holds.

    >>> round(bisect(lambda x: x * x > 2, 4, 0), 12)
    1.414213562373
    """
    if not beyond(outer):
        return outer
    while True:
        middle = (outer + inner) / 2
        if middle in (outer, inner):
            return outer
        if beyond(middle):
            outer = middle
        else:
            inner = middle


def delong(v10: float, v01: float, positives: float, negatives: float) -> tuple[float, float]:
    """DeLong's variance of the AUC and its Satterthwaite degrees of freedom (NaN when there is no variance).

    v10 and v01 are the sums of squared deviations of the placement values of the positives and the negatives;
    the variance is v10/((P-1)P) + v01/((N-1)N) (DeLong, DeLong & Clarke-Pearson 1988).

    >>> variance, df = delong(1.9, 2.9, 20, 30)
    >>> round(variance, 12) == round(0.1 / 20 + 0.1 / 30, 12), round(df, 2)
    (True, 40.88)
    """
    first, second = v10 / ((positives - 1) * positives), v01 / ((negatives - 1) * negatives)
    variance = first + second
    if not variance > 0:
        return 0.0, math.nan
    # Through the shares of the variance: the squares of the parts themselves can underflow.
    share = first / variance
    return variance, 1 / (share**2 / (positives - 1) + (1 - share) ** 2 / (negatives - 1))


def delong_logit(
    value: float, v10: float, v01: float, positives: float, negatives: float, level: float
) -> tuple[float, float]:
    """DeLong's interval on the logit scale, with Satterthwaite's degrees of freedom.

    v10 and v01 are the sums of squared deviations of the placement values of the positives and the negatives;
    the variance is v10/((P-1)P) + v01/((N-1)N) (DeLong et al. 1988). When it is 0 (separated or constant
    scores) Wilson's interval for the AUC as a proportion of min(P, N) trials. Fewer than two of a class:
    (NaN, NaN).

    >>> [round(x, 4) for x in delong_logit(0.8, 0.9, 1.1, 20, 30, 0.95)]
    [0.651, 0.8956]
    """
    if not (positives > 1 and negatives > 1):
        return math.nan, math.nan
    variance, df = delong(v10, v01, positives, negatives)
    if value in UNIT or not variance > 0:
        return wilson(value * min(positives, negatives), min(positives, negatives), level)
    return on_scale(value, math.sqrt(variance), t(level, df), UNIT)


# From this many expected errors on, DeLong's variance stands alone in `auc` (`make coverage AREA=auc`).
ENOUGH_ERRORS = 4


def auc(
    value: float, v10: float, v01: float, positives: float, negatives: float, level: float
) -> tuple[float, float]:
    """DeLong's interval on the logit scale, its variance floored where the errors are too few to show it.

    With e = min(P, N) · min(θ, 1-θ) errors and λ = min(1, (e/4)²), the variance is DeLong's plus (1-λ) of
    what it lacks to the `exponential_variance`, and the quantile λt + (1-λ)z: from four errors on this is
    `delong_logit`. DeLong's variance alone is far too small when all but one or two positives outrank every
    negative (coverage below 80 %), and Newcombe's alone is wrong for classes of unequal spread at any n.

    >>> [round(x, 4) for x in auc(0.8, 0.9, 1.1, 20, 30, 0.95)]
    [0.651, 0.8956]
    >>> [round(x, 4) for x in auc(0.97, 0.05, 0.03, 20, 30, 0.95)]
    [0.8538, 0.9944]
    """
    if not (positives > 1 and negatives > 1):
        return math.nan, math.nan
    variance, df = delong(v10, v01, positives, negatives)
    fewer = min(positives, negatives)
    if value in UNIT or not variance > 0:
        return wilson(value * fewer, fewer, level)
    trust = min(1.0, (fewer * min(value, 1 - value) / ENOUGH_ERRORS) ** 2)
    lack = max(0.0, exponential_variance(value, positives, negatives) - variance)
    quantile = trust * t(level, df) + (1 - trust) * z(level)
    return on_scale(value, math.sqrt(variance + (1 - trust) * lack), quantile, UNIT)


def average_precision(
    value: float,
    variance: float,
    positives: float,
    n: float,
    level: float,
    kurtosis: float = 1.0,
    harm: float = 0.0,
) -> tuple[float, float]:
    """The interval of the average precision on the logit scale, its lower end ready for negatives not seen on top.

    `variance` is the mean square of the influence values divided by n, `kurtosis` their mean fourth power over the
    squared mean square; `harm` is what one more negative in the place of a positive would take off. The upper end is
    the normal one. The lower has Student's t with 2n/(κ-1) degrees of freedom, those of a variance from values of
    kurtosis κ (Satterthwaite 1946), at most (P - 1)/2; and as none of k seen leaves z² possible (Wilson 1927), the
    distance is √(distance² + (z² harm)²). Without that a sample whose few high negatives happen to be absent looks
    certain: coverage then fell to 66 %.

    >>> [round(x, 4) for x in average_precision(0.6, 0.002, 60, 500, 0.95)]
    [0.5062, 0.6837]
    >>> [round(x, 4) for x in average_precision(0.6, 0.002, 60, 500, 0.95, kurtosis=200.0, harm=0.02)]
    [0.459, 0.6837]
    >>> [round(x, 4) for x in average_precision(1.0, 0.0, 60, 500, 0.95, harm=0.02)]
    [0.9232, 1.0]
    """
    if not (positives > 1 and n > positives):
        return math.nan, math.nan
    low = high = value
    if 0 < value < 1 and variance > 0:
        df = (positives - 1) / 2
        if kurtosis > 1:
            df = min(df, 2 * n / (kurtosis - 1))
        error = math.sqrt(variance)
        low, high = on_scale(value, error, t(level, df), UNIT)[0], on_scale(value, error, z(level), UNIT)[1]
    return max(0.0, value - math.hypot(value - low, z(level) ** 2 * harm)), high
