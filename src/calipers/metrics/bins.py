"""Scores cut into bins, for everything that compares promised with observed frequencies."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.errors import InputError
from calipers.statistics.scores import ScoreSamples

Array = npt.NDArray[Any]
RULES = ("width", "mass")


class Bins(NamedTuple):
    """Per bin: edges, weight, mean score, mean outcome and mean of p(1-p); effective rows are weight x shrink."""

    edges: Array
    weight: Array
    shrink: float
    score: Array
    outcome: Array
    variance: Array


def cut(s: ScoreSamples, bins: int, rule: str) -> Bins:
    """Bins [a, b) of equal width over [0, 1], or of equal mass with tied scores kept together; the last is closed.

    Edges of equal-width bins are the doubles nearest to i/bins, so that the same score falls into the same bin
    everywhere.
    """
    if bins != int(bins) or not 1 <= bins <= 10_000:
        raise InputError(f"bins={bins} is not a number of bins: pass a whole number from 1 to 10000")
    if rule not in RULES:
        raise InputError(f"rule={rule} is not known; it is one of {', '.join(RULES)}")
    edges = np.arange(1, bins) / bins if rule == "width" else _quantiles(s, int(bins))
    pos = _sums(s.pos, s.pos_weights, edges)
    weight, squares, total, total2 = pos + _sums(s.neg, s.neg_weights, edges)
    with np.errstate(invalid="ignore", divide="ignore"):
        score, outcome = total / weight, pos[0] / weight
        variance = np.maximum(score - total2 / weight, 0.0)
        shrink = float(weight.sum() / squares.sum())
    return Bins(np.concatenate(([0.0], edges, [1.0])), weight, shrink, score, outcome, variance)


def _sums(values: Array, weights: Array | None, edges: Array) -> Array:
    """By bin: weight, squared weight, and the weighted sums of the scores and of their squares."""
    cuts = [0, *np.searchsorted(values, edges.astype(values.dtype)).tolist(), len(values)]
    return _native.bin_sums(values, weights, cuts)


def _quantiles(s: ScoreSamples, bins: int) -> Array:
    """Scores at which the bins begin; fewer than asked for where ties would have to be cut."""
    every = np.concatenate((s.pos, s.neg))
    if s.pos_weights is None or s.neg_weights is None:
        every.sort(kind="stable")
        at = np.arange(1, bins) * len(every) // bins
    else:  # the least score with more than that much mass at or below it; the order within ties must not matter
        every, tied = np.unique(every, return_inverse=True)
        mass = np.cumsum(np.bincount(tied, np.concatenate((s.pos_weights, s.neg_weights))))
        at = np.searchsorted(mass, np.arange(1, bins) / bins * mass[-1] * (1 + 1e-12), "right")
    begin = every[at.clip(max=len(every) - 1)]
    return np.unique(begin[begin > every[0]])
