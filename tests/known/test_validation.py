"""Models over folds: answers of R, and of the formulas as they were published."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import calipers as cal

FROZEN = json.loads((Path(__file__).parent / "r" / "loo_knn.json").read_text(encoding="utf-8"))
IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize("run", FROZEN["runs"], ids=lambda run: f"k={run['k']}")
def test_leave_one_out_nearest_neighbours_of_iris(run):
    """R's class::knn.cv, row by row; 6 errors for one neighbour."""
    y = np.array(FROZEN["y"])
    model = KNeighborsClassifier(run["k"])
    validation = cal.cross_validate(model, FROZEN["X"], y, cv="loo", train=False, metrics=["error_rate"])
    assert validation.predictions["predicted"].tolist() == run["predicted"]
    assert validation["error_rate"] == np.mean(y != run["predicted"])


def scores(model, name="accuracy", **how):
    return cal.cross_validate(model, *IRIS, metrics=[name], train=False, seed=11, **how).averaged()[name].values


def errors(model, pairs):
    X, y = IRIS
    return np.array([np.mean(model.fit(X[train], y[train]).predict(X[test]) == y[test]) for train, test in pairs])


def test_five_times_two_folds_by_dietterich_and_alpaydin():
    """t: Dietterich 1998, Neural Comput. 10:1895-1923, section 3.5. F: Alpaydin 1999, Neural Comput. 11:1885-1892."""
    first, second = (scores(model, cv="5x2") for model in (KNeighborsClassifier(1), GaussianNB()))
    pairs = cal.cross_validate(GaussianNB(), *IRIS, cv="5x2", seed=11, metrics="accuracy").splits.pairs
    d = (errors(KNeighborsClassifier(1), pairs) - errors(GaussianNB(), pairs)).reshape(5, 2)
    spread = ((d - d.mean(1, keepdims=True)) ** 2).sum(1)
    t, f = d[0, 0] / math.sqrt(spread.mean()), (d**2).sum() / (2 * spread.sum())
    student = cal.compare_folds(second, first, method="5x2cv-t")
    fisher = cal.compare_folds(second, first, method="5x2cv-f")
    assert (student.test.statistic, student.pvalue) == pytest.approx((t, 2 * stats.t.sf(abs(t), 5)))
    assert (fisher.test.statistic, fisher.pvalue) == pytest.approx((f, stats.f.sf(f, 10, 5)))


def test_ten_times_ten_folds_by_nadeau_and_bengio():
    """Nadeau & Bengio 2003, Machine Learning 52:239-281: (1/J + n2/n1) s² with J - 1 degrees of freedom."""
    first, second = (scores(model, cv=10, repeats=10) for model in (KNeighborsClassifier(1), GaussianNB()))
    d = first - second
    t = d.mean() / math.sqrt((1 / 100 + 1 / 9) * d.var(ddof=1))
    result = cal.compare_folds(second, first, method="nadeau-bengio", test_share=0.1)
    assert (result.test.statistic, result.pvalue) == pytest.approx((t, 2 * stats.t.sf(abs(t), 99)))
