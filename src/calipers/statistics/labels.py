"""Per-label counts for rows that may carry any number of labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from calipers import _native
from calipers.settings import Label
from calipers.statistics.base import Array
from calipers.statistics.confusion import Four, OneVsRest
from calipers.statistics.counts import Labelled


@dataclass(frozen=True, eq=False)
class LabelCounts(Labelled):
    """TP, FP, FN and TN of each label (rows of `cells`, in that order); labels are sorted."""

    @staticmethod
    def _count(truth: Array, pred: Array, labels: int, weights: Array | None) -> Array:
        return _native.label_counts(truth, pred, weights)

    @classmethod
    def empty(cls) -> Self:
        """No labels, no counts."""
        return cls((), np.zeros((4, 0), np.int64), None, 0)

    def _over(self, values: tuple[Label, ...], cells: Array) -> Array:
        """A label that one side does not know was absent from all its rows."""
        if values == self.labels:
            return cells
        out = np.zeros((4, len(values)), cells.dtype)
        out[3] = cells.sum(0).max(initial=0)
        out[:, [values.index(v) for v in self.labels]] = cells
        return out

    @property
    def one_vs_rest(self) -> OneVsRest:
        """TP, FP, FN, TN of every label along the last axis."""
        tp, fp, fn, tn = self.cells.astype(np.float64)
        return OneVsRest(tp, fp, fn, tn, None if self.squares is None else Four(*self.squares))


MOST_PAIRED = 64  # labels of which all pairs are counted


@dataclass(frozen=True, eq=False)
class LabelPairs(Labelled):
    """How often two labels of one row had these outcomes: TP, FP and FN of every label on either side.

    All that the variance of a function of label counts needs to know of how labels go together.
    """

    @staticmethod
    def _count(truth: Array, pred: Array, labels: int, weights: Array | None) -> Array:
        return _native.label_pairs(truth, pred, weights)

    @classmethod
    def empty(cls) -> Self:
        """No labels, no counts."""
        return cls((), np.zeros((0, 0), np.int64), None, 0)

    def _over(self, values: tuple[Label, ...], cells: Array) -> Array:
        """A label that one side does not know had no outcome but TN."""
        if values == self.labels:
            return cells
        at = np.array([values.index(v) for v in self.labels], np.intp)
        where = (np.arange(3)[:, None] * len(values) + at).ravel()
        out = np.zeros((3 * len(values), 3 * len(values)), cells.dtype)
        out[np.ix_(where, where)] = cells
        return out
