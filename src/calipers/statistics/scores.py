"""Two sorted samples: the scores of the positives and of the negatives hold everything about a binary scorer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from calipers import _native
from calipers.cached import is_known, lazy
from calipers.errors import InputError, not_a_number
from calipers.settings import Label
from calipers.statistics.base import Array, Statistic
from calipers.statistics.confusion import ConfusionCounts, Four, OneVsRest
from calipers.statistics.moments import Losses, Moments
from calipers.statistics.portable import FOUND
from calipers.statistics.probability_losses import losses, surprise
from calipers.statistics.repeats import occurring
from calipers.statistics.sorting import Groups, cuts_at, merged_samples, sorted_columns, sorted_samples

if TYPE_CHECKING:
    from calipers.data.batch import Batch

MOST_ROWS = 2**31 - 1  # that one walk in memory takes; files are walked bucket by bucket, and have no limit
TOP = "TopScores"  # the name of the samples of the top class, which are kept beside others


@dataclass(frozen=True, eq=False)
class ScoreSamples(Statistic):
    """Ascending scores of the positives and of the negatives, with weights beside them when given.

    together: several metrics will be read, so that one walk is to serve them all. area: what the sort found of it.
    groups: the distinct scores with their numbers of rows, where the sort counted them.
    """

    pos: Array
    neg: Array
    pos_weights: Array | None
    neg_weights: Array | None
    together: bool = field(default=False, repr=False, kw_only=True, metadata=FOUND)
    area: _native.Walk | None = field(default=None, repr=False, kw_only=True, metadata=FOUND)
    groups: Groups | None = field(default=None, repr=False, kw_only=True, metadata=FOUND)

    @classmethod
    def of(cls, batch: Batch, *, together: bool = False) -> Self:
        """Split the scores by class and sort each part."""
        assert batch.score is not None
        assert batch.positive is not None
        columns = batch.score, batch.truth, batch.positive, batch.weights, batch.names.score
        return cls.split(*columns, together=together)

    @classmethod
    def of_many(cls, batch: Batch) -> Self:
        """The same when several metrics will be read."""
        return cls.of(batch, together=True)

    @classmethod
    def of_top(cls, batch: Batch) -> Self:
        """The score of the top class, positive where that class is the true one."""
        assert batch.scan is not None
        assert batch.score is not None
        top = batch.score[np.arange(len(batch)), batch.scan.top]
        return cls.split(top, (batch.scan.top == batch.truth).view(np.uint8), 1, batch.weights)

    @classmethod
    def split(
        cls, scores: Array, codes: Array, positive: int, weights: Array | None, name: str = "score", *,
        together: bool = False,
    ) -> Self:  # fmt: skip
        """Positive are the rows whose code is `positive`.

        NaN is found here and not in the batch, because the split reads every score anyway.
        """
        _check_rows(len(scores))
        got = sorted_samples(scores, codes, positive, weights)
        if got.nans:
            raise not_a_number(got.nans, got.first_nan, name)
        return cls(got.pos, got.neg, got.pos_weights, got.neg_weights, together=together, groups=got.groups)

    @classmethod
    def of_columns(cls, scores: Array, codes: Array, weights: Array | None) -> tuple[Self, ...]:
        """Each column of a matrix: positive are the rows whose code is its number, or whose own code there is 1."""
        out = []
        for column in sorted_columns(scores, codes, weights):
            if column.nans:
                raise not_a_number(column.nans, column.first_nan)
            out.append(cls(*column[:4], area=column.area))
        return tuple(out)

    @classmethod
    def empty(cls) -> Self:
        """No scores."""
        none = np.zeros(0)
        return cls(none, none, None, None)

    def merge(self, other: Self) -> Self:
        """Merge the sorted samples."""
        return self.merge_many([other])

    def merge_many(self, others: Sequence[Self]) -> Self:
        """The same of any number, at once where rows have no weights."""
        parts = [self, *others]
        _check_rows(sum(len(part.pos) + len(part.neg) for part in parts))
        filled = [part for part in parts if len(part.pos) or len(part.neg)] or [self]
        weighted = any(part.pos_weights is not None for part in filled)
        dtype = np.result_type(*(part.pos for part in filled))  # of both classes, as a part may lack one
        pos, pos_weights = merged_samples([(part.pos, part.pos_weights) for part in filled], weighted, dtype)
        neg, neg_weights = merged_samples([(part.neg, part.neg_weights) for part in filled], weighted, dtype)
        return type(self)(pos, neg, pos_weights, neg_weights, together=any(part.together for part in parts))

    def scale(self, factor: int) -> Self:
        """Every score `factor` times."""
        weights = (None if w is None else np.repeat(w, factor) for w in (self.pos_weights, self.neg_weights))
        return type(self)(np.repeat(self.pos, factor), np.repeat(self.neg, factor), *weights)

    def summary(self, fences: tuple[float, ...], budget: int, others: Sequence[Self] = ()) -> Statistic:
        """A sketch of the scores, which need not be merged for it."""
        from calipers.statistics.sketch import ScoreSketch
        return ScoreSketch.of_samples(self, budget, fences, others)

    def row_arrays(self) -> Iterator[Array]:
        """The scores."""
        yield from (self.pos, self.neg)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.pos) + len(self.neg)

    @property
    def repeated(self) -> bool:
        """Whether weights are numbers of rows."""
        return False

    @lazy
    def positives(self) -> float:
        """Weight of the positive rows."""
        return float(len(self.pos) if self.pos_weights is None else self._totals[0, 0])

    @lazy
    def negatives(self) -> float:
        """Weight of the negative rows."""
        return float(len(self.neg) if self.neg_weights is None else self._totals[1, 0])

    @property
    def class_rows(self) -> tuple[float, float]:
        """How many rows each class has."""
        return float(len(self.pos)), float(len(self.neg))

    def halved(self, random: np.random.Generator) -> tuple[ScoreSamples, ScoreSamples]:
        """The rows of each class in two random halves, which stay sorted."""
        pos, neg = random.random(len(self.pos)) < 0.5, random.random(len(self.neg)) < 0.5
        return self._part(pos, neg), self._part(~pos, ~neg)

    def _part(self, pos: Array, neg: Array) -> ScoreSamples:
        weights = (self.pos_weights, pos), (self.neg_weights, neg)
        return ScoreSamples(self.pos[pos], self.neg[neg], *(None if w is None else w[mask] for w, mask in weights))

    @lazy
    def effective(self) -> tuple[float, float]:
        """Effective numbers of positive and negative rows, (sum w)^2 / sum w^2 (Kish)."""
        if self.pos_weights is None or self.neg_weights is None:
            return self.class_rows
        weight, squares = self._totals.T
        pos, neg = np.divide(weight**2, squares, out=np.zeros(2), where=squares > 0).tolist()
        return pos, neg

    @lazy
    def _totals(self) -> Array:
        """The weight of each class and the sum of its squares, in one pass over each."""
        sides = (self.pos, self.pos_weights), (self.neg, self.neg_weights)
        return np.array([_native.bin_sums(values, weights, [0, len(values)])[:2, 0] for values, weights in sides])

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest score; (inf, -inf) when there is none."""
        ends = [part[i] for part in (self.pos, self.neg) if len(part) for i in (0, -1)]
        return (float(min(ends)), float(max(ends))) if ends else (np.inf, -np.inf)

    @property
    def probabilities(self) -> bool:
        """Whether every score could be a probability."""
        low, high = self.range
        return low >= 0 and high <= 1

    @lazy
    def walk(self) -> _native.Walk:
        """Everything that one walk over the two samples gives."""
        if self.pos_weights is None or self.neg_weights is None:
            return self._walked(full=True)
        return _native.walk_weighted(self.pos, self.neg, self.pos_weights, self.neg_weights)

    @lazy
    def occurring(self) -> Array:
        """How many pairs of class and score occur 0, 1, 2, ... times; the last number is of those and more."""
        return occurring(self.pos, self.neg)

    @lazy
    def areas(self) -> _native.Walk:
        """The part of the walk that the ROC area needs, at about half the price."""
        if self.area is not None:
            return self.area
        if self.together or self.pos_weights is not None or is_known(self, "walk"):
            return self.walk
        return self._walked(full=False)

    def _walked(self, *, full: bool) -> _native.Walk:
        """The same bits from rows and from groups, which are fewer."""
        if self.groups is not None:
            return _native.walk_groups(*self.groups, full)
        return _native.walk(self.pos, self.neg, full)

    @lazy
    def losses(self) -> tuple[Losses, Losses]:
        """The log loss and the squared error of the probabilities."""
        if self.groups is None:
            return losses(self.pos, self.neg, self.pos_weights, self.neg_weights)
        scores, *counts = self.groups
        log, square = losses(scores, scores, *(count.astype(np.float64) for count in counts))
        return log.as_repeated(), square.as_repeated()

    @lazy
    def surprise(self) -> tuple[float, float]:
        """The squared error less its expected value under calibration, and the variance of this difference."""
        return surprise((self.pos, self.pos_weights, 1.0), (self.neg, self.neg_weights, 0.0))

    def moments(self, pos: Array, neg: Array) -> Moments:
        """The moments of a number that each positive and each negative has."""
        return Moments.of_values(pos, self.pos_weights).merge(Moments.of_values(neg, self.neg_weights))

    def restated(self, prevalence: float) -> Self:
        """The same scores within each class, in a population where positives have this prevalence."""
        if not self.positives or not self.negatives:
            raise InputError("statistics.restated_without_class")
        total = self.positives + self.negatives
        up, down = prevalence * total / self.positives, (1 - prevalence) * total / self.negatives
        pos = np.full(len(self.pos), up) if self.pos_weights is None else self.pos_weights * up
        neg = np.full(len(self.neg), down) if self.neg_weights is None else self.neg_weights * down
        return type(self)(self.pos, self.neg, pos, neg)

    def at(self, threshold: float) -> OneVsRest:
        """The four counts when `score >= threshold` is called positive."""
        tp, fn, tp2, fn2 = _above(self.pos, self.pos_weights, threshold)
        fp, tn, fp2, tn2 = _above(self.neg, self.neg_weights, threshold)
        return OneVsRest(tp, fp, fn, tn, None if self.pos_weights is None else Four(tp2, fp2, fn2, tn2))

    def confusion(self, threshold: float, values: tuple[Label, ...], positive: int) -> ConfusionCounts:
        """The confusion matrix at a threshold."""
        return self.table(self.at(threshold), values, positive)

    def table(self, c: OneVsRest, values: tuple[Label, ...], positive: int) -> ConfusionCounts:
        """The confusion matrix of these rows with four counts."""

        def table(tp: Array, fp: Array, fn: Array, tn: Array) -> Array:
            return np.array([[tn, fp], [fn, tp]] if positive else [[tp, fn], [fp, tn]])

        cells = table(*c.counts)
        if c.squares is None:
            return ConfusionCounts(values, cells.astype(np.int64), None, self.rows)
        return ConfusionCounts(values, cells, table(*c.squares), self.rows)

    def sums_between(self, edges: Array, closed: str = "left") -> tuple[Array, Array]:
        """By class and bin: weight, squared weight, and the weighted sums of the scores and of their squares."""
        if self.groups is None:
            pos = _native.bin_sums(self.pos, self.pos_weights, cuts_at(self.pos, edges, closed))
            return pos, _native.bin_sums(self.neg, self.neg_weights, cuts_at(self.neg, edges, closed))
        scores, *counts = self.groups
        cuts = cuts_at(scores, edges, closed)
        pos, neg = (_native.bin_sums(scores, count.astype(np.float64), cuts) for count in counts)
        pos[1], neg[1] = pos[0], neg[0]  # each row has weight 1
        return pos, neg

    def sweep(self, corners: bool, floats: bool = False) -> tuple[Array, Array, Array]:
        """Thresholds from +inf down, with TP and FP at each; `corners` drops points inside straight ROC segments."""
        return _native.sweep(self.pos, self.neg, self.pos_weights, self.neg_weights, corners, floats)

    def roc(self, corners: bool) -> tuple[Array, Array, Array]:
        """The sweep with TP and FP as shares of their classes."""
        return _native.roc(self.pos, self.neg, self.pos_weights, self.neg_weights, corners)

    def precision_recall(self, rising: bool = False) -> tuple[Array, Array, Array]:
        """Distinct scores from the highest down, with recall and precision; or rising, and then the point (0, 1)."""
        return _native.precision_recall(self.pos, self.neg, self.pos_weights, self.neg_weights, rising)


def _check_rows(rows: int) -> None:
    if rows > MOST_ROWS:
        raise InputError("statistics.too_many_rows", rows=rows, most=MOST_ROWS)


def _above(values: Array, weights: Array | None, threshold: float) -> Array:
    """Weight at or above the threshold and below it, and the same of squared weights."""
    # A score of 0.7 in single precision counts as 0.7.
    below = int(np.searchsorted(values, values.dtype.type(threshold)))
    if weights is None:
        return np.array([len(values) - below, below] * 2, np.float64)
    weight, squares = _native.bin_sums(values, weights, [0, below, len(values)])[:2]
    return np.concatenate((weight[::-1], squares[::-1]))
