"""The walk over two sorted samples against plain forms over all pairs and all thresholds."""

import itertools
import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score

from calipers import _native

WALK_NAMES = [name for name in dir(_native.Walk) if not name.startswith("_")]


def counts_at(pos, neg, pw, nw):
    """(thresholds, tp, fp), ascending; the last is +inf with nothing positive."""
    ts = np.unique(np.concatenate([pos, neg]))
    tp = np.array([pw[pos >= t].sum() for t in ts] + [0.0])
    fp = np.array([nw[neg >= t].sum() for t in ts] + [0.0])
    return np.append(ts.astype(float), np.inf), tp, fp


def last_best(score, thresholds):
    """The highest threshold with the best score, up to rounding."""
    return thresholds[np.flatnonzero(score >= score.max() - 1e-13)[-1]]


def plain_walk(pos, neg, pw=None, nw=None):
    pw = np.ones(len(pos)) if pw is None else pw
    nw = np.ones(len(neg)) if nw is None else nw
    p, n = pw.sum(), nw.sum()
    above = (pos[:, None] > neg) + 0.5 * (pos[:, None] == neg)
    v10, v01 = above @ nw / n, pw @ above / p
    auc = v10 @ pw / p
    t, tp, fp = counts_at(pos, neg, pw, nw)
    tpr, fpr = tp / p, fp / n
    rows = tp + fp
    prec = np.where(rows > 0, tp / np.where(rows > 0, rows, 1), 1)
    out = {
        "pairs2": 2 * auc * p * n,
        "v10": (pw**2) @ (v10 - auc) ** 2,
        "v01": (nw**2) @ (v01 - auc) ** 2,
        "ap": -np.diff(tpr) @ prec[:-1],
        "ap_trapezoid": -np.diff(tpr) @ (prec[:-1] + prec[1:]) / 2,
        "ks": np.abs(tpr - fpr)[:-1].max(),
        "ks_threshold": last_best(np.abs(tpr - fpr)[:-1], t),
        "youden_threshold": last_best(tpr - fpr, t),
        "f1_max": (2 * tp / (rows + p)).max(),
        "f1_threshold": last_best(2 * tp / (rows + p), t),
        "corner_threshold": last_best(-((1 - tpr) ** 2) - fpr**2, t),
        "distinct": len(t) - 1,
    }
    gap = (1 - tpr) - fpr
    k = np.flatnonzero(gap <= 1e-13)[-1]
    out["eer"] = fpr[k] + gap[k] / (gap[k] - gap[k + 1]) * (fpr[k + 1] - fpr[k])
    out["eer_threshold"] = t[k]
    k = np.flatnonzero(rows >= p - 1e-9)[-1]
    out["break_even"] = np.interp(p, rows[::-1], tp[::-1]) / p
    out["break_even_threshold"] = t[k]
    return out


def plain_ap(pos, neg, pw, nw):
    _, tp, fp = counts_at(pos, neg, pw, nw)
    return float(-np.diff(tp / tp[0]) @ (tp[:-1] / (tp + fp)[:-1]))


def plain_influence(pos, neg, pw, nw, step=1e-5):
    """w IF of each row, IF = n dAP/dw by central differences: the infinitesimal jackknife."""

    def slope(sample, k):
        sides = []
        for sign in (1, -1):
            weights = (pw.copy(), nw.copy())
            weights[sample][k] += sign * step
            sides.append(plain_ap(pos, neg, *weights))
        return (sides[0] - sides[1]) / (2 * step)

    n = pw.sum() + nw.sum()
    slopes = np.array([slope(s, k) for s, w in enumerate((pw, nw)) for k in range(len(w))])
    return np.concatenate([pw, nw]) * n * slopes


def plain_rival(pos, neg, pw, nw, step=1e-6):
    """The mean over positives of IF^2 of one more negative with a positive's score."""
    n, before = pw.sum() + nw.sum(), plain_ap(pos, neg, pw, nw)
    slopes = [(plain_ap(pos, np.append(neg, x), pw, np.append(nw, step)) - before) / step for x in pos]
    return float(pw @ (n * np.array(slopes)) ** 2 / pw.sum())


LEVELS = st.sampled_from([-np.inf, np.inf, 0.0, 0.25, 0.5, 0.75, 1.0, 1e-310, 1e300])
SAMPLE = st.lists(LEVELS, min_size=1, max_size=25).map(lambda v: np.sort(np.array(v)))
NAMES = [name for name in dir(_native.Walk) if not name.startswith("_")]
SPREADS = {"v10", "v01", "ap_if2", "ap_if4"}


