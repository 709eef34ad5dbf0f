import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from calipers.inference.calibration import ece_bounds, mce_bounds, mean_of_largest
from calipers.inference.proportion import clopper_pearson


def ece(n, p, y):
    n, p, y = map(np.asarray, (n, p, y))
    return float((n * abs(y - p)).sum() / n.sum()) if n.sum() else math.nan


@st.composite
def bins(draw):
    size = draw(st.integers(1, 15))
    n = draw(st.lists(st.integers(0, 200), min_size=size, max_size=size).filter(any))
    p = draw(st.lists(st.floats(0, 1), min_size=size, max_size=size))
    y = [draw(st.integers(0, rows)) / rows if rows else math.nan for rows in n]
    share = draw(st.floats(0, 1))
    return n, p, y, [share * x * (1 - x) for x in p]


@given(bins(), st.floats(0.5, 0.99))
@pytest.mark.parametrize("method", [ece_bounds, mce_bounds])
def test_bounds_hold_the_estimate_inside_the_range_and_widen(method, columns, level):
    n, p, y, _ = (np.asarray(c, dtype=float)[np.asarray(columns[0]) > 0] for c in columns)
    value = ece(n, p, y) if method is ece_bounds else abs(y - p).max()
    low, high, calibrated = method(*columns, level)
    wide = method(*columns, (1 + level) / 2)
    assert 0 <= wide[0] <= low <= value + 1e-12
    assert value - 1e-12 <= high <= wide[1] + 1e-12 <= 1 + 1e-9
    assert calibrated >= 0


def test_error_of_a_calibrated_model_is_the_simulated_mean():
    n, p = np.array([20, 50, 80, 30]), np.array([0.1, 0.35, 0.6, 0.85])
    y = np.random.default_rng(5).binomial(n, p, (20_000, 4)) / n
    v = p * (1 - p)
    simulated = (abs(y - p) @ n).mean() / n.sum(), abs(y - p).max(1).mean()
    assert ece_bounds(n, p, p, v, 0.95)[2] == pytest.approx(simulated[0], rel=0.02)
    assert mce_bounds(n, p, p, v, 0.95)[2] == pytest.approx(simulated[1], rel=0.02)


def test_low_end_leaves_zero_as_often_as_it_should():
    """For a calibrated model low > 0 has half the risk, 2.5%; the three-moment quantile is that close."""
    n, p = np.full(10, 100), np.linspace(0.05, 0.95, 10)
    y = np.random.default_rng(6).binomial(n, p, (4000, 10)) / n
    risk = np.mean([ece_bounds(n, p, row, p * (1 - p), 0.95)[0] > 0 for row in y])
    assert 0.008 < risk < 0.032


def test_gross_miscalibration_is_seen():
    assert ece_bounds([500, 500], [0.1, 0.9], [0.5, 0.5], [0.09, 0.09], 0.95)[0] > 0.3
    assert mce_bounds([500, 500], [0.1, 0.9], [0.5, 0.9], [0.09, 0.09], 0.95)[0] > 0.3


def test_no_rows_no_bounds():
    assert all(map(math.isnan, ece_bounds([0, 0], [0.1, 0.9], [math.nan] * 2, [0.1, 0.1], 0.95)))
    assert all(map(math.isnan, mce_bounds([0, 0], [0.1, 0.9], [math.nan] * 2, [0.1, 0.1], 0.95)))


@pytest.mark.parametrize(("hits", "trials"), [(0, 7), (7, 7), (3, 9), (81, 263)])
def test_exact_is_clopper_and_pearsons(hits, trials):
    expected = binomtest(hits, trials).proportion_ci(0.95, method="exact")
    low, high = clopper_pearson(np.array([float(hits)]), np.array([float(trials)]), 0.95)
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high))


def test_largest_of_unequal_half_normals_and_of_none():
    scales = np.array([0.0, 0.5, 1.0, 2.0])
    draws = abs(np.random.default_rng(7).standard_normal((200_000, 4)) * scales).max(1)
    assert mean_of_largest(scales) == pytest.approx(draws.mean(), rel=5e-3)
    assert mean_of_largest(np.zeros(3)) == 0.0
