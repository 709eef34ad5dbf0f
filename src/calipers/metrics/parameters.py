"""Parameters of metrics as people give them: those that differ from their defaults, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from calipers.errors import InputError, nearest, quoted

if TYPE_CHECKING:
    from calipers.metrics.base import Metric

SMALLEST, LARGEST = 1e-15, 1e15  # of a parameter: their squares and fourth powers are numbers too


def other_than_default(metric: Metric, parameters: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The parameters that differ from the metric's defaults; `text` is what was asked for, as messages quote it."""
    known: dict[str, Any] = {}
    for key, value in parameters.items():
        if key == "average":
            continue
        if key not in metric.parameters:
            allowed = [*metric.parameters, *(["average"] if metric.averages else [])]
            hint = f"has no parameter {quoted(key)}; {nearest(key, allowed)}" if allowed else "takes no parameters"
            raise InputError(f"{text}: {metric.name} {hint}")
        default = metric.parameters[key]
        kind = _kind(default)
        if _kind(value) != kind:
            expected = f"{kind} such as {default}" if kind == "a word" else kind
            raise InputError(f"{text}: {key}={str(value)[:60]} should be {expected}")
        if kind == "a number" and value not in (default, 0) and not SMALLEST <= abs(value) <= LARGEST:
            size = f"{SMALLEST:g} to {LARGEST:g} in size" + ("" if key == "k" else ", or 0")
            raise InputError(f"{text}: {key}={str(value)[:60]} should be a number from {size}")
        if key == "k" and value != default and not (value >= 1 and float(value).is_integer()):
            raise InputError(f"{text}: k={value} is not a cutoff: pass a whole number, 1 or more")
        if value != default:
            known[key] = type(default)(value) if isinstance(default, float) else value
    return known


def _kind(value: Any) -> str:
    return "true or false" if isinstance(value, bool) else "a number" if isinstance(value, (int, float)) else "a word"
