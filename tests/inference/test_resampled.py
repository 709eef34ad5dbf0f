"""Bootstrap intervals from replicates: against SciPy, and where replicates are alike or missing."""

import numpy as np
import pytest
from scipy import stats

from calipers.inference.intervals import interval
from calipers.inference.resampled import Draws, acceleration, basic, bca, percentile
from calipers.metrics.values import Without

RNG = np.random.default_rng(8)
SKEWED = RNG.exponential(size=40)
REPLICATES = RNG.choice(SKEWED, (999, 40)).mean(1)
UNIT = (0.0, 1.0)


def of(replicates, value, method, acceleration_value=0.0, bounds=UNIT):
    draws = Draws(np.asarray(replicates, float), lambda: acceleration_value)
    return interval(Without(value, ""), 0.95, bounds, method, lambda: draws)


@pytest.mark.parametrize(("ours", "theirs"), [(percentile, "percentile"), (basic, "basic"), (bca, "bca")])
def test_scipy_finds_the_same_from_the_same_resamples(ours, theirs):
    class Same:  # hands SciPy the replicates
        n = 0

        def __call__(self, x, axis=-1):
            return REPLICATES if x.ndim == 2 and len(x) == 999 else x.mean(axis)

    expected = stats.bootstrap(
        (SKEWED,), Same(), n_resamples=999, method=theirs, confidence_level=0.9, vectorized=True, random_state=0
    ).confidence_interval
    value = float(SKEWED.mean())
    more = {percentile: (), basic: (value,), bca: (value,)}[ours]
    acceleration_value = (acceleration(SKEWED),) if ours is bca else ()
    assert ours(REPLICATES, *more, 0.9, *acceleration_value) == pytest.approx(tuple(expected), rel=1e-9)


def test_the_acceleration_of_a_mean_is_a_sixth_of_its_skewness():
    skewness = stats.skew(SKEWED)
    assert acceleration(SKEWED) == pytest.approx(skewness / 6 / np.sqrt(40))
    left_out = np.array([np.delete(SKEWED, i).mean() for i in range(40)])
    assert acceleration(-left_out) == pytest.approx(acceleration(SKEWED))
    values, times = np.unique(SKEWED.round(0), return_counts=True)
    assert acceleration(values, times) == pytest.approx(acceleration(SKEWED.round(0)))


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_bounds_stay_in_the_range(method):
    draws = np.clip(RNG.normal(0.95, 0.1, 500), 0, 1)
    result = of(draws, 0.97, method, 0.4)
    assert 0 <= result.low <= result.high <= 1


def test_an_estimate_outside_is_flagged():
    result = of(np.linspace(0.5, 0.9, 100), 0.2, "percentile")
    assert result.low > 0.2
    assert result.flags == ("the estimate is outside its interval: the bootstrap samples are biased to one side",)


def test_undefined_resamples_are_counted_and_too_many_are_no_interval():
    draws = np.append(np.linspace(0.2, 0.4, 90), [np.nan] * 10)
    assert of(draws, 0.3, "bca").flags == ("10 of 100 bootstrap samples had no value and were left out",)
    result = of(np.append(np.linspace(0.2, 0.4, 40), [np.nan] * 60), 0.3, "bca")
    assert np.isnan(result.low)
    assert result.method == "it is undefined in most bootstrap samples"


@pytest.mark.parametrize("acceleration_value", [-5.0, 0.0, 5.0])
def test_bca_with_every_replicate_on_one_side_stays_within_the_replicates(acceleration_value):
    draws = np.linspace(0.5, 0.9, 100)
    for value in (0.1, 0.95):
        low, high = bca(draws, value, 0.95, acceleration_value)
        assert 0.5 <= low <= high <= 0.9
