"""Each rule speaks where something is wrong, and is silent on honest data of the same kind."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier

import calipers as cal
from calipers import addresses
from calipers.findings import RULES

RNG = np.random.default_rng(3)
DEBT = {"labels": ["BAD", "GOOD"], "positive": "BAD"}


def scored(n=2000, centre=0.0, spread=2.0, seed=1):
    rng = np.random.default_rng(seed)
    p = 1 / (1 + np.exp(-rng.normal(centre, spread, n)))
    return (rng.random(n) < p).astype(int), p


def logit(p):
    return np.log(p / (1 - p))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def healthy():
    return cal.evaluate(*scored())


def sliced(weak):
    truth, p = scored(3000, seed=5)
    region = np.array(["north", "south", "east"])[np.arange(3000) % 3]
    noise = np.random.default_rng(6).random(3000)
    return cal.evaluate(truth, np.where((region == "south") & weak, noise, p), by={"region": region})


def listed(candidates=0, popular=False, served=1.0, seen=False):
    """Recommendations of 60 items for 80 users."""
    rng = np.random.default_rng(12)
    weight = 1 / np.arange(1, 61)
    history, truth, shown = {}, {}, {}
    for user in range(80):
        order = rng.choice(60, 60, replace=False, p=weight / weight.sum()).tolist()
        history[user], rest = order[:6], order[6:]
        truth[user] = rest[:1] if candidates else rest[:5]
        others = [item for item in rest if item not in truth[user]]
        shown[user] = rng.permutation(truth[user] + others[: candidates - 1]).tolist() if candidates else rest[2:22]
        shown[user] = list(range(5)) if popular else history[user][:2] + shown[user] if seen else shown[user]
    shown = {user: items for user, items in shown.items() if rng.random() < served}
    return cal.evaluate_recommendations(truth, shown, history=history, catalogue=list(range(60)))


def followed(*hits):
    """Recall in per cent, period by period."""
    return cal.trend(
        {at: cal.evaluate_counts(tp=n, fn=100 - n, fp=10, tn=90) for at, n in enumerate(hits)}, metrics=["recall"]
    )


def talked_about(*topics):
    """Topics in texts about pets, the sky and money."""
    texts = [["cat", "dog", "fur", "tail"], ["sun", "moon"], ["loan", "bank"], ["dog", "cat"]]
    return cal.evaluate_topics([*topics, ["sun", "moon"]], texts)


def shares(drift):
    truth, p = scored(3000, seed=7)
    day = np.where(np.random.default_rng(8).random(3000) < np.where(truth == drift, 0.7, 0.3), "mon", "tue")
    even = np.arange(3000) % 2
    return cal.evaluate(truth, p, by={"day": day if drift else even})


def classes(confused):
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 4, 800)
    predicted = np.where(rng.random(800) < 0.8, truth, rng.integers(0, 4, 800))
    return cal.evaluate(
        truth, np.where((truth == 2) & (rng.random(800) < 0.4), 3, predicted) if confused else predicted
    )


def numbers(bias=0.0, spread=1.0, outlier=0.0, seed=11):
    """Predictions, and truths that differ from them by noise."""
    rng = np.random.default_rng(seed)
    predicted = rng.normal(10, 3, 500)
    truth = predicted - bias - spread * rng.normal(0, 1, 500)
    truth[0] += outlier
    return cal.evaluate(truth, predicted)


def over_folds(model):
    """A model over folds of rows whose label is a coin with a bias by the first column."""
    truth, p = scored(300, seed=12)
    return cal.cross_validate(model, np.stack((logit(p), RNG.random(300)), 1), truth, cv=10, seed=0)


NEVER = DummyClassifier(strategy="constant", constant=1)


def learnt(model):
    """A model on 16 to 800 rows, whose classes are the corners of a square, one label in ten wrong."""
    rng = np.random.default_rng(13)
    X = rng.normal(size=(1000, 2))
    y = (X.prod(1) * (rng.random(1000) - 0.1) > 0).astype(int)
    return cal.learning_curve(model, X, y, sizes=[16, 800], seed=0, metrics="accuracy")


def tuned(*neighbours, simpler=None):
    """So many neighbours on noisy labels of one column."""
    rng = np.random.default_rng(14)
    X = rng.normal(size=(400, 1))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    return cal.validation_curve(KNeighborsClassifier(), X, y, "n_neighbors", neighbours, simpler=simpler, seed=0)


def apart(model, noise):
    """The parts of the squared loss of a model fitted on noisy numbers, on test rows with so much noise."""
    rng = np.random.default_rng(15)
    X, other = rng.normal(size=(60, 1)), rng.normal(size=(200, 1))
    y, y_test = X[:, 0] + rng.normal(size=60), other[:, 0] + noise * rng.normal(size=200)
    return cal.bias_variance(model, X, y, X_test=other, y_test=y_test, replicates=30, seed=0)


def of_stumps(depth):
    """The parts of the zero-one loss of small trees where both columns decide together."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2))
    y = ((X[:, 0] * X[:, 1] + rng.normal(0, 0.3, 300)) > 0).astype(int)
    return cal.bias_variance(DecisionTreeClassifier(max_depth=depth, random_state=0), X, y, replicates=60, seed=0)


