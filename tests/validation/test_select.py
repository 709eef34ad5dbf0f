"""`select`: nested folds beside plain loops, the rule of one standard error, and the choice in words."""

import json
import math

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import calipers as cal
from calipers.errors import InputError, UnknownName
from calipers.report.terminal import width
from calipers.validation.splits import splits

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :6]
MODELS = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1), "near": KNeighborsClassifier(9)}


@pytest.fixture(scope="module")
def selection():
    return cal.select(MODELS, X, Y, cv=StratifiedKFold(4), inner=3, seed=5)


def area(model, train, test):
    return roc_auc_score(Y[test], model.fit(X[train], Y[train]).predict_proba(X[test])[:, 1])


def chosen(values, ratio):
    """The first within one corrected standard error of the best."""
    means = {name: np.mean(v) for name, v in values.items()}
    best = values[max(means, key=means.get)]
    least = np.mean(best) - math.sqrt((1 / len(best) + ratio) * np.var(best, ddof=1))
    return next(name for name in values if means[name] >= least)


def test_nested_folds_beside_plain_loops(selection):
    outer = list(StratifiedKFold(4).split(X, Y))
    scores = {name: [area(model, *pair) for pair in outer] for name, model in MODELS.items()}
    picked = []
    for train, _ in outer:
        pairs = splits(3, len(train), Y[train], stratified=True, seed=5).pairs
        inner = {name: [area(m, train[a], train[b]) for a, b in pairs] for name, m in MODELS.items()}
        picked.append(chosen(inner, 1 / 2))
    for name, values in scores.items():
        assert selection.candidates[name].average.values == pytest.approx(values)
        assert selection.times[name] == picked.count(name)
    assert selection.nested == pytest.approx(np.mean([scores[name][fold] for fold, name in enumerate(picked)]))
    assert selection.choice == chosen(scores, selection.splits.ratio)


def test_finalists_are_compared_by_the_corrected_test(selection):
    every = cal.select(MODELS, X, Y, cv=5, inner=3, seed=5, metric="balanced_accuracy")
    for name, c in every.comparisons.items():
        first, second = (every.candidates[n].average.values for n in (every.choice, name))
        assert c == cal.compare_folds(first, second, test_share=len(every.splits.pairs[0][1]) / 569)
    assert set(every.comparisons) == set(every.finalists) - {every.choice}
    assert every.finalists[0] == every.choice
    assert every.best in every.finalists


def test_the_first_model_within_one_standard_error_is_taken_and_the_best_by_its_own_rule():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(80, 1))
    y = x[:, 0] + rng.normal(size=80)
    alike = {"first": Ridge(0.1), "second": LinearRegression()}
    assert cal.select(alike, x, y, seed=0).choice == "first"
    assert cal.select(dict(reversed(alike.items())), x, y, seed=0).choice == "second"
    selection = cal.select(alike, x, y, seed=0, rule="best")
    means = {name: c.average.mean for name, c in selection.candidates.items()}
    assert selection.metric == "rmse"
    assert selection.choice == selection.best == min(means, key=means.get)
    assert selection.model is not alike[selection.choice]
    assert selection.optimism == pytest.approx(selection.nested - means[selection.choice])


def test_choosing_among_useless_models_is_no_better_than_chance():
    """Twenty coins: the best of their means is well below 1/2, the nested one is not."""

    class Coin:
        def __init__(self, side):
            self.side = side

        def fit(self, X, y):
            pass

        def predict(self, X):
            return np.random.default_rng((self.side, int(1e6 * abs(X[0, 0])))).integers(0, 2, len(X))

    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(60, 1)), np.arange(60) % 2
    models = {f"coin {i}": Coin(i) for i in range(20)}
    selection = cal.select(models, rows, y, metric="error_rate", rule="best", cv=5, inner=2, seed=0)
    assert selection.candidates[selection.choice].average.mean < 0.4
    assert selection.nested > 0.4
    assert selection.optimism > 0.05


