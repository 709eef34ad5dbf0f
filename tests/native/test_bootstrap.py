"""The bootstrap kernel: its draws, and that every replicate is the weighted walk of what was drawn."""

import math

import numpy as np
import pytest

from calipers import _native
from calipers.statistics.scores import ScoreSamples

EPS = 2.0**-52


def samples(rng, positives, negatives, digits=16, dtype=np.float64):
    pos = np.sort(np.round(rng.beta(3, 2, positives), digits)).astype(dtype)
    return pos, np.sort(np.round(rng.beta(2, 3, negatives), digits)).astype(dtype)


def replicate(pos, neg, r, pw=None, nw=None, pk=None, nk=None, seed=5):
    """AUC, AP, KS and the two losses of one replicate, by the kernels that measure weighted rows."""
    up = _native.draws(seed, r, len(pos), pk).astype(float) * (1 if pw is None else pw)
    down = _native.draws(seed, r, len(neg), nk, 0 if nk is not None else _native.NEGATIVES_FROM) * (
        1.0 if nw is None else nw
    )
    s = ScoreSamples(pos[up > 0], neg[down > 0], up[up > 0], down[down > 0])
    losses = [m.moments.mean for m in s.losses] if s.rows else [math.nan] * 2
    if not len(s.pos) or not len(s.neg):
        return [math.nan] * 3 + losses
    return [s.walk.pairs2 / (2 * s.positives * s.negatives), s.walk.ap, s.walk.ks, *losses]


@pytest.mark.parametrize("sizes", [(1, 1), (1, 7), (40, 1), (33, 50), (0, 9), (9, 0)])
@pytest.mark.parametrize("digits", [1, 16])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", ["plain", "weighted", "grouped", "both"])
def test_a_replicate_is_the_walk_of_the_drawn_weights(sizes, digits, dtype, kind):
    rng = np.random.default_rng(sizes)
    pos, neg = samples(rng, *sizes, digits, dtype)
    weights = [rng.exponential(size=n) + 0.1 for n in sizes] if kind in ("weighted", "both") else [None, None]
    keys = [rng.integers(0, 9, n).astype(np.uint64) for n in sizes] if kind in ("grouped", "both") else [None, None]
    clip = float(np.finfo(dtype).eps)
    result = _native.bootstrap(pos, neg, *weights, *keys, False, True, clip, 5, 3, 21)
    assert result.shape == (21, 5)
    for r in range(21):
        expected = replicate(pos, neg, 3 + r, *weights, *keys)
        np.testing.assert_allclose(result[r], expected, rtol=1e-11, atol=1e-13)


def test_where_totals_are_fixed_the_classes_keep_their_weight():
    rng = np.random.default_rng(3)
    pos, neg = samples(rng, 30, 60)
    pw, nw = np.full(30, 0.5), np.full(60, 2.0)
    result = _native.bootstrap(pos, neg, pw, nw, None, None, True, True, EPS, 5, 0, 8)
    for r in range(8):
        up = _native.draws(5, r, 30) * pw
        down = _native.draws(5, r, 60, None, _native.NEGATIVES_FROM) * nw
        up, down = up * 15 / up.sum(), down * 120 / down.sum()
        s = ScoreSamples(pos[up > 0], neg[down > 0], up[up > 0], down[down > 0])
        expected = [s.walk.pairs2 / (2 * 15 * 120), s.walk.ap, s.walk.ks, *(m.moments.mean for m in s.losses)]
        np.testing.assert_allclose(result[r], expected, rtol=1e-11)


def test_without_losses_there_are_none():
    pos, neg = np.array([1.0, 3.0]), np.array([-2.0, 2.0])
    result = _native.bootstrap(pos, neg, None, None, None, None, False, False, EPS, 0, 0, 40)
    assert np.isnan(result[:, 3:]).all()
    both = ~np.isnan(result[:, 0])
    assert 0 < both.sum() < 40
    assert np.array_equal(both, ~np.isnan(result[:, 1]))


def test_draws_are_poisson_with_mean_one():
    drawn = np.concatenate([_native.draws(1, r, 50_001) for r in range(40)])
    seen = np.bincount(drawn, minlength=6)[:6] / len(drawn)
    expected = [math.exp(-1) / math.factorial(k) for k in range(6)]
    error = np.sqrt(np.array(expected) / len(drawn))
    assert (np.abs(seen - expected) < 4 * error).all()
    assert abs(drawn.mean() - 1) < 4 / math.sqrt(len(drawn))
    assert abs(drawn.var() - 1) < 4 * math.sqrt(3 / len(drawn))  # the fourth central moment of Poisson(1) is 4


def test_draws_of_rows_and_of_replicates_are_uncorrelated():
    drawn = np.array([_native.draws(0, r, 2000) for r in range(400)]) - 1.0
    for a, b in ((drawn[:, :-1], drawn[:, 1:]), (drawn[:-1], drawn[1:]), (drawn[:, :1000], drawn[:, 1000:])):
        assert abs((a * b).mean()) < 4 / math.sqrt(a.size)


def test_a_draw_depends_on_seed_replicate_and_key_alone():
    keys = np.array([7, 3, 7, 2**63, 0], np.uint64)
    drawn = np.array([_native.draws(9, r, 5, keys) for r in range(50)])
    assert np.array_equal(drawn[:, 0], drawn[:, 2])
    counted = np.array([_native.draws(9, r, 8) for r in range(50)])
    assert np.array_equal(drawn[:, [0, 1, 4]], counted[:, [7, 3, 0]])
    whole, part = _native.draws(4, 1, 1000), _native.draws(4, 1, 400, None, 600)
    assert np.array_equal(whole[600:], part)
    assert not np.array_equal(_native.draws(4, 1, 100), _native.draws(5, 1, 100))
    assert not np.array_equal(_native.draws(4, 1, 100), _native.draws(4, 2, 100))


def test_keys_and_weights_of_another_shape_are_refused():
    pos, neg = np.array([0.5, 0.6]), np.array([0.4])
    with pytest.raises(TypeError, match="pos_keys must be uint64, one a row"):
        _native.bootstrap(pos, neg, None, None, np.array([1], np.uint64), None, False, True, EPS, 0, 0, 8)
    with pytest.raises(TypeError, match="keys must be uint64, one a row"):
        _native.draws(0, 0, 2, np.array([1.0, 2.0]))


def test_the_bits_do_not_depend_on_the_number_of_threads(monkeypatch):
    rng = np.random.default_rng(0)
    pos, neg = np.sort(rng.random(9000)), np.sort(rng.random(9000).round(2))
    results = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("CALIPERS_THREADS", threads)
        results.add(_native.bootstrap(pos, neg, None, None, None, None, False, True, EPS, 1, 0, 60).tobytes())
    assert len(results) == 1
