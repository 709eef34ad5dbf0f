"""The differences of two models per row, summed over rows that do not fit into memory, for the tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.inference.inner import inner
from calipers.statistics.moments import Moments

Array = npt.NDArray[Any]
Pair = tuple[int, int]
ROUNDING = 1e-12  # relative to the largest difference; smaller differences count as 0


@dataclass(frozen=True)
class ClassSums:
    """Differences in the rows of one class: their powers, the largest one, and in how many rows there is one."""

    rows: int
    square: float
    cube: float
    fourth: float
    largest: float
    differing: int  # rows that differ by more than rounding, relative to the largest difference of the class
    nonzero: int

    @property
    def effective(self) -> float:
        """As `effective_differences` of all rows."""
        if not 0 < self.largest < np.inf:
            return float(self.rows)
        return min(float(self.differing), 3 * self.square**2 / self.fourth)


@dataclass(frozen=True)
class DifferenceSums:
    """Differences in the rows of two classes, the first model minus the second."""

    pos: ClassSums
    neg: ClassSums
    together: ClassSums


class Differing:
    """Differences on their way into sums: all rows are met twice, first to find the largest difference."""

    def __init__(self) -> None:
        self._largest = [0.0, 0.0]
        self._sums = np.zeros((3, 6))

    def look(self, each: Array, positive: Array) -> None:
        """Rows that are met for the first time: the differences, and which rows are positive."""
        for side, rows in enumerate((positive, ~positive)):
            self._largest[side] = max(self._largest[side], float(np.abs(each[rows]).max(initial=0.0)))

    def add(self, each: Array, positive: Array) -> None:
        """Rows that are met again."""
        for at, d in enumerate((each[positive], each[~positive], each)):
            self._sums[at] += _powers(d, ROUNDING * self._limits[at])

    @property
    def _limits(self) -> tuple[float, float, float]:
        pos, neg = self._largest
        return pos, neg, max(pos, neg)

    def sums(self) -> DifferenceSums:
        """The sums of all rows."""
        found = (
            ClassSums(int(n), square, cube, fourth, most, int(differing), int(nonzero))
            for (n, square, cube, fourth, differing, nonzero), most in zip(
                self._sums.tolist(), self._limits, strict=True
            )
        )
        return DifferenceSums(*found)


def _powers(d: Array, limit: float) -> list[float]:
    square = d * d
    differing, nonzero = (float(np.count_nonzero(x)) for x in (np.abs(d) > limit, d))
    return [float(len(d)), inner(d, d), inner(square, d), inner(square, square), differing, nonzero]


@dataclass
class LossDifferences:
    """Moments of the differences of row losses, by pair of models, and in how many rows they differ."""

    moments: dict[Pair, Moments] = field(default_factory=dict)
    differing: dict[Pair, int] = field(default_factory=dict)

    def add(self, losses: list[Array]) -> None:
        """Add rows: the losses of each model."""
        for first, second in combinations(range(len(losses)), 2):
            apart = losses[first] - losses[second]
            before = self.moments.get((first, second), Moments.empty())
            self.moments[first, second] = before.merge(Moments.of_values(apart))
            count = int(np.count_nonzero(apart))
            self.differing[first, second] = self.differing.get((first, second), 0) + count


@dataclass(frozen=True, eq=False)
class RowDifferences:
    """All that tests of models on the same rows look at.

    rows: of the positive and of the negative class. truth, codes, counts: the joint table of the true class and of what
    each model predicts. areas, precisions: differences of influences on ROC AUC and on average precision. losses: by
    metric. equal: pairs of models with the same scores.
    """

    rows: tuple[int, int]
    truth: Array
    codes: list[Array]
    counts: Array
    areas: dict[Pair, DifferenceSums]
    precisions: dict[Pair, DifferenceSums]
    losses: dict[str, LossDifferences]
    equal: set[Pair]
