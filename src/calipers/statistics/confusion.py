"""Counts of (true class, predicted class): every label metric is a formula over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from calipers import _native
from calipers.cached import lazy
from calipers.errors import InputError
from calipers.settings import Label
from calipers.statistics.base import Array
from calipers.statistics.counts import Labelled

if TYPE_CHECKING:
    pass


class Four(NamedTuple):
    """Something about each of the four outcomes."""

    tp: Array
    fp: Array
    fn: Array
    tn: Array


class OneVsRest(NamedTuple):
    """The four counts of one class against the rest, or of many along the last axis.

    `squares` holds the sums of squared weights of the same four cells: repetition and importance give the same
    value and different intervals. None means that every row weighs 1, so that they equal the counts.
    `fixed` says that the numbers of true and false rows were set from outside (a restated prevalence), not drawn.
    """

    tp: Array
    fp: Array
    fn: Array
    tn: Array
    squares: Four | None = None
    fixed: bool = False

    def mapped(self, f: Callable[[Array], Array]) -> OneVsRest:
        """The same function applied to the counts and to the squares."""
        tp, fp, fn, tn = (f(x) for x in self.counts)
        squares = None if self.squares is None else Four(*(f(x) for x in self.squares))
        return OneVsRest(tp, fp, fn, tn, squares, self.fixed)

    @property
    def counts(self) -> Four:
        """The four counts in the order TP, FP, FN, TN."""
        return Four(self.tp, self.fp, self.fn, self.tn)

    def with_negatives(self, other: OneVsRest) -> OneVsRest:
        """The positive rows of these counts with the negative rows of others."""
        squares = None
        if self.squares is not None and other.squares is not None:
            squares = self.squares._replace(fp=other.squares.fp, tn=other.squares.tn)
        return self._replace(fp=other.fp, tn=other.tn, squares=squares)

    def plus(self, added: float, alike: bool = False) -> OneVsRest:
        """The counts with this many rows added to each, rows of the weight that their true class has.

        `alike`: as many rows are added to each true class, but they are right as often as all rows are. Where the
        classes' totals were set from outside they stay, and the classes are scaled back to them.
        """
        hits: Array | float = added
        if alike:
            right = self.tp + np.nan_to_num(self.tn)  # which may be unknown
            hits = 2 * added * right / (right + self.fp + self.fn)
        more = hits, 2 * added - hits, 2 * added - hits, hits
        if self.squares is None:
            return self._replace(**Four(*(c + m for c, m in zip(self.counts, more, strict=True)))._asdict())
        q = self.squares
        typical = (q.tp + q.fn + q.fp + q.tn) / (self.tp + self.fn + self.fp + self.tn)
        true = _unit(q.tp + q.fn, self.tp + self.fn, typical)
        false = _unit(q.fp + q.tn, self.fp + self.tn, typical)
        units = Four(true, false, true, false)
        counts = Four(*(c + m * u for c, m, u in zip(self.counts, more, units, strict=True)))
        squares = Four(*(s + m * u * u for s, m, u in zip(q, more, units, strict=True)))
        if self.fixed:
            of_true = (self.tp + self.fn) / (counts.tp + counts.fn)
            of_false = (self.fp + self.tn) / (counts.fp + counts.tn)
            back = Four(of_true, of_false, of_true, of_false)
            counts = Four(*(c * b for c, b in zip(counts, back, strict=True)))
            squares = Four(*(s * b * b for s, b in zip(squares, back, strict=True)))
        return OneVsRest(*counts, squares=squares, fixed=self.fixed)

    def at(self, index: int) -> OneVsRest:
        """The counts of one class."""
        tp, fp, fn, tn, squares, fixed = self
        picked = None if squares is None else Four(*(s[..., index] for s in squares))
        return OneVsRest(tp[..., index], fp[..., index], fn[..., index], tn[..., index], picked, fixed)

    def pooled(self) -> OneVsRest:
        """The counts of all classes added up, for micro averages."""
        return self.mapped(lambda x: x.sum(-1))

    def against_rest(self, rows: int) -> ConfusionCounts:
        """The confusion matrix of one class (the first row and column) against the rest."""
        squares = None if self.squares is None else _two_by_two(self.squares)
        return ConfusionCounts((0, 1), _two_by_two(self.counts), squares, rows)


class Margins(NamedTuple):
    """Agreement and the two margins of a confusion matrix: what kappa and Matthews' correlation need.

    `beyond` is agreed x total - Σ truth x predicted, the agreement beyond chance. It comes from the cells, since a
    small weight is lost in sums with a large one.
    """

    agreed: Array
    truth: Array
    predicted: Array
    total: Array
    beyond: Array

    @classmethod
    def of(cls, c: OneVsRest) -> Margins:
        """From the counts of all classes, along the last axis."""
        truth = c.tp + c.fn
        add = partial(np.add.reduce, axis=-1)
        return cls(add(c.tp), truth, c.tp + c.fp, add(truth), add(c.tp * c.tn - c.fp * c.fn))


@dataclass(frozen=True, eq=False)
class ConfusionCounts(Labelled):
    """K x K counts with the truth in rows; labels are sorted, so that merging needs no agreement on order."""

    @staticmethod
    def _count(truth: Array, pred: Array, labels: int, weights: Array | None) -> Array:
        return _native.confusion(truth, pred, labels, weights)

    @classmethod
    def empty(cls) -> Self:
        """No labels, no counts."""
        return cls((), np.zeros((0, 0), np.int64), None, 0)

    def _over(self, values: tuple[Label, ...], cells: Array) -> Array:
        """Over the union of the labels, in both directions."""
        if values == self.labels:
            return cells
        where = [values.index(v) for v in self.labels]
        out = np.zeros((len(values), len(values)), cells.dtype)
        out[np.ix_(where, where)] = cells
        return out

    def plus(self, added: float, fixed: bool = False, alike: bool = False) -> Self:
        """The table with this many rows added to every cell, rows of the weight that their true class has.

        `alike`: as many rows are added to each true class, but they are right as often as all rows are. `fixed`: the
        classes are scaled back to the totals that they had.
        """
        more: float | Array = added
        if alike and (k := len(self.labels)) > 1:
            right = np.trace(self.cells) / self.cells.sum()
            more = added * k * np.where(np.eye(k), right, (1 - right) / (k - 1))
        if self.squares is None:
            return type(self)(self.labels, self.cells + more, None, self.rows)
        unit = _unit(self.squares.sum(1), self.cells.sum(1), self.squares.sum() / self.cells.sum())[:, None]
        cells, squares = self.cells + more * unit, self.squares + more * unit**2
        back = self.cells.sum(1, keepdims=True) / cells.sum(1, keepdims=True) if fixed else 1.0
        return type(self)(self.labels, cells * back, squares * back**2, self.rows)

    def restated(self, shares: Array) -> Self:
        """The same rates within each true class, in a population where the classes have these shares."""
        if not self.cells.sum(1).all():
            raise InputError("statistics.restated_without_class")
        factor = (shares * self.cells.sum() / self.cells.sum(1))[:, None]
        return type(self)(self.labels, self.cells * factor, self.second * factor**2, self.rows)

    @lazy
    def effective(self) -> Array:
        """The rows of each true class; with weights, as many as would vary as much with equal weights (Kish 1965)."""
        truth: Array = self.cells.sum(1).astype(np.float64)
        return np.asarray(np.divide(truth**2, self.second.sum(1), out=np.zeros_like(truth), where=truth > 0))

    @lazy
    def one_vs_rest(self) -> OneVsRest:
        """TP, FP, FN, TN of every class along the last axis."""
        squares = None if self.squares is None else _four(self.squares)
        return OneVsRest(*_four(self.cells), squares=squares)

    def of_class(self, index: int) -> OneVsRest:
        """TP, FP, FN, TN of one class; of two classes without the arrays of both."""
        if self.squares is not None or self.cells.shape != (2, 2):
            return self.one_vs_rest.at(index)
        (a, b), (c, d) = self.cells.tolist()
        counts: Any = map(np.float64, (d, b, c, a) if index == 1 else (a, c, b, d))
        return OneVsRest(*counts)

    @lazy
    def margins(self) -> Margins:
        """The trace, row sums, column sums and total, as floats; of two classes without the arrays of each."""
        if self.squares is not None or self.cells.shape != (2, 2):
            return Margins.of(self.one_vs_rest)
        (a, b), (c, d) = (map(float, row) for row in self.cells.tolist())
        sums: Any = map(np.float64, (a + d, a + b + (c + d), 2 * (a * d - b * c)))
        agreed, total, beyond = sums
        return Margins(agreed, np.array((a + b, c + d)), np.array((a + c, b + d)), total, beyond)


def _unit(squares: Array, weight: Array, typical: Array) -> Array:
    """The weight of a typical row, that of all rows where there is none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(weight > 0, squares / weight, typical)


