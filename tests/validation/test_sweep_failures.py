"""Sizes and values that fail, values without end, and Ctrl-C: what can be had stands, and the rest is told."""

import json
import math

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import calipers as cal
from calipers.errors import InputError, UnknownName

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())


class Mean:
    """A plain class that predicts the mean of its training rows."""

    def fit(self, X, y):
        self.mean = y.mean()

    def predict(self, X):
        return np.full(len(X), self.mean)


def test_a_size_without_a_class_is_told_and_the_rest_stands():
    y = np.zeros(200, int)
    y[:10] = 1
    X = np.random.default_rng(0).normal(size=(200, 2)) + y[:, None]
    curve = cal.learning_curve(GaussianNB(), X, y, sizes=[8, 40, 160], seed=0)
    assert len(curve.misses) == 5
    assert curve.misses[0][2:] == (0, "8 training rows contain no row of a class: 1")
    assert math.isnan(curve["roc_auc"].test[0])
    assert curve["roc_auc"].test[0].reason == "8 training rows contain no row of a class: 1"
    assert curve["roc_auc"].known == (1, 2)
    text = curve.to_text("en")
    assert "failed: training rows 8, 5 folds: 8 training rows contain no row of a class: 1" in text
    assert json.loads(curve.to_json())["metrics"]["roc_auc"]["test"][0]["value"] is None
    assert cal.learning_curve(GaussianNB(), X, y, seed=0).sizes[0] >= 40  # by default there are two of each class


def test_values_that_fail_are_told_and_the_rest_stands():
    curve = cal.validation_curve(LOGISTIC, *CANCER, "logisticregression__C", [-1, 0.1, 1.0], seed=0)
    assert [miss.at for miss in curve.misses] == [-1] * 5
    assert "InvalidParameterError" in curve.misses[0].error
    assert curve["roc_auc"].known == (1, 2)
    assert curve.best() in (0.1, 1.0)
    with pytest.raises(InputError, match=r"no fit succeeded \(5 tried\); the first error: InvalidParameterError"):
        cal.validation_curve(LOGISTIC, *CANCER, "logisticregression__C", [-1], seed=0)


def test_what_cannot_be_is_said():
    with pytest.raises(UnknownName, match="KNeighborsClassifier has no parameter 'k'; "):
        cal.validation_curve(KNeighborsClassifier(), *IRIS, "k", [1])
    with pytest.raises(InputError, match="no values of n_neighbors were given"):
        cal.validation_curve(KNeighborsClassifier(), *IRIS, "n_neighbors", [])
    with pytest.raises(InputError, match="simpler='low' is not known: pass \"first\" or \"last\""):
        cal.validation_curve(KNeighborsClassifier(), *IRIS, "n_neighbors", [1], simpler="low")
    with pytest.raises(InputError, match="metrics per fold need test sets of several rows: pass a number of folds"):
        cal.learning_curve(GaussianNB(), *IRIS, cv="loo")
    curve = cal.learning_curve(GaussianNB(), *IRIS, sizes=[1.0], cv="holdout", seed=0)
    assert curve["balanced_accuracy"].test[0].reason == "no interval: there is only one fold"
    with pytest.raises(UnknownName, match="'f1' was not requested"):
        curve["f1"]


def test_infinite_values_have_no_interval():
    tree = DecisionTreeClassifier(random_state=0)
    curve = cal.learning_curve(tree, *CANCER, seed=0, sizes=[200, 300, 400], metrics=["lr_plus", "accuracy"])
    assert math.isinf(curve["lr_plus"].train[0])
    assert curve["lr_plus"].gap[0].reason == "no interval: a value is infinite"
    assert curve["accuracy"].test[0].low < curve["accuracy"].test[0]
    assert curve.to_text("en").count("\n") > 10
    json.loads(curve.to_json())
    folds = cal.cross_validate(tree, *CANCER, cv=10, seed=0, metrics=["lr_plus"])
    assert folds.gap["lr_plus"].reason == "no interval: a value is infinite"
    assert folds.train["lr_plus"] == math.inf
    assert folds.findings == ()  # nothing is said of infinite gaps
    assert [finding.code for finding in curve.findings] == ["more_rows_open"]
    json.loads(folds.to_json())
    assert folds.to_text("vi")


class Fussy(Mean):
    """Refuses most training sets, each in words of its own."""

    def fit(self, X, y):
        if y[0] > 120:
            raise ValueError(f"not with {y[0]:g}")
        super().fit(X, y)


def test_of_many_errors_the_first_are_told():
    curve = cal.learning_curve(Fussy(), *DIABETES, sizes=[10, 40, 160], seed=2, task="regression")
    assert len(curve.misses) > 5
    text = curve.to_text("en")
    assert f"failed: training rows {curve.misses[0].at}, fold {curve.misses[0].fold}: ValueError: not with" in text
    assert text.count("failed: ") == 3
    assert f"{len(curve.misses) - 3} more fits failed" in text


class Stopped(Mean):
    fits = 0

    def fit(self, X, y):
        Stopped.fits += 1
        if Stopped.fits > 7:
            raise KeyboardInterrupt
        super().fit(X, y)


def test_ctrl_c_returns_what_is_done():
    curve = cal.learning_curve(Stopped(), *DIABETES, sizes=[10, 40, 160], seed=0, task="regression")
    assert "interrupted: 8 fits were not finished" in curve.notes
    assert [len(average.known) for average in curve["rmse"].tested] == [3, 2, 2]  # whole curves come first
    assert "failed" not in curve.to_text("en")
