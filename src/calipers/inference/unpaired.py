"""A difference between values of different rows: the two are independent, so that their variances add up."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import NamedTuple

from calipers.choices import Alternative
from calipers.inference.contrast import Contrast
from calipers.inference.mean import raised
from calipers.inference.outcome import normal_p
from calipers.inference.proportion import mover
from calipers.inference.quantiles import z

FARTHEST = 8.0  # standard errors: floats do not distinguish levels nearer to 1, which are extrapolated


class Average(NamedTuple):
    """A mean: its variance, the degrees of freedom of that, its third cumulant, and the metric that is a map of it."""

    mean: float
    variance: float
    df: float
    third: float
    value: float


class Bounded(NamedTuple):
    """A value, its bounds at any level, and its standard error (NaN where it is not known)."""

    value: float
    bounds: Callable[[float], tuple[float, float]]
    error: float


def welch(first: Average, second: Average, method: str) -> Contrast:
    """Welch's t: a variance of each mean, and Satterthwaite's degrees of freedom; corrected for skewness.

    >>> found = welch(Average(3.0, 0.04, 9.0, 0.0, 3.0), Average(2.0, 0.09, 15.0, 0.0, 2.0), "Welch t")
    >>> round(found.statistic(), 4), round(found.df, 2), round(found.pvalue(), 4)
    (2.7735, 23.54, 0.0107)
    """
    variance = first.variance + second.variance
    df = variance**2 / sum(a.variance**2 / a.df for a in (first, second))
    skew = (first.third - second.third) / (3 * variance**1.5)
    gap, value = first.mean - second.mean, first.value - second.value
    scale = value / gap if gap else 1.0  # of a root of a mean: √a - √b is (a - b)/(√a + √b)
    return Contrast(value, math.sqrt(variance) * scale, df, method, skew=raised(skew, df + 1))


@dataclass(frozen=True)
class Wider(Contrast):
    """A difference by two tests of which neither is safe alone: the larger p-value, and an interval that covers both.

    Of long-tailed losses, Welch's t rejects too often where the samples are of unequal size, and the intervals of both
    means (MOVER) where they are small and of equal size. `statistic`, `df` and `error` are Welch's.
    """

    other: Contrast | None = None

    @classmethod
    def of(cls, first: Contrast, other: Contrast) -> Wider:
        """The first with another test of the same difference."""
        values = {field.name: getattr(first, field.name) for field in fields(first)}
        return cls(**values, other=other)

    def pvalue(self, null: float = 0.0, alternative: Alternative = "two-sided") -> float:
        """The larger p-value."""
        assert self.other is not None
        return max(super().pvalue(null, alternative), self.other.pvalue(null, alternative))

    def interval(self, level: float) -> tuple[float, float]:
        """From the lower of both lower ends to the higher of both upper ends."""
        assert self.other is not None
        (low, high), (least, most) = super().interval(level), self.other.interval(level)
        return min(low, least), max(high, most)


@dataclass(frozen=True)
class Recovered(Contrast):
    """A difference whose interval follows from those of both values, by variance estimates recovery (MOVER).

    Zou and Donner (2008, Stat. Med. 27:1693): the distances of the ends that face each other are squared and added. Of
    two Wilson intervals it is Newcombe's method 10. The p-value is 1 less the level at which the interval ends at the
    null.

    >>> from calipers.inference.proportion import wilson
    >>> each = [Bounded(p, lambda level, p=p, n=n: wilson(p * n, n, level), 0.05) for p, n in ((0.8, 70), (0.6, 80))]
    >>> found = Recovered.of(*each, "mover")
    >>> [round(x, 4) for x in found.interval(0.95)], round(found.pvalue(), 4)
    ([0.0524, 0.3339], 0.0081)
    """

    first: Bounded | None = None
    second: Bounded | None = None

    @classmethod
    def of(cls, first: Bounded, second: Bounded, method: str) -> Recovered:
        """The first value minus the second."""
        error = math.hypot(first.error, second.error)
        found = cls(first.value - second.value, error, math.inf, method, first=first, second=second)
        if error == error:
            return found
        low, high = found.interval(0.95)
        return cls(found.value, (high - low) / (2 * z(0.95)), math.inf, method, first=first, second=second)

    def interval(self, level: float) -> tuple[float, float]:
        """The difference, less and plus the distances of the ends."""
        assert self.first is not None
        assert self.second is not None
        parts = [(sign, each.value, *each.bounds(level)) for sign, each in ((1.0, self.first), (-1.0, self.second))]
        return mover(self.value, parts)

    def statistic(self, null: float = 0.0) -> float:
        """The normal quantile of the level at which the interval ends at `null`, with the sign of the difference."""
        gap = self.value - null
        if gap != gap:
            return math.nan
        return math.copysign(self._quantile(abs(gap), 0 if gap > 0 else 1), gap) if gap else 0.0

    def pvalue(self, null: float = 0.0, alternative: Alternative = "two-sided") -> float:
        """The p-value of H: difference = null."""
        statistic = self.statistic(null)
        return normal_p(statistic, alternative) if statistic == statistic else math.nan

    def _reach(self, quantile: float, end: int) -> float:
        return abs(self.interval(_level(quantile))[end] - self.value)

    def _quantile(self, gap: float, end: int) -> float:
        """Where the distance of an end is this gap: it grows nearly in proportion to the quantile."""
        reach = self._reach(FARTHEST, end)
        if reach != reach:
            return math.nan
        if reach <= gap:
            return FARTHEST * gap / reach if reach > 0 else math.inf
        low, high, guess = 0.0, FARTHEST, FARTHEST * gap / reach
        for _ in range(60):
            reach = self._reach(guess, end)
            low, high = (guess, high) if reach < gap else (low, guess)
            step = guess * gap / reach if reach > 0 else high
            following = step if low < step < high else (low + high) / 2
            if abs(following - guess) <= 1e-9 * guess:
                return following
            guess = following
        return guess


def _level(quantile: float) -> float:
    return math.erf(quantile / math.sqrt(2))


def stretched(value: float, low: float, high: float, level: float) -> Callable[[float], tuple[float, float]]:
    """Known bounds at other levels, their distances in proportion to the normal quantile."""

    def bounds(other: float) -> tuple[float, float]:
        by = z(other) / z(level)
        return value - by * (value - low), value + by * (high - value)

    return bounds
