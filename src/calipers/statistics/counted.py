"""Scores with how often each occurs, or what its rows weigh: what formulas take of a sketch."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

import numpy as np

from calipers import _native
from calipers.cached import given, lazy
from calipers.errors import InputError
from calipers.statistics.base import Array
from calipers.statistics.confusion import Four, OneVsRest
from calipers.statistics.moments import Moments
from calipers.statistics.repeats import MOST_TIMES
from calipers.statistics.scores import ScoreSamples
from calipers.statistics.sorting import cuts_at


class CountedSamples(ScoreSamples, abstract=True):
    """Two sorted samples whose weights are numbers of rows: a score that occurs three times counts as three rows.

    Where rows have weights of their own, the weight of a score is their sum, and `squares` and `fourths` have the sums
    of their second and fourth powers.
    """

    @classmethod
    def of_counts(cls, pos: tuple[Array, Array], neg: tuple[Array, Array]) -> CountedSamples:
        """From scores in any order and how often each occurs, for positives and for negatives."""
        (pos_scores, pos_counts), (neg_scores, neg_counts) = _sorted(*pos), _sorted(*neg)
        return cls(pos_scores, neg_scores, pos_counts, neg_counts)

    @classmethod
    def of_weights(cls, pos: tuple[Array, ...], neg: tuple[Array, ...], rows: int) -> CountedSamples:
        """The same from scores, the weights of their rows, and the second and fourth powers of these."""
        (pos_scores, pos_weights, pos2, pos4), (neg_scores, neg_weights, neg2, neg4) = _sorted(*pos), _sorted(*neg)
        samples = cls(pos_scores, neg_scores, pos_weights, neg_weights)
        return given(samples, squares=(pos2, neg2), fourths=(pos4, neg4), rows=rows)

    @lazy
    def squares(self) -> tuple[Array, Array] | None:
        """The squared weights of the rows of each score; None where every row counts once."""
        return None

    @lazy
    def fourths(self) -> tuple[Array, Array] | None:
        """The fourth powers of these weights."""
        return None

    @property
    def repeated(self) -> bool:
        """Whether weights are numbers of rows."""
        return self.squares is None

    @lazy
    def rows(self) -> int:
        """Number of rows."""
        return int(self.positives + self.negatives)

    @property
    def class_rows(self) -> tuple[float, float]:
        """How many rows each class has; effective ones where rows have weights of their own."""
        return self.effective

    def halved(self, random: np.random.Generator) -> tuple[ScoreSamples, ScoreSamples]:
        """The rows of each score in two random halves; of rows with weights, as sums that vary as much."""
        if self.squares is None:
            mine = [random.binomial(counts.astype(np.int64), 0.5) for counts in self._counts]
        else:
            both = zip(self._counts, self.squares, strict=True)
            mine = [(w / 2 + np.sqrt(w2) / 2 * random.normal(size=len(w))).clip(0, w) for w, w2 in both]
        theirs = [counts - half for counts, half in zip(self._counts, mine, strict=True)]
        first, second = (CountedSamples.of_counts((self.pos, p), (self.neg, n)) for p, n in (mine, theirs))
        return first, second

    @lazy
    def effective(self) -> tuple[float, float]:
        """Effective numbers of positive and negative rows."""
        if self.squares is None:
            return self.positives, self.negatives
        pos2, neg2 = (float(each.sum()) for each in self.squares)
        return self.positives**2 / pos2 if pos2 else 0.0, self.negatives**2 / neg2 if neg2 else 0.0

    @lazy
    def walk(self) -> _native.WeightedWalk:
        """Everything that one walk over the two samples gives."""
        (pos2, neg2), (pos4, neg4) = self.squares or self._counts, self.fourths or self._counts
        return _native.walk_weighted(self.pos, self.neg, *self._counts, (pos2, pos4, neg2, neg4))

    @lazy
    def occurring(self) -> Array:
        """How many pairs of class and score occur 0, 1, 2, ... times; the last number is of those and more."""
        times = np.concatenate([_runs(*part) for part in zip((self.pos, self.neg), self._counts, strict=True)])
        return np.bincount(np.minimum(times, MOST_TIMES).astype(np.int64), minlength=2)

    def at(self, threshold: float) -> OneVsRest:
        """The four counts when `score >= threshold` is called positive."""
        counts = super().at(threshold)
        if self.squares is None:
            return counts._replace(squares=None)
        edge = np.array([threshold])
        (fn2, tp2), (tn2, fp2) = (each[1] for each in self.sums_between(edge))
        return counts._replace(squares=Four(tp2, fp2, fn2, tn2))

    def sums_between(self, edges: Array, closed: str = "left") -> tuple[Array, Array]:
        """By class and bin: weight, squared weight, and the weighted sums of the scores and of their squares."""
        pos, neg = super().sums_between(edges, closed)
        for sums, scores, squares in zip((pos, neg), (self.pos, self.neg), self.squares or (), strict=False):
            sums[1] = _native.bin_sums(scores, squares, cuts_at(scores, edges, closed))[0]
        return pos, neg

    def moments(self, pos: Array, neg: Array) -> Moments:
        """The moments of a number that each positive and each negative has."""
        if self.squares is None:
            return Moments.of_repeated(pos, self._counts[0]).merge(Moments.of_repeated(neg, self._counts[1]))
        values, squares = np.concatenate((pos, neg)), np.concatenate(self.squares)
        m = Moments.of_values(values, np.concatenate(self._counts))
        d = values - m.mean
        q1, q2 = float((squares * d).sum()), float((squares * d * d).sum())
        return replace(m, n=self.rows, squares=float(squares.sum()), q1=q1, q2=q2)

    def restated(self, prevalence: float) -> NoReturn:
        """Not of a sketch: rows that count differently are not repeated rows."""
        raise InputError("statistics.restated_sketch")

    @property
    def _counts(self) -> tuple[Array, Array]:
        assert self.pos_weights is not None
        assert self.neg_weights is not None
        return self.pos_weights, self.neg_weights


def _sorted(scores: Array, *columns: Array) -> tuple[Array, ...]:
    """The scores in order, with the columns beside them; those without rows are left out."""
    present = np.flatnonzero(columns[0])
    order = present[np.argsort(scores[present], kind="stable")]
    return scores[order], *(column[order].astype(np.float64) for column in columns)


def _runs(scores: Array, counts: Array) -> Array:
    """How often each distinct score occurs."""
    if not len(scores):
        return np.zeros(0)
    return np.add.reduceat(counts, np.flatnonzero(np.append(True, scores[1:] != scores[:-1])))
