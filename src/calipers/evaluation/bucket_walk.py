"""One walk over scores that come in ascending buckets: what a walk over all of them in memory finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.evaluation.score_buckets import Part, Sorted
from calipers.statistics.moments import Losses
from calipers.statistics.repeats import MOST_TIMES, occurring
from calipers.statistics.scores import losses
from calipers.statistics.sketch import FENCES, UNLIMITED, ScoreSketch, affordable
from calipers.statistics.sorting import cuts_at
from calipers.statistics.walked import Walked, WalkNumbers

Array = npt.NDArray[Any]
FINER = 4  # cells of a bucket in relation to its share of the sketch, which then joins them


class BucketWalk:
    """What one walk finds of so many positives and negatives, with a sketch of at most `budget` cells.

    thresholds: beside those of the usual bins, where counts are to be exact.
    """

    def __init__(
        self, totals: tuple[int, int], dtype: np.dtype[Any], thresholds: Iterable[float], budget: int
    ) -> None:
        fences = tuple(dict.fromkeys(float(dtype.type(x)) for x in (*thresholds, *FENCES)))
        self._dtype, self._budget, self._fences = dtype, budget, affordable(fences, budget)
        self._edges = np.array(sorted(fences))
        self._walker = _native.Walker(*totals)
        self._sums = np.zeros((2, 4, len(self._edges) + 1))
        self._times = np.zeros(MOST_TIMES + 1, np.int64)
        self._most = max(1, sum(totals) // (FINER * budget))
        self._cells: list[_native._Cells] = []
        self._losses: tuple[Losses, Losses] | None = Losses.empty(), Losses.empty()
        self._low, self._high = np.inf, -np.inf

    def add(self, part: Part) -> None:
        """The next rows, whose scores are all above those before."""
        if isinstance(part, Sorted):
            self._walker.add(*part)
            self._cells.append(_native.box_scores(*part, self._most, np.array(self._fences)))
            for side, values in enumerate(part):
                self._sums[side] += _native.bin_sums(values, None, cuts_at(values, self._edges))
            times = occurring(*part)
            self._times[: len(times)] += times
            ends = [float(values[at]) for values in part if len(values) for at in (0, -1)]
            self._lose(min(ends), max(ends), lambda: losses(*part, None, None))
        elif part.positives or part.negatives:
            self._walker.add_tied(*part)
            at = np.array([part.score])
            self._cells.append((at, at, np.array([part.positives]), np.array([part.negatives])))
            bin_ = int(np.searchsorted(self._edges, part.score, "right"))
            for side, count in enumerate(part[1:]):
                if count:
                    self._sums[side, :, bin_] += [count, count, count * part.score, count * part.score**2]
                    self._times[min(count, MOST_TIMES)] += 1
            one = at.astype(self._dtype)
            each = [losses(one[:pos], one[: 1 - pos], None, None) for pos in (1, 0)]
            log, square = (
                mine.scale(part.positives).merge(other.scale(part.negatives)) for mine, other in zip(*each, strict=True)
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

    def sketch(self) -> ScoreSketch:
        """The sketch of all rows with what the walk found."""
        below = np.column_stack((self._edges, self._sums[:, 0, :-1].cumsum(1).T))
        chosen = np.array(self._walker.thresholds(), np.float64).reshape(-1, 3)
        last = max(1, int(np.flatnonzero(self._times).max(initial=0)))
        numbers = WalkNumbers.of(self._walker.result())
        found = Walked(
            numbers, np.concatenate((chosen, below)), self._edges, self._sums, self._times[: last + 1],
            (self._low, self._high),
        )
        low, high, pos, neg = merged_cells(self._cells, self._budget, self._fences)
        low, high = (end.astype(self._dtype, copy=False) for end in (low, high))
        return ScoreSketch(low, high, pos, neg, self._budget, self._fences, self._losses, found)


def merged_cells(every: list[_native._Cells], budget: int, fences: tuple[float, ...]) -> _native._Cells:
    """The cells of several sketches in one, joined where they are too many."""
    none = ScoreSketch.empty()._cells
    while len(every) > 1:
        pairs = zip(every[::2], [*every[1::2], none][: (len(every) + 1) // 2], strict=True)
        every = [_native.merge_cells(a, b, UNLIMITED, np.zeros(0)) for a, b in pairs]
    return _native.merge_cells(every[0], none, budget, np.array(fences))
