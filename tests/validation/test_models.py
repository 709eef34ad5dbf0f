"""Models of every kind: how they are copied, what they are asked, and how classes that they never met are laid over."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from calipers.errors import InputError
from calipers.validation.models import checked, fresh, kind_of, of_each_label, over_classes, taken, unseeded
from calipers.validation.problems import problem

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.array(["a", "b", "c"])[np.arange(60) % 3]


class Mean:
    """A plain class: no parameters, no tags."""

    def fit(self, X, y):
        self.mean = np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean)


def test_what_is_no_model_is_refused():
    with pytest.raises(InputError, match="LogisticRegression is a class: pass an instance, LogisticRegression"):
        checked(LogisticRegression)
    with pytest.raises(InputError, match="StandardScaler is not a model: it needs a fit method and one of predict, "):
        checked(StandardScaler())


def test_copies_are_unfitted_and_plain_classes_are_copied():
    fitted = LogisticRegression(C=3).fit(X, Y)
    copy = fresh(fitted, {"C": 0.5})
    assert copy.C == 0.5
    assert not hasattr(copy, "coef_")
    assert fitted.C == 3
    plain = Mean()
    assert fresh(plain) is not plain


def test_only_seeds_that_were_not_given_are_set():
    model = make_pipeline(StandardScaler(), RandomForestClassifier())
    assert unseeded(model) == ("randomforestclassifier__random_state",)
    assert fresh(model, seed=3)[1].random_state == fresh(model, seed=3)[1].random_state
    assert fresh(model, seed=3)[1].random_state != fresh(model, seed=4)[1].random_state
    assert fresh(model)[1].random_state is None
    assert fresh(RandomForestClassifier(random_state=7), seed=3).random_state == 7
    assert unseeded(Mean()) == ()


@pytest.mark.parametrize(
    ("model", "y", "kind"),
    [
        (LogisticRegression(), Y, "classification"),
        (LinearRegression(), [1, 2, 3], "regression"),
        (make_pipeline(StandardScaler(), LinearRegression()), [1.5, 2, 3], "regression"),
        (Mean(), [0.5, 1.5], "regression"),
        (Mean(), [0, 1, 1], "classification"),
        (Mean(), ["a", "b"], "classification"),
    ],
)
def test_the_model_says_what_it_predicts_or_y_does(model, y, kind):
    assert kind_of(model, y) == kind


def test_rows_of_every_container():
    index, table = np.array([4, 0]), np.arange(10).reshape(5, 2)
    for rows in (table, pd.DataFrame(table), pl.DataFrame(table), sparse.csr_matrix(table), table.tolist()):
        result = taken(rows, index)
        dense = result.toarray() if sparse.issparse(result) else np.asarray(result)
        assert dense.tolist() == [[8, 9], [0, 1]]


def test_edge_case_53_a_class_that_was_not_met_gets_a_column_of_zeros():
    """cross_val_predict gave such classes wrong columns before scikit-learn 0.21 (PR 13366)."""
    prediction_problem = problem(LogisticRegression(), Y)
    train = np.flatnonzero(Y != "b")
    model = LogisticRegression().fit(X[train], Y[train])
    answer = prediction_problem.answer(model, X, Y[train])
    assert answer.unmet == ("b",)
    assert answer.score[:, 1].tolist() == [0.0] * 60
    assert answer.score[:, [0, 2]] == pytest.approx(model.predict_proba(X))
    margins = problem(LinearSVC(), Y).answer(LinearSVC().fit(X[train], Y[train]), X, Y[train])
    assert np.isneginf(margins.score[:, 1]).all()
    assert (margins.score[:, 2] == -margins.score[:, 0]).all()


def test_probabilities_without_classes_are_those_of_the_training_rows_in_order():
    class Shares:
        def fit(self, X, y):
            self.shares = np.unique(y, return_counts=True)[1] / len(y)
            return self

        def predict_proba(self, X):
            return np.tile(self.shares, (len(X), 1))

    train = np.r_[0:10, 30:33]
    y = np.where(Y == "a", "z", Y)
    answer = problem(Shares(), y).answer(Shares().fit(X[train], y[train]), X[:2], y[train])
    assert answer.score[0] == pytest.approx([(y[train] == v).mean() for v in "bcz"])
    with pytest.raises(InputError, match="the model returns 3 scores per row but was fitted on 2 classes"):
        over_classes(np.ones((4, 3)), ["a", "b"], ["a", "b", "c"], 0.0)


def test_a_score_is_that_of_the_positive_class():
    pets = np.where(X[:, 0] > 0, "dog", "cat")
    with pytest.raises(InputError, match="y has the classes cat and dog: pass"):
        problem(LogisticRegression(), pets)
    y = np.where(X[:, 0] > 0, "yes", "no")
    model = LogisticRegression().fit(X, y)
    for at, label in enumerate(("no", "yes")):
        prediction_problem = problem(model, y, positive=label)
        assert prediction_problem.answer(model, X, y).score.tolist() == model.predict_proba(X)[:, at].tolist()
        assert prediction_problem.measured(y, prediction_problem.answer(model, X, y))["roc_auc"] > 0.99
    margin = RidgeClassifier().fit(X, y)
    turned = problem(margin, y, positive="no").answer(margin, X, y).score
    assert turned.tolist() == (-margin.decision_function(X)).tolist()
    with pytest.raises(InputError, match="positive='maybe' is not among the classes no, yes"):
        problem(model, y, positive="maybe")


@pytest.mark.parametrize(
    ("metrics", "methods"),
    [
        (None, ("predict", "predict_proba")),
        (["accuracy", "f1"], ("predict",)),
        ("roc_auc", ("predict_proba",)),
        (["roc_auc", "f1"], ("predict", "predict_proba")),
    ],
)
def test_a_model_is_asked_only_for_what_metrics_need(metrics, methods):
    assert problem(LogisticRegression(), [0, 1, 1], metrics=metrics).methods == methods


def test_a_threshold_cuts_scores_instead_of_labels():
    assert problem(LogisticRegression(), [0, 1], metrics=["f1"], threshold=0.3).methods == ("predict_proba",)


def test_several_labels_a_row():
    y = np.stack((X[:, 0] > 0, X[:, 1] > 0), 1).astype(int)
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    prediction_problem = problem(model, y)
    evaluation = prediction_problem.measured(y, prediction_problem.answer(model, X, y))
    assert evaluation.task == "multilabel"
    assert evaluation["subset_accuracy"] > 0.8
    y[:, 1] = 1
    one = RandomForestClassifier(5, random_state=0).fit(X, y)
    assert of_each_label(one.predict_proba(X), one)[:, 1].tolist() == [1.0] * 60


def test_a_ranking_is_measured_by_query():
    y, queries = (X[:, 0] > 0.5).astype(int), np.repeat(np.arange(12), 5)
    shuffled = np.random.default_rng(1).permutation(60)
    prediction_problem = problem(LogisticRegression(), y, groups=queries, task="ranking", metrics=["map"])
    model = LogisticRegression().fit(X, y)
    straight = prediction_problem.measured(y, prediction_problem.answer(model, X, y), queries)
    mixed = prediction_problem.measured(
        y[shuffled], prediction_problem.answer(model, X[shuffled], y), queries[shuffled]
    )
    assert straight.task == "ranking"
    assert straight["map"] == pytest.approx(float(mixed["map"]))
    numbers = LinearRegression().fit(X, y)
    assert problem(numbers, y, groups=queries, task="ranking").answer(numbers, X, y).score.shape == (60,)
    with pytest.raises(InputError, match="a ranking needs to know the rows of each query: pass groups="):
        problem(LogisticRegression(), y, task="ranking")


def test_an_unknown_task_is_refused():
    with pytest.raises(InputError, match="task='binary' is not known: pass classification, regression or ranking"):
        problem(LogisticRegression(), Y, task="binary")


class Loud(ClassifierMixin, BaseEstimator):
    """A classifier of the reader's own with a table of one column as its answer."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full((len(X), 1), self.classes_[0])


def test_a_table_of_one_column_is_that_column():
    answer = problem(Loud(), Y).answer(Loud().fit(X, Y), X, Y)
    assert answer.predicted.shape == (60,)
    assert answer.score is None
