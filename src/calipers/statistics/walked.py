"""What one walk over all scores found, kept in the place of scores that do not fit into memory."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import numpy as np

from calipers import _native
from calipers.cached import given, lazy
from calipers.statistics.base import Array
from calipers.statistics.confusion import OneVsRest
from calipers.statistics.counted import CountedSamples
from calipers.statistics.moments import Losses
from calipers.statistics.portable import Portable
from calipers.statistics.sketch import ScoreSketch


@dataclass(frozen=True)
class WalkNumbers(Portable):
    """The numbers of a native walk, which can be saved."""

    pairs2: int
    distinct: int
    v10: float
    v01: float
    ap: float
    ap_trapezoid: float
    ap_if2: float
    ap_if4: float
    ap_rival: float
    ks: float
    ks_threshold: float
    youden_threshold: float
    f1_max: float
    f1_threshold: float
    corner_threshold: float
    eer: float
    eer_threshold: float
    break_even: float
    break_even_threshold: float

    @classmethod
    def of(cls, walk: _native.Walk) -> Self:
        """Of a walk."""
        return cls(**{each.name: getattr(walk, each.name) for each in fields(cls)})


@dataclass(frozen=True)
class Walked(Portable):
    """What was found on the way over all scores.

    below: rows of (threshold, positives below it, negatives below it), for the thresholds that the walk chose.
    edges, sums: for positives and for negatives, the weight, the squared weight and the sums of the scores and of their
    squares between neighbouring edges. occurring: as of `ScoreSamples`. range: the least and the greatest score.
    """

    numbers: WalkNumbers
    below: Array
    edges: Array
    sums: Array
    occurring: Array
    range: tuple[float, float]

    def sums_between(self, edges: Array) -> tuple[Array, Array] | None:
        """The sums of both classes between other edges; None where some of them are not among these."""
        at = np.searchsorted(self.edges, edges)
        if (np.append(self.edges, np.nan)[at] != edges).any():
            return None
        starts = np.concatenate(([0], at + 1))
        # Two equal edges of single precision have nothing between them; reduceat would take the next interval.
        if (np.diff(starts) <= 0).any():
            return None
        pos, neg = np.add.reduceat(self.sums, starts, axis=-1)
        return pos, neg


@dataclass(frozen=True, eq=False)
class WalkedSketch(ScoreSketch):
    """A sketch of scores, and what an exact walk over them found; merged with others, a sketch alone is left."""

    walked: Walked = field(repr=False)

    @classmethod
    def empty(cls) -> Any:
        """No scores, and so no walk over them."""
        return ScoreSketch.empty()

    @property
    def sketch(self) -> ScoreSketch:
        """The cells alone."""
        return ScoreSketch(*(getattr(self, each.name) for each in fields(ScoreSketch)))

    def merge(self, other: ScoreSketch) -> Any:
        """The cells of both: a walk over each says nothing exact of both together."""
        if not other.rows:
            return self.within(min(self.budget, other.budget))
        return self.sketch.merge(other)

    def scale(self, factor: int) -> Any:
        """The cells, every count times `factor`."""
        return self if factor == 1 else self.sketch.scale(factor)

    def _made(
        self,
        cells: _native._Cells,
        dtype: np.dtype[Any],
        budget: int,
        fences: tuple[float, ...],
        losses: tuple[Losses, Losses] | None,
    ) -> Self:
        low, high = (end.astype(dtype, copy=False) for end in cells[:2])
        return replace(self, low=low, high=high, pos=cells[2], neg=cells[3], budget=budget, fences=fences)

    def knows(self, threshold: float) -> bool:
        """Whether the counts at a threshold are exact because the walk chose it."""
        return bool((self.walked.below[:, 0] == float(self.low.dtype.type(threshold))).any())

    @lazy
    def middle(self) -> CountedSamples:
        """Every row at the lower end of its cell, so that counts at these scores are exact, with what the walk found."""
        samples = WalkedSamples.of_counts((self.low, self.pos), (self.low, self.neg))
        numbers: Any = self.walked.numbers
        known = {"walked": self.walked, "walk": numbers, "areas": numbers, "occurring": self.walked.occurring}
        return given(samples, **known, **({} if self.losses is None else {"losses": self.losses}))


class WalkedSamples(CountedSamples, abstract=True):
    """Scores with how often each occurs, and what an exact walk over all scores found."""

    @lazy
    def walked(self) -> Walked:
        """What the walk found."""
        raise NotImplementedError

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest score."""
        return self.walked.range

    def at(self, threshold: float) -> OneVsRest:
        """The four counts when `score >= threshold` is called positive."""
        found = self.walked.below[self.walked.below[:, 0] == float(self.pos.dtype.type(threshold))]
        if not len(found):
            return super().at(threshold)
        pos, neg = float(found[0, 1]), float(found[0, 2])
        return OneVsRest(*map(np.float64, (self.positives - pos, self.negatives - neg, pos, neg)))

    def sums_between(self, edges: Array, closed: str = "left") -> tuple[Array, Array]:
        """By class and bin: weight, squared weight, and the weighted sums of the scores and of their squares."""
        exact = self.walked.sums_between(edges.astype(self.pos.dtype).astype(np.float64)) if closed == "left" else None
        return super().sums_between(edges, closed) if exact is None else exact