def test_folds_in_which_the_metric_is_undefined_are_left_out_of_the_comparison():
    y = np.zeros(60, int)
    y[[0, 1, 20, 21, 40]] = 1
    cv = [(np.r_[a], np.r_[b]) for a, b in ((slice(20, 60), slice(0, 20)), (slice(0, 40), slice(40, 60)),
                                            (slice(0, 50), slice(50, 60)))]  # fmt: skip
    alike = {"a": GaussianNB(), "b": GaussianNB(var_smoothing=1e-8)}
    selection = cal.select(alike, X[:60], y, cv=cv, inner=2, seed=0, metric="roc_auc")
    assert np.isnan(selection.candidates["a"].average.values).tolist() == [False, False, True]
    assert [c.folds for c in selection.comparisons.values()] == [2]
    assert "undefined in 1 of 3 folds" in selection.to_text("en")


class Breaks(GaussianNB):
    """Refuses."""

    def fit(self, X, y):
        raise RuntimeError("not today")


def test_a_model_that_fails_is_left_out_with_its_error():
    selection = cal.select({"broken": Breaks(), **MODELS}, X, Y, cv=3, inner=2, seed=0)
    assert list(selection.candidates) == list(MODELS)
    assert "left out: broken: RuntimeError: not today" in selection.to_text("en")
    assert len(selection.failures["broken"]) == 3 + 3 * 2
    with pytest.raises(InputError, match="no model could be fitted on all folds; the first, a: RuntimeError: not"):
        cal.select({"a": Breaks(), "b": Breaks()}, X, Y, cv=3)


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_the_choice_in_words(selection, lang):
    text = selection.to_text(lang)
    assert max(map(width, text.splitlines())) <= 80
    assert selection.choice in text
    assert selection.to_html(lang).count("<tr>") == 1 + len(MODELS)
    document = json.loads(selection.to_json())
    assert document["choice"] == selection.choice
    assert document["nested"]["value"] == selection.nested
    assert set(document["models"]) == set(MODELS)


def test_words_in_english(selection):
    output = " ".join(selection.to_text("en").split())
    assert output.startswith(f"3 models by ROC AUC: 569 rows, {StratifiedKFold(4)}")
    assert f"{selection.choice} is chosen: " in output
    assert f"a model chosen in this way has ROC AUC {selection.nested}" in output


def test_every_task_has_its_usual_metric():
    iris = load_iris(return_X_y=True)
    classes = cal.select({"a": GaussianNB(), "b": KNeighborsClassifier()}, *iris, cv=2, seed=0)
    assert classes.metric == "balanced_accuracy"
    queries, relevant = np.repeat(np.arange(40), 4)[:150], (iris[1] == 2).astype(int)
    ranked = cal.select(
        {"a": Ridge(), "b": LinearRegression()}, iris[0], relevant, groups=queries, task="ranking", cv=2, seed=0
    )
    assert ranked.metric == "ndcg@10"


@pytest.mark.parametrize(
    ("models", "how", "error", "message"),
    [
        ({"a": GaussianNB()}, {}, InputError, "1 model: at least two are needed to choose from"),
        (MODELS, {"metric": "no_information_rate"}, InputError,
            "has no direction in which it is better, so it cannot be used to choose a model"),
        (MODELS, {"cv": "loo"}, InputError, "a choice needs at least two test sets of several rows"),
        (MODELS, {"rule": "worst"}, UnknownName, "no rule is called 'worst'; available: best, one standard error"),
        (MODELS, {"metric": "rmse"}, InputError, "rmse is not a metric for classification"),
    ],
)
def test_what_cannot_be_chosen_is_refused(models, how, error, message):
    with pytest.raises(error, match=message):
        cal.select(models, X, Y, **how)


def test_groups_stay_together_inside_too():
    groups = np.arange(569) // 7
    selection = cal.select(MODELS, X, Y, cv=3, inner=2, groups=groups, seed=0, metric="accuracy")
    assert selection.inner == "2 folds, stratified, shuffled, groups kept together"
    assert cal.select(MODELS, X, Y, cv=KFold(3), inner=2, seed=0).inner == "2 folds, stratified, shuffled"
