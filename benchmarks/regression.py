"""Predicted numbers: every metric with its bounds, and single ones, beside scikit-learn."""

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import stats

import calipers as cal
from sklearn import metrics as sk
from timing import MILLION, Numbers, Row, size


@cache
def predicted(n: int) -> tuple:
    """Positive numbers and predictions that stray by a fifth."""
    rng = np.random.default_rng(n)
    y = rng.lognormal(3, 0.5, n)
    return y, y * rng.lognormal(0, 0.2, n)


# Metrics that scikit-learn has with the same definition.
PEERS = {
    "mae": sk.mean_absolute_error, "mse": sk.mean_squared_error, "rmse": sk.root_mean_squared_error,
    "median_ae": sk.median_absolute_error, "max_error": sk.max_error, "mape": sk.mean_absolute_percentage_error,
    "msle": sk.mean_squared_log_error, "rmsle": sk.root_mean_squared_log_error,
    "poisson_deviance": sk.mean_poisson_deviance, "gamma_deviance": sk.mean_gamma_deviance, "r2": sk.r2_score,
    "explained_variance": sk.explained_variance_score, "d2_absolute": sk.d2_absolute_error_score,
}  # fmt: skip
OF_RANKS = {"kendall", "spearman"}  # they sort all rows, and have their own lines


def everything(y: Any, p: Any) -> Numbers:
    """Every metric of predicted numbers but those of ranks, with both bounds where it has them."""
    ev = cal.evaluate(y, p)
    names = [m.name for m in cal.metrics.catalogue() if m.of_numbers and m.name not in OF_RANKS]
    estimates = {name: ev[name] for name in names}
    bounds = {name: (e.low, e.high) for name, e in estimates.items()}
    without = {name for name, (low, _) in bounds.items() if low != low}
    assert without == {"max_error", "adjusted_r2", "mase"}, without  # no interval, no number of features, no history
    return [estimates[name] for name in PEERS]


def correlation(name: str, y: Any, p: Any) -> Numbers:
    found = cal.evaluate(y, p, metrics=[name])[name]
    assert found.low < found < found.high
    return found


def sk_everything(y: Any, p: Any) -> Numbers:
    return [metric(y, p) for metric in PEERS.values()]


def rows() -> Iterator[Row]:
    m, million = cal.metrics, partial(predicted, MILLION)
    work = f"every regression metric but rank correlations with bounds, 1 M, beside scikit-learn's {len(PEERS)} values"
    yield Row(work, "1x", million, everything, sk_everything)
    for name, peer in (("kendall", stats.kendalltau), ("spearman", stats.spearmanr)):
        ours, theirs = partial(correlation, name), lambda y, p, peer=peer: peer(y, p).statistic
        yield Row(f"{name} with bounds, 1 M, beside SciPy's value", "0.5x", million, ours, theirs)
    for n, target in ((MILLION, "2x"), (100, "5x")):
        make = partial(predicted, n)
        yield Row(f"mae, {size(n)}", target, make, m.mae, sk.mean_absolute_error)
        yield Row(f"r2, {size(n)}", target, make, m.r2, sk.r2_score)
        yield Row(f"median_ae, {size(n)}", target, make, m.median_ae, sk.median_absolute_error)