TRUTH, P = scored()
TIED = np.round(P, 1)
# code: where it speaks, where it is silent
def numbers_of_clusters(stability, other=0.95):
    """Two numbers of clusters, the second of which has the higher silhouette, and this stability."""
    def estimate(value):
        return cal.Estimate(value, n=90, level=0.95, interval=lambda: cal.Interval(value - 0.05, value + 0.05, "t"))

    both = ((2, 0.4, other), (3, 0.5, stability))
    candidates = [cal.NumberOfClusters(k, estimate(s), estimate(t)) for k, s, t in both]
    return cal.ClusterSelection(tuple(candidates), "KMeans", 90, 10, 0, 0.95)


def clusters(labels=(0,) * 50 + (1,) * 50):
    """Two groups far apart, in these clusters."""
    points = np.random.default_rng(3).normal(size=(100, 2)) + np.repeat([[0.0], [9.0]], 50, axis=0)
    return cal.evaluate_clusters(list(labels), np.repeat(["a", "b"], 50), points)


CASES = {
    "only_one_class": (
        lambda: cal.evaluate_counts([[0, 0], [3, 97]], **DEBT),
        lambda: cal.evaluate_counts([[1, 0], [3, 97]], **DEBT),
    ),
    "accuracy_worse_than_majority": (
        lambda: cal.evaluate_counts([[95, 5], [600, 300]], **DEBT),
        lambda: cal.evaluate_counts([[55, 45], [50, 850]], **DEBT),
    ),
    "accuracy_no_better_than_majority": (
        lambda: cal.evaluate_counts([[55, 45], [50, 850]], **DEBT),
        lambda: cal.evaluate_counts([[75, 25], [30, 870]], **DEBT),
    ),
    "imbalance": (
        lambda: cal.evaluate_counts([[55, 45], [50, 850]], **DEBT),
        lambda: cal.evaluate_counts([[255, 45], [50, 650]], **DEBT),
    ),
    "too_few_rows_of_a_class": (
        lambda: cal.evaluate_counts([[6, 6], [50, 850]], **DEBT),
        lambda: cal.evaluate_counts([[60, 60], [50, 850]], **DEBT),
    ),
    "class_never_predicted": (
        lambda: cal.evaluate_counts([[0, 40], [0, 60]], **DEBT),
        lambda: cal.evaluate_counts([[1, 39], [0, 60]], **DEBT),
    ),
    "most_confused_pair": (lambda: classes(True), lambda: classes(False)),
    "constant_scores": (lambda: cal.evaluate(TRUTH, np.full(2000, 0.3)), healthy),
    "two_valued_scores": (lambda: cal.evaluate(TRUTH, score=(P > 0.5).astype(int), positive=1), healthy),
    "scores_inverted": (lambda: cal.evaluate(TRUTH, 1 - P), lambda: cal.evaluate(TRUTH, RNG.random(2000))),
    "perfect_ranking": (lambda: cal.evaluate(TRUTH, TRUTH * 0.5 + P / 2.1), healthy),
    "ties_carry_the_roc_area": (
        lambda: cal.evaluate(TRUTH, np.round(P * 2) / 2, threshold=0.5),
        lambda: cal.evaluate(TRUTH, np.round(P, 2)),
    ),
    "threshold_far_from_best": (
        lambda: cal.evaluate(*scored(3000, -2.0, 1.2), threshold=0.6),
        lambda: cal.evaluate(*scored(3000, 0.0, 4.0)),
    ),
    "rows_look_copied": (
        lambda: cal.evaluate(np.append(TRUTH, TRUTH[:600]), np.append(P, P[:600])),
        lambda: cal.evaluate(TRUTH, np.round(P, 3)),  # rounding repeats scores too, but not as copies do
    ),
    "scores_too_high": (lambda: cal.evaluate(TRUTH, sigmoid(logit(P) + 0.6)), healthy),
    "scores_too_low": (lambda: cal.evaluate(TRUTH, sigmoid(logit(P) - 0.6)), healthy),
    "overconfident": (lambda: cal.evaluate(TRUTH, sigmoid(2 * logit(P))), healthy),
    "underconfident": (lambda: cal.evaluate(TRUTH, sigmoid(0.5 * logit(P))), healthy),
    "weak_slice": (lambda: sliced(True), lambda: sliced(False)),
    "prevalence_differs_between_slices": (lambda: shares(True), lambda: shares(False)),
    "predictions_too_high": (lambda: numbers(bias=0.5), numbers),
    "predictions_too_low": (lambda: numbers(bias=-0.5), numbers),
    "worse_than_the_mean": (lambda: numbers(bias=9.0), lambda: numbers(spread=20.0)),
    "errors_depend_on_the_prediction": (
        lambda: numbers(spread=np.abs(np.random.default_rng(11).normal(10, 3, 500))),
        numbers,
    ),
    "one_error_carries_the_mse": (lambda: numbers(outlier=40.0), numbers),
    "overfitting": (lambda: over_folds(KNeighborsClassifier(1)), lambda: over_folds(GaussianNB())),
    "more_rows_help": (lambda: learnt(KNeighborsClassifier()), lambda: learnt(NEVER)),
    "more_rows_open": (lambda: learnt(NEVER), lambda: learnt(KNeighborsClassifier())),
    "gap_stays_open": (lambda: learnt(KNeighborsClassifier(1)), lambda: learnt(NEVER)),
    "best_value_at_the_edge": (lambda: tuned(1, 3, 60), lambda: tuned(60, 61, 62)),
    "values_not_distinguished": (lambda: tuned(60, 61, 1), lambda: tuned(60, 1)),
    "simpler_value_will_do": (lambda: tuned(60, 61, 62, simpler="last"), lambda: tuned(60, 1, simpler="first")),
    "mostly_variance": (lambda: apart(KNeighborsRegressor(1), 0.0), lambda: apart(LinearRegression(), 1.0)),
    "mostly_bias": (lambda: apart(LinearRegression(), 1.0), lambda: apart(KNeighborsRegressor(1), 0.0)),
    "bias_above_the_loss": (lambda: of_stumps(1), lambda: of_stumps(2)),
    "more_clusters_than_stable": (lambda: numbers_of_clusters(0.2), lambda: numbers_of_clusters(0.9)),
    "no_stable_number": (lambda: numbers_of_clusters(0.2, 0.3), lambda: numbers_of_clusters(0.9)),
    "one_giant_cluster": (lambda: clusters([0] * 95 + [1] * 5), clusters),
    "single_row_clusters": (lambda: clusters([0] * 50 + [1] * 47 + [2, 3, 4]), clusters),
    "much_noise": (lambda: clusters([-1] * 30 + [0] * 40 + [1] * 30), clusters),
    "rows_nearer_to_another_cluster": (lambda: clusters([0, 1] * 50), clusters),
    "recalibration_helps": (lambda: cal.calibrate(TRUTH, sigmoid(3 * logit(P))), lambda: cal.calibrate(TRUTH, P)),
    "recalibration_harms": (
        lambda: cal.calibrate(*scored(400, 0.0, 1.5, seed=1), method="isotonic"),
        lambda: cal.calibrate(TRUTH, sigmoid(3 * logit(P))),
    ),
    "recalibration_open": (lambda: cal.calibrate(TRUTH, P), lambda: cal.calibrate(TRUTH, sigmoid(3 * logit(P)))),
    "sampled_candidates": (lambda: listed(candidates=20), listed),
    "same_items_for_everyone": (lambda: listed(popular=True), listed),
    "users_without_recommendations": (lambda: listed(served=0.5), listed),
    "seen_items_recommended": (lambda: listed(seen=True), listed),
    "popular_items_preferred": (lambda: listed(popular=True), listed),
    "topics_share_words": (
        lambda: talked_about(["cat", "dog", "fur"], ["dog", "cat", "tail"]), lambda: talked_about(["cat", "dog", "fur"])
    ),
    "topics_without_support": (lambda: talked_about(["cat", "sun", "loan"]), lambda: talked_about(["cat", "dog"])),
    "words_not_in_texts": (lambda: talked_about(["Cat", "Dog"]), lambda: talked_about(["cat", "dog"])),
    "period_worse": (lambda: followed(90, 89, 60), lambda: followed(90, 88, 91)),
    "period_changed": (lambda: followed(60, 62, 90), lambda: followed(90, 88, 91)),
    "trend_worse": (lambda: followed(95, 88, 83, 75, 69), lambda: followed(90, 80, 91, 79, 90)),
    "trend_changed": (lambda: followed(69, 75, 83, 88, 95), lambda: followed(90, 80, 91, 79, 90)),
    "periods_vary": (lambda: followed(95, 60, 95, 60, 95), lambda: followed(90, 88, 91, 89, 90)),
}


