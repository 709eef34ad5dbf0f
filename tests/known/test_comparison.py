"""Published tables about comparing models: the number printed, and where."""

import math

import numpy as np
import pytest

from calipers.inference import folds, friedman, multiple, paired
from calipers.inference.signed_rank import wilcoxon

# Newcombe 1998, Statist. Med. 17:2635-2650, Table III, method 10: e, f, g, h, low, high. The lower limit of 1/97/1/1 is
# printed as 0.8736; methods 8 and 10 agree there (eh < fg) and method 8 is printed as 0.8737, which is right.
NEWCOMBE = [
    (36, 12, 2, 0, 0.0569, 0.3404), (20, 12, 2, 16, 0.0562, 0.3292), (18, 12, 2, 18, 0.0562, 0.3290),
    (36, 14, 0, 0, 0.1528, 0.4167), (35, 14, 0, 1, 0.1461, 0.4175), (18, 14, 0, 18, 0.1441, 0.3963),
    (2, 97, 1, 0, 0.8721, 0.9854), (1, 97, 1, 1, 0.8737, 0.9850), (0, 29, 1, 0, 0.6666, 0.9882),
    (2, 98, 0, 0, 0.9178, 0.9945), (1, 98, 0, 1, 0.9171, 0.9916), (0, 30, 0, 0, 0.8395, 1.0),
    (54, 0, 0, 0, -0.0664, 0.0664), (53, 0, 0, 1, -0.0729, 0.0729), (30, 0, 0, 24, -0.0358, 0.0358),
    (29, 0, 0, 25, -0.0354, 0.0354), (28, 0, 0, 26, -0.0352, 0.0352), (27, 0, 0, 27, -0.0351, 0.0351),
]  # fmt: skip


@pytest.mark.parametrize("row", NEWCOMBE, ids=lambda r: "/".join(map(str, r[:4])))
def test_newcombe_table_iii(row):
    *cells, low, high = row
    result = paired.newcombe_paired(*cells, 0.95)
    assert [round(x, 4) for x in result] == [low, high]
    mirrored = paired.newcombe_paired(cells[0], cells[2], cells[1], cells[3], 0.95)
    assert mirrored == pytest.approx((-result[1], -result[0]), abs=1e-12)


@pytest.mark.parametrize(
    ("cells", "level", "low", "high"),
    [
        ((4, 9, 3, 16), 0.95, -0.027, 0.390),  # Tango 1998, Statist. Med. 17:891-908, cross-over trial
        ((43, 0, 1, 0), 0.90, -0.096, 0.037),  # the same, medical device
        ((53, 16, 8, 9), 0.95, -0.020, 0.207),  # Agresti & Min 2005, Statist. Med. 24:729-740
        ((1, 1, 7, 12), 0.95, -0.517, -0.026),  # Fagerland, Lydersen & Laake 2014, Statist. Med. 33:2850-2875
        ((7, 25, 2, 68), 0.95, 0.139, 0.321),  # Chang et al. 2024
    ],
)
def test_tango_as_published(cells, level, low, high):
    both, first, second, neither = cells
    result = paired.tango(first, second, both + first + second + neither, level)
    assert [round(x, 3) for x in result] == [low, high]


def test_mcnemar_of_bentur():
    """Fagerland, Lydersen & Laake 2013, BMC Med. Res. Methodol. 13:91, Table 5: 1 and 7 discordant pairs."""
    printed = {"asymptotic": 0.034, "corrected": 0.077, "exact": 0.070, "mid-p": 0.039}
    assert {way: round(paired.mcnemar(1, 7, way).pvalue, 3) for way in printed} == printed


def test_mcnemar_of_dietterich():
    """The statistic of Dietterich 1998, Neural Comput. 10:1895-1923, eq. 1: (|n01 - n10| - 1)² / (n01 + n10)."""
    result = paired.mcnemar(25, 15, "corrected")
    assert result.statistic == pytest.approx((10 - 1) ** 2 / 40)
    assert round(result.pvalue, 3) == 0.155
    exact = 2 * sum(math.comb(40, k) for k in range(16)) / 2**40
    assert paired.mcnemar(25, 15, "exact").pvalue == pytest.approx(exact, rel=1e-12)


