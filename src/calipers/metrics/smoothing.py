"""A smooth curve of the outcome over the predicted probability: lowess without robustness steps (Cleveland 1979)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.values import Smoothed
from calipers.statistics.scores import ScoreSamples

Array = npt.NDArray[Any]
SPAN = 2 / 3  # of the rows that decide the curve at a point, as in lowess and rms::val.prob
CELLS = 500  # distinct scores that are smoothed one by one; more are gathered in so many cells of equal weight


def smooth_gaps(s: ScoreSamples) -> Smoothed:
    """The gaps between a smooth curve of the outcome and the scores."""
    score, outcome, weight = _cells(s)
    operator = lowess(score, weight)
    curve = operator @ outcome
    fit = np.clip(curve, 0.0, 1.0)
    spread = np.maximum(score * (1 - score), fit * (1 - fit))
    effective = sum(s.effective)
    rows = weight * (effective / weight.sum())
    return Smoothed(weight / weight.sum(), curve - score, operator, np.sqrt(spread / rows), effective)


def _cells(s: ScoreSamples) -> tuple[Array, Array, Array]:
    """Distinct scores in order, the share of positives and the weight at each; many of them gathered."""
    both = (s.pos, s.pos_weights, 1.0), (s.neg, s.neg_weights, 0.0)
    score = np.concatenate([values.astype(np.float64) for values, _, _ in both])
    weight = np.concatenate([np.ones(len(v)) if w is None else w for v, w, _ in both])
    outcome = np.repeat([1.0, 0.0], [len(s.pos), len(s.neg)])
    _, at = np.unique(score, return_inverse=True)
    if at.max() >= CELLS:
        mass = np.cumsum(np.bincount(at, weight))
        middle = mass - np.bincount(at, weight) / 2
        _, of_cell = np.unique((middle / mass[-1] * CELLS).astype(np.intp), return_inverse=True)
        at = of_cell[at]
    total = np.bincount(at, weight)
    return np.bincount(at, weight * score) / total, np.bincount(at, weight * outcome) / total, total


def lowess(x: Array, weight: Array, span: float = SPAN) -> Array:
    """The matrix that makes a smooth curve out of values at the places x, which are in order.

    A straight line at each place, tricube weights over the nearest rows: as many as the span asks for.
    """
    n = len(x)
    distance = np.abs(x[:, None] - x[None, :])
    order = np.argsort(distance, axis=1, kind="stable")
    mass = np.cumsum(weight[order], axis=1)
    needed = (span - 1e-9) * weight.sum()  # not a whole number of rows: a common factor of the weights changes nothing
    nearest = np.minimum((mass < needed).sum(1), n - 1)
    reach = np.take_along_axis(distance, np.take_along_axis(order, nearest[:, None], 1), 1)
    kernel = _tricube(distance, reach)
    kernel *= weight
    kernel /= kernel.sum(1, keepdims=True)
    centre = (kernel * x).sum(1)
    beside = x[None, :] - centre[:, None]
    spread = (kernel * beside**2).sum(1)
    enough = np.sqrt(spread) > 0.001 * (x[-1] - x[0])  # else the line has no direction, and the mean is taken
    tilt = np.where(enough, (x - centre) / np.where(enough, spread, 1.0), 0.0)
    kernel *= 1 + tilt[:, None] * beside
    return kernel


def _tricube(distance: Array, reach: Array) -> Array:
    """Cleveland's weights of rows by their distance in parts of the reach; powers take time, and a third needs none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        far = np.where(reach > 0, distance / reach, np.where(distance > 0, 2.0, 0.0))
    between = (far > 0.001) & (far < 0.999)
    kernel = (far <= 0.001).astype(np.float64)
    kernel[between] = (1 - far[between] ** 3) ** 3
    return kernel