def test_every_rule_has_its_place_in_the_documentation():
    page = (Path(__file__).parents[2] / "docs/findings.md").read_text(encoding="utf-8")
    for code in RULES:
        assert f"\n### {code}\n" in page, f"docs/findings.md has no section {code}"


def codes(ev):
    return [f.code for f in ev.findings]


def test_every_rule_has_a_case():
    assert set(CASES) == set(RULES)


@pytest.mark.parametrize("code", CASES)
def test_a_rule_speaks(code):
    assert code in codes(CASES[code][0]())


@pytest.mark.parametrize("code", CASES)
def test_a_rule_is_silent_on_honest_data(code):
    assert code not in codes(CASES[code][1]())


def test_the_bad_debt_example():
    """90.5% against 90%: 55 rows that only the model gets right, 50 that only the majority class does."""
    from scipy.stats import binom

    finding = cal.evaluate_counts([[55, 45], [50, 850]], **DEBT).findings[0]
    p = binom.sf(55, 105, 0.5) + binom.pmf(55, 105, 0.5) / 2
    assert dict(finding.numbers) == {"accuracy": 0.905, "majority": "GOOD", "base": 0.9, "p": pytest.approx(p)}
    assert finding.sentence == (
        "Accuracy is 90.5%. Always predicting GOOD gives 90.0%, so accuracy does not show that the model is useful "
        "(p = 0.31)."
    )
    assert finding.severity == "warning"
    assert finding.link == addresses.link(finding.code, "findings")
    assert finding.say("vi").startswith("Độ chính xác là 90,5%")
    assert "准确率为 90.5%" in finding.say("zh")


