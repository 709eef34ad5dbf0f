"""Intervals for areas under curves: ROC AUC and average precision."""

import math
from collections.abc import Callable

from calipers.inference.delta import UNIT, on_scale
from calipers.inference.proportion import trust, wilson
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
    # Computed from proportions of the variance, because squares of the parts can underflow.
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


def auc(
    value: float,
    variance: float,
    df: float,
    positives: float,
    negatives: float,
    level: float,
    rows: float | None = None,
) -> tuple[float, float]:
    """Wilson's interval with DeLong's variance, shrunk to a safe one where few misranked rows show it.

    No area of min(P, N) = m rows varies more than m independent trials, θ(1-θ)/m (Birnbaum & Klose 1957). DeLong's
    variance is r times that; the safe value is the middle between that bound and the `exponential_variance`. With
    e = m · min(θ, 1-θ) misranked rows, r counts e/(e + z²/2). One formula for every area, 0 and 1 included. Where P and
    N are groups of rows, `rows` are those of the smaller class.

    >>> variance, df = delong(0.9, 1.1, 20, 30)
    >>> [round(x, 4) for x in auc(0.8, variance, df, 20, 30, 0.95)]
    [0.6421, 0.8992]
    >>> [round(x, 4) for x in auc(1.0, 0.0, math.nan, 20, 30, 0.95)]
    [0.879, 1.0]
    """
    if not (positives > 1 and negatives > 1):
        return math.nan, math.nan
    fewer = min(positives, negatives)
    spread = value * (1 - value) / fewer
    by_model = 1 + ((positives + negatives) / 2 - 1) * ((1 - value) / (2 - value) + value / (1 + value))
    safe = (1 + min(1.0, fewer * by_model / (positives * negatives))) / 2
    ratio = variance / spread if variance > 0 and spread > 0 else 0.0
    return of_misranked(value, ratio, safe, df, fewer, level, rows)


def mean_of_areas(
    value: float, variance: float, df: float, trials: float, level: float, rows: float | None = None
) -> tuple[float, float]:
    """The same for a mean of areas over classes, which varies at most as `trials` rows, each placed right or wrong.

    The safe value is 3/4 of that, as for one area of two classes of equal size.

    >>> [round(x, 4) for x in mean_of_areas(1.0, 0.0, math.inf, 75, 0.95)]
    [0.963, 1.0]
    """
    spread = value * (1 - value) / trials
    return of_misranked(value, variance / spread if spread > 0 else 0.0, 0.75, df, trials, level, rows)


def of_misranked(
    value: float, ratio: float, safe: float, df: float, fewer: float, level: float, rows: float | None = None
) -> tuple[float, float]:
    """The interval of an area (or a mean of areas) whose variance is `ratio` times that of `fewer` independent trials.

    `safe` is the multiple that is used where no variance was observed. `rows`: how many rows the `fewer` trials stand
    for, where these are groups of rows. Wilson's limit towards the nearer bound of 0 or 1 is too near with one or two
    misranked rows (84% are covered), so that the `cube_limit` is taken where it is wider, as Brown, Cai & DasGupta
    (2001, sec. 4.1.1) advise with Poisson's limit.
    """
    grouped, rows = rows is not None, fewer if rows is None else rows
    trusted = trust(rows * min(value, 1 - value), fewer / rows, level) if ratio > 0 else 0.0
    multiple = trusted * ratio + (1 - trusted) * safe
    part = trusted * ratio / multiple  # only this part of the variance is an estimate (Satterthwaite 1946)
    if grouped:  # the variance between groups is the larger part, and its own degrees of freedom are few
        quantile = trusted * t(level, df) + (1 - trusted) * z(level) if trusted else z(level)
    else:
        quantile = t(level, df / part**2) if part > 1e-9 else z(level)
    size = fewer / multiple * (z(level) / quantile) ** 2
    low, high = wilson(value * size, size, level)
    return min(low, cube_limit(value, size, level)), max(high, 1 - cube_limit(1 - value, size, level))


def cube_limit(share: float, size: float, level: float) -> float:
    """A lower limit of a share by one side, at the whole error rate: for few hits, where the other side cannot miss.

    Wilson & Hilferty's (1931) cube of a normal variable, with a binomial variance; of few hits in many it is Poisson's
    limit, half the χ² quantile with as many degrees of freedom as twice the hits.

    >>> round(1e6 * cube_limit(10 / 1e6, 1e6, 0.95), 2), cube_limit(0.001, 100, 0.95)
    (5.42, 0.0)
    """
    hits = share * size
    if not hits > 0:
        return 0.0
    one_sided = math.copysign(z(abs(2 * level - 1)), 2 * level - 1)
    root = 1 - 1 / (9 * hits) - one_sided * math.sqrt(max(0.0, 1 - share) / hits) / 3
    return share * max(0.0, root) ** 3


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
    squared mean square; `harm` is the loss if one more negative took the place of a positive. The upper end is
    the normal one. The lower has Student's t with 2n/(κ-1) degrees of freedom, those of a variance from values of
    kurtosis κ (Satterthwaite 1946), at most (P - 1)/2; and as none of k seen leaves z² possible (Wilson 1927), the
    distance is √(distance² + (z² harm)²). Without that a sample whose few high negatives happen to be absent looks
    certain: coverage then fell to 66%.

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
