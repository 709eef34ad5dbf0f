"""Measures that are functions of sums over rows: of tables, of bins of a score, of counts of labels, of row means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.bins import codes_of_width, mean_gap

if TYPE_CHECKING:
    from calipers.metrics.base import Measure

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Column:
    """What is summed of each row: its value, or 1, into the cell that its code names, or into one cell for all."""

    codes: Array | None
    cells: int
    values: Array | None


TOTAL = Column(None, 1, None)  # how many rows are drawn, or their weight


@dataclass(frozen=True, eq=False)
class Additive:
    """A measure as a function of sums over rows; `of` takes one array (replicates, cells) per column."""

    columns: tuple[Column, ...]
    of: Callable[..., Array]

    @property
    def is_table(self) -> bool:
        """Whether all that it needs is how many rows each cell of one table has."""
        return len(self.columns) == 1 and self.columns[0].values is None and self.columns[0].codes is not None


def mean(each: Array) -> Additive:
    """The mean of a number that each row has."""

    def of(total: Array, weight: Array) -> Array:
        with np.errstate(invalid="ignore"):
            return np.asarray(total[:, 0] / weight[:, 0])

    return Additive((Column(None, 1, np.ascontiguousarray(each, np.float64)), TOTAL), of)


def gaps(measure: Measure, score: Array, is_true: Array) -> Additive | None:
    """A summary of the gaps between promised and observed frequency over bins of equal width."""
    of_gaps = measure.metric.of_gaps
    asked = {**measure.metric.parameters, **measure.parameters}
    if of_gaps is None or asked["rule"] != "width":
        return None
    bins = int(asked["bins"])
    codes = codes_of_width(score, bins, str(asked.get("closed", "left")))
    weights = TOTAL if of_gaps is mean_gap else Column(codes, bins, None)  # a mean needs only the weight in all

    def of(weight: Array, gap: Array) -> Array:
        return np.asarray(of_gaps(weight, gap))

    return Additive((weights, Column(codes, bins, is_true - score.astype(np.float64))), of)
