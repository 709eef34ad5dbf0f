"""What a formula over counts by blocks of documents gives to inference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy.typing as npt

Array = npt.NDArray[Any]


class Blocked(NamedTuple):
    """A function of counts that are known by block of rows.

    `left_out`: the value without each block, and the share of the rows that the block has.
    """

    value: float
    left_out: Callable[[], tuple[Array, Array]]
