"""`evaluate_model(model, X, y)` is `evaluate` of the predictions of the model."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.svm import LinearSVC

import calipers as cal

X, Y = make_classification(240, 6, n_informative=4, n_classes=3, random_state=0)
TWO = (Y > 0).astype(int)


def same(a, b):
    assert a.task == b.task
    assert dict(a) == pytest.approx(dict(b), nan_ok=True)


def test_probabilities_of_two_classes():
    model = LogisticRegression().fit(X[:120], TWO[:120])
    test, y = X[120:], TWO[120:]
    found = cal.evaluate_model(model, test, y)
    same(found, cal.evaluate(y, model.predict(test), score=model.predict_proba(test)[:, 1]))
    at = cal.evaluate_model(model, test, y, threshold=0.3, metrics=["recall", "ROC-AUC"], level=0.9)
    same(at, cal.evaluate(y, model.predict_proba(test)[:, 1], threshold=0.3, metrics=["recall", "roc_auc"], level=0.9))
    assert at.level == 0.9


def test_margins_labels_and_names():
    names = np.array(["no", "yes"])[TWO]
    for model in (LinearSVC(), RidgeClassifier()):
        model.fit(X[:120], names[:120])
        found = cal.evaluate_model(model, X[120:], names[120:], positive="no")
        expected = cal.evaluate(
            names[120:], model.predict(X[120:]), score=-model.decision_function(X[120:]), positive="no"
        )
        same(found, expected)


def test_several_classes_some_of_which_the_test_data_lacks():
    model = LogisticRegression(max_iter=500).fit(X[:120], Y[:120])
    rows = np.flatnonzero(Y[120:] < 2) + 120
    found = cal.evaluate_model(model, X[rows], Y[rows])
    assert found.labels == (0, 1, 2)
    same(found, cal.evaluate(Y[rows], model.predict(X[rows]), score=model.predict_proba(X[rows]), labels=[0, 1, 2]))


def test_a_class_that_the_model_does_not_know():
    rows = np.flatnonzero(Y[:120] < 2)
    model = LogisticRegression().fit(X[rows], Y[rows])
    found = cal.evaluate_model(model, X[120:], Y[120:])
    assert "the model was not trained on a class of y, so this class gets the lowest score: 2" in found.notes
    assert found["accuracy"] == cal.metrics.accuracy(Y[120:], model.predict(X[120:]))


def test_several_labels_per_row():
    sets = np.c_[TWO, Y == 1].astype(int)
    model = RandomForestClassifier(20, random_state=0).fit(X[:120], sets[:120])
    found = cal.evaluate_model(model, X[120:], sets[120:])
    assert found.task == "multilabel"
    score = np.c_[tuple(table[:, 1] for table in model.predict_proba(X[120:]))]
    same(found, cal.evaluate(sets[120:], model.predict(X[120:]), score=score))


def test_numbers():
    y = X[:, 0] + 0.1 * X[:, 1]
    model = LinearRegression().fit(X[:120, 1:], y[:120])
    same(cal.evaluate_model(model, X[120:, 1:], y[120:]), cal.evaluate(y[120:], model.predict(X[120:, 1:])))
    constant = DummyRegressor().fit(X[:120], y[:120])
    assert cal.evaluate_model(constant, X[120:], y[120:]).task == "regression"


class Network:
    """As Keras predicts: probabilities by `predict`, in a column."""

    def predict(self, rows):
        return 1 / (1 + np.exp(-rows[:, :1]))


def test_a_network_whose_predictions_are_scores():
    same(cal.evaluate_model(Network(), X, TWO), cal.evaluate(TWO, Network().predict(X)[:, 0]))


def test_slices_weights_and_groups_by_name():
    frame = pd.DataFrame(X, columns=list("abcdef")).assign(site=["n", "s", "w"] * 80, w=1.0 + np.arange(240) % 3)
    model = LogisticRegression().fit(frame[list("abcdef")][:120], TWO[:120])

    class Picks:
        """A pipeline that picks its columns."""

        classes_ = model.classes_

        def predict_proba(self, rows):
            return model.predict_proba(rows[list("abcdef")])

    test, y = frame[120:], TWO[120:]
    found = cal.evaluate_model(Picks(), test, y, by=["site"], weights="w", groups="site")
    score = model.predict_proba(test[list("abcdef")])[:, 1]
    columns = {"weights": test["w"].to_numpy(), "groups": test["site"].to_numpy()}
    expected = cal.evaluate(y, score, by={"site": test["site"].to_numpy()}, **columns)
    same(found, expected)
    assert found["roc_auc"].low == expected["roc_auc"].low
    same(found.by["site"]["n"], expected.by["site"]["n"])
    worst = found.worst_rows(2)
    assert worst["a"] == tuple(test["a"].iloc[list(worst["row"])])


def test_rankings():
    rng = np.random.default_rng(0)
    grades, query = rng.integers(0, 3, 60), np.repeat(np.arange(6), 10)
    model = LinearRegression().fit(X[:60], grades)
    found = cal.evaluate_model(model, X[:60], grades, task="ranking", groups=query, metrics=["ndcg@5"])
    ranked = {str(q): {str(d): s for d, s in enumerate(model.predict(X[:60])[query == q])} for q in range(6)}
    judged = {str(q): {str(d): int(g) for d, g in enumerate(grades[query == q])} for q in range(6)}
    assert found["ndcg@5"] == pytest.approx(cal.evaluate_ranking(judged, ranked, metrics=["ndcg@5"])["ndcg@5"])


def test_what_is_not_a_model():
    with pytest.raises(cal.InputError, match=r"LogisticRegression is a class: pass an instance"):
        cal.evaluate_model(LogisticRegression, X, TWO)
    with pytest.raises(cal.InputError, match="list cannot be evaluated: pass a fitted model with predict"):
        cal.evaluate_model([1, 2], X, TWO)
    with pytest.raises(cal.InputError, match=r"no argument sample_weight=: use weights= instead"):
        cal.evaluate_model(LogisticRegression(), X, TWO, sample_weight=TWO)
