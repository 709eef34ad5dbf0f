"""The test of Hosmer and Lemeshow: degrees of freedom, and the groups that SAS makes."""

import numpy as np
import pytest
from scipy.stats import chi2

import calipers as cal


def calibrated(rng, n, rounded=None):
    p = rng.beta(1.5, 3, n)
    p = p if rounded is None else np.clip(np.round(p, rounded), 0.01, 0.99)
    return (rng.random(n) < p).astype(int), p


@pytest.mark.parametrize(("rows", "rounded"), [(300, None), (2000, None), (600, 2)])
def test_item_8_calibrated_predictions_of_new_data_are_refused_at_the_level(rows, rounded):
    rng = np.random.default_rng([8, rows])
    low = [cal.metrics.hosmer_lemeshow_p(*calibrated(rng, rows, rounded)) < 0.05 for _ in range(1000)]
    assert 0.03 < np.mean(low) < 0.072  # 5% within three standard errors; g - 2 degrees refused 10 to 12%


def test_item_8_fitted_takes_two_degrees_of_freedom_off():
    ev = cal.evaluate(*calibrated(np.random.default_rng(8), 500))
    statistic = float(ev["hosmer_lemeshow"])
    assert float(ev["hosmer_lemeshow_p"]) == pytest.approx(chi2.sf(statistic, 10))
    assert float(ev["hosmer_lemeshow_p(fitted=true)"]) == pytest.approx(chi2.sf(statistic, 8))
    assert ev["hosmer_lemeshow_p(fitted=false)"] is ev["hosmer_lemeshow_p"]
    assert str(cal.metric("hosmer_lemeshow_p(bins=5, fitted=True)")) == "hosmer_lemeshow_p(bins=5, fitted=true)"


def test_item_8_rows_that_a_model_was_fitted_on():
    """A logistic regression on its own training rows: g - 2."""
    from sklearn.linear_model import LogisticRegression

    rng, low = np.random.default_rng(88), []
    for _ in range(400):
        x = rng.normal(size=(400, 1))
        y = (rng.random(400) < 1 / (1 + np.exp(-x[:, 0]))).astype(int)
        p = LogisticRegression(C=1e6).fit(x, y).predict_proba(x)[:, 1]
        low.append(cal.metrics.hosmer_lemeshow_p(y, p, fitted=True) < 0.05)
    assert 0.018 < np.mean(low) < 0.083


def test_item_8_a_word_for_true_is_an_error():
    with pytest.raises(cal.InputError, match="fitted=yes should be true or false"):
        cal.metric("hosmer_lemeshow_p(fitted=yes)")


def sas_groups(score, groups):
    """The User's Guide of SAS/STAT word by word, block after block."""
    values, sizes = np.unique(score, return_counts=True)
    n = len(score)
    m, bins = int(n / groups + 0.5), [[0]]
    for j in range(1, len(values)):
        c = sum(sizes[i] for i in bins[-1])
        if c < m and c + int(0.5 * sizes[j]) <= m:
            bins[-1].append(j)
        else:
            bins.append([j])
    if len(bins) > 1 and sum(sizes[i] for i in bins[-1]) <= int(n / (2 * groups)):
        last = bins.pop()
        bins[-1] += last
    return [values[group] for group in bins]


@pytest.mark.parametrize("seed", range(30))
def test_item_8_groups_as_sas_forms_them(seed):
    rng = np.random.default_rng([80, seed])
    n, groups = int(rng.integers(15, 400)), int(rng.integers(3, 13))
    score = rng.choice([rng.random(n), np.round(rng.random(n), 1), np.round(rng.beta(0.5, 2, n), 2)])
    score = np.clip(score, 0.005, 0.995)
    truth = (rng.random(n) < score).astype(int)
    truth[:2] = 0, 1
    terms, counts = [], []
    for values in sas_groups(score, groups):
        mine = np.isin(score, values)
        k, p = mine.sum(), score[mine].mean()
        terms.append((truth[mine].sum() - k * p) ** 2 / (k * p * (1 - p)))
        counts.append(k)
    ev = cal.evaluate(truth, score)
    assert ev[f"hosmer_lemeshow(bins={groups}, rule=sas)"] == pytest.approx(sum(terms))
    assert ev[f"hosmer_lemeshow_p(bins={groups}, rule=sas)"] == pytest.approx(chi2.sf(sum(terms), len(counts)))


def test_item_8_ties_go_to_the_earlier_group_and_counting_starts_again():
    """Ten groups of 10: 8 rows of 0.1, then a tie of 4: 8 + 2 <= 10, so the first group has 12 and the second begins
    with the next row; bins of equal mass begin at fixed places instead."""
    score = np.concatenate((np.full(8, 0.1), np.full(4, 0.2), np.linspace(0.3, 0.9, 88)))
    from calipers.metrics.bins import binned
    from calipers.statistics.scores import ScoreSamples

    s = ScoreSamples(score[:50], score[50:], None, None)
    assert binned(s, 10, "sas").weight.tolist() == [12] + [10] * 8 + [8]
    assert binned(s, 10, "mass").weight.tolist()[:2] == [8, 12]


def test_item_8_sas_counts_rows_not_weights():
    with pytest.raises(cal.InputError, match="rule=sas counts rows and does not support weights: pass rule=mass"):
        cal.metrics.hosmer_lemeshow([0, 1, 0, 1], [0.1, 0.7, 0.4, 0.9], weights=[1.0, 2, 1, 1], rule="sas")
