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


def everything(y: Any, p: Any) -> Numbers:
    """Every metric of predicted numbers with both bounds, where it has them."""
    ev = cal.evaluate(y, p)
    estimates = {m.name: ev[m.name] for m in cal.metrics.catalogue() if m.of_numbers}
    bounds = {name: (e.low, e.high) for name, e in estimates.items()}
    without = {name for name, (low, _) in bounds.items() if low != low}
    assert without == {"max_error", "adjusted_r2", "mase"}, without  # no interval, no number of features, no history
    return [estimates[name] for name in ("mae", "mse", "r2")]


def correlation(name: str, y: Any, p: Any) -> Numbers:
    found = cal.evaluate(y, p, metrics=[name])[name]
    assert found.low < found < found.high
    return found


def sk_three(y: Any, p: Any) -> Numbers:
    return [sk.mean_absolute_error(y, p), sk.mean_squared_error(y, p), sk.r2_score(y, p)]


def rows() -> Iterator[Row]:
    m, million = cal.metrics, partial(predicted, MILLION)
    work = "every regression metric with bounds, 1 M, beside scikit-learn's MAE, MSE and R2"
    yield Row(work, "1x", million, everything, sk_three)
    for name, peer in (("kendall", stats.kendalltau), ("spearman", stats.spearmanr)):
        ours, theirs = partial(correlation, name), lambda y, p, peer=peer: peer(y, p).statistic
        yield Row(f"{name} with bounds, 1 M, beside SciPy's value", "0.5x", million, ours, theirs)
    for n, target in ((MILLION, "2x"), (100, "5x")):
        make = partial(predicted, n)
        yield Row(f"mae, {size(n)}", target, make, m.mae, sk.mean_absolute_error)
        yield Row(f"r2, {size(n)}", target, make, m.r2, sk.r2_score)
        yield Row(f"median_ae, {size(n)}", target, make, m.median_ae, sk.median_absolute_error)
