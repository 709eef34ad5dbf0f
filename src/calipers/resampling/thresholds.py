"""The best value among thresholds in samples drawn again, each of which chooses its own threshold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.base import Measure
from calipers.metrics.conditions import best_of
from calipers.progress import with_progress
from calipers.statistics.confusion import OneVsRest
from calipers.statistics.scores import ScoreSamples

if TYPE_CHECKING:
    from calipers.resampling.bootstrap import Bootstrap

Array = npt.NDArray[Any]
EACH, TOP = 350, 300  # thresholds that a sample chooses from: by rank in each class, and of the highest scores
FEWEST, USUAL, MOST_ROWS = 400, 1000, 200_000_000  # samples; rows drawn in all, where no more samples are asked for


def drawn(bootstrap: Bootstrap, measure: Measure) -> Array:
    """The best value in each sample; the worst one there is where no threshold meets the condition."""
    rule = best_of(measure)
    assert rule is not None
    samples, keys = bootstrap.ordered(measure)
    count = bootstrap.count
    if FEWEST < count <= USUAL:
        count = max(FEWEST, min(count, MOST_ROWS // samples.rows))
    with np.errstate(all="ignore"):
        return np.array([rule.best(counts) for counts in _counts(bootstrap, samples, keys, count)])


def _counts(
    bootstrap: Bootstrap, samples: ScoreSamples, keys: tuple[Array | None, Array | None], count: int
) -> Iterator[OneVsRest]:
    """The four counts at the thresholds in one sample after the other."""
    thresholds = grid(samples)
    above = [_above(part, thresholds) for part in (samples.pos, samples.neg)]
    for replicate in with_progress(range(count), count):
        weights = bootstrap.weighed(samples, keys, replicate)
        (tp, pos), (fp, neg) = (add(w) for add, w in zip(above, weights, strict=True))
        yield OneVsRest(tp, fp, pos - tp, neg - fp)


def grid(samples: ScoreSamples) -> Array:
    """Thresholds from +inf down: all scores where they are few, else every n-th of each class and the highest ones."""
    every = np.unique(np.concatenate((samples.pos, samples.neg)))
    if len(every) > 2 * EACH + TOP:
        parts = [part[:: max(1, len(part) // EACH)] for part in (samples.pos, samples.neg)]
        every = np.unique(np.concatenate((*parts, every[-TOP:])))
    return np.append(every, np.inf)[::-1]


def _above(values: Array, thresholds: Array) -> Callable[[Array], tuple[Array, float]]:
    """What adds up the weights of sorted values at or above each threshold, and all of them: one pass, no long sums."""
    places = np.searchsorted(values, thresholds)
    edges = np.unique(np.append(places, (0, len(values))))
    at = np.searchsorted(edges, places)

    def add(weights: Array) -> tuple[Array, float]:
        below = np.zeros(len(edges))
        np.cumsum(np.add.reduceat(weights, edges[:-1], dtype=np.float64), out=below[1:])
        return below[-1] - below[at], float(below[-1])

    return add
