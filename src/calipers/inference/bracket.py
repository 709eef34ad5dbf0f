"""Intervals of values that are known up to a bracket, because rows are known only by a summary."""

from __future__ import annotations

import math
from collections.abc import Callable

from calipers.inference.estimate import Interval
from calipers.inference.intervals import interval
from calipers.inference.method import Bounds
from calipers.metrics.values import Value, Without
from calipers.remarks import Remark


def over_bracket(
    find: Callable[[], Interval], point: float, ends: tuple[Value, Value], level: float, bounds: Bounds
) -> Interval:
    """The interval of a value between two ends: from the lowest bound to the highest of the value and both ends.

    Ends without an interval of their own move the bounds of the value by their distance from it.
    """
    own = find()
    low, high = (float(end.value) for end in ends)
    note = Remark("inference.bracket", distance=_rounded_up(max(point - low, high - point)))
    if math.isnan(own.low):
        return own._replace(notes=(*own.notes, note))
    moved = own.low - (point - low), own.high + (high - point)
    others = [interval(end, level, bounds) for end in ends if not isinstance(end, Without)]
    known = [each for each in others if not math.isnan(each.low)]
    least, greatest = (min(e.low for e in known), max(e.high for e in known)) if len(known) == len(ends) else moved
    return own._replace(
        low=max(bounds[0], min(own.low, least)), high=min(bounds[1], max(own.high, greatest)), notes=(*own.notes, note)
    )


def _rounded_up(distance: float) -> float:
    """With two digits, at least the distance.

    >>> _rounded_up(0.00012345), _rounded_up(0.0)
    (0.00013, 0.0)
    """
    if not 0 < distance < math.inf:
        return distance
    unit = 10.0 ** (math.floor(math.log10(distance)) - 1)
    return float(f"{math.ceil(distance / unit) * unit:.2g}")
