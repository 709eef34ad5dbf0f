"""Methods that papers name, second list: R (pROC 1.18.0, stats), statsmodels 0.15.0, baycomp 1.0.3, and formulas."""

import math

import numpy as np
import pytest

import calipers as cal

Y1, P1 = [0, 0, 1, 1, 0, 1, 0, 1, 1, 0], [0.1, 0.6, 0.35, 0.8, 0.2, 0.9, 0.55, 0.7, 0.4, 0.3]
Y2 = [0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0]
P2 = [0.5, 0.4, 0.6, 0.8, 0.3, 0.2, 0.7, 0.1, 0.55, 0.9, 0.45, 0.35]


def test_item_5_unpaired_delong_as_proc_and_plain():
    """roc.test(roc(Y1, P1), roc(Y2, P2), method = "delong", paired = FALSE): D, df and p."""
    first, second = cal.evaluate(Y1, P1), cal.evaluate(Y2, P2)
    found = cal.compare_independent(first, second, method="delong")["roc_auc"]
    assert found.pvalue == pytest.approx(0.441025363222861, rel=1e-12)
    assert found.difference == pytest.approx(0.657142857142857 - 0.84)
    contrast = cal.compare_independent(first, second, method="delong").pairing.contrast(
        cal.metrics.roc_auc, "B", "A"
    )
    assert (contrast.statistic(), contrast.df) == pytest.approx((-0.786673859666556, 19.3014814873892))
    plain = cal.compare_independent(first, second, method="delong-z")["roc_auc"]
    error = math.sqrt(0.0192 + 0.0348299319727891)
    assert plain.pvalue == pytest.approx(math.erfc(0.786673859666556 / math.sqrt(2)), rel=1e-9)
    assert (plain.low, plain.high) == pytest.approx(
        tuple(plain.difference + side * 1.959963984540054 * error for side in (-1, 1))
    )
    assert "DeLong" in cal.compare_independent(first, second, method="delong").to_text()
    with pytest.raises(cal.InputError, match="did you mean delong"):
        cal.compare_independent(first, second, method="delongs")


TABLE = [[20, 5, 1], [4, 15, 6], [1, 3, 25]]
OWN = [[0, 1, 4], [1, 0, 2], [4, 2, 0]]


def test_item_5_weighted_kappa_with_own_weights_and_its_interval():
    """cohens_kappa(TABLE, weights=OWN)."""
    rater = pytest.importorskip("statsmodels.stats.inter_rater", reason="statsmodels is not installed")
    theirs = rater.cohens_kappa(np.array(TABLE), weights=np.array(OWN, float))
    name = "weighted_kappa(penalty=0:1:4/1:0:2/4:2:0)"
    ours = cal.evaluate_counts(TABLE, metrics=[name])[name]
    assert ours == pytest.approx(theirs.kappa, rel=1e-12)
    assert ours.stderr == pytest.approx(theirs.std_kappa, rel=0.02)
    assert ours.low < ours < ours.high


def test_item_5_own_weights_as_a_matrix_or_a_name():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    quadratic = cal.metrics.weighted_kappa(y, p)
    own = cal.metrics.weighted_kappa(y, p, penalty=[[0, 1, 4], [1, 0, 1], [4, 1, 0]])
    assert (own, own.low, own.high) == (quadratic, quadratic.low, quadratic.high)
    assert cal.metrics.weighted_kappa(y, p, penalty=np.array(OWN)) == cal.evaluate(
        y, p, metrics=["weighted_kappa(penalty=0:1:4/1:0:2/4:2:0)"]
    )["weighted_kappa(penalty=0:1:4/1:0:2/4:2:0)"]
    for wrong in ("0:1/1:0", "0:1:x/1:0:1/4:1:0", "1:1:4/1:0:1/4:1:0", "0:-1:4/1:0:1/4:1:0", "0:0:0/0:0:0/0:0:0"):
        with pytest.raises(cal.InputError, match="a 3 x 3 matrix of penalties"):
            cal.metrics.weighted_kappa(y, p, penalty=wrong)


TRUTH, FLAGGED = [1] * 40 + [0] * 60, [1] * 30 + [0] * 10 + [1] * 12 + [0] * 48


def test_item_5_woolf_and_simel():
    ratio = cal.metrics.diagnostic_odds_ratio(TRUTH, FLAGGED, interval="woolf")
    assert (ratio.low, ratio.high) == pytest.approx((4.616968661, 31.1892955255), rel=1e-9)  # R, by Woolf's formula
    for metric, hits, falses in ((cal.metrics.lr_plus, 30, 12), (cal.metrics.lr_minus, 10, 48)):
        e = metric(TRUTH, FLAGGED, interval="simel")
        value = hits / 40 / (falses / 60)
        reach = 1.959963984540054 * math.sqrt(1 / hits - 1 / 40 + 1 / falses - 1 / 60)
        assert (e, e.low, e.high) == pytest.approx((value, value * math.exp(-reach), value * math.exp(reach)))
    with pytest.raises(cal.InputError, match="interval='woolf' is not available for mcc"):
        cal.metrics.mcc(TRUTH, FLAGGED, interval="woolf")


