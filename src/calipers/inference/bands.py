"""Bands around curves: what each point of a ROC, precision-recall or calibration curve could be in truth.

A ROC curve moves because the positives are a sample (its height) and because the negatives are (its abscissa). The
second part needs no density of the scores: it is read off the curve itself, between the limits of the abscissa.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.inference.proportion import clopper_pearson
from calipers.inference.quantiles import z
from calipers.remarks import Remark

Array = npt.NDArray[Any]
EXACT = 3.0  # with fewer rows of either outcome, limits of a bin are exact


class Band(NamedTuple):
    """Lower and upper ends at each point, and how they were found."""

    low: Array
    high: Array
    method: str


def wilson_each(share: Array, trials: Array | float, level: float) -> tuple[Array, Array]:
    """Wilson's limits of many shares at once; `proportion.wilson` has the formula.

    >>> [bound.round(4).tolist() for bound in wilson_each(np.array([0.0, 0.5, 1.0]), 10.0, 0.95)]
    [[0.0, 0.2366, 0.7225], [0.2775, 0.7634, 1.0]]
    """
    square = z(level) ** 2
    hits, misses = share * trials, (1 - share) * trials
    root = np.sqrt(square * (square / 4 + hits * (1 - share)))
    return hits * share / (hits + square / 2 + root), 1 - misses * (1 - share) / (misses + square / 2 + root)


def height(x: Array, y: Array, at: Array, top: bool) -> Array:
    """The height of a rising polyline at each abscissa: the top of a vertical piece there, or its foot.

    >>> x, y = np.array([0.0, 0.0, 0.5, 1.0]), np.array([0.0, 0.6, 0.8, 1.0])
    >>> height(x, y, np.array([0.0, 0.25]), top=True).tolist(), height(x, y, np.array([0.0]), top=False).tolist()
    ([0.6, 0.7], [0.0])
    """
    at = np.clip(at, x[0], x[-1])
    index = np.searchsorted(x, at, "right") - 1 if top else np.searchsorted(x, at, "left")
    return np.where(x[index] == at, y[index], np.interp(at, x, y))


def roc_pointwise(fpr: Array, tpr: Array, positives: float, negatives: float, level: float) -> Band:
    """Limits of the TPR at each FPR, one point at a time: Wilson's of both rates, their parts squared and added.

    >>> band = roc_pointwise(np.array([0.0, 0.2, 1.0]), np.array([0.0, 0.8, 1.0]), 20, 30, 0.95)
    >>> band.low.round(3).tolist(), band.high.round(3).tolist()
    ([0.0, 0.328, 0.836], [0.482, 0.927, 1.0])
    """
    method = Remark("inference.pointwise_rates")
    return _roc(fpr, tpr, _reach(fpr, negatives, level), wilson_each(tpr, positives, level), method)


def _reach(share: Array, rows: float, level: float) -> tuple[Array, Array]:
    """Wilson's limits of the shares; beyond 0 or 1 where so few rows lie that side that none of them may be drawn.

    Then the rows do not say how far the curve goes on there.
    """
    left, right = wilson_each(share, rows, level)
    rare = (1 - level) / 2
    return np.where((1 - share) ** rows > rare, -1.0, left), np.where(share**rows > rare, 2.0, right)


def roc_simultaneous(fpr: Array, tpr: Array, positives: float, negatives: float, level: float) -> Band:
    """Limits between which the whole curve lies: Kolmogorov's of both rates, their parts squared and added.

    The rectangles of Campbell (1994, Stat. Med. 13:499-508) add the two parts as they are, each at √level, which is
    sure and about a third wider; in trials these held 97% of curves or more.

    >>> band = roc_simultaneous(np.array([0.0, 0.2, 1.0]), np.array([0.0, 0.8, 1.0]), 20, 30, 0.95)
    >>> band.low.round(3).tolist(), band.high.round(3).tolist()
    ([0.0, 0.0, 0.7], [0.862, 1.0, 1.0])
    """
    up, across = (_kolmogorov(max(1, int(n)), level) for n in (positives, negatives))
    method = Remark("inference.simultaneous_rates")
    return _roc(fpr, tpr, (fpr - across, fpr + across), (tpr - up, tpr + up), method)


@cache
def _kolmogorov(n: int, level: float) -> float:
    """The quantile of the largest gap between n draws and what they are drawn from; it takes milliseconds to find."""
    from scipy.stats import kstwo

    return float(kstwo.ppf(level, n))


def _roc(fpr: Array, tpr: Array, across: tuple[Array, Array], upright: tuple[Array, Array], method: str) -> Band:
    """A band from the limits of both rates: those of the FPR say how much the curve may rise or fall beside a point."""
    (left, right), (low, high) = across, upright
    fall = np.where(left < 0, tpr, tpr - height(fpr, tpr, left, top=False)) * (left < fpr)
    rise = np.where(right > 1, 1 - tpr, height(fpr, tpr, right, top=True) - tpr) * (right > fpr)
    down, up = np.hypot(tpr - low, np.maximum(0, fall)), np.hypot(high - tpr, np.maximum(0, rise))
    return Band(np.maximum(0, tpr - down), np.minimum(1, tpr + up), method)


def pr_pointwise(
    recall: Array, precision: Array, fpr: Array, positives: float, negatives: float, prevalence: tuple[float, float],
    level: float,
) -> Band:  # fmt: skip
    """Limits of the precision at each recall, one point at a time.

    Precision is rπ/(rπ + (1-π)F): with the recall r held, the prevalence π and the FPR F at that recall vary, and F
    does so by its own Wilson limits and by where the curve has it at those of the recall. The three distances of the
    precision are squared and added. `prevalence` is π and the rows that it was seen in (infinitely many where it is
    given).

    >>> recall, precision, fpr = np.array([0.5, 1.0]), np.array([1.0, 0.5]), np.array([0.0, 0.25])
    >>> band = pr_pointwise(recall, precision, fpr, 20, 80, (0.2, 100.0), 0.95)
    >>> band.low.round(3).tolist(), band.high.round(3).tolist()
    ([0.48, 0.166], [1.0, 0.682])
    """
    share, rows = prevalence

    def at(share: Array | float, fpr: Array) -> Array:
        return recall * share / (recall * share + (1 - share) * fpr)

    fewer, more = wilson_each(np.array(share), rows, level) if np.isfinite(rows) else (share, share)
    best, worst = wilson_each(fpr, negatives, level)
    left, right = _reach(recall, positives, level)
    x, y = np.append(0.0, recall), np.append(0.0, fpr)
    here = np.where(left < 0, 0.0, height(x, y, left, top=False))
    ahead = np.where(right > 1, 1.0, height(x, y, right, top=True))
    with np.errstate(invalid="ignore", divide="ignore"):
        down = [precision - at(fewer, fpr), precision - at(share, worst), precision - at(share, np.maximum(fpr, ahead))]
        up = [at(more, fpr) - precision, at(share, best) - precision, at(share, np.minimum(fpr, here)) - precision]
    low, high = (np.sqrt(sum(np.nan_to_num(d) ** 2 for d in side)) for side in (down, up))
    method = Remark("inference.pointwise_precision")
    return Band(np.maximum(0, precision - low), np.minimum(1, precision + high), method)


def calibration_pointwise(outcome: Array, rows: Array, level: float) -> Band:
    """Wilson's limits of the observed frequency of each bin, on its (effective) rows; with few rows of an outcome,
    Clopper and Pearson's, because the coverage of Wilson's is too low there.

    >>> band = calibration_pointwise(np.array([0.0, 0.5]), np.array([10.0, 10.0]), 0.95)
    >>> band.low.round(4).tolist(), band.high.round(4).tolist()
    ([0.0, 0.2366], [0.3085, 0.7634])
    """
    low, high = wilson_each(outcome, rows, level)
    few = np.minimum(outcome, 1 - outcome) * rows < EXACT
    low[few], high[few] = clopper_pearson(outcome[few] * rows[few], rows[few], level)
    return Band(low, high, Remark("inference.pointwise_bins"))
