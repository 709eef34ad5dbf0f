"""Log loss and Brier of good models: errors that were not drawn may cost much."""

import numpy as np
import pytest

import calipers as cal
from calipers.inference.mean import hall


def saturated(rng, n, noise=0.01):
    """Scores within a millionth of 0 and 1, and one label in a hundred wrong."""
    pred = rng.random(n) < 0.5
    score = 1 / (1 + np.exp(-np.where(pred, 1, -1) * rng.uniform(12, 15, n)))
    return (pred ^ (rng.random(n) < noise)).astype(int), score


def near_sure(rng, n):
    """The same with 3% noise and scores from 0.02 to 0.0000001 from the ends; used for no choice."""
    pred = rng.random(n) < 0.4
    score = 1 / (1 + np.exp(-np.where(pred, 1, -1) * rng.uniform(4, 16, n)))
    return (pred ^ (rng.random(n) < 0.03)).astype(int), score


def rare(rng, n):
    """A class of 2% that the scores ignore."""
    return (rng.random(n) < 0.02).astype(int), rng.uniform(0.005, 0.03, n)


@pytest.mark.parametrize("metric", ["log_loss", "brier"])
@pytest.mark.parametrize(("draw", "rows"), [(saturated, 50), (saturated, 100), (near_sure, 60), (rare, 80)])
def test_item_6_losses_of_good_models_are_held(metric, draw, rows):
    rng = np.random.default_rng([6, rows])
    truth, score = draw(np.random.default_rng(1), 2_000_000)
    own = np.where(truth == 1, score, 1 - score)
    true = (-np.log(own) if metric == "log_loss" else (1 - own) ** 2).mean()
    measure, covered = getattr(cal.metrics, metric), []
    for _ in range(400):
        result = measure(*draw(rng, rows))
        covered.append(result.low <= true <= result.high)
    assert np.mean(covered) > 0.945


def test_item_6_a_sample_without_errors_is_flagged():
    rng = np.random.default_rng(6)
    truth, score = saturated(rng, 50, noise=0)
    estimate = cal.evaluate(truth, score)["log_loss"]
    assert estimate.flags == (
        "very few wrong predictions (0): the upper bound mostly allows for errors that were not observed",)
    assert estimate.high > 0.5


def test_item_6_confident_predictions_without_errors_among_unsure_ones_are_flagged():
    """Of 100 rows, 70 are unsure and 30 extreme: one error of these costs as much as ten of the others."""
    rng = np.random.default_rng(6)
    pred, extreme = rng.random(100) < 0.5, np.arange(100) < 30
    score = np.where(extreme, np.where(pred, 0.9999, 0.0001), rng.uniform(0.3, 0.7, 100))
    truth = np.where(extreme, pred, rng.random(100) < score).astype(int)
    estimate = cal.evaluate(truth, score, metrics=["log_loss"])["log_loss"]
    other = -np.log(np.where(truth == 1, 1 - score, score)).mean()
    assert estimate.flags == (
        f"depends on errors that were not observed: one more wrong prediction would add about {other / 100:.2g}",)
    truth[:2] = 1 - truth[:2]
    assert not cal.evaluate(truth, score, metrics=["log_loss"])["log_loss"].flags


def test_item_6_many_errors_leave_halls_interval():
    rng = np.random.default_rng(6)
    p = rng.random(2000)
    truth = (rng.random(2000) < p).astype(int)
    estimate = cal.evaluate(truth, p)["log_loss"]
    losses = -np.log(np.where(truth == 1, p, 1 - p))
    d = losses - losses.mean()
    low, high = hall(2000, losses.mean(), (d**2).sum(), (d**3).sum(), 0.95)
    assert estimate.low == pytest.approx(low)
    assert high < estimate.high < high + 0.001 * (high - low)
    assert estimate.flags == ()


@pytest.mark.parametrize("metric", ["log_loss", "brier"])
def test_item_6_every_road_to_a_loss_has_the_same_interval(metric):
    """Sorted scores, rows as they come, a matrix of two columns, weights of 1, a class of several."""
    rng = np.random.default_rng(6)
    truth, score = near_sure(rng, 200)
    both = np.stack((1 - score, score), 1)
    result = [
        cal.evaluate(truth, score)[metric],
        getattr(cal.metrics, metric)(truth, score),
        cal.evaluate(truth, both)[metric],
        cal.evaluate(truth, score, weights=np.full(200, 2.0))[metric],
    ]
    for other in result[1:]:
        assert (other, other.low, other.high) == pytest.approx((result[0], result[0].low, result[0].high), rel=1e-6)


def test_item_6_identical_losses_have_an_interval():
    """All rows right with a score of 1 - 1e-9: no spread, and still no certainty."""
    truth = np.arange(60) % 2
    estimate = cal.evaluate(truth, np.where(truth == 1, 1 - 2.0**-30, 2.0**-30))["log_loss"]
    assert estimate.low == pytest.approx(float(estimate))
    assert 1 < estimate.high < 2


@pytest.mark.parametrize("metric", ["log_loss", "brier"])
def test_item_6_clusters_allow_for_errors_that_were_not_seen(metric):
    truth, score = saturated(np.random.default_rng(6), 60, noise=0)
    measure = getattr(cal.metrics, metric)
    alone, grouped = measure(truth, score), measure(truth, score, groups=np.arange(60) // 3)
    assert grouped.high > 2 * alone.high  # 20 groups may say as little as 20 rows
    flag = "very few wrong predictions (0): the upper bound mostly allows for errors that were not observed"
    assert flag in grouped.flags
    assert measure(truth, score, groups=np.arange(60)).high == alone.high
