"""What a formula over the lists of all users together gives to inference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy.typing as npt

Array = npt.NDArray[Any]


class OverUsers(NamedTuple):
    """A function of all users, or queries, together.

    `left_out`: the value without each of them; users: how many there are; unit: what they are, "users" or "queries".
    """

    value: float
    users: int
    left_out: Callable[[], Array]
    unit: str = "users"
