"""Values of a document as it is read: each is what a document may hold, or an error says where it is not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from calipers.errors import InputError
from calipers.inference.estimate import Estimate

SLACK = 1e-9  # sums of floats may pass the end of a range by this share


def demand(right: bool, where: str, given: Any, allowed: str) -> None:
    """Refuse a value of the document."""
    if not right:
        shown = repr(given)
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        raise InputError(f"this document is damaged: {where[:200]} is {shown}, and should be {allowed}")


def is_count(given: Any) -> bool:
    """Whether a value counts rows."""
    return isinstance(given, int) and not isinstance(given, bool) and 0 <= given < 2**63


def texts(given: Any, where: str) -> tuple[str, ...]:
    """A list of texts."""
    demand(isinstance(given, list) and all(isinstance(text, str) for text in given), where, given, "a list of texts")
    return tuple(given)


def number(given: Any, where: str) -> float:
    """A number, or the text of an infinite one, which JSON does not have."""
    right = given in ("inf", "-inf") if isinstance(given, str) else isinstance(given, (int, float))
    demand(right and not isinstance(given, bool), where, given, "a number")
    return float(given)


def read_estimate(told: Mapping[str, Any], bounds: tuple[float, float], where: str) -> Estimate:
    """An estimate whose value and interval lie within the range of its metric."""
    value, low, high = (
        math.nan if told[key] is None else number(told[key], f"{where}.{key}") for key in ("value", "low", "high")
    )
    demand(0 < number(told["level"], f"{where}.level") < 1, f"{where}.level", told["level"], "between 0 and 1")
    demand(is_count(told["n"]), f"{where}.n", told["n"], "a whole number, 0 or more")
    for key in ("method", "reason"):
        demand(isinstance(told[key], str), f"{where}.{key}", told[key], "a text")
    texts(told["flags"], f"{where}.flags")
    whole = not math.isnan(value) and not math.isnan(low)
    demand(math.isnan(low) == math.isnan(high), where, [told["low"], told["high"]], "two bounds or none")
    demand(whole or math.isnan(low), where, told["value"], "a number where there are bounds")
    demand(whole or bool(told["reason"]), f"{where}.reason", told["reason"], "why there is no number or no interval")
    for key, given in (("value", value), ("low", low), ("high", high)):
        slack = SLACK * max(1.0, abs(given)) if math.isfinite(given) else 0.0
        within = math.isnan(given) or bounds[0] - slack <= given <= bounds[1] + slack
        demand(within, f"{where}.{key}", told[key], f"from {bounds[0]:g} to {bounds[1]:g}")
    demand(not whole or low <= high, where, [told["low"], told["high"]], "a lower and an upper bound, in this order")
    return Estimate.of_dict(dict(told))
