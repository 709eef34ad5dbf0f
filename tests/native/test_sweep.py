"""The curve of thresholds against scikit-learn's roc_curve."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_curve

from calipers import _native

LEVELS = st.sampled_from([-1e300, 0.0, 0.25, 0.5, 0.75, 1.0, 1e-310])
SAMPLE = st.lists(LEVELS, min_size=1, max_size=25).map(lambda v: np.sort(np.array(v)))


def check(pos, neg, corners, weights=None):
    truth = np.r_[np.ones(len(pos)), np.zeros(len(neg))]
    fpr, tpr, expected = roc_curve(
        truth,
        np.r_[pos, neg],
        drop_intermediate=corners,
        sample_weight=None if weights is None else np.concatenate(weights),
    )
    thresholds, tp, fp = _native.sweep(pos, neg, *(weights or (None, None)), corners)
    np.testing.assert_array_equal(thresholds, expected)
    np.testing.assert_allclose(tp / tp[-1], tpr, atol=1e-12)
    np.testing.assert_allclose(fp / fp[-1], fpr, atol=1e-12)
    assert tp.dtype == fp.dtype == (np.int64 if weights is None else np.float64)


@given(SAMPLE, SAMPLE, st.booleans())
def test_equals_scikit_learn(pos, neg, corners):
    check(pos, neg, corners)
    rng = np.random.default_rng(0)
    check(pos, neg, corners, [rng.integers(1, 4, len(v)).astype(float) for v in (pos, neg)])


@pytest.mark.parametrize("digits", [0, 2, 12])
@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_blocks(digits, corners, dtype):
    rng = np.random.default_rng(3)
    pos, neg = (
        np.sort(np.round(rng.normal(size=n) + d, digits).astype(dtype)) for n, d in ((60_000, 1), (90_000, 0))
    )
    check(pos, neg, corners)


def test_one_class():
    thresholds, tp, fp = _native.sweep(np.empty(0), np.array([1.0, 1.0, 2.0]), None, None, False)
    assert (thresholds.tolist(), tp.tolist(), fp.tolist()) == ([np.inf, 2, 1], [0, 0, 0], [0, 1, 3])
    assert _native.sweep(np.empty(0), np.empty(0), None, None, True)[0].tolist() == [np.inf]


@pytest.mark.parametrize("corners", [False, True])
def test_shares_are_counts_over_the_last_ones(corners):
    rng = np.random.default_rng(2)
    pos, neg = np.sort(rng.integers(0, 5000, 40_000) / 5000), np.sort(rng.integers(0, 6000, 50_000) / 5000)
    for weights in ((None, None), (rng.random(len(pos)), rng.random(len(neg)))):
        t, tp, fp = _native.sweep(pos, neg, *weights, corners)
        got = _native.roc(pos, neg, *weights, corners)
        for have, want in zip(got, (t, tp / tp[-1], fp / fp[-1]), strict=True):
            np.testing.assert_array_equal(have, want)

