import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from calipers import _native

CODES = [np.uint8, np.uint16, np.uint32]


def test_known():
    truth = np.array([0, 0, 1, 1, 1], dtype=np.uint8)
    pred = np.array([0, 1, 1, 1, 0], dtype=np.uint8)
    weights = np.array([1, 2, 4, 8, 16.0])
    assert _native.confusion(truth, pred, 2, None).tolist() == [[1, 1], [1, 2]]
    assert _native.confusion(truth, pred, 2, weights).tolist() == [[1, 2], [16, 12]]
    assert _native.bincount(truth, 3, None).tolist() == [2, 3, 0]
    assert _native.bincount(truth, 2, weights).tolist() == [3, 28]


@given(truth_type=st.sampled_from(CODES), pred_type=st.sampled_from(CODES), data=st.data())
@settings(max_examples=300)
def test_against_scikit_learn(truth_type, pred_type, data):
    k = data.draw(
        st.integers(2, 7)
    )  # scikit-learn warns about one label, and refuses weights that are all zero
    n = data.draw(st.integers(1, 60))
    step = data.draw(st.sampled_from([1, 2, -1]))
    draw = st.lists(st.integers(0, k - 1), min_size=2 * n, max_size=2 * n)
    truth = np.array(data.draw(draw), dtype=truth_type)[::step]
    pred = np.array(data.draw(draw), dtype=pred_type)[::step]
    weights = 1.0 + np.array(data.draw(draw))[::step]
    labels = np.arange(k)
    counts = _native.confusion(truth, pred, k, None)
    assert counts.dtype == np.int64
    np.testing.assert_array_equal(counts, confusion_matrix(truth, pred, labels=labels))
    np.testing.assert_array_equal(
        _native.confusion(truth, pred, k, weights),
        confusion_matrix(truth, pred, labels=labels, sample_weight=weights),
    )
    np.testing.assert_array_equal(_native.bincount(truth, k, None), np.bincount(truth, minlength=k))
    np.testing.assert_array_equal(
        _native.bincount(truth, k, weights), np.bincount(truth, weights, minlength=k)
    )


@pytest.mark.parametrize(
    ("k", "code"), [(1, "u1"), (2, "u1"), (44, "u1"), (45, "u1"), (254, "u1"), (255, "u1")]
)
@pytest.mark.parametrize("n", [0, 1, 1023, 1025, 65_537, 300_000])
def test_sizes_of_table_and_rows(n, k, code):
    check(n, k, code)


@pytest.mark.parametrize(("k", "code"), [(300, "u2"), (400, "u2"), (1000, "u4")])
def test_large_tables(k, code):
    check(200_000, k, code)


def check(n, k, code):
    rng = np.random.default_rng(k)
    truth, pred = rng.integers(0, k, (2, n)).astype(code)
    expected = np.bincount(truth.astype(int) * k + pred, minlength=k * k).reshape(k, k)
    np.testing.assert_array_equal(_native.confusion(truth, pred, k, None), expected)
    weights = rng.random(n)
    sums = np.bincount(truth.astype(int) * k + pred, weights, minlength=k * k).reshape(k, k)
    np.testing.assert_allclose(_native.confusion(truth, pred, k, weights), sums, rtol=1e-12)
    np.testing.assert_allclose(_native.confusion(truth, pred, k, weights[::-1][::-1]), sums, rtol=1e-12)
    np.testing.assert_array_equal(_native.bincount(truth, k, None), np.bincount(truth, minlength=k))


@pytest.mark.parametrize("pred_type", CODES)
@pytest.mark.parametrize("truth_type", CODES)
@pytest.mark.parametrize("k", [2, 255, 300])
def test_missing_codes_are_left_out(k, truth_type, pred_type):
    no_truth, no_pred = np.iinfo(truth_type).max, np.iinfo(pred_type).max
    truth = np.array([0, 1, no_truth, 1, no_truth], dtype=truth_type)
    pred = np.array([0, no_pred, 1, 0, no_pred], dtype=pred_type)
    counts = _native.confusion(truth, pred, k, None)
    assert counts[:2, :2].tolist() == [[1, 0], [1, 0]]
    assert counts.sum() == 2
    assert _native.confusion(truth, pred, k, np.ones(5)).sum() == 2
    assert _native.bincount(truth, k, None).sum() == 3


def test_codes_beyond_the_table_are_left_out():
    codes = np.array([0, 5, 250], dtype=np.uint8)
    assert _native.confusion(codes, codes, 2, None).tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize(
    ("truth", "pred", "weights"),
    [
        (np.zeros(3, "u1"), np.zeros(2, "u1"), None),
        (np.zeros(3, "i8"), np.zeros(3, "u1"), None),
        (np.zeros(3, "u1"), np.zeros(3, "u1"), np.zeros(2)),
        (np.zeros(3, "u1"), np.zeros(3, "u1"), np.zeros(3, "f4")),
    ],
)
def test_what_does_not_fit_is_refused(truth, pred, weights):
    with pytest.raises((TypeError, ValueError), match=r"codes must be|differ in length|weights must be"):
        _native.confusion(truth, pred, 2, weights)
