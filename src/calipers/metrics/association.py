"""How closely predicted numbers follow the true ones: correlations, and errors relative to a naive forecast."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

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


def ranks(x: Array, w: Array | None = None) -> Array:
    """Weights of the rows below, plus half of the weights of equal rows: ranks less 1/2, mean ranks for ties.

    >>> ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.0, 0.5, 2.0]
    """
    values, codes = np.unique(x, return_inverse=True)
    weight = np.bincount(codes, w, len(values)).astype(np.float64)
    return np.asarray((np.cumsum(weight) - weight / 2)[codes])


def spearman_influence(r: Rows) -> Array:
    """How far each row moves Spearman's correlation: by its ranks, and by what it does to the ranks of other rows."""
    total = float(np.sum(r.weights)) if r.weights is not None else float(r.n)
    a, b = (ranks(column, r.weights) / total - 0.5 for column in (r.truth, r.predictions))
    c, first, second = (float(np.average(product, weights=r.weights)) for product in (a * b, a * a, b * b))

    def above(x: Array, of: Array) -> Array:
        """The mean of a column over the rows above each row, equal ones counting half."""
        values, codes = np.unique(x, return_inverse=True)
        sums = np.bincount(codes, of if r.weights is None else of * r.weights, len(values))
        return np.asarray((sums.sum() - np.cumsum(sums) + sums / 2)[codes] / total)

    both = a * b + above(r.truth, b) + above(r.predictions, a) - 3 * c
    own, other = (u * u + 2 * above(x, u) - 3 * v
                  for u, x, v in ((a, r.truth, first), (b, r.predictions, second)))  # fmt: skip
    root = np.sqrt(first * second)
    return np.asarray(both / root - c / root / 2 * (own / first + other / second))


@metric(title="Spearman correlation",
        over=Rows, better="higher", bounds=RANGE, undefined=CONSTANT, influence=spearman_influence,
        formula="correlation(ranks({truth}), ranks({predicted}))",
        aliases=("spearman_rho", "spearmanr", "rank_correlation", "spearman_corrcoef"))
def spearman(r: Rows) -> Linearised:
    """Correlation of the ranks of predictions and true values (Spearman); ties have mean ranks.

    Caution: It only measures the order: any increasing transformation of the predictions gives the same value.
    """
    value = correlation(ranks(r.truth, r.weights), ranks(r.predictions, r.weights), r.weights) if r.n else np.nan
    return _linearised(value, r, spearman_influence)


def dominated(x: Array, y: Array, w: Array) -> Array:
    """For each row the weights of the rows with a smaller x and a smaller y, by halving the ranks of y, bit by bit."""
    order = np.lexsort((-y, x))  # rows with an equal x stand in falling order of y, so that none counts
    codes, weight = np.unique(y[order], return_inverse=True)[1], w[order]
    count, place = np.zeros(len(codes)), np.arange(len(codes))
    for bit in reversed(range(int(codes.max(initial=0)).bit_length())):
        low = (codes[place] >> bit & 1) == 0
        before = np.concatenate(([0.0], np.cumsum(np.where(low, weight[place], 0.0))))[:-1]
        prefix = codes[place] >> (bit + 1)
        start = np.searchsorted(prefix, prefix, "left")
        count[place] += np.where(low, 0.0, before - before[start])
        place = place[np.argsort(codes[place] >> bit, kind="stable")]
    result = np.empty(len(codes))
    result[order] = count
    return result


def _pairs(r: Rows) -> tuple[Array, Array, Array]:
    """For each row: concordant less discordant pairs, and pairs that differ in truth and in prediction, as shares."""
    x, y = (column.astype(np.float64) for column in (r.truth, r.predictions))
    w = np.ones(r.n) if r.weights is None else r.weights
    signs = ((1, 1, 1), (-1, -1, 1), (1, -1, -1), (-1, 1, -1))
    order = sum(sign * dominated(a * x, b * y, w) for a, b, sign in signs)
    apart = [w.sum() - np.bincount(codes, w)[codes] for codes in (np.unique(c, return_inverse=True)[1] for c in (x, y))]
    return np.asarray(order) / w.sum(), apart[0] / w.sum(), apart[1] / w.sum()


def kendall_influence(r: Rows) -> Array:
    """How far each row moves Kendall's tau-b: twice the deviations of what its pairs show (Hoeffding 1948)."""
    order, first, second = _pairs(r)
    c, x, y = (float(np.average(each, weights=r.weights)) for each in (order, first, second))
    return np.asarray(2 * ((order - c) - c / 2 * ((first - x) / x + (second - y) / y)) / np.sqrt(x * y))


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
    order, first, second = (float(np.average(each, weights=r.weights)) for each in _pairs(r))
    value = float(np.clip(order / np.sqrt(first * second), -1, 1)) if first > 0 and second > 0 else np.nan
    return _linearised(value, r, kendall_influence)


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

    Caution: 1 is not guessing at its best: the median has smaller absolute errors than the mean.
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