def same(got, expected, tolerance=1e-11):
    return got == expected or abs(got - expected) <= tolerance * max(1, abs(expected))


def weights_for(sample, seed):
    return np.random.default_rng(seed).integers(1, 4, len(sample)).astype(float)


@given(SAMPLE, SAMPLE)
def test_equals_the_plain_form(pos, neg):
    walk = _native.walk(pos, neg)
    for name, expected in plain_walk(pos, neg).items():
        assert same(getattr(walk, name), expected), name


@given(SAMPLE, SAMPLE)
def test_weighted_equals_the_plain_form(pos, neg):
    pw, nw = weights_for(pos, 1) / 3, weights_for(neg, 2) / 3
    walk = _native.walk_weighted(pos, neg, pw, nw)
    for name, expected in plain_walk(pos, neg, pw, nw).items():
        assert same(getattr(walk, name), expected), name


@given(SAMPLE, SAMPLE)
def test_integer_weights_are_repetition(pos, neg):
    pw, nw = weights_for(pos, 1), weights_for(neg, 2)
    weighted = _native.walk_weighted(pos, neg, pw, nw)
    repeated = _native.walk(np.repeat(pos, pw.astype(int)), np.repeat(neg, nw.astype(int)))
    ones = _native.walk_weighted(pos, neg, np.ones(len(pos)), np.ones(len(neg)))
    plain = _native.walk(pos, neg)
    for name in NAMES:
        # Fourth powers are moved by sums of what came before, which takes digits.
        assert same(getattr(ones, name), getattr(plain, name), 1e-9 if name == "ap_if4" else 1e-11), name
        if name not in SPREADS:
            assert same(getattr(weighted, name), getattr(repeated, name), 1e-12), name


@given(SAMPLE, SAMPLE)
def test_influence_on_average_precision_is_the_infinitesimal_jackknife(pos, neg):
    ones = np.ones(len(pos)), np.ones(len(neg))
    weights = weights_for(pos, 1), weights_for(neg, 2)
    for walk, w in ((_native.walk(pos, neg), ones), (_native.walk_weighted(pos, neg, *weights), weights)):
        influence = plain_influence(pos, neg, *w)
        assert walk.ap_if2 == pytest.approx(influence @ influence, rel=1e-6, abs=1e-7)
        assert walk.ap_if4 == pytest.approx((influence**4).sum(), rel=1e-6, abs=1e-7)
        assert walk.ap_rival == pytest.approx(plain_rival(pos, neg, *w), rel=1e-4, abs=1e-7)


def large(n, digits, dtype=np.float64):
    rng = np.random.default_rng(n)
    truth = rng.random(n) < 0.3
    scores = np.round(rng.normal(size=n) + truth, digits).astype(dtype)
    return truth, scores, np.sort(scores[truth]), np.sort(scores[~truth])


@pytest.mark.parametrize("digits", [0, 2, 12])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_equals_scikit_learn(digits, dtype):
    truth, scores, pos, neg = large(150_000, digits, dtype)
    walk = _native.walk(pos, neg)
    assert walk.pairs2 / (2 * len(pos) * len(neg)) == pytest.approx(roc_auc_score(truth, scores), abs=1e-12)
    assert walk.ap == pytest.approx(average_precision_score(truth, scores), abs=1e-12)
    precision, recall, _ = precision_recall_curve(truth, scores)
    assert walk.ap_trapezoid == pytest.approx(auc(recall, precision), abs=1e-12)
    assert walk.distinct == len(np.unique(scores))


@pytest.mark.parametrize("digits", [0, 2, 12])
def test_blocks_agree_with_the_weighted_walk(digits):
    # The weighted walk has no blocks: what it gives with weights 1 is an independent form for many blocks.
    _, _, pos, neg = large(150_000, digits)
    walk = _native.walk(pos, neg)
    ones = _native.walk_weighted(pos, neg, np.ones(len(pos)), np.ones(len(neg)))
    for name in NAMES:
        assert getattr(walk, name) == pytest.approx(getattr(ones, name), rel=1e-10), name


def test_pairs_are_exact_integers():
    _, _, pos, neg = large(3_000, 1)
    pairs2 = int(2 * (pos[:, None] > neg).sum() + (pos[:, None] == neg).sum())
    walk = _native.walk(pos, neg)
    assert isinstance(walk.pairs2, int)
    assert walk.pairs2 == pairs2


def test_pairs_are_exact_in_enormous_ties():
    many = 2**25 + 5
    neg = np.zeros(many, np.float32)
    for pos, pairs2 in [(np.array([0, 1], np.float32), 3 * many), (np.zeros(many, np.float32), many**2)]:
        assert _native.walk(pos, neg, full=False).pairs2 == pairs2


