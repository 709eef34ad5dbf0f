"""Shares of rows with weights: how many rows of equal weight would vary as much."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.metrics.values import Combination, FScore, Largest, Number, Proportion
from calipers.remarks import Remark
from calipers.statistics.confusion import OneVsRest

HEAVY = 0.2  # of all rows: with fewer effective rows, a few heavy ones decide (docs/decisions/flags.md)
MANY = 50  # effective rows; with more, heavy rows of either outcome were drawn


def smoothed(raw: Any, second: Any) -> Any:
    """Put the effective number of rows beside weighted counts; `second` has the squared weights of the same rows."""
    if isinstance(raw, Combination):
        pairs = zip(raw.terms, second.terms, strict=True)
        return raw._replace(terms=[(c, smoothed(p, s)) for (c, p), (_, s) in pairs])
    if isinstance(raw, FScore):
        trials, squares = raw.tp + raw.fp + raw.fn, second.tp + second.fp + second.fn
        return raw._replace(shrink=effective_rows(raw.tp, trials, second.tp, squares) / trials)
    sums = raw.hits, raw.trials, second.hits, second.trials
    return raw._replace(effective=effective_rows(*sums), rarer=rarer_rows(*sums))


def weighted(value: Any) -> bool:
    """Whether the rows behind a share, or behind the shares of a sum, have weights."""
    if isinstance(value, Combination):
        return any(weighted(p) for _, p in value.terms)
    return isinstance(value, (Proportion, Largest)) and value.effective is not None


def of_equal_weights(value: Any) -> Any:
    """The value with a note that all rows have the same weight, where that is of interest."""
    if isinstance(value, Combination):
        return value._replace(terms=[(c, of_equal_weights(p)) for c, p in value.terms])
    return value._replace(equal_weights=True) if isinstance(value, (Proportion, Largest)) else value


def few_have_the_weight(c: OneVsRest, rows: int) -> tuple[str, ...]:
    """A remark where so few rows have most of the weight that the value depends on which of them were drawn.

    Their effective number (Kish 1965) is then below a fifth of all rows, and below 50.
    """
    if c.squares is None:
        return ()
    weight, squares = (float(sum(x[..., 0] for x in each)) for each in (c.counts, c.squares))
    if not (squares > 0 and (effective := weight**2 / squares) < min(HEAVY * rows, MANY)):
        return ()
    return (Remark("metrics.few_have_the_weight", rows=rows, count=effective),)


def rarer_rows(hits: Number, trials: Number, hits2: Number, trials2: Number) -> Number:
    """As how many rows of equal weight the fewer of hits and misses count (Kish 1965), each by its own weights.

    >>> float(rarer_rows(58.0, 98.0, 58.0, 858.0))
    2.0
    """
    both = (hits, hits2), (trials - hits, trials2 - hits2)
    return np.fmin(*(np.where(squares > 0, w * w / np.maximum(squares, 1e-300), 0) for w, squares in both))


def effective_rows(hits: Number, trials: Number, hits2: Number, trials2: Number) -> Number:
    """How many rows of equal weight would vary as much as this share of weighted ones.

    The variance of a share p is (1-p)² Σw² of the hits plus p² Σw² of the misses, over W²: what counts is how heavy
    hits and misses are, not how much all weights differ (Kish 1965). With few rows of an outcome its weight is hardly
    known, so that one row more of a typical weight is added to either.

    >>> effective_rows(30.0, 60.0, 90.0, 180.0)
    20.0
    >>> round(effective_rows(380.0, 540.0, 380.0, 380 + 20 * 64.0), 1)
    92.1
    """
    typical = trials2 / trials
    of_hits = (hits2 + typical**2) / (hits + typical)
    of_misses = (trials2 - hits2 + typical**2) / (trials - hits + typical)
    share = hits / trials
    return trials / ((1 - share) * of_hits + share * of_misses)
