"""A difference between two models on the same rows: its interval, and p-values against 0 or against a margin."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.choices import Alternative, McNemar
from calipers.inference.inner import inner
from calipers.inference.mean import apply_cubic, invert_cubic, raised
from calipers.inference.outcome import normal_p, t_p
from calipers.inference.paired import MCNEMAR, mcnemar, newcombe_paired, tango, tango_z
from calipers.inference.quantiles import t, z

MOST = 1000  # times the number of rows; beyond this, a number of needed rows would be too uncertain
FARTHEST = 1.5  # times Student's t: how far the correction for skewness may move an end of an interval
POWER = 0.8  # the power of "about N more rows needed to decide"


@dataclass(frozen=True)
class Contrast:
    """A difference with a standard error and the degrees of freedom of that error; NaN where there is none.

    `skew` is the `skewness` of the deviations whose sum is the error: with a few large rows on one side, a sample
    without them has too small a mean and too small a spread. The p-value is therefore the larger of those of Student's
    t and of Hall's transformed t, and the interval covers both intervals, with ends at most 1.5 times as far away
    (docs/decisions/skewed-differences.md). `skew_error` is the standard error of the skewness, which is taken as so
    much larger against the model that seems better. `unseen` is what errors that were not drawn may add to the standard
    error, on the side of its sign. `rows` is what each row, or each resample, adds to the error: contrasts of the same
    rows vary together as these do.

    >>> found = Contrast(0.02, 0.008, 99.0, "paired t")
    >>> [round(x, 4) for x in found.interval(0.95)], round(found.pvalue(), 4)
    ([0.0041, 0.0359], 0.0141)
    >>> round(found.pvalue(-0.01, "greater"), 5), Contrast(0.0, 0.0, 9.0, "").pvalue()
    (0.00015, 1.0)
    >>> skewed = Contrast(0.02, 0.008, 99.0, "paired t", skew=-0.2)
    >>> [round(x, 4) for x in skewed.interval(0.95)], round(skewed.pvalue(), 4)
    ([-0.0038, 0.0359], 0.0987)
    >>> unseen = Contrast(0.02, 0.008, 99.0, "paired t", unseen=-0.006)
    >>> [round(x, 4) for x in unseen.interval(0.95)], round(unseen.pvalue(), 4)
    ([0.0002, 0.0359], 0.0482)
    """

    value: float
    error: float
    df: float
    method: str
    note: str = ""
    skew: float = 0.0
    rows: npt.NDArray[Any] | None = field(default=None, repr=False, compare=False)
    unseen: float = 0.0
    # The number of rows, if `rows` contains something else.
    count: int | None = field(default=None, repr=False, kw_only=True)
    skew_error: float = field(default=0.0, kw_only=True)

    def statistic(self, null: float = 0.0) -> float:
        """How many standard errors the difference lies above `null`."""
        gap = self.value - null
        error = self._error_towards(-gap)
        return gap / error if error > 0 or gap != gap or error != error else _certain(gap)

    def _error_towards(self, side: float) -> float:
        """The standard error for differences above (side > 0) or below the one that was seen."""
        return math.hypot(self.error, self.unseen) if self.unseen * side > 0 else self.error

    def pvalue(self, null: float = 0.0, alternative: Alternative = "two-sided") -> float:
        """The p-value of H: difference = null (or at most null for "greater", at least null for "less")."""
        statistic = self.statistic(null)
        if statistic != statistic:
            return math.nan
        plain = t_p(statistic, self.df, alternative)
        skew = self._skew_towards(statistic)
        if not skew or math.isinf(statistic):
            return plain
        bent, closer = (t_p(x, self.df, alternative) for x in (apply_cubic(statistic, skew), statistic / FARTHEST))
        return max(plain, min(bent, closer))

    def _skew_towards(self, side: float) -> float:
        """The skewness that statistics above (side > 0) or below 0 are judged with."""
        return self.skew - math.copysign(self.skew_error, side)

    def interval(self, level: float) -> tuple[float, float]:
        """The differences that are not rejected."""
        below, above = self._error_towards(-1), self._error_towards(1)
        if not below and not above:
            return self.value, self.value
        low, high = self.limits(level)
        return self.value - high * below, self.value - low * above

    def limits(self, level: float) -> tuple[float, float]:
        """The statistics that are not rejected: from the lower to the upper limit."""
        far = t(level, self.df)
        ends = (side * invert_cubic(side * far, self._skew_towards(side)) for side in (-1, 1))
        low, high = (min(max(end, far), FARTHEST * far) for end in ends)
        return -low, high

    def rows_to_settle(self, rows: int, level: float, margin: float | None = None) -> int | None:
        """The total number of rows to detect a difference of this size with power 0.8, or to show it within a margin.

        None if that is more than a thousand times the number of rows, or no number is enough: the difference is too
        close to 0, or to the margin, to say.
        """
        if not self.error > 0:
            return None
        goals = []
        if self.value:
            goals.append((z(level) + z(2 * POWER - 1)) * self.error / abs(self.value))
        if margin is not None and abs(self.value) < margin:
            # Both one-sided tests have to succeed, each with half of what may fail.
            goals.append((z(2 * level - 1) + z(POWER)) * self.error / (margin - abs(self.value)))
        return math.ceil(rows * min(goals) ** 2) if goals and min(goals) <= math.sqrt(MOST) else None


def skewness(each: npt.NDArray[Any], count: int) -> float:
    """Σd³/(3(Σd²)^1.5) of deviations d, `raised` to what their population may have.

    `count`: in how many rows the models differ.

    >>> round(skewness(np.array([-1.0, -1.0, -1.0, -1.0, 4.0]), 4), 4), skewness(np.zeros(3), 0)
    (0.6708, 0.0)
    """
    return skewness_of(_third_moment(each), count)


def skewness_of(third: float, count: int) -> float:
    """The same from Σd³/(Σd²)^1.5."""
    return raised(third / 3, count) if count else 0.0


def uncertain_skewness(each: npt.NDArray[Any]) -> tuple[float, float]:
    """Σd³/(3(Σd²)^1.5) of deviations d, and its standard error √Σd⁶/(3(Σd²)^1.5): for losses without a bound.

    >>> skew, error = uncertain_skewness(np.array([-1.0, -1.0, -1.0, -1.0, 4.0]))
    >>> round(skew, 4), round(error, 4), uncertain_skewness(np.zeros(3))
    (0.2236, 0.2386, (0.0, 0.0))
    """
    d = _of_size_one(each)
    cubes, size = d**3, 3 * inner(d, d) ** 1.5
    return (float(cubes.sum()) / size, math.sqrt(inner(cubes, cubes)) / size) if size else (0.0, 0.0)


def deciding(each: npt.NDArray[Any]) -> float:
    """How many rows determine the variance: this number of equally large deviations would have the same skewness.

    >>> round(deciding(np.r_[np.full(9997, -0.0003), [1.0, 1.0, 1.0]]), 1)
    3.0
    """
    return deciding_of(_third_moment(each))


def deciding_of(third: float) -> float:
    """The same from Σd³/(Σd²)^1.5."""
    return 1 / third**2 if third else math.inf


def _third_moment(each: npt.NDArray[Any]) -> float:
    """Σd³/(Σd²)^1.5, which has no unit."""
    d = _of_size_one(each)
    size = inner(d, d) ** 1.5
    return inner(d * d, d) / size if size else 0.0


def _of_size_one(each: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The deviations in units of the largest, so that their powers neither overflow nor vanish."""
    largest = float(max(np.max(each), -np.min(each))) if len(each) else 0.0
    return each / largest if largest > 0 else each


