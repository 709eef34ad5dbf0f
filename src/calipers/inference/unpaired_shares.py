"""A difference of two shares, or of two areas under ROC curves, of different rows: score tests."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from calipers.choices import Alternative
from calipers.inference.area import bisect, exponential_variance
from calipers.inference.contrast import Contrast
from calipers.inference.outcome import normal_p
from calipers.inference.proportion import trust, wilson
from calipers.inference.quantiles import z
from calipers.remarks import Remark

USUAL = 0.95  # the level at which variances are shrunk


class Share(NamedTuple):
    """A proportion of rows; with weights, of effective rows."""

    value: float
    trials: float


NO_SHARE = Share(math.nan, math.nan)


class Ranked(NamedTuple):
    """An area under a ROC curve, DeLong's variance of it, and how many rows of each class it is based on."""

    area: float
    variance: float
    positives: float
    negatives: float

    @property
    def fewer(self) -> float:
        """The rows of the smaller class."""
        return min(self.positives, self.negatives)

    @property
    def expected(self) -> float:
        """The variance of exponential scores, as a multiple of that of so many independent trials; at most 1."""
        spread = self.area * (1 - self.area)
        found = exponential_variance(self.area, self.positives, self.negatives)
        return min(1.0, found * self.fewer / spread) if spread > 0 else 1.0

    @property
    def seen(self) -> float:
        """DeLong's variance as such a multiple; 0 where no row is misranked."""
        spread = self.area * (1 - self.area)
        return self.variance * self.fewer / spread if spread > 0 else 0.0

    @property
    def misranked(self) -> float:
        """About how many rows of the smaller class show the variance."""
        return self.fewer * min(self.area, 1 - self.area) if self.variance > 0 else 0.0


@dataclass(frozen=True)
class TwoShares(Contrast):
    """A difference of two shares of different rows: Miettinen and Nurminen's score test and the interval it inverts.

    The variance is that of the most likely shares with this difference, times N/(N - 1) (Stat. Med. 1985, 4:213). At 0
    it is the χ² test with N - 1 in the place of N. The interval holds the differences that the test does not reject.

    >>> found = TwoShares.of(Share(56 / 70, 70), Share(48 / 80, 80))
    >>> round(found.value, 3), [round(x, 4) for x in found.interval(0.95)], round(found.pvalue(), 4)
    (0.2, [0.0528, 0.3382], 0.0083)
    """

    first: Share = NO_SHARE
    second: Share = NO_SHARE
    slope: float = 1.0  # of the metric, as a linear map of the share

    @classmethod
    def of(cls, first: Share, second: Share) -> TwoShares:
        """The first share minus the second."""
        error = math.sqrt(sum(s.value * (1 - s.value) / s.trials for s in (first, second)))
        method = Remark("inference.score_of_shares")
        return cls(first.value - second.value, error, math.inf, method, first=first, second=second)

    def statistic(self, null: float = 0.0) -> float:
        """The difference less `null`, in standard errors of shares that differ by `null`."""
        return math.copysign(1.0, self.slope) * self._score(null / self.slope)

    def _score(self, null: float) -> float:
        (p, n), (q, m) = self.first, self.second
        gap, lower = p - q - null, _likeliest(self.first, self.second, null)
        upper = min(1.0, max(0.0, lower + null))
        total = n + m
        variance = (upper * (1 - upper) / n + lower * (1 - lower) / m) * total / max(total - 1, 1e-9)
        if not variance > 0:
            return 0.0 if abs(gap) < 1e-12 else math.copysign(math.inf, gap)
        return gap / math.sqrt(variance)

    def pvalue(self, null: float = 0.0, alternative: Alternative = "two-sided") -> float:
        """The p-value of H: difference = null."""
        return normal_p(self.statistic(null), alternative)

    def interval(self, level: float) -> tuple[float, float]:
        """The differences that are not rejected."""
        far, gap = z(level), self.first.value - self.second.value
        ends = (
            self.slope * bisect(lambda d: self._score(d) > far, -1.0, gap),
            self.slope * bisect(lambda d: self._score(d) < -far, 1.0, gap),
        )
        return min(ends), max(ends)