def test_short_walk_has_the_same_area():
    _, _, pos, neg = large(150_000, 2)
    short, full = _native.walk(pos, neg, full=False), _native.walk(pos, neg)
    assert (short.pairs2, short.v10, short.v01) == (full.pairs2, full.v10, full.v01)
    assert np.isnan(short.ap)


@pytest.mark.parametrize("n", [3, 100_000])
def test_separated_samples_have_no_spread(n):
    low, high = np.linspace(0, 1, n), np.linspace(2, 3, n + 7)
    for pos, neg in [(low, high), (high, low)]:
        ones = np.full(len(pos), 0.1), np.full(len(neg), 0.3)
        for walk in (_native.walk(pos, neg), _native.walk_weighted(pos, neg, *ones)):
            assert (walk.v10, walk.v01) == (0, 0)
    perfect = _native.walk(high, low)
    assert (perfect.ap, perfect.ap_trapezoid, perfect.ks, perfect.f1_max, perfect.eer) == (1, 1, 1, 1, 0)
    assert perfect.ap_if2 == perfect.ap_if4 == 0
    above = np.cumsum(1 / np.arange(len(high), 0, -1.0))  # one more negative there: 1/M of each positive at or below
    assert perfect.ap_rival == pytest.approx((above**2).mean() * ((len(high) + len(low)) / len(high)) ** 2)
    assert perfect.youden_threshold == perfect.f1_threshold == perfect.corner_threshold == 2


@given(SAMPLE)
def test_one_class_is_no_number(sample):
    none = np.empty(0)
    for pos, neg in [(sample, none), (none, sample), (none, none)]:
        weighted = _native.walk_weighted(pos, neg, np.ones(len(pos)), np.ones(len(neg)))
        for walk in (_native.walk(pos, neg), weighted):
            assert walk.pairs2 == 0
            assert walk.distinct == len(np.unique(np.concatenate([pos, neg])))
            assert all(np.isnan(getattr(walk, name)) for name in NAMES if name not in ("pairs2", "distinct"))


def test_all_tied_calls_nothing_positive():
    walk = _native.walk(np.full(3, 0.5), np.full(5, 0.5))
    assert walk.pairs2 == 15
    assert (walk.v10, walk.v01, walk.ks, walk.distinct) == (0, 0, 0, 1)
    assert walk.youden_threshold == walk.corner_threshold == np.inf
    assert walk.ks_threshold == walk.f1_threshold == walk.eer_threshold == 0.5
    assert walk.eer == 0.5
    assert walk.break_even == 3 / 8


@pytest.mark.parametrize("digits", [1, 12])
def test_any_number_of_threads_gives_the_same_bits(digits, monkeypatch):
    _, _, pos, neg = large(300_000, digits)
    seen = []
    for threads in "123":
        monkeypatch.setenv("CALIPERS_THREADS", threads)
        walk = _native.walk(pos, neg)
        seen.append([getattr(walk, name) for name in NAMES])
    assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("distinct", [40, 60_000, 2**22])
