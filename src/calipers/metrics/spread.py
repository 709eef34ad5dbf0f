"""How much a value varies, and the variance that the influences of its rows give."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Spread(NamedTuple):
    """A value, its variance, and how many degrees of freedom that variance has as an estimate."""

    value: float
    variance: float
    freedom: float = np.inf


def of_influence(value: float, influence: Callable[[], Array]) -> Callable[[float], Spread]:
    """The infinitesimal jackknife: the variance is the sum of the rows' squared influences, found when asked for."""

    @cache
    def spread() -> Spread:
        squares = influence() ** 2
        variance = float(squares.sum())
        loose = float(squares @ squares) / variance**2 - 1 / len(squares) if variance > 0 else 0.0
        return Spread(value, variance, 2 / loose if loose > 0 else np.inf)

    return lambda added: spread()
