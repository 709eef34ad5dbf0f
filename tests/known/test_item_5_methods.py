"""Methods that papers name: published tables, and the output of R and statsmodels."""

import numpy as np
import pytest

import calipers as cal
from calipers.inference.area import exponential_variance
from calipers.inference.classic import hanley_mcneil_variance, wilson_corrected
from calipers.inference.proportion import mover

# Newcombe 1998, Statist. Med. 17:857-872, table I, method 4.
WILSON_CC = [(81, 263, 0.2535, 0.3682), (15, 148, 0.0598, 0.1644), (0, 20, 0.0, 0.2005), (1, 29, 0.0018, 0.1963)]


@pytest.mark.parametrize(("hits", "trials", "low", "high"), WILSON_CC)
def test_item_5_wilson_with_continuity_correction(hits, trials, low, high):
    assert [round(x, 4) for x in wilson_corrected(hits, trials, 0.95)] == [low, high]
    ev = cal.evaluate_counts(tp=hits, fn=trials - hits, fp=1, tn=1)
    named = cal.evaluate([1] * trials + [0], [1] * hits + [0] * (trials - hits) + [0], interval={"recall": "wilson-cc"})
    assert (round(named["recall"].low, 4), round(named["recall"].high, 4)) == (low, high)
    assert named["recall"].method == "wilson-cc"
    assert named["recall"].low <= ev["recall"].low


def test_item_5_newcombe_with_continuity_correction():
    """Newcombe 1998, Statist. Med. 17:873-890, table II, method 11: 56/70 - 48/80."""
    parts = [(1, 56 / 70, *wilson_corrected(56, 70, 0.95)), (-1, 48 / 80, *wilson_corrected(48, 80, 0.95))]
    assert [round(x, 4) for x in mover(0.2, parts)] == [0.0428, 0.3422]
    truth, pred = [1] * 70 + [0] * 80, [1] * 56 + [0] * 14 + [1] * 48 + [0] * 32
    j = cal.metrics.youden_j(truth, pred, interval="newcombe-cc")  # TPR - FPR
    assert (round(j, 4), round(j.low, 4), round(j.high, 4)) == (0.2, 0.0428, 0.3422)


def test_item_5_hanley_mcneil():
    """Hanley and McNeil 1982, Radiology 143:29-36, eq. 2: exact where both classes have exponential scores."""
    rng, rate = np.random.default_rng(5), 4.0  # of negatives: the area is rate / (1 + rate)
    pos, neg = rng.exponential(size=(20_000, 12)), rng.exponential(1 / rate, size=(20_000, 20))
    areas = (pos[:, :, None] > neg[:, None]).mean((1, 2))
    assert areas.mean() == pytest.approx(0.8, abs=0.002)
    assert areas.var() == pytest.approx(hanley_mcneil_variance(0.8, 12, 20), rel=0.03)
    assert hanley_mcneil_variance(0.7, 30, 30) == pytest.approx(exponential_variance(0.7, 30, 30))  # Newcombe's form
    truth, score = [0, 0, 1, 1, 1, 0, 1, 0], [0.1, 0.4, 0.35, 0.8, 0.7, 0.2, 0.9, 0.6]
    auc = cal.metrics.roc_auc(truth, score=score, interval="hanley-mcneil")
    reach = 1.959964 * hanley_mcneil_variance(float(auc), 4, 4) ** 0.5
    assert (auc.low, auc.high) == pytest.approx((auc - reach, min(1.0, auc + reach)), abs=1e-6)


def test_item_5_delong_on_the_logit_scale_with_z():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 50)
    score = rng.normal(size=100) + truth
    auc = cal.metrics.roc_auc(truth, score=score, interval="delong-logit-z")
    pos, neg = score[50:], score[:50]
    v10, v01 = (pos[:, None] > neg).mean(1), (pos[:, None] > neg).mean(0)
    se = np.sqrt(v10.var(ddof=1) / 50 + v01.var(ddof=1) / 50)
    centre, reach = np.log(auc / (1 - auc)), 1.959963984540054 * se / (auc * (1 - auc))
    expected = [1 / (1 + np.exp(-(centre + side * reach))) for side in (-1, 1)]
    assert [auc.low, auc.high] == pytest.approx(expected, rel=1e-9)


# statsmodels 0.15.0, stats.multitest.multipletests; Hommel's method is also compared with its definition below.
P = [0.01, 0.02, 0.03, 0.04, 0.05, 0.5]
ADJUSTED = {
    "holm": [0.06, 0.1, 0.12, 0.12, 0.12, 0.5], "hochberg": [0.06, 0.1, 0.1, 0.1, 0.1, 0.5],
    "hommel": [0.06, 1 / 15, 0.075, 0.08, 0.1, 0.5], "bonferroni": [0.06, 0.12, 0.18, 0.24, 0.3, 1.0],
    "bh": [0.06, 0.06, 0.06, 0.06, 0.06, 0.5], "by": [0.147, 0.147, 0.147, 0.147, 0.147, 1.0],
    "none": P,
}  # fmt: skip


