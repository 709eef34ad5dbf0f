"""What one walk over all scores found, kept in the place of scores that do not fit into memory."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from calipers import _native
from calipers.cached import given, lazy
from calipers.statistics.base import Array
from calipers.statistics.confusion import Four, OneVsRest
from calipers.statistics.counted import CountedSamples
from calipers.statistics.portable import Portable


@dataclass(frozen=True)
class WalkNumbers(Portable):
    """The numbers of a native walk, which can be saved."""

    pairs2: float  # a whole number, unless rows have weights
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


@dataclass(frozen=True, eq=False)
class Walked(Portable):
    """What was found on the way over all scores.

    below: rows of (threshold, positives below it, negatives below it), for the thresholds that the walk chose; with
    weights, two more columns have the squared weights below.
    edges, sums: for positives and for negatives, the weight, the squared weight and the sums of the scores and of their
    squares between neighbouring edges. occurring: as of `ScoreSamples`. range: the least and the greatest score.
    totals: what all positives and all negatives weigh, rounded as in `below`, so that nothing is left of equal sums.
    """

    version = 2

    numbers: WalkNumbers
    below: Array
    edges: Array
    sums: Array
    occurring: Array
    range: tuple[float, float]
    totals: tuple[float, float]

    def below_at(self, threshold: float) -> Array | None:
        """The positives and negatives below a threshold, and their squared weights; None where that was not counted."""
        at = np.flatnonzero(self.below[:, 0] == threshold)
        return self.below[at[0], 1:] if len(at) else None

    def sums_between(self, edges: Array) -> tuple[Array, Array] | None:
        """The sums of both classes between other edges; None where some of them are not among these."""
        at = np.searchsorted(self.edges, edges)
        if (np.append(self.edges, np.nan)[at] != edges).any():
            return None
        starts = np.concatenate(([0], at + 1))
        # There is nothing between two edges that are equal in single precision; reduceat would take the next interval.
        if (np.diff(starts) <= 0).any():
            return None
        pos, neg = np.add.reduceat(self.sums, starts, axis=-1)
        return pos, neg


class WalkedSamples(CountedSamples, abstract=True):
    """Scores with how often each occurs, and what an exact walk over all scores found."""

    def with_walk(self, walked: Walked) -> Self:
        """The same with what the walk found."""
        numbers, (positives, negatives) = walked.numbers, walked.totals
        found = {"walk": numbers, "areas": numbers, "occurring": walked.occurring}
        return given(self, walked=walked, positives=positives, negatives=negatives, **found)

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
        below = self.walked.below_at(float(self.pos.dtype.type(threshold)))
        if below is None:
            return super().at(threshold)
        if self.squares is None:
            fn, tn = below
            return OneVsRest(self.positives - fn, self.negatives - tn, fn, tn)
        (fn, tn, fn2, tn2), (pos2, neg2) = below, (each.sum() for each in self.squares)
        squares = Four(pos2 - fn2, neg2 - tn2, fn2, tn2)
        return OneVsRest(self.positives - fn, self.negatives - tn, fn, tn, squares)

    def sums_between(self, edges: Array, closed: str = "left") -> tuple[Array, Array]:
        """By class and bin: weight, squared weight, and the weighted sums of the scores and of their squares."""
        exact = self.walked.sums_between(edges.astype(self.pos.dtype).astype(np.float64)) if closed == "left" else None
        return super().sums_between(edges, closed) if exact is None else exact
