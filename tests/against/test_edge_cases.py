"""What broke other libraries, by its number in the list of edge cases: the right answer, and what they said."""

import inspect
from fractions import Fraction

import numpy as np
import pytest

import calipers as cal
from calipers.errors import InputError

RNG = np.random.default_rng(22)


def nan_with(estimate, reason):
    assert np.isnan(estimate)
    assert reason in estimate.reason
    assert np.isnan(estimate.low)
    assert str(estimate) == f"nan ({estimate.reason})"


def test_15_intervals_stay_inside_and_one_positive_has_none():
    """confidenceinterval 1.0.5: AUC up to 1.295, 1.0000001 in float32, and a crash with one positive."""
    truth, score = np.array([0] * 9 + [1, 1]), np.array([*range(10), 8.5], np.float32)
    ev = cal.evaluate(truth, score, threshold=8)
    for name in ("roc_auc", "average_precision", "f1_macro", "accuracy", "mcc"):
        assert -1 <= ev[name].low <= ev[name] <= ev[name].high <= 1
    perfect = cal.metrics.roc_auc([0] * 1000 + [1] * 3, np.repeat(np.float32([0.1, 0.7]), [1000, 3]))
    assert perfect == 1
    alone = cal.metrics.roc_auc([0, 0, 1], [0.1, 0.7, 0.5])
    assert alone == 0.5
    assert np.isnan(alone.low)
    assert alone.reason == "no interval: a class has fewer than two rows"


def test_16_perfect_and_constant_scores_are_not_certain():
    """DeLong's variance is 0 in both: pROC and confidenceinterval print [1, 1]."""
    perfect = cal.metrics.roc_auc([0] * 20 + [1] * 20, np.arange(40.0))
    assert perfect == perfect.high == 1
    assert perfect.low < 0.9
    assert perfect.flags[0].startswith("perfect separation: uncertain: based on very few ranking errors (about 0)")
    constant = cal.metrics.roc_auc([0, 1] * 20, np.full(40, 0.3))
    assert constant == 0.5
    assert constant.low < 0.4 < 0.6 < constant.high


def test_17_many_rows_and_near_ties_do_not_overflow():
    """pROC: 32-bit pair counts gave [1, 1], and scores at the limit of floats crashed."""
    truth, score = np.array([0, 0, 0, 1, 1]), np.array([0.1, 0.5, 0.6, 0.5, 0.9])
    many = cal.metrics.roc_auc(np.repeat(truth, 100_000), np.repeat(score, 100_000))
    assert many == cal.metrics.roc_auc(truth, score) == 4.5 / 6
    assert 0.745 < many.low < 0.75 < many.high < 0.755
    near = np.nextafter(0.5, 1)
    assert cal.metrics.roc_auc([0, 1, 0, 1], [0.5, near, 5e-324, 1e-323]) == 3 / 4
    assert cal.metrics.roc_auc([0, 1], [0.5, near]) == 1


def test_19_wilson_is_exact_at_the_boundary():
    """statsmodels' Wilson left [0, 1] before #10010, and Jeffreys' lower bound at 0/10 is 4.8e-5."""
    none, every = (cal.evaluate_counts(tp=t, fn=10 - t, fp=1, tn=1)["recall"] for t in (0, 10))
    assert none == none.low == 0 < none.high
    assert every == every.high == 1 > every.low
    nan_with(cal.evaluate_counts(tp=0, fn=0, fp=1, tn=1)["recall"], "no row belongs to this class")


def test_22_average_precision_is_a_step_sum():
    """By the trapezoid a constant score had 0.5 in scikit-learn before 0.19."""
    assert cal.metrics.average_precision([0, 0, 0, 1], [0.3] * 4) == 1 / 4
    assert cal.metrics.average_precision([0, 1, 0, 1], [0.9, 0.8, 0.7, 0.6]) == (1 / 2 + 2 / 4) / 2


