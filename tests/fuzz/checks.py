"""What must hold for whatever the library returns."""

from __future__ import annotations

import math
from typing import Any

import brute

from calipers.metrics.base import CATALOGUE

SLACK = 1e-9


class Disagreement(AssertionError):
    """An answer that contradicts its definition, its bounds or itself."""


def demand(holds: bool, sentence: str) -> None:
    """Raise a disagreement unless it holds."""
    if not holds:
        raise Disagreement(sentence)


def estimate(name: str, e: Any, *, bootstrap: bool = False) -> None:
    """A value lies within the range of its metric and between its bounds; what is missing has a reason."""
    low_end, high_end = CATALOGUE[name].metric.bounds
    text = str(e)
    if math.isnan(e):
        demand(bool(e.reason), f"{name} is NaN without a reason")
        demand(math.isnan(e.low) and math.isnan(e.high), f"{name} is NaN and has bounds [{e.low}, {e.high}]")
        return
    slack = SLACK * max(1.0, abs(e))
    demand(low_end - slack <= e <= high_end + slack, f"{name} = {float(e)!r} is outside [{low_end}, {high_end}]")
    if math.isnan(e.low) or math.isnan(e.high):
        demand(math.isnan(e.low) and math.isnan(e.high), f"{name} has one bound: [{e.low}, {e.high}]")
        demand(bool(e.reason), f"{name} has neither an interval nor a reason")
        return
    demand(low_end <= e.low and e.high <= high_end, f"{name}: bounds [{e.low!r}, {e.high!r}] leave the range ({text})")
    demand(e.low <= e.high, f"{name}: bounds are in the wrong order ({e.low!r}, {e.high!r})")
    if not bootstrap and "resamples" not in e.method:  # these may leave the estimate out, with a flag
        demand(e.low - slack <= e <= e.high + slack, f"{name}: {float(e)!r} is outside [{e.low!r}, {e.high!r}]")


def equal(found: Any, wanted: brute.Values, context: str) -> int:
    """Every value equals its brute-force twin; returns how many were compared."""
    for name, right in wanted.items():
        value = float(found(name))
        if right is None:
            demand(math.isnan(value), f"{context}: {name} is {value!r}, and it is undefined")
        else:
            close = math.isclose(value, right, rel_tol=SLACK, abs_tol=SLACK)
            demand(close, f"{context}: {name} is {value!r}, by its definition {right!r}")
    return len(wanted)


def by_definition(case: Any) -> brute.Values:
    """What brute force gives for an ordinary problem."""
    weights = case.weights or [1.0] * len(case.truth)
    if case.kind == "numbers":
        return brute.of_numbers(case.truth, case.pred, weights)
    if case.kind == "label sets":
        return brute.of_label_sets(case.truth, case.pred, weights)
    if case.kind == "matrix":
        return brute.of_matrix([case.labels.index(t) for t in case.truth], case.score, weights)
    if case.kind == "classes":
        return brute.of_labels(case.truth, case.pred, weights, case.labels)
    positive = case.labels[1]
    truth = [t == positive for t in case.truth]
    if case.kind == "binary labels":
        pred = [p == positive for p in case.pred]
        found: brute.Values = {}
    else:
        cut = case.options.get("threshold", 0.5)
        pred = [s >= cut for s in case.score]
        found = brute.of_scores(truth, case.score, weights)
        if case.kind == "probabilities":
            found |= brute.of_probabilities(truth, case.score, weights)
    cells = {(a, b): 0.0 for a in (True, False) for b in (True, False)}
    for t, p, w in zip(truth, pred, weights, strict=True):
        cells[t, p] += w
    return found | brute.of_one_class(cells[True, True], cells[False, True], cells[True, False], cells[False, False])
