"""Item 7: weights that have to do with the outcome."""

import numpy as np
import pytest

import calipers as cal
from calipers.metrics.weighted_shares import effective_rows

RNG = np.random.default_rng(17)
SHARES = ("accuracy", "precision", "recall", "f1", "fbeta(beta=2)", "balanced_accuracy", "specificity",
          "no_information_rate")


@pytest.mark.parametrize("weight", [1.0, 3.0, 0.1])
def test_item_7_equal_weights_give_the_unweighted_interval(weight):
    truth, pred = RNG.integers(0, 2, 90), RNG.integers(0, 2, 90)
    plain = cal.evaluate(truth, pred, positive=1)
    weighted = cal.evaluate(truth, pred, positive=1, weights=np.full(90, weight))
    for name in SHARES:
        result, expected = weighted[name], plain[name]
        assert (result.low, result.high) == pytest.approx((expected.low, expected.high), rel=1e-12), name
        assert result.flags == expected.flags, name
        assert result.method == expected.method, name


def test_item_7_heavy_errors_widen_and_light_errors_narrow():
    truth, pred = np.zeros(400, int), np.r_[np.ones(20, int), np.zeros(380, int)]
    widths = {}
    for weight in (0.25, 8.0):
        weights = np.r_[np.full(20, weight), np.ones(380)]
        estimate = cal.evaluate(truth, pred, positive=1, weights=weights, metrics=["accuracy"])["accuracy"]
        kish = weights.sum() ** 2 / (weights @ weights)
        linear = effective_rows(380.0, weights.sum(), 380.0, weights @ weights)
        assert (linear < kish) == (weight > 1)
        widths[weight] = estimate.high - estimate.low
    assert widths[0.25] < 0.03 < 0.15 < widths[8.0]


def test_item_7_few_effective_rows_are_flagged():
    truth, pred = np.zeros(60, int), np.r_[np.ones(2, int), np.zeros(58, int)]
    estimate = cal.evaluate(truth, pred, positive=1, weights=np.r_[np.full(2, 20.0), np.ones(58)])["accuracy"]
    assert "too few cases to be reliable (2 of the rarer outcome)" in estimate.flags


def test_item_7_few_rows_that_have_the_weight_are_flagged():
    """Eight rows of 400 have half of the weight: accuracy was covered in 86% of such samples, without a flag."""
    rng, flagged = np.random.default_rng(3), np.zeros((2, 2))
    for _ in range(100):
        y = rng.integers(0, 2, 400)
        right = rng.random(400) < 0.84
        p = np.where(y == right, 0.8, 0.2)
        for row, w in enumerate((np.where(rng.random(400) < 0.02, 50.0, 1.0), rng.lognormal(size=400))):
            ev = cal.evaluate(y, p, weights=w, positive=1, threshold=0.5, metrics=["accuracy", "f1"])
            flagged[row] += [bool(ev[name].flags) for name in ("accuracy", "f1")]
    assert (flagged[0] >= 80).all()
    assert (flagged[1] <= 5).all()
    heavy = np.where(np.arange(400) < 8, 50.0, 1.0)
    ev = cal.evaluate(np.arange(400) % 2, np.arange(400) % 5 % 2, weights=heavy, positive=1)
    (flag,) = ev["accuracy"].flags
    assert flag == "a few rows have most of the weight: all 400 rows count as about 31 of equal weight"
    assert not cal.evaluate(np.arange(400) % 2, np.arange(400) % 5 % 2, positive=1)["accuracy"].flags


def test_item_7_coverage_where_errors_weigh_eight():
    """Kish's effective rows covered 83%."""
    rng, covered, samples = np.random.default_rng(4), 0, 400
    true = 0.9 / (0.9 + 0.1 * 8)
    for _ in range(samples):
        wrong = rng.random(200) < 0.1
        weights = np.where(wrong, 8.0, 1.0)
        ev = cal.evaluate(np.zeros(200, int), wrong.astype(int), positive=1, weights=weights, metrics=["accuracy"])
        covered += ev["accuracy"].low <= true <= ev["accuracy"].high
    assert covered / samples > 0.92


def test_item_11_average_precision_and_its_bounds_stay_in_range():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        truth = np.r_[0, 1, rng.integers(0, 2, 20)]
        estimate = cal.metrics.average_precision(truth, truth + rng.random(22), weights=10.0 ** rng.uniform(-8, 8, 22))
        assert float(estimate) <= 1
        assert not estimate.high > 1


MEANS = ("log_loss", "brier", "mae", "mse", "rmse", "bias", "mape")


def means(weights):
    """Every mean with these weights, of classes or of numbers."""
    rng, n = np.random.default_rng(7), 300
    p, y = rng.random(n), rng.gamma(2.0, size=n) + 0.1
    of_classes = cal.evaluate((rng.random(n) < p).astype(int), p, weights=weights, metrics=MEANS[:2])
    of_numbers = cal.evaluate(y, y + rng.normal(size=n), weights=weights, metrics=MEANS[2:], task="regression")
    return {name: (of_classes if name in MEANS[:2] else of_numbers)[name] for name in MEANS}


