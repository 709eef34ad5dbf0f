"""Values of a document as it is read: each is what a document may hold, or an error says where it is not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from calipers.errors import InputError
from calipers.inference.estimate import Estimate

SLACK = 1e-9  # sums of floats may pass the end of a range by this share


def demand(right: bool, where: str, value: Any, allowed: str) -> None:
    """Refuse a value of the document."""
    if not right:
        text = repr(value)
        text = text if len(text) <= 60 else text[:57] + "..."
        raise InputError(f"this document is damaged: {where[:200]} is {text}, and should be {allowed}")


def is_count(value: Any) -> bool:
    """Whether a value counts rows."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


def texts(value: Any, where: str) -> tuple[str, ...]:
    """A list of texts."""
    demand(isinstance(value, list) and all(isinstance(text, str) for text in value), where, value, "a list of texts")
    return tuple(value)


def number(value: Any, where: str) -> float:
    """A number, or the text of an infinite one, which JSON does not have."""
    right = value in ("inf", "-inf") if isinstance(value, str) else isinstance(value, (int, float))
    demand(right and not isinstance(value, bool), where, value, "a number")
    return float(value)


def read_estimate(values: Mapping[str, Any], bounds: tuple[float, float], where: str) -> Estimate:
    """An estimate whose value and interval lie within the range of its metric."""
    value, low, high = (
        math.nan if values[key] is None else number(values[key], f"{where}.{key}") for key in ("value", "low", "high")
    )
    demand(0 < number(values["level"], f"{where}.level") < 1, f"{where}.level", values["level"], "between 0 and 1")
    demand(is_count(values["n"]), f"{where}.n", values["n"], "a whole number, 0 or more")
    for key in ("method", "reason"):
        demand(isinstance(values[key], str), f"{where}.{key}", values[key], "a text")
    texts(values["flags"], f"{where}.flags")
    codes = values.get("codes", {})
    demand(isinstance(codes, Mapping), f"{where}.codes", codes, "codes of remarks by their names")
    whole = not math.isnan(value) and not math.isnan(low)
    demand(math.isnan(low) == math.isnan(high), where, [values["low"], values["high"]], "two bounds or none")
    demand(whole or math.isnan(low), where, values["value"], "a number where there are bounds")
    demand(
        whole or bool(values["reason"]), f"{where}.reason", values["reason"], "why there is no number or no interval"
    )
    for key, entry in (("value", value), ("low", low), ("high", high)):
        slack = SLACK * max(1.0, abs(entry)) if math.isfinite(entry) else 0.0
        within = math.isnan(entry) or bounds[0] - slack <= entry <= bounds[1] + slack
        demand(within, f"{where}.{key}", values[key], f"from {bounds[0]:g} to {bounds[1]:g}")
    demand(
        not whole or low <= high, where, [values["low"], values["high"]], "a lower and an upper bound, in this order"
    )
    return Estimate.of_dict(dict(values))
