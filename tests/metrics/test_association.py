"""Correlations, MASE, partial areas, weighted kappa and a binomial test, against SciPy, statsmodels and definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import calipers as cal
from calipers import _native
from calipers.metrics.association import Order, kendall_influence, spearman_influence, tau_b
from calipers.statistics.rows import Rows

SEEDS = st.integers(0, 2**32 - 1)


def numbers(seed, n=None):
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(5, 40))
    x = np.round(rng.normal(size=n), int(rng.integers(0, 3)))
    return x, np.round(x * rng.normal() + rng.normal(size=n), int(rng.integers(0, 3))), rng


@given(SEEDS)
@settings(max_examples=60)
def test_item_5_correlations_are_those_of_scipy(seed):
    x, y, _ = numbers(seed)
    if len(set(x)) < 2 or len(set(y)) < 2:
        return
    peers = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    for name, peer in peers.items():
        found = getattr(cal.metrics, name)(x, y)
        assert found == pytest.approx(peer(x, y).statistic, abs=1e-9), name
        assert found.low <= found <= found.high or np.isnan(found.low)


@given(SEEDS)
@settings(max_examples=30)
def test_a_weight_is_a_repetition(seed):
    x, y, rng = numbers(seed)
    w = rng.integers(1, 4, len(x))
    if len(set(x)) < 2 or len(set(y)) < 2:
        return
    for name in ("pearson", "spearman", "kendall"):
        metric = getattr(cal.metrics, name)
        assert metric(x, y, weights=w) == pytest.approx(metric(np.repeat(x, w), np.repeat(y, w)), abs=1e-9), name


@given(SEEDS)
@settings(max_examples=40)
def test_pairs_of_rows_are_counted(seed):
    x, y, rng = numbers(seed)
    first, second = (np.sign(np.subtract.outer(column, column)) for column in (x, y))
    for w in (None, rng.uniform(0.5, 2, len(x))):
        order, apart, apart_too = _native.concordance(x.astype(float), y.astype(float), w)
        each = np.ones(len(x)) if w is None else w
        assert order == pytest.approx((first * second) @ each, abs=1e-9)
        assert apart == pytest.approx(first**2 @ each, abs=1e-9)
        assert apart_too == pytest.approx(second**2 @ each, abs=1e-9)
    assert tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, nan_ok=True)
    assert Order(x).ranks() + 0.5 == pytest.approx(stats.rankdata(x))


@pytest.mark.parametrize("seed", range(5))
def test_influences_are_the_slopes_of_the_value(seed):
    """What a little more weight of a row does to the value."""
    x, y, _ = numbers(seed, 30)
    step = 1e-5
    for influence, name in ((spearman_influence, "spearman"), (kendall_influence, "kendall")):
        found, w = influence(Rows(x, y, None)), np.ones(30)
        assert found.sum() == pytest.approx(0, abs=1e-9)
        for row in (0, 7, 29):
            more, less = w + 0.0, w + 0.0
            more[row] += step
            less[row] -= step
            metric = getattr(cal.metrics, name)
            slope = (float(metric(x, y, weights=more)) - float(metric(x, y, weights=less))) / (2 * step)
            assert found[row] / 30 == pytest.approx(slope, abs=1e-4), name


def test_intervals_cover_and_models_are_compared():
    rng = np.random.default_rng(1)
    hits = dict.fromkeys(("pearson", "spearman", "kendall"), 0)
    truth = {"pearson": 0.6, "spearman": 6 / np.pi * np.arcsin(0.3), "kendall": 2 / np.pi * np.arcsin(0.6)}
    for _ in range(200):
        x, e = rng.normal(size=(2, 80))
        y = 0.6 * x + 0.8 * e
        for name in hits:
            estimate = getattr(cal.metrics, name)(x, y)
            hits[name] += estimate.low <= truth[name] <= estimate.high
    assert all(179 <= count <= 200 for count in hits.values()), hits  # 95% of 200, within 3.5 standard errors
    found = cal.compare(x, {"a": y, "b": x + rng.normal(size=80)}, metrics=["pearson", "spearman", "kendall"])
    for name in found:
        expected = getattr(cal.metrics, name)(x, found.models["b"].kept.batch.score) - getattr(cal.metrics, name)(x, y)
        assert found[name].difference == pytest.approx(expected)
        assert found[name].low < found[name].difference < found[name].high


def test_item_5_mase():
    """Hyndman and Koehler 2006: errors relative to the forecast that repeats the last value of the training data."""
    train, truth, pred = np.array([3.0, 5, 4, 8]), np.array([7.0, 9, 6]), np.array([8.0, 7, 7])
    scale = np.abs(np.diff(train)).mean()
    found = cal.metrics.mase(truth, pred, scale=scale)
    assert found == pytest.approx(np.abs(truth - pred).mean() / scale)
    assert str(cal.metric("mase(scale=2.5)")) == "mase(scale=2.5)"
    assert "scale= was not given" in cal.evaluate(truth, pred, task="regression")["mase"].reason
    both = cal.compare(truth, {"a": pred, "b": truth + 0.5}, metrics=["mase(scale=2)", "mae"], task="regression")
    assert both["mase(scale=2)"].difference == pytest.approx(both["mae"].difference / 2)
    assert both["mase(scale=2)"].pvalue == pytest.approx(both["mae"].pvalue)


@given(SEEDS)
@settings(max_examples=40)
def test_item_5_partial_areas(seed):
    rng = np.random.default_rng(seed)
    truth, score = np.append(rng.integers(0, 2, 40), [0, 1]), np.round(rng.random(42), int(rng.integers(1, 3)))
    ev = cal.evaluate(truth, score, positive=1)
    whole = float(ev["roc_auc"])
    assert ev["partial_auc_raw(max_fpr=1)"] == pytest.approx(whole)
    assert ev["partial_auc_of_tpr(min_tpr=0)"] == pytest.approx(whole)
    low, high = ev["partial_auc_raw(max_fpr=0.3)"], ev["partial_auc_raw(min_fpr=0.3, max_fpr=1)"]
    assert low + high == pytest.approx(whole)
    least = 0.3**2 / 2
    assert ev["partial_auc(max_fpr=0.3)"] == pytest.approx((1 + (low - least) / (0.3 - least)) / 2)
    curve = ev.curve("roc")
    grid = np.linspace(0.6, 1, 200_001)
    area = np.interp(1 - grid, (1 - curve["tpr"])[::-1], (1 - curve["fpr"])[::-1]).mean() * 0.4
    assert ev["partial_auc_of_tpr(min_tpr=0.6)"] == pytest.approx(area, abs=0.002)


def test_item_5_weighted_kappa():
    """statsmodels 0.15.0: inter_rater.cohens_kappa(table, wt=...): kappa and its standard error."""
    table = [[20, 5, 1], [4, 15, 6], [1, 3, 25]]
    known = {"linear": (0.6967608545830462, 0.06334352514046973), "quadratic": (0.7667638483965015, 0.060292260073403)}
    for penalty, (value, error) in known.items():
        ev = cal.evaluate_counts(table, interval={f"weighted_kappa(penalty={penalty})": "normal"})
        found = ev[f"weighted_kappa(penalty={penalty})"]
        assert found == pytest.approx(value)
        assert (found.high - found.low) / 2 == pytest.approx(1.959963984540054 * error, rel=1e-6)
    assert cal.evaluate_counts(table)["weighted_kappa"].method.startswith("delta")


def test_item_5_accuracy_against_the_no_information_rate():
    ev = cal.evaluate(["a"] * 70 + ["b"] * 30, ["a"] * 60 + ["b"] * 10 + ["b"] * 22 + ["a"] * 8)
    assert ev["accuracy_p"] == pytest.approx(stats.binomtest(82, 100, 0.7, "greater").pvalue)
    assert ev["AccuracyPValue"] == ev["accuracy_p"]