@pytest.mark.parametrize("weight", [1.0, 3.0, 0.1])
def test_item_7_equal_weights_give_the_unweighted_interval_of_a_mean(weight):
    plain, weighted = means(None), means(np.full(300, weight))
    for name, result in weighted.items():
        assert (result.low, result.high) == pytest.approx((plain[name].low, plain[name].high), rel=1e-10), name
        assert result.method == plain[name].method, name


def test_item_7_the_variance_of_a_mean_is_the_linearised_one_when_many_rows_show_it():
    rng = np.random.default_rng(8)
    y, error = rng.normal(size=40000), rng.normal(size=40000)
    weights = 1 + 7.0 * (abs(error) > 1)
    estimate = cal.evaluate(y, y + error, weights=weights, metrics=["mse"], task="regression")["mse"]
    c = error**2 - weights @ error**2 / weights.sum()
    expected = np.sqrt(((weights * c) ** 2).sum()) / weights.sum()
    assert (estimate.high - estimate.low) / (2 * 1.96) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("metric", ["log_loss", "brier"])
def test_item_7_coverage_of_losses_where_errors_weigh_eight(metric):
    """Kish's effective rows cover 88 to 90%, and 83% in the trial of the issue."""
    def draw(rng, n):
        p = 1 / (1 + np.exp(-6 * rng.normal(size=n)))
        y = (rng.random(n) < p).astype(int)
        return y, p, np.where((p > 0.5) != y, 8.0, 1.0)

    y, p, w = draw(np.random.default_rng(1), 1_000_000)
    own = np.where(y == 1, p, 1 - p)
    true = np.average(-np.log(own) if metric == "log_loss" else (1 - own) ** 2, weights=w)
    rng, measure, covered = np.random.default_rng(5), getattr(cal.metrics, metric), []
    for _ in range(500):
        y, p, w = draw(rng, 250)
        result = measure(y, p, weights=w)
        covered.append(result.low <= true <= result.high)
    assert np.mean(covered) > 0.925


def test_item_7_moments_of_weighted_rows_in_parts_and_whole():
    from calipers.statistics.moments import Moments

    rng = np.random.default_rng(9)
    x, w = rng.gamma(1.0, size=500), rng.gamma(0.5, size=500)
    whole, c = Moments.of_values(x, w), x - np.average(x, weights=w)
    parts = Moments.of_values(x[:123], w[:123]).merge(Moments.of_values(x[123:], w[123:]))
    assert (parts.q1, parts.q2) == pytest.approx((whole.q1, whole.q2))
    assert (whole.q1, whole.q2) == pytest.approx(((w**2 * c).sum(), (w**2 * c**2).sum()))


def test_item_7_kernels_find_the_sums_with_squared_weights():
    from calipers.statistics.errors import Errors
    from calipers.statistics.losses import Loss
    from calipers.statistics.moments import Moments
    from calipers.statistics.scores import losses

    rng = np.random.default_rng(10)
    for n in (5, 1000, 30001):
        y, pred, w = rng.normal(size=n), rng.normal(size=n), rng.gamma(0.5, size=n)
        for weights in (w, None):
            result = Errors.of_columns(y, pred, weights, [Loss("squared")]).loss("squared")
            expected = Moments.of_values((y - pred) ** 2, weights)
            assert result.q2 == pytest.approx(expected.q2)
            assert result.q1 == pytest.approx(expected.q1, abs=1e-9 * n)
            pos, neg = rng.random(n), rng.random(n + 3)
            own = None if weights is None else rng.gamma(0.5, size=n + 3)
            result = losses(pos, neg, weights, own)[1].moments
            both = None if weights is None or own is None else np.r_[weights, own]
            expected = Moments.of_values(np.r_[(1 - pos) ** 2, neg**2], both)
            assert result.q2 == pytest.approx(expected.q2)
            assert result.q1 == pytest.approx(expected.q1, abs=1e-9 * n)


@pytest.mark.parametrize(("metric", "loss"), [("mae", abs), ("mse", np.square)])
def test_item_7_large_errors_that_weigh_more(metric, loss):
    """One error in ten weighs 5, of 60 rows: 93% (mae) and 90% (mse) were covered."""
    rng, measure, covered = np.random.default_rng(77), getattr(cal.metrics, metric), []
    errors = rng.standard_t(6, 400_000)
    weights = np.where(abs(errors) > np.quantile(abs(errors), 0.9), 5.0, 1.0)
    true = np.average(loss(errors), weights=weights)
    for _ in range(800):
        at = rng.integers(0, len(errors), 60)
        estimate = measure(np.zeros(60), errors[at], weights=weights[at])
        covered.append(estimate.low <= true <= estimate.high)
    assert np.mean(covered) > 0.945


def test_item_7_equal_weights_change_no_interval_of_long_tails():
    errors = np.random.default_rng(78).exponential(size=50)
    plain, weighted = (cal.metrics.mse(np.zeros(50), errors, weights=w) for w in (None, np.full(50, 0.3)))
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high))
