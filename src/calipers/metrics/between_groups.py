"""What whole groups of rows show: how much a value, or a share of rows, varies from group to group."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy.typing as npt

Array = npt.NDArray[Any]


class Between(NamedTuple):
    """The variance that whole groups of rows show, and its degrees of freedom.

    `sums` are the influences of the groups; `groups` says for each class of rows how many groups of equal size would be
    as many, and `rows` how many rows they have.
    """

    variance: float
    df: float
    sums: Array
    groups: tuple[float, ...]
    rows: tuple[float, ...]


class GroupedShare(NamedTuple):
    """A share of rows in groups: its coefficient in a sum of shares, its value, its rows and what groups show."""

    coefficient: float
    value: float
    rows: float
    between: Between
