"""Cross-validation with weights, slices and rankers that are fitted on queries."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

import calipers as cal
from calipers.validation.queries import of_sizes, ranking_arguments

rng = np.random.default_rng(0)
X = rng.normal(size=(240, 4))
Y = (X[:, 0] + rng.normal(size=240) > 0).astype(int)
W = rng.uniform(0.5, 3, 240)
SITE = np.array(["n", "s"])[rng.integers(0, 2, 240)]


@pytest.fixture(scope="module")
def found():
    return cal.cross_validate(LogisticRegression(), X, Y, seed=0, weights=W, by={"site": SITE})


def test_each_fold_is_evaluated_with_its_weights(found):
    for fold in found.folds:
        expected = cal.metrics.accuracy(Y[fold.test], fold.answer.predicted, weights=W[fold.test])
        assert fold.evaluation["accuracy"] == expected
        assert fold.evaluation["accuracy"].low == expected.low
        assert fold.train_evaluation["accuracy"].n == len(fold.train)
        assert fold.train_evaluation.schema.weighted
    values = [float(fold.evaluation["accuracy"]) for fold in found.folds]
    assert found["accuracy"] == pytest.approx(np.mean(values))


def test_intervals_use_the_weights(found):
    plain = cal.cross_validate(LogisticRegression(), X, Y, seed=0)
    assert plain["accuracy"] != found["accuracy"]
    equal = cal.cross_validate(LogisticRegression(), X, Y, seed=0, weights=np.full(240, 2.0))
    assert equal["accuracy"] == pytest.approx(plain["accuracy"])
    assert (equal["roc_auc"].low, equal["roc_auc"].high) == pytest.approx((plain["roc_auc"].low, plain["roc_auc"].high))


def test_slices_are_those_of_the_pooled_predictions(found):
    rows = np.concatenate([fold.test for fold in found.folds])
    score = np.concatenate([fold.answer.score for fold in found.folds])
    mask = SITE[rows] == "n"
    expected = cal.metrics.roc_auc(Y[rows][mask], score=score[mask], weights=W[rows][mask])
    assert found.by["site"]["n"]["roc_auc"] == pytest.approx(expected)
    assert cal.gate(found, "by site: roc_auc >= 0.5").checks[0].required == "by site=n: roc_auc >= 0.5"


def test_names_of_columns():
    frame = pd.DataFrame(X, columns=list("abcd")).assign(w=W)
    named = cal.cross_validate(LinearRegression(), frame, X[:, 0] + X[:, 1] ** 2, seed=0, weights="w", metrics=["mae"])
    given = cal.cross_validate(LinearRegression(), frame, X[:, 0] + X[:, 1] ** 2, seed=0, weights=W, metrics=["mae"])
    assert named["mae"] == given["mae"]


class Ranker:
    """As LGBMRanker: rows of one query stand together, and `group` has the sizes of the queries."""

    def fit(self, X, y, group=None):
        assert group is not None
        assert sum(group) == len(X)
        starts = np.concatenate(([0], np.cumsum(group)))
        queries = X[:, -1]
        assert all(len(set(queries[a:b])) == 1 for a, b in pairwise(starts))
        self.sizes_ = group
        self.model_ = LinearRegression().fit(X[:, :-1], y)
        return self

    def predict(self, X):
        return self.model_.predict(X[:, :-1])


SIZES = [8, 12, 10, 9, 11, 10, 12, 8]
QUERY = np.repeat(np.arange(8), SIZES)
GRADES = rng.integers(0, 3, 80)
DOCUMENTS = np.c_[X[:80] + GRADES[:, None] * 0.3, QUERY]


def test_a_ranker_gets_the_sizes_of_its_training_queries():
    options = {"cv": 4, "seed": 0, "metrics": ["ndcg@5"], "keep_models": True}
    by_size = cal.cross_validate(Ranker(), DOCUMENTS, GRADES, group_sizes=SIZES, **options)
    assert by_size.task == "ranking"
    for fold in by_size.folds:
        trained = np.unique(QUERY[fold.train])
        assert list(fold.model.sizes_) == [SIZES[query] for query in trained]
        assert not set(trained) & set(QUERY[fold.test])
    shuffled = rng.permutation(80)
    ids = cal.cross_validate(
        Ranker(), DOCUMENTS[shuffled], GRADES[shuffled], groups=QUERY[shuffled], task="ranking", **options
    )
    assert ids["ndcg@5"] == pytest.approx(by_size["ndcg@5"], abs=1e-9)


def test_ids_are_passed_under_the_name_that_fit_has():
    queries = np.array(["b", "a", "b", "a"])
    order, options = ranking_arguments(lambda X, y, qid=None, group=None: None, queries, ())
    assert order.tolist() == [1, 3, 0, 2]
    assert options["qid"].tolist() == [0, 0, 1, 1]
    assert ranking_arguments(lambda X, y, group_id=None: None, queries, ())[1]["group_id"].tolist() == [0, 0, 1, 1]
    assert ranking_arguments(lambda X, y: None, queries, ())[1] == {}
    assert ranking_arguments(lambda X, y, group=None: None, queries, ("group",))[1] == {}


def test_a_fitted_ranker_and_wrong_sizes():
    model = Ranker().fit(DOCUMENTS, GRADES, group=SIZES)
    sizes = cal.evaluate_model(model, DOCUMENTS, GRADES, group_sizes=SIZES, metrics=["map"])
    groups = cal.evaluate_model(model, DOCUMENTS, GRADES, groups=QUERY, task="ranking", metrics=["map"])
    assert sizes["map"] == groups["map"]
    with pytest.raises(cal.InputError, match="group_sizes= adds up to 79, but there are 80 rows"):
        of_sizes([*SIZES[:-1], 7], 80)
    with pytest.raises(cal.InputError, match="both say which rows belong together"):
        cal.evaluate_model(model, DOCUMENTS, GRADES, group_sizes=SIZES, groups=QUERY)


def test_a_real_ranker():
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMRanker(n_estimators=5, min_child_samples=1, verbose=-1)
    assert cal.cross_validate(model, DOCUMENTS, GRADES, group_sizes=SIZES, cv=4, seed=0)["ndcg"] > 0.5
