"""Folds that fail, lack a class or are interrupted, and what is refused before anything is fitted."""

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import calipers as cal
from calipers.errors import InputError, UnknownName

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())


class Fussy(GaussianNB):
    """Refuses some training rows."""

    def fit(self, X, y):
        if 17.99 in X[:, 0]:
            raise ValueError("I do not like\nthe first row")
        return super().fit(X, y)


def test_folds_that_fail_are_told_and_the_rest_stands():
    validation = cal.cross_validate(Fussy(), *CANCER, seed=0, metrics=["accuracy"])
    assert [len(validation.folds), len(validation.failures)] == [1, 4]
    assert validation.failures[0].error == "ValueError: I do not like the first row"
    text = validation.to_text("en")
    assert "failed: fold 0: ValueError: I do not like the first row" in text
    assert "1 more fold failed" in text
    assert json.loads(validation.to_json())["failures"][0]["error"].startswith("ValueError")
    with pytest.raises(InputError, match=r"no fold succeeded \(2 tried\); the first error: ValueError: I do not like"):
        cal.cross_validate(Fussy(), *CANCER, cv=[([0, 1, 19], [2, 3]), ([0, 2, 19], [1])])


def test_a_fold_without_a_class_stands_with_what_is_defined():
    y = np.repeat([0, 1, 2], [70, 70, 10])
    train, test = np.arange(140), np.arange(140, 150)
    validation = cal.cross_validate(LOGISTIC, IRIS[0], y, cv=[(train, test), (test, train)], metrics=["accuracy"])
    assert len(validation.folds) == 1
    assert validation["accuracy"] == 0
    assert "This solver needs samples of at least 2 classes" in validation.failures[0].error
    assert "in 1 fold the training data lacks a class, so it gets the lowest score there: 2" not in validation.notes
    scored = cal.cross_validate(KNeighborsClassifier(), IRIS[0], y, cv=[(train, test)], metrics=["log_loss"])
    assert "in 1 fold the training data lacks a class, so it gets the lowest score there: 2" in scored.notes


def test_metrics_that_are_undefined_in_some_folds_say_so():
    y = np.zeros(60, int)
    y[:2] = 1
    validation = cal.cross_validate(LogisticRegression(), IRIS[0][:60], y, cv=3, seed=0, metrics=["roc_auc"])
    assert validation["roc_auc"].flags[0] == "undefined in 1 of 3 folds"
    assert validation.findings == ()  # two folds that agree may do so by chance
    assert validation.notes[0] == "1 test set contains no row of some class, because the class has too few rows"


CTRL_C = """
import os, signal, time
import numpy as np, calipers as cal
class Slow:
    fits = 0
    def fit(self, X, y):
        Slow.fits += 1
        if Slow.fits == 3:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(20)
    def predict(self, X):
        return np.zeros(len(X), int)
found = cal.cross_validate(Slow(), np.zeros((40, 1)), np.arange(40) % 2, seed=0, metrics="accuracy")
print(len(found.folds), found.notes, found["accuracy"] == 0.5)
"""


def test_ctrl_c_returns_what_is_done():
    done = subprocess.run([sys.executable, "-c", CTRL_C], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "2 ('interrupted: 3 of 5 folds were not finished',) True\n"


def test_what_cannot_be_had_is_refused_before_anything_is_fitted():
    class Never(LogisticRegression):
        def fit(self, X, y):
            raise AssertionError("fitted")

    for how, message in [
        ({"metrics": "rmse"}, "rmse is not a metric for classification"),
        ({"metrics": "precision"}, "precision is defined for one class, but there are several: request"),
        ({"cv": "lolo"}, "cv='lolo' is not known"),
        ({"seed": 1.5}, "seed=1.5: must be a whole number, 0 or more"),
        ({"level": 95}, "level=95 is not a confidence level"),
    ]:
        with pytest.raises((InputError, UnknownName), match=message):
            cal.cross_validate(Never(), *IRIS, **how)
    with pytest.raises(UnknownName, match="no metric is called 'roc'"):
        cal.cross_validate(Never(), *IRIS, metrics=["roc"])
    with pytest.raises(UnknownName, match="metrics are requested by name, not by 3"):
        cal.cross_validate(LogisticRegression(max_iter=999), *IRIS, metrics=["accuracy"])[3]


def test_without_scikit_learn_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.raises(cal.MissingExtra, match=r'pip install "calipers\[models\]"'):
        cal.cross_validate(LOGISTIC, *IRIS)


def test_models_are_kept_where_asked_for():
    validation = cal.cross_validate(LOGISTIC, *CANCER, seed=0, keep_models=True, metrics="accuracy")
    assert validation.folds[0].model[-1].coef_.shape == (1, 30)
    assert repr(validation.folds[0]) == "<fold 0: 455 training rows, 114 test rows>"
