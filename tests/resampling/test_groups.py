"""Rows in groups: whole groups are what varies, for every metric and every kind of rows."""

import numpy as np
import pytest
from scipy.stats import t

import calipers as cal
from calipers import _native
from calipers.data.reading import read
from calipers.errors import InputError
from calipers.inference.proportion import wilson
from calipers.settings import Settings

RNG = np.random.default_rng(12)
N = 240
TRUTH = (RNG.random(N) < 0.4).astype(int)
SCORE = 1 / (1 + np.exp(-RNG.normal(1.5 * TRUTH - 0.75)))
CLASS = RNG.integers(0, 3, N)
MATRIX = RNG.exponential(size=(N, 3)) + np.eye(3)[CLASS]
MATRIX /= MATRIX.sum(1, keepdims=True)
COPIES = 4
WHO = np.repeat(np.arange(N), COPIES)
LABELLED = ("accuracy", "recall", "precision", "f1", "mcc", "balanced_accuracy", "fbeta(beta=2)", "lr_plus", "kappa",
            "f1(average=macro)", "recall(average=macro)", "cost(fn_cost=5)")
SCORED = ("roc_auc", "gini", "average_precision", "log_loss", "brier")


def width(estimate):
    return estimate.high - estimate.low


def near(name, otherwise=0.06):
    """Average precision of rows also expects high negatives that were not drawn, which groups do not."""
    return 0.15 if name == "average_precision" else otherwise


@pytest.mark.parametrize("name", LABELLED + SCORED)
def test_copies_of_a_row_say_no_more_than_the_row(name):
    once = cal.evaluate(TRUTH, SCORE)[name]
    copied = np.repeat(TRUTH, COPIES), np.repeat(SCORE, COPIES)
    grouped = cal.evaluate(*copied, groups=WHO)[name]
    assert grouped.method.endswith(", grouped")
    assert float(grouped) == pytest.approx(float(once), rel=1e-12)
    assert width(grouped) == pytest.approx(width(once), rel=near(name))
    assert width(cal.evaluate(*copied)[name]) < 0.6 * width(once)  # what ignoring the copies would claim


@pytest.mark.parametrize("name", ["roc_auc(average=macro)", "roc_auc_ovo", "log_loss", "top_k(k=2)", "accuracy"])
def test_copies_of_rows_with_many_scores(name):
    once = cal.evaluate(CLASS, MATRIX, metrics=[name])[name]
    copied = np.repeat(CLASS, COPIES), np.repeat(MATRIX, COPIES, 0)
    grouped = cal.evaluate(*copied, groups=WHO, metrics=[name])[name]
    assert grouped.method.endswith(", grouped")
    assert width(grouped) == pytest.approx(width(once), rel=0.08)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("name", ["f1", "roc_auc", "ks", "eer", "log_loss", "ece"])
def test_a_bootstrap_draws_whole_groups(name, method):
    options = {"interval": method, "replicates": 600}
    once = cal.evaluate(TRUTH, SCORE, **options)[name]
    grouped = cal.evaluate(np.repeat(TRUTH, COPIES), np.repeat(SCORE, COPIES), groups=WHO, **options)[name]
    assert grouped.method == f"{method}, 600 resamples, grouped"
    assert width(grouped) == pytest.approx(width(once), rel=0.2)


def test_weights_within_clusters_are_those_of_repeated_rows():
    """A row of weight 3 moves the value as three rows of its group do; what three rows would know more is small."""
    weights, who = RNG.integers(1, 4, N), np.arange(N) // 4
    weighted = cal.evaluate(TRUTH, SCORE, weights=weights, groups=who)
    repeated = cal.evaluate(*(np.repeat(x, weights) for x in (TRUTH, SCORE)), groups=np.repeat(who, weights))
    for name in LABELLED + SCORED:
        assert width(weighted[name]) == pytest.approx(width(repeated[name]), rel=near(name, 0.12)), name


def test_the_variance_of_a_mean_is_cr2_within_the_classes():
    who = RNG.integers(0, 17, N)
    estimate = cal.metrics.brier(TRUTH, SCORE, groups=who)
    each = (SCORE - TRUTH) ** 2
    influence, total = (each - each.mean()) / N, np.zeros(17)
    for k in (0, 1):
        mine = k == TRUTH
        share = np.bincount(who[mine], minlength=17) / mine.sum()
        total += np.bincount(who[mine], influence[mine], 17) / np.sqrt(1 - share)
    reach = np.sqrt(total @ total) * t.ppf(0.975, 16)
    assert min(estimate.high - estimate, estimate - estimate.low) == pytest.approx(reach, rel=0.01)
    assert (estimate.high - estimate.low) / 2 < 1.3 * reach
    assert estimate.method == "long-tailed, grouped"


