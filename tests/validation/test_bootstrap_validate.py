"""`bootstrap_validate`: worked by hand on fixed resamples, against a plain second implementation, and on noise."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import calipers as cal
from calipers.errors import InputError, UnknownName
from calipers.metrics.base import CATALOGUE
from calipers.report.terminal import width
from calipers.validation.bootstrap_validation import BY_REPLICATE, BY_ROW
from calipers.validation.overfitting import plus, relative, unseen_share

NEAREST = KNeighborsClassifier(1)
OUT = 0.632


def test_edge_case_52_worked_by_hand_on_fixed_resamples():
    """Four points at 0, 1, 2.5 and 3, two of each class, and the nearest neighbour.

    Left out: row 3 of the first resample (right), rows 2 and 3 of the second and 0 and 1 of the third (all wrong), and
    row 1 of the fourth (right). By row: 1, 1/2, 1 and 1/2. mlxtend takes the error of the resampled models on all rows
    for the apparent one (1/4 here), does not clip R, and averages replicates first (1/2).
    """
    X, y = np.array([[0], [1], [2.5], [3]]), np.array([0, 0, 1, 1])
    resamples = [[0, 0, 1, 2], [0, 1, 1, 1], [2, 2, 3, 3], [0, 2, 3, 3]]
    validation = cal.bootstrap_validate(NEAREST, X, y, replicates=resamples, seed=0, metrics=["error_rate", "accuracy"])
    assert validation.each("error_rate").tolist() == [0, 1, 1, 0]
    assert (validation.chance("error_rate"), validation.overfitting_rate("error_rate")) == (1 / 2, 1)
    expected = {"resubstitution": 0, "out-of-bag": 3 / 4, ".632": OUT * 3 / 4, "optimism": 1 / 4}
    expected[".632+"] = OUT * 3 / 4 + (1 - OUT) / 2
    assert validation.estimates("error_rate") == pytest.approx({**expected, "resample": 0})
    assert validation.estimates("accuracy") == pytest.approx(
        {k: 1 - v for k, v in validation.estimates("error_rate").items()}
    )
    assert validation.distinct == (3 + 2 + 2 + 3) / 16
    assert validation.never_out == 0
    assert cal.bootstrap_validate(NEAREST, X, y, replicates=resamples[:2], metrics="accuracy").never_out == 2


def by_hand(model, X, y, resamples):
    """Errors by Efron's definitions, with plain loops."""
    n, losses = len(y), [[] for _ in y]
    own, original = [], []
    for rows in resamples:
        predicted = model.fit(X[rows], y[rows]).predict(X)
        own.append(np.mean(predicted[rows] != y[rows]))
        original.append(np.mean(predicted != y))
        for i in set(range(n)) - set(rows):
            losses[i].append(float(predicted[i] != y[i]))
    out = np.mean([np.mean(each) for each in losses if each])
    predicted = model.fit(X, y).predict(X)
    apparent = np.mean(predicted != y)
    chance = np.mean([[a != b for a in y] for b in predicted])
    capped = min(out, chance)
    rate = (capped - apparent) / (chance - apparent) if capped > apparent else 0.0
    rate = min(1.0, max(0.0, rate))
    added = (capped - apparent) * 0.368 * 0.632 * rate / (1 - 0.368 * rate)
    corrected = apparent - np.mean(np.subtract(own, original))
    return {"resubstitution": apparent, "out-of-bag": out, ".632": 0.368 * apparent + 0.632 * out,
            ".632+": 0.368 * apparent + 0.632 * out + added, "optimism": corrected,
            "resample": np.mean(own)}  # fmt: skip


@pytest.mark.parametrize("model", [NEAREST, GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)])
def test_against_plain_loops(model):
    X, y = load_iris(return_X_y=True)
    X, y = X[::3, :2], y[::3]
    validation = cal.bootstrap_validate(model, X, y, replicates=25, seed=3, metrics=["error_rate"])
    plain = by_hand(model, X, y, [r.train.tolist() for r in validation.replicates])
    assert validation.estimates("error_rate") == pytest.approx(plain)
    assert validation.how_left_out("error_rate") == BY_ROW


