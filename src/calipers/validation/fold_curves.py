"""The curves of all folds, their mean height, and how far it may be off."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from calipers.choices import ComparedCurve
from calipers.errors import InputError
from calipers.evaluation.curve import Curve
from calipers.evaluation.evaluation import Evaluation
from calipers.inference.bands import height
from calipers.inference.quantiles import Widened
from calipers.inference.quantiles import t as student
from calipers.metrics.base import CATALOGUE
from calipers.remarks import Remark
from calipers.validation.averages import CORRECTED, degrees, mean_of
from calipers.validation.models import Array
from calipers.validation.overfitting import unseen_share
from calipers.validation.pooling import OutOfFold

ROWS = Remark("validation.from_test_rows")
AREAS = {"roc": "roc_auc", "pr": "average_precision"}  # the metric that says how much a curve overfits


@dataclass(frozen=True)
class FoldCurves:
    """The curve of each fold, and their mean with the columns low and high."""

    folds: tuple[Curve, ...]
    mean: Curve

    def __repr__(self) -> str:
        return f"<{self.mean.kind} curves of {len(self.folds)} folds and their mean: {self.mean.note}>"


class Reach(NamedTuple):
    """How far a band goes below and above a curve at each abscissa, and how it was found."""

    below: Array
    above: Array
    method: str


def bundle(
    kind: str,
    each: Sequence[Curve],
    ratio: float,
    level: float,
    points: int = 201,
    of_rows: Callable[[Array, Array], Reach] | None = None,
) -> FoldCurves:
    """Curves averaged at equal abscissae (vertical averaging, Fawcett 2006), with a pointwise band.

    of_rows: how far the band goes by the test rows, given the abscissae and the mean heights; without it the band is
    that of the corrected resampled t over folds. It is about the mean curve of models fitted on such training sets, not
    about one of them.
    """
    if kind not in ("roc", "pr"):
        raise InputError("validation.curves_not_averaged", kind=kind)
    defined = [c for c in each if not np.isnan((c.x, c.y)).any()]
    if not defined:
        raise InputError("validation.no_fold_has_curve", kind=kind)
    grid = np.linspace(0, 1, points)
    heights = np.array([height_of(c, c.y, grid) for c in defined])
    mean = heights.mean(0)
    low = high = np.full(points, np.nan)
    note = Remark("validation.no_band_of_one_fold")
    if len(defined) > 1:
        below, above, method = of_rows(grid, mean) if of_rows else by_folds(heights, ratio, level)
        low, high = np.maximum(0, mean - below), np.minimum(1, mean + above)
        over = Remark("validation.band_over_folds", method=method, count=len(defined))
        note = Remark("evaluation.band", percent=100 * level, method=over)
    x, y = each[0].axes
    return FoldCurves(tuple(each), Curve(kind, {x: grid, y: mean, "low": low, "high": high}, x, y, note))


def by_rows(tested: OutOfFold, kind: ComparedCurve, label: Any, unseen: float, grid: Array, mean: Array) -> Reach:
    """The mean reach of the bands of each repetition's rows, widened as intervals are (`OutOfFold.interval`)."""
    bands = []
    for numbers, evaluation in zip(tested.passes, tested.evaluations, strict=True):
        level = Widened(tested.level, tested.factor(numbers, unseen))
        c = evaluation.curve(kind, label, band="pointwise", level=level)
        bands.append([height_of(c, c[column], grid) for column in (c.axes[1], "low", "high")])
    y, low, high = np.mean(bands, 0)
    # Where all rows together have another height than the mean over folds, the band is around both.
    return Reach(mean - np.minimum(low, mean - y + low), np.maximum(high, mean - y + high) - mean, ROWS)


def unseen_of(kind: str, label: Any, folds: Sequence[tuple[Evaluation, Evaluation | None]]) -> float:
    """How much of the loss of the area under a curve training rows do not show, from the test and the training rows."""
    area = CATALOGUE[AREAS[kind]]

    def mean(parts: Sequence[Evaluation | None]) -> float:
        each = [e if e is None or e.positive is not None else e.classes[label] for e in parts]
        return mean_of(np.array([math.nan if e is None else e[area.name] for e in each], np.float64))

    test, train = (mean(part) for part in zip(*folds, strict=True))
    return unseen_share(train, test, area.metric)


def by_folds(heights: Array, ratio: float, level: float) -> Reach:
    """Student's band by the corrected resampled t over folds."""
    df = degrees(len(heights), ratio)
    reach = np.asarray(student(level, df) * np.sqrt((1 / len(heights) + ratio) * heights.var(0, ddof=1)))
    return Reach(reach, reach, CORRECTED)


def height_of(c: Curve, column: Array, grid: Array) -> Array:
    """A column of a curve at each abscissa: a ROC curve is joined by lines, a PR curve falls in steps."""
    if c.kind == "pr":
        return np.asarray(column[np.minimum(np.searchsorted(c.x, grid), len(c.x) - 1)])
    return height(c.x, column, grid, top=True)
