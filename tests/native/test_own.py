"""Where a row's own class or labels stand among its scores, against NumPy; and the area under a polyline."""

import numpy as np
import pytest

from calipers import _native


def draw(n, k, dtype="f8", ties=False):
    rng = np.random.default_rng([n, k])
    scores = rng.random((n, k)).astype(dtype)
    return (scores.round(1) if ties else scores), rng.integers(0, k, n).astype(np.uint8)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(("n", "k"), [(0, 3), (1, 1), (5, 2), (1000, 7), (40_000, 20)])
def test_own_rank_and_lead(n, k, dtype, ties):
    scores, own = draw(n, k, dtype, ties)
    order = np.argsort(scores, axis=1, kind="stable")[:, ::-1]
    expected = (order == own[:, None]).argmax(1) + 1
    for layout in (scores, np.asfortranarray(scores), np.repeat(scores, 2, 1)[:, ::2]):
        assert np.array_equal(_native.own_rank(layout, own), expected)
        if k > 1:
            others = scores.astype("f8").copy()
            mine = others[np.arange(n), own]
            others[np.arange(n), own] = -np.inf
            assert np.array_equal(_native.own_lead(layout, own), mine - others.max(1))


def test_a_code_without_a_column():
    scores, own = draw(10, 3)
    for function in (_native.own_rank, _native.own_lead):
        with pytest.raises(ValueError, match="no column"):
            function(scores[:, :1], own + 1)
        with pytest.raises(ValueError, match="differ in length"):
            function(scores, own[:5])


def test_coverage_of_no_label_and_of_all():
    scores = np.array([[0.1, 0.5, 0.5], [0.3, 0.2, 0.1], [0.1, 0.2, 0.3]])
    truth = np.array([[False, True, False], [False, False, False], [True, True, True]])
    assert _native.coverage(truth, scores).tolist() == [2, 0, 3]


@pytest.mark.parametrize("n", [0, 1, 2, 9, 1000, 100_000])
def test_trapezoid(n):
    rng = np.random.default_rng(n)
    x, y = np.sort(rng.random(n)), rng.random(n)
    area, least, most = _native.trapezoid(x, y)
    assert area == pytest.approx(np.trapezoid(y, x), rel=1e-12)
    if n > 1:
        steps = np.diff(x)
        assert (least, most) == (steps.min(), steps.max())
        assert _native.trapezoid(x[::-1].copy(), y[::-1].copy())[0] == pytest.approx(-area, rel=1e-12)


def test_trapezoid_takes_float64_only():
    with pytest.raises(TypeError, match="x must be float64"):
        _native.trapezoid(np.ones(3, "f4"), np.ones(3))
    with pytest.raises(ValueError, match="differ in length"):
        _native.trapezoid(np.ones(3), np.ones(2))
