"""Formulas over the joint moments of truth and error: what they look at, and how far each row moves them.

Slopes come from the complex step (metrics/gradient.py says why), so no formula has a derivative written by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.statistics.moments import FIRST_AND_SECOND, JointMoments

Array = npt.NDArray[Any]
Formula = Callable[[Any], Any]
STEP = 1e-60
FEW = 20_000  # rows up to which a jackknife leaves each of them out
STEPS = STEP * 1j * np.eye(5)


class Joint(NamedTuple):
    """Means of truth and error, their variances and covariance (over n, not n - 1), and the number of rows."""

    truth: Any
    error: Any
    truth2: Any
    both: Any
    error2: Any
    rows: Any


class Sizes(Joint):
    """The same of the sizes of truth and error, |truth| and |error|."""

    __slots__ = ()


def view(j: JointMoments, kind: type[Joint] = Joint) -> Joint:
    """What a formula looks at."""
    truth, error, truth2, both, error2 = j.first_and_second
    return kind(truth, error, truth2, both, error2, j.n)


def ratio(part: Any, whole: Any) -> Any:
    """A ratio; NaN where there is nothing to divide by."""
    if np.ndim(whole) == 0:
        return part / whole if np.real(whole) > 0 else np.nan
    positive = np.real(whole) > 0
    return part / whole if positive.all() else np.where(positive, part / np.where(positive, whole, 1.0), np.nan)


def slopes(formula: Formula, moments: Joint) -> Array:
    """The derivative of a formula by each of the five moments."""
    truth, error, truth2, both, error2 = np.array(moments[:5])[:, None] + STEPS
    derivatives = np.empty(5)
    derivatives[:] = np.imag(formula(type(moments)(truth, error, truth2, both, error2, moments.rows)))
    return derivatives / STEP


def variance(formula: Formula, j: JointMoments, kind: type[Joint] = Joint) -> float:
    """The variance of a formula by linearisation, from the moments of order four that its own moments have."""
    if j.effective <= 1:
        return np.nan
    g = slopes(formula, view(j, kind))
    if g[2] == g[3] == g[4] == 0:  # a function of means only: the kernel may not have computed higher moments
        (a, b), ((aa, ab), (_, bb)) = g[:2], j.spread[:2, :2]
        return max(0.0, float(a * a * aa + 2 * a * b * ab + b * b * bb)) / (j.effective - 1)
    return max(0.0, float(g @ j.spread @ g)) / (j.effective - 1)


def influence(formula: Formula, j: JointMoments, x: Array, y: Array, kind: type[Joint] = Joint) -> Array:
    """How far each row moves a formula, were it all rows."""
    dx, dy = x - j.sums[0], y - j.sums[1]
    parts = (dx, dy, *(dx**a * dy**b - j.central(a, b) for a, b in FIRST_AND_SECOND[2:]))
    return np.asarray(sum(g * part for g, part in zip(slopes(formula, view(j, kind)), parts, strict=True)))


def left_out(
    formula: Formula, j: JointMoments, x: Array, y: Array, weights: Array | None, kind: type[Joint] = Joint
) -> Array:
    """The formula with each row left out, for the jackknife."""
    w = np.ones(len(x)) if weights is None else weights
    rest = j.weight - w
    dx, dy = x - j.sums[0], y - j.sums[1]
    means = (mean - w * d / rest for mean, d in zip(j.sums[:2], (dx, dy), strict=True))
    sums = (j.central(a, b) * j.weight / rest - w * dx**a * dy**b * j.weight / rest**2 for a, b in FIRST_AND_SECOND[2:])
    truth2, both, error2 = sums
    truth, error = means
    return np.asarray(formula(kind(truth, error, np.maximum(truth2, 0), both, np.maximum(error2, 0), j.n - 1)))
