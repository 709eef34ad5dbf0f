"""The rows themselves, for what has no small statistic: medians, and losses against a median."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from calipers import _native
from calipers.cached import lazy
from calipers.data.batch import MEANS
from calipers.statistics.base import Array, Statistic, joined
from calipers.statistics.combine import Evidence
from calipers.statistics.losses import Loss
from calipers.statistics.moments import JointMoments
from calipers.statistics.portable import FOUND
from calipers.statistics.scores import ScoreSamples

if TYPE_CHECKING:
    from calipers.data.batch import Batch

SAMPLED = 50_000  # rows from which on a sample says where to look for a median


@dataclass(eq=False)
class Found:
    """What passes over rows have found of them so far. Numbers, so that copies of the rows can share it.

    mean and median: of the truth. least: the least true and predicted value. against_best: losses of the best single
    answer and of the predictions, jointly.
    """

    mean: float | None = None
    median: float | None = None
    least: tuple[float, float] | None = None
    against_best: dict[Loss, JointMoments] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Rows(Statistic):
    """True and predicted numbers, one column or several, and weights. Unbounded: it grows with the rows."""

    truth: Array
    predictions: Array
    weights: Array | None
    found: Found = field(default_factory=Found, repr=False, kw_only=True, metadata=FOUND)

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Keep the rows. They are copied, once, because the caller may change the arrays afterwards."""
        assert batch.score is not None
        if cls not in batch.cache:
            batch.cache[cls] = cls._with(batch, *_copied(batch.truth, batch.score))
        rows: Self = batch.cache[cls]
        return rows

    @classmethod
    def is_kept(cls, batch: Batch) -> bool:
        """Whether the rows of a batch were kept before."""
        return cls in batch.cache

    @classmethod
    def borrowed(cls, batch: Batch) -> Self:
        """The rows where the caller has them."""
        assert batch.score is not None
        return cls._with(batch, batch.truth, batch.score)

    @classmethod
    def _with(cls, batch: Batch, truth: Array, predictions: Array) -> Self:
        weights = None if batch.weights is None else batch.weights.copy()
        mean = batch.cache[MEANS][0] if MEANS in batch.cache else None
        return cls(truth, predictions, weights, found=Found(mean))

    def keep(self, batch: Batch, copies: Array) -> None:
        """Let the batch have copies of these rows, which know what these have found out."""
        batch.cache[type(self)] = replace(self, truth=copies[0], predictions=copies[1])

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
            np.concatenate((self.predictions, other.predictions)),
            joined(self.weights, other.weights, self.n, other.n),
        )

    def scale(self, factor: int) -> Self:
        """Every row `factor` times."""
        weights = None if self.weights is None else np.repeat(self.weights, factor)
        return type(self)(np.repeat(self.truth, factor, 0), np.repeat(self.predictions, factor, 0), weights)

    def row_arrays(self) -> Iterator[Array]:
        """Truth and predictions."""
        yield from (self.truth, self.predictions)

    def summary(self, fences: tuple[float, ...], budget: int, others: Sequence[Self] = ()) -> Statistic:
        """The sizes of the errors by cells, for medians; of several numbers per row, those of each.

        Medians count rows: of rows with weights there are no cells.
        """
        if others:
            return self.merge_many(others).summary(fences, budget)
        sizes = np.abs(self.predictions - self.truth.astype(np.float64))
        if self.weights is not None:
            sizes = sizes[:0]
        if sizes.ndim == 1:
            return _summary_of(sizes, budget)
        return Evidence({str(k): _summary_of(column, budget) for k, column in enumerate(sizes.T)})

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
        return Rows(self.truth[:, k], self.predictions[:, k], self.weights)

    @lazy
    def errors(self) -> Array:
        """The size of the error of each row."""
        apart = self.predictions - self.truth.astype(np.float64, copy=False)
        return np.asarray(np.abs(apart, out=apart))

    @lazy
    def centre(self) -> Centre:
        """The errors around their median, in order: one search serves the median and its bounds."""
        return Centre.of(self.truth, self.predictions)

    @property
    def mean(self) -> float:
        """The mean of the truth, without weights."""
        if self.found.mean is None:
            self.found.mean = _native.means(self.truth, self.truth)[0]
        return self.found.mean

    @property
    def median(self) -> float:
        """The median of the truth."""
        if self.found.median is None:
            self.found.median = quantile(self.truth, 0.5, self.weights)
        return self.found.median

    @property
    def least(self) -> tuple[float, float]:
        """The least true and the least predicted value."""
        if self.found.least is None:
            self.found.least = float(self.truth.min()), float(self.predictions.min())
        return self.found.least

    def best(self, loss: Loss) -> float:
        """The one answer that is best for a loss: the mean for deviances, a quantile for pinball and absolute loss."""
        if not self.n:
            return np.nan
        if loss.kind == "tweedie":
            return self.mean if self.weights is None else float(np.average(self.truth, weights=self.weights))
        share = loss.parameter if loss.kind == "pinball" else 0.5
        return self.median if share == 0.5 else quantile(self.truth, share, self.weights)

    def against_best(self, loss: Loss) -> JointMoments:
        """The loss of the best single answer and that of the predictions, jointly to the second order."""
        if not self.n:
            return JointMoments.empty()
        known = self.found.against_best
        if loss not in known:
            kinds, answers = [(loss.kind, float(loss.parameter))], [(0, self.best(loss))]
            result = _native.regression(self.truth, self.predictions, self.weights, kinds, False, answers)
            known[loss] = JointMoments.of_kernel(result[4][0])
        return known[loss]