def test_23_one_class_only_is_nan_with_a_reason():
    """torchmetrics 1.9.0 says 0.0, scikit-learn NaN with a warning, older ones raise."""
    for truth in ([0, 0, 0], [1, 1, 1]):
        ev = cal.evaluate(truth, [0.1, 0.9, 0.4])
        for name in ("roc_auc", "gini", "partial_auc", "ks", "eer"):
            nan_with(ev[name], "there is only one class; this metric needs rows of both classes")
        assert np.isfinite(ev["log_loss"])
        assert ev.to_json()
    nan_with(cal.evaluate([0, 0], [0.1, 0.9])["average_precision"], "no row belongs to this class")
    nan_with(cal.evaluate([0, 0], [0.1, 0.9])["break_even"], "no row belongs to this class")


def test_24_curves_start_at_infinity():
    """scikit-learn had max + 1 before 1.3, and its DET lacked the point before 1.7."""
    ev = cal.evaluate([0, 1, 0, 1], [0.1, 0.9, 0.9, 0.4])
    for kind, start, end in (("roc", (0, 0), (1, 1)), ("det", (0, 1), (1, 0))):
        curve = ev.curve(kind)
        assert curve.threshold[0] == np.inf
        assert (curve.x[0], curve.y[0]) == start
        assert (curve.x[-1], curve.y[-1]) == end


def test_25_a_row_of_weight_0_is_absent():
    """scikit-learn #18328, #9980: zero weights changed curves and made AP NaN."""
    truth, score = RNG.integers(0, 2, 60), np.round(RNG.random(60), 1)
    weights = RNG.integers(0, 3, 60)
    heavy, repeated = (
        cal.evaluate(truth, score, weights=weights),
        cal.evaluate(np.repeat(truth, weights), np.repeat(score, weights)),
    )
    assert list(heavy) == list(repeated)
    for name in heavy:
        assert heavy[name] == pytest.approx(repeated[name]), name
    for kind in ("roc", "pr", "sweep", "calibration"):
        ours, theirs = heavy.curve(kind), repeated.curve(kind)
        for column in ours:
            assert ours[column] == pytest.approx(theirs[column], nan_ok=True), (kind, column)
    single = cal.evaluate([0, 1, 1], [0.1, 0.8, 0.9], weights=[0, 1, 1])
    nan_with(single["roc_auc"], "only one class")


def test_26_undefined_is_nan_and_not_0():
    """f1 of a class neither true nor predicted is 0.0 in scikit-learn; here NaN, and no part of a macro average."""
    ev = cal.evaluate(["a", "a", "b"], ["a", "a", "b"], labels=["a", "b", "c"])
    nan_with(ev.classes["c"]["f1"], "the class occurs neither among the true labels nor among the predictions")
    assert ev["f1_macro"] == 1
    nan_with(cal.evaluate([1, 1], [0, 0])["precision"], "no row was predicted as this class")


def test_27_absent_and_never_predicted_classes_in_a_macro_average():
    """torchmetrics says 1.0 where a class is never seen, scikit-learn 0.667 with labels=."""
    ev = cal.evaluate(["a", "b", "b"], ["a", "b", "b"], labels=["a", "b", "c"])
    assert ev["f1_macro"] == 1
    assert ev["f1_macro"].flags[0].startswith("1 of 3 classes left out: it occurs neither among the true labels nor")
    missed = cal.evaluate(["a", "b", "c"], ["a", "b", "b"])
    assert missed["precision_macro"] == (1 + 1 / 2 + 0) / 3
    assert missed["precision_macro"].flags[0] == "1 of 3 classes counted as 0: no row was predicted as this class"


@pytest.mark.parametrize("task", ["binary", "multiclass"])
def test_28_correlations_of_one_class_have_one_convention(task):
    """torchmetrics: MCC 1 as binary and 0 as multi-class for the same rows; pycm: the string 'None'."""
    ev = cal.evaluate([1, 1, 1], [1, 1, 1], task=task)
    nan_with(ev["mcc"], "the true labels or the predictions contain only one class")
    nan_with(ev["kappa"], "the true labels and the predictions contain only one class, the same in both")
    assert cal.evaluate([1, 1, 1], [1, 0, 1], task=task)["kappa"] == 0
    nan_with(cal.evaluate([1, 1, 1], [1, 0, 1], task=task)["mcc"], "only one class")


