"""Means and central sums: of any row-wise measure, with what its interval needs, and of two numbers a row jointly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import comb
from typing import TYPE_CHECKING, Self

import numpy as np

from calipers import _native
from calipers.cached import lazy
from calipers.statistics.base import Array, Statistic

if TYPE_CHECKING:
    from calipers.data.batch import Batch

RowMeasure = Callable[["Batch"], "Array | Moments"]


def wrong(batch: Batch) -> Array:
    """1 where the predicted class differs from the true one."""
    differs: Array = batch.truth != batch.pred
    return differs.astype(np.float64)


@dataclass(frozen=True, eq=False)
class Moments(Statistic):
    """Rows, weight, squared weight, weighted mean, and the weighted central sums of order two and three.

    `q1` and `q2` are the central sums of order one and two with squared weights: they show how heavy the rows are whose
    values are far from the mean.
    """

    version = 2

    n: int
    weight: float
    squares: float
    mean: float
    m2: float
    m3: float
    q1: float
    q2: float

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
            n, m2, m3 = float(len(d)), float(square.sum()), float((square * d).sum())
            return cls(len(d), n, n, mean, m2, m3, float(d.sum()), m2)
        total = float(weights.sum())
        mean = float(weights @ values) / total
        d = values - mean
        wd = weights * d
        m2, m3 = float(wd @ d), float((wd * d) @ d)
        return cls(len(d), total, float(weights @ weights), mean, m2, m3, float(weights @ wd), float(wd @ wd))

    @classmethod
    def of_repeated(cls, values: Array, times: Array | None) -> Self:
        """The moments of numbers of which each occurs so many times."""
        assert times is not None
        return cls.of_values(values, times).as_repeated()

    def as_repeated(self) -> Self:
        """The same where weights are numbers of rows."""
        return replace(self, n=int(self.weight), squares=self.weight, q1=0.0, q2=self.m2)

    @classmethod
    def empty(cls) -> Self:
        """No rows; the mean is 0 by convention and carries no weight."""
        return cls(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def merge(self, other: Self) -> Self:
        """Pairwise update of the central sums (Chan, Golub and LeVeque 1983; Pebay 2008, eq. 2.1 and 2.2)."""
        if not self.weight or not other.weight:
            return self if self.weight else other
        a, b = self.weight, other.weight
        w, d = a + b, other.mean - self.mean
        shifts = (self, -d * b / w), (other, d * a / w)  # how far the means lie from the common one
        return type(self)(
            self.n + other.n,
            w,
            self.squares + other.squares,
            (a * self.mean + b * other.mean) / w,
            self.m2 + other.m2 + d * d * a * b / w,
            self.m3 + other.m3 + d * d * d * a * b * (a - b) / (w * w) + 3 * d * (a * other.m2 - b * self.m2) / w,
            sum(m.q1 + by * m.squares for m, by in shifts),
            sum(m.q2 + 2 * by * m.q1 + by * by * m.squares for m, by in shifts),
        )

    def scale(self, factor: int) -> Self:
        """The same mean with every sum times `factor`."""
        if not factor:
            return self.empty()
        k = factor
        sums = (x * k for x in (self.m2, self.m3, self.q1, self.q2))
        return type(self)(self.n * k, self.weight * k, self.squares * k, self.mean, *sums)

    @property
    def unit(self) -> float:
        """How heavy the rows are that make the values vary: Σw²c² / Σwc², c the distance from the mean.

        Few rows hardly show it, so that one more row is added, of a typical weight and as far from the mean as the
        rows that decide the spread. With equal weights it is the weight of a row.

        >>> Moments.of_values(np.array([0.0, 0.0, 3.0]), np.array([2.0, 2.0, 2.0])).unit
        2.0
        """
        typical = self.squares / self.weight
        far = max((self.m3 / self.m2) ** 2, self.m2 / self.weight) if self.m2 > 0 else 0.0
        return (self.q2 + typical**2 * far) / (self.m2 + typical * far) if far > 0 else typical

    @property
    def deciding(self) -> float:
        """How many rows determine the variance: this number of equally large values would have the same skewness.

        >>> round(Moments.of_values(np.r_[np.zeros(9997), [1.0, 1.0, 1.0]]).deciding, 2)
        3.0
        """
        return (self.m2 / self.m3) ** 2 * self.m2 * self.effective / self.weight if self.m3 else np.inf

    @property
    def effective(self) -> float:
        """Kish's effective sample size: n itself when every row weighs the same."""
        return self.weight**2 / self.squares if self.squares else 0.0


