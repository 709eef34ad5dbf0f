"""Kernels over a score matrix: row scan, pair counts, label rankings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    coverage_error,
    label_ranking_average_precision_score,
    label_ranking_loss,
    roc_auc_score,
)

from calipers import _native


def matrix(seed, rows, columns, levels=4):
    return np.random.default_rng(seed).integers(0, levels, (rows, columns)) / levels


def layouts(x):
    """The same numbers by row, by column, and as a view with gaps."""
    gaps = np.zeros((2 * x.shape[0], 3 * x.shape[1]), x.dtype)[::2, ::3]
    gaps[:] = x
    return x, np.asfortranarray(x), gaps


@given(st.integers(0, 99), st.integers(1, 20), st.integers(1, 40), st.sampled_from([np.float32, np.float64]))
def test_scan_equals_numpy(seed, rows, columns, dtype):
    x = matrix(seed, rows, columns).astype(dtype)
    codes = np.random.default_rng(seed).integers(0, columns, rows).astype(np.uint16)
    own = x[np.arange(rows), codes]
    before = np.arange(columns) < codes[:, None]
    sums = x.sum(axis=1, dtype=float)
    worst = np.abs(sums - 1).argmax()
    for layout in layouts(x):
        top, rank, got_own, square, low, high, nans, first, worst_sum, worst_row = _native.scan_rows(
            layout, codes
        )
        np.testing.assert_array_equal(top, x.argmax(axis=1))
        np.testing.assert_array_equal(
            rank, 1 + (x > own[:, None]).sum(1) + ((x == own[:, None]) & before).sum(1)
        )
        np.testing.assert_array_equal(got_own, own)
        np.testing.assert_allclose(square, (x.astype(float) ** 2).sum(1))
        assert (low, high, nans, first) == (x.min(), x.max(), 0, -1)
        assert worst_sum == pytest.approx(sums[worst])
        assert worst_row == worst


def test_scan_finds_what_is_wrong():
    x = matrix(1, 3000, 40)
    x[1234, 7] = x[1300, :2] = np.nan
    x[5, 39], x[6, 0] = np.inf, -np.inf
    top, rank, own, _, low, high, nans, first, *_ = _native.scan_rows(x, None)
    assert (nans, first, low, high) == (3, 1234, -np.inf, np.inf)
    assert (top[5], len(rank), len(own)) == (39, 0, 0)


@pytest.mark.parametrize(("columns", "dtype"), [(255, np.uint8), (256, np.uint16), (65536, np.uint32)])
def test_top_leaves_the_largest_code_free(columns, dtype):
    assert _native.scan_rows(np.zeros((1, columns)), None)[0].dtype == dtype


def plain_pairs(x, codes, weights):
    k = x.shape[1]
    out = np.zeros((k, k))
    for a in range(k):
        mine, mw = x[codes == a, a], weights[codes == a]
        for b in set(range(k)) - {a}:
            theirs, tw = x[codes == b, a], weights[codes == b]
            out[a, b] = mw @ ((mine[:, None] > theirs) + 0.5 * (mine[:, None] == theirs)) @ tw
    return out


@given(st.integers(0, 99), st.integers(1, 60), st.integers(1, 20), st.sampled_from([np.float32, np.float64]))
def test_pairs_equal_the_plain_form(seed, rows, columns, dtype):
    x = matrix(seed, rows, columns).astype(dtype)
    x[x == 0] = -0.0 if seed % 2 else 0.0
    rng = np.random.default_rng(seed)
    codes, weights = rng.integers(0, columns, rows).astype(np.uint8), rng.random(rows) + 0.1
    for layout in layouts(x):
        np.testing.assert_array_equal(
            _native.pair_counts(layout, codes), plain_pairs(x, codes, np.ones(rows))
        )
        np.testing.assert_allclose(
            _native.pair_counts(layout, codes, weights), plain_pairs(x, codes, weights), rtol=1e-12
        )


def test_pairs_give_one_vs_rest_and_one_vs_one():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 5, 5000).astype(np.uint8)
    x = rng.random((5000, 5)) + 0.3 * np.eye(5)[codes]
    x /= x.sum(axis=1, keepdims=True)
    pairs, sizes = _native.pair_counts(x, codes), np.bincount(codes)
    rest = pairs.sum(axis=1) / (sizes * (len(codes) - sizes))
    assert rest.mean() == pytest.approx(roc_auc_score(codes, x, multi_class="ovr"), abs=1e-12)
    one = pairs / np.outer(sizes, sizes)
    assert one.sum() / 20 == pytest.approx(roc_auc_score(codes, x, multi_class="ovo"), abs=1e-12)


@given(st.integers(0, 99), st.integers(1, 20), st.integers(2, 12), st.sampled_from([np.float32, np.float64]))
def test_label_ranking_equals_scikit_learn(seed, rows, columns, dtype):
    x = matrix(seed, rows, columns).astype(dtype)
    truth = np.random.default_rng(seed).random((rows, columns)) < 0.4
    for layout in layouts(x):
        coverage, (loss, lrap) = _native.coverage(truth, layout), _native.label_ranking(truth, layout)
        for k in range(rows):
            row = truth[k : k + 1].astype(int), x[k : k + 1]
            assert coverage[k] == coverage_error(*row)
            assert loss[k] == pytest.approx(label_ranking_loss(*row), abs=1e-12)
            assert lrap[k] == pytest.approx(label_ranking_average_precision_score(*row), abs=1e-12)


def test_any_number_of_threads_gives_the_same_bits(monkeypatch):
    rng = np.random.default_rng(8)
    x, codes, weights = (
        rng.random((30_000, 20)),
        rng.integers(0, 20, 30_000).astype(np.uint8),
        rng.random(30_000),
    )
    seen = []
    for threads in "123":
        monkeypatch.setenv("CALIPERS_THREADS", threads)
        scan = _native.scan_rows(x, codes)
        parts = [*scan[:4], _native.pair_counts(x, codes, weights), *_native.label_ranking(x < 0.1, x)]
        parts += [_native.coverage(x < 0.1, x), _native.own_rank(x, codes), _native.own_lead(x, codes)]
        seen.append((*(a.tobytes() for a in parts), *scan[4:]))
    assert seen[0] == seen[1] == seen[2]
