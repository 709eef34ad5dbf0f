"""A straight line through estimates over time: weighted regression with variation between periods."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calipers.inference.area import exponential_variance
from calipers.inference.outcome import chi2_p, normal_p, t_p
from calipers.inference.quantiles import t, z
from calipers.inference.unpaired_shares import USUAL, Ranked, Share

Array = npt.NDArray[np.float64]
FEWEST = 3  # periods: a line through two points has no residual


@dataclass(frozen=True)
class TrendTest:
    """The slope of a line, and the test that it is 0.

    The estimates vary by their sampling error and by more, τ² (method of moments, DerSimonian and Laird 1986), and have
    weights accordingly. Two tests are made, and the larger p-value counts: Knapp and Hartung's (2003), whose error is
    the scatter around the line, with Student's t and k - 2 degrees of freedom; and that of the sampling errors alone,
    so that a lucky fit of few periods claims nothing that the rows do not show. `scatter` and `sampling` are the two
    standard errors. `fitted` is the line at the first and the last time, `excess` the p-value of the test that the
    periods vary by no more than sampling error.
    """

    slope: float
    scatter: float
    sampling: float
    df: float
    fitted: tuple[float, float]
    between: float
    excess: float

    @classmethod
    def of(cls, times: Sequence[float], values: Sequence[float], variances: Sequence[float]) -> TrendTest:
        """The line through these values, whose sampling variances are known.

        >>> found = TrendTest.of([0, 1, 2, 3, 4], [0.80, 0.78, 0.77, 0.74, 0.72], [0.0004] * 5)
        >>> round(found.slope, 4), round(found.pvalue(), 4), [round(x, 4) for x in found.interval(0.95)]
        (-0.02, 0.0016, [-0.0324, -0.0076])
        """
        x, y, v = (np.asarray(each, np.float64) for each in (times, values, variances))
        df, w = float(len(x) - 2), 1 / v
        _, rest, gone = _line(x, y, w)
        leverage = w * (1 / w.sum() + gone**2 / (w @ gone**2))
        q = float(w @ rest**2)
        between = max(0.0, (q - df) / float(w @ (1 - leverage)))
        w = 1 / (v + between)
        slope, rest, gone = _line(x, y, w)
        square = float(w @ gone**2)
        scatter = math.sqrt(float(w @ rest**2) / df / square)
        sampling = math.sqrt(float((w * gone) ** 2 @ v)) / square
        centre = float(w @ y / w.sum())
        ends = centre + slope * float(gone[0]), centre + slope * float(gone[-1])
        return cls(slope, scatter, sampling, df, ends, math.sqrt(between), chi2_p(q, df))

    def pvalue(self) -> float:
        """The larger of both p-values."""
        return max(p for _, _, p in self._tests())

    def statistic(self) -> tuple[float, float]:
        """The statistic of the test that counts, and its degrees of freedom."""
        value, df, _ = max(self._tests(), key=lambda test: test[2])
        return value, df

    def _tests(self) -> list[tuple[float, float, float]]:
        by_scatter, by_sampling = (_over(self.slope, error) for error in (self.scatter, self.sampling))
        return [(by_scatter, self.df, t_p(by_scatter, self.df)), (by_sampling, math.inf, normal_p(by_sampling))]

    def interval(self, level: float) -> tuple[float, float]:
        """The slopes that are not rejected by both tests."""
        reach = max(t(level, self.df) * self.scatter, z(level) * self.sampling)
        return self.slope - reach, self.slope + reach


def _over(value: float, error: float) -> float:
    return value / error if error > 0 else math.copysign(math.inf, value) if value else 0.0


def _line(x: Array, y: Array, w: Array) -> tuple[float, Array, Array]:
    """The slope of the weighted line, what it leaves of y, and x from its mean."""
    gone, rest = x - w @ x / w.sum(), y - w @ y / w.sum()
    slope = float((w * gone) @ rest / (w @ gone**2))
    return slope, rest - slope * gone, gone


def of_shares(shares: Sequence[Share]) -> list[float]:
    """The variances of shares if all periods had the same one, as in the test of Cochran and Armitage.

    A share's own variance goes with the share: periods that are low by chance would count for more.

    >>> of_shares([Share(0.0, 10), Share(0.5, 10)])
    [0.01875, 0.01875]
    """
    total = sum(s.trials for s in shares)
    hits = sum(s.value * s.trials for s in shares)
    return [hits / total * (1 - hits / total) / s.trials for s in shares]


def of_areas(areas: Sequence[Ranked], slope: float) -> list[float]:
    """The variances of areas if all periods had the same one: those of exponential scores, times what DeLong's are."""
    common = sum(a.area * a.fewer for a in areas) / sum(a.fewer for a in areas)
    common = min(max(common, 1e-9), 1 - 1e-9)
    alike = [exponential_variance(common, a.positives, a.negatives) for a in areas]
    unseen = z(USUAL) ** 2 / 2
    shown = sum(a.misranked * a.variance / v for a, v in zip(areas, alike, strict=True))
    times = (shown + unseen) / (sum(a.misranked for a in areas) + unseen)
    return [slope**2 * times * v for v in alike]


def of_rows(errors: Sequence[float], rows: Sequence[float]) -> list[float]:
    """Variances in proportion to 1/rows, with the mean of what one row adds.

    A period's own variance goes with its mean where values are skewed: with own variances the test of a trend rejected
    up to 48% of true nulls (docs/decisions/monitoring.md).

    >>> of_rows([0.1, 0.2], [100, 25])
    [0.01, 0.04]
    """
    unit = sum((e * n) ** 2 for e, n in zip(errors, rows, strict=True)) / sum(rows)
    return [unit / n for n in rows]
