"""Parameters of metrics as people give them: those that differ from their defaults, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.errors import InputError, nearest

if TYPE_CHECKING:
    from calipers.metrics.base import Metric

SMALLEST, LARGEST = 1e-15, 1e15  # limits of a parameter, so that squares and fourth powers do not overflow


def other_than_default(metric: Metric, parameters: Mapping[str, Any], asked: str) -> dict[str, Any]:
    """The parameters that differ from the metric's defaults; `asked` is what was asked for."""
    known: dict[str, Any] = {}
    for key, given in parameters.items():
        value: Any = matrix_text(given) if isinstance(given, (list, tuple, np.ndarray)) else given
        if key == "average":
            continue
        if key not in metric.parameters:
            allowed = [*metric.parameters, *(["average"] if metric.averages else [])]
            if not allowed:
                raise InputError("metrics.no_parameters", asked=asked, metric=metric.name)
            near = nearest(key, allowed)
            raise InputError("metrics.unknown_parameter", asked=asked, metric=metric.name, key=key, near=near)
        default = metric.parameters[key]
        kind, shown = _kind(default), str(value)[:60]
        if _kind(value) != kind:
            if kind == "word":
                raise InputError("metrics.not_a_word", asked=asked, key=key, value=shown, example=default)
            code = "metrics.not_true_or_false" if kind == "truth value" else "metrics.not_a_number"
            raise InputError(code, asked=asked, key=key, value=shown)
        if kind == "number" and value not in (default, 0) and not SMALLEST <= abs(value) <= LARGEST:
            code = "metrics.cutoff_of_no_size" if key == "k" else "metrics.number_of_no_size"
            limits = {"low": f"{SMALLEST:g}", "high": f"{LARGEST:g}"}
            raise InputError(code, asked=asked, key=key, value=shown, **limits)
        if key == "k" and value != default and not (value >= 1 and float(value).is_integer()):
            raise InputError("metrics.not_a_cutoff", asked=asked, value=str(value))
        if value != default:
            known[key] = type(default)(value) if isinstance(default, float) else value
    return known


def matrix_text(matrix: Any) -> str:
    """A matrix as a word, which names can have: rows between slashes, numbers between colons.

    >>> matrix_text([[0, 1], [2.5, 0]])
    '0:1/2.5:0'
    """
    rows = np.atleast_2d(np.asarray(matrix, object)).tolist()
    return "/".join(":".join(map(str, row)) for row in rows)


def _kind(value: Any) -> str:
    return "truth value" if isinstance(value, bool) else "number" if isinstance(value, (int, float)) else "word"
