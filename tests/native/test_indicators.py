"""Counts over 0/1 matrices, against NumPy."""

import numpy as np
import pytest

from calipers import _native

LAYOUTS = {
    "rows": lambda m: m,
    "columns": np.asfortranarray,
    "strided": lambda m: np.repeat(np.repeat(m, 2, 0), 3, 1)[::2, ::3],
    "reversed": lambda m: m[::-1, ::-1].copy()[::-1, ::-1],
}


def outcomes(truth, pred):
    return truth & pred, ~truth & pred, truth & ~pred, ~(truth | pred)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (7, 3), (255, 2), (256, 2), (1000, 17), (100_000, 3)])
def test_counts(shape, layout):
    rng = np.random.default_rng(shape[0])
    truth, pred, w = rng.random(shape) < 0.4, rng.random(shape) < 0.6, rng.random(shape[0])
    lay = LAYOUTS[layout]
    cells = outcomes(truth, pred)
    assert np.array_equal(_native.label_counts(lay(truth), lay(pred)), [x.sum(0) for x in cells])
    assert np.array_equal(_native.row_counts(lay(truth), lay(pred)), [x.sum(1) for x in cells])
    weighted = _native.label_counts(lay(truth), lay(pred), w)
    np.testing.assert_allclose(weighted, [w @ x for x in cells], rtol=1e-12)


def test_a_weight_of_nothing_is_exactly_zero():
    truth = np.ones((1000, 1), bool)
    tp, fp, fn, tn = _native.label_counts(truth, truth, np.random.default_rng(0).random(1000))
    assert tp > 0
    assert fp == fn == tn == 0


def test_the_same_bits_for_any_number_of_threads(monkeypatch):
    rng = np.random.default_rng(0)
    truth, pred, w = rng.random((70_000, 4)) < 0.4, rng.random((70_000, 4)) < 0.6, rng.random(70_000)
    seen = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("CALIPERS_THREADS", threads)
        seen.append(_native.label_counts(truth, pred, w).tobytes())
    assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8", "u8", "f4", "f8"])
def test_marks(dtype):
    m = (np.random.default_rng(0).random((50_000, 5)) < 0.5).astype(dtype)
    marked, odd = _native.marks(m)
    assert marked.dtype == bool
    assert np.array_equal(marked, m != 0)
    assert not odd
    if dtype != "?":
        m[-1, -1] = 2
        assert _native.marks(m)[1]
        assert _native.marks(m)[0][-1, -1]


def test_what_is_no_pair_of_matrices():
    ok = np.ones((3, 2), bool)
    for function in (_native.label_counts, _native.row_counts):
        with pytest.raises(ValueError, match="differ in shape"):
            function(ok, ok[:2])
        with pytest.raises(TypeError, match="bool, or uint8"):
            function(ok, ok.astype(int))
    with pytest.raises(TypeError, match="must hold integers"):
        _native.marks(np.ones((2, 2), complex))
