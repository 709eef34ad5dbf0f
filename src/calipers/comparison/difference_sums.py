"""The differences of two models per row, summed over rows that do not fit into memory, for the tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.comparison.large_gaps import GapSums
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
    cubes: dict[Pair, WeightedCubes] = field(default_factory=dict)  # where rows have weights

    def add(self, losses: list[Array], weights: Array | None) -> None:
        """Add rows: the losses of each model."""
        for pair in combinations(range(len(losses)), 2):
            apart = losses[pair[0]] - losses[pair[1]]
            before = self.moments.get(pair, Moments.empty())
            self.moments[pair] = before.merge(Moments.of_values(apart, weights))
            self.differing[pair] = self.differing.get(pair, 0) + int(np.count_nonzero(apart))
            if weights is not None:
                self.cubes.setdefault(pair, WeightedCubes(self.moments[pair].mean)).add(apart, weights)


class WeightedCubes:
    """Sums of the cubes of weights times differences, whose mean is known only at the end; about: a number near it."""

    def __init__(self, about: float) -> None:
        self._about, self._sums = about, np.zeros(4)

    def add(self, apart: Array, weights: Array) -> None:
        """Add rows."""
        cubes, d = weights**3, apart - self._about
        self._sums += [inner(cubes, d**power) for power in range(4)]

    def deviations(self, mean: float) -> float:
        """The sum of cubes of weights times deviations from a mean."""
        by, (zero, one, two, three) = mean - self._about, self._sums.tolist()
        return float(three - 3 * by * two + 3 * by**2 * one - by**3 * zero)


class JointTable:
    """The rows by their true class and by what each model predicts: how many they are, and the powers of their weights.

    A row of cell c is of the positive class if bit 0 of c is set, and model k calls it positive if bit 1 + k is.
    """

    def __init__(self, models: int) -> None:
        cells = 2 ** (1 + models)
        self.counts, self.largest = np.zeros(cells, np.int64), np.zeros(cells)
        self.powers = np.zeros((4, cells))  # sums of weights, and of their second, third and fourth powers

    def add(self, cell: Array, weights: Array | None) -> None:
        """Add rows by their cells."""
        cells = len(self.counts)
        self.counts += np.bincount(cell, minlength=cells)
        if weights is not None:
            self.powers += [np.bincount(cell, weights**power, cells) for power in range(1, 5)]
            np.maximum.at(self.largest, cell, weights)

    def effective(self, cells: Array) -> float:
        """Kish's effective number of the rows in some cells."""
        weight, square = self.powers[:2, cells].sum(1).tolist()
        return float(weight**2 / square) if square else 0.0


@dataclass(frozen=True, eq=False)
class RowDifferences:
    """All that tests of models on the same rows look at.

    rows: of the positive and of the negative class. truth, codes: the true class and what each model predicts in each
    cell of the joint table. areas, precisions: differences of influences on ROC AUC and on average precision. losses
    and gaps: by metric. equal: pairs of models with the same scores.
    """

    rows: tuple[int, int]
    truth: Array
    codes: list[Array]
    table: JointTable
    areas: dict[Pair, DifferenceSums]
    precisions: dict[Pair, DifferenceSums]
    losses: dict[str, LossDifferences]
    gaps: dict[str, GapSums]
    equal: set[Pair]

    @property
    def counts(self) -> Array:
        """How many rows each cell of the joint table has."""
        return self.table.counts
