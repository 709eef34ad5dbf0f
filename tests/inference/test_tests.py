"""Tests of paired models against SciPy, against enumeration, and against their own definitions."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from calipers.errors import InputError
from calipers.inference import folds, friedman, multiple, paired, resampled
from calipers.inference.outcome import normal_p, sided, t_p
from calipers.inference.signed_rank import wilcoxon

counts = st.integers(0, 60)


@given(counts, counts)
def test_mcnemar_is_the_binomial_test(b, c):
    for alternative in ("two-sided", "greater", "less"):
        exact = paired.mcnemar(b, c, "exact", alternative).pvalue
        assert exact == pytest.approx(stats.binomtest(b, b + c, 0.5, alternative).pvalue if b + c else 1.0)
        assert 0 < paired.mcnemar(b, c, "mid-p", alternative).pvalue <= exact
    for way in paired.WAYS:
        assert paired.mcnemar(b, c, way).pvalue == pytest.approx(paired.mcnemar(c, b, way).pvalue)


@given(counts, counts, st.integers(1, 80))
def test_tango_inverts_mcnemars_asymptotic_test(b, c, rest):
    low, high = paired.tango(b, c, b + c + rest, 0.95)
    assert -1 <= low <= (b - c) / (b + c + rest) <= high <= 1
    p = paired.mcnemar(b, c, "asymptotic").pvalue
    if abs(p - 0.05) > 1e-9:
        assert (low > 0 or high < 0) == (p < 0.05)


def test_tango_maximises_the_likelihood():
    """The nuisance parameter of the score statistic is the maximum of the likelihood under the null."""
    b, c, n, delta = 9, 3, 32, 0.1
    q = np.linspace(1e-6, (1 - delta) / 2 - 1e-6, 400_001)
    logs = b * np.log(q + delta) + c * np.log(q) + (n - b - c) * np.log(1 - 2 * q - delta)
    best = q[logs.argmax()]
    direct = (b - c - n * delta) / math.sqrt(n * (2 * best + delta * (1 - delta)))
    assert paired.tango_z(b, c, n, delta) == pytest.approx(direct, abs=1e-5)


@pytest.mark.parametrize("zeros", ["drop", "pratt"])
def test_wilcoxon_is_the_permutation_distribution_of_its_ranks(zeros):
    """Against SciPy's own enumeration of signs, which takes ties and zeros as they are."""
    rng = np.random.default_rng(8)
    for n in (5, 9, 12):
        d = rng.integers(-3, 5, n).astype(float)
        kind = {"drop": "wilcox", "pratt": "pratt"}[zeros]
        for alternative in ("two-sided", "greater", "less"):
            result = wilcoxon(d, zeros=zeros, alternative=alternative)
            peer = stats.wilcoxon(d, zero_method=kind, alternative=alternative,
                                  method=stats.PermutationMethod(n_resamples=np.inf))  # fmt: skip
            assert result.pvalue == pytest.approx(peer.pvalue), (n, alternative)


def test_wilcoxon_without_ties_is_the_textbook():
    rng = np.random.default_rng(9)
    for n in (7, 30):
        d = rng.normal(0.3, 1, n)
        assert wilcoxon(d).pvalue == pytest.approx(stats.wilcoxon(d, method="exact").pvalue)
    d = rng.normal(0.1, 1, 400)
    assert wilcoxon(d).pvalue == pytest.approx(stats.wilcoxon(d, method="approx").pvalue)
    small = rng.normal(0.2, 1, 90)
    assert wilcoxon(small, exact=False).pvalue == pytest.approx(wilcoxon(small).pvalue, abs=0.005)


def test_sign_flip_tries_every_pattern():
    d = np.array([0.5, -0.2, 0.9, 0.4, 0.0, 1.1])
    nonzero = d[d != 0]
    sums = [np.dot(s, nonzero) for s in itertools.product((-1, 1), repeat=5)]
    above = np.mean([s >= nonzero.sum() - 1e-12 for s in sums])
    result = resampled.sign_flip(d, alternative="greater")
    assert result.pvalue == above
    assert result.statistic == pytest.approx(d.mean())
    many = resampled.sign_flip(np.tile(d, 8), flips=4999, seed=3)
    again = resampled.sign_flip(np.tile(d, 8), flips=4999, seed=3)
    assert many == again
    assert 1 / 5000 <= many.pvalue < 0.01


def test_bootstrap_p_has_the_side_that_it_says():
    draws = np.linspace(-0.1, 0.9, 1000)
    assert resampled.bootstrap_p(draws, alternative="greater") == pytest.approx(101 / 1001)
    assert resampled.bootstrap_p(draws, alternative="less") == pytest.approx(901 / 1001)
    assert resampled.bootstrap_p(np.append(draws, np.nan)) == resampled.bootstrap_p(draws) == pytest.approx(202 / 1001)
    assert resampled.bootstrap_p(np.full(999, 0.2)) == 2 / 1000
    assert resampled.percentile(draws, 0.9) == pytest.approx((-0.05, 0.85))


