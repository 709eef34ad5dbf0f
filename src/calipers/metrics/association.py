"""How closely predicted numbers follow the true ones: correlations, and errors relative to a naive forecast."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.metrics.base import metric
from calipers.metrics.joint import FEW, Joint, Sizes, ratio
from calipers.metrics.regression import POSITIVE
from calipers.metrics.values import Linearised
from calipers.remarks import Remark
from calipers.statistics.rows import Rows

Array = npt.NDArray[Any]
RANGE = (-1.0, 1.0)
CONSTANT = Remark("metrics.constant_numbers")


def correlation(x: Array, y: Array, w: Array | None = None) -> float:
    """Pearson's correlation; NaN if a column is constant.

    >>> round(correlation(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 7.0])), 4)
    0.9934
    """
    x, y = (column - np.average(column, weights=w) for column in (x, y))
    both, first, second = (float(np.average(product, weights=w)) for product in (x * y, x * x, y * y))
    return float(np.clip(both / np.sqrt(first * second), -1, 1)) if first > 0 and second > 0 else np.nan


@metric(title="Pearson correlation",
        over=Joint, better="higher", bounds=RANGE, undefined=CONSTANT, aliases=("pearson_r", "pearson_corrcoef"),
        intervals=("fisher-z",),
        formula="mean(({truth} - mean({truth})) * ({predicted} - mean({predicted}))) / sqrt(mean(({truth} - "
                "mean({truth}))**2) * mean(({predicted} - mean({predicted}))**2))")
def pearson(m: Joint) -> Any:
    """Linear correlation between predictions and true values (Pearson).

    Caution: It ignores bias and scale: predictions of twice the true values still have a correlation of 1.
    """
    spread = m.truth2 * (m.truth2 + 2 * m.both + m.error2)
    root = np.sqrt(spread + 0j) if np.iscomplexobj(spread) else np.sqrt(np.maximum(spread, 0.0))
    return ratio(m.truth2 + m.both, root)


class Order:
    """A column by its distinct values in ascending order; equal rows count half as below and half as above."""

    def __init__(self, x: Array, w: Array | None = None) -> None:
        values, self.codes = np.unique(x, return_inverse=True)
        self.distinct, self.weights = len(values), w

    def _at(self, of: Array | None) -> Array:
        """Sums of a column (or of the weights) over the rows of each distinct value."""
        weighted = of if self.weights is None else self.weights if of is None else of * self.weights
        return np.bincount(self.codes, weighted, self.distinct).astype(np.float64)

    def ranks(self) -> Array:
        """Weights of the rows below, plus half of the weights of equal rows: ranks less 1/2, mean ranks for ties.

        >>> Order(np.array([3.0, 1.0, 3.0])).ranks().tolist()
        [2.0, 0.5, 2.0]
        """
        at = self._at(None)
        return np.asarray((np.cumsum(at) - at / 2)[self.codes])

    def above(self, of: Array) -> Array:
        """Sums of a column over the rows above each row.

        >>> Order(np.array([3.0, 1.0, 3.0])).above(np.ones(3)).tolist()
        [1.0, 2.5, 1.0]
        """
        at = self._at(of)
        return np.asarray((at.sum() - np.cumsum(at) + at / 2)[self.codes])


def _orders(r: Rows) -> tuple[Order, Order]:
    return Order(r.truth, r.weights), Order(r.predictions, r.weights)


def _rho_influence(orders: tuple[Order, Order], w: Array | None) -> Array:
    x, y = orders
    total = float(len(x.codes) if w is None else np.sum(w))
    a, b = (order.ranks() / total - 0.5 for order in orders)
    c, first, second = (float(np.average(product, weights=w)) for product in (a * b, a * a, b * b))
    both = a * b + (x.above(b) + y.above(a)) / total - 3 * c
    own, other = (u * u + 2 * order.above(u) / total - 3 * v for u, order, v in ((a, x, first), (b, y, second)))
    root = np.sqrt(first * second)
    return np.asarray(both / root - c / root / 2 * (own / first + other / second))


def spearman_influence(r: Rows) -> Array:
    """How far each row moves Spearman's correlation: by its ranks, and by what it does to the ranks of other rows."""
    return _rho_influence(_orders(r), r.weights)


@metric(title="Spearman correlation",
        over=Rows, better="higher", bounds=RANGE, undefined=CONSTANT, influence=spearman_influence,
        formula="correlation(ranks({truth}), ranks({predicted}))",
        aliases=("spearman_rho", "spearmanr", "rank_correlation", "spearman_corrcoef"))
def spearman(r: Rows) -> Linearised:
    """Correlation of the ranks of predictions and true values (Spearman); ties have mean ranks.

    Caution: It only measures the order: any increasing transformation of the predictions gives the same value.
    """
    x, y = orders = _orders(r)
    value = correlation(x.ranks(), y.ranks(), r.weights) if r.n else np.nan
    return _linearised(value, r, lambda rows: _rho_influence(orders, rows.weights))


def _pairs(r: Rows) -> tuple[Array, Array, Array]:
    """For each row: concordant less discordant pairs, and pairs that differ in truth and in prediction, as shares."""
    x, y = (np.ascontiguousarray(column, np.float64) for column in (r.truth, r.predictions))
    order, first, second = _native.concordance(x, y, r.weights) / (r.n if r.weights is None else np.sum(r.weights))
    return order, first, second


