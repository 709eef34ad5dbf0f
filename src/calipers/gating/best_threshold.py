"""The best value of a metric among the thresholds that meet a condition, at the levels that a gate needs.

Every resample chooses its own threshold. The interval of a fixed one would say too much: what meets the condition by
chance moves the threshold, and with it the value (benchmarks/chosen_trials.py).
"""

from __future__ import annotations

import math
from dataclasses import replace

from calipers.evaluation.estimates import estimate
from calipers.evaluation.evaluation import Evaluation
from calipers.inference.estimate import Estimate
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.conditions import Bar, conditioned

TAIL, MOST = 10, 10_000  # the fewest resamples beyond each bound; the most resamples


def measure_at(bar: Bar, condition: Bar) -> Measure:
    """The metric at the best threshold that meets the condition.

    Its direction is that of the requirement: also a metric that is neither better high nor low can have a limit.
    """
    return conditioned(CATALOGUE, CATALOGUE[bar.metric], condition, 1 if bar.upwards else -1)


def best_value(of: Evaluation, measure: Measure, index: int | None, level: float) -> Estimate:
    """The best value with an interval at a level, with enough resamples beyond each bound."""
    needed = min(MOST, math.ceil(2 * TAIL / (1 - level)))
    settings = replace(of.settings, level=level, interval=None, replicates=max(of.settings.replicates, needed))
    return estimate(measure, of.views, settings, index)
