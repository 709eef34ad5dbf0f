"""Blocks of rows drawn again, with what was counted in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.inference.resampled import acceleration

Array = npt.NDArray[Any]


def draws(of: Callable[[Array], Array], left_out: Array, seed: int, count: int) -> tuple[Array, Callable[[], float]]:
    """The values in samples of the blocks, as many as there are, and what finds the acceleration of BCa.

    `of` finds the values where blocks count so many times; `left_out` says so for samples that lack one block each.
    """
    blocks = len(left_out)
    times = np.random.default_rng(seed).multinomial(blocks, np.full(blocks, 1 / blocks), count)
    with np.errstate(all="ignore"):
        return of(times.astype(np.float64)), lambda: acceleration(-of(left_out))
