"""What broke other libraries when models are compared, by its number in the list of edge cases."""

import math

import numpy as np
import pytest

import calipers as cal
from calipers.inference import folds, friedman, multiple, paired
from calipers.inference.delong import delong_test
from calipers.inference.resampled import bootstrap_p, sign_flip
from calipers.inference.signed_rank import wilcoxon

C45 = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619, 0.972, 0.957]
C45_M = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978]


@pytest.mark.parametrize("way", paired.WAYS)
def test_01_mcnemar_of_identical_models(way):
    """statsmodels and mlxtend, corrected: statistic inf, p = 0; R: NaN; HF evaluate: ZeroDivisionError."""
    assert paired.mcnemar(0, 0, way)[:2] == (0, 1)


def test_02_the_correction_of_equal_counts_is_none():
    """statsmodels and mlxtend: (0 - 1)²/8 = .125, p = .72."""
    assert paired.mcnemar(4, 4, "corrected")[:2] == (0, 1)
    assert paired.mcnemar(5, 4, "corrected")[:2] == (0, 1)


def test_03_exact_mcnemar_has_every_term_and_stays_below_1():
    """mlxtend's guide prints .005859 for 11 and 1, without the term of 0."""
    assert paired.mcnemar(11, 1, "exact").pvalue == pytest.approx(2 * (1 + 12) / 2**12)
    assert paired.mcnemar(1, 11, "exact").pvalue == pytest.approx(0.006348, abs=5e-7)
    assert paired.mcnemar(5, 5, "exact").pvalue == 1
    first, second = (paired.mcnemar(b, 12 - b, alternative="greater").pvalue for b in (11, 1))
    assert first < 0.05 < second


def test_05_five_by_two_of_equal_scores():
    """mlxtend: NaN from the t-test, ZeroDivisionError from the F-test."""
    same = np.zeros((5, 2))
    assert folds.five_by_two_t(same)[:2] == (0, 1)
    assert folds.five_by_two_f(same)[:2] == (0, 1)
    more = same + 0.02
    for result in (folds.five_by_two_t(more), folds.five_by_two_f(more), folds.shift([0.1] * 4).test("t")):
        assert result.statistic == math.inf
        assert 0 < result.pvalue < 1e-300
        assert result.note == folds.CONSTANT


def test_06_one_sided_p_keeps_the_sign():
    """scikit-learn's gallery takes t.sf(abs(t)) for right-tailed: a model that is worse would look better."""
    worse = folds.shift([-0.02, -0.03, -0.01, -0.02], 0.25)
    assert worse.test("t", "greater").pvalue > 0.95
    assert worse.test("t", "less").pvalue == pytest.approx(1 - worse.test("t", "greater").pvalue)


def test_07_delong_has_the_right_side_and_no_0_over_0():
    """pROC #64: one-sided wrong for one direction; identical curves are z = 0, p = 1."""
    assert delong_test(0.03, 0.01, "greater").pvalue < 0.01 < 0.99 < delong_test(0.03, 0.01, "less").pvalue
    assert delong_test(0.0, 0.0)[:2] == (0, 1)


def test_08_wilcoxon_with_ties_is_exact():
    """SciPy 1.17.1, method="exact", says .00928; the conditional distribution (R's coin) gives 30/4096."""
    assert wilcoxon(C45, C45_M).pvalue == 30 / 4096


def test_09_roundoff_neither_makes_nor_hides_ties():
    """.3 - .1 is not .5 - .3 in floats."""
    a, b = np.array([0.3, 0.5, 0.1, 0.9]), np.array([0.1, 0.3, 0.4, 0.2])
    whole = wilcoxon(10 * a, 10 * b)
    assert wilcoxon(a, b) == whole == wilcoxon(a * 1e-9, b * 1e-9)
    assert wilcoxon([0.3 - 0.1 - 0.2, 1.0], [0.0, 0.0]) == wilcoxon([0.0, 1.0], [0.0, 0.0])
    assert wilcoxon([0.1 + 0.2, 1.0], [0.3, 0.0]) == wilcoxon([0.0, 1.0], [0.0, 0.0])


def test_10_zero_differences_have_an_option():
    """Dropped, ranked by Pratt, or split as Demšar does."""
    result = {zeros: wilcoxon(C45, C45_M, zeros).statistic for zeros in ("drop", "pratt", "split")}
    assert result == {"drop": 6.5, "pratt": 10.5, "split": 12}
    assert wilcoxon([0.5, 0.5], [0.5, 0.5])[:2] == (0, 1)