def test_weights_of_two_are_not_two_rows():
    """12 rows that only the model gets right and 6 that only the majority does are not sure; twice as many are."""
    truth, predicted = [1] * 30 + [0] * 70, [1] * 12 + [0] * 18 + [1] * 6 + [0] * 64
    code = "accuracy_no_better_than_majority"
    assert code in codes(cal.evaluate(truth, predicted, positive=1))
    assert code not in codes(cal.evaluate(truth * 2, predicted * 2, positive=1))
    assert code in codes(cal.evaluate(truth, predicted, positive=1, weights=[2.0] * 100))


def test_the_slice_is_named_and_adjusted_over_all_slices():
    findings = [f for f in sliced(True).findings if f.code == "weak_slice"]
    assert {f.numbers["slice"] for f in findings} == {"south"}
    assert {f.numbers["metric"] for f in findings} == {"accuracy", "roc_auc"}
    assert {f.numbers["tests"] for f in findings} == {6}


def test_the_best_threshold_of_other_rows_is_worse_than_of_its_own():
    (finding,) = [f for f in CASES["threshold_far_from_best"][0]().findings if f.code == "threshold_far_from_best"]
    assert finding.numbers["f1"] < finding.numbers["held_out"] < finding.numbers["best"]


@pytest.mark.parametrize("task", ["labels", "scores"])
def test_rules_that_test_are_silent_where_rows_are_not_independent(task):
    truth, p = scored(400)
    groups = np.arange(400) // 4
    ev = cal.evaluate(truth, sigmoid(logit(p) + 2) if task == "scores" else (p > 0.9).astype(int), groups=groups)
    assert not [f for f in ev.findings if RULES[f.code].tests]