def test_paired_t_is_scipys_and_the_correction_widens_it():
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.8, 0.05, 10), rng.normal(0.77, 0.05, 10)
    plain, corrected = folds.shift(a - b), folds.shift(a - b, 1 / 9)
    peer = stats.ttest_rel(a, b, alternative="greater")
    assert plain.test("t", "greater")[:2] == pytest.approx((peer.statistic, peer.pvalue))
    assert plain.interval(0.95) == pytest.approx(tuple(stats.ttest_rel(a, b).confidence_interval()))
    # Nadeau & Bengio 2003, eq. 12, by hand.
    error = math.sqrt((1 / 10 + 1 / 9) * (a - b).var(ddof=1))
    assert corrected.test("t").statistic == pytest.approx((a - b).mean() / error)
    rope = folds.correlated_t(corrected, 0.01)
    posterior = stats.t(9, (a - b).mean(), error)
    assert rope == pytest.approx((posterior.sf(0.01), posterior.cdf(0.01) - posterior.cdf(-0.01), posterior.cdf(-0.01)))
    assert sum(rope) == pytest.approx(1)


def test_five_by_two_as_defined():
    d = np.array([[0.03, 0.01], [0.02, 0.05], [0.0, 0.04], [-0.01, 0.03], [0.02, 0.02]])
    s2 = [(x - (x + y) / 2) ** 2 + (y - (x + y) / 2) ** 2 for x, y in d]
    t = 0.03 / math.sqrt(sum(s2) / 5)
    assert folds.five_by_two_t(d)[:2] == pytest.approx((t, 2 * stats.t.sf(t, 5)))
    assert folds.five_by_two_t(-d, "greater").pvalue == pytest.approx(stats.t.sf(-t, 5))
    f = (d**2).sum() / (2 * sum(s2))
    assert folds.five_by_two_f(d)[:2] == pytest.approx((f, stats.f.sf(f, 10, 5)))
    with pytest.raises(InputError, match="5x2cv needs ten differences"):
        folds.five_by_two_t(d[:4])


def test_friedman_is_scipys_with_ties():
    rng = np.random.default_rng(6)
    for _ in range(20):
        scores = rng.integers(0, 4, (8, 5))
        if all(len(set(row)) == 1 for row in scores):
            continue
        result, peer = friedman.friedman(friedman.ranks_of(scores)), stats.friedmanchisquare(*scores.T)
        assert result[:2] == pytest.approx((peer.statistic, peer.pvalue))
    assert friedman.ranks_of([[1, 2], [3, 1]], higher=False).tolist() == [[1, 2], [2, 1]]


def test_two_models_make_nemenyi_a_normal_test():
    ranks = friedman.ranks_of([[2, 1], [3, 1], [1, 5], [9, 1], [4, 2]])
    assert friedman.nemenyi(ranks)[0, 1] == pytest.approx(friedman.holm_ranks(ranks)[0, 1], abs=1e-6)


@given(st.lists(st.floats(1e-6, 1), max_size=12))
def test_adjusted_p_values_by_definition(p):
    m = len(p)
    order = sorted(range(m), key=lambda i: p[i])
    holm, worst = [0.0] * m, 0.0
    for k, i in enumerate(order):
        worst = holm[i] = max(worst, min(1.0, (m - k) * p[i]))
    assert multiple.holm(p) == pytest.approx(holm)
    expected = [min(1.0, min(p[order[k]] * m / (k + 1) for k in range(order.index(i), m))) for i in range(m)]
    assert multiple.benjamini_hochberg(p) == pytest.approx(expected)
    assert all(b >= h - 1e-12 for b, h in zip(multiple.bonferroni(p), holm, strict=True))


def test_nan_takes_no_part_in_an_adjustment():
    adjusted = multiple.holm([0.01, math.nan, 0.04])
    assert adjusted[::2] == [0.02, 0.04]
    assert math.isnan(adjusted[1])
    with pytest.raises(InputError, match="adjust='sidak' is not known: pass holm, bonferroni, bh or none"):
        multiple.adjusted([0.1], "sidak")


def test_tails_keep_their_side():
    assert normal_p(1.0, "greater") + normal_p(1.0, "less") == pytest.approx(1)
    assert t_p(-1.0, 5, "greater") > 0.5
    assert 0 < normal_p(60.0) < 1e-300
    with pytest.raises(InputError, match="alternative='larger' is not known"):
        sided(0.1, 0.9, "larger")
