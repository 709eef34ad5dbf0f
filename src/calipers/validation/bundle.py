"""The curves of all folds, their mean height, and how far it may be off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calipers.curves import Curve
from calipers.errors import InputError
from calipers.inference.bands import height
from calipers.inference.quantiles import t as student
from calipers.validation.averages import CORRECTED, degrees
from calipers.validation.models import Array


@dataclass(frozen=True)
class Bundle:
    """The curve of each fold, and their mean with columns low and high."""

    folds: tuple[Curve, ...]
    mean: Curve

    def __repr__(self) -> str:
        return f"<{self.mean.kind} curves of {len(self.folds)} folds and their mean: {self.mean.note}>"


def bundle(kind: str, each: Sequence[Curve], ratio: float, level: float, points: int = 201) -> Bundle:
    """Curves averaged at equal abscissae (vertical averaging, Fawcett 2006), with Student's band at each of them.

    The band is pointwise, by the corrected resampled t over folds: it is about the mean curve of models fitted on such
    training sets, not about one of them.
    """
    if kind not in ("roc", "pr"):
        raise InputError(f'the curves of folds are averaged for "roc" and "pr", not for {kind!r}: see .folds')
    defined = [c for c in each if not np.isnan((c.x, c.y)).any()]
    if not defined:
        raise InputError(f"no fold has a {kind} curve: a class is missing from the test rows of each")
    grid = np.linspace(0, 1, points)
    heights = np.array([_height(c, grid) for c in defined])
    mean = heights.mean(0)
    low = high = np.full(points, np.nan)
    note = "no band: one fold"
    if len(defined) > 1:
        reach = _reach(heights, ratio, level)
        low, high = np.maximum(0, mean - reach), np.minimum(1, mean + reach)
        note = f"{100 * level:g}% band: pointwise, {CORRECTED} over {len(defined)} folds"
    x, y = each[0].axes
    return Bundle(tuple(each), Curve(kind, {x: grid, y: mean, "low": low, "high": high}, x, y, note))


def _reach(heights: Array, ratio: float, level: float) -> Array:
    """Half of the width of the band at each abscissa."""
    df = degrees(len(heights), ratio)
    return np.asarray(student(level, df) * np.sqrt((1 / len(heights) + ratio) * heights.var(0, ddof=1)))


def _height(c: Curve, grid: Array) -> Array:
    """The height of a curve at each abscissa: a ROC curve is joined by lines, a PR curve falls in steps."""
    if c.kind == "pr":
        return np.asarray(c.y[np.minimum(np.searchsorted(c.x, grid), len(c.x) - 1)])
    return height(c.x, c.y, grid, top=True)