def test_a_restated_prevalence_has_no_tests():
    ev = CASES["scores_too_high"][0]()
    assert "scores_too_high" in codes(ev)
    assert "scores_too_high" not in codes(ev.at(prevalence=0.2))


def test_findings_travel_in_the_document():
    ev = sliced(True)
    read = cal.loads(ev.to_json())
    assert [f.to_dict() for f in read.findings] == [f.to_dict() for f in ev.findings]
    assert read.findings[0].say("zh") == ev.findings[0].say("zh")


def test_a_document_from_before_findings_is_read():
    document = healthy().to_dict()
    del document["findings"]
    with pytest.raises(cal.InputError, match="evaluate the data again"):
        cal.loads(json.dumps(document)).findings  # noqa: B018
    assert "accuracy" in repr(cal.loads(json.dumps(document)))


def test_a_document_with_an_unknown_finding_is_refused():
    document = CASES["imbalance"][0]().to_dict()
    document["findings"][0]["code"] = "bogus"
    with pytest.raises(cal.InputError, match="no finding is called 'bogus' in this version of Calipers"):
        cal.loads(json.dumps(document))


def test_item_verdicts_a_model_worse_than_the_majority_is_called_worse():
    """39.5% against 90%: no word of missing evidence."""
    (finding,) = [f for f in CASES["accuracy_worse_than_majority"][0]().findings if "majority" in f.code]
    assert finding.sentence == (
        "Accuracy is 39.5%. Always predicting GOOD gives 90.0%: the model is worse than that (p < 0.001)."
    )
    assert "kém hơn mức đó" in finding.say("vi")
    assert "不如这一基准" in finding.say("zh")


@pytest.mark.parametrize("rows", [lambda y: {"y_pred": y}, lambda y: {"y_pred": y * 0.9, "threshold": 0.5}])
def test_item_verdicts_one_class_comes_first(rows):
    ev = cal.evaluate(np.ones(200, int), positive=1, labels=[0, 1], **rows(np.ones(200, int)))
    assert codes(ev)[0] == "only_one_class"
    assert ev.findings[0].sentence.startswith("All 200 rows are class 1: the true labels contain no other class, so")


def test_item_verdicts_scores_that_were_not_cut_show_one_class_too():
    ev = cal.evaluate(np.ones(50, int), np.linspace(-3, 9, 50), positive=1, labels=[0, 1])
    assert codes(ev)[0] == "only_one_class"


def test_item_verdicts_imbalance_says_nothing_false_of_the_roc_area():
    """The area of a useless model is 0.5, however rare the class is."""
    sentence = CASES["imbalance"][0]().findings[-1].sentence
    assert "ROC AUC can be high although most predicted positives are false alarms" in sentence
    assert "whatever the model does" not in sentence


@pytest.mark.parametrize("tail", ["t4", "t3", "exponential", "lognormal"])
def test_item_verdicts_ordinary_tails_do_not_carry_the_mse(tail):
    rng, raised = np.random.default_rng([10, len(tail)]), 0
    draw = {
        "t4": lambda n: rng.standard_t(4, n), "t3": lambda n: rng.standard_t(3, n),
        "exponential": lambda n: rng.exponential(1, n) - 1, "lognormal": lambda n: np.exp(rng.normal(0, 1, n)) - 1.6,
    }[tail]  # fmt: skip
    for run in range(200):
        n = (60, 200)[run % 2]
        predicted = rng.normal(0, 3, n)
        raised += "one_error_carries_the_mse" in codes(cal.evaluate(predicted - draw(n), predicted))
    assert raised <= 7  # 10 to 13% before


