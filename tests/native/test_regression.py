"""The kernel of predicted values: exact sums, any type and stride, the same bits for any number of threads."""

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from calipers import _native

KINDS = [("absolute", 0.0), ("squared", 0.0), ("percentage", 0.0), ("symmetric", 0.0), ("squared_log", 0.0),
         ("pinball", 0.3), ("huber", 0.2), ("tweedie", 1.0), ("tweedie", 1.5), ("tweedie", 2.0),
         ("tweedie", 3.0)]  # fmt: skip


def numbers(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.lognormal(size=n)
    return y, y * rng.lognormal(0, 0.3, n), rng.random(n) + 0.1


@pytest.mark.parametrize("n", [1, 7, 8, 9, 4095, 4096, 4097, 10_001])
@pytest.mark.parametrize("weighted", [False, True])
def test_moments_of_losses_are_those_of_the_rows(n, weighted):
    y, p, w = numbers(n)
    weights = w if weighted else None
    _, _, moments, extremes, *_ = _native.regression(y, p, weights, KINDS, False)
    assert extremes == (y.min(), p.min(), np.abs(p - y).max())
    w = w if weighted else np.ones(n)
    for (kind, parameter), (rows, weight, squares, mean, m2, m3, *_) in zip(KINDS, moments, strict=True):
        each = _native.loss_rows(y, p, kind, parameter)
        expected = np.average(each, weights=w)
        d = each - expected
        assert rows == n
        np.testing.assert_allclose([weight, squares, mean], [w.sum(), w @ w, expected], rtol=1e-12)
        np.testing.assert_allclose([m2, m3], [w @ d**2, w @ d**3], rtol=1e-9, atol=1e-12 * n * max(1, each.max()) ** 3)


def test_values_of_1e9_with_errors_of_1e_3_keep_their_digits():
    rng = np.random.default_rng(1)
    y = 1e9 + rng.integers(0, 10**6, 5000) / 128
    p = y + rng.normal(0, 1e-3, 5000)
    exact = [Fraction(b) - Fraction(a) for a, b in zip(y.tolist(), p.tolist(), strict=True)]
    n = len(exact)
    truths = [Fraction(a) for a in y.tolist()]
    middle = sum(truths) / n
    joint, _, losses, *_ = _native.regression(y, p, None, [("absolute", 0.0), ("squared", 0.0)], True)
    sums = joint[3]
    assert losses[0][3] == pytest.approx(float(sum(map(abs, exact)) / n), rel=1e-13)
    assert losses[1][3] == pytest.approx(float(sum(e * e for e in exact) / n), rel=1e-13)
    assert sums[1] == pytest.approx(float(sum(exact) / n), rel=1e-11)
    assert sums[2] == pytest.approx(float(sum((t - middle) ** 2 for t in truths)), rel=1e-12)
    bias = sum(exact) / n
    assert sums[4] == pytest.approx(float(sum((e - bias) ** 2 for e in exact)), rel=1e-12)


def test_logarithms_of_numbers_between_minus_one_and_zero():
    y, p = np.random.default_rng(0).uniform(-0.99, 3, (2, 1000))
    moments = _native.regression(y, p, None, [("squared_log", 0.0)], False)[2][0]
    assert moments[3] == pytest.approx(np.mean((np.log1p(p) - np.log1p(y)) ** 2), rel=1e-13)


def test_the_mean_of_few_whole_losses_does_not_depend_on_their_order():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 9, (2, 250)).astype(float)
    means = set()
    for _ in range(20):
        at = rng.permutation(250)
        means.add(_native.regression(y[at], p[at], None, [("absolute", 0.0)], False)[2][0][3])
    assert means == {np.abs(p - y).sum() / 250}


@pytest.mark.parametrize(("kind", "power"), [("tweedie", 1.0), ("tweedie", 2.0), ("squared_log", 0.0)])
def test_losses_of_near_equal_numbers_do_not_cancel(kind, power):
    """Half of the squared relative error, to first order; the textbook's formula has no digit left here."""
    y = np.full(8, 1e9)
    p = y + 1e-3 * np.arange(1, 9)
    d = (p - y) / y
    expected = {1.0: y * d**2, 2.0: d**2, 0.0: d**2}[power]
    np.testing.assert_allclose(_native.loss_rows(y, p, kind, power), expected, rtol=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16,
                                   np.uint32, np.uint64, np.bool_])  # fmt: skip
def test_any_type_and_stride(dtype):
    table = np.arange(60).reshape(20, 3).astype(dtype)
    y, p = table[::2, 0], table[::2, 2]
    wide = [x.astype(np.float64) for x in (y, p)]
    result, expected = (_native.regression(*arguments, None, KINDS[:2], True) for arguments in ((y, p), wide))
    assert repr(result) == repr(expected)  # some of it is NaN


def test_rows_are_copied_on_the_way():
    y, p, _ = numbers(20_001)
    kept = _native.regression(y, p, None, KINDS[:1], False, [], True)[5]
    np.testing.assert_array_equal(kept, [y, p])
    assert not np.shares_memory(kept, y)
    assert _native.regression(y, p, None, KINDS[:1], False)[5].size == 0