def test_random_labels_and_the_nearest_neighbour():
    """Nothing to learn: the apparent error is 0, .632 says 0.316, and .632+ the 0.5 that is true."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(1000, 5)), np.arange(1000) % 2
    validation = cal.bootstrap_validate(NEAREST, X, y, replicates=20, seed=0, metrics=["error_rate", "roc_auc"])
    estimates = validation.estimates("error_rate")
    assert estimates["resubstitution"] == 0
    assert estimates[".632"] == pytest.approx(0.316, abs=0.03)
    assert estimates[".632+"] == pytest.approx(0.5, abs=0.04)
    assert validation.estimates("roc_auc")[".632+"] == pytest.approx(0.5, abs=0.04)
    assert validation["error_rate"].low < 0.5 < validation["error_rate"].high
    assert validation["error_rate"].flags == (
        "the model is perfect on its training data, so this estimate is optimistic; out-of-bag is not",)
    assert validation.by("oob")["error_rate"].flags == ()
    assert validation.distinct == pytest.approx(0.632, abs=0.01)


def test_metrics_that_are_no_mean_of_rows_go_by_replicates():
    X, y = load_iris(return_X_y=True)
    y = (y == 1).astype(int)
    validation = cal.bootstrap_validate(GaussianNB(), X[:, :2], y, replicates=12, seed=3, metrics=["roc_auc", "brier"])
    model, areas, losses = GaussianNB(), [], [[] for _ in y]
    for r in validation.replicates:
        p = model.fit(X[r.train, :2], y[r.train]).predict_proba(X[:, :2])[:, 1]
        areas.append(roc_auc_score(y[r.out], p[r.out]))
        for i in r.out:
            losses[i].append((p[i] - y[i]) ** 2)
    assert validation.each("roc_auc") == pytest.approx(areas)
    assert validation.estimates("roc_auc")["out-of-bag"] == pytest.approx(np.mean(areas))
    assert validation.estimates("brier")["out-of-bag"] == pytest.approx(np.mean([np.mean(x) for x in losses if x]))
    assert (validation.how_left_out("roc_auc"), validation.how_left_out("brier")) == (BY_REPLICATE, BY_ROW)
    assert validation.chance("roc_auc") == pytest.approx(0.5)
    p = model.fit(X[:, :2], y).predict_proba(X[:, :2])[:, 1]
    assert validation.chance("brier") == pytest.approx(np.mean([(p - t) ** 2 for t in y]))


def test_numbers_and_what_independence_gives():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:80], y[:80]
    validation = cal.bootstrap_validate(LinearRegression(), X, y, replicates=20, seed=0, metrics=["mse", "mae", "r2"])
    predicted = LinearRegression().fit(X, y).predict(X)
    assert validation.chance("mse") == pytest.approx(y.var() + predicted.var() + (y.mean() - predicted.mean()) ** 2)
    assert validation.chance("mae") == pytest.approx(np.abs(y[:, None] - predicted).mean())
    assert validation.how_left_out("mse") == BY_ROW
    estimates = validation.estimates("mse")
    assert estimates["resubstitution"] < estimates[".632"] < estimates[".632+"] < estimates["out-of-bag"]
    assert validation.estimates("r2")[".632+"] < validation.estimates("r2")["resubstitution"]


def test_many_numbers_take_as_many_pairs_as_there_is_time_for(monkeypatch):
    monkeypatch.setattr("calipers.validation.no_information.PAIRS", 2000)
    X, y = load_diabetes(return_X_y=True)
    validation = cal.bootstrap_validate(LinearRegression(), X, y, replicates=2, seed=0, metrics=["mse"])
    predicted = LinearRegression().fit(X, y).predict(X)
    assert validation.chance("mse") == pytest.approx(y.var() + predicted.var(), rel=0.1)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_rate_is_a_share_and_the_estimate_between_own_rows_and_the_others(own, out, chance):
    rate = relative(own, out, chance, "lower")
    assert 0 <= rate <= 1
    assert relative(1 - own, 1 - out, 1 - chance, "higher") == pytest.approx(rate, abs=1e-6) or abs(chance - own) < 1e-6
    result = plus(own, out, chance, "lower")
    assert min(own, out, chance) - 1e-9 <= result <= max(own, out, chance) + 1e-9
    if rate and out <= chance:  # the weight of eq. 29
        weight = OUT / (1 - (1 - OUT) * rate)
        assert result == pytest.approx((1 - weight) * own + weight * out)


@pytest.mark.parametrize(("own", "out", "chance"), [(0.1, 0.85, 0.05), (0.6, 0.85, 0.5), (0.3, 0.2, 0.5)])
def test_item_10_without_overfitting_the_632_plus_estimate_is_the_632_estimate(own, out, chance):
    """Efron and Tibshirani (1997), eq. 31 and 32: R = 0 where the training error is not below both others."""
    assert relative(own, out, chance, "lower") == 0
    assert plus(own, out, chance, "lower") == 0.368 * own + 0.632 * out
    assert plus(1 - own, 1 - out, 1 - chance, "higher") == pytest.approx(1 - 0.368 * own - 0.632 * out)


def test_item_10_worse_than_chance_is_as_published():
    """Eq. 32: only the added part takes the out-of-bag error as no worse than chance."""
    assert plus(0.0, 0.6, 0.5, "lower") == pytest.approx(0.632 * 0.6 + 0.368 * 0.5)


def test_item_10_632_is_the_published_constant():
    X, y = load_iris(return_X_y=True)
    validation = cal.bootstrap_validate(GaussianNB(), X, y, replicates=5, seed=0, metrics="error_rate")
    estimates = validation.estimates("error_rate")
    assert estimates[".632"] == 0.368 * estimates["resubstitution"] + 0.632 * estimates["out-of-bag"]


def test_item_4_intervals_allow_for_shared_rows_and_for_the_bias_of_the_method():
    """A tree of depth 4: the interval of rows alone held the true AUC in 68 to 78% of the samples."""
    rng = np.random.default_rng(4)
    y = (rng.random(120) < 0.4).astype(int)
    X = rng.normal(size=(120, 4)) + 0.6 * y[:, None]
    tree = DecisionTreeClassifier(max_depth=4, random_state=0)
    validation = cal.bootstrap_validate(tree, X, y, replicates=40, seed=0, metrics=["accuracy", "roc_auc", "brier"])
    for name in validation:
        by, value = validation.estimates(name), validation[name]
        unseen = unseen_share(by["resubstitution"], by["out-of-bag"], CATALOGUE[name].metric)
        assert 0.3 < unseen < 1
        rows = validation.out_of_bag.interval(CATALOGUE[name], by["out-of-bag"], unseen=unseen)  # rows alone
        near, far = by["out-of-bag"] - rows.low, rows.high - by["out-of-bag"]
        away = by["out-of-bag"] - value
        assert value - value.low == pytest.approx(np.hypot(near, max(0, -away)), rel=0.02)
        assert value.high - value == pytest.approx(np.hypot(far, max(0, away)), rel=0.02)
    share = sum(len(r.out) for r in validation.replicates) / 40 / 120
    numbers = validation.out_of_bag.passes[0]
    assert validation.out_of_bag.factor(numbers) == pytest.approx(
        (1 / 40 + share / (1 - share)) * len(validation.replicates[numbers[0]].out) / (share * 120)
    )
    assert validation["roc_auc"].method.endswith(", out-of-bag rows")


def test_groups_are_drawn_whole():
    X, y = load_iris(return_X_y=True)
    groups = np.arange(150) // 5
    validation = cal.bootstrap_validate(GaussianNB(), X, y, groups=groups, replicates=10, seed=0, metrics="accuracy")
    for r in validation.replicates:
        assert not set(groups[r.train]) & set(groups[r.out])
    assert validation["accuracy"].method.startswith("wilson, grouped")


def test_the_resample_itself_is_flagged_and_any_n_jobs_agree():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_features=1)
    validation = cal.bootstrap_validate(tree, X, y, replicates=6, seed=2, method="resample", metrics=["accuracy"])
    assert validation["accuracy"] == 1
    assert validation["accuracy"].flags == ("optimistic: evaluated on the bootstrap sample the model was trained on",)
    assert validation.by("out-of-bag")["accuracy"].flags == ()
    again = cal.bootstrap_validate(tree, X, y, replicates=6, seed=2, method="oob", metrics=["accuracy"])
    assert again["accuracy"] == validation.estimates("accuracy")["out-of-bag"]


def test_replicates_that_fail_are_counted():
    X, y = np.arange(12.0)[:, None], np.repeat([0, 1], [11, 1])
    validation = cal.bootstrap_validate(LogisticRegression(), X, y, replicates=20, seed=0, metrics="accuracy")
    assert 0 < len(validation.failures) < 20
    assert f"{len(validation.failures)} of 20 replicates failed" in validation.notes
    assert "failed: replicate" in validation.to_text("en")
    with pytest.raises(InputError, match="the model cannot be fitted on all data: ValueError: "):
        cal.bootstrap_validate(LogisticRegression(), X, np.zeros(12, int), positive=0)


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"method": ".623"}, UnknownName, "no method is called '.623'; did you mean .632"),
        ({"replicates": 1}, InputError, "replicates=1: must be a whole number, 2 or more"),
        ({"replicates": [[0, 99999]]}, InputError, "replicates= must be lists of row numbers from 0 to 149"),
        ({"task": "ranking", "groups": range(150)}, InputError,
            "the documents of a query cannot be resampled as rows: use cross_validate for rankings"),
    ],
)
def test_what_cannot_be_done_is_refused(how, error, message):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(error, match=message):
        cal.bootstrap_validate(GaussianNB(), X, y, **how)


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_texts_fit_and_documents_are_whole(lang):
    X, y = load_iris(return_X_y=True)
    validation = cal.bootstrap_validate(GaussianNB(), X, y, replicates=8, seed=0)
    text = validation.to_text(lang)
    assert max(map(width, text.splitlines())) <= 80
    assert validation.to_html(lang).count("<tr>") == 1 + len(validation)
    document = json.loads(validation.to_json())
    assert document["metrics"]["accuracy"]["estimates"][".632+"] == validation["accuracy"]
    assert len(document["metrics"]["log_loss"]["replicates"]) == 8
    assert "no_information_rate" not in list(validation)  # which has no direction in which it is better