@dataclass(frozen=True, eq=False)
class Losses(Statistic):
    """The moments of the losses of predicted probabilities, and what is needed to estimate unseen losses.

    `wrong` is the weight of the rows whose true class was not the likeliest; `other` the mean loss had every row been
    of the other class. Which loss it is, a metric says, whose function makes it.
    """

    moments: Moments
    wrong: float
    other: float

    @classmethod
    def of_values(cls, losses: Array, other: Array, wrong: Array, weights: Array | None) -> Self:
        """From the loss of each row, its loss for the other class, and whether it was predicted wrong."""
        moments = Moments.of_values(losses, weights)
        if not moments.n:
            return cls.empty()
        mean = float(other.mean()) if weights is None else float(weights @ other) / moments.weight
        return cls(moments, float(np.count_nonzero(wrong) if weights is None else weights @ wrong), mean)

    @classmethod
    def empty(cls) -> Self:
        """No rows."""
        return cls(Moments.empty(), 0.0, 0.0)

    def merge(self, other: Self) -> Self:
        """Moments are merged, counts added, means weighted."""
        moments = self.moments.merge(other.moments)
        if not self.moments.weight or not other.moments.weight:
            return self if self.moments.weight else other
        mean = (self.moments.weight * self.other + other.moments.weight * other.other) / moments.weight
        return type(self)(moments, self.wrong + other.wrong, mean)

    def scale(self, factor: int) -> Self:
        """Every row `factor` times."""
        return type(self)(self.moments.scale(factor), self.wrong * factor, self.other) if factor else self.empty()

    def as_repeated(self) -> Self:
        """The same where weights are numbers of rows."""
        return replace(self, moments=self.moments.as_repeated())

    @property
    def n(self) -> int:
        """Rows."""
        return self.moments.n


FIRST_AND_SECOND = ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2))  # the orders of the moments that formulas look at
ORDERS = tuple((order - k, k) for order in (2, 3, 4) for k in range(order + 1))


@dataclass(frozen=True, eq=False)
class JointMoments(Statistic):
    """Two numbers per row: their means, then the joint central sums Σw(x-x̄)ʲ(y-ȳ)ᵏ in the order of ORDERS.

    `q1` and `q2` are the central sums of the second number with squared weights, as in `Moments`.
    """

    version = 2

    n: int
    weight: float
    squares: float
    sums: Array
    q1: float
    q2: float

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Of the truth and the error of one column of predictions."""
        assert batch.score is not None
        result = _native.regression(batch.truth, batch.score, batch.weights, [], True)
        return cls.of_kernel(result[0])

    @classmethod
    def of_kernel(cls, values: tuple[int, float, float, Array, float, float]) -> Self:
        """From what a native kernel returned."""
        return cls(*values)

    @classmethod
    def of_values(cls, x: Array, y: Array, weights: Array | None = None) -> Self:
        """Of two columns."""
        return cls.of_kernel(_native.joint_moments(x, y, weights))

    @classmethod
    def empty(cls) -> Self:
        """No rows; the means are 0 by convention and carry no weight."""
        return cls(0, 0.0, 0.0, np.zeros(2 + len(ORDERS)), 0.0, 0.0)

    def merge(self, other: Self) -> Self:
        """Both about their common mean, by the binomial theorem, and added."""
        if not self.weight or not other.weight:
            return self if self.weight else other
        weight = self.weight + other.weight
        to = self.sums[:2] + (other.sums[:2] - self.sums[:2]) * (other.weight / weight)
        sums = np.concatenate((to, self._about(to) + other._about(to)))
        shifts = [(m, float(m.sums[1] - to[1])) for m in (self, other)]
        q1 = sum(m.q1 + by * m.squares for m, by in shifts)
        q2 = sum(m.q2 + 2 * by * m.q1 + by * by * m.squares for m, by in shifts)
        return type(self)(self.n + other.n, weight, self.squares + other.squares, sums, q1, q2)

    def _about(self, point: Array) -> Array:
        dx, dy = self.sums[:2] - point
        central = {(0, 0): self.weight} | dict(zip(ORDERS, self.sums[2:].tolist(), strict=True))
        shifted = [
            sum(comb(j, a) * comb(k, b) * dx ** (j - a) * dy ** (k - b) * central.get((a, b), 0.0)
                for a in range(j + 1) for b in range(k + 1))
            for j, k in ORDERS
        ]  # fmt: skip
        return np.array(shifted)

    def scale(self, factor: int) -> Self:
        """The same means with every sum times `factor`."""
        if not factor:
            return self.empty()
        sums = np.concatenate((self.sums[:2], self.sums[2:] * factor))
        counts = self.n * factor, self.weight * factor, self.squares * factor
        return type(self)(*counts, sums, self.q1 * factor, self.q2 * factor)

    @lazy
    def _means(self) -> dict[tuple[int, int], float]:
        own = zip(ORDERS, (self.sums[2:] / self.weight).tolist(), strict=True)
        return {(0, 0): 1.0, (1, 0): 0.0, (0, 1): 0.0, **dict(own)}

    def central(self, j: int, k: int) -> float:
        """The mean of (x-x̄)ʲ(y-ȳ)ᵏ; of a kernel that stops at the second order, NaN beyond it."""
        return self._means[j, k]

    @lazy
    def first_and_second(self) -> Array:
        """What formulas look at: the means, and the mean central products of the second order; NaN of no rows."""
        x, y, *second = self.sums[:5].tolist()
        return np.array((x, y, *(each / self.weight if self.n else np.nan for each in second)))

    @lazy
    def spread(self) -> Array:
        """How the two numbers of a row, their squares and their product vary together."""
        of, orders = self._means, FIRST_AND_SECOND
        return np.array([[of[a + c, b + d] - of[a, b] * of[c, d] for c, d in orders] for a, b in orders])

    def of_second(self) -> Moments:
        """The moments of the second number alone."""
        sums = dict(zip(ORDERS, self.sums[2:].tolist(), strict=True))
        counts = self.n, self.weight, self.squares
        return Moments(*counts, float(self.sums[1]), sums[0, 2], sums[0, 3], self.q1, self.q2)

    @property
    def effective(self) -> float:
        """Kish's effective sample size."""
        return self.weight**2 / self.squares if self.squares else 0.0
