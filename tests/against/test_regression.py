"""Our numbers of predicted values against scikit-learn and SciPy, on random and nasty rows."""

import numpy as np
import pytest
import sklearn.metrics as theirs
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import calipers as cal

PEERS = {
    "mae": theirs.mean_absolute_error,
    "mse": theirs.mean_squared_error,
    "rmse": theirs.root_mean_squared_error,
    "median_ae": theirs.median_absolute_error,
    "mape": theirs.mean_absolute_percentage_error,
    "msle": theirs.mean_squared_log_error,
    "rmsle": theirs.root_mean_squared_log_error,
    "explained_variance": theirs.explained_variance_score,
    "r2": theirs.r2_score,
    "max_error": lambda y, p, sample_weight=None: theirs.max_error(y, p),
    "pinball(alpha=0.8)": lambda y, p, sample_weight=None: theirs.mean_pinball_loss(
        y, p, sample_weight=sample_weight, alpha=0.8
    ),
    "poisson_deviance": theirs.mean_poisson_deviance,
    "gamma_deviance": theirs.mean_gamma_deviance,
    "tweedie_deviance": lambda y, p, sample_weight=None: theirs.mean_tweedie_deviance(
        y, p, sample_weight=sample_weight, power=1.5
    ),
    "d2_absolute": theirs.d2_absolute_error_score,
    "d2_pinball(alpha=0.2)": lambda y, p, sample_weight=None: theirs.d2_pinball_score(
        y, p, sample_weight=sample_weight, alpha=0.2
    ),
    "d2_tweedie": lambda y, p, sample_weight=None: theirs.d2_tweedie_score(
        y, p, sample_weight=sample_weight, power=1.5
    ),
}


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), weighted=st.booleans())
def test_scikit_learn(seed, weighted):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([2, 3, 10, 5000]))
    y = np.round(rng.lognormal(0, rng.uniform(0.1, 3), n), int(rng.choice([1, 16]))) + 0.01
    p = y * rng.lognormal(0, rng.uniform(1e-3, 2), n)
    w = rng.random(n) + 0.01 if weighted else None
    assume(np.ptp(y) > 0)
    ev = cal.evaluate(y, p, weights=w, task="regression")
    for name, peer in PEERS.items():
        assert float(ev[name]) == pytest.approx(peer(y, p, sample_weight=w), rel=1e-9, abs=1e-12), name


def test_scipy_and_numpy():
    rng = np.random.default_rng(3)
    y = rng.normal(size=500)
    p = y + rng.normal(0.1, 0.5, 500)
    ev = cal.evaluate(y, p, interval="t")
    low, high = stats.ttest_1samp(p - y, 0).confidence_interval()
    assert (ev["bias"].low, ev["bias"].high) == pytest.approx((low, high), rel=1e-12)
    r = np.corrcoef(y, p)[0, 1]
    scale, shift = y.std() / p.std(), (y.mean() - p.mean()) / np.sqrt(y.std() * p.std())
    assert float(ev["concordance"]) == pytest.approx(r * 2 / (scale + 1 / scale + shift**2), rel=1e-12)  # Lin's form
    exact = stats.quantile_test(np.abs(p - y), q=0, p=0.5).confidence_interval(0.95)
    assert ev["median_ae"].low == pytest.approx(exact.low)
    assert ev["median_ae"].high == pytest.approx(exact.high)


def test_the_jackknife_by_rows_left_out_one_by_one():
    rng = np.random.default_rng(4)
    y = rng.lognormal(size=40)
    p, w = y * rng.lognormal(0, 0.3, 40), rng.random(40) + 0.1
    for name in ("r2", "concordance", "wape", "explained_variance", "d2_tweedie", "agreement_high"):
        for weights in (None, w):
            evaluation = cal.evaluate(y, p, weights=weights)
            rest = [np.delete(np.arange(40), i) for i in range(40)]
            each = [cal.evaluate(y[r], p[r], weights=None if weights is None else w[r])[name] for r in rest]
            from calipers.metrics.base import CATALOGUE
            from calipers.metrics.resolve import resolve

            mine = resolve(CATALOGUE[name], evaluation.views).value.left_out()
            expected = np.array([float(e) for e in each])
            if name == "d2_tweedie":  # the best single answer stays that of all rows: the same to first order
                assert np.std(mine) == pytest.approx(np.std(expected), rel=0.1)
            else:
                assert mine == pytest.approx(expected, rel=1e-9), name


def test_the_linearised_variance_is_that_of_the_influences():
    rng = np.random.default_rng(5)
    y = rng.lognormal(size=3000)
    p = y * rng.lognormal(0, 0.3, 3000)
    for name in ("r2", "concordance", "wape", "explained_variance"):
        plain = cal.evaluate(y, p, interval={name: "normal"})[name]
        copies = {"groups": np.tile(np.arange(3000), 2), "interval": {name: "grouped"}}
        alone = cal.evaluate(np.tile(y, 2), np.tile(p, 2), **copies)[name]
        drawn = cal.evaluate(y, p, interval={name: "percentile"})[name]
        assert plain.high - plain.low == pytest.approx(alone.high - alone.low, rel=0.04)
        assert plain.high - plain.low == pytest.approx(drawn.high - drawn.low, rel=0.25)
