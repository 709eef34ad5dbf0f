"""Splits scores by class and sorts each class: the one sort behind every score metric. Sorted samples become one."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers import _native
from calipers.statistics.sort_choice import numpy_is_faster

Array = NDArray[Any]

# With fewer rows, starting a thread (about 60 µs) takes longer than half of the sort.
_LEAST_FOR_THREADS = 100_000


class Groups(NamedTuple):
    """Distinct scores in ascending order, with how many positives and negatives have each."""

    scores: Array
    positives: NDArray[np.uint32]
    negatives: NDArray[np.uint32]


class Samples(NamedTuple):
    """The scores of positives and negatives, each ascending; both are views of one buffer.

    `area` is what `_native.walk(pos, neg, False)` gives, where it was found on the way, and `groups` the distinct
    scores, where there are so few that they were counted.
    """

    pos: Array
    neg: Array
    pos_weights: Array | None
    neg_weights: Array | None
    low: float
    high: float
    nans: int
    first_nan: int
    area: _native.Walk | None = None
    groups: Groups | None = None


def sorted_samples(scores: Array, codes: Array, positive: int, weights: Array | None = None) -> Samples:
    """Sorted positives and negatives. Rows of weight 0 are absent; rows of equal scores keep their order."""
    if weights is not None:
        return _weighted(scores, codes, positive, weights)
    for_numpy = numpy_is_faster(len(scores))
    split = _native.split_scores(scores, codes, positive, for_numpy)
    values, bounds, ascending, nans, first_nan, low, high, counted = split
    low_pos, positives, low_neg = bounds
    if not all(ascending):
        cuts = (0, low_pos, positives, low_neg, len(values))
        parts = [None if done else values[a:b] for a, b, done in zip(cuts, cuts[1:], ascending, strict=False)]
        # The pivot is about the median, so low and high are equal work for any proportion of positives.
        _sort_halves(parts[0::2], parts[1::2], len(values))
    groups = None if counted is None else Groups(*counted)
    return Samples(values[:positives], values[positives:], None, None, low, high, nans, first_nan, groups=groups)


def sorted_values(values: Array) -> Array:
    """Scores in ascending order.

    >>> sorted_values(np.array([0.5, 0.25, 0.75]))
    array([0.25, 0.5 , 0.75])
    """
    return sorted_samples(values, np.zeros(len(values), np.uint8), 0).pos


def order_of(values: Array) -> NDArray[np.intp]:
    """The places of scores in ascending order; equal scores keep theirs.

    >>> order_of(np.array([0.5, 0.25, 0.75, 0.25]))
    array([1, 3, 0, 2])
    """
    places = np.arange(1.0, len(values) + 1)  # as weights, so from 1: rows of weight 0 are absent
    _, ordered, *_ = _native.sort_weighted(values, np.zeros(len(values), np.uint8), 0, places)
    return ordered.astype(np.intp) - 1


def sorted_columns(scores: Array, codes: Array, weights: Array | None = None) -> list[Samples]:
    """The samples of each column of a matrix: positive are rows whose code is the column's number.

    A matrix of codes has one for each score, 1 where it is positive.
    """
    rows, count = scores.shape
    if weights is None and not numpy_is_faster(rows, columns=count):
        values, facts = _native.sort_columns(scores, codes)
        return [
            Samples(row[: fact[0]], row[fact[0] :], None, None, *fact[1:])
            for row, fact in zip(values, facts, strict=True)
        ]
    scores = np.asfortranarray(scores)  # one pass, where each column would touch every row's cache line
    if codes.ndim == 1:
        return [sorted_samples(scores[:, k], codes, k, weights) for k in range(count)]
    codes = np.asfortranarray(codes)
    return [sorted_samples(scores[:, k], codes[:, k], 1, weights) for k in range(count)]


def _sort_halves(first: list[Array | None], second: list[Array | None], rows: int) -> None:
    """Sorts the parts in place, on two threads where that pays: ndarray.sort releases the GIL."""

    def sort(parts: list[Array | None]) -> None:
        for part in parts:
            if part is not None:
                part.sort()

    if rows < _LEAST_FOR_THREADS or _native.threads() == 1 or not (_any_left(first) and _any_left(second)):
        sort(first)
        sort(second)
        return
    other = threading.Thread(target=sort, args=(second,))
    other.start()
    sort(first)
    other.join()


def _any_left(parts: list[Array | None]) -> bool:
    """Whether some part still needs sorting."""
    return any(part is not None for part in parts)


def _weighted(scores: Array, codes: Array, positive: int, weights: Array) -> Samples:
    """NumPy has no fast sort of pairs, so this is the native sort on every machine."""
    dense = np.ascontiguousarray(weights, dtype=np.float64)
    values, ordered, positives, end, nans, first_nan, low, high = _native.sort_weighted(scores, codes, positive, dense)
    pos, neg = values[:positives], values[positives:end]
    return Samples(pos, neg, ordered[:positives], ordered[positives:end], low, high, nans, first_nan)


def merged_samples(
    samples: Sequence[tuple[Array, Array | None]], weighted: bool, dtype: np.dtype[Any]
) -> tuple[Array, Array | None]:
    """Ascending samples with their weights as one; what has no weights weighs 1 where others have some."""
    filled = [sample for sample in samples if len(sample[0])] or samples[:1]
    values = [np.ascontiguousarray(values, dtype) for values, _ in filled]
    if not weighted:
        return values[0] if len(values) == 1 else _native.merge_sorted(values), None
    weights = [np.ones(len(x)) if w is None else np.ascontiguousarray(w) for x, w in filled]
    return _merged_weighted(list(zip(values, weights, strict=True)))


def _merged_weighted(samples: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    if len(samples) == 1:
        return samples[0]
    middle = len(samples) // 2
    (a, a_weights), (b, b_weights) = _merged_weighted(samples[:middle]), _merged_weighted(samples[middle:])
    return _native.merge_weighted(a, b, a_weights, b_weights)


def cuts_at(values: Array, edges: Array, closed: str = "left") -> list[int]:
    """Where edges cut ascending scores; closed: the side on which a score on an edge belongs to its bin."""
    side: Literal["left", "right"] = "right" if closed == "right" else "left"
    return [0, *np.searchsorted(values, edges.astype(values.dtype), side).tolist(), len(values)]
