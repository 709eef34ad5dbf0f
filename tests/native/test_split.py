"""Splitting and sorting scores by class."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers import _native
from calipers.statistics.sorting import sorted_samples

VALUES = st.sampled_from([-np.inf, np.inf, -0.0, 0.0, 0.5, 1.0, 1e-310, 1e300, -3.0])


def check(scores, codes, positive=1):
    got = sorted_samples(scores, codes, positive)
    pos, neg = np.sort(scores[codes == positive]), np.sort(scores[codes != positive])
    np.testing.assert_array_equal(got.pos, pos)
    np.testing.assert_array_equal(got.neg, neg)
    assert got.pos.dtype == got.neg.dtype == scores.dtype
    assert not np.signbit(got.pos[got.pos == 0]).any()
    assert not np.signbit(got.neg[got.neg == 0]).any()
    assert (got.nans, got.first_nan) == (0, -1)
    if len(scores):
        assert (got.low, got.high) == (scores.min(), scores.max())
    return got


@given(st.lists(st.tuples(VALUES, st.integers(0, 2)), max_size=40), st.sampled_from(["u1", "u2", "u4"]))
def test_any_small_input(rows, code_type):
    scores = np.array([s for s, _ in rows])
    codes = np.array([c for _, c in rows], dtype=code_type)
    check(scores, codes)
    with np.errstate(over="ignore"):
        check(scores.astype(np.float32), codes)


@pytest.mark.parametrize("n", [1_023, 1_025, 49_999, 50_000, 200_001])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
def test_large(n, dtype, share):
    rng = np.random.default_rng(n)
    scores = rng.normal(size=n).astype(dtype)
    codes = (rng.random(n) < share).astype(np.uint8)
    check(scores, codes)
    check(np.round(scores, 1), codes)
    check(np.full(n, 0.5, dtype), codes)
    check(scores[::-3], codes[::-3])


@pytest.mark.parametrize("n", [100, 150_000])
def test_sorted_input_is_seen(n):
    rng = np.random.default_rng(1)
    scores = np.sort(rng.random(n))
    codes = rng.integers(0, 2, n).astype(np.uint8)
    assert all(_native.split_scores(scores, codes, 1, True)[2])
    assert all(_native.split_scores(scores[::-1], codes, 1, True)[2])
    check(scores, codes)
    check(scores[::-1], codes)
    broken = scores.copy()
    broken[[n // 4, n // 4 + 1]] = broken[[n // 4 + 1, n // 4]]
    check(broken, np.ones(n, np.uint8))


def test_two_buffers_are_one():
    got = sorted_samples(np.array([0.3, 0.1, 0.2]), np.array([0, 1, 1], np.uint8), 1)
    assert got.pos.base is got.neg.base


@pytest.mark.parametrize("n", [10, 120_000])
def test_nans_are_counted_and_placed(n):
    scores = np.linspace(0, 1, n)
    scores[[n // 2, n // 2 + 3]] = np.nan
    codes = np.zeros(n, np.uint8)
    values, _, _, nans, first, low, high, _ = _native.split_scores(scores, codes, 1, True)
    assert (nans, first, low, high) == (2, n // 2, 0.0, 1.0)
    assert np.isnan(values).sum() == 2
    weighted = sorted_samples(scores, codes, 1, np.ones(n))
    assert (weighted.nans, weighted.first_nan, weighted.low, weighted.high) == (2, n // 2, 0.0, 1.0)


def test_no_rows():
    got = sorted_samples(np.empty(0), np.empty(0, np.uint8), 1)
    assert (len(got.pos), len(got.neg), got.low, got.high) == (0, 0, np.inf, -np.inf)


def test_weights_follow_their_rows_and_zero_drops_one():
    scores = np.array([0.9, 0.1, 0.5, 0.4, 0.2])
    codes = np.array([1, 1, 0, 1, 0], np.uint8)
    got = sorted_samples(scores, codes, 1, np.array([1.0, 2.0, 3.0, 0.0, 5.0]))
    np.testing.assert_array_equal(got.pos, [0.1, 0.9])
    np.testing.assert_array_equal(got.pos_weights, [2, 1])
    np.testing.assert_array_equal(got.neg, [0.2, 0.5])
    np.testing.assert_array_equal(got.neg_weights, [5, 3])


def test_any_number_of_threads_gives_the_same_bits(monkeypatch):
    rng = np.random.default_rng(2)
    scores, codes = rng.normal(size=300_000), rng.integers(0, 2, 300_000).astype(np.uint8)
    seen = []
    for threads in "123":
        monkeypatch.setenv("CALIPERS_THREADS", threads)
        got = sorted_samples(scores, codes, 1)
        seen.append((got.pos.tobytes(), got.neg.tobytes()))
    assert seen[0] == seen[1] == seen[2]


def test_other_types_are_refused():
    with pytest.raises(TypeError, match="scores must be float32 or float64"):
        _native.split_scores(np.array([1, 2]), np.array([0, 1], np.uint8), 1, False)
    with pytest.raises(TypeError, match="codes must be uint8, uint16 or uint32"):
        _native.split_scores(np.array([1.0, 2.0]), np.array([0, 1]), 1, False)
