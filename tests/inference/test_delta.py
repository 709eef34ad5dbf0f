import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.inference.delta import at_bound, logit_half, on_scale
from calipers.inference.proportion import wilson
from calipers.inference.quantiles import z

SCALES = [
    ((0.0, 1.0), lambda x: math.log(x / (1 - x)), lambda x: 1 / (x * (1 - x))),
    ((-1.0, 1.0), math.atanh, lambda x: 1 / (1 - x * x)),
    ((0.0, math.inf), math.log, lambda x: 1 / x),
    ((-math.inf, math.inf), lambda x: x, lambda x: 1.0),
]


@pytest.mark.parametrize(("bounds", "scale", "slope"), SCALES)
@pytest.mark.parametrize("value", [0.04, 0.5, 0.83])
def test_interval_is_symmetric_on_the_scale_of_its_bounds(bounds, scale, slope, value):
    low, high = on_scale(value, 0.02, 1.96, bounds)
    reach = 1.96 * 0.02 * slope(value)
    assert scale(value) - scale(low) == pytest.approx(reach)
    assert scale(high) - scale(value) == pytest.approx(reach)


@given(st.floats(1e-9, 1 - 1e-9), st.floats(1e-12, 1e3), st.floats(0.5, 4))
def test_interval_stays_in_its_bounds_and_holds_the_value(value, se, quantile):
    for bounds, _, _ in SCALES:
        low, high = on_scale(value, se, quantile, bounds)
        wide = on_scale(value, se, 2 * quantile, bounds)
        assert bounds[0] <= wide[0] <= low <= value <= high <= wide[1] <= bounds[1]


@pytest.mark.parametrize(
    ("value", "se"), [(0.0, 0.0), (1.0, 0.0), (0.5, 0.0), (math.nan, 0.1), (0.5, math.nan)]
)
def test_no_scale_or_no_spread_is_no_interval(value, se):
    assert all(map(math.isnan, on_scale(value, se, 1.96, (0, 1))))


def test_other_bounds_clip():
    assert on_scale(1.0, 1.0, 2.0, (0.5, 2.0)) == (0.5, 2.0)


def test_centre_serves_a_value_on_its_bound():
    around = on_scale(0.97, 0.02, 1.96, (0, 1))
    assert on_scale(1.0, 0.02, 1.96, (0, 1), centre=0.97) == (around[0], 1.0)
    assert on_scale(math.inf, 9.0, 1.96, (0, math.inf), centre=12.0)[1] == math.inf
    assert all(map(math.isnan, on_scale(math.nan, 0.02, 1.96, (0, 1), centre=0.97)))


def test_at_bound_is_wilson_stretched_to_the_range():
    assert at_bound(1.0, 29, 0.95, (0, 1)) == pytest.approx(wilson(29, 29, 0.95))
    assert at_bound(-1.0, 29, 0.95, (-1, 1)) == pytest.approx((-1, -1 + 2 * wilson(0, 29, 0.95)[1]))
    for value, bounds in ((0.5, (0, 1)), (math.inf, (0, math.inf))):
        assert all(map(math.isnan, at_bound(value, 29, 0.95, bounds)))


@pytest.mark.parametrize("beta", [0.5, 1, 2])
@pytest.mark.parametrize("cells", [(40, 10, 20), (3, 1, 0), (200, 7, 90)])
def test_variance_of_f_beta_is_the_multinomial_delta_variance(cells, beta):
    """The closed form against J Σ Jᵀ with the full covariance matrix, tn included, by central differences."""
    c = np.array([*(x + 0.5 for x in cells), 500.0])
    n, b2 = c.sum(), beta * beta

    def logit_f(x):
        return np.log((1 + b2) * x[0] / (b2 * x[2] + x[1]))

    gradient = np.array([(logit_f(c + h) - logit_f(c - h)) / 2e-5 for h in 1e-5 * np.eye(4)])
    variance = gradient @ (np.diag(c) - np.outer(c, c) / n) @ gradient
    low, high = logit_half(*cells, beta, 0.95)
    width = 2 * z(0.95) * math.sqrt(variance)
    assert math.log(high / (1 - high)) - math.log(low / (1 - low)) == pytest.approx(width, rel=1e-6)


cells = st.tuples(*[st.integers(0, 10**5)] * 3).filter(any)


@given(cells, st.sampled_from([0.5, 1, 2]), st.floats(0.5, 0.99))
def test_f_beta_interval_holds_the_estimate_inside_the_range(counts, beta, level):
    tp, fp, fn = counts
    value = (1 + beta**2) * tp / ((1 + beta**2) * tp + beta**2 * fn + fp)
    low, high = logit_half(*counts, beta, level)
    wide = logit_half(*counts, beta, (1 + level) / 2)
    assert 0 <= wide[0] <= low <= value <= high <= wide[1] <= 1
    assert (low == 0) == (tp == 0)
    assert (high == 1) == (fp + fn == 0)


def test_f_beta_of_nothing_has_no_interval():
    assert all(map(math.isnan, logit_half(0, 0, 0, 2, 0.95)))