def _certain(gap: float) -> float:
    return math.copysign(math.inf, gap) if gap else 0.0


@dataclass(frozen=True)
class LossRatio(Contrast):
    """A difference of mean losses d over a mean v that both models share, as that of two R²: `value` is d/v.

    The test of d/v = δ is the t-test of the mean of d - δv (Fieller 1954), so that at 0 it is the test of the losses
    themselves, and the interval are the δ that it does not reject. `covariance` holds the variances of the means of d
    and of v and their covariance. If v is not distinguishable from 0, the interval is unbounded on one side.

    >>> found = LossRatio.of((0.02, 0.5), (0.008**2, 0.0, 0.05**2), 99.0, "paired t of the losses")
    >>> found.pvalue() == Contrast(0.02, 0.008, 99.0, "").pvalue(), [round(x, 4) for x in found.interval(0.95)]
    (True, [0.0082, 0.0751])
    """

    means: tuple[float, float] = (math.nan, math.nan)
    covariance: tuple[float, float, float] = (math.nan, math.nan, math.nan)

    @classmethod
    def of(
        cls,
        means: tuple[float, float],
        covariance: tuple[float, float, float],
        df: float,
        method: str,
        skew: float = 0.0,
        rows: npt.NDArray[Any] | None = None,
        note: str = "",
        skew_error: float = 0.0,
    ) -> LossRatio:
        """The ratio of two means, from their variances (first, covariance, second)."""
        (loss, scale), error = means, math.sqrt(covariance[0])
        found = loss / scale, error / scale, df, method, note, skew, rows, 0.0, means, covariance
        return cls(*found, skew_error=skew_error)

    def statistic(self, null: float = 0.0) -> float:
        """The mean of d - null·v in standard errors."""
        (loss, scale), (first, both, second) = self.means, self.covariance
        gap, variance = loss - null * scale, first - 2 * null * both + null * null * second
        return gap / math.sqrt(variance) if variance > 0 else _certain(gap)

    def interval(self, level: float) -> tuple[float, float]:
        """Fieller's interval; an end is infinite where no ratio on that side is rejected."""
        if not self.error:
            return self.value, self.value
        low, high = self.limits(level)
        return self._end(high, -1), self._end(-low, 1)

    def _end(self, far: float, side: int) -> float:
        """The end of the interval on a side, -1 or 1: where the statistic is `far` away from 0."""
        (loss, scale), (first, both, second) = self.means, self.covariance
        a, b, c = scale**2 - far**2 * second, loss * scale - far**2 * both, loss**2 - far**2 * first
        inside = b * b - a * c
        if a > 0:
            return (b + side * math.sqrt(max(0.0, inside))) / a
        # The rejected ratios, if any, lie between two roots. The interval ends there only if 0 is among them.
        if inside > 0 and -side * self.statistic() > far:
            return (b + side * math.sqrt(inside)) / a
        return side * math.inf


