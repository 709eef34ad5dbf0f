"""The axis of scores that the histogram, the cost curve and the threshold share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from calipers.statistics.scores import ScoreSamples

BINS, TICKS = 40, 5
# Percent of the width: where the axis begins and ends, and where thresholds stand that predict all or none.
LEFT, RIGHT, ALL, NONE = 3.0, 88.0, 1.0, 96.0
HALF = 46.0  # percent of the height that the tallest bar takes; positives stand above the middle, negatives below


@dataclass(frozen=True)
class Axis:
    """From the lowest to the highest tick."""

    ticks: tuple[float, ...]

    def place(self, score: float) -> float:
        """Where a score stands, in percent of the width."""
        if math.isinf(score):
            return NONE if score > 0 else ALL
        low, high = self.ticks[0], self.ticks[-1]
        return round(LEFT + (RIGHT - LEFT) * min(max((score - low) / (high - low), 0.0), 1.0), 3)

    @property
    def bins(self) -> list[tuple[float, float]]:
        """Begin and width of each bar, in percent of the width."""
        width = (RIGHT - LEFT) / BINS
        return [(round(LEFT + i * width, 3), round(width * 0.92, 3)) for i in range(BINS)]

    def heights(self, samples: ScoreSamples) -> tuple[list[float], list[float]]:
        """The bars of both classes, each in percent of its tallest; what is infinite is in the end bins."""
        edges = np.linspace(self.ticks[0], self.ticks[-1], BINS + 1)
        sides = (samples.pos, samples.pos_weights), (samples.neg, samples.neg_weights)
        return _heights(*sides[0], edges), _heights(*sides[1], edges)


def _heights(scores: Any, weights: Any, edges: Any) -> list[float]:
    mass = np.histogram(np.clip(scores.astype(np.float64), edges[0], edges[-1]), edges, weights=weights)[0]
    tallest = mass.max()
    # A bar of few rows stays visible beside a tall one.
    return [round(max(100 * float(m) / tallest, 1.5), 1) if m > 0 else 0 for m in mass]


def axis_of(every: Sequence[ScoreSamples], used: float | None) -> Axis:
    """Round ticks around all scores; from 0 to 1 for probabilities that take more than half of it."""
    from matplotlib.ticker import MaxNLocator

    parts = [part[np.isfinite(part)] for samples in every for part in (samples.pos, samples.neg)]
    ends = [float(part[i]) for part in parts if len(part) for i in (0, -1)]
    ends += [] if used is None or not math.isfinite(used) else [used]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    if all(samples.probabilities for samples in every) and (high - low > 0.5 or not ends):
        low, high = 0.0, 1.0
    if low == high:
        low, high = low - 0.5, high + 0.5
    ticks = MaxNLocator(TICKS, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    return Axis(tuple(float(f"{tick:.10g}") for tick in ticks))
