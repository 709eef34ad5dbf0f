"""Printed intervals of one proportion, and what each method says where all rows are alike."""

import math

import pytest
from scipy.stats import beta, binomtest

import calipers as cal
from calipers.inference import proportion

# Newcombe 1998, Statist. Med. 17:857-872, table I, 95%: simple asymptotic (1), Wilson (3), Clopper-Pearson (5).
# The first leaves [0, 1] at 1/29 in the table (-0.0319); here it is clipped.
NEWCOMBE = [
    ("normal", 81, 263, 0.2522, 0.3638),
    ("normal", 15, 148, 0.0527, 0.1500),
    ("normal", 0, 20, 0.0, 0.0),
    ("normal", 1, 29, 0.0, 0.1009),
    ("wilson", 81, 263, 0.2553, 0.3662),
    ("wilson", 15, 148, 0.0624, 0.1605),
    ("wilson", 0, 20, 0.0, 0.1611),
    ("wilson", 1, 29, 0.0061, 0.1718),
    ("clopper-pearson", 81, 263, 0.2527, 0.3676),
    ("clopper-pearson", 15, 148, 0.0578, 0.1617),
    ("clopper-pearson", 0, 20, 0.0, 0.1684),
    ("clopper-pearson", 1, 29, 0.0009, 0.1776),
]
SHARES = [(81, 263), (15, 148), (0, 20), (1, 29), (29, 29), (1, 1)]


def recall(hits, trials, **options):
    return cal.evaluate_counts(tp=hits, fp=3, fn=trials - hits, tn=50, **options)["recall"]


@pytest.mark.parametrize(("method", "hits", "trials", "low", "high"), NEWCOMBE)
def test_the_printed_bounds_come_out(method, hits, trials, low, high):
    result = recall(hits, trials, interval=method)
    assert (round(result.low, 4), round(result.high, 4)) == (low, high)
    assert result.method == method


@pytest.mark.parametrize(("hits", "trials"), SHARES)
@pytest.mark.parametrize(("method", "theirs"), [("wilson", "wilson"), ("clopper-pearson", "exact")])
def test_scipy_agrees(hits, trials, method, theirs):
    expected = binomtest(hits, trials).proportion_ci(0.9, theirs)
    result = recall(hits, trials, interval=method, level=0.9)
    assert (result.low, result.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(("hits", "trials"), SHARES)
def test_jeffreys_is_the_posterior_of_beta_one_half(hits, trials):
    low, high = beta.ppf([0.025, 0.975], hits + 0.5, trials - hits + 0.5)
    result = recall(hits, trials, interval="jeffreys")
    assert result.low == pytest.approx(low if hits else 0.0, abs=1e-12)
    assert result.high == pytest.approx(high if hits < trials else 1.0, abs=1e-12)


@pytest.mark.parametrize(("hits", "trials"), SHARES)
def test_agresti_and_coull_lay_a_wider_interval_around_wilsons_centre(hits, trials):
    low, high = proportion.agresti_coull(hits, trials, 0.95)
    inner = proportion.wilson(hits, trials, 0.95)
    assert low <= inner[0]
    assert inner[1] <= high
    if low > 0 and high < 1:
        assert low + high == pytest.approx(sum(inner))


def test_means_by_t_and_by_normal_quantiles():
    y, p = [0, 1, 1, 0, 1], [0.1, 0.9, 0.6, 0.3, 0.8]
    losses = [0.01, 0.01, 0.16, 0.09, 0.04]
    mean = sum(losses) / 5
    error = math.sqrt(sum((x - mean) ** 2 for x in losses) / 4 / 5)
    by_t = cal.metrics.brier(y, p, interval="t")
    assert (by_t.low, by_t.high) == pytest.approx((max(0, mean - 2.776445 * error), mean + 2.776445 * error), abs=1e-6)
    by_z = cal.metrics.brier(y, p, interval="normal")
    assert (by_z.low, by_z.high) == pytest.approx((max(0, mean - 1.959964 * error), mean + 1.959964 * error), abs=1e-6)
    assert (by_t.method, by_z.method) == ("t", "normal")


def test_plain_delong_of_a_printed_roc():
    # Hand: placements of positives (1, 1, 3/4), of negatives (1, 1, 2/3, 1): area 11/12.
    y, s = [1, 1, 1, 0, 0, 0, 0], [0.9, 0.8, 0.4, 0.1, 0.2, 0.5, 0.3]
    v10 = (2 * (1 / 12) ** 2 + (1 / 6) ** 2) / 2 / 3
    v01 = (3 * (1 / 12) ** 2 + (1 / 4) ** 2) / 3 / 4
    estimate = cal.metrics.roc_auc(y, s, interval="delong")
    assert float(estimate) == pytest.approx(11 / 12)
    assert estimate.low == pytest.approx(11 / 12 - 1.959964 * math.sqrt(v10 + v01), abs=1e-6)
    assert (estimate.high, estimate.method) == (1.0, "delong")
