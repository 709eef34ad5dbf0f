"""Item 7: weights that have to do with the outcome."""

import numpy as np
import pytest

import calipers as cal
from calipers.metrics.values import effective_rows

RNG = np.random.default_rng(17)
SHARES = ("accuracy", "precision", "recall", "f1", "fbeta(beta=2)", "balanced_accuracy", "specificity",
          "no_information_rate")


@pytest.mark.parametrize("weight", [1.0, 3.0, 0.1])
def test_item_7_equal_weights_give_the_unweighted_interval(weight):
    truth, pred = RNG.integers(0, 2, 90), RNG.integers(0, 2, 90)
    plain = cal.evaluate(truth, pred, positive=1)
    weighted = cal.evaluate(truth, pred, positive=1, weights=np.full(90, weight))
    for name in SHARES:
        found, expected = weighted[name], plain[name]
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12), name
        assert found.flags == expected.flags, name
        assert found.method == expected.method, name


def test_item_7_heavy_errors_widen_and_light_errors_narrow():
    truth, pred = np.zeros(400, int), np.r_[np.ones(20, int), np.zeros(380, int)]
    widths = {}
    for weight in (0.25, 8.0):
        weights = np.r_[np.full(20, weight), np.ones(380)]
        found = cal.evaluate(truth, pred, positive=1, weights=weights, metrics=["accuracy"])["accuracy"]
        kish = weights.sum() ** 2 / (weights @ weights)
        linear = effective_rows(380.0, weights.sum(), 380.0, weights @ weights)
        assert (linear < kish) == (weight > 1)
        widths[weight] = found.high - found.low
    assert widths[0.25] < 0.03 < 0.15 < widths[8.0]


def test_item_7_few_effective_rows_are_flagged():
    truth, pred = np.zeros(60, int), np.r_[np.ones(2, int), np.zeros(58, int)]
    found = cal.evaluate(truth, pred, positive=1, weights=np.r_[np.full(2, 20.0), np.ones(58)])["accuracy"]
    assert found.flags[0].endswith("rows of the rarer outcome")


def test_item_7_coverage_where_errors_weigh_eight():
    """Kish's effective rows covered 83 %."""
    rng, covered, samples = np.random.default_rng(4), 0, 400
    true = 0.9 / (0.9 + 0.1 * 8)
    for _ in range(samples):
        wrong = rng.random(200) < 0.1
        weights = np.where(wrong, 8.0, 1.0)
        found = cal.evaluate(np.zeros(200, int), wrong.astype(int), positive=1, weights=weights, metrics=["accuracy"])
        covered += found["accuracy"].low <= true <= found["accuracy"].high
    assert covered / samples > 0.92


def test_item_11_average_precision_and_its_bounds_stay_in_range():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        truth = np.r_[0, 1, rng.integers(0, 2, 20)]
        found = cal.metrics.average_precision(truth, truth + rng.random(22), weights=10.0 ** rng.uniform(-8, 8, 22))
        assert float(found) <= 1
        assert not found.high > 1