def test_what_is_no_number_is_refused():
    y = np.zeros(3)
    with pytest.raises(TypeError, match="truth must be float32, float64 or integers"):
        _native.regression(np.zeros(3, np.float16), y, None, [], True)
    with pytest.raises(ValueError, match="truth and predicted differ in length"):
        _native.regression(y, np.zeros(2), None, [], True)
    with pytest.raises(ValueError, match="no loss is called nothing"):
        _native.regression(y, y, None, [("nothing", 0.0)], True)
    with pytest.raises(TypeError, match="weights must be float64, one a row"):
        _native.regression(y, y, np.ones(2), [], True)


def test_constants_have_no_spread_at_all():
    joint, _, losses, *_ = _native.regression(np.full(9999, 0.1), np.full(9999, 0.3), None, KINDS[:2], True)
    assert joint[3][2:].tolist() == [0.0] * 12
    assert [m[4] for m in losses] == [0.0, 0.0]


def test_the_same_bits_for_any_number_of_threads():
    code = """
import numpy as np
from calipers import _native
rng = np.random.default_rng(0)
y = rng.lognormal(size=300_001)
p = y * rng.lognormal(0, 0.3, len(y))
w = rng.random(len(y))
print(_native.regression(y, p, w, [("absolute", 0.0), ("tweedie", 1.0), ("squared_log", 0.0)], True))
"""
    results = {
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                       env={**os.environ, "CALIPERS_THREADS": threads}).stdout
        for threads in ("1", "2", "3")
    }  # fmt: skip
    assert len(results) == 1


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("kind", "parameter"), [KINDS[0], KINDS[5], KINDS[7], KINDS[8]])
def test_losses_beside_those_of_one_answer(kind, parameter, weighted):
    y, p, w = numbers(20_001)
    result = _native.regression(y, p, w if weighted else None, [("squared", 0.0), (kind, parameter)], False, [(1, 1.3)])
    theirs, own = (_native.loss_rows(y, pred, kind, parameter) for pred in (np.full(len(y), 1.3), p))
    full = _native.joint_moments(theirs, own, w if weighted else None)
    rows, weight, squares, sums, *_ = result[4][0]
    assert rows == full[0]
    np.testing.assert_allclose([weight, squares, *sums[:5]], [*full[1:3], *full[3][:5]], rtol=1e-12)
    assert np.isnan(sums[5:]).all()


@pytest.mark.parametrize("shift", [1e-60, 1.0, 1e60])
def test_numbers_of_any_size_give_the_losses_of_each_row(shift):
    """Divisors are inverted together, by one division, where their product stays in range, and one by one elsewhere."""
    y, p, _ = numbers(600, seed=3)
    y, p = y * shift, p * shift
    kinds = [*KINDS[2:4], *KINDS[7:10], KINDS[4]]
    result = _native.regression(y, p, None, kinds, False, [(3, shift)])
    ratio = p / y
    textbook = [
        np.abs(ratio - 1), 2 * np.abs(p - y) / (p + y), 2 * (p - y - y * np.log(ratio)),
        4 * (np.sqrt(y) - np.sqrt(p)) ** 2 / np.sqrt(p), 2 * (np.log(ratio) - 1 + 1 / ratio),
        (np.log1p(p) - np.log1p(y)) ** 2,
    ]  # fmt: skip
    np.testing.assert_allclose([m[3] for m in result[2]], [loss.mean() for loss in textbook], rtol=1e-11)
    assert result[4][0][3][0] == pytest.approx(np.mean(4 * (np.sqrt(y) - shift**0.5) ** 2 / shift**0.5), rel=1e-11)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_long_columns(dtype):
    rng = np.random.default_rng(5)
    x, y = (rng.normal(50, 20, 70_003).astype(dtype) for _ in range(2))
    wide, apart = x.astype(float), np.abs(y.astype(float) - x.astype(float))
    for column in (x, x[::-1], x[::3]):
        assert (_native.copied(column, y[: len(column)]) == [column, y[: len(column)]]).all()
        means = _native.means(column, y[: len(column)])
        assert means == pytest.approx([np.mean(c.astype(float)) for c in (column, y[: len(column)])], rel=1e-13)
    for other, values in ((None, wide), (y, apart)):
        below, inside = _native.pick(x, other, 20.0, 30.0)
        assert below == (values < 20).sum()
        assert (inside == values[(values >= 20) & (values <= 30)]).all()


def test_the_mean_of_equal_numbers_is_that_number_and_of_others_finite_only_if_they_are():
    assert _native.means(np.full(99_999, 0.1), np.full(99_999, 0.3)) == (0.1, 0.3)
    for bad in (np.nan, np.inf, -np.inf):
        assert not np.isfinite(_native.means(np.array([1.0, bad, 2.0]), np.array([bad, 1.0, 2.0]))).any()