def test_29_logits_are_never_guessed():
    """torchmetrics applies a sigmoid to the whole batch as soon as one value is outside [0, 1]."""
    inside, outside = (cal.evaluate([0, 1], [0.3, high]) for high in (0.4, 1.4))
    assert inside["accuracy"] == 1 / 2
    nan_with(
        outside["accuracy"], "scores are not probabilities (0.3 to 1.4), so there is no default threshold"
    )
    nan_with(outside["log_loss"], "probabilities lie in [0, 1]")
    assert outside["roc_auc"] == 1
    assert cal.evaluate([0, 1], [0.3, 1.4], threshold=0.5)["accuracy"] == 1


def test_30_the_positive_class_is_not_guessed():
    """caret takes the first level; scikit-learn takes 1 or raises."""
    with pytest.raises(InputError, match="pass positive='cat' or positive='dog' to say which class the score is for"):
        cal.evaluate(["cat", "dog"], [0.2, 0.7])
    assert cal.evaluate(["cat", "dog"], [0.2, 0.7], positive="dog")["roc_auc"] == 1
    assert cal.evaluate(["cat", "dog"], [0.2, 0.7], positive="cat")["roc_auc"] == 0
    for pair in ((0, 1), (False, True), (-1, 1), ("no", "yes")):
        assert cal.evaluate(list(pair), [0.2, 0.7]).positive == pair[1]
    both = cal.evaluate(["cat", "dog", "dog"], ["cat", "cat", "dog"])
    assert (both.classes["cat"]["precision"], both.classes["dog"]["precision"]) == (1 / 2, 1)


def test_31_log_loss_states_its_clipping_and_takes_no_bad_rows():
    """scikit-learn changed its eps in 1.2, gave NaN with eps=0, and only warns of rows that do not sum to 1."""
    for dtype in (np.float32, np.float64):
        wrong = cal.metrics.log_loss([0, 1], score=np.array([1, 0], dtype))
        assert wrong == pytest.approx(-np.log(np.finfo(dtype).eps))
    assert "clipped to [eps, 1-eps]" in cal.metric("log_loss").metric.summary
    with pytest.raises(InputError, match=r"row 1 sums to 0.9, but the probabilities of a row must sum to 1"):
        cal.metrics.log_loss([0, 1, 2], [[0.5, 0.3, 0.2], [0.5, 0.3, 0.1], [0.1, 0.1, 0.8]])
    with pytest.raises(InputError, match="y_pred has 3 columns, but there are 2 classes"):
        cal.metrics.log_loss(["a", "b"], [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]])
    three = cal.metrics.log_loss(["a", "b"], [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]], labels=["a", "b", "c"])
    assert three == pytest.approx(-(np.log(0.5) + np.log(0.8)) / 2)


@pytest.mark.parametrize(
    ("truth", "pred"),
    [
        ([1, "1", 2], [1, 1, 2]),
        (["a", "b"], [0, 1]),
        (np.array([1, "a"], object), np.array([1, 1])),
        ([True, 2], [1, 2]),
    ],
)
def test_32_labels_of_two_kinds_are_an_error(truth, pred):
    """scikit-learn took 1 and "1" silently before 1.9."""
    with pytest.raises(InputError, match="labels must be of one kind"):
        cal.evaluate(truth, pred)


