"""Scores of many classes or labels: one-vs-rest samples, pooled samples and class pairs come from the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from calipers import _native
from calipers.cached import lazy
from calipers.errors import InputError
from calipers.settings import Label
from calipers.statistics.base import Array, Statistic, joined
from calipers.statistics.scores import ScoreSamples

if TYPE_CHECKING:
    from calipers.data.batch import Batch


def class_shares(average: str | None, defined: Array, totals: Array) -> Array:
    """What each class counts in an average of those that are defined: the same, or by its rows."""
    shares = defined * (totals if average == "weighted" else 1.0)
    return shares / (shares.sum() or 1.0)


@dataclass(frozen=True, eq=False)
class ClassScores(Statistic):
    """An n x K matrix of scores, with the true class of each row (codes) or its true labels (n x K of 0/1).

    Rows stay together, although one sorted sample a column would serve the values: the interval of a macro average
    needs to know that the K scores of one row are dependent. Columns are sorted when a formula asks.
    """

    labels: tuple[Label, ...]
    truth: Array
    scores: Array
    weights: Array | None

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Keep the rows. They are copied, because the caller may change the arrays afterwards."""
        assert batch.score is not None
        weights = None if batch.weights is None else batch.weights.copy()
        return cls(batch.labels, batch.truth.copy(), batch.score.copy(), weights)

    @classmethod
    def empty(cls) -> Self:
        """No classes, no rows."""
        return cls((), np.zeros(0, np.uint8), np.zeros((0, 0)), None)

    def merge(self, other: Self) -> Self:
        """One set of rows after the other."""
        if not self.labels or not other.labels:
            return other if not self.labels else self
        if self.labels != other.labels:
            raise InputError("statistics.other_classes", mine=list(self.labels), theirs=list(other.labels))
        return type(self)(
            self.labels,
            np.concatenate((self.truth, other.truth)),
            np.concatenate((self.scores, other.scores)),
            joined(self.weights, other.weights, self.rows, other.rows),
        )

    def scale(self, factor: int) -> Self:
        """Every row `factor` times."""
        weights = None if self.weights is None else np.repeat(self.weights, factor)
        return type(self)(self.labels, np.repeat(self.truth, factor, 0), np.repeat(self.scores, factor, 0), weights)

    def summary(self, fences: tuple[float, ...], budget: int, others: Sequence[Self] = ()) -> Statistic:
        """A sketch of each column."""
        from calipers.statistics.class_sketches import ClassSketches
        return ClassSketches.of_scores(self.merge_many(others), budget, fences)

    def row_arrays(self) -> Iterator[Array]:
        """The scores and the classes."""
        yield from (self.scores, self.truth)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.scores)

    @lazy
    def weight_sums(self) -> tuple[float, float]:
        """The sums of the weights of all rows, and of their squares."""
        if self.weights is None:
            return float(self.rows), float(self.rows)
        return float(self.weights.sum()), float(self.weights @ self.weights)

    def is_true(self, k: int) -> Array:
        """Whether each row is of class k, or carries label k."""
        return self.truth == k if self.truth.ndim == 1 else self.truth[:, k].astype(bool)

    @lazy
    def columns(self) -> tuple[ScoreSamples, ...]:
        """Each class against the rest."""
        codes = self.truth if self.truth.ndim == 1 else self.truth.view(np.uint8)
        return ScoreSamples.of_columns(self.scores, codes, self.weights)

    @lazy
    def pooled(self) -> ScoreSamples:
        """Every (row, class) pair as one binary decision, for micro averages."""
        k = len(self.labels)
        truth = np.equal.outer(self.truth, np.arange(k)) if self.truth.ndim == 1 else self.truth
        weights = None if self.weights is None else np.repeat(self.weights, k)
        return ScoreSamples.split(self.scores.reshape(-1), truth.reshape(-1).view(np.uint8), 1, weights)

    @lazy
    def pairs(self) -> Array:
        """Entry [k, j]: how often a row of class k outscores one of class j in column k, ties counting one half."""
        return _native.pair_counts(self.scores, self.truth, self.weights)

    @lazy
    def totals(self) -> Array:
        """Weight of the true rows of each class."""
        if self.truth.ndim == 1:
            return _native.bincount(self.truth, len(self.labels), self.weights).astype(np.float64)
        return self.truth.sum(0, np.float64) if self.weights is None else self.weights @ self.truth

    def influence(self, of_column: Callable[[ScoreSamples, Array, Array], Array], shares: Array) -> Array:
        """Influence of each row on a weighted mean over the classes of a measure of one column."""
        total = np.zeros(self.rows)
        for k in np.flatnonzero(shares).tolist():
            total += shares[k] * of_column(self.columns[k], self.scores[:, k], self.is_true(k))
        return total
