"""Scores with how often each occurs: what formulas take of a sketch, as if every row were there."""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from calipers import _native
from calipers.cached import lazy
from calipers.errors import InputError
from calipers.statistics.base import Array
from calipers.statistics.confusion import OneVsRest
from calipers.statistics.repeats import MOST_TIMES
from calipers.statistics.scores import ScoreSamples


class CountedSamples(ScoreSamples, abstract=True):
    """Two sorted samples whose weights are numbers of rows: a score that occurs three times counts as three rows."""

    repeated = True

    @classmethod
    def of_counts(cls, pos: tuple[Array, Array], neg: tuple[Array, Array]) -> CountedSamples:
        """From scores in any order and how often each occurs, for positives and for negatives."""
        (pos_scores, pos_counts), (neg_scores, neg_counts) = _sorted(*pos), _sorted(*neg)
        return cls(pos_scores, neg_scores, pos_counts, neg_counts)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.positives + self.negatives)

    @lazy
    def effective(self) -> tuple[float, float]:
        """Every row counts."""
        return self.positives, self.negatives

    @lazy
    def walk(self) -> _native.WeightedWalk:
        """Everything that one walk over the two samples gives."""
        return _native.walk_weighted(self.pos, self.neg, *self._counts, True)

    @lazy
    def occurring(self) -> Array:
        """How many pairs of class and score occur 0, 1, 2, ... times; the last number is of those and more."""
        times = np.concatenate([_runs(*part) for part in zip((self.pos, self.neg), self._counts, strict=True)])
        return np.bincount(np.minimum(times, MOST_TIMES).astype(np.int64), minlength=2)

    def at(self, threshold: float) -> OneVsRest:
        """The four counts when `score >= threshold` is called positive."""
        return super().at(threshold)._replace(squares=None)

    def restated(self, prevalence: float) -> NoReturn:
        """Not of a sketch: rows that count differently are not repeated rows."""
        raise InputError("statistics.restated_sketch")

    @property
    def _counts(self) -> tuple[Array, Array]:
        assert self.pos_weights is not None
        assert self.neg_weights is not None
        return self.pos_weights, self.neg_weights


def _sorted(scores: Array, counts: Array) -> tuple[Array, Array]:
    present = np.flatnonzero(counts)
    order = present[np.argsort(scores[present], kind="stable")]
    return scores[order], counts[order].astype(np.float64)


def _runs(scores: Array, counts: Array) -> Array:
    """How often each distinct score occurs."""
    if not len(scores):
        return np.zeros(0)
    return np.add.reduceat(counts, np.flatnonzero(np.append(True, scores[1:] != scores[:-1])))
