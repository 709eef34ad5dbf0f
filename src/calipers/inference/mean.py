"""The interval of a mean, corrected for skewness."""

import math

from calipers.inference.quantiles import t, z

FARTHEST = 3.0  # times Student's t: the largest distance of the bound on the side of the long tail


def hall(
    n: float,
    mean: float,
    m2: float,
    m3: float,
    level: float,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[float, float]:
    """Hall's skewness-corrected t interval, from n (or an effective n) and the central sums Σ(x-x̄)², Σ(x-x̄)³.

    With a = γ/(3√n), γ the sample skewness, g(T) = ((1 + aT)³ - 1)/(3a) + a/2 is monotone and closer to
    Student's t than T = √n(x̄ - μ)/s is; its inverse is taken at ±t(n-1) (Hall 1992, Ann. Statist. 20; the
    cubic T + aT² + a²T³/3 + γ/(6√n)). Without skewness this is the t interval. Fewer than two rows or no
    spread: (NaN, NaN), since a spread of 0 says nothing about the rows that were not seen.

    >>> [round(x, 4) for x in hall(20, 1.0, 15.0, 0.0, 0.95)]
    [0.5842, 1.4158]
    >>> [round(x, 4) for x in hall(20, 1.0, 15.0, 20.0, 0.95)]
    [0.6647, 1.6267]
    """
    if not (n > 1 and m2 > 0):
        return math.nan, math.nan
    quantile = t(level, n - 1)
    a = m3 / (3 * m2 * math.sqrt(m2))
    ends = [invert_cubic(y, a) for y in (quantile, -quantile)]
    step = math.sqrt(m2 / (n - 1) / n)
    low, high = (mean - step * end for end in ends)
    return max(bounds[0], min(low, mean)), min(bounds[1], max(high, mean))


def long_tailed(
    n: float,
    mean: float,
    m2: float,
    m3: float,
    level: float,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[float, float]:
    """Hall's interval of numbers that have no bound, whose largest values most samples lack: as `hall` otherwise.

    The skewness is raised by 1 + 4/√n, because samples show less of it than their population has, and the end on the
    side of the long tail is at most 3 times as far away as Student's (docs/decisions/long-tails.md).

    >>> [round(x, 4) for x in long_tailed(20, 1.0, 15.0, 0.0, 0.95)]
    [0.5842, 1.4158]
    >>> [round(x, 4) for x in long_tailed(20, 1.0, 15.0, 20.0, 0.95)]
    [0.7086, 2.2475]
    """
    if not (n > 1 and m2 > 0):
        return math.nan, math.nan
    step, skew = math.sqrt(m2 / (n - 1) / n), raised(m3 / (3 * m2 * math.sqrt(m2)), n)
    low, high = (mean + step * end for end in reaches(t(level, n - 1), skew))
    return max(bounds[0], min(low, mean)), min(bounds[1], max(high, mean))


def raised(skew: float, n: float) -> float:
    """The skewness of the population, from what n rows show: 35, 60 and 87% of that of squared Laplace errors with
    20, 100 and 1 000 rows; 62 and 87% of that of squared normal errors with 20 and 100.

    >>> raised(0.1, 16.0)
    0.2
    """
    return skew * (1 + 4 / math.sqrt(n))


def reaches(quantile: float, skew: float, farthest: float = FARTHEST) -> tuple[float, float]:
    """How far the ends lie from the mean, in standard errors: by Hall's cubic, within `farthest` times Student's.

    Beyond the cubic's turning point, where its ends would come nearer again as skewness grows, the farthest is taken.

    >>> [round(x, 3) for x in reaches(2.0, 0.1)], [round(x, 3) for x in reaches(2.0, 0.9)]
    ([-1.659, 2.725], [-0.812, 6.0])
    """
    if skew < 0:
        low, high = reaches(quantile, -skew, farthest)
        return -high, -low
    turned = 1 - 3 * skew * (quantile + skew / 2) <= 0
    far = farthest * quantile if turned else min(farthest * quantile, -invert_cubic(-quantile, skew))
    return -invert_cubic(quantile, skew), far


def unseen_errors(n: float, errors: float, cost: float, level: float) -> float:
    """How much wrong predictions that were not drawn may add to a mean loss: an error costs `cost` on average.

    As Wilson's interval of no errors in n rows leaves z² errors possible, they may add z²/n times the cost; with errors
    seen, which show in the spread, the share (z²/2) / (errors + z²/2) of that. It is squared and added to the distance
    of the upper end.

    >>> round(unseen_errors(100, 0, 13.8, 0.95), 3), round(unseen_errors(100, 20, 13.8, 0.95), 3)
    (0.53, 0.046)
    """
    square = z(level) ** 2
    return square / n * cost * (square / 2) / (errors + square / 2)


def student(
    n: float,
    mean: float,
    m2: float,
    quantile: float,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[float, float]:
    """The textbook's x̄ ± quantile · s/√n, clipped to the range; (NaN, NaN) where `hall` has none.

    >>> [round(x, 4) for x in student(20, 1.0, 15.0, t(0.95, 19))]
    [0.5842, 1.4158]
    """
    if not (n > 1 and m2 > 0):
        return math.nan, math.nan
    reach = quantile * math.sqrt(m2 / (n - 1) / n)
    return max(bounds[0], mean - reach), min(bounds[1], mean + reach)


def apply_cubic(statistic: float, a: float) -> float:
    """Hall's transformed statistic, T + aT² + a²T³/3 + a/2, which grows with T.

    >>> round(apply_cubic(invert_cubic(1.96, 0.1), 0.1), 12), apply_cubic(2.0, 0.0)
    (1.96, 2.0)
    """
    return statistic + a * statistic**2 + a * a * statistic**3 / 3 + a / 2


def invert_cubic(y: float, a: float) -> float:
    """The T with T + aT² + a²T³/3 + a/2 = y, which is one real cube root.

    >>> T = invert_cubic(1.96, 0.1)
    >>> round(T + 0.1 * T**2 + 0.01 * T**3 / 3 + 0.05, 12)
    1.96
    """
    x = y - a / 2
    root = math.cbrt(1 + 3 * a * x)
    # (root - 1) / a without the difference: root³ - 1 = 3ax = (root - 1)(root² + root + 1).
    return 3 * x / (root * root + root + 1)
