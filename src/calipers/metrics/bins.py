"""Scores cut into bins, for everything that compares promised with observed frequencies."""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from calipers.choices import BinRule, ClosedSide
from calipers.errors import InputError
from calipers.statistics.scores import ScoreSamples

Array = npt.NDArray[Any]
RULES: tuple[str, ...] = get_args(BinRule)
SIDES: tuple[str, ...] = get_args(ClosedSide)


class Bins(NamedTuple):
    """Per bin: edges, weight, mean score, mean outcome and mean of p(1-p); effective rows are weight x shrink."""

    edges: Array
    weight: Array
    shrink: float
    score: Array
    outcome: Array
    variance: Array


def binned(s: ScoreSamples, bins: int, rule: str, closed: str = "left") -> Bins:
    """Bins [a, b) of equal width over [0, 1], or of equal mass with tied scores kept together; the last is closed.

    closed="right": bins (a, b], of which the first is closed. "quantile": edges are the quantiles of the scores.

    Edges of equal-width bins are the doubles nearest to i/bins, so that the same score falls into the same bin
    everywhere. "sas": equal mass by the rule of PROC LOGISTIC.
    """
    if bins != int(bins) or not 1 <= bins <= 10_000:
        raise InputError("metrics.not_a_number_of_bins", bins=str(bins))
    if rule not in RULES:
        raise InputError("metrics.unknown_value", name="rule", value=rule, known=RULES)
    if closed not in SIDES:
        raise InputError("metrics.unknown_value", name="closed", value=closed, known=SIDES)
    edges = _width(bins) if rule == "width" else OF_MASS[rule](s, int(bins))
    pos, neg = s.sums_between(edges, closed)
    weight, squares, total, total2 = pos + neg
    with np.errstate(invalid="ignore", divide="ignore"):
        score, outcome = total / weight, pos[0] / weight
        variance = np.maximum(score - total2 / weight, 0.0)
        shrink = 1.0 if s.repeated else float(weight.sum() / squares.sum())
    return Bins(np.concatenate(([0.0], edges, [1.0])), weight, shrink, score, outcome, variance)


def mean_gap(weight: Array, gap: Array) -> Array:
    """The weighted mean of gaps over bins (last axis), from the weight and the sum of outcome less score of each."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(gap).sum(-1) / weight.sum(-1))


def mean_squared_gap(weight: Array, gap: Array) -> Array:
    """The same of squared gaps."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(weight > 0, gap * gap / weight, 0.0).sum(-1) / weight.sum(-1))


def largest_gap(weight: Array, gap: Array) -> Array:
    """The largest gap of a bin that holds rows."""
    with np.errstate(invalid="ignore", divide="ignore"):
        largest = np.where(weight > 0, np.abs(gap) / weight, -1.0).max(-1)
    return np.asarray(np.where(largest < 0, np.nan, largest))


def codes_of_width(values: Array, bins: int, closed: str = "left") -> Array:
    """The bin of equal width that each score lies in, by the same edges."""
    if closed == "right":
        return np.searchsorted(_width(bins).astype(values.dtype), values, "left").astype(np.uint32)
    edges = np.concatenate(([-np.inf], _width(bins), [np.inf])).astype(values.dtype)
    codes = (values * bins).astype(np.intp)
    codes.clip(0, bins - 1, out=codes)
    # Off by one where the product was rounded over an edge.
    codes += values >= edges[codes + 1]
    codes -= values < edges[codes]
    return codes.astype(np.uint32)


def _width(bins: int) -> Array:
    return np.arange(1, bins) / bins


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


def _as_sas(s: ScoreSamples, bins: int) -> Array:
    """Scores at which the groups of PROC LOGISTIC begin (SAS/STAT User's Guide, The Hosmer-Lemeshow Test).

    Tied scores are blocks. With M = [N / bins + 1/2], the next block of n rows joins a group of c rows while c < M and
    c + [n / 2] <= M; each group counts anew. A last group of at most [N / (2 bins)] rows joins the one before it.
    """
    if s.pos_weights is not None and not s.repeated:
        raise InputError("metrics.sas_with_weights")
    scores, tied = np.unique(np.concatenate((s.pos, s.neg)), return_inverse=True)
    counts = None if s.pos_weights is None or s.neg_weights is None else np.concatenate((s.pos_weights, s.neg_weights))
    sizes = np.bincount(tied, counts).astype(np.int64)
    total = np.concatenate(([0], np.cumsum(sizes)))
    rows, first, begins = int(total[-1]), 0, []
    target = int(rows / bins + 0.5)
    while first < len(scores):
        begins.append(first)
        small = slice(first + 1, min(int(np.searchsorted(total, total[first] + target)), len(scores)))  # c < M
        joined = total[small] - total[first] + sizes[small] // 2 <= target
        first += 1 + int(np.append(joined, False).argmin())
    if len(begins) > 1 and rows - total[begins[-1]] <= int(rows / (2 * bins)):
        begins.pop()
    return np.asarray(scores[begins[1:]])


def _by_quantiles(s: ScoreSamples, bins: int) -> Array:
    """Quantiles of the scores, as scikit-learn's calibration_curve takes them; of rows with weights the least score
    with so much weight at or below it."""
    every = np.concatenate((s.pos, s.neg)).astype(np.float64)
    if not len(every):
        return every
    shares = np.arange(1, bins) / bins
    if s.pos_weights is None or s.neg_weights is None:
        return np.unique(np.quantile(every, shares))
    weights = np.concatenate((s.pos_weights, s.neg_weights))
    return np.unique(np.quantile(every, shares, weights=weights, method="inverted_cdf"))


OF_MASS = {"mass": _quantiles, "quantile": _by_quantiles, "sas": _as_sas}
