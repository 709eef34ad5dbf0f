"""What whole groups of rows show: how much a value, or a share of rows, varies from group to group."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy.typing as npt

Array = npt.NDArray[Any]


def as_equal(parts: Array) -> float:
    """How many equal parts would be as many as these, (Σm)²/Σm² (Kish 1965).

    >>> import numpy as np
    >>> as_equal(np.array([2.0, 2.0, 2.0])), round(as_equal(np.array([8.0, 1.0, 1.0])), 2)
    (3.0, 1.52)
    """
    square = float(parts @ parts)
    return float(parts.sum()) ** 2 / square if square > 0 else 0.0


class Between(NamedTuple):
    """The variance that whole groups of rows show, and its degrees of freedom.

    `sums` are the influences of the groups; `groups` says for each class of rows how many groups of equal size would be
    as many, and `rows` how many rows they have. `carried` counts the groups of each class by the size of their
    influences instead of their rows.
    """

    variance: float
    df: float
    sums: Array
    groups: tuple[float, ...]
    rows: tuple[float, ...]
    carried: tuple[float, ...]


class GroupedShare(NamedTuple):
    """A share of rows in groups: its coefficient in a sum of shares, its value, its rows and what groups show."""

    coefficient: float
    value: float
    rows: float
    between: Between
