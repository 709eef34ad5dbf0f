"""Derivatives of formulas by the complex step, and the variance that follows from them (delta method).

f(x + ih) has the imaginary part h f'(x) to machine precision for any h small enough that h^2 vanishes: there is no
subtraction and so no cancellation (Squire and Trapp 1998). A formula that is vectorised over leading axes gives all
derivatives in one evaluation, and nobody has to write a gradient by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.spread import Spread
from calipers.metrics.values import number
from calipers.statistics.confusion import ConfusionCounts, Margins, OneVsRest

Array = npt.NDArray[Any]
STEP = 1e-40
ROUNDING = 1e-12  # smaller differences of squares, relative to the squares, count as 0
TRUTH = np.array([1, 0, 1, 0])  # the true class of a TP, FP, FN, TN


def _partials(f: Callable[..., Any], fields: tuple[Array, ...]) -> list[Array]:
    """df/dx for every element of every field; fields are scalars or have their K elements on the last axis."""
    # Each field has a step of its own unit: weights may be of any unit, and some fields are products of two of them.
    sizes = [float(np.fmax.reduce(np.abs(x), axis=None)) for x in fields]
    largest = np.fmax.reduce(sizes)
    step = [STEP * (own if own > 0 else float(largest) if largest > 0 else 1.0) for own in sizes]
    places, size = [], 0
    for x in fields:
        places.append(size if np.ndim(x) == 0 else slice(size, size + np.size(x)))
        size += np.size(x)
    if size <= 64:  # few enough for one evaluation, with one direction per row
        steps = 1j * np.eye(size)
        stepped = [x + own * steps[:, at] for x, at, own in zip(fields, places, step, strict=True)]
        slopes = np.empty(size)
        slopes[:] = np.imag(number(f(*stepped)))
        return [slopes[at] / own for at, own in zip(places, step, strict=True)]
    out = []
    for i, x in enumerate(fields):
        x = np.asarray(x, np.float64)
        shifted = x + 1j * step[i] * (np.eye(len(x)) if x.ndim else 1.0)
        args = [shifted if j == i else np.asarray(y, np.float64) for j, y in enumerate(fields)]
        out.append(np.broadcast_to(np.imag(number(f(*args))) / step[i], x.shape))
    return out


def _spread(counts: Array, squares: Array, slopes: Array, strata: Array | None = None) -> tuple[float, float]:
    """Variance of a function with these slopes over multinomial cells, one multinomial for each stratum.

    And the degrees of freedom that this variance has as an estimate: 2 / (its own relative variance), which is that
    of a mean of squared influences, (Σu⁴ / (Σu²)² - 1/n).
    """
    occupied = squares > 0
    c, q, g = counts[occupied], squares[occupied], _known(slopes[occupied])
    if strata is None:
        centred = g - c @ g / c.sum()
    else:
        mine = strata[occupied] == np.unique(strata[occupied])[:, None]
        centred = g - (mine @ (c * g) / (mine @ c)) @ mine
    variance = float(q @ (centred * centred))
    rows = float(c.sum() ** 2 / q.sum())
    loose = float((q**3 / c**2) @ centred**4) / variance**2 - 1 / rows if variance > 0 else 0.0
    return variance, 2 / loose if loose > 0 else np.inf


def _known(x: Array) -> Array:
    return x if np.isfinite(x).all() else np.nan_to_num(x)


def of_one(f: Callable[[OneVsRest], Any], c: OneVsRest, added: float, alike: bool = False) -> Spread:
    """Value and variance of a formula over the four counts of one class, with `added` in each of them; `alike`: as many
    in each true class, right as often as all rows are."""
    smoothed = c.plus(added, alike)
    counts, squares = (_known(np.array(x)) for x in (smoothed.counts, smoothed.squares or smoothed.counts))
    slopes = np.array(_partials(_from_counts(f), smoothed.counts))
    return Spread(float(number(f(smoothed))), *_spread(counts, squares, slopes, TRUTH if c.fixed else None))


def _from_counts(f: Callable[[OneVsRest], Any]) -> Callable[..., Any]:
    return lambda tp, fp, fn, tn: f(OneVsRest(tp, fp, fn, tn))


def of_classes(
    f: Callable[[OneVsRest], Any], table: ConfusionCounts, fixed: bool, added: float, alike: bool = False
) -> Spread:
    """The same for a function of all classes' counts, through the K x K cells that they come from.

    A row in cell (i, j) is a TP of i when i = j, otherwise an FN of i and an FP of j; it is a TN of all others.
    """
    table = table.plus(added, fixed, alike)
    c = table.one_vs_rest
    tp, fp, fn, tn = (_known(g) for g in _partials(_from_counts(f), c.counts))
    slopes = (fn - tn)[:, None] + (fp - tn)[None, :] + tn.sum()
    np.fill_diagonal(slopes, tp - tn + tn.sum())
    return Spread(float(f(c)), *_over_cells(slopes, table, fixed))


def of_labels(f: Callable[[OneVsRest], Any], c: OneVsRest, added: float, alike: bool = False) -> Spread:
    """The value and an upper bound of its variance when how the labels depend on each other is not known.

    The standard deviation of a sum is at most the sum of the standard deviations.
    """
    smoothed = c.plus(added, alike)
    slopes = np.array(_partials(_from_counts(f), smoothed.counts))
    counts, squares = (_known(np.array(x)) for x in (smoothed.counts, smoothed.squares or smoothed.counts))
    each = [_spread(counts[:, k], squares[:, k], slopes[:, k])[0] for k in range(counts.shape[1])]
    return Spread(float(f(smoothed)), float(np.sqrt(each).sum() ** 2))


def of_pairs(f: Callable[[OneVsRest], Any], c: OneVsRest, pairs: Array, added: float, alike: bool = False) -> Spread:
    """The same where it is known how the labels go together: `pairs` are squared weights by two labels' outcomes.

    A row adds d·x, x saying which of TP, FP and FN it is for which label and d the slopes beyond that of a TN. The
    degrees of freedom are those of the labels' own variances, joined after Satterthwaite.
    """
    smoothed = c.plus(added, alike)
    slopes = _known(np.array(_partials(_from_counts(f), smoothed.counts)))
    counts, squares = (np.array(x) for x in (smoothed.counts, smoothed.squares or smoothed.counts))
    unit = squares.sum() / counts.sum()
    d = (slopes[:3] - slopes[3]).ravel()
    mean = d @ counts[:3].ravel() / counts[:, 0].sum()
    more = counts[:3].ravel() - np.array(c.counts)[:3].ravel()
    joint = pairs + np.diag(more * unit)
    raw = d @ joint @ d
    variance = raw - 2 * mean * (d @ joint.diagonal()) + mean**2 * squares[:, 0].sum()
    variance = variance if variance > ROUNDING * raw else 0.0
    own, freedom = np.array([_spread(counts[:, k], squares[:, k], slopes[:, k]) for k in range(counts.shape[1])]).T
    return Spread(float(f(smoothed)), float(variance), float(own.sum() ** 2 / max((own**2 / freedom).sum(), 1e-300)))


def of_margins(
    f: Callable[[Margins], Any], table: ConfusionCounts, fixed: bool, added: float, alike: bool = False
) -> Spread:
    """The same for a function of the trace and the margins of a confusion matrix."""
    table = table.plus(added, fixed, alike)
    m = table.margins
    slope = Margins(*_partials(lambda *x: f(Margins(*x)), m))
    agreed = slope.agreed + slope.beyond * m.total
    truth, predicted = slope.truth - slope.beyond * m.predicted, slope.predicted - slope.beyond * m.truth
    slopes = truth[:, None] + predicted[None, :] + slope.total + slope.beyond * m.agreed + agreed * np.eye(len(truth))
    return Spread(float(number(f(m))), *_over_cells(slopes, table, fixed))


def _over_cells(slopes: Array, table: ConfusionCounts, fixed: bool) -> tuple[float, float]:
    cells, squares = (x.ravel().astype(np.float64) for x in (table.cells, table.second))
    strata = np.repeat(np.arange(len(table.labels)), len(table.labels)) if fixed else None
    return _spread(cells, squares, slopes.ravel(), strata)


def of_cells(
    f: Callable[[ConfusionCounts], Any], table: ConfusionCounts, fixed: bool, added: float, alike: bool = False
) -> Spread:
    """The same for a function of the cells themselves, a row of cells at a time."""
    table = table.plus(added, fixed, alike)
    cells, count = table.cells.astype(np.float64), len(table.labels)
    slopes = np.empty((count, count))
    for row in range(count):
        steps = np.zeros((count, count, count), complex)
        steps[np.arange(count), row, np.arange(count)] = STEP * 1j
        slopes[row] = np.imag(f(replace(table, cells=cells + steps))) / STEP
    return Spread(float(f(table)), *_over_cells(slopes, table, fixed))
