"""What all methods of intervals share: their type, their remarks, and the normal interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from calipers.inference.estimate import Interval
from calipers.inference.quantiles import z

Bounds = tuple[float, float]
Method = Callable[[Any, float, Bounds], Interval]
FEW = 5  # an estimate that rests on fewer rows of its rarest outcome says so
NO_SPREAD = "the rows show no spread"
TOO_FEW = "too few rows to show a spread"
DEGENERATE = "degenerate: no spread was seen, which is no certainty"


def few_rows(rarest: float, of: str) -> tuple[str, ...]:
    """A remark where an estimate rests on fewer than FEW rows of its rarest outcome."""
    return (f"rests on {rarest:.3g} {of}",) if rarest < FEW else ()


def normal(value: float, variance: float, level: float, bounds: Bounds) -> Interval:
    """Lay z·sd on both sides, clipped to the range. No variance: no width, which the flag says is no certainty."""
    reach = z(level) * math.sqrt(max(0.0, variance))
    flags = () if reach > 0 else (DEGENERATE,)
    return Interval(max(bounds[0], value - reach), min(bounds[1], value + reach), "normal", flags)


def no_interval(why: str) -> Interval:
    """An interval without ends: the reason stands in place of the method."""
    return Interval(math.nan, math.nan, why)