@dataclass(frozen=True)
class Discordant(Contrast):
    """A difference of two proportions of the same n rows: the rows that one model, the other, or both get right.

    McNemar's mid-p against 0, Tango's score test against a margin, and Newcombe's interval: it covers 95% or more
    where Tango's own falls to 94%, and is no wider (benchmarks/paired_shares.py). The test decides whether 0 lies
    inside: where Newcombe's end is on the other side of 0, it is moved to the right one. `way`: a published version of
    McNemar's test; with "asymptotic" the interval is Tango's, which inverts it.

    >>> found = Discordant.of(36, 12, 2, 0)
    >>> round(found.value, 3), [round(x, 4) for x in found.interval(0.95)], round(found.pvalue(), 4)
    (0.2, [0.0569, 0.3404], 0.0074)
    """

    both: float = 0.0
    first: float = 0.0
    second: float = 0.0
    neither: float = 0.0
    way: McNemar = "mid-p"

    @classmethod
    def of(
        cls,
        both: float,
        first: float,
        second: float,
        neither: float,
        method: str = MCNEMAR["mid-p"],
        rows: npt.NDArray[Any] | None = None,
    ) -> Discordant:
        """The contrast of these counts."""
        count = both + first + second + neither
        value = (first - second) / count
        error = math.sqrt(max(0.0, (first + second) / count - value * value) / count)
        return cls(value, error, math.nan, method, "", 0.0, rows, 0.0, both, first, second, neither)

    @property
    def _counted(self) -> bool:
        return float(self.first).is_integer() and float(self.second).is_integer()

    def statistic(self, null: float = 0.0) -> float:
        """McNemar's statistic against 0, which has no sign; Tango's against another difference."""
        if null == 0 and self._counted:
            return mcnemar(self.first, self.second, self.way).statistic
        return tango_z(self.first, self.second, self.both + self.first + self.second + self.neither, null)

    def pvalue(self, null: float = 0.0, alternative: Alternative = "two-sided") -> float:
        """The p-value of H: difference = null."""
        if null == 0 and self._counted:
            return mcnemar(self.first, self.second, self.way, alternative).pvalue
        return normal_p(self.statistic(null), alternative)

    def interval(self, level: float) -> tuple[float, float]:
        """Newcombe's method 10, which has a width even where the models agree on every row."""
        rows = self.both + self.first + self.second + self.neither
        if self.way == "asymptotic":
            return tango(self.first, self.second, rows, level)
        low, high = newcombe_paired(self.both, self.first, self.second, self.neither, level)
        if not self.pvalue() < 1 - level:
            return min(low, 0.0), max(high, 0.0)
        least = min(abs(self.value), 0.5 / rows)  # half a row away from 0
        return (max(low, least), high) if self.value > 0 else (low, min(high, -least))
