"""The error of a mean that was computed from some of the rows."""

from __future__ import annotations

import math

from calipers.inference.estimate import Interval
from calipers.inference.method import TOO_FEW, Bounds, no_interval
from calipers.inference.quantiles import t
from calipers.metrics.agreement import Subsample
from calipers.remarks import Remark


def subsample(v: Subsample, level: float, bounds: Bounds) -> Interval:
    """Student's t with the correction for a finite population: by how much the mean of all rows may differ."""
    if v.drawn < 2:
        return no_interval(TOO_FEW)
    reach = t(level, v.drawn - 1) * math.sqrt(v.variance / v.drawn * (1 - v.drawn / v.rows))
    low, high = max(bounds[0], v.value - reach), min(bounds[1], v.value + reach)
    return Interval(low, high, Remark("inference.subsample", count=v.drawn, total=v.rows))