@pytest.mark.parametrize("shift", ["labels", "calibrated"])
def test_item_verdicts_another_prevalence_is_not_a_weakness(shift):
    """Scores mean the same in every slice, or are calibrated in every slice; only how common the class is differs."""
    raised = 0
    for run in range(40):
        rng = np.random.default_rng([11, run])
        part = rng.integers(0, 4, 2500)
        if shift == "labels":
            truth = rng.random(2500) < np.array([0.05, 0.2, 0.5, 0.8])[part]
            p = sigmoid(rng.normal(np.where(truth, 1.2, -1.2), 1))
        else:
            p = sigmoid(np.array([-3.0, -1.5, 0.0, 1.0])[part] + rng.normal(0, 1.5, 2500))
            truth = rng.random(2500) < p
        raised += "weak_slice" in codes(cal.evaluate(truth.astype(int), p, by={"part": part}))
    assert raised <= 5  # 40 of 40 before


def test_item_verdicts_a_slice_is_weak_only_in_metrics_that_were_asked_for():
    truth, p = scored(3000, seed=5)
    region = np.arange(3000) % 3
    predicted = np.where(region == 1, np.random.default_rng(6).random(3000), p)
    for metrics, about in ((["f1"], set()), (["accuracy"], {"accuracy"}), (["roc_auc", "f1"], {"roc_auc"})):
        ev = cal.evaluate(truth, predicted, by={"region": region}, metrics=metrics)
        assert {f.numbers["metric"] for f in ev.findings if f.code == "weak_slice"} == about


def test_hostile_labels_do_no_harm_in_a_sentence():
    labels = ["\x1b[31mx", "<b>|{0}"]
    ev = cal.evaluate_counts([[55, 45], [50, 850]], labels=labels, positive=labels[0])
    assert "\x1b" not in ev.findings[0].sentence
    assert "<b>|{0}" in ev.findings[0].sentence
    assert "&lt;b&gt;|{0}" in ev.to_html()
    assert r"\<b\>\|\{0\}" in ev.to_markdown()


def test_the_correlation_of_squared_errors_is_that_of_the_rows():
    ev = CASES["errors_depend_on_the_prediction"][0]()
    (finding,) = [f for f in ev.findings if f.code == "errors_depend_on_the_prediction"]
    rows = ev.views.kept_rows()
    errors = rows.predictions - rows.truth
    expected = np.corrcoef(rows.predictions, (errors - errors.mean()) ** 2)[0, 1]
    assert finding.numbers["correlation"] == pytest.approx(expected, rel=1e-9)


def test_a_rule_about_metrics_that_nobody_asked_for_is_silent():
    truth, score = scored(2000, seed=4)
    shifted = sigmoid(logit(score) + 1.5)
    assert "scores_too_high" in codes(cal.evaluate(truth, shifted, metrics=["roc_auc", "brier"]))
    assert codes(cal.evaluate(truth, shifted, metrics=["roc_auc"])) == []


def test_infinite_numbers_travel_as_text():
    ev = cal.evaluate([0, 1] * 10, [float("inf")] * 20, threshold=0)
    (finding,) = [f for f in ev.findings if f.code == "constant_scores"]
    assert finding.to_dict()["numbers"] == {"score": "inf"}
    assert cal.loads(ev.to_json()).findings == ev.findings


def test_no_sentence_says_that_more_than_the_loss_is_bias():
    (found,) = [f for f in of_stumps(1).findings if f.code in ("mostly_bias", "bias_above_the_loss")]
    assert found.numbers["bias"] > found.numbers["loss"]
    assert found.say() == (
        "All of the loss is bias or noise: the most frequent prediction of the models has a loss of 0.500; a single "
        "model has 0.480 on average, 0.020 less."
    )


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e6])
def test_weights_of_any_unit_count_rows_of_a_class(unit):
    truth, pred = np.repeat([0, 1], [400, 12]), np.repeat([0, 1, 0], [400, 6, 6])
    weights = np.where(np.arange(412) % 2, 1.0, 1.5) * unit
    found = {f.code: f for f in cal.evaluate(truth, pred, weights=weights).findings}
    assert found["too_few_rows_of_a_class"].numbers["rows"] == 12
    none = {f.code: f for f in cal.evaluate(truth, np.zeros(412, int), weights=weights).findings}
    assert none["class_never_predicted"].numbers["rows"] == 12