def _likeliest(first: Share, second: Share, difference: float) -> float:
    """The likeliest second share if the first is larger by `difference`: a root of a cubic, in closed form.

    >>> [round(_likeliest(Share(0.8, 10), Share(0.4, 30), d), 12) for d in (0.0, 0.4)]
    [0.5, 0.4]
    """
    n, m = first.trials, second.trials
    x, y, d = first.value * n, second.value * m, difference
    if d == 0:
        return (x + y) / (n + m)
    total = n + m
    c2 = ((n + 2 * m) * d - total - x - y) / total
    c1 = ((m * d - total - 2 * y) * d + x + y) / total
    c0 = y * d * (1 - d) / total
    shift = c2 / 3
    q = shift**3 - c1 * c2 / 6 + c0 / 2
    radius = math.sqrt(max(0.0, shift * shift - c1 / 3))
    if not radius > 0:
        return min(1.0, max(0.0, -shift))
    radius = math.copysign(radius, q)
    angle = (math.pi + math.acos(min(1.0, max(-1.0, q / radius**3)))) / 3
    return min(1.0, 1.0 - d, max(0.0, -d, 2 * radius * math.cos(angle) - shift))


def two_areas(first: Ranked, second: Ranked, slope: float = 1.0) -> TwoShares:
    """Areas of different rows: DeLong's variances, in the form that a score test of two shares has.

    An area of m rows of the smaller class varies as m/r trials, r θ(1-θ)/m its variance. Where few misranked rows show
    it, r is shrunk to that of exponential scores times what DeLong's variances of both areas are on average as
    multiples of theirs. The plain unpaired test, gap/√(V₁ + V₂), rejects up to 30% of true nulls with areas above 0.9
    and unequal samples, because a sample without misranked rows seems certain (docs/decisions/monitoring.md).

    >>> found = two_areas(Ranked(0.82, 0.0009, 60, 140), Ranked(0.74, 0.0012, 55, 160))
    >>> round(found.statistic(), 3), round(0.08 / found.error, 3), round(found.pvalue(), 3)
    (1.737, 1.746, 0.082)
    """
    both, unseen = (first, second), z(USUAL) ** 2 / 2  # as `trust` has it
    shown = sum(a.misranked * a.seen / a.expected for a in both)
    common = (shown + unseen) / (sum(a.misranked for a in both) + unseen)
    parts = [trust(a.misranked, 1.0, USUAL) for a in both]
    ratios = [p * a.seen + (1 - p) * common * a.expected for p, a in zip(parts, both, strict=True)]
    found = TwoShares.of(*(Share(a.area, a.fewer / r) for a, r in zip(both, ratios, strict=True)))
    error = abs(slope) * math.sqrt(first.variance + second.variance)
    method = Remark("inference.delong_unpaired")
    return replace(found, value=slope * found.value, error=error, method=method, slope=slope)


def share_behind(value: float, low: float, high: float, level: float) -> Share | None:
    """The share whose Wilson interval this is; None where it is not one.

    >>> low, high = wilson(81, 263, 0.95)
    >>> found = share_behind(81 / 263, low, high, 0.95)
    >>> found is not None and round(found.trials, 6)
    263.0
    """
    width, square = high - low, z(level) ** 2
    if not (0 <= low <= value <= high <= 1 and 0 < width < 1):
        return None
    # width²(n + z²)² = 4z²(n p(1-p) + z²/4), a quadratic in n.
    a, b = width**2, 2 * width**2 * square - 4 * square * value * (1 - value)
    c = (width**2 - 1) * square**2
    inside = b * b - 4 * a * c
    trials = (-b + math.sqrt(inside)) / (2 * a) if inside >= 0 else math.nan
    if not trials > 0:
        return None
    again = wilson(value * trials, trials, level)
    close = all(abs(x - y) <= 1e-7 * max(width, 1e-9) for x, y in zip(again, (low, high), strict=True))
    return Share(value, trials) if close else None


def delong_of_two(first: Ranked, second: Ranked, method: str, slope: float = 1.0) -> Contrast:
    """DeLong's test of two areas of different rows: the difference over the root of the sum of both variances, "delong"
    with Satterthwaite's degrees of freedom, as pROC has it, or "delong-z" with the normal distribution.

    >>> found = delong_of_two(Ranked(0.84, 0.0192, 5, 5), Ranked(0.65714, 0.03483, 5, 7), "delong")
    >>> round(found.statistic(), 4), round(found.df, 2)
    (0.7867, 19.3)
    """
    each = [(one.variance, one.positives + one.negatives - 1) for one in (first, second)]
    variance, spread = sum(v for v, _ in each), sum(v**2 / rows for v, rows in each)
    df = variance**2 / spread if method == "delong" and spread > 0 else math.inf
    name = Remark("inference.unpaired_delong" if method == "delong" else "inference.unpaired_delong_z")
    return Contrast(slope * (first.area - second.area), abs(slope) * math.sqrt(variance), df, name)
