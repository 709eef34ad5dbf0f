"""Scores in bounded memory: exact counts while the distinct scores are few, and cells with bounds beyond that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calipers import _native
from calipers.cached import given, lazy
from calipers.errors import InputError
from calipers.statistics.base import Array, Statistic
from calipers.statistics.counted import CountedSamples
from calipers.statistics.moments import Losses
from calipers.statistics.scores import ScoreSamples
from calipers.statistics.sorting import cuts_at
from calipers.statistics.walked import Walked, WalkedSamples

if TYPE_CHECKING:
    from calipers.data.batch import Batch

BUDGET = 1 << 16  # cells
LEAST = 32  # cells of the smallest budget
UNLIMITED = 1 << 62  # the budget of a sketch without rows
PER_FENCE = 128  # additional cells per fence: one on each side for each bit of a score
# The usual threshold, and the edges of the usual bins: counts on both sides of them stay exact.
FENCES = (0.5, *(k / 15 for k in range(1, 15)), *(k / 10 for k in range(1, 10) if k != 5))


@dataclass(frozen=True, eq=False)
class ScoreSketch(Statistic):
    """Cells of scores: `pos` positives and `neg` negatives have scores from `low` to `high`, both of which occur.

    While the distinct scores fit the budget, each has a cell of its own and everything is exact. Merging then joins
    neighbouring cells, and their counts, so that at most `budget` cells remain. No cell reaches over one of the
    `fences`, as many of which are kept as the budget allows. `losses`: log loss and squared error of all rows, which
    are always exact; None where some score is not a probability. `walked`: what an exact walk over all scores found,
    where there was one; it says nothing of these rows and others together, so that a merge drops it. `weights`: of rows
    with weights, for positives and for negatives, the sums of the weights in each cell and of their second and fourth
    powers.
    """

    version = 3

    low: Array
    high: Array
    pos: Array
    neg: Array
    budget: int
    fences: tuple[float, ...]
    losses: tuple[Losses, Losses] | None = field(repr=False)
    walked: Walked | None = field(default=None, repr=False)
    weights: Array | None = field(default=None, repr=False)

    @classmethod
    def of(cls, batch: Batch, budget: int = BUDGET, fences: Iterable[float] = FENCES) -> Self:
        """The scores of the positive class."""
        return cls.of_samples(ScoreSamples.of(batch), budget, fences)

    @classmethod
    def of_samples(
        cls,
        samples: ScoreSamples,
        budget: int = BUDGET,
        fences: Iterable[float] = FENCES,
        others: Sequence[ScoreSamples] = (),
    ) -> Self:
        """The scores of two sorted samples, and of all others: the cells of the merged samples, which are not made."""
        if budget < LEAST:
            raise InputError("statistics.sketch_too_small", budget=budget, least=LEAST)
        every = [part for part in (samples, *others) if part.rows] or [samples]
        dtype = np.result_type(*(part.pos for part in every))
        every = [_of_type(part, dtype) for part in every]
        kept = tuple(dict.fromkeys(float(dtype.type(x)) for x in fences))  # 0.7 in single precision differs from 0.7
        kept = affordable(kept, budget)
        low, high, positives, negatives = _native.count_scores(
            [part.pos for part in every], [part.neg for part in every], budget, np.array(kept)
        )
        low, high = low.astype(dtype, copy=False), high.astype(dtype, copy=False)
        losses = None
        if all(part.probabilities for part in every):
            losses = merged_losses([part.losses for part in every])
        weights = None
        if any(part.pos_weights is not None for part in every):
            weights = np.sum([_weights_in(part, low) for part in every], 0)
        return cls(low, high, positives, negatives, budget, kept, losses, None, weights)

    @classmethod
    def empty(cls) -> Self:
        """No scores."""
        none, zero = np.zeros(0), np.zeros(0, np.int64)
        return cls(none, none, zero, zero, UNLIMITED, (), (Losses.empty(), Losses.empty()))

    def merge(self, other: Self) -> Self:
        """The cells of both, joined where they are more than the smaller budget."""
        return self.merge_many([other])

    def merge_many(self, others: Sequence[Self]) -> Self:
        """The same of any number, which are joined once."""
        every = [self, *others]
        budget, filled = min(each.budget for each in every), [each for each in every if each.rows] or [self]
        if len(filled) == 1:
            return filled[0].within(budget)
        first, *rest = filled
        shared = tuple(x for x in first.fences if all(x in each.fences for each in rest))
        pairs = [each.losses for each in filled if each.losses is not None]
        losses = merged_losses(pairs) if len(pairs) == len(filled) else None
        return self._joined(filled, budget, affordable(shared, budget), losses)

    def scale(self, factor: int) -> Self:
        """Every count times `factor`."""
        if not factor:
            return replace(self.empty(), budget=self.budget)
        losses = None if self.losses is None else (self.losses[0].scale(factor), self.losses[1].scale(factor))
        weights = None if self.weights is None else self.weights * factor
        pos, neg = self.pos * factor, self.neg * factor
        return replace(self, pos=pos, neg=neg, losses=losses, walked=None, weights=weights)

    def all_sketches(self) -> Iterator[ScoreSketch]:
        """The sketch itself."""
        yield self

    def within(self, budget: int) -> Self:
        """The same rows in at most so many cells, now and after every merge."""
        fences = affordable(self.fences, budget)
        if len(self.low) <= budget:
            return replace(self, budget=budget, fences=fences)
        return replace(self._joined([self], budget, fences, self.losses), walked=self.walked)

    @classmethod
    def _joined(
        cls, every: Sequence[Self], budget: int, fences: tuple[float, ...], losses: tuple[Losses, Losses] | None
    ) -> Self:
        """The cells of all, in at most so many."""
        cells, places = _native.merge_cells([each._cells for each in every], budget, np.array(fences))
        dtype = np.result_type(*(each.low for each in every))
        low, high = (end.astype(dtype, copy=False) for end in cells[:2])
        weights = None
        if any(each.weights is not None for each in every):
            weights = placed_weights(np.concatenate([each._weights for each in every], -1), places, len(low))
        return cls(low, high, *cells[2:], budget, fences, losses, None, weights)

    @property
    def _weights(self) -> Array:
        """The weights in each cell; those of rows without are 1."""
        return np.repeat(np.stack((self.pos, self.neg))[:, None], 3, 1) if self.weights is None else self.weights

    @property
    def _cells(self) -> _native._Cells:
        double = np.float64
        return self.low.astype(double, copy=False), self.high.astype(double, copy=False), self.pos, self.neg

    @lazy
    def rows(self) -> int:
        """Number of rows."""
        return int(self.pos.sum() + self.neg.sum())

    @lazy
    def weight_sums(self) -> tuple[float, float]:
        """The sums of the weights of positives, and of their squares."""
        if self.weights is None:
            return float(self.pos.sum()), float(self.pos.sum())
        weight, square, _ = self.weights[0].sum(1).tolist()
        return weight, square

    @lazy
    def masses(self) -> tuple[Array, Array]:
        """What the positives and the negatives in each cell weigh; without weights, how many they are."""
        return (self.pos, self.neg) if self.weights is None else (self.weights[0, 0], self.weights[1, 0])

    @lazy
    def exact(self) -> bool:
        """Whether each distinct score has a cell of its own."""
        return self.weights is None and self.ordered

    @lazy
    def ordered(self) -> bool:
        """Whether the order of all rows is known; what cells keep of weights does not serve every interval."""
        return bool((self.low == self.high).all())

    def knows(self, threshold: float) -> bool:
        """Whether the counts at a threshold are exact because a walk counted them."""
        return self.walked is not None and self.walked.below_at(float(self.low.dtype.type(threshold))) is not None

    @lazy
    def middle(self) -> CountedSamples:
        """Every row at the middle of its cell; the scores themselves where the sketch is exact.

        After a walk at the lower end, so that the counts at each of these scores are exact.
        """
        if self.walked is not None:
            samples = self._placed(self.low, self.low, WalkedSamples)
            assert isinstance(samples, WalkedSamples)
            return samples.with_walk(self.walked)
        with np.errstate(all="ignore"):
            middle = np.nan_to_num(self.low / 2 + self.high / 2, nan=0.0, posinf=np.inf, neginf=-np.inf)
        return self._placed(middle.clip(self.low, self.high), middle.clip(self.low, self.high))

    @lazy
    def best(self) -> CountedSamples:
        """The best that the ranking can be: positives at the upper ends of their cells, negatives at the lower ends."""
        return self.middle if self.exact else self._placed(self.high, self.low)

    @lazy
    def worst(self) -> CountedSamples:
        """The worst that the ranking can be; ties that are not known are ties here."""
        return self.middle if self.exact else self._placed(self.low, self.high)

    def _placed(self, pos: Array, neg: Array, kind: type[CountedSamples] = CountedSamples) -> CountedSamples:
        if self.weights is None:
            samples = kind.of_counts((pos, self.pos), (neg, self.neg))
        else:
            samples = kind.of_weights((pos, *self.weights[0]), (neg, *self.weights[1]), self.rows)
        return samples if self.losses is None else given(samples, losses=self.losses)


def _of_type(samples: ScoreSamples, dtype: np.dtype[Any]) -> ScoreSamples:
    """The same scores in a wider type."""
    if samples.pos.dtype == dtype:
        return samples
    return ScoreSamples(samples.pos.astype(dtype), samples.neg.astype(dtype), samples.pos_weights, samples.neg_weights)


def merged_losses(pairs: Sequence[tuple[Losses, Losses]]) -> tuple[Losses, Losses]:
    """The log losses and the squared errors of all rows."""
    log, square = (losses[0].merge_many(losses[1:]) for losses in zip(*pairs, strict=True))
    return log, square


def _weights_in(samples: ScoreSamples, low: Array) -> Array:
    """The sums of the weights of positives and of negatives in the cells that begin at `low`."""
    sides = (samples.pos, samples.pos_weights), (samples.neg, samples.neg_weights)
    return np.stack([cell_weights(*side, low) for side in sides])


def cell_weights(scores: Array, weights: Array | None, low: Array) -> Array:
    """Of ascending scores, the sums of the weights and of their second and fourth powers in the cells that begin at
    `low`."""
    cuts, own = cuts_at(scores, low[1:]), np.ones(len(scores)) if weights is None else weights
    return np.stack((*_native.bin_sums(scores, own, cuts)[:2], _native.bin_sums(scores, own**2, cuts)[1]))


def placed_weights(weights: Array, places: Array, count: int) -> Array:
    """The weights of cells that are joined into `count` others; places: in which."""
    sums = [np.bincount(places, each, count) for each in weights.reshape(6, -1)]
    return np.array(sums).reshape(2, 3, count)


def affordable(fences: tuple[float, ...], budget: int) -> tuple[float, ...]:
    """The first fences, as many as leave at most seven eighths of the budget in use whatever the scores are."""
    return fences[: max(0, (budget - budget // 8 - 1) // PER_FENCE)]