@dataclass(frozen=True, eq=False)
class Centre:
    """The sizes of errors, of which those around the median are in order; `start` come before them."""

    truth: Array
    predicted: Array
    start: int
    middle: Array

    @classmethod
    def of(cls, truth: Array, predicted: Array) -> Self:
        """Order as many as the bounds of a median can need at any level up to 99.7%."""
        n = len(truth)
        reach = int(1.5 * n**0.5) + 2
        low, high = max(0, n // 2 - reach), min(n - 1, n // 2 + reach)
        return cls(truth, predicted, low, between(truth, low, high, predicted))

    def ranked(self, rank: int) -> float:
        """The value of this rank, the least with rank 1."""
        at = rank - 1 - self.start
        inside = 0 <= at < len(self.middle)
        return float(self.middle[at] if inside else between(self.truth, rank - 1, rank - 1, self.predicted)[0])

    @property
    def median(self) -> float:
        """The middle value, or the mean of the middle two."""
        n = len(self.truth)
        return (self.ranked((n + 1) // 2) + self.ranked(n // 2 + 1)) / 2


def between(values: Array, low: int, high: int, other: Array | None = None) -> Array:
    """The values of ranks low to high, counted from 0, in order; with another column, of the sizes of differences.

    A sample gives two values between which they lie, and one pass collects those in between: a partition takes longer
    than the vectorised sort of NumPy, and this a tenth of it. With a bad sample, in rows that repeat a pattern,
    everything is sorted.

    >>> between(np.array([5.0, 1.0, 4.0, 2.0]), 1, 2), between(np.array([5.0, 1.0]), 0, 0, np.array([3.0, 4.0]))
    (array([2., 4.]), array([2.]))
    """
    n = len(values)
    if n >= SAMPLED:
        sample = np.sort(_sizes(values, other, n // 8192))
        m, spare = len(sample), 1.6 * len(sample) ** 0.5 + 1  # misses the median once in a thousand times
        first, last = sample[max(0, int(low / n * m - spare))], sample[min(m - 1, int(high / n * m + spare))]
        below, inside = _native.pick(values, other, first, last)
        if below <= low and high < below + len(inside):
            return np.sort(inside)[low - below : high - below + 1]
    return np.sort(_sizes(values, other))[low : high + 1]


def _copied(truth: Array, predicted: Array) -> tuple[Array, Array]:
    if truth.ndim == 1 and truth.dtype == predicted.dtype and truth.dtype.isnative:
        truth, predicted = _native.copied(truth, predicted)
        return truth, predicted
    return truth.copy(), predicted.copy()


def _sizes(values: Array, other: Array | None, step: int = 1) -> Array:
    """Every so many of the values, or of the sizes of their differences from another column."""
    values = values[::step].astype(np.float64, copy=False)
    return values if other is None else np.abs(other[::step] - values)


def quantile(values: Array, share: float, weights: Array | None = None) -> float:
    """The number that this share of the rows does not exceed; the mean of two where the share falls between them.

    Of weighted rows, the inverse of their distribution, averaged where it is flat: whole weights are repetitions.

    >>> quantile(np.array([4.0, 1.0, 3.0, 2.0]), 0.5), quantile(np.array([1.0, 2.0]), 0.5, np.array([3.0, 1.0]))
    (2.5, 1.0)
    """
    if weights is None:
        goal = share * len(values)
        whole = abs(goal - round(goal)) < 1e-9 * max(1, len(values))
        first = max((round(goal) if whole else int(np.ceil(goal))) - 1, 0)
        second = min(first + (whole and goal > 0.5), len(values) - 1)
        middle = between(values, first, int(second))
        return float((middle[0] + middle[-1]) / 2)
    values = values.astype(np.float64, copy=False)
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    goal = share * below[-1]
    slack = 1e-12 * below[-1]  # sums of weights that should meet the goal miss it by rounding
    first = min(int(np.searchsorted(below, goal - slack)), len(order) - 1)
    second = min(int(np.searchsorted(below, goal + slack, "right")), len(order) - 1)
    return float((values[order[first]] + values[order[second]]) / 2)


def _summary_of(sizes: Array, budget: int) -> Statistic:
    """The sizes of errors, as scores of positives."""
    return ScoreSamples(np.sort(sizes), np.zeros(0), None, None).summary((), budget)
