"""What all methods of intervals share: their type, their remarks, and the normal interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from calipers.inference.estimate import Interval
from calipers.inference.quantiles import z
from calipers.remarks import Remark

Bounds = tuple[float, float]
Method = Callable[[Any, float, Bounds], Interval]
# An estimate has a flag if it is based on so few rows of its rarest outcome that its coverage may be too low.
# The limit depends on the method (docs/decisions/flags.md): FEW for methods that are only right for many rows,
# FEW_ENOUGH for those that allow for outcomes that were not seen, FEW_WEIGHTED for the latter if rows have weights.
FEW, FEW_ENOUGH, FEW_WEIGHTED = 5, 2, 3
NO_SPREAD = Remark("inference.no_spread")
TOO_FEW = Remark("inference.too_few")
DEGENERATE = Remark("inference.degenerate")


def few_rows(rarest: float, code: str, fewest: float = FEW_ENOUGH) -> tuple[str, ...]:
    """A remark if an estimate is based on fewer than `fewest` rows of its rarest outcome."""
    rounding = 1e-9  # in floating point, (1 - 0.9) * 20 is less than 2
    return (Remark(code, count=rarest),) if rarest < fewest * (1 - rounding) else ()


def on_scale(method: str, scale: str) -> Remark:
    """A method on a scale, which is named where it is not the plain one."""
    if scale == "plain":
        return Remark("inference.on_plain_scale", method=method)
    return Remark("inference.on_scale", method=method, scale=scale)


def normal(value: float, variance: float, level: float, bounds: Bounds) -> Interval:
    """The estimate ± z·sd, clipped to the range. Zero variance gives zero width, and a flag that says so."""
    reach = z(level) * math.sqrt(max(0.0, variance))
    flags = () if reach > 0 else (DEGENERATE,)
    return Interval(max(bounds[0], value - reach), min(bounds[1], value + reach), "normal", flags)


def no_interval(why: str) -> Interval:
    """An interval without ends: the reason stands in place of the method."""
    return Interval(math.nan, math.nan, why)
