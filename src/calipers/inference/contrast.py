"""A difference between two models on the same rows: its interval, and p-values against 0 or against a margin."""

from __future__ import annotations

import math
from dataclasses import dataclass

from calipers.inference.outcome import normal_p, t_p
from calipers.inference.paired import mcnemar, newcombe_paired, tango_z
from calipers.inference.quantiles import t, z

MOST = 1000  # times the rows at hand: beyond, a number of rows says more than it knows
POWER = 0.8  # with which "about N more rows would settle it" counts


@dataclass(frozen=True)
class Contrast:
    """A difference with a standard error and the degrees of freedom of that error; NaN where there is none.

    >>> found = Contrast(0.02, 0.008, 99.0, "paired t")
    >>> [round(x, 4) for x in found.interval(0.95)], round(found.pvalue(), 4)
    ([0.0041, 0.0359], 0.0141)
    >>> round(found.pvalue(-0.01, "greater"), 5), Contrast(0.0, 0.0, 9.0, "").pvalue()
    (0.00015, 1.0)
    """

    value: float
    error: float
    df: float
    method: str
    note: str = ""

    def pvalue(self, null: float = 0.0, alternative: str = "two-sided") -> float:
        """The p-value of H: difference = null (or at most null for "greater", at least null for "less")."""
        gap = self.value - null
        if self.error != self.error or gap != gap:
            return math.nan
        statistic = gap / self.error if self.error > 0 else math.copysign(math.inf, gap) if gap else 0.0
        return t_p(statistic, self.df, alternative)

    def interval(self, level: float) -> tuple[float, float]:
        """The differences that are not refused."""
        reach = t(level, self.df) * self.error if self.error else 0.0
        return self.value - reach, self.value + reach

    def rows_to_settle(self, rows: int, level: float, margin: float | None = None) -> int | None:
        """How many rows in all would tell a difference of this size from 0 with power 0.8, or show it within a margin.

        None where that is more than a thousand times the rows at hand, or no number would do: the difference is too
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


@dataclass(frozen=True)
class Discordant(Contrast):
    """A difference of two shares of the same n rows, of which the models hit so many alone and so many together.

    McNemar's mid-p against 0, Tango's score test against a margin, and Newcombe's interval: it covers 95 % or more
    where Tango's own falls to 94 %, and is no wider (benchmarks/null_trials.py).

    >>> found = Discordant.of(36, 12, 2, 0)
    >>> round(found.value, 3), [round(x, 4) for x in found.interval(0.95)], round(found.pvalue(), 4)
    (0.2, [0.0569, 0.3404], 0.0074)
    """

    both: float = 0.0
    first: float = 0.0
    second: float = 0.0
    neither: float = 0.0

    @classmethod
    def of(
        cls, both: float, first: float, second: float, neither: float, method: str = "McNemar mid-p, Newcombe interval"
    ) -> Discordant:
        """The contrast of these counts."""
        rows = both + first + second + neither
        value = (first - second) / rows
        error = math.sqrt(max(0.0, (first + second) / rows - value * value) / rows)
        return cls(value, error, math.inf, method, "", both, first, second, neither)

    def pvalue(self, null: float = 0.0, alternative: str = "two-sided") -> float:
        """The p-value of H: difference = null."""
        if null == 0 and float(self.first).is_integer() and float(self.second).is_integer():
            return mcnemar(self.first, self.second, "mid-p", alternative).pvalue
        rows = self.both + self.first + self.second + self.neither
        return normal_p(tango_z(self.first, self.second, rows, null), alternative)

    def interval(self, level: float) -> tuple[float, float]:
        """Newcombe's method 10, which has a width even where the models agree on every row."""
        return newcombe_paired(self.both, self.first, self.second, self.neither, level)