def kuncheva():
    """Three classifiers on 100 rows, 84, 92 and 92 of them right (Kuncheva 2004, sec. 1.4.4)."""
    wrong = np.zeros((100, 3), int)
    wrong[:16, 0] = 1
    wrong[[*range(6), 20, 21], 1] = 1
    wrong[[0, 1, 2, 6, 20, 21, 98, 99], 2] = 1
    return 1 - wrong


def test_cochran_q_of_kuncheva():
    """She prints 3.7647; the formula gives 128/17 = 7.5294, and Q of two models is McNemar's chi-squared."""
    result = paired.cochran_q(kuncheva())
    assert result.statistic == pytest.approx(128 / 17)
    assert round(result.pvalue, 3) == 0.023
    two = paired.cochran_q(kuncheva()[:, :2])
    assert two[:2] == pytest.approx(paired.mcnemar(2, 10, "asymptotic")[:2])


# Demšar 2006, JMLR 7:1-30, Table 6: AUC of C4.5, C4.5+m, C4.5+cf, C4.5+m+cf on 14 data sets. His ranks tell the two
# .975 of the last but one row apart; here the first of them is .9751.
DEMSAR = np.array([
    [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
])  # fmt: skip


def test_demsar_friedman_and_iman_davenport():
    ranks = friedman.ranks_of(DEMSAR)
    assert ranks.mean(0).round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    assert round(friedman.friedman(ranks, ties=False).statistic, 2) == 9.28
    assert round(friedman.iman_davenport(ranks, ties=False).statistic, 2) == 3.69
    assert friedman.iman_davenport(ranks).df == (3, 39)


def test_demsar_nemenyi_table_5():
    printed = {
        0.95: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
        0.90: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
    }
    for level, row in printed.items():
        for k, q in enumerate(row, 2):
            unit = math.sqrt(k * (k + 1) / (6 * 14))
            assert friedman.critical_difference(k, 14, level) / unit == pytest.approx(q, abs=0.0011)
    assert round(friedman.critical_difference(4, 14), 2) == 1.25


def test_demsar_holm_against_the_control():
    """Section 3.2.2: p of .016, .019 and .607 against C4.5, and Holm rejects the first two of three at .05."""
    ranks = friedman.ranks_of(DEMSAR)
    raw = friedman.holm_ranks(ranks, 0, "none")
    assert [round(raw[0, j], 3) for j in (3, 1, 2)] == [0.016, 0.019, 0.608]  # he rounds z to .512 first
    pvalues = friedman.holm_ranks(ranks, 0)
    assert [pvalues[0, j] < 0.05 for j in (3, 1, 2)] == [True, True, False]
    assert pvalues[0, 3] == pytest.approx(3 * raw[0, 3])


def test_demsar_wilcoxon():
    """Table 2: 93 and 12 with the ranks of the two zeros split."""
    result = wilcoxon(DEMSAR[:, 0], DEMSAR[:, 1], zeros="split")
    assert result.statistic == 12
    assert result.pvalue < 0.05


def test_benjamini_hochberg_of_their_paper():
    """Benjamini & Hochberg 1995, J. R. Stat. Soc. B 57:289-300, sec. 4.1: 4 of 15 found, 3 by Bonferroni."""
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528,
         0.7590, 1.0]  # fmt: skip
    assert sum(x <= 0.05 for x in multiple.benjamini_hochberg(p)) == 4
    assert sum(x <= 0.05 for x in multiple.bonferroni(p)) == 3
    assert sum(x <= 0.05 for x in multiple.holm(p)) == 3


def test_corrected_t_of_scikit_learns_example():
    """plot_grid_search_stats prints t = 0.750 (p = 0.227 to the right, 2.611 uncorrected), P(better) = 0.773,
    and 0.432 for equal within 0.01."""
    from sklearn.datasets import make_moons
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
    from sklearn.svm import SVC

    x, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    splits = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    rbf, linear = (cross_val_score(SVC(kernel=k, random_state=0), x, y, cv=splits, scoring="roc_auc")
                   for k in ("rbf", "linear"))  # fmt: skip
    corrected, plain = folds.shift(rbf - linear, 10 / 90), folds.shift(rbf - linear)
    assert round(corrected.test("t", "greater").statistic, 3) == 0.750
    assert round(corrected.test("t", "greater").pvalue, 3) == 0.227
    assert round(plain.test("t").statistic, 3) == 2.611
    assert round(folds.correlated_t(corrected, 0.0).better, 3) == 0.773
    assert round(folds.correlated_t(corrected, 0.01).equal, 3) == 0.432