def test_only_the_order_of_scores_counts_on_either_side_of_zero(distinct, dtype):
    rng = np.random.default_rng(distinct)
    pos, neg = (np.sort(rng.integers(1, distinct, n)) for n in (45_000, 80_000))
    weights = rng.random(len(pos)), rng.random(len(neg))
    kept = [name for name in WALK_NAMES if "threshold" not in name]

    def facts(scale):
        scores = [scale(sample.astype(dtype)) for sample in (pos, neg)]
        walks = _native.walk(*scores), _native.walk_weighted(*scores, *weights)
        points = [_native.sweep(*scores, None, None, corners, False)[1:] for corners in (False, True)]
        return [getattr(walk, name) for walk in walks for name in kept], [list(map(bytes, each)) for each in points]

    def two_zeros(sample, zero):
        moved = sample - dtype(zero)
        moved[(moved == 0) & (np.arange(len(moved)) % 2 == 1)] = -0.0
        return moved

    above = facts(lambda sample: sample)
    least, greatest = min(pos[0], neg[0]), max(pos[-1], neg[-1])
    assert facts(lambda sample: sample - dtype(distinct)) == above
    for zero in (least, distinct // 3, greatest):
        assert facts(partial(two_zeros, zero=zero)) == above
    assert facts(lambda sample: sample * np.finfo(dtype).smallest_subnormal) == above
    assert facts(lambda sample: np.where(sample == greatest, dtype(np.inf), sample)) == above


def test_weighted_variances_keep_their_digits_beside_one_heavy_row():
    """A row that outweighs all others is about the mean of the placements: sums about another point would cancel."""
    rng = np.random.default_rng(5)
    for n in (50, 1000):
        scores, codes = rng.random(n), (rng.random(n) < 0.4).astype(np.uint8)
        weights = rng.exponential(size=n)
        weights[np.flatnonzero(codes == 1)[0]] *= 1e6
        values, sorted_weights, positives, kept, *_ = _native.sort_weighted(scores, codes, 1, weights)
        pos, neg = values[:positives], values[positives:kept]
        pw, nw = sorted_weights[:positives], sorted_weights[positives:kept]
        got = _native.walk_weighted(pos, neg, pw, nw)
        above = (pos[:, None] > neg).astype(np.longdouble)
        pw, nw = pw.astype(np.longdouble), nw.astype(np.longdouble)
        v10, v01 = above @ nw / nw.sum(), pw @ above / pw.sum()
        auc = v10 @ pw / pw.sum()
        assert got.v10 == pytest.approx(float(pw**2 @ (v10 - auc) ** 2), rel=1e-8)
        assert got.v01 == pytest.approx(float(nw**2 @ (v01 - auc) ** 2), rel=1e-8)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("decimals", [1, 3, 12])
@pytest.mark.parametrize("parts", [1, 4, 30])
def test_a_walk_over_parts_is_a_walk_over_all(parts, decimals, dtype):
    rng = np.random.default_rng(parts)
    scores = np.round(rng.random(40_000), decimals).astype(dtype)
    positive = rng.random(len(scores)) < scores * 0.4
    pos, neg = np.sort(scores[positive]), np.sort(scores[~positive])
    walker = _native.Walker(len(pos), len(neg))
    edges = [-np.inf, *np.unique(rng.choice(scores, parts)), np.inf]
    for low, high in itertools.pairwise(edges):
        if np.isfinite(low):
            walker.add_tied(float(low), int((pos == low).sum()), int((neg == low).sum()))
        walker.add(*(x[(x > low) & (x < high)] for x in (pos, neg)))
    whole, found = _native.walk(pos, neg), walker.result()
    for name in NAMES:
        exact = name in ("pairs2", "distinct", "ks", "f1_max") or name.endswith("threshold")
        assert getattr(found, name) == (whole_number := getattr(whole, name)) or (
            not exact and getattr(found, name) == pytest.approx(whole_number, rel=1e-12)
        ), name
    for threshold, below_pos, below_neg in walker.thresholds():
        assert (below_pos, below_neg) == (np.searchsorted(pos, threshold), np.searchsorted(neg, threshold))


def test_a_walk_over_parts_counts_its_rows():
    walker = _native.Walker(1, 2)
    with pytest.raises(ValueError, match="fewer rows"):
        walker.result()
    with pytest.raises(ValueError, match="more rows"):
        walker.add(np.array([0.1, 0.2]), np.array([0.3]))
    with pytest.raises(OverflowError):
        _native.Walker(2**32, 2**32)


def test_influences_on_a_small_average_precision_keep_their_digits():
    rng = np.random.default_rng(0)
    scores = np.sort(rng.normal(size=2500))
    positive = np.zeros(2500, bool)
    positive[[300, 700, 1100, 1900, 2400]] = True
    walk = _native.walk(scores[positive], scores[~positive])
    above = np.arange(2500, 0, -1.0).astype(np.longdouble)
    precision = np.cumsum(positive[::-1])[::-1] / above
    ap = precision[positive].mean()
    gain = np.cumsum(np.where(positive, (1 - precision) / above, 0))
    pull = np.cumsum(np.where(positive, precision / above, 0))
    influence = np.where(positive, precision - ap + gain, -pull) * (2500 / np.longdouble(5))
    assert walk.ap_if2 == pytest.approx(float((influence**2).sum()), rel=1e-12)
    assert walk.ap_if4 == pytest.approx(float((influence**4).sum()), rel=1e-12)


def exact_walk(groups):
    """Pairs, average precision and best thresholds of (value, positives, negatives), in fractions."""
    groups = sorted(groups)
    p, n = sum(a for _, a, _ in groups), sum(b for _, _, b in groups)
    i = j = pairs2 = 0
    ap, states = Fraction(0), []
    for value, a, b in groups:
        tp, fp = p - i, n - j
        pairs2 += a * (2 * j + b)
        ap += Fraction(a * tp, tp + fp)
        states.append((value, i, j, Fraction(2 * tp, tp + fp + p), abs(j * p - i * n)))
        i, j = i + a, j + b
    f1, ks = (max(states, key=lambda s: (s[at], s[0])) for at in (3, 4))
    return pairs2, float(ap / p), f1, float(Fraction(ks[4], p * n)), ks[0]


@pytest.mark.parametrize(
    "groups",
    [
        [(0.1, 40, 2_000_000_000), (0.2, 2_300_000_000, 1_000_000_000), (3.0, 500_000_000, 7)],
        [(0.1, 2_500_000_000, 40), (0.2, 2_600_000_000, 800_000_000), (3.0, 7, 300_000_000)],
        [(0.1, 40, 2_500_000_000), (0.2, 800_000_000, 2_600_000_000), (3.0, 300_000_000, 7)],
    ],
    ids=["rows", "positives", "negatives"],
)
def test_more_rows_than_32_bits_count(groups):
    rng = np.random.default_rng(3)
    pos, neg = np.sort(rng.random(5000) + 1), np.sort(rng.random(7000) + 0.9)
    walker = _native.Walker(*(sum(g[at] for g in groups) + len(x) for at, x in ((1, pos), (2, neg))))
    for group in groups[:2]:
        walker.add_tied(*group)
    walker.add(pos, neg)
    walker.add_tied(*groups[2])
    walk = walker.result()
    single = [(x, 1, 0) for x in pos.tolist()] + [(x, 0, 1) for x in neg.tolist()]
    pairs2, ap, f1, ks, ks_at = exact_walk([*groups, *single])
    assert walk.pairs2 == pairs2
    assert walk.ap == pytest.approx(ap, rel=1e-14)
    assert (walk.f1_threshold, walk.f1_max) == (f1[0], pytest.approx(float(f1[3]), rel=1e-15))
    assert (walk.ks_threshold, walk.ks) == (ks_at, pytest.approx(ks, rel=1e-15))
    assert (f1[0], f1[1], f1[2]) in walker.thresholds()
    assert walk.distinct == 3 + len(pos) + len(neg)
    with pytest.raises(OverflowError, match=r"2\*\*63 pairs"):
        _native.Walker(1 << 32, 1 << 32)


def test_one_value_of_many_rows_is_as_rows_of_that_value():
    pos, neg = np.sort(np.round(np.random.default_rng(4).normal(0.3, 1, (2, 900)), 2))
    walker = _native.Walker(len(pos), len(neg))
    for value in np.unique(np.concatenate((pos, neg))).tolist():
        walker.add_tied(value, int((pos == value).sum()), int((neg == value).sum()))
    whole, tied = _native.walk(pos, neg), walker.result()
    for name in WALK_NAMES:
        assert getattr(tied, name) == pytest.approx(getattr(whole, name), rel=1e-13), name


@pytest.mark.parametrize("digits", [2, 9])
def test_a_weighted_walk_in_parts_is_the_walk_of_all(digits):
    rng = np.random.default_rng(6)
    pos, neg = (np.sort(np.round(rng.normal(shift, 1, 40_000), digits)) for shift in (0.7, 0.0))
    pw, nw = rng.lognormal(0, 1, (2, 40_000))
    whole = _native.walk_weighted(pos, neg, pw, nw)
    walker = _native.WeightedWalker((len(pos), len(neg)), (math.fsum(pw), 0.0), (math.fsum(nw), 0.0))
    for low, high in itertools.pairwise([-np.inf, -0.5, 0.0, 0.8, np.inf]):
        at = [np.searchsorted(x, (low, high)) for x in (pos, neg)]
        (p, w), (n, v) = ((x[a:b], y[a:b]) for (a, b), x, y in zip(at, (pos, neg), (pw, nw), strict=True))
        tied = [x == low for x in (p, n)]
        if any(t.any() for t in tied):
            sums = [tuple(float((y[t] ** k).sum()) for k in (1, 2, 4)) for y, t in zip((w, v), tied, strict=True)]
            walker.add_tied(low, *(int(t.sum()) for t in tied), *sums)
        walker.add(p[~tied[0]], n[~tied[1]], w[~tied[0]], v[~tied[1]])
    parts = walker.result()
    for name in WALK_NAMES:
        assert getattr(parts, name) == pytest.approx(getattr(whole, name), rel=1e-12), name
    for threshold, below_pos, below_neg, pos2, neg2 in walker.thresholds():
        exact = [x[y < threshold] for x, y in ((pw, pos), (nw, neg))]
        assert (below_pos, below_neg) == pytest.approx([x.sum() for x in exact], rel=1e-12)
        assert (pos2, neg2) == pytest.approx([(x * x).sum() for x in exact], rel=1e-12)
