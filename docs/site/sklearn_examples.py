"""An example of every function of `calipers.sklearn`: a call with small data, and what it returns."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

import calipers.sklearn

LABELS = ([0, 1, 1, 0, 1, 0], [0, 1, 0, 1, 1, 0])
SCORES = ([0, 1, 1, 0, 1, 0], [0.1, 0.8, 0.4, 0.6, 0.9, 0.2])
NUMBERS = ([3.0, 2.5, 4.0, 7.0], [2.5, 3.0, 4.0, 8.0])
MATRICES = ([[1, 0, 0], [0, 1, 1]], [[0.8, 0.3, 0.1], [0.6, 0.7, 0.2]])
CLUSTERS = ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2])
POINTS = ([[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0]], [0, 0, 1, 1])
# Functions that take other data than their arguments say, or one argument more.
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "auc": ([0.0, 0.5, 1.0], [0.0, 0.75, 1.0]),
    "hinge_loss": ([-1, 1, 1, -1], [-0.8, 0.9, 0.3, 0.2]),
    "consensus_score": (([[True, False]], [[False, True]]), ([[True, False]], [[False, True]])),
    **dict.fromkeys(("coverage_error", "dcg_score", "ndcg_score", "label_ranking_loss"), MATRICES),
    "label_ranking_average_precision_score": MATRICES,
    "top_k_accuracy_score": ([0, 2, 1], [[0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.2, 0.5, 0.3]]),
}
KEYWORDS: dict[str, dict[str, Any]] = {
    "fbeta_score": {"beta": 2},
    "metric_at_thresholds": {"metric_func": calipers.sklearn.accuracy_score},
}


def arguments(name: str) -> tuple[Any, ...]:
    """Data that a function takes, by the names of its first arguments."""
    function = getattr(calipers.sklearn, name)
    first, second, *_ = inspect.signature(function).parameters
    if name in ARGUMENTS:
        return ARGUMENTS[name]
    if first == "X":
        return POINTS
    if first == "labels_true":
        return CLUSTERS
    if second in ("y_score", "y_proba"):
        return SCORES
    return NUMBERS if function.__module__.endswith("regression") else LABELS


def example(name: str) -> str:
    """A call and its result, as Python shows them; a number with four decimals."""
    given, more = arguments(name), KEYWORDS.get(name, {})
    result = getattr(calipers.sklearn, name)(*given, **more)
    keywords = [f"{key}={getattr(value, '__name__', repr(value))}" for key, value in more.items()]
    call = f"{name}({', '.join([*map(repr, given), *keywords])})"
    imported = sorted({name, *(value.__name__ for value in more.values() if inspect.isfunction(value))})
    shown = call
    if isinstance(result, str):
        shown = f"print({call})"
    elif isinstance(result, float):
        shown, result = f"round({call}, 4)", round(result, 4)
    with np.printoptions(precision=4, suppress=True):
        text = result if isinstance(result, str) else repr(result)
    return f"```python\n>>> from calipers.sklearn import {', '.join(imported)}\n>>> {shown}\n{text}\n```"
