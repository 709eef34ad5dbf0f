"""How often the values of sorted columns occur."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from calipers.statistics.base import Array

MOST_TIMES = 1000  # how often a score may occur and still be distinguished from one that occurs more often
RUN_BLOCK = 1 << 17  # rows


def occurring(*columns: Array) -> Array:
    """How many values of sorted columns occur 0, 1, 2, ... times; the last number is of those and more.

    >>> occurring(np.array([1.0, 1.0, 2.0]), np.array([2.0]))
    array([0, 2, 1])
    """
    counts = np.zeros(MOST_TIMES + 1, np.int64)
    for times in chain(*map(_repeats, columns)):
        counts += np.bincount(np.minimum(times, MOST_TIMES), minlength=len(counts))
    return counts[: max(1, int(np.flatnonzero(counts).max(initial=0))) + 1]


def _repeats(values: Array) -> Iterator[Array]:
    """How often each distinct value occurs, a block at a time, in less memory than the values have."""
    before = -1  # where the last value ended
    for begin in range(0, len(values), RUN_BLOCK):
        block = values[begin : begin + RUN_BLOCK + 1]
        ends = begin + np.flatnonzero(block[1:] != block[:-1])
        ends = np.append(ends, len(values) - 1) if begin + RUN_BLOCK >= len(values) else ends
        if len(ends):
            yield np.diff(ends, prepend=before)
            before = int(ends[-1])
