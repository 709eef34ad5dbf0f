"""Scores of many classes or labels in bounded memory: each class against the rest, by cells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from calipers.cached import lazy
from calipers.errors import InputError
from calipers.settings import Label
from calipers.statistics.base import Array, Statistic
from calipers.statistics.classes import ClassScores
from calipers.statistics.counted import CountedSamples
from calipers.statistics.sketch import BUDGET, FENCES, ScoreSketch

if TYPE_CHECKING:
    from calipers.data.batch import Batch


AVERAGES = ("macro", "weighted", "micro")


@dataclass(frozen=True, eq=False)
class ClassSketches(Statistic):
    """A sketch of each column of a score matrix; which scores belong to one row is not known any more.

    There are none where the memory was too small for all classes. `influences`: where an exact walk over all columns
    was made, for ROC AUC ("auc") and average precision ("ap"), by average, the sums over rows of the second and of the
    fourth powers of what each row adds to it; a merge drops them. `walked_pool`: where micro averages were asked for
    before such a walk, the sketch of all (row, class) pairs with its own walk; `influences` then have a third average.
    """

    version = 3

    labels: tuple[Label, ...]
    sketches: tuple[ScoreSketch, ...]
    influences: dict[str, Array] | None = field(default=None, repr=False)
    walked_pool: ScoreSketch | None = field(default=None, repr=False)

    @classmethod
    def of(cls, batch: Batch, budget: int = BUDGET, fences: Iterable[float] = FENCES) -> Self:
        """The columns of a score matrix."""
        return cls.of_scores(ClassScores.of(batch), budget, fences)

    @classmethod
    def of_scores(cls, scores: ClassScores, budget: int = BUDGET, fences: Iterable[float] = FENCES) -> Self:
        """The columns of scores that are kept by row, with a budget for each."""
        fences = tuple(fences)
        return cls(scores.labels, tuple(ScoreSketch.of_samples(each, budget, fences) for each in scores.columns))

    @classmethod
    def empty(cls) -> Self:
        """No classes."""
        return cls((), ())

    def merge(self, other: Self) -> Self:
        """Column by column."""
        if not self.labels or not other.labels:
            return other if not self.labels else self
        if self.labels != other.labels:
            raise InputError("statistics.other_classes", mine=list(self.labels), theirs=list(other.labels))
        both = zip(self.sketches, other.sketches, strict=bool(self.sketches and other.sketches))
        return type(self)(self.labels, tuple(a.merge(b) for a, b in both))

    def scale(self, factor: int) -> Self:
        """Every column repeated."""
        return type(self)(self.labels, tuple(each.scale(factor) for each in self.sketches))

    def all_sketches(self) -> Iterator[ScoreSketch]:
        """One for each column."""
        yield from self.sketches

    def within(self, budget: int) -> Self:
        """The same rows with so many cells for each column."""
        pool = None if self.walked_pool is None else self.walked_pool.within(budget)
        return replace(self, sketches=tuple(each.within(budget) for each in self.sketches), walked_pool=pool)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.sketches[0].rows if self.sketches else 0

    @property
    def columns(self) -> tuple[CountedSamples, ...]:
        """Each class against the rest, every row at the middle of its cell."""
        return tuple(each.middle for each in self.sketches)

    @property
    def pooled(self) -> CountedSamples:
        """Every (row, class) pair as one binary decision, at the middle of its cell."""
        return self.pooled_sketch.middle

    @lazy
    def pooled_sketch(self) -> ScoreSketch:
        """Every (row, class) pair as one binary decision, for micro averages."""
        if self.walked_pool is not None:
            return self.walked_pool
        whole = sum(each.budget for each in self.sketches)
        first, *others = (replace(each, budget=whole) for each in self.sketches)
        return first.merge_many(others)

    @lazy
    def totals(self) -> Array:
        """Weight of the true rows of each class."""
        return np.array([each.weight_sums[0] for each in self.sketches], np.float64)

    @lazy
    def squares(self) -> Array:
        """Squared weights of the true rows of each class."""
        return np.array([each.weight_sums[1] for each in self.sketches], np.float64)

    @property
    def weight_sums(self) -> tuple[float, float]:
        """The sums of the weights of all rows, and of their squares; each row has one class."""
        return float(self.totals.sum()), float(self.squares.sum())