def _tau_influence(pairs: tuple[Array, Array, Array], weights: Array | None) -> Array:
    c, x, y = (float(np.average(each, weights=weights)) for each in pairs)
    order, first, second = pairs
    return np.asarray(2 * ((order - c) - c / 2 * ((first - x) / x + (second - y) / y)) / np.sqrt(x * y))


def kendall_influence(r: Rows) -> Array:
    """How far each row moves Kendall's tau-b: twice the deviations of what its pairs show (Hoeffding 1948)."""
    return _tau_influence(_pairs(r), r.weights)


def tau_b(x: Array, y: Array) -> float:
    """Kendall's tau-b, pair by pair.

    >>> round(tau_b(np.array([1, 2, 3]), np.array([1, 3, 2])), 4)
    0.3333
    """
    first, second = (np.sign(np.subtract.outer(column, column)) for column in (x, y))
    return float((first * second).sum() / np.sqrt((first**2).sum() * (second**2).sum()))


@metric(title="Kendall's tau-b",
        over=Rows, better="higher", bounds=RANGE, undefined=CONSTANT, influence=kendall_influence,
        formula="tau_b({truth}, {predicted})", aliases=("kendall_tau", "tau_b", "kendalltau", "kendall_rank_corrcoef"),
        reference="Kendall 1945, Biometrika 33:239-251")
def kendall(r: Rows) -> Linearised:
    """Concordant minus discordant pairs of rows, as a fraction of the pairs without ties (Kendall's tau-b).

    Caution: It only measures the order, and is usually smaller than Spearman's correlation on the same data.
    """
    if not r.n:
        return _linearised(np.nan, r, kendall_influence)
    pairs = _pairs(r)
    order, first, second = (float(np.average(each, weights=r.weights)) for each in pairs)
    value = float(np.clip(order / np.sqrt(first * second), -1, 1)) if first > 0 and second > 0 else np.nan
    return _linearised(value, r, lambda rows: _tau_influence(pairs, rows.weights))


def _linearised(value: float, r: Rows, influence: Any) -> Linearised:
    def variance() -> float:
        w = np.ones(r.n) if r.weights is None else r.weights
        each = w * influence(r) / w.sum()
        effective = float(w.sum() ** 2 / (w @ w))
        return float(each @ each) * effective / (effective - 1) if effective > 1 else np.nan

    return Linearised(value, variance, r.effective)


def _sizes(r: Rows) -> tuple[Any, Any]:
    """The size of the error of each row; the scale is the same for all."""
    return np.abs(r.predictions - r.truth.astype(np.float64)), np.ones(r.n)


def _both_distances(r: Rows) -> tuple[Any, Any]:
    """The size of the error of each row, and how far its truth is from the mean."""
    truth = r.truth.astype(np.float64)
    return np.abs(r.predictions - truth), np.abs(truth - np.average(truth, weights=r.weights))


def rae_influence(r: Rows) -> Array:
    """How far each row moves the relative absolute error: by its error, by its distance, and by moving the mean."""
    errors, far = _both_distances(r)
    apart = r.truth - np.average(r.truth, weights=r.weights)
    mean, scale, tilt = (float(np.average(each, weights=r.weights)) for each in (errors, far, np.sign(apart)))
    return np.asarray(((errors - mean) - mean / scale * (far - tilt * apart - scale)) / scale)


@metric(title="relative absolute error", percent=True,
        over=Rows, better="lower", bounds=POSITIVE, parts=_both_distances, influence=rae_influence,
        undefined=Remark("metrics.constant_truth"), aliases=("rae",),
        formula="sum(abs({error})) / sum(abs({truth} - mean({truth})))",
        reference="Witten, Frank and Hall 2011, Data Mining, sec. 5.8")
def relative_absolute_error(r: Rows) -> Linearised:
    """Sum of the absolute errors divided by that of always predicting the mean of the true values.

    Caution: A value below 1 can still be worse than always predicting the median, whose absolute errors are smaller.
    """
    errors, far = _both_distances(r) if r.n else (np.zeros(0), np.zeros(0))
    mean, scale = (float(np.average(each, weights=r.weights)) if r.n else np.nan for each in (errors, far))
    found = _linearised(mean / scale if scale > 0 else np.nan, r, rae_influence)
    few = r.weights is None and 2 < r.n <= FEW
    return found._replace(left_out=lambda: _rae_left_out(r.truth.astype(np.float64), errors)) if few else found


def _rae_left_out(truth: Array, errors: Array) -> Array:
    """The relative absolute error without each row; the mean moves with the row that is left out."""
    n, order = len(truth), np.sort(truth)
    sums = np.concatenate(([0.0], np.cumsum(order)))
    mean = (truth.sum() - truth) / (n - 1)
    below = np.searchsorted(order, mean)
    far = mean * below - sums[below] + (sums[-1] - sums[below]) - mean * (n - below) - np.abs(truth - mean)
    return np.asarray((errors.sum() - errors) / far)


@metric(title="MASE",
        over=Sizes, better="lower", bounds=POSITIVE, parts=_sizes, undefined=Remark("metrics.no_scale"),
        formula="mean(abs({error})) / {scale}", aliases=("mean_absolute_scaled_error",),
        reference="Hyndman and Koehler 2006, Int. J. Forecasting 22:679-688")
def mase(m: Sizes, *, scale: float = 0.0) -> Any:
    """Mean absolute error divided by `scale`, the mean absolute error of a naive forecast on the training data.

    Caution: Rows have no order here, so the scale must be given: mean(abs(diff(y_train))) for the forecast that repeats
    the last value.
    """
    return m.error / scale if scale > 0 else m.error * np.nan
