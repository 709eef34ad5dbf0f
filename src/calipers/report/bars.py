"""Intervals as bars: where an estimate, its bounds and its mark are between the ends of a scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from calipers.metrics.base import CATALOGUE
from calipers.report.layout import Bar

if TYPE_CHECKING:
    from calipers.answers import Card
    from calipers.inference.estimate import Estimate
    from calipers.metrics.base import Measure


def bar_of_card(card: Card) -> Bar | None:
    """The interval on the range of its metric; where that has no end, on a range that holds interval and mark."""
    e = card.estimate
    if e is None or not (math.isfinite(e.low) and math.isfinite(e.high)):
        return None
    span, metric = (float(e), e.low, e.high), CATALOGUE[card.metric].metric
    if "candidate" in card.numbers:
        return around_zero(e, lower=metric.better == "lower")
    return bar(span, card.mark, scale(card.metric, (e.low, e.high, card.mark)))


def around_zero(e: Estimate, *, lower: bool) -> Bar:
    """The interval of a difference, 0 in the middle; right is better, of losses (lower) too."""
    most = 1.25 * (max(abs(e.low), abs(e.high)) or 1.0)
    span = (float(e), e.high, e.low) if lower else (float(e), e.low, e.high)
    return bar(span, 0.0, (most, -most) if lower else (-most, most))


def scale(metric: str, values: Sequence[float]) -> tuple[float, float]:
    """The ends of a bar: those of the metric, or of the values where the metric has none or they crowd at 0."""
    low, high = CATALOGUE[metric].metric.bounds
    known = [x for x in values if math.isfinite(x)]
    largest = max(map(abs, known), default=1.0) or 1.0
    if metric == "bias":
        return -1.25 * largest, 1.25 * largest
    if CATALOGUE[metric].metric.better == "lower" and low == 0:
        return 0.0, min(high, 1.25 * largest)
    return (low if math.isfinite(low) else min(0.0, *known)), (high if math.isfinite(high) else 1.25 * largest)


def bar_of(measure: Measure, e: Estimate, mark: float) -> Bar | None:
    """The interval of a metric on its range; none where neither end of the range is better than the other."""
    known = math.isfinite(e.low) and math.isfinite(e.high)
    if not known or not (measure.metric.better or measure.metric.name == "bias"):
        return None
    return bar((float(e), e.low, e.high), mark, scale(measure.name, (e.low, e.high, mark)))


def bar(estimate: tuple[float, float, float], mark: float, ends: tuple[float, float]) -> Bar:
    """Value, bounds and mark as places between two ends."""
    low, high = ends

    def place(x: float) -> float:
        return min(1.0, max(0.0, (x - low) / (high - low)))

    value, begin, end = map(place, estimate)
    return Bar(begin, end, value, None if math.isnan(mark) else place(mark))
