"""The rows themselves, for what has no small statistic: medians, and losses against a median."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from calipers.lazy import lazy
from calipers.statistics.base import Array, Statistic, joined

if TYPE_CHECKING:
    from calipers.batch import Batch


@dataclass(frozen=True, eq=False)
class Rows(Statistic):
    """True and predicted numbers, one column or several, and weights. Unbounded: it grows with the rows."""

    truth: Array
    said: Array
    weights: Array | None

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Keep the rows. They are copied, because the caller may write into his arrays afterwards."""
        assert batch.score is not None
        weights = None if batch.weights is None else batch.weights.copy()
        return cls(batch.truth.copy(), batch.score.copy(), weights)

    @classmethod
    def empty(cls) -> Self:
        """No rows."""
        return cls(np.zeros(0), np.zeros(0), None)

    def merge(self, other: Self) -> Self:
        """One set of rows after the other."""
        if not self.n or not other.n:
            return self if self.n else other
        return type(self)(
            np.concatenate((self.truth, other.truth)),
            np.concatenate((self.said, other.said)),
            joined(self.weights, other.weights, self.n, other.n),
        )

    def scale(self, factor: int) -> Self:
        """Every row `factor` times."""
        weights = None if self.weights is None else np.repeat(self.weights, factor)
        return type(self)(np.repeat(self.truth, factor, 0), np.repeat(self.said, factor, 0), weights)

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.truth)

    @property
    def effective(self) -> float:
        """Kish's effective sample size."""
        return float(self.n) if self.weights is None else float(self.weights.sum() ** 2 / (self.weights @ self.weights))

    def output(self, k: int) -> Rows:
        """The rows of one of several outputs."""
        return Rows(self.truth[:, k], self.said[:, k], self.weights)

    @lazy
    def errors(self) -> Array:
        """The size of the error of each row."""
        return np.abs(self.said - self.truth.astype(np.float64, copy=False))

    @lazy
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.n) if self.weights is None else float(self.weights.sum())


def quantile(values: Array, share: float, weights: Array | None = None) -> float:
    """The number that this share of the rows does not exceed; the mean of two where the share falls between them.

    Of weighted rows, the inverse of their distribution, averaged where it is flat: whole weights are repetitions.

    >>> quantile(np.array([4.0, 1.0, 3.0, 2.0]), 0.5), quantile(np.array([1.0, 2.0]), 0.5, np.array([3.0, 1.0]))
    (2.5, 1.0)
    """
    if weights is None:
        return quantiles(values, [share])[0]
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    goal = share * below[-1]
    slack = 1e-12 * below[-1]  # sums of weights that should meet the goal miss it by rounding
    first = min(int(np.searchsorted(below, goal - slack)), len(order) - 1)
    second = min(int(np.searchsorted(below, goal + slack, "right")), len(order) - 1)
    return float((values[order[first]] + values[order[second]]) / 2)


def quantiles(values: Array, shares: list[float]) -> list[float]:
    """Several quantiles of rows that count alike, by one partition."""
    n = len(values)
    if not n:
        return [np.nan] * len(shares)
    places = []
    for share in shares:
        goal = share * n
        near = round(goal)
        whole = abs(goal - near) < 1e-9 * max(1, n)
        low = (near if whole else int(np.ceil(goal))) - 1
        places.append((max(low, 0), min(max(low + whole, 0), n - 1)))
    parted = np.partition(values, sorted({at for pair in places for at in pair}))
    return [float((parted[low] + parted[high]) / 2) for low, high in places]


def ranked(values: Array, ranks: list[int]) -> list[float]:
    """The values of these ranks, the least first with rank 1."""
    places = [rank - 1 for rank in ranks]
    parted = np.partition(values, places)
    return [float(parted[at]) for at in places]