def _two_by_two(c: Four) -> Array:
    return np.stack((np.stack((c.tp, c.fn), -1), np.stack((c.fp, c.tn), -1)), -2)


def _four(cells: Array) -> Four:
    if cells.shape == (2, 2):
        (a, b), (c, d) = cells.tolist()
        return Four(*np.array(((a, d), (c, b), (b, c), (d, a)), np.float64))
    weighted, cells = cells.dtype.kind == "f", cells.astype(np.float64, copy=False)
    tp = cells.diagonal()
    if not weighted:
        predicted, true = np.add.reduce(cells, 0), np.add.reduce(cells, 1)
        fp = predicted - tp
        return Four(tp, fp, true - tp, np.add.reduce(true) - true - fp)
    # Weighted: no differences of sums, in which a small weight is lost next to a large one.
    others = cells - np.diag(tp)
    return Four(tp, others.sum(0), others.sum(1), sum_of_others(sum_of_others(cells).T).diagonal())


def sum_of_others(x: Array) -> Array:
    """For each element of the last axis the sum of all others, by sums from both ends and not by a difference.

    >>> sum_of_others(np.array([2.0**60, 1.0, 0.5])).tolist()[0]
    1.5
    """
    if x.shape[-1] == 2:
        return x[..., ::-1]
    out = np.zeros_like(x)
    out[..., 1:] = np.cumsum(x[..., :-1], -1)
    out[..., :-1] += np.cumsum(x[..., :0:-1], -1)[..., ::-1]
    return out
