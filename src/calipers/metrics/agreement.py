"""What a formula over classes and clusters gives to inference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy.typing as npt

Array = npt.NDArray[Any]


class Agreement(NamedTuple):
    """The agreement of clusters with classes, a function of the table of both.

    `left_out`: the value with a row of each filled cell left out and how many rows the cell has; of a large table, with
    each of some equal parts of the rows left out, once each. `mixed`: the value if that share of the rows were dealt to
    the clusters at random. `same`: whether both are the same partition. `cells`: classes times clusters. `chi_squared`:
    of a root of chi-squared, which is 0 for independent labels, that and its degrees of freedom.
    """

    value: float
    rows: float
    cells: int
    same: bool
    left_out: Callable[[], tuple[Array, Array]]
    mixed: Callable[[float], float]
    chi_squared: tuple[float, float] | None = None


class RootOfChiSquared(NamedTuple):
    """A value that rises with the root of chi-squared; and chi-squared with its degrees of freedom."""

    value: float
    chi_squared: tuple[float, float]


class Subsample(NamedTuple):
    """The mean of a number over some of the rows, drawn without replacement; variance: that of the number."""

    value: float
    variance: float
    drawn: int
    rows: int
