"""One walk over scores that come in ascending buckets: what a walk over all of them in memory finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.evaluation.bucket import Part, Powers, Sorted, Tied
from calipers.statistics.moments import Losses, Moments
from calipers.statistics.probability_losses import losses
from calipers.statistics.repeats import MOST_TIMES, occurring
from calipers.statistics.sketch import FENCES, ScoreSketch, affordable, cell_weights, placed_weights
from calipers.statistics.sorting import cuts_at
from calipers.statistics.walked import Walked, WalkNumbers

Array = npt.NDArray[Any]
MOST_PAIRS = 2**63 - 1  # of a positive and a negative row, which are counted in integers; sums of more are rounded
FINER = 2  # cells of a bucket in relation to its share of the sketch, which then joins them


class Totals(NamedTuple):
    """How many positives and negatives there are; weights: what each weigh, as a sum and what it lost by rounding."""

    rows: tuple[int, int]
    weights: Array | None = None

    @property
    def sums(self) -> tuple[float, float]:
        """What positives and negatives weigh; without weights, how many they are."""
        pos, neg = self.rows if self.weights is None else self.weights.sum(1).tolist()
        return float(pos), float(neg)

    @property
    def counted(self) -> bool:
        """Whether pairs of rows are counted; else their weights are added, which are 1 where rows have none."""
        return self.weights is None and self.rows[0] * self.rows[1] <= MOST_PAIRS

    def walker(self) -> _native.Walker | _native.WeightedWalker:
        """What walks over them."""
        if self.counted:
            return _native.Walker(*self.rows)
        pos, neg = [(float(rows), 0.0) for rows in self.rows] if self.weights is None else self.weights.tolist()
        return _native.WeightedWalker(self.rows, pos, neg)


class BucketWalk:
    """The results of one pass over the rows, with a sketch of at most `budget` cells.

    thresholds: beside those of the usual bins, where counts are to be exact. slices: walks over slices of these rows,
    whose sums and losses together are those of the rows.
    """

    def __init__(
        self,
        totals: Totals,
        dtype: np.dtype[Any],
        thresholds: Iterable[float],
        budget: int,
        slices: Sequence[BucketWalk] = (),
    ) -> None:
        fences = tuple(dict.fromkeys(float(dtype.type(x)) for x in (*thresholds, *FENCES)))
        self._dtype, self._budget, self._fences = dtype, budget, affordable(fences, budget)
        self._edges = np.array(sorted(fences))
        self._walker, self._weighted, self._counted = totals.walker(), totals.weights is not None, totals.counted
        self._totals = totals.sums
        self._sums = np.zeros((2, 4, len(self._edges) + 1))
        self._times = np.zeros(MOST_TIMES + 1, np.int64)
        self._most = max(1, sum(totals.rows) // (FINER * budget))
        self._cells: list[_native._Cells] = []
        self._weights: list[Array] = []  # in each cell, as a sketch keeps them
        self._losses: tuple[Losses, Losses] | None = Losses.empty(), Losses.empty()
        self._low, self._high = np.inf, -np.inf
        self._slices = slices

    def add(self, part: Part) -> None:
        """The next rows, whose scores are all above those before."""
        if isinstance(part, Sorted):
            self._add_sorted(part)
        elif part.positives or part.negatives:
            self._add_tied(part)

    def _add_sorted(self, part: Sorted) -> None:
        sides = (part.pos, part.pos_weights), (part.neg, part.neg_weights)
        beside = [] if self._counted else [np.ones(len(scores)) if w is None else w for scores, w in sides]
        self._walker.add(*part[:2], *beside)
        cells = _native.box_scores(*part[:2], self._most, np.array(self._fences))
        self._cells.append(cells)
        if self._weighted:
            self._weights.append(np.stack([cell_weights(*side, cells[0]) for side in sides]))
        times = occurring(*part[:2])
        self._times[: len(times)] += times
        if self._slices:
            return
        for side, (values, weights) in enumerate(sides):
            self._sums[side] += _native.bin_sums(values, weights, cuts_at(values, self._edges))
        ends = [float(values[at]) for values in part[:2] if len(values) for at in (0, -1)]
        self._lose(min(ends), max(ends), lambda: losses(*part))

    def _add_tied(self, part: Tied) -> None:
        counts = part.positives, part.negatives
        powers = part.weights or (_of_ones(part.positives), _of_ones(part.negatives))
        self._walker.add_tied(part.score, *counts, *(() if self._counted else powers))
        at = np.array([part.score])
        self._cells.append((at, at, np.array([part.positives]), np.array([part.negatives])))
        self._weights.append(np.array(powers)[:, :, None])
        for count in filter(None, counts):
            self._times[min(count, MOST_TIMES)] += 1
        if self._slices:
            return
        bin_ = int(np.searchsorted(self._edges, part.score, "right"))
        for side, (count, (weight, squares, _)) in enumerate(zip(counts, powers, strict=True)):
            if count:
                self._sums[side, :, bin_] += [weight, squares, weight * part.score, weight * part.score**2]
        one = at.astype(self._dtype)
        each = [losses(one[:pos], one[: 1 - pos], None, None) for pos in (1, 0)]
        log, square = (
            _repeated(mine, counts[0], powers[0]).merge(_repeated(other, counts[1], powers[1]))
            for mine, other in zip(*each, strict=True)
        )
        self._lose(part.score, part.score, lambda: (log, square))

    def _lose(self, low: float, high: float, found: Callable[[], tuple[Losses, Losses]]) -> None:
        """The losses of the next rows, while all scores are probabilities."""
        self._low, self._high = min(self._low, low), max(self._high, high)
        if self._losses is None or self._low < 0 or self._high > 1:
            self._losses = None
            return
        log, square = found()
        self._losses = self._losses[0].merge(log), self._losses[1].merge(square)

    def _add_slices(self) -> None:
        """The sums and losses of the slices, whose walks are over."""
        self._sums = sum((walk._sums for walk in self._slices), self._sums)
        for walk in self._slices:
            self._lose(walk._low, walk._high, walk._found)

    def _found(self) -> tuple[Losses, Losses]:
        assert self._losses is not None
        return self._losses

    def sketch(self) -> ScoreSketch:
        """The sketch of all rows with what the walk found."""
        self._add_slices()
        below = [self._edges]
        for weight, total in zip(self._sums[:, 0], self._totals, strict=True):
            above = weight[::-1].cumsum()[::-1][1:]
            below.append(np.where(above > 0, weight[:-1].cumsum(), total))
        if self._weighted:
            below += [*self._sums[:, 1, :-1].cumsum(1)]
        chosen = np.array(self._walker.thresholds(), np.float64).reshape(-1, 3 if self._counted else 5)[:, : len(below)]
        last = max(1, int(np.flatnonzero(self._times).max(initial=0)))
        numbers = WalkNumbers.of(self._walker.result())
        found = Walked(
            numbers, np.concatenate((chosen, np.column_stack(below))), self._edges, self._sums,
            self._times[: last + 1], (self._low, self._high), self._totals,
        )  # fmt: skip
        (low, high, pos, neg), places = _native.merge_cells(self._cells, self._budget, np.array(self._fences))
        weights = None
        if self._weighted:
            weights = placed_weights(np.concatenate(self._weights, -1), places, len(low))
        low, high = (end.astype(self._dtype, copy=False) for end in (low, high))
        return ScoreSketch(low, high, pos, neg, self._budget, self._fences, self._losses, found, weights)


def _of_ones(count: int) -> Powers:
    return float(count), float(count), float(count)


def _repeated(one: Losses, count: int, powers: Powers) -> Losses:
    """The losses of rows that are all as this one, with these weights."""
    if not count:
        return Losses.empty()
    weight, squares, _ = powers
    moments = Moments(count, weight, squares, one.moments.mean, 0.0, 0.0, 0.0, 0.0)
    return Losses(moments, one.wrong * weight, one.other)
