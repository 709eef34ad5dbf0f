import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from sklearn.metrics import average_precision_score, roc_auc_score

import calipers as cal
from calipers.inference.area import (
    auc,
    average_precision,
    delong,
    delong_logit,
    exponential_variance,
    newcombe5,
)
from calipers.inference.delta import on_scale
from calipers.inference.proportion import wilson
from calipers.inference.quantiles import z


def placements(truth: np.ndarray, score: np.ndarray) -> tuple[float, float, float, int, int]:
    """The AUC and the sums of squared deviations of the placement values, by two sorted samples."""
    positives, negatives = np.sort(score[truth]), np.sort(score[~truth])

    def below(others: np.ndarray, own: np.ndarray) -> np.ndarray:
        return (np.searchsorted(others, own) + np.searchsorted(others, own, "right")) / (2 * len(others))

    a, b = below(negatives, positives), 1 - below(positives, negatives)
    return a.mean(), ((a - a.mean()) ** 2).sum(), ((b - b.mean()) ** 2).sum(), len(a), len(b)


def precision_influence(truth: np.ndarray, score: np.ndarray) -> tuple[float, np.ndarray]:
    """Average precision and the influence of each row: the outer mean's part plus that of each precision."""
    distinct, group = np.unique(-score, return_inverse=True)
    here = np.bincount(group, weights=truth, minlength=len(distinct))
    above = np.cumsum(np.bincount(group, minlength=len(distinct)))
    precision, positives, n = np.cumsum(here) / above, here.sum(), len(score)
    ap = float(here @ precision) / positives
    # Sums over the thresholds at or below a row's score, i.e. from its group on.
    kept = np.cumsum((here * (1 - precision) * n / above)[::-1])[::-1] / positives
    lost = np.cumsum((here * precision * n / above)[::-1])[::-1] / positives
    return ap, np.where(truth, n / positives * (precision[group] - ap) + kept[group], -lost[group])


def test_exponential_variance_is_hanley_and_mcneils_for_equal_classes():
    """Hanley & McNeil 1982: Q1 = θ/(2-θ), Q2 = 2θ²/(1+θ); both forms agree when P = N."""
    for theta in (0.3, 0.7, 0.95):
        q1, q2, n = theta / (2 - theta), 2 * theta**2 / (1 + theta), 25
        expected = (theta * (1 - theta) + (n - 1) * (q1 - theta**2) + (n - 1) * (q2 - theta**2)) / n**2
        assert exponential_variance(theta, n, n) == pytest.approx(expected)


@pytest.mark.parametrize(("value", "p", "n"), [(0.8, 20, 30), (0.55, 5, 100), (0.97, 12, 12)])
def test_newcombe5_ends_solve_the_score_equation(value, p, n):
    def distance(theta):
        return (value - theta) ** 2 - z(0.95) ** 2 * exponential_variance(theta, p, n)

    expected = brentq(distance, 1e-12, value), brentq(distance, value, 1 - 1e-12)
    assert newcombe5(value, p, n, 0.95) == pytest.approx(expected, abs=1e-9)


def test_newcombe5_is_exact_at_the_ends():
    low, high = newcombe5(1.0, 10, 15, 0.95)
    assert 0.7 < low < 0.9
    assert high == 1.0
    assert newcombe5(0.0, 10, 15, 0.95) == pytest.approx((0.0, 1 - low))


def most_variance(value, rows):
    """Of numbers between 0 and 1 with this mean."""
    return value * (1 - value) * rows / (rows - 1)


areas = st.tuples(
    st.floats(0.01, 0.99), st.floats(0, 1), st.floats(0, 1), st.integers(2, 500), st.integers(2, 500)
).map(lambda a: (a[0], a[1] * most_variance(a[0], a[3]), a[2] * most_variance(a[0], a[4]), a[3], a[4]))


def smoothed(value, v10, v01, positives, negatives, level):
    return auc(value, *delong(v10, v01, positives, negatives), positives, negatives, level)


@given(areas, st.floats(0.5, 0.99))
@pytest.mark.parametrize("method", [smoothed, delong_logit])
def test_intervals_hold_the_estimate_inside_the_range_and_widen(method, area, level):
    low, high = method(*area, level)
    wide = method(*area, (1 + level) / 2)
    assert 0 <= wide[0] <= low <= area[0] <= high <= wide[1] <= 1


def test_auc_comes_close_to_delongs_interval_with_many_misranked_rows():
    for rows in (200, 2000, 200_000):
        plain = on_scale(0.8, math.sqrt(delong(0.04 * rows, 0.04 * rows, rows, rows)[0]), z(0.95), (0, 1))
        assert smoothed(0.8, 0.04 * rows, 0.04 * rows, rows, rows, 0.95) == pytest.approx(plain, abs=3 / rows)


