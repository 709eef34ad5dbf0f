"""Losses of rows: what one prediction of a number costs."""

from __future__ import annotations

from typing import NamedTuple

from calipers import _native
from calipers.statistics.base import Array


class Loss(NamedTuple):
    """A loss of one row, by the name that native/row_losses.hpp gives it, and its parameter."""

    kind: str
    parameter: float = 0.0

    @property
    def key(self) -> str:
        """One word for both.

        >>> Loss("absolute").key, Loss("pinball", 0.9).key
        ('absolute', 'pinball 0.9')
        """
        return self.kind if self.kind not in ("pinball", "huber", "tweedie") else f"{self.kind} {self.parameter!r}"

    def of_rows(self, truth: Array, predicted: Array) -> Array:
        """The loss of each row."""
        rows: Array = _native.loss_rows(truth, predicted, self.kind, float(self.parameter))
        return rows
