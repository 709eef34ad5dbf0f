"""`cal.scorer` inside scikit-learn: the same scores, and so the same choice."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB

import calipers as cal

X, y = make_classification(500, 8, weights=[0.8], flip_y=0.1, random_state=0)
WORDS = np.array(["no", "yes"])[y]
IRIS = load_iris(return_X_y=True)
SAME = {
    "roc_auc": "roc_auc",
    "average_precision": "average_precision",
    "log_loss": "neg_log_loss",
    "brier": "neg_brier_score",
    "f1": "f1",
    "mcc": "matthews_corrcoef",
    "balanced_accuracy": "balanced_accuracy",
    "accuracy": "accuracy",
}


@pytest.mark.parametrize("name", SAME)
def test_a_grid_search_chooses_the_same(name):
    grid = {"C": [1e-4, 1e-2, 1.0]}
    ours, theirs = (
        GridSearchCV(LogisticRegression(), grid, scoring=scoring, cv=3).fit(X, y)
        for scoring in (cal.scorer(name), SAME[name])
    )
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-12)


@pytest.mark.parametrize(("name", "theirs"), [("f1_macro", "f1_macro"), ("log_loss", "neg_log_loss")])
def test_several_classes(name, theirs):
    model = GaussianNB()
    scores = [cross_val_score(model, *IRIS, scoring=scoring) for scoring in (cal.scorer(name), theirs)]
    np.testing.assert_allclose(*scores, rtol=1e-9)


@pytest.mark.parametrize("model", [GaussianNB(), RidgeClassifier()])
def test_the_positive_class_may_be_either(model):
    usual = cross_val_score(model, X, WORDS, scoring="roc_auc")
    for positive in ("yes", "no"):  # a ranking and its reverse
        np.testing.assert_allclose(
            cross_val_score(model, X, WORDS, scoring=cal.scorer("roc_auc", positive=positive)), usual, rtol=1e-12
        )


def test_probabilities_of_the_other_class():
    usual = cross_val_score(GaussianNB(), X, y, scoring="neg_brier_score")
    result = cross_val_score(GaussianNB(), X, WORDS, scoring=cal.scorer("brier", positive="no"))
    np.testing.assert_allclose(result, usual)


def test_a_threshold_cuts_scores():
    model = GaussianNB().fit(X, y)
    pred = (model.predict_proba(X)[:, 1] >= 0.3).astype(int)
    assert cal.scorer("recall", threshold=0.3)(model, X, y) == float(cal.metrics.recall(y, pred))


def test_weights():
    model, w = GaussianNB().fit(X, y), np.arange(len(y))
    assert cal.scorer("accuracy")(model, X, y, sample_weight=w) == pytest.approx(model.score(X, y, sample_weight=w))


def test_it_prints_and_pickles():
    scorer = cal.scorer("fbeta(beta=2)", positive="yes")
    assert repr(pickle.loads(pickle.dumps(scorer))) == "calipers.scorer('fbeta(beta=2)', positive='yes')"


def test_what_cannot_choose_or_answer_is_refused():
    with pytest.raises(cal.InputError, match="no direction in which it is better"):
        cal.scorer("prevalence")
    with pytest.raises(cal.InputError, match="RidgeClassifier has no predict_proba"):
        cal.scorer("log_loss")(RidgeClassifier().fit(X, y), X, y)
    with pytest.raises(cal.UnknownName, match="roc_auc"):
        cal.scorer("roc_acu")
