"""Delta-method intervals on the scale where the estimate is closest to normal."""

import math

from calipers.inference.proportion import wilson
from calipers.inference.quantiles import z

UNIT = (0.0, 1.0)
CORRELATION = (-1.0, 1.0)
RATIO = (0.0, math.inf)
SKILL = (-math.inf, 1.0)


def scale(bounds: tuple[float, float]) -> str:
    """The name of the scale that belongs to these bounds.

    >>> scale((0, 1)), scale((-math.inf, math.inf))
    ('logit', 'plain')
    """
    return {UNIT: "logit", CORRELATION: "atanh", RATIO: "log", SKILL: "log"}.get(bounds, "plain")


def on_scale(
    value: float, se: float, quantile: float, bounds: tuple[float, float], centre: float | None = None
) -> tuple[float, float]:
    """The interval value ± quantile · se, computed on the scale that the bounds name and mapped back.

    (0, 1) logit, (-1, 1) atanh, (0, ∞) log, (-∞, 1) log of 1 - value, anything else the identity, clipped. A value
    on its bound has no finite scale, and a standard error of 0 is the failure of the estimate of spread, not
    certainty: both give (NaN, NaN), "no interval". Two ways out: a `centre`, the estimate from cells with a little
    added (`se` is then its standard error), around which the interval is laid and then stretched to hold the value,
    wherever that is; or `at_bound`, where the number of trials behind the value is known.

    >>> [round(x, 4) for x in on_scale(0.9, 0.03, 1.96, (0, 1))]
    [0.824, 0.9453]
    >>> on_scale(1.0, 0.0, 1.96, (0, 1)), on_scale(1.0, 0.02, 1.96, (0, 1), centre=0.98)[1]
    ((nan, nan), 1.0)
    """
    if centre is not None and not math.isnan(value):
        low, high = on_scale(centre, se, quantile, bounds)
        return (low, high) if math.isnan(low) else (min(low, value), max(high, value))
    if not (bounds[0] < value < bounds[1] and 0 < se < math.inf):
        return math.nan, math.nan
    if bounds == UNIT:
        # Both ends are written with exp(-reach), which can only underflow, and then to the bound.
        reach, odds = quantile * se / (value * (1 - value)), value / (1 - value)
        low, high = odds * math.exp(-reach), math.exp(-reach) / odds
        return min(value, low / (1 + low)), max(value, 1 / (1 + high))
    if bounds == CORRELATION:
        middle, reach = math.atanh(value), quantile * se / ((1 - value) * (1 + value))
        return min(value, math.tanh(middle - reach)), max(value, math.tanh(middle + reach))
    if bounds == RATIO:
        shrink = math.exp(-quantile * se / value)
        return value * shrink, value / shrink if shrink > 0 else math.inf
    if bounds == SKILL:
        low, high = on_scale(1 - value, se, quantile, RATIO)
        return 1 - high, 1 - low
    return max(bounds[0], value - quantile * se), min(bounds[1], value + quantile * se)


def at_bound(value: float, trials: float, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """The one-sided interval of a value on a finite bound, based on `trials` rows without an exception.

    Wilson's interval of trials/trials (z²/(trials + z²) of the range is left open), stretched to the bounds.
    `trials` is the number of rows of the rarest kind that could have moved the value. An unbounded side, or a
    value that is on no bound: (NaN, NaN).

    >>> at_bound(1.0, 20, 0.95, (0, 1))[0] == 1 - wilson(0, 20, 0.95)[1]
    True
    """
    low, high = bounds
    if math.isinf(low) or math.isinf(high) or value not in bounds:
        return math.nan, math.nan
    reach = (high - low) * wilson(0, trials, level)[1]
    return (low, low + reach) if value == low else (high - reach, high)


def logit_half(tp: float, fp: float, fn: float, beta: float, level: float) -> tuple[float, float]:
    """The interval of F-beta on the logit scale, with half a count added to each of tp, fp and fn.

    logit F = log((1 + β²) tp) - log(β² fn + fp); by the delta method for multinomial counts (the term in 1/n
    cancels, so tn is not needed) its variance is 1/tp + (β⁴ fn + fp) / (β² fn + fp)². Half a count, after
    Haldane (1956) and Anscombe (1956), keeps the ends finite; they are then stretched to hold the estimate,
    and are exactly 0 and 1 where it is. Nothing counted: (NaN, NaN).

    >>> [round(x, 4) for x in logit_half(40, 10, 20, 2, 0.95)]
    [0.5712, 0.7825]
    """
    if not tp + fp + fn > 0:
        return math.nan, math.nan
    square = beta * beta
    value = (1 + square) * tp / ((1 + square) * tp + square * fn + fp)
    a, b, c = tp + 0.5, fp + 0.5, fn + 0.5
    reach = z(level) * math.sqrt(logit_variance(a, b, c, beta))
    centre = math.log((1 + square) * a / (square * c + b))
    return min(value, expit(centre - reach)), max(value, expit(centre + reach))


def logit_variance(tp: float, fp: float, fn: float, beta: float) -> float:
    """The variance of logit F-beta from counts above 0: 1/tp + (β⁴ fn + fp) / (β² fn + fp)².

    >>> logit_variance(10, 5, 5, 1)
    0.2
    """
    square = beta * beta
    return 1 / tp + (square * square * fn + fp) / (square * fn + fp) ** 2


def expit(x: float) -> float:
    """The inverse of the logit, 1 / (1 + e⁻ˣ), without overflow on either side.

    >>> expit(0), expit(-1e4), expit(1e4)
    (0.5, 0.0, 1.0)
    """
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    odds = math.exp(x)
    return odds / (1 + odds)
