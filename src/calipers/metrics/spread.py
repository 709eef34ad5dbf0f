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
        return of_powers(value, float(squares.sum()), float(squares @ squares), len(squares))

    return lambda added: spread()


def of_powers(value: float, square: float, fourth: float, rows: int) -> Spread:
    """The same from the sums of the second and of the fourth powers of the influences of so many rows."""
    loose = fourth / square**2 - 1 / rows if square > 0 else 0.0
    return Spread(value, square, 2 / loose if loose > 0 else np.inf)
