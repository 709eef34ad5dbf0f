"""Tests that are judged together: their p-values, and the level that each interval needs so that all of them hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from calipers.choices import FamilyAdjustment
from calipers.errors import InputError
from calipers.inference.contrast import Contrast
from calipers.inference.multiple import adjusted
from calipers.inference.outcome import normal_p

Array = npt.NDArray[Any]
JOINT = "max-t"
SINGLE_STEP = (JOINT, "bonferroni", "none")  # what has intervals too; step-wise methods adjust p-values alone
NAMES: tuple[FamilyAdjustment, ...] = get_args(FamilyAdjustment)
DRAWS = 40_000  # draws of the largest statistic: a p-value of 0.05 has a standard error of 0.001


@dataclass(frozen=True, eq=False)
class Family:
    """Contrasts of one metric between several models, and how they are adjusted.

    "max-t": each statistic is compared with the largest of them under the null, which varies as the rows make the
    contrasts vary together (single step; Westfall and Young 1993, 2.3.1). It needs to know what each row, or each
    resample, does to every contrast; where it does not, "bonferroni". Both give intervals that hold together, so that a
    p-value below 1 - level and an interval without 0 are the same thing. "holm" and "bh" adjust p-values alone.

    >>> each = [Contrast(0.02, 0.01, 99.0, "", rows=np.array(r)) for r in ([1.0, -1, 0], [1.0, 0, -1])]
    >>> both = Family.of(each, "max-t")
    >>> [round(p, 2) for p in both.pvalues([0.03, 0.5])], round(both.level(0.95), 3)
    ([0.06, 0.72], 0.973)
    >>> Family.of(each, "holm").pvalues([0.01, 0.04]), Family.of(each, "holm").level(0.95)
    ([0.02, 0.04], 0.95)
    """

    adjust: str
    contrasts: tuple[Contrast, ...]

    @classmethod
    def of(cls, contrasts: Sequence[Contrast], adjust: str) -> Family:
        """The family by a method that fits it."""
        known = [c for c in contrasts if c.error == c.error]
        sizes = {None if c.rows is None else len(c.rows) for c in known}
        if adjust == JOINT and (None in sizes or len(sizes) != 1):
            adjust = "bonferroni"
        return cls(adjust if len(contrasts) > 1 else "none", tuple(known))

    @property
    def of_intervals(self) -> bool:
        """Whether the intervals are adjusted as the p-values are."""
        return self.adjust in SINGLE_STEP

    def pvalues(self, pvalues: Sequence[float]) -> list[float]:
        """The p-values, adjusted."""
        if self.adjust != JOINT:
            return adjusted(pvalues, self.adjust)
        return [p if p != p else self._joint(p) for p in pvalues]

    def level(self, level: float) -> float:
        """The level of each interval."""
        alpha, tests = 1 - level, max(1, len(self.contrasts))
        if self.adjust == "bonferroni":
            return 1 - alpha / tests
        if self.adjust != JOINT:
            return level
        beyond = self._largest[len(self._largest) - math.ceil(alpha * len(self._largest))]
        return 1 - min(alpha, max(alpha / tests, normal_p(float(beyond))))

    def _joint(self, p: float) -> float:
        """How often the largest statistic is as far away as one with this p-value; never more than Bonferroni's."""
        reached = len(self._largest) - int(np.searchsorted(self._largest, _far(p)))
        return min(1.0, max(p, min(reached / len(self._largest), p * len(self.contrasts))))

    @cached_property
    def _largest(self) -> Array:
        """Draws of the largest of the statistics, each on the normal scale, in order."""
        rows = np.array([c.rows for c in self.contrasts], np.float64)
        rows -= rows.mean(1, keepdims=True)
        size = np.sqrt((rows * rows).sum(1, keepdims=True))
        rows = np.divide(rows, size, out=np.zeros_like(rows), where=size > 0)
        values, vectors = np.linalg.eigh(rows @ rows.T)
        mask = values > 1e-12 * max(float(values.max(initial=0.0)), 1e-300)
        root = vectors[:, mask] * np.sqrt(values[mask])
        draws = np.random.default_rng(0).standard_normal((DRAWS, root.shape[1])) @ root.T
        return np.sort(np.abs(draws).max(1, initial=0.0))


def _far(p: float) -> float:
    """The size of a normal statistic with this p-value."""
    from statistics import NormalDist  # not before it is needed: it takes long to import

    return -NormalDist().inv_cdf(max(p, 1e-300) / 2)


def check(adjust: str) -> str:
    """The name of an adjustment, or the error that lists them."""
    if adjust not in NAMES:
        raise InputError("inference.unknown_adjustment", value=adjust, known=list(NAMES))
    return adjust