@given(areas)
def test_turning_the_scores_round_mirrors_the_interval(area):
    low, high = smoothed(*area, 0.95)
    assert smoothed(1 - area[0], *area[1:], 0.95) == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_separated_constant_and_single_scores():
    assert delong_logit(1.0, 0, 0, 12, 40, 0.95) == wilson(12, 12, 0.95)
    assert delong_logit(0.5, 0, 0, 12, 40, 0.95) == wilson(6, 12, 0.95)
    assert all(map(math.isnan, delong_logit(0.7, 0.1, 0.1, 1, 40, 0.95)))
    assert all(map(math.isnan, auc(0.7, 0.1, 5.0, 1, 40, 0.95)))
    for value in (1.0, 0.5):  # no spread: between the interval of 12 rows and that of twice as many
        low = auc(value, 0.0, math.nan, 12, 40, 0.95)[0]
        assert wilson(value * 12, 12, 0.95)[0] - 0.002 < low < wilson(value * 24, 24, 0.95)[0]


def test_delong_variance_is_that_of_the_definition():
    rng = np.random.default_rng(3)
    truth, score = rng.random(60) < 0.4, rng.standard_normal(60).round(1)
    value, v10, v01, p, n = placements(truth, score)
    kernel = np.sign(score[truth][:, None] - score[~truth]) / 2 + 0.5
    expected = kernel.mean(1).var(ddof=1) / p + kernel.mean(0).var(ddof=1) / n
    assert value == pytest.approx(roc_auc_score(truth, score))
    assert delong(v10, v01, p, n)[0] == pytest.approx(expected)


@pytest.mark.parametrize("decimals", [8, 1])
def test_influence_of_average_precision_is_the_infinitesimal_jackknife(decimals):
    """n times the derivative of the average precision by the share of each row, by central differences."""
    rng = np.random.default_rng(4)
    truth = rng.random(50) < 0.3
    score = (rng.standard_normal(50) + truth).round(decimals)
    value, influence = precision_influence(truth, score)
    assert value == pytest.approx(average_precision_score(truth, score))
    assert influence.sum() == pytest.approx(0, abs=1e-9)
    h = 1e-5
    for i in range(50):
        up, down = np.ones(50), np.ones(50)
        up[i], down[i] = 1 + h, 1 - h
        values = [average_precision_score(truth, score, sample_weight=w) for w in (up, down)]
        assert influence[i] == pytest.approx(50 * (values[0] - values[1]) / (2 * h), abs=1e-5)


def test_average_precision_at_one_and_without_positives():
    low, high = average_precision(1.0, 0.0, 20, 100, 0.95, harm=0.03)
    assert (low, high) == (pytest.approx(1 - z(0.95) ** 2 * 0.03), 1.0)
    assert all(map(math.isnan, average_precision(0.5, 0.01, 1, 100, 0.95)))
    assert all(map(math.isnan, average_precision(math.nan, math.nan, 0, 100, 0.95)))


unit = st.floats(0.01, 0.99)


@given(unit, st.floats(1e-6, 0.1), st.integers(2, 400), st.floats(1, 500), st.floats(0, 1))
def test_average_precision_interval_shrinks_with_positives(value, variance, positives, kurtosis, harm):
    low, high = average_precision(value, variance, positives, 1000, 0.95, kurtosis, harm)
    more = average_precision(value, variance, positives + 50, 1000, 0.95, kurtosis, harm)
    assert 0 <= low <= more[0] <= value <= more[1] == high <= 1


@given(unit, st.floats(0, 0.1), st.floats(0.5, 0.99))
def test_average_precision_interval_widens_with_the_level(value, variance, level):
    low, high = average_precision(value, variance, 60, 500, level, 5.0, 0.01)
    wide = average_precision(value, variance, 60, 500, (1 + level) / 2, 5.0, 0.01)
    assert wide[0] <= low <= value <= high <= wide[1]


def test_few_deciding_rows_lower_the_interval_of_average_precision():
    calm, wild = (average_precision(0.6, 0.002, 60, 500, 0.95, kurtosis=k) for k in (3.0, 300.0))
    assert calm == average_precision(0.6, 0.002, 60, 500, 0.95)
    assert wild[0] < calm[0]
    assert wild[1] == calm[1]


def test_a_high_negative_that_was_not_drawn_is_inside_the_interval():
    """Ten positives above ninety negatives, and the average precision that one negative on top would have given."""
    estimate = cal.evaluate([1] * 10 + [0] * 90, np.linspace(1, 0, 100))["average_precision"]
    worse = cal.evaluate([1] * 10 + [0] * 90, np.append(np.linspace(1, 0, 99), 2.0))["average_precision"]
    assert estimate == 1
    assert estimate.low < worse < 0.8
    assert estimate.flags == ()
    assert cal.evaluate([1] * 9 + [0] * 90, np.linspace(1, 0, 99))["average_precision"].flags == (
        "based on very few positive rows (9)",
    )


def test_weights_of_one_size_change_nothing_about_average_precision():
    rng = np.random.default_rng(5)
    truth = rng.random(300) < 0.3
    score = rng.standard_normal(300) + truth
    plain, weighted = (cal.evaluate(truth, score, weights=w)["average_precision"] for w in (None, np.full(300, 7.0)))
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high))
