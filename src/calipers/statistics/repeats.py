"""How often the values of sorted columns occur."""

from __future__ import annotations

import numpy as np

from calipers import _native
from calipers.statistics.base import Array

MOST_TIMES = 1000  # how often a score may occur and still be distinguished from one that occurs more often


def occurring(*columns: Array) -> Array:
    """How many values of sorted columns occur 0, 1, 2, ... times; the last number is of those and more.

    >>> occurring(np.array([1.0, 1.0, 2.0]), np.array([2.0]))
    array([0, 2, 1])
    """
    counts = sum((_native.count_repeats(np.ascontiguousarray(x), MOST_TIMES) for x in columns), np.zeros(1, np.int64))
    return np.asarray(counts[: max(1, int(np.flatnonzero(counts).max(initial=0))) + 1])
