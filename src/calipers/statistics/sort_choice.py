"""Which of two sorts is the faster one here: NumPy's or the native one. Both give the same bits.

NumPy's vectorised sort takes 8 ns per row on Intel CPUs with AVX-512 and 55 ns with the same instructions on AMD's
Zen 4; the native sort takes 9 to 19 ns and uses all threads, NumPy's at most two. No list of CPUs says this for the
next one, so both are timed once in each process, on a few rows.
"""

from __future__ import annotations

import math
import time
from functools import cache
from typing import NamedTuple

import numpy as np

from calipers import _native

# With fewer rows, both sorts take a fraction of a millisecond, and timing them would cost more than it saves.
_LEAST_TO_TIME = 16_384
_TIMED_ROWS = 32_768
_ROUNDS = 3


class Costs(NamedTuple):
    """Seconds per row with one thread, as timed; NumPy's grow with the logarithm of the rows."""

    numpy: float
    native: float


def numpy_is_faster(rows: int, *, columns: int = 1) -> bool:
    """Whether NumPy sorts columns of this many rows faster, on the threads that there are."""
    if rows * columns < _LEAST_TO_TIME:
        return False
    return _faster(rows, _native.threads(), costs(), columns)


def _faster(rows: int, threads: int, cost: Costs, columns: int = 1) -> bool:
    growth = math.log2(max(rows, 2)) / math.log2(_TIMED_ROWS)
    # NumPy sorts a column on two threads, and several columns one after the other; the native sort uses all threads.
    return cost.numpy * growth / (min(threads, 2) if columns == 1 else 1) < cost.native / threads


@cache
def costs() -> Costs:
    """The best of a few rounds each, some milliseconds in all."""
    scores = np.random.default_rng(0).random(_TIMED_ROWS)
    codes = (np.arange(_TIMED_ROWS) % 2).astype(np.uint8)
    best = {False: math.inf, True: math.inf}
    for _ in range(_ROUNDS):
        for for_numpy in best:
            start = time.perf_counter()
            values, *_ = _native.split_scores(scores, codes, 1, for_numpy)
            if for_numpy:
                values[: _TIMED_ROWS // 2].sort()
                values[_TIMED_ROWS // 2 :].sort()
            best[for_numpy] = min(best[for_numpy], time.perf_counter() - start)
    return Costs(best[True] / _TIMED_ROWS, best[False] / _TIMED_ROWS)


def chosen(rows: int) -> str:
    """The choice and its reason, for benchmarks and reports of bugs."""
    name = "NumPy" if numpy_is_faster(rows) else "native"
    cost = costs()
    times = f"NumPy's sort {cost.numpy * 1e9:.1f} ns per row, the native one {cost.native * 1e9:.1f}"
    return f"{name} sort for {rows} rows and {_native.threads()} threads ({times}, one thread, {_TIMED_ROWS} rows)"
