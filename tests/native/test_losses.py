"""Log loss and squared error against NumPy and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, log_loss

from calipers import _native

EPS = np.finfo(np.float64).eps
SAMPLE = st.lists(st.sampled_from([0.0, 1e-310, 1e-18, 0.1, 0.5, 0.7, 1.0]), max_size=25).map(
    lambda v: np.sort(np.array(v))
)


def plain(x, w):
    mean = (w * x).sum() / w.sum()
    d = x - mean
    squares = w * w
    sums = (w * d**2).sum(), (w * d**3).sum(), (squares * d).sum(), (squares * d**2).sum()
    return len(x), w.sum(), squares.sum(), mean, *sums


def plain_losses(pos, neg, pw, nw, clip):
    right = np.clip(np.r_[pos, 1 - neg].astype(float), clip, 1 - clip)
    wrong = np.r_[1 - pos.astype(float), neg]
    w = np.r_[pw, nw]
    return plain(-np.log(right), w), plain(wrong**2, w)


@given(SAMPLE, SAMPLE, st.sampled_from([EPS, 1e-7, 1e-320]))
def test_equals_numpy(pos, neg, clip):
    if len(pos) + len(neg) == 0:
        return
    rng = np.random.default_rng(0)
    pw, nw = rng.random(len(pos)) + 0.1, rng.random(len(neg)) + 0.1
    ones = np.ones(len(pos)), np.ones(len(neg))
    for given_weights, weights in (((None, None), ones), ((pw, nw), (pw, nw))):
        got = _native.losses(pos, neg, *given_weights, clip)
        for g, e in zip(got[:2], plain_losses(pos, neg, *weights, clip), strict=True):
            scale = max(1, abs(e[3])) ** 3 * e[1]
            np.testing.assert_allclose(g, e, rtol=1e-12, atol=1e-12 * scale)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_equals_scikit_learn(dtype):
    rng = np.random.default_rng(5)
    truth = rng.random(100_003) < 0.3
    p = (1 / (1 + np.exp(-4 * rng.normal(size=len(truth)) - truth))).astype(dtype)
    pos, neg = np.sort(p[truth]), np.sort(p[~truth])
    log, square, _ = _native.losses(pos, neg, None, None, float(np.finfo(dtype).eps))
    wide = np.clip(p.astype(float), np.finfo(dtype).eps, 1 - np.finfo(dtype).eps)
    assert log[3] == pytest.approx(log_loss(truth, wide), abs=1e-12)
    assert square[3] == pytest.approx(brier_score_loss(truth, p.astype(float)), abs=1e-12)
    exact = plain_losses(
        pos.astype(float), neg.astype(float), np.ones(len(pos)), np.ones(len(neg)), np.finfo(dtype).eps
    )
    np.testing.assert_allclose(log, exact[0], rtol=1e-11, atol=1e-9)  # the sum of deviations is 0 but for rounding
    np.testing.assert_allclose(square, exact[1], rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize("clip", [5e-324, np.finfo(np.float64).tiny])
def test_logarithm_is_within_two_ulp(clip):
    rng = np.random.default_rng(6)
    x = np.concatenate(
        [
            10.0 ** rng.uniform(-320, 0, 2000),
            rng.uniform(0.5, 1, 2000),
            1 - 10.0 ** rng.uniform(-16, -1, 2000),
        ]
    )
    got = np.array([_native.losses(np.array([v]), np.empty(0), None, None, clip)[0][3] for v in x])
    exact = -np.log(np.maximum(x, clip).astype(np.longdouble))
    assert (np.abs(got - exact) <= 2 * np.spacing(exact.astype(float))).all()


@pytest.mark.parametrize("value", [0.5, 0.3])
def test_constant_losses_have_no_spread(value):
    log, square, _ = _native.losses(np.full(20_001, value), np.empty(0), None, None, EPS)
    assert log[4:] == square[4:] == (0, 0, 0, 0)
    if value == 0.5:
        log, square, _ = _native.losses(np.full(20_001, value), np.full(9_999, value), None, None, EPS)
        assert log[4:] == square[4:] == (0, 0, 0, 0)


def test_certain_and_wrong_is_infinite_without_clip():
    log, *_ = _native.losses(np.array([0.0, 0.5, 1.0]), np.empty(0), None, None, 0.0)
    assert log[3] == np.inf


def test_no_rows():
    assert _native.losses(np.empty(0), np.empty(0), None, None, EPS)[0] == (0,) * 8


def test_any_number_of_threads_gives_the_same_bits(monkeypatch):
    rng = np.random.default_rng(7)
    pos, neg = np.sort(rng.random(200_000)), np.sort(rng.random(100_000))
    seen = []
    for threads in "123":
        monkeypatch.setenv("CALIPERS_THREADS", threads)
        seen.append(_native.losses(pos, neg, None, None, EPS))
    assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 1000, 30_001])
def test_rows_as_they_come(n, dtype):
    rng = np.random.default_rng(n)
    scores, codes = rng.random(n).astype(dtype), rng.integers(0, 2, n).astype(np.uint8)
    clip = float(np.finfo(dtype).eps)
    expected = _native.losses(scores[codes == 1], scores[codes == 0], None, None, clip)
    for layout in (scores, np.repeat(scores, 3)[::3]):
        log, square, others, low, high, nan = _native.row_losses(layout, codes, 1, clip)
        np.testing.assert_allclose([log, square], expected[:2], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(others, expected[2], rtol=1e-9)
        assert not nan
        if n:
            assert (low, high) == (scores.min(), scores.max())


def test_rows_that_are_no_number_are_told():
    scores, codes = np.full(100, 0.5), np.zeros(100, np.uint8)
    for at in (0, 50, 99):
        changed = scores.copy()
        changed[at] = np.nan
        assert _native.row_losses(changed, codes, 1, EPS)[5]
    with pytest.raises(ValueError, match="differ in length"):
        _native.row_losses(scores, codes[:5], 1, EPS)


def test_a_tiny_probability_of_what_did_not_come_keeps_its_square():
    scores = np.full(1000, 1e-9)
    assert _native.row_losses(scores, np.zeros(1000, np.uint8), 1, EPS)[1][3] == pytest.approx(1e-18, rel=1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [1, 7, 8, 129, 1000, 30_001])
def test_item_6_what_the_other_class_would_have_cost(n, weighted, dtype):
    """One logarithm of a product of up to 16 probabilities is the sum of their logarithms."""
    rng = np.random.default_rng([6, n])
    scores = (rng.beta(0.05, 0.05, n)).astype(dtype)
    pos = rng.random(n) < 0.5
    eps, w = float(np.finfo(dtype).eps), rng.exponential(1, n) if weighted else np.ones(n)
    right, other = np.where(pos, scores, 1 - scores.astype(float)), np.where(pos, 1 - scores.astype(float), scores)
    expected = w @ (right < other), w @ -np.log(np.clip(other, eps, 1 - eps)) / w.sum(), w @ right**2 / w.sum()
    pair = (w[pos], w[~pos]) if weighted else (None, None)
    assert _native.losses(scores[pos], scores[~pos], *pair, eps)[2] == pytest.approx(expected, rel=1e-9)
    if not weighted:
        assert _native.row_losses(scores, pos.astype(np.uint8), 1, eps)[2] == pytest.approx(expected, rel=1e-9)
