"""Tables of classes and clusters drawn again, without their rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.inference.resampled import acceleration
from calipers.metrics.base import Measure
from calipers.metrics.overlaps import Overlaps, values_of
from calipers.metrics.overlaps_left_out import left_out
from calipers.progress import with_progress

Array = npt.NDArray[Any]
AT_ONCE = 4_000_000  # counts of samples in memory at once


def draws(
    measure: Measure, seen: Overlaps, seed: int, count: int, cache: dict[str, Any]
) -> tuple[Array, Callable[[], float]]:
    """The measure in samples of the table, and what finds the acceleration of BCa."""

    def find_acceleration() -> float:
        left, times = left_out(measure, seen)
        return acceleration(-left, times)

    return _redrawn(measure, seen, seed, count, cache), find_acceleration


def _redrawn(measure: Measure, seen: Overlaps, seed: int, count: int, cache: dict[str, Any]) -> Array:
    """The measure in so many samples: the rows of each cell are multinomial, whichever rows they are."""
    rows, step = int(seen.rows), max(1, AT_ONCE // len(seen.cells))
    rng = np.random.default_rng(seed)

    def samples(some: int) -> Overlaps:
        return seen.drawn(rng.multinomial(rows, seen.cells / rows, some).astype(np.float64))

    if count <= step:  # few enough to be kept for the next measure
        if "overlaps" not in cache:
            cache["overlaps"] = samples(count)
        return values_of(measure, cache["overlaps"])
    sizes = [min(step, count - at) for at in range(0, count, step)]
    return np.concatenate([values_of(measure, samples(some)) for some in with_progress(sizes, count, step=step)])
