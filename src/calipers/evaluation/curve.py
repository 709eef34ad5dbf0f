"""A curve: named columns of equal length."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.errors import UnknownAttribute
from calipers.evaluation.tables import ColumnTable

Array = npt.NDArray[Any]
ASIDE = ("low", "high", "lift")  # columns that depend on another one, or are very large at one end


class Curve(ColumnTable):
    """Named columns of equal length; the first two after `threshold` are x and y. Columns are also attributes."""

    def __init__(self, kind: str, columns: dict[str, Array], x: str, y: str, note: str = "") -> None:
        super().__init__(columns)
        self.kind, self.axes, self.note = kind, (x, y), note

    def __getattr__(self, name: str) -> Array:
        try:
            column: Array = self.__dict__["_columns"][name]
        except KeyError:
            raise UnknownAttribute("evaluation.no_column_of_curve", kind=self.__dict__.get("kind"), name=name) from None
        return column

    @property
    def x(self) -> Array:
        """The values of the x axis."""
        return self._columns[self.axes[0]]

    @property
    def y(self) -> Array:
        """The values of the y axis."""
        return self._columns[self.axes[1]]

    def thinned(self, points: int = 1000) -> Curve:
        """At most this number of points, evenly spread along the curve, for a chart.

        No dropped point is farther from the new line than the length of the line / (points - 2), in ranges of the
        columns.
        """
        if len(self.x) <= points:
            return self
        steps = sum(_steps(column) for name, column in self.items() if name not in ASIDE)
        length = np.concatenate(([0.0], np.cumsum(steps)))
        at = np.searchsorted(length, np.linspace(0, length[-1], points - 1))
        kept = np.unique(np.append(at, len(length) - 1))
        return Curve(self.kind, {k: v[kept] for k, v in self.items()}, *self.axes, self.note)

    def __repr__(self) -> str:
        return f"<{self.kind} curve: {len(self.x)} points; columns {', '.join(self._columns)}>"


def _steps(column: Array) -> Array:
    """How far a column moves from point to point, in parts of its range; 0 where it is not finite."""
    finite = column[np.isfinite(column)]
    span = float(np.ptp(finite)) if len(finite) else 0.0
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.abs(np.diff(column)) / span, nan=0, posinf=0) if span else np.zeros(len(column) - 1)