def test_what_no_influence_shows_is_drawn_again():
    who = np.arange(N) // 4
    ev = cal.evaluate(TRUTH, SCORE, groups=who, replicates=100)
    for name in ("ks", "ece", "partial_auc"):
        assert ev[name].method == "bca, 100 resamples, grouped"
    assert ev["tp"].reason == "no interval: it is a count, not a rate"
    assert ev.at(prevalence=0.1)["precision"].method == "linearised (logit), grouped"
    assert ev.at(threshold=0.3)["recall"].method == "wilson, grouped"


def test_restated_prevalences_keep_to_the_classes():
    plain = cal.evaluate(TRUTH, SCORE).at(prevalence=0.1)
    alone = cal.evaluate(TRUTH, SCORE, groups=np.arange(N)).at(prevalence=0.1)
    for name in ("precision", "accuracy", "mcc", "roc_auc", "log_loss"):
        assert width(alone[name]) == pytest.approx(width(plain[name]), rel=0.12), name


def test_slices_classes_frames_and_single_metrics_take_groups():
    pd = pytest.importorskip("pandas")
    who = [f"patient {i // 4}" for i in range(N)]
    frame = pd.DataFrame({"y": TRUTH, "p": SCORE, "who": who, "half": np.arange(N) % 2})
    ev = cal.evaluate(frame, truth="y", score="p", groups="who", by=["half"])
    assert ev["f1"].method == "wilson, grouped"
    assert ev["f1"].interval == cal.metrics.f1(TRUTH, SCORE, groups=who).interval
    assert ev["f1"].interval == cal.evaluate(frame, truth="y", score="p", groups=who)["f1"].interval
    assert ev.by["half"][1]["roc_auc"].method == "delong-wilson, grouped"
    assert ev.classes[0]["recall"].method == "wilson, grouped"


def test_few_clusters_are_flagged_and_bounds_widen():
    ev = cal.evaluate(TRUTH, SCORE, groups=np.arange(N) % 3)
    assert ev["accuracy"].flags == ("based on very few groups (about 3)",)
    perfect = cal.evaluate([0, 1] * 10, [0.2, 0.8] * 10, groups=np.arange(20) // 2)
    for name in ("accuracy", "roc_auc", "f1", "mcc"):
        assert perfect[name].low < perfect[name].high == 1, name
    assert perfect["accuracy"].low == pytest.approx(wilson(10, 10, 0.95)[0], abs=1e-6)


def test_the_cost_of_a_matrix_takes_groups():
    costs = [[0, 1], [5, 0]]
    once = cal.evaluate(TRUTH, SCORE).expected_cost(costs)
    copied = cal.evaluate(np.repeat(TRUTH, COPIES), np.repeat(SCORE, COPIES), groups=WHO).expected_cost(costs)
    assert copied.method == "long-tailed, grouped"
    assert float(copied) == pytest.approx(float(once))
    assert width(once) < width(copied) < 1.2 * width(once)


def test_the_result_says_how_many_clusters_there_were():
    ev = cal.evaluate(TRUTH, SCORE, groups=np.arange(N) // 4, by={"half": np.arange(N) < 100})
    assert "rows come in 60 groups; uncertainty is computed between groups" in ev.notes
    assert "rows come in 25 groups; uncertainty is computed between groups" in ev.by["half"][True].notes


def test_a_cluster_is_drawn_alike_wherever_its_rows_are():
    who = np.array([f"patient {i // 4}" for i in range(N)])
    whole, part = (read(Settings(), TRUTH[at], SCORE[at], groups=who[at]) for at in (slice(None), slice(100, 140)))
    assert np.array_equal(whole.groups[100:140], part.groups)
    draws = [_native.draws(0, 7, len(batch), batch.groups) for batch in (whole, part)]
    assert np.array_equal(draws[0][100:140], draws[1])
    assert all(len(set(draws[0][i : i + 4])) == 1 for i in range(0, N, 4))


def test_clusters_that_cannot_be_are_refused():
    with pytest.raises(InputError, match="all rows are in one group: at least two groups are needed"):
        cal.evaluate(TRUTH, SCORE, groups=np.zeros(N, int))
    with pytest.raises(InputError, match="y_true has 240 rows and groups has 3"):
        cal.evaluate(TRUTH, SCORE, groups=[1, 2, 3])
    with pytest.raises(
        InputError, match=r"groups contains 1 missing value \(first at row 0\): every row must belong to a group"
    ):
        cal.evaluate(TRUTH, SCORE, groups=[None] + ["a", "b"] * 119 + ["c"])
    with pytest.raises(
        InputError, match="interval='wilson' is not available for f1: use grouped, bca, percentile or basic"
    ):
        cal.metrics.f1(TRUTH, SCORE, groups=np.arange(N) % 7, interval="wilson")