def test_item_5_fisher_z():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    x = rng.normal(size=30)
    y = x + rng.normal(size=30)
    e = cal.metrics.pearson(x, y, interval="fisher-z")
    assert (e.low, e.high) == pytest.approx(tuple(stats.pearsonr(x, y).confidence_interval()))
    with pytest.raises(cal.InputError, match="interval='fisher-z' is not available for kendall"):
        cal.metrics.kendall(x, y, interval="fisher-z")


def test_item_5_finner_and_li():
    """García et al. 2010, Inf. Sci. 180:2044: 1 - (1 - p)^(m/k) without falling, and p/(p + 1 - largest)."""
    p = [0.001, 0.02, 0.03, 0.2]
    steps = [1 - 0.999**4, 1 - 0.98**2, 1 - 0.97 ** (4 / 3), 0.2]
    assert steps[1] < steps[2]
    assert cal.adjust_pvalues(p, "finner") == pytest.approx(steps)
    assert cal.adjust_pvalues([0.03, 0.03, 0.0301], "finner")[0] == pytest.approx(1 - 0.97**3)
    assert cal.adjust_pvalues(p, "li") == pytest.approx([0.001 / 0.801, 0.02 / 0.82, 0.03 / 0.83, 0.2])


OLD = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.94, 0.619, 0.972, 0.957]
NEW = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978]  # Demšar 2006


@pytest.mark.parametrize(("posterior", "rope", "theirs"), [
    ("sign", 0.01, (0.21166, 0.78834, 0.0)), ("sign", 0.0, (0.994645, 0.0, 0.005355)),
    ("signed-rank", 0.01, (0.671075, 0.328925, 0.0)), ("signed-rank", 0.0, (0.9991, 0.0, 0.0009)),
])  # fmt: skip
def test_item_5_bayesian_sign_and_signed_rank(posterior, rope, theirs):
    """baycomp 1.0.3, SignTest and SignedRankTest with 400,000 and 200,000 samples, so that 0.005 is beyond chance."""
    ours = cal.compare_folds(OLD, NEW, method="wilcoxon", rope=rope, posterior=posterior).probabilities
    assert tuple(ours) == pytest.approx(theirs, abs=0.005)
    assert sum(ours) == pytest.approx(1)
    assert cal.compare_folds(OLD, NEW, method="wilcoxon", rope=rope, posterior=posterior).probabilities == ours
    turned = cal.compare_folds(NEW, OLD, method="wilcoxon", rope=rope, posterior=posterior).probabilities
    assert (turned.better, turned.worse) == pytest.approx((ours.worse, ours.better), abs=0.01)


def test_item_5_sign_test_and_hodges_lehmann():
    """binom.test(10, 12), and wilcox.test(x, y, paired = TRUE, conf.int = TRUE) of Hollander and Wolfe's data."""
    assert cal.compare_folds(OLD, NEW, method="sign").pvalue == pytest.approx(79 / 2048)
    x = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    y = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    found = cal.compare_folds(y, x, method="hodges-lehmann")
    assert (found.difference, found.low, found.high) == pytest.approx((0.46, 0.01, 0.786))
    assert found.pvalue == pytest.approx(0.0390625)
    assert cal.loads(found.to_json()).to_text() == found.to_text()
    with pytest.raises(cal.UnknownName):
        cal.compare_folds(y, x, method="sign", rope=0.01, posterior="signs")


def test_item_5_bonferroni_dunn():
    """Demšar 2006, J. Mach. Learn. Res. 7, section 3.2.2: CD = 2.394 √(4·5/(6·14)) = 1.16."""
    rng = np.random.default_rng(0)
    scores = {name: rng.normal(loc=at, size=14) for at, name in enumerate("abcd")}
    found = cal.compare_datasets(scores, method="bonferroni-dunn", control="a")
    assert found.critical_difference == pytest.approx(2.394 * math.sqrt(20 / 84), abs=1e-3)
    plain = cal.compare_datasets(scores, method="none", control="a").pairs
    assert found.pairs == pytest.approx({pair: min(1.0, 3 * p) for pair, p in plain.items()})
    assert "Bonferroni-Dunn" in found.to_text()
    assert cal.loads(found.to_json()).to_text() == found.to_text()
    for method in ("finner", "li", "hochberg", "hommel"):
        each = cal.compare_datasets(scores, method=method, control="a").pairs
        assert list(each.values()) == pytest.approx(cal.adjust_pvalues(list(plain.values()), method).tolist())
    with pytest.raises(cal.InputError, match="pass control="):
        cal.compare_datasets(scores, method="bonferroni-dunn")
