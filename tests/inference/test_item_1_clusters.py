"""Item 1: rows that are not independent. Shares of 0 and 1, rows alone in their groups, and degrees of freedom."""

import numpy as np
import pytest

import calipers as cal
from calipers.inference.groups import bell_mccaffrey, between, share
from calipers.inference.proportion import wilson

RNG = np.random.default_rng(31)


def patients(groups, positive, rng, sizes=None, effect=1.0):
    """Patients with one label each and scores that share an effect of the patient."""
    sizes = np.full(groups, 5) if sizes is None else sizes
    label = rng.random(groups) < positive
    label[:2] = True, False
    who = np.repeat(np.arange(groups), sizes)
    logit = 1.5 * label[who] - 0.75 + rng.normal(0, effect, groups)[who] + rng.normal(size=len(who))
    return label[who].astype(int), 1 / (1 + np.exp(-logit)), who


def test_item_1a_a_share_of_one_counts_the_clusters_of_its_denominator():
    truth = np.zeros(1000, int)
    truth[:3] = 1
    score = np.where(truth == 1, 0.9, 0.1)
    estimate = cal.evaluate(truth, score, groups=np.arange(1000) // 2)["recall"]
    assert (estimate.low, estimate.high) == pytest.approx((0.319, 1.0), abs=5e-4)
    assert estimate.flags[0] == "based on very few groups (about 2)"
    answer = cal.gate(cal.evaluate(truth, score, groups=np.arange(1000) // 2), "recall >= 0.9")
    assert answer.verdict == "inconclusive"


def test_item_1a_one_wrong_positive_prediction():
    truth, pred = np.zeros(130, int), np.zeros(130, int)
    truth[1], pred[0] = 1, 1
    alone = cal.evaluate(truth, pred, positive=1, groups=np.arange(130))["precision"]
    assert alone.interval == cal.evaluate(truth, pred, positive=1)["precision"].interval
    assert alone.high == pytest.approx(0.793, abs=5e-4)
    pairs = cal.evaluate(truth, pred, positive=1, groups=np.arange(130) // 2)["precision"]
    assert pairs.high == pytest.approx(0.793, abs=5e-4)


@pytest.mark.parametrize("weighted", [False, True])
def test_item_1a_one_row_per_cluster_changes_nothing_for_any_metric(weighted):
    truth, score = (RNG.random(150) < 0.3).astype(int), RNG.random(150)
    options = {"weights": RNG.exponential(size=150) + 0.1} if weighted else {}
    plain = cal.evaluate(truth, score, **options)
    alone = cal.evaluate(truth, score, groups=RNG.permutation(150), **options)
    for name in (*plain, "precision", "npv", "fbeta(beta=2)", "kappa", "ks", "ece", "f1(average=macro)", "lr_plus"):
        assert alone[name].interval == plain[name].interval, name
    numbers = cal.evaluate(truth + score, score, task="regression")
    for name, result in cal.evaluate(truth + score, score, task="regression", groups=np.arange(150)).items():
        assert result.interval == numbers[name].interval, name
    scores = RNG.dirichlet(np.ones(3), 150)
    several = cal.evaluate(truth + (score > 0.5), scores, **options)
    for name, result in cal.evaluate(truth + (score > 0.5), scores, groups=np.arange(150), **options).items():
        assert result.interval == several[name].interval, name


def test_item_1a_one_row_per_cluster_in_a_slice():
    truth, score, half = RNG.integers(0, 2, 80), RNG.random(80), np.arange(80) % 2
    ev = cal.evaluate(truth, score, groups=np.arange(80) // 2, by={"half": half})
    assert ev.by["half"][0]["recall"].interval == cal.evaluate(truth[::2], score[::2])["recall"].interval


def test_item_1a_one_row_per_cluster_changes_no_comparison():
    truth = RNG.integers(0, 2, 120)
    models = {"a": RNG.random(120), "b": RNG.random(120)}
    metrics = ["recall", "f1", "mcc", "roc_auc", "log_loss", "average_precision"]
    plain = cal.compare(truth, models, metrics=metrics)
    alone = cal.compare(truth, models, metrics=metrics, groups=np.arange(120))
    for name in metrics:
        one, other = plain[name], alone[name]
        assert (one.low, one.high, one.pvalue, one.method) == (other.low, other.high, other.pvalue, other.method)


def test_item_1b_degrees_of_freedom_in_closed_form():
    """Against the trace of the matrix itself."""
    for _ in range(50):
        m = RNG.integers(0, 9, 30).astype(float)
        tau = m + m * (m - 1) * RNG.random()
        mask = m > 0
        h, d = m[mask] / m.sum(), 1 / np.sqrt(1 - m[mask] / m.sum())
        left = np.eye(len(h)) - np.outer(h, np.ones(len(h)))
        o = d[:, None] * (left @ np.diag(tau[mask]) @ left.T) * d
        assert bell_mccaffrey(m, tau) == pytest.approx(np.trace(o) ** 2 / (o * o).sum())


def test_item_1b_equal_clusters_have_the_textbooks_variance_and_degrees_of_freedom():
    each, codes = RNG.normal(size=60), np.repeat(np.arange(12), 5)
    influence = (each - each.mean()) / 60
    seen, totals = between(influence, None, codes), np.bincount(codes, influence)
    assert seen.variance == pytest.approx(totals @ totals * 12 / 11)
    assert seen.df == pytest.approx(11)
    assert seen.groups == pytest.approx((12.0,))


def test_item_1b_few_clusters_of_a_class_have_few_degrees_of_freedom():
    truth, score, who = patients(60, 0.07, np.random.default_rng(2))
    ev = cal.evaluate(truth, score, groups=who)
    holders = len(set(who[truth == 1]))
    assert holders < 9
    assert ev["roc_auc"].flags[0] == f"based on very few groups (about {holders})"
    few = truth * (who < 3 + min(who[truth == 1]))  # three positive patients at most
    ev = cal.evaluate(few, score, groups=who)
    for name in ("recall", "balanced_accuracy"):
        assert "groups" in ev[name].flags[0], name
    assert not any("groups" in flag for flag in ev["accuracy"].flags)


def test_item_1b_independent_rows_in_clusters_cost_little():
    truth, score = (RNG.random(900) < 0.4).astype(int), RNG.random(900)
    plain, grouped = cal.evaluate(truth, score), cal.evaluate(truth, score, groups=np.arange(900) // 3)
    for name in ("accuracy", "recall", "balanced_accuracy", "mcc", "roc_auc", "log_loss", "brier"):
        widths = [e[name].high - e[name].low for e in (grouped, plain)]
        assert widths[0] == pytest.approx(widths[1], rel=0.12), name


def test_item_1b_a_share_whose_rows_are_alone_is_wilsons():
    for hits, rows in ((3, 10), (1, 40), (39, 40)):
        p = hits / rows
        assert share(p, p * (1 - p) / (rows - 1), rows - 1, rows, rows, 0.9) == pytest.approx(wilson(hits, rows, 0.9))


def test_item_1b_coverage_with_few_positive_patients():
    """30 patients with five rows, a fifth of them positive: recall was covered in 88%, AUC in 86 to 90%."""
    rng, hits, samples = np.random.default_rng(8), {"recall": 0, "roc_auc": 0, "balanced_accuracy": 0}, 250
    truth, score, _ = patients(200_000, 0.5, rng, np.ones(200_000, int))
    true = cal.evaluate(truth, score)
    for _ in range(samples):
        truth, score, who = patients(30, 0.2, rng)
        evaluation = cal.evaluate(truth, score, groups=who, metrics=list(hits))
        for name in hits:
            hits[name] += evaluation[name].low <= float(true[name]) <= evaluation[name].high
    assert min(hits.values()) / samples > 0.92


def test_item_1b_comparisons_of_equal_models_hold_their_level():
    """60 patients with five rows, a tenth of them positive: 10 to 12% were rejected."""
    rng, samples = np.random.default_rng(9), 150
    rejected = dict.fromkeys(("recall", "balanced_accuracy", "roc_auc"), 0)
    for _ in range(samples):
        truth, _, who = patients(60, 0.1, rng)
        effect = rng.normal(size=60)[who]
        first, second = (1 / (1 + np.exp(-(1.5 * truth - 0.75 + effect + rng.normal(0, 0.7, 60)[who] +
                                           rng.normal(size=300)))) for _ in range(2))
        comparison = cal.compare(truth, {"a": first, "b": second}, metrics=list(rejected), groups=who)
        for name in rejected:
            rejected[name] += comparison[name].pvalue < 0.05
    assert max(rejected.values()) / samples < 0.1
