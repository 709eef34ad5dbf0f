"""How many rows it takes to see a difference between two models on the same rows, and what n rows can see."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, Never

from calipers.errors import InputError
from calipers.inference.area import bisect, exponential_variance
from calipers.inference.quantiles import t, z
from calipers.result import Result

MOST_ROWS = 10**12


Solved = Literal["rows", "difference", "power"]


@dataclass(frozen=True, repr=False)
class Power(Result[Never]):
    """`rows` detect `difference` with probability `power` at this confidence level; `given` are the assumptions.

    `solved` names the one of the three that was computed from the other two.
    """

    kind: ClassVar[str] = "power"

    rows: int
    difference: float
    power: float
    level: float
    given: str
    solved: Solved = "rows"


def rows_for_area(
    first: float, second: float, prevalence: float, correlation: float, power: float, level: float
) -> int:
    """Rows that distinguish two ROC areas, with `correlation` between the two estimates.

    The fewest n with |θ₁ - θ₂| >= (z_level + z_power) √(V₁ + V₂ - 2r√(V₁V₂)), V the exponential model's variance
    (Hanley & McNeil 1983; Obuchowski & McClish 1997).

    >>> rows_for_area(0.8, 0.9, 0.5, 0.5, 0.8, 0.95)
    124
    """
    far = z(level) + z(2 * power - 1)

    def detected(n: float) -> bool:
        return abs(first - second) >= far * area_error(first, second, prevalence, correlation, n)

    return fewest(detected)


def area_error(first: float, second: float, prevalence: float, correlation: float, rows: float) -> float:
    """The standard error of a difference of two paired ROC areas under the exponential model."""
    positives, negatives = rows * prevalence, rows * (1 - prevalence)
    v1, v2 = (exponential_variance(x, positives, negatives) for x in (first, second))
    return math.sqrt(max(0.0, v1 + v2 - 2 * correlation * math.sqrt(v1 * v2)))


def rows_for_proportions(difference: float, discordance: float, power: float, level: float) -> int:
    """Rows with which McNemar's test sees a difference of proportions when this share of rows is discordant.

    n = (z_level √ψ + z_power √(ψ - δ²))²/δ², ψ the share of rows that only one of the two gets right
    (Miettinen 1968; Connor 1987).

    >>> rows_for_proportions(0.05, 0.2, 0.8, 0.95)
    626
    """
    if not 0 < abs(difference) <= discordance:
        raise InputError(
            "inference.discordance_below_difference",
            discordance=float(f"{discordance:.4g}"),
            difference=abs(difference),
        )
    spread = math.sqrt(max(0.0, discordance - difference**2))
    return math.ceil(((z(level) * math.sqrt(discordance) + z(2 * power - 1) * spread) / difference) ** 2)


def rows_for_mean(difference: float, sd: float, power: float, level: float) -> int:
    """Rows with which a paired t-test sees a mean difference, `sd` being the spread of the row differences.

    >>> rows_for_mean(0.5, 1.0, 0.8, 0.95)
    34
    """

    def detected(n: float) -> bool:
        return n > 1 and abs(difference) >= mean_reach(sd, n, power, level)

    return fewest(detected)


def mean_reach(sd: float, rows: float, power: float, level: float) -> float:
    """The mean difference that a paired t-test of this many rows sees."""
    return (t(level, rows - 1) + t(2 * power - 1, rows - 1)) * sd / math.sqrt(rows)


def power_of(needed: Callable[[float], int], rows: int, level: float) -> float:
    """The power of this number of rows, if `needed` rows have the given power; it includes rejections by chance.

    >>> round(power_of(lambda power: rows_for_mean(0.5, 1.0, power, 0.95), 34, 0.95), 2)
    0.81
    """
    least = (1 - level) / 2

    def beyond(power: float) -> bool:
        try:
            return needed(power) > rows
        except InputError:  # more rows than are realistic
            return True

    return bisect(beyond, 1 - 1e-9, least) if needed(least) <= rows else least


def fewest(enough: Callable[[float], bool]) -> int:
    """The fewest rows that are enough, by doubling and halving.

    >>> fewest(lambda n: n >= 1234)
    1234
    """
    high = 4
    while not enough(high):
        high *= 2
        if high > MOST_ROWS:
            raise InputError("inference.too_many_rows", most=MOST_ROWS)
    low = 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def most(detected: Callable[[float], bool], room: float) -> float:
    """The smallest difference that is seen, up to `room`; NaN where not even that is."""
    return bisect(detected, room, 0.0) if detected(room) else math.nan
