"""Intervals that broke other libraries, by their number in the list of edge cases, for every method that is offered."""

import numpy as np
import pytest

import calipers as cal
from calipers.inference import proportion

SHARES = ("wilson", "clopper-pearson", "jeffreys", "agresti-coull", "normal")
DRAWN = ("bca", "percentile", "basic")


def recall(hits, trials, **options):
    return cal.evaluate_counts(tp=hits, fn=trials - hits, fp=1, tn=1, **options)["recall"]


@pytest.mark.parametrize("method", ["delong-wilson", "delong-logit", "delong", "newcombe", *DRAWN])
def test_15_no_bound_leaves_the_range(method):
    """confidenceinterval 1.0.5: upper bound of an AUC 1.295, and a crash with one positive."""
    truth, score = np.array([0] * 9 + [1, 1]), np.array([*range(10), 8.5], np.float32)
    estimate = cal.metrics.roc_auc(truth, score, interval=method, replicates=200)
    assert 0 <= estimate.low <= estimate <= estimate.high <= 1
    alone = cal.metrics.roc_auc([0, 0, 1], [0.1, 0.7, 0.5], interval=method, replicates=200)
    assert alone == 0.5
    assert alone.high <= 1 if alone.low == alone.low else alone.reason.startswith("no interval: ")


def test_15_the_normal_interval_of_a_macro_f1_is_clipped():
    ev = cal.evaluate([0, 0, 1, 1, 2], [0, 0, 1, 1, 1], interval="normal")
    assert ev["f1(average=macro)"].method == "normal"
    assert 0 <= ev["f1(average=macro)"].low <= ev["f1(average=macro)"].high <= 1


def test_16_methods_without_width_at_a_perfect_auc_say_so():
    """pROC and confidenceinterval print [1, 1] and no word."""
    truth, score = [0] * 20 + [1] * 20, np.arange(40.0)
    plain = cal.metrics.roc_auc(truth, score, interval="delong")
    assert (plain.low, plain.high) == (1, 1)
    assert plain.flags == ("no variation in the data, so the interval is not reliable",)
    for method in ("delong-wilson", "delong-logit", "newcombe"):
        assert 0.8 < cal.metrics.roc_auc(truth, score, interval=method).low < 0.95
    constant = cal.metrics.roc_auc([0, 1] * 20, np.full(40, 0.3), interval="delong")
    assert constant.flags == plain.flags


def test_17_many_rows_do_not_overflow():
    """pROC: 32-bit pair counts. 3e5 x 2e5 pairs, in replicates too."""
    truth, score = np.repeat([0, 0, 0, 1, 1], 100_000), np.repeat([0.1, 0.5, 0.6, 0.5, 0.9], 100_000)
    for method in ("delong", "newcombe", "percentile"):
        estimate = cal.metrics.roc_auc(truth, score, interval=method, replicates=24)
        assert 0.745 < estimate.low < 0.75 < estimate.high < 0.755, method


@pytest.mark.parametrize("method", ["delong-wilson", "delong-logit", "delong", "newcombe", *DRAWN])
def test_18_reversed_scores_are_never_flipped(method):
    """pROC's roc() flips the direction: reversed scores give an AUC of 1."""
    estimate = cal.metrics.roc_auc([1, 1, 1, 0, 0, 0], [0.1, 0.2, 0.5, 0.4, 0.8, 0.9], interval=method, replicates=100)
    assert estimate == pytest.approx(1 / 9)
    assert estimate.low < 0.5


@pytest.mark.parametrize("method", SHARES)
def test_19_bounds_are_exactly_0_and_1_where_all_rows_are_alike(method):
    """statsmodels: Jeffreys' lower bound 4.8e-5 at 0/10, and Wilson's below 0 before #10010."""
    none, every = recall(0, 10, interval=method), recall(10, 10, interval=method)
    assert none.low == none == 0
    assert every.high == every == 1
    assert (none.low, none.high) == pytest.approx((1 - every.high, 1 - every.low), abs=1e-12)
    if method != "normal":
        assert 0.1 < none.high < 0.4
    nothing = recall(0, 0, interval=method)
    assert np.isnan(nothing.low)
    assert nothing.reason == "no row belongs to this class"


@pytest.mark.parametrize("method", SHARES)
def test_20_one_half_is_no_special_value(method):
    """R's prop.test drops its continuity correction at 5/10, where the null is met: no interval may jump there."""
    rule = {"clopper-pearson": proportion.clopper_pearson, "agresti-coull": proportion.agresti_coull}.get(method)
    rule = rule or getattr(proportion, method)
    below, at, above = (np.array(rule(x, 10, 0.95)) for x in (4.999, 5, 5.001))
    assert at.sum() == pytest.approx(1)
    np.testing.assert_allclose((below + above) / 2, at, atol=1e-6)


@pytest.mark.parametrize("method", DRAWN)
def test_21_a_constant_statistic_is_degenerate_and_says_so(method):
    """SciPy's BCa: (NaN, NaN)."""
    estimate = cal.metrics.accuracy([0, 1, 1, 0], [0, 1, 1, 0], interval=method)
    assert (estimate.low, estimate, estimate.high) == (1, 1, 1)
    assert estimate.flags == ("not reliable: every bootstrap sample gave the same value",)
    area = cal.metrics.roc_auc([0] * 30 + [1] * 30, np.arange(60.0), interval=method)
    assert (area.low, area.high) == (1, 1)
    assert area.flags[-1] == "not reliable: every bootstrap sample gave the same value"


def test_21_resamples_with_one_class_are_left_out_and_counted():
    estimate = cal.metrics.roc_auc([0, 0, 0, 0, 1], [0.1, 0.2, 0.8, 0.3, 0.6], interval="percentile", replicates=1000)
    left = int(estimate.flags[0].split()[0])
    assert estimate.flags[0] == f"{left} of 1000 bootstrap samples had no value and were left out"
    assert abs(left - 1000 * (1 - (1 - np.exp(-1)) * (1 - np.exp(-4)))) < 4 * np.sqrt(240)
    assert 0 <= estimate.low < estimate.high <= 1
