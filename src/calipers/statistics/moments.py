"""Mean and central sums to the third order: any row-wise measure, with what its interval needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from calipers.statistics.base import Array, Statistic

if TYPE_CHECKING:
    from calipers.batch import Batch

RowMeasure = Callable[["Batch"], "Array | Moments"]


def wrong(batch: Batch) -> Array:
    """1 where the predicted class differs from the true one."""
    return (batch.truth != batch.pred).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Moments(Statistic):
    """Rows, weight, squared weight, weighted mean, and the weighted central sums of order two and three."""

    n: int
    weight: float
    squares: float
    mean: float
    m2: float
    m3: float

    @classmethod
    def of(cls, batch: Batch, measure: RowMeasure = wrong) -> Self:
        """The moments of a row-wise measure, which may give them itself where it has a faster way."""
        rows = measure(batch)
        return rows if isinstance(rows, cls) else cls.of_values(np.asarray(rows), batch.weights)

    @classmethod
    def of_values(cls, values: Array, weights: Array | None = None) -> Self:
        """The moments of these numbers."""
        values = np.asarray(values, np.float64)
        if len(values) == 0:
            return cls.empty()
        if weights is None:
            mean = float(values.mean())
            d = values - mean
            square = d * d
            return cls(len(d), float(len(d)), float(len(d)), mean, float(square.sum()), float((square * d).sum()))
        total = float(weights.sum())
        mean = float(weights @ values) / total
        d = values - mean
        wd2 = weights * d * d
        return cls(len(d), total, float(weights @ weights), mean, float(wd2.sum()), float(wd2 @ d))

    @classmethod
    def empty(cls) -> Self:
        """No rows; the mean is 0 by convention and carries no weight."""
        return cls(0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def merge(self, other: Self) -> Self:
        """Pairwise update of the central sums (Chan, Golub and LeVeque 1983; Pebay 2008, eq. 2.1 and 2.2)."""
        if not self.weight or not other.weight:
            return self if self.weight else other
        a, b = self.weight, other.weight
        w, d = a + b, other.mean - self.mean
        return type(self)(
            self.n + other.n,
            w,
            self.squares + other.squares,
            (a * self.mean + b * other.mean) / w,
            self.m2 + other.m2 + d * d * a * b / w,
            self.m3 + other.m3 + d**3 * a * b * (a - b) / (w * w) + 3 * d * (a * other.m2 - b * self.m2) / w,
        )

    def scale(self, factor: int) -> Self:
        """The same mean with every sum times `factor`."""
        if not factor:
            return self.empty()
        k = factor
        return type(self)(self.n * k, self.weight * k, self.squares * k, self.mean, self.m2 * k, self.m3 * k)

    @property
    def effective(self) -> float:
        """Kish's effective sample size: n itself when every row weighs the same."""
        return self.weight**2 / self.squares if self.squares else 0.0