@pytest.mark.parametrize("method", ADJUSTED)
def test_item_5_adjusted_p_values(method):
    order = [3, 0, 5, 1, 4, 2]
    found = cal.adjust_pvalues([P[i] for i in order], method)
    assert found == pytest.approx([ADJUSTED[method][i] for i in order])
    assert np.isnan(cal.adjust_pvalues([0.01, np.nan], method)[1])


def closed_testing(p):
    """Hommel's method is the closure of Simes' test: the largest Simes p over all sets that contain a test."""
    p, m = np.asarray(p), len(p)
    result = np.zeros(m)
    for code in range(1, 2**m):
        members = [i for i in range(m) if code >> i & 1]
        simes = min(len(members) * x / (k + 1) for k, x in enumerate(sorted(p[members])))
        result[members] = np.maximum(result[members], simes)
    return np.minimum(result, 1)


@pytest.mark.parametrize("seed", range(30))
def test_hommel_is_the_closure_of_simes(seed):
    rng = np.random.default_rng(seed)
    p = rng.uniform(size=rng.integers(1, 8)) ** 2
    assert cal.adjust_pvalues(p, "hommel") == pytest.approx(closed_testing(p), rel=1e-9)


def test_unknown_adjustments_and_p_values():
    with pytest.raises(cal.UnknownName, match="no adjustment of p-values is called 'holmes'; did you mean holm"):
        cal.adjust_pvalues([0.1], "holmes")
    with pytest.raises(cal.InputError, match="between 0 and 1"):
        cal.adjust_pvalues([0.1, 1.2])


OLD = [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.94, 0.619, 0.972, 0.957]
NEW = [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978]  # Demšar 2006


def test_item_5_wilcoxon_by_scipy():
    stats = pytest.importorskip("scipy.stats")
    d = np.round(np.subtract(NEW, OLD), 6)
    normal = cal.compare_folds(OLD, NEW, method="wilcoxon-normal")
    assert normal.pvalue == pytest.approx(stats.wilcoxon(d, method="approx", correction=False).pvalue, rel=1e-9)
    ours = cal.compare_folds(OLD, NEW, method="wilcoxon-pratt")
    theirs = stats.wilcoxon(d, zero_method="pratt", method="approx")
    assert ours.test.statistic == pytest.approx(theirs.statistic)
    ranks = stats.rankdata(np.abs(d))[d != 0]  # zeros are ranked, and then left out
    signs = np.array(np.meshgrid(*[[0, 1]] * len(ranks))).reshape(len(ranks), -1).T
    sums, up = signs @ ranks, ranks[d[d != 0] > 0].sum()
    assert ours.pvalue == pytest.approx(2 * min((sums >= up).mean(), (sums <= up).mean()))


def test_item_5_sign_flip():
    d = np.subtract(NEW, OLD)
    signs = np.array(np.meshgrid(*[[-1, 1]] * 12)).reshape(12, -1).T
    sums = signs @ d[np.abs(d) > 0]
    expected = 2 * (sums >= d.sum() - 1e-12).mean()
    found = cal.compare_folds(OLD, NEW, method="sign-flip")
    assert found.pvalue == pytest.approx(expected)
    assert found.difference == pytest.approx(d.mean())
    rng = np.random.default_rng(0)
    many = rng.normal(0.3, 1, 40)
    drawn = cal.compare_folds(np.zeros(40), many, method="sign-flip")
    assert drawn.pvalue == pytest.approx(cal.compare_folds(np.zeros(40), many, method="paired-t").pvalue, abs=0.01)


def test_item_5_unshuffled_folds_and_out_of_bag_predictions():
    linear = pytest.importorskip("sklearn.linear_model")
    splits = pytest.importorskip("sklearn.model_selection")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    found = cal.cross_validate(linear.LinearRegression(), X, y, cv=4, shuffle=False, seed=0)
    assert [f.test.tolist() for f in found.folds] == [test.tolist() for _, test in splits.KFold(4).split(X)]
    assert found.cv == "4 folds"
    with pytest.raises(cal.InputError, match="would repeat the same folds"):
        cal.cross_validate(linear.LinearRegression(), X, y, cv=4, shuffle=False, repeats=2)
    boot = cal.bootstrap_validate(linear.LinearRegression(), X, y, replicates=10, seed=0)
    columns = boot.predictions
    for replicate in boot.replicates:
        mask = columns["replicate"] == replicate.number
        assert not set(columns["row"][mask]) & set(replicate.train)
        model = linear.LinearRegression().fit(X[replicate.train], y[replicate.train])
        assert columns["predicted"][mask] == pytest.approx(model.predict(X[columns["row"][mask]]))
