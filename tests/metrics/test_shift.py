"""The shift of the log odds: the root that an independent solver finds, also where probabilities are 0 and 1."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import brentq

import calipers as cal
from calipers.metrics.calibration import log_odds, shift

PROBABILITIES = st.sampled_from([0.0, 1e-12, 1e-7, 0.02, 0.3, 0.5, 0.9, 1 - 1e-7, 1.0])
ROWS = st.lists(st.tuples(st.booleans(), PROBABILITIES, st.floats(1e-6, 1e6)), min_size=2, max_size=40)


def excess(b, x, y, w):
    """The logarithm of what positives lack over what negatives have, in extended precision."""
    x, w = x.astype(np.longdouble), w.astype(np.longdouble)
    lacking, had = (sum(w[side] / (1 + np.exp(sign * (x[side] + b)))) for side, sign in ((y, 1), (~y, -1)))
    return float(np.log(lacking / had))


@given(ROWS)
def test_it_is_the_root(rows):
    y, p, w = map(np.array, zip(*rows, strict=True))
    assume(0 < y.sum() < len(y))
    x = log_odds(p)
    expected = brentq(excess, -80, 80, (x, y, w), xtol=1e-13, rtol=1e-14)
    assert shift(x, y, w) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(ROWS)
def test_issue_15_whole_weights_are_repetitions(rows):
    y, p, w = map(np.array, zip(*rows, strict=True))
    assume(0 < y.sum() < len(y))
    times = 1 + (w % 5).astype(int)
    x = log_odds(p)
    repeated = shift(np.repeat(x, times), np.repeat(y, times), np.ones(times.sum()))
    assert shift(x, y, times.astype(float)) == pytest.approx(repeated, rel=1e-9, abs=1e-9)


def test_issue_15_nearly_certain_probabilities_have_one_shift():
    """Three wrong rows of each kind: no shift. What one more positive of 0.5 lacks is what 100 rows of 0 get."""
    y = np.r_[np.ones(100), np.zeros(100)].astype(int)
    p = y.astype(float)
    p[:3], p[-3:] = 0.0, 1.0
    p[50] = 0.5  # else they would be labels
    assert float(cal.evaluate(y, p)["calibration_in_the_large"]) == pytest.approx(np.log(1e8 / 100) / 2, abs=1e-3)
    p[50] = p[150] = 0.5
    assert float(cal.evaluate(y, p)["calibration_in_the_large"]) == pytest.approx(0, abs=1e-6)