def test_11_friedman_with_ties():
    """Demšar's 9.28 has no tie correction (10.228 with it); rows that are all equal are NaN in SciPy."""
    tied = friedman.ranks_of([[1, 1, 1], [2, 2, 2]])
    assert friedman.friedman(tied)[:2] == (0, 1)
    assert friedman.iman_davenport(tied)[:2] == (0, 1)
    assert set(friedman.nemenyi(tied).values()) == {1.0}
    ranks = friedman.ranks_of([[1, 2, 2], [1, 2, 3], [1, 3, 3], [2, 1, 3]])
    assert friedman.friedman(ranks).statistic > friedman.friedman(ranks, ties=False).statistic
    perfect = friedman.iman_davenport(friedman.ranks_of([[1, 2, 3]] * 4))
    assert perfect.statistic == math.inf
    assert perfect.pvalue > 0


def test_12_degrees_of_freedom_of_an_f_over_data_sets():
    """mlxtend's F-test takes (L-1)N where it is (L-1)(N-1)."""
    assert friedman.iman_davenport(friedman.ranks_of(np.eye(3)[[0, 1, 2, 0]])).df == (2, 6)


def test_13_p_values_are_above_0_and_at_most_1():
    """mlxtend #721, SciPy #12223 and #11253, statsmodels #8623 (order lost, p > 1) and #10013 (empty input)."""
    assert sign_flip(np.ones(40), flips=99).pvalue == 2 / 100
    assert bootstrap_p(np.ones(99)) == 2 / 100
    assert bootstrap_p(np.zeros(99)) == 1
    for adjust in (multiple.holm, multiple.bonferroni, multiple.benjamini_hochberg):
        assert adjust([]) == []
        assert max(adjust([0.9, 0.8, 0.7])) <= 1
        assert adjust([0.5, 0.001, 0.2])[1] == min(adjust([0.5, 0.001, 0.2]))
    assert wilcoxon([1.0, -1.0]).pvalue == 1


def test_14_tables_were_checked_before_they_became_tests():
    """Derrac et al. print a mean rank of 1.250 for 1.75; mean ranks of k models add up to k(k+1)/2."""
    ranks = friedman.ranks_of(np.random.default_rng(1).random((9, 4)))
    assert ranks.mean(0).sum() == pytest.approx(4 * 5 / 2)


def models(seed=4, rows=200):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    common = rng.normal(size=rows)
    return y, {m: np.tanh(y - 0.5 + common + 0.1 * rng.normal(size=rows)) / 2 + 0.5 for m in "AB"}


def test_01_identical_models_are_not_different_by_any_metric():
    """And they are equivalent within any margin that the rows can show."""
    y, predictions = models()
    comparison = cal.compare(y, {"A": predictions["A"], "B": predictions["A"]}, margin=0.05)
    for name in comparison:
        assert comparison[name].pvalue == comparison[name].adjusted == 1
        assert comparison[name].difference == 0
        assert comparison[name].verdict == "equivalent", name


def test_04_the_same_rows_are_not_two_samples():
    """lm-evaluation-harness #3831 tests two runs over the same items as if they were independent."""
    y, predictions = models()
    comparison = cal.compare(y, predictions)
    for name in ("accuracy", "roc_auc", "brier", "f1"):
        each = [comparison.models[m][name] for m in "AB"]
        unpaired = np.hypot(*(e.high - e.low for e in each))
        assert comparison[name].high - comparison[name].low < 0.7 * unpaired, name


def test_06_and_07_better_keeps_its_side_whatever_the_order():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 300)
    good, poor = (m * y + rng.normal(size=300) for m in (2.0, 0.3))
    for name in ("roc_auc", "error_rate", "accuracy"):
        one = cal.compare(y, {"A": good, "B": poor}, threshold=0.5, metrics=[name])[name]
        turned = cal.compare(y, {"B": poor, "A": good}, threshold=0.5, metrics=[name])[name]
        assert one.verdict == turned.verdict == turned["B", "A"].verdict == "A better"
        assert one.difference == -turned.difference


def test_13_a_sure_difference_has_a_p_value_above_0():
    y = np.repeat([0, 1], 5000)
    comparison = cal.compare(y, {"A": y.astype(float) * 0.8 + 0.1, "B": np.linspace(0.4, 0.6, 10_000)[::-1]})
    for name in ("accuracy", "roc_auc", "log_loss", "f1", "average_precision"):
        assert 0 < comparison[name].pvalue < 1e-100, name
