"""`learning_curve` and `validation_curve`: training sets that grow, values of a parameter, and what they say."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.model_selection import validation_curve as theirs
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import calipers as cal
from calipers.errors import InputError
from calipers.report.terminal import width

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())


@pytest.fixture(scope="module")
def growing():
    return cal.learning_curve(GaussianNB(), *CANCER, seed=0, metrics=["roc_auc", "log_loss"])


@pytest.fixture(scope="module")
def depths():
    tree = DecisionTreeClassifier(random_state=0)
    return cal.validation_curve(tree, *CANCER, "max_depth", [1, 2, 3, 5, None], simpler="first", seed=0)


class Mean:
    """A plain class that predicts the mean of its training rows."""

    def fit(self, X, y):
        self.mean = y.mean()

    def predict(self, X):
        return np.full(len(X), self.mean)


def test_sizes_are_halvings_of_the_smallest_training_set(growing):
    assert growing.sizes == (14, 28, 56, 113, 227, 455)
    assert growing.axis == "training_rows"
    assert growing.cv == "5 folds, stratified, shuffled"


def test_at_its_full_size_it_is_cross_validation(growing):
    folds = cal.cross_validate(GaussianNB(), *CANCER, cv=StratifiedKFold(4), seed=0, metrics="roc_auc")
    last = cal.learning_curve(GaussianNB(), *CANCER, cv=StratifiedKFold(4), sizes=[1.0], seed=0)["roc_auc"]
    sizes = [len(fold.train) for fold in folds.folds]
    same = [n == min(sizes) for n in sizes]
    assert last.tested[0].values[same] == pytest.approx(folds.averaged()["roc_auc"].values[same], abs=1e-9)
    assert last.train_averages[0].values[same] == pytest.approx(
        np.array([fold.train_evaluation["roc_auc"] for fold in folds.folds])[same], abs=1e-9
    )
    assert growing["roc_auc"].test[-1].method.endswith(", over folds")


def test_the_error_of_a_mean_falls_as_its_variance_does():
    """The mean of m rows errs by σ²(1 + 1/m) on another row."""
    y = np.random.default_rng(2).normal(3, 2, 4000)
    curve = cal.learning_curve(Mean(), np.zeros((4000, 1)), y, sizes=[2, 4, 32], repeats=40, seed=1, metrics="mse")
    for size, e in zip(curve.sizes, curve["mse"].test, strict=True):
        assert e == pytest.approx(4 * (1 + 1 / size), rel=0.07)
    assert curve["mse"].gain(0, 1) == pytest.approx(4 / 2 - 4 / 4, rel=0.3)
    assert curve["mse"].gain(0, 1) > 0, "a loss that falls is a gain"


def test_gains_and_gaps_are_fold_by_fold(growing):
    line = growing["log_loss"]
    d = line.tested[2].values - line.tested[5].values
    ratio = growing.splits.ratio
    low, high = stats.t(4, d.mean(), d.std(ddof=1) * math.sqrt(1 / 5 + ratio)).interval(0.95)
    gain = line.gain(2, 5)
    assert (float(gain), gain.low, gain.high) == pytest.approx((d.mean(), low, high))
    assert line.gap[3] == pytest.approx(float(line.test[3] - line.train[3]))  # a loss: smaller on training rows
    x = np.log2(growing.sizes[-3:])
    slopes = [np.polyfit(x, [a.values[fold] for a in line.tested[-3:]], 1)[0] for fold in range(5)]
    low, high = stats.t(4, np.mean(slopes), np.std(slopes, ddof=1) * math.sqrt(1 / 5 + ratio)).interval(0.95)
    slope = growing.slope("log_loss")
    assert (float(slope), slope.low, slope.high) == pytest.approx((-np.mean(slopes), -high, -low))  # less is better
    gaps = [float(e) for e in line.gap[-2:]]
    assert growing.slope("log_loss", last=2, gap=True) == pytest.approx((gaps[1] - gaps[0]) / math.log2(455 / 227))
    assert line.train[0].reason == "no interval: the training sets share most of their rows"


def test_every_value_is_as_scikit_learn_has_it():
    splitter, values = StratifiedKFold(3, shuffle=True, random_state=1), [0.01, 1.0]
    curve = cal.validation_curve(LOGISTIC, *CANCER, "logisticregression__C", values, cv=splitter, metrics="f1")
    train, test = theirs(LOGISTIC, *CANCER, param_name="logisticregression__C", param_range=values, cv=splitter,
                         scoring="f1")  # fmt: skip
    for at in range(2):
        assert curve["f1"].tested[at].values == pytest.approx(test[at])
        assert curve["f1"].train_averages[at].values == pytest.approx(train[at])


def test_one_standard_error(depths):
    line = depths["roc_auc"]
    means = np.array([float(e) for e in line.test])
    best = means.argmax()
    v = line.tested[best].values
    error = v.std(ddof=1) * math.sqrt(1 / 5 + depths.splits.ratio)
    near = np.flatnonzero(means >= means[best] - error)
    assert depths.best() == depths.places[best]
    assert depths.simplest() == depths.places[near[0]]
    back = cal.validation_curve(Ridge(), *DIABETES, "alpha", [10.0, 1.0, 0.1, 0.01], simpler="first", cv=KFold(5))
    means = np.array([float(e) for e in back["rmse"].test])  # which is better when lower
    best = means.argmin()
    error = back["rmse"].tested[best].error
    assert back.simplest() == back.places[np.flatnonzero(means <= means[best] + error)[0]]
    with pytest.raises(InputError, match="the simpler end of the values is not known: pass"):
        cal.validation_curve(GaussianNB(), *IRIS, "var_smoothing", [1e-9, 1e-3], seed=0).simplest()


def test_metrics_by_task():
    assert list(cal.learning_curve(GaussianNB(), *IRIS, sizes=[1.0], seed=0)) == ["balanced_accuracy"]
    assert list(cal.learning_curve(Ridge(), *DIABETES, sizes=[1.0], seed=0)) == ["rmse"]
    labels = np.stack((IRIS[1] > 0, IRIS[1] > 1), 1).astype(int)
    assert list(cal.learning_curve(KNeighborsClassifier(), IRIS[0], labels, sizes=[1.0])) == ["subset_accuracy"]
    queries = np.repeat(np.arange(30), 5)
    ranked = cal.learning_curve(Ridge(), IRIS[0], IRIS[1], groups=queries, task="ranking", sizes=[60, 1.0], seed=0)
    assert (list(ranked), ranked.task) == (["ndcg@10"], "ranking")
    assert ranked["ndcg@10"].known == (0, 1)


def test_any_n_jobs_and_the_same_seed_give_the_same_result():
    model = ExtraTreesClassifier(3)
    options = {"seed": 7, "metrics": "log_loss"}
    with parallel_config("threading"):  # test_folds.py has it over processes
        one, two = (cal.learning_curve(model, *IRIS, sizes=[30, 90], n_jobs=n, **options) for n in (1, 2))
        values = [cal.validation_curve(model, *IRIS, "max_depth", [1, 3], seed=3, n_jobs=n) for n in (1, 2)]
    assert [a.values.tolist() for a in one["log_loss"].tested] == [a.values.tolist() for a in two["log_loss"].tested]
    other = cal.learning_curve(model, *IRIS, sizes=[30], metrics="log_loss")
    again = cal.learning_curve(model, *IRIS, sizes=[30], metrics="log_loss", seed=other.seed)
    assert again["log_loss"].test == other["log_loss"].test
    assert values[0]["balanced_accuracy"].test == values[1]["balanced_accuracy"].test


class Settable(Mean):
    """A plain class that can be set, and nothing more."""

    shift = 0.0

    def set_params(self, shift):
        self.shift = shift

    def predict(self, X):
        return super().predict(X) + self.shift


def test_plain_classes():
    curve = cal.validation_curve(Settable(), *DIABETES, "shift", np.array([0.0, 50.0]), seed=0, metrics="bias",
                                 task="regression")  # fmt: skip
    assert curve["bias"].test[1] - curve["bias"].test[0] == pytest.approx(50)
    assert curve["bias"].gap == ()
    with pytest.raises(InputError, match="has no direction in which it is better, so there is no best value"):
        curve.best()
    assert curve.findings == ()
    with pytest.raises(InputError, match="Mean has no set_params method, which is needed to change shift"):
        cal.validation_curve(Mean(), *DIABETES, "shift", [1])


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
@pytest.mark.parametrize("name", ["growing", "depths"])
def test_texts_fit_and_documents_are_whole(name, lang, request):
    result = request.getfixturevalue(name)
    text = result.to_text(lang)
    assert max(map(width, text.splitlines())) <= 80
    assert result.to_html(lang).count("<tr>") == len(result) * (1 + len(result.places))
    document = json.loads(result.to_json())
    assert document["kind"] == result.kind
    assert document["metrics"]["roc_auc"]["test"][-1]["value"] == result["roc_auc"].test[-1]
    assert len(document["metrics"]["roc_auc"]["folds"][0]) == 5


def test_the_text_of_a_validation_curve(depths):
    lines = repr(depths).splitlines()
    assert lines[0] == "validation curve, binary classification: 569 rows, 5 folds, stratified, shuffled"
    assert lines[2].startswith("max_depth = 3 has the best ROC AUC, 0.")
    assert "max_depth  test data [95% interval]  training    gap" in lines
    assert depths._repr_html_() == depths.to_html()


def test_frames_hold_what_was_found(growing, depths):
    frame = growing.to_frame()
    assert frame.training_rows.tolist() == [*growing.sizes, *growing.sizes]
    assert frame.low[0] == growing["roc_auc"].test[0].low
    assert (frame.seconds > 0).all()
    values = depths.to_frame()
    assert values.param_max_depth.tolist()[:4] == [1, 2, 3, 5]
    assert pd.isna(values.param_max_depth.tolist()[4])
    assert values.gap_high.tolist() == [e.high for e in depths["roc_auc"].gap]
