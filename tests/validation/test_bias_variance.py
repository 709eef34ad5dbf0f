"""`bias_variance`: what algebra says of models that can be worked out by hand, failures, and what is printed."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import sparse, stats
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import calipers as cal
from calipers.errors import InputError, UnknownName
from calipers.inference.proportion import wilson
from calipers.report.terminal import width

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


class Mean:
    """A plain class that predicts the mean of its training rows."""

    def fit(self, X, y):
        self.mean = y.mean()

    def predict(self, X):
        return np.full(len(X), self.mean)


def test_a_mean_has_the_variance_of_a_bootstrap_mean():
    y, y_test = DIABETES[1][:40], np.array([100.0, 150.0, 200.0])
    result = cal.bias_variance(Mean(), np.zeros((40, 1)), y, X_test=np.zeros((3, 1)), y_test=y_test, loss="squared",
                              replicates=1000, seed=0)  # fmt: skip
    variance = y.var(ddof=1) * 39 / 40**2
    spread = math.sqrt(2 / 1000)  # of a variance of as many numbers, in parts of it
    assert result["variance"] == pytest.approx(variance, rel=4 * spread)
    assert result.parts.main == pytest.approx(np.full(3, y.mean()), abs=4 * math.sqrt(variance / 1000))
    assert result["loss"] == pytest.approx(((y.mean() - y_test) ** 2).mean() + variance, rel=0.05)
    assert (result.training, result.rows, result.replicates) == (40, 3, 1000)


def test_a_constant_model_has_no_variance():
    constant = DummyClassifier(strategy="constant", constant=1)
    result = cal.bias_variance(constant, *CANCER, replicates=5, seed=0)
    wrong = int((result.truth != 1).sum())
    assert result["loss"] == result["bias"] == wrong / 171
    assert (result["bias"].low, result["bias"].high) == wilson(wrong, 171, 0.95)
    assert (result["variance"], result["unbiased"], result["biased"]) == (0, 0, 0)
    assert result["variance"].reason == "no interval: all test rows have the same value"
    assert result.error == 0


class Nearest:
    """The nearest neighbour on one column, without the overhead of a library."""

    def fit(self, X, y):
        self.x, self.y = X[:, 0], y

    def predict(self, X):
        return self.y[np.abs(X - self.x).argmin(1)]


def nearest_shares(x, y, classes):
    """P(the nearest row of a resample has each class), for each row of the sample itself.

    The k-th nearest of n rows is the nearest that was drawn with probability (1 - (k-1)/n)^n - (1 - k/n)^n; the first
    is the row itself, which is drawn with 1 - (1 - 1/n)^n.
    """
    n = len(x)
    chance = (1 - np.arange(n) / n) ** n - (1 - np.arange(1, n + 1) / n) ** n
    assert chance[0] == pytest.approx(1 - (1 - 1 / n) ** n)
    order = np.argsort(np.abs(x[:, None] - x), axis=1)
    return np.array([[chance[y[near] == c].sum() for c in classes] for near in order])


def test_nearest_neighbour_on_its_own_rows_in_closed_form():
    rng = np.random.default_rng(4)
    x, y = np.sort(rng.normal(size=30)), rng.integers(0, 3, 30)
    result = cal.bias_variance(Nearest(), x[:, None], y, X_test=x[:, None], y_test=y, replicates=400,
                              seed=0)  # fmt: skip
    share = nearest_shares(x, y, [0, 1, 2])
    right = share[np.arange(30), y]
    assert right.min() > 0.63, "every row is more often drawn than not, so the main prediction is its own class"
    assert result.parts.main.tolist() == y.tolist()
    assert result["bias"] == 0
    assert result["variance"] == result["loss"] == pytest.approx(1 - right.mean(), abs=4 * 0.5 / math.sqrt(400 * 30))
    assert 1 - result.parts.loss == pytest.approx(right, abs=5 * 0.5 / math.sqrt(400))


def test_nearest_neighbour_on_other_labels_in_closed_form():
    """The same rows with other labels to tell: where the main prediction is wrong, variance repairs."""
    rng = np.random.default_rng(5)
    x, y = np.sort(rng.normal(size=30)), rng.integers(0, 2, 30)
    y_test = np.where(np.arange(30) % 3 == 0, 1 - y, y)
    result = cal.bias_variance(Nearest(), x[:, None], y, X_test=x[:, None], y_test=y_test, replicates=400,
                              seed=0)  # fmt: skip
    share = nearest_shares(x, y, [0, 1])
    assert result["bias"] == 10 / 30
    repaired = share[np.arange(30), 1 - y] * (y_test != y)
    assert result["biased"] == pytest.approx(repaired.mean(), abs=0.03)
    assert result["variance"] == pytest.approx(float(result["unbiased"] - result["biased"]))


def test_intervals_are_over_test_rows():
    result = cal.bias_variance(DecisionTreeRegressor(max_depth=3), *DIABETES, replicates=20, seed=0)
    assert result["loss"].method == "Hall over test rows"
    result = cal.bias_variance(DecisionTreeClassifier(), *CANCER, replicates=20, seed=0)
    v = result.parts.variance
    low, high = stats.t(170, v.mean(), v.std(ddof=1) / math.sqrt(171)).interval(0.95)
    assert (result["variance"].low, result["variance"].high) == pytest.approx((low, high))
    assert result["variance"].method == "t over test rows"
    assert result.error == pytest.approx(result.losses.std(ddof=1) / math.sqrt(20))
    assert result.losses.mean() == pytest.approx(float(result["loss"]))


def test_any_n_jobs_and_the_same_seed_give_the_same_result():
    with parallel_config("threading"):
        one, two = (cal.bias_variance(DecisionTreeClassifier(), *IRIS, replicates=8, seed=3, n_jobs=n) for n in (1, 2))
    assert one.losses.tolist() == two.losses.tolist()
    assert one.notes == ("parameters set from the seed for each fit: random_state",)
    other = cal.bias_variance(KNeighborsClassifier(), *IRIS, replicates=4)
    again = cal.bias_variance(KNeighborsClassifier(), *IRIS, replicates=4, seed=other.seed)
    assert dict(other) == dict(again)


class Fussy(KNeighborsClassifier):
    """Refuses training sets that hold the first row."""

    def fit(self, X, y):
        if [5.1, 3.5, 1.4, 0.2] in X.tolist():
            raise ValueError("not with me")
        return super().fit(X, y)


def test_replicates_that_fail_are_told_and_the_rest_stands():
    options = {"X_test": IRIS[0], "y_test": IRIS[1], "seed": 0}
    result = cal.bias_variance(Fussy(1), *IRIS, replicates=20, **options)
    assert 2 < result.replicates < 18
    assert len(result.failures) == 20 - result.replicates
    assert f"failed: model {result.failures[0].number}: ValueError: not with me" in result.to_text("en")
    assert json.loads(result.to_json())["failures"][0]["error"] == "ValueError: not with me"
    failed = [failure.number for failure in result.failures]
    first = next(at for at in range(20) if at not in failed)
    assert first > 0
    message = f"only 1 of {first + 1} replicates succeeded, and at least two are needed; ValueError: not with me"
    with pytest.raises(InputError, match=message):
        cal.bias_variance(Fussy(1), *IRIS, replicates=first + 1, **options)


def test_frames_sparse_rows_and_text_labels():
    frame = pd.DataFrame(IRIS[0], columns=list("abcd"))
    y = pd.Series(np.array(["setosa", "versicolor", "virginica"])[IRIS[1]])
    rest = np.arange(0, 150, 3)
    kept = np.setdiff1d(np.arange(150), rest)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    framed = cal.bias_variance(model, frame.iloc[kept], y[kept], X_test=frame.iloc[rest], y_test=y[rest], replicates=5,
                               seed=0)  # fmt: skip
    plain = cal.bias_variance(model, IRIS[0][kept], IRIS[1][kept], X_test=IRIS[0][rest], y_test=IRIS[1][rest],
                              replicates=5, seed=0)  # fmt: skip
    assert dict(framed) == dict(plain)
    assert set(framed.by_row["main"]) == {"setosa", "versicolor", "virginica"}
    thin = cal.bias_variance(KNeighborsClassifier(), sparse.csr_matrix(IRIS[0][kept]), IRIS[1][kept],
                             X_test=sparse.csr_matrix(IRIS[0][rest]), y_test=IRIS[1][rest], replicates=5,
                             seed=0)  # fmt: skip
    whole = cal.bias_variance(KNeighborsClassifier(), IRIS[0][kept], IRIS[1][kept], X_test=IRIS[0][rest],
                              y_test=IRIS[1][rest], replicates=5, seed=0)  # fmt: skip
    assert dict(thin) == dict(whole)


class Weighed(Mean):
    """The weighted mean of its training rows."""

    def fit(self, X, y, weights, power):
        self.mean = np.average(y, weights=weights**power)


def test_columns_for_fit_follow_the_rows():
    y, weights = np.array([0.0, 10.0, 20.0, 30.0]), np.array([0.0, 1.0, 0.0, 0.0])
    options = {"loss": "squared", "replicates": 30, "seed": 0, "fit_params": {"weights": weights, "power": 2}}
    result = cal.bias_variance(Weighed(), np.zeros((4, 1)), y, X_test=np.zeros((2, 1)), y_test=[10.0, 10.0], **options)
    assert result["loss"] == 0, "only the second row counts, and it is 10"
    assert {f.error for f in result.failures} == {"ZeroDivisionError: Weights sum to zero, can't be normalized"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "hinge"}, "loss='hinge' is not known: pass zero-one or squared"),
        ({"replicates": 1}, "replicates=1: must be a whole number, 2 or more"),
        ({"test": 30}, "test=30: must be a number between 0 and 1, such as 0.3"),
        ({"level": 95}, "level=95 is not a confidence level"),
        ({"X_test": IRIS[0]}, "X_test and y_test belong together: pass both, or neither and a share as test="),
        ({"X_test": IRIS[0], "y_test": IRIS[1][:9]}, "X, y and groups must have the same rows"),
    ],
)
def test_what_cannot_be_is_said(options, message):
    with pytest.raises(InputError, match=message):
        cal.bias_variance(KNeighborsClassifier(), *IRIS, **options)


class Silent(KNeighborsClassifier):
    """Says nothing of the first row, where its training set begins with an even number."""

    def predict(self, X):
        predicted = super().predict(X).astype(object)
        predicted[0] = None if self._y[0] % 2 == 0 else predicted[0]
        return predicted


def test_a_model_that_leaves_a_row_out_is_a_failure():
    result = cal.bias_variance(Silent(), *IRIS, replicates=12, seed=0)
    assert {f.error for f in result.failures} == {"InputError: the model returned no label for 1 test row (first: 0)"}
    assert 2 < result.replicates < 12


def test_what_has_no_predictions_or_parts_is_refused():
    class Scorer:
        def fit(self, X, y): ...

        def decision_function(self, X): ...

    with pytest.raises(InputError, match="Scorer has no predict method"):
        cal.bias_variance(Scorer(), *IRIS)
    with pytest.raises(InputError, match=r"y has shape \(133, 2\): one number per row is needed"):
        cal.bias_variance(LinearRegression(), DIABETES[0], np.stack((DIABETES[1],) * 2, 1), replicates=2)
    with pytest.raises(UnknownName, match="'biased' is not a part of the squared loss; available"):
        cal.bias_variance(LinearRegression(), *DIABETES, replicates=2)["biased"]


@pytest.fixture(scope="module")
def trees():
    return {
        "zero-one": cal.bias_variance(DecisionTreeClassifier(random_state=0), *CANCER, replicates=20, seed=0),
        "squared": cal.bias_variance(DecisionTreeRegressor(random_state=0), *DIABETES, replicates=20, seed=0),
    }


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
@pytest.mark.parametrize("loss", ["zero-one", "squared"])
def test_texts_fit_and_documents_are_whole(trees, loss, lang):
    result = trees[loss]
    assert max(map(width, result.to_text(lang).splitlines())) <= 80
    assert result.to_html(lang).count("<tr>") == 1 + len(result)
    document = json.loads(result.to_json())
    assert document["parts"]["bias"]["value"] == result["bias"]
    assert result.to_frame().part.tolist() == list(result)
    assert result.to_frame().low[0] == result["loss"].low
    assert len(result.by_row["loss"]) == result.rows


def test_the_text_in_english(trees):
    lines = repr(trees["zero-one"]).splitlines()
    assert lines[:2] == [
        "bias and variance of the zero-one loss: 20 models with 398 training rows each,",
        "  171 test rows",
    ]
    assert any(line.startswith("loss = bias + variance  0.") for line in lines)
    noise = lines.index("noise: cannot be separated from bias with one label per row, so it is included")
    assert lines[noise + 1] == "  in the bias"
