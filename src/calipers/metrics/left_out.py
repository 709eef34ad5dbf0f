"""What a formula over all rows, users or queries together gives to inference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy.typing as npt

Array = npt.NDArray[Any]


class LeftOut(NamedTuple):
    """A function of all rows, users or queries together.

    `left_out`: the value without each of them; n: how many there are; unit: "rows", "users" or "queries".
    """

    value: float
    n: int
    left_out: Callable[[], Array]
    unit: str = "users"