def test_33_products_of_counts_do_not_overflow():
    """scikit-learn #7929, #8354: kappa and the correlation of large tables in 32 or 64 bits."""
    table = np.array([[4 * 10**15, 10**14], [3 * 10**14, 10**15]])
    ev = cal.evaluate_counts(table)
    (a, b), (c, d) = [[Fraction(int(x)) for x in row] for row in table]
    total = a + b + c + d
    chance = (a + b) * (a + c) + (c + d) * (b + d)
    assert ev["kappa"] == pytest.approx(float(((a + d) * total - chance) / (total**2 - chance)), rel=1e-12)
    product = (a + b) * (c + d) * (a + c) * (b + d)
    assert ev["mcc"] == pytest.approx(float(a * d - b * c) / float(product) ** 0.5, rel=1e-12)
    assert ev["diagnostic_odds_ratio"] == pytest.approx(float(a * d / (b * c)), rel=1e-12)
    assert ev["accuracy"].low < ev["accuracy"] < ev["accuracy"].high


def test_34_ties_at_the_top_go_to_the_first_column():
    """scikit-learn favours the highest class; the label predicted and the rank must agree with each other."""
    truth, score = [0, 1, 2], np.full((3, 3), 1 / 3)
    ev = cal.evaluate(truth, score)
    assert [ev[f"top_k@{k}"] for k in (1, 2, 3)] == [1 / 3, 2 / 3, 1]
    assert ev["top_k"] == ev["accuracy"]
    assert "the first column wins" in cal.metric("top_k").metric.summary


def test_35_definitions_are_data_that_cannot_go_stale():
    """scikit-learn's guide prints an AMI of another normaliser. Here formulas, defaults and aliases are read from the
    catalogue (tests/metrics/test_formulas.py evaluates each formula); every default is that of the function itself."""
    for metric in cal.metrics.catalogue():
        parameters = inspect.signature(metric.function).parameters.values()
        assert {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY} == dict(metric.parameters)
        spelt = metric.name + "(" + ", ".join(f"{k}={v}" for k, v in metric.parameters.items()) + ")"
        assert str(cal.metric(spelt)) == metric.name
        for alias in metric.aliases:
            assert str(cal.metric(alias)) == metric.name


@pytest.mark.parametrize("bins", [3, 7, 10, 15, 20])
def test_47_bin_edges_are_the_doubles_nearest_to_i_over_bins(bins):
    """NumPy's and torch's linspace differ in the last digit, and so did the ECE of the same rows."""
    score = np.array([i / bins for i in range(bins)])
    curve = cal.evaluate([0, 1] * bins, np.repeat(score, 2)).curve("calibration", bins=bins)
    assert curve.rows.tolist() == [2] * bins
    assert curve.begin.tolist() == score.tolist()
    assert curve.score == pytest.approx(score)


def test_48_a_certain_score_lies_in_the_last_bin():
    """torchmetrics makes an extra bin of p = 1: 0.55 instead of 0.45."""
    ev = cal.evaluate([1, 0, 1, 1], [1.0, 1.0, 0.95, 0.9])
    assert ev.curve("calibration", bins=10).rows.tolist() == [4]
    assert ev["ece(bins=10)"] == pytest.approx(abs(3 / 4 - 3.85 / 4))


def test_49_tied_scores_stay_in_one_bin_of_equal_mass():
    """Cutting through ties makes Hosmer-Lemeshow depend on the order of the rows; SAS keeps them together."""
    truth, score = RNG.integers(0, 2, 100), np.round(RNG.random(100), 1).clip(0.1, 0.9)
    values = set()
    for _ in range(5):
        order = RNG.permutation(100)
        ev = cal.evaluate(truth[order], score[order])
        values.add((round(ev["hosmer_lemeshow"], 10), round(ev["ece(rule=mass)"], 10)))
        curve = ev.curve("calibration", rule="mass")
        assert set(np.unique(score)) >= set(curve.begin[1:])
    assert len(values) == 1
    terms = [
        (score == s).sum() * (truth[score == s].mean() - s) ** 2 / (s * (1 - s)) for s in np.unique(score)
    ]  # nine distinct scores: with twenty bins each has its own
    assert cal.evaluate(truth, score)["hosmer_lemeshow(bins=20)"] == pytest.approx(sum(terms))
