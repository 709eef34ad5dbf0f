"""What formulas of calibration errors return: gaps over bins, means of them over classes, gaps along a curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.metrics.bins import largest_gap, mean_gap

Array = npt.NDArray[Any]


class Calibration(NamedTuple):
    """A summary of binned gaps between predicted and observed shares: their weighted mean, or the largest.

    Effective rows of a bin are its weight times `shrink`.
    """

    weight: Array
    shrink: float
    score: Array
    outcome: Array
    variance: Array
    largest: bool

    @property
    def value(self) -> float:
        """The summary over the bins that hold rows."""
        gap = np.where(self.weight > 0, self.weight * (self.outcome - self.score), 0.0)
        return float((largest_gap if self.largest else mean_gap)(self.weight, gap))


class CalibrationMean(NamedTuple):
    """A mean of calibration errors of several classes of the same rows."""

    parts: Sequence[Calibration]
    shares: Sequence[float]

    @property
    def value(self) -> float:
        """The mean."""
        return float(sum(share * part.value for share, part in zip(self.shares, self.parts, strict=True)))


class Smoothed(NamedTuple):
    """The mean gap between scores and a smooth curve of the outcome, over cells of rows.

    operator: what makes the curve out of the outcomes of the cells; noise: the standard error of each of these; rows:
    effective ones in all.
    """

    share: Array
    gap: Array
    operator: Array
    noise: Array
    rows: float

    @property
    def value(self) -> float:
        """The mean size of the gaps."""
        return float(self.share @ np.abs(self.gap))
