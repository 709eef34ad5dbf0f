"""`cross_validate`: what it says beside scikit-learn's own, on every kind of task, and when folds fail."""

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse, stats
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold, TimeSeriesSplit
from sklearn.model_selection import cross_validate as theirs
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import calipers as cal
from calipers.errors import InputError
from calipers.report.language import Language
from calipers.report.terminal import width
from calipers.validation.cross_validation import ROWS_ONLY
from calipers.validation.fold_curves import height_of

CANCER = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())


@pytest.fixture(scope="module")
def cancer():
    return cal.cross_validate(LOGISTIC, *CANCER, cv=StratifiedKFold(5, shuffle=True, random_state=3), seed=0)


def test_every_fold_is_as_scikit_learn_has_it(cancer):
    scoring = {"roc_auc": "roc_auc", "accuracy": "accuracy", "f1": "f1", "average_precision": "average_precision"}
    splitter = StratifiedKFold(5, shuffle=True, random_state=3)
    other = theirs(LOGISTIC, *CANCER, cv=splitter, scoring=scoring, return_train_score=True, return_indices=True)
    for name in scoring:
        averaged = cancer.averaged()[name]
        assert averaged.values == pytest.approx(other[f"test_{name}"])
        assert cancer[name] == pytest.approx(other[f"test_{name}"].mean())
        assert cancer.train[name] == pytest.approx(other[f"train_{name}"].mean())
        assert cancer.gap[name] == pytest.approx(float(cancer.train[name] - cancer[name]))
    assert all(np.array_equal(f.test, t) for f, t in zip(cancer.folds, other["indices"]["test"], strict=True))


def test_both_variances_and_both_intervals(cancer):
    average = cancer.averaged()["roc_auc"]
    v, k = average.values, 5
    assert average.variance_k == pytest.approx(sum((v - v.mean()) ** 2) / k)
    assert average.variance == pytest.approx(sum((v - v.mean()) ** 2) / (k - 1))
    plain = stats.t(k - 1, v.mean(), v.std(ddof=1) / math.sqrt(k)).interval(0.95)
    assert average.plain.low == pytest.approx(plain[0])
    ratio = sum(len(f.test) for f in cancer.folds) / sum(len(f.train) for f in cancer.folds)
    assert ratio == pytest.approx(1 / 4)
    low, _ = stats.t(k - 1, v.mean(), v.std(ddof=1) * math.sqrt(1 / k + ratio)).interval(0.95)
    assert average.corrected.low == pytest.approx(low)
    assert average.corrected.high == 1  # an area is at most 1
    assert average.reason.endswith("folds share training data, so their values depend on each other and s²/k is too "
        "small; (1/k + 0.25) s² gives 1.5 times its standard error")


@pytest.mark.parametrize(("cv", "repeats", "df"), [(10, 3, 9), (5, 1, 4), ("5x2", 1, 5)])
def test_repeats_keep_the_degrees_of_freedom_of_one_repetition_or_five(cv, repeats, df):
    how = {"cv": cv, "repeats": repeats, "seed": 1, "metrics": "error_rate", "interval": "folds"}
    validation = cal.cross_validate(KNeighborsClassifier(), *IRIS, **how)
    assert validation["error_rate"].method == "corrected resampled t"
    v, ratio = validation.averaged()["error_rate"].values, validation.splits.ratio
    low, high = stats.t(df, v.mean(), v.std(ddof=1) * math.sqrt(1 / len(v) + ratio)).interval(0.95)
    assert (validation["error_rate"].low, validation["error_rate"].high) == pytest.approx((max(0, low), high))


def test_pooled_predictions_are_those_of_each_row_and_say_what_they_mix(cancer):
    rows = cancer.predictions
    assert sorted(rows["row"]) == list(range(569))
    for fold in cancer.folds[:2]:
        model = LOGISTIC.fit(CANCER[0][fold.train], CANCER[1][fold.train])
        mine = rows["fold"] == fold.number
        assert rows["row"][mine].tolist() == fold.test.tolist()
        assert rows["score"][mine] == pytest.approx(model.predict_proba(CANCER[0][fold.test])[:, 1])
    pooled = cancer.pooled()
    assert pooled["roc_auc"] == cal.evaluate(CANCER[1][rows["row"]], rows["predicted"], score=rows["score"])["roc_auc"]
    assert pooled.notes == (
        "scores come from 5 different models, so a pooled ranking, curve or threshold belongs to none of them",
        ROWS_ONLY,
    )


def test_rows_that_were_tested_twice_are_groups():
    validation = cal.cross_validate(KNeighborsClassifier(), *IRIS, cv=3, repeats=2, seed=1, metrics="accuracy").pooled()
    assert "rows come in 150 groups; uncertainty is computed between groups" in validation.notes
    assert validation["accuracy"].method == "wilson, grouped"


def test_groups_stay_together_and_are_groups():
    groups = np.arange(569) // 8
    validation = cal.cross_validate(LOGISTIC, *CANCER, groups=groups, seed=0, metrics=["accuracy"])
    assert validation.cv == "5 folds, stratified, shuffled, groups kept together"
    assert all(not set(groups[f.train]) & set(groups[f.test]) for f in validation.folds)
    assert "rows come in 72 groups; uncertainty is computed between groups" in validation.pooled().notes


def test_leave_one_out_is_pooled_by_itself():
    validation = cal.cross_validate(KNeighborsClassifier(1), *IRIS, cv="loo", train=False)
    assert validation["accuracy"] == 144 / 150
    assert validation["roc_auc(average=macro)"].method.endswith(", over folds")
    assert validation.notes[-1].startswith("each test set has only one row, where most metrics are undefined, so all")
    assert validation.gap == {}
    numbers = cal.cross_validate(Ridge(), *(part[:40] for part in DIABETES), cv="loo", metrics=["rmse", "r2"])
    errors = numbers.predictions["predicted"] - DIABETES[1][:40]
    assert numbers["rmse"] == pytest.approx(math.sqrt((errors**2).mean()))  # the mean over folds would be the MAE
    assert numbers["r2"] == pytest.approx(1 - (errors**2).sum() / 40 / DIABETES[1][:40].var())


def test_one_hold_out_has_the_interval_of_its_rows_and_several_are_averaged():
    once = cal.cross_validate(LOGISTIC, *CANCER, cv="holdout", seed=0, metrics=["accuracy"])
    assert (len(once.folds[0].test), once["accuracy"].method) == (143, "wilson")
    assert math.isnan(once.gap["accuracy"].low)
    several = cal.cross_validate(LOGISTIC, *CANCER, cv=0.2, repeats=6, seed=0, metrics=["accuracy"])
    assert several["accuracy"].method == "wilson, over folds"
    assert several.cv == "hold-out of 20% of the data, repeated 6 times, stratified, shuffled"


def test_regression_and_splits_in_time():
    validation = cal.cross_validate(Ridge(), *DIABETES, cv=KFold(4), metrics=["rmse", "r2", "bias"])
    other = theirs(Ridge(), *DIABETES, cv=KFold(4), scoring=("neg_root_mean_squared_error", "r2"))
    assert validation.averaged()["rmse"].values == pytest.approx(-other["test_neg_root_mean_squared_error"])
    assert validation["r2"] == pytest.approx(other["test_r2"].mean())
    assert validation.gap["rmse"] > 0  # a loss: greater on test rows
    assert "bias" not in validation.gap  # which has no direction in which it is better
    later = cal.cross_validate(Ridge(), *DIABETES, cv=TimeSeriesSplit(3), metrics="mae")
    seeded = "parameters set from the seed for each fit: random_state"
    assert later.notes == ("112 of 442 rows are not in any test set", seeded)


def test_a_ranking_is_validated_by_query():
    rng = np.random.default_rng(0)
    X, queries = rng.normal(size=(300, 4)), np.repeat(np.arange(30), 10)
    y = (X[:, 0] + rng.normal(size=300) > 1).astype(int)
    validation = cal.cross_validate(Ridge(), X, y, groups=queries, task="ranking", metrics=["ndcg@10", "map"], seed=0)
    assert (validation.task, validation.cv) == ("ranking", "5 folds, shuffled, groups kept together")
    one = validation.folds[0]
    model = Ridge().fit(X[one.train], y[one.train])
    by_query = [
        cal.evaluate_ranking(relevances=[y[rows][np.argsort(-model.predict(X[rows]))]], metrics="map")["map"]
        for rows in np.split(one.test, np.flatnonzero(np.diff(queries[one.test])) + 1)
    ]
    assert one.evaluation["map"] == pytest.approx(np.mean(by_query))
    assert validation.pooled().rows == 30
    again = cal.cross_validate(Ridge(), X, y, groups=queries, task="ranking", cv=3, repeats=2, seed=0, metrics="map")
    assert "pooled" not in again.to_text("en").splitlines()[2]
    with pytest.raises(InputError, match="queries that were tested several times have several rankings: use averaged"):
        again.pooled()


def test_frames_with_text_columns_through_a_pipeline():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(40, 9, 200), "town": rng.choice(["Huế", "Hà Nội"], 200)})
    y = np.where(frame.age + 9 * (frame.town == "Huế") > 45, "yes", "no")
    model = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["town"]), remainder=StandardScaler()), LogisticRegression()
    )
    validation = cal.cross_validate(model, frame, y, positive="yes", seed=0, metrics=["roc_auc", "f1"])
    assert validation["roc_auc"] > 0.95
    assert validation.failures == ()


ROWS = np.random.default_rng(8).normal(size=(90, 3))
LABELS = np.where(ROWS[:, 0] > 0, "yes", "no")


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (pd.DataFrame(ROWS, index=range(500, 590)), pd.Series(LABELS, index=range(500, 590))),
        (pl.DataFrame(ROWS), pl.Series(LABELS)),
        (pd.DataFrame(ROWS), pd.Categorical(LABELS)),
        (sparse.csr_matrix(ROWS), LABELS.tolist()),
        (ROWS.tolist(), LABELS[:, None]),
    ],
    ids=["pandas", "polars", "categories", "sparse", "lists, and a table of one column"],
)
def test_rows_of_every_container(X, y):
    options = {"positive": "yes", "seed": 0, "metrics": ["accuracy", "roc_auc"]}
    validation = cal.cross_validate(KNeighborsClassifier(), X, y, **options)
    plain = cal.cross_validate(KNeighborsClassifier(), ROWS, LABELS, **options)
    assert [validation[name] for name in validation] == [plain[name] for name in plain]
    assert validation.pooled()["roc_auc"] == plain.pooled()["roc_auc"]


def test_several_numbers_and_several_labels_a_row():
    numbers = cal.cross_validate(Ridge(), ROWS, np.c_[ROWS[:, 0], LABELS == "yes"], seed=0, metrics=["rmse"])
    assert numbers.predictions.keys() == {"row", "fold", "predicted_0", "predicted_1"}
    labels = cal.cross_validate(KNeighborsClassifier(), ROWS, (ROWS[:, :2] > 0).astype(int), seed=0)
    assert (labels.task, labels.cv) == ("multilabel", "5 folds, shuffled")
    assert labels["subset_accuracy"] > 0.5


def test_leaving_out_whole_groups_is_averaged():
    groups = np.repeat(list("abcdefghi"), 10)
    validation = cal.cross_validate(
        GaussianNB(), ROWS, LABELS, positive="yes", groups=groups, cv="loo", metrics="accuracy"
    )
    assert (len(validation.folds), validation.cv) == (9, "leave-one-group-out")
    assert validation["accuracy"].method == "wilson, grouped, over folds"
    assert "rows come in 9 groups; uncertainty is computed between groups" in validation.pooled().notes


class Memory:
    """A plain class that knows only its training rows by heart."""

    def fit(self, X, y):
        self.known = dict(zip(map(tuple, X.tolist()), y.tolist(), strict=True))
        self.most = max(set(y.tolist()), key=y.tolist().count)

    def predict(self, X):
        return np.array([self.known.get(tuple(row), self.most) for row in X.tolist()])


def test_a_plain_class_that_memorises_is_found_to_overfit():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    validation = cal.cross_validate(Memory(), X, y, seed=0)
    (finding,) = validation.findings
    assert (finding.code, finding.severity) == ("overfitting", "warning")
    assert finding.numbers["train"] == 1
    assert finding.numbers["gap"] == pytest.approx(1 - validation["balanced_accuracy"])
    assert finding.numbers["low"] == finding.numbers["gap"]  # which all folds agree on
    assert validation.model == "Memory"
    text = " ".join(validation.to_text("en").split())
    assert "! Overfitting: balanced accuracy is 1.000 on training data and 0.500 on test data (gap 0.500, " in text


def test_no_warning_where_training_rows_are_no_better_than_chance_allows():
    rng = np.random.default_rng(5)
    warned = 0
    for _ in range(30):
        X = rng.normal(size=(300, 2))
        y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
        warned += bool(cal.cross_validate(GaussianNB(), X, y, seed=0, metrics="accuracy").findings)
    assert warned <= 2


def test_the_gap_is_told_of_the_first_metric_asked_for():
    tree = DecisionTreeClassifier(random_state=0)
    validation = cal.cross_validate(tree, *CANCER, cv=10, seed=0, metrics=["f1", "roc_auc"])
    assert validation.findings[0].numbers["metric"] == "f1"
    assert cal.cross_validate(tree, *CANCER, seed=0, metrics=["f1"], train=False).findings == ()


def test_any_n_jobs_and_the_same_seed_give_the_same_result():
    model = ExtraTreesClassifier(5)
    one, two = (cal.cross_validate(model, *IRIS, seed=7, n_jobs=n, metrics="log_loss") for n in (1, 2))
    assert one.averaged()["log_loss"].values.tolist() == two.averaged()["log_loss"].values.tolist()
    assert one.notes == ("parameters set from the seed for each fit: random_state",)
    other = cal.cross_validate(model, *IRIS, metrics="log_loss")
    again = cal.cross_validate(model, *IRIS, seed=other.seed, metrics="log_loss")
    assert again["log_loss"] == other["log_loss"]


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_texts_fit_and_documents_are_whole(cancer, lang):
    text = cancer.to_text(lang)
    assert max(map(width, text.splitlines())) <= 80
    for name in ("roc_auc", "log_loss"):
        assert Language(lang).name(name).lower() in text.lower()
    assert text.count("\n\n") >= 2
    assert cancer.to_html(lang).count("<tr>") == 1 + len(cancer)
    document = json.loads(cancer.to_json())
    assert document["metrics"]["roc_auc"]["value"] == cancer["roc_auc"]
    assert len(document["metrics"]["roc_auc"]["folds"]["values"]) == 5
    assert document["kind"] == "validation"


def test_the_table_in_english(cancer):
    title, rest, _, verdict, more, _, _, head, accuracy = repr(cancer).splitlines()[:9]
    assert f"{title} {rest.strip()}" == (
        "binary classification: 569 rows, StratifiedKFold(n_splits=5, random_state=3, shuffle=True)"
    )
    assert verdict == "LogisticRegression ranks class 1 rows clearly better than guessing; its"
    assert more.startswith("decisions are clearly better than guessing, and its probabilities agree with the")
    assert head == "metric               mean [95% interval]     pooled  training    gap"
    assert accuracy.startswith("Accuracy             0.")


def test_a_mean_curve_with_its_band(cancer):
    curve = cancer.curve("roc")
    assert len(curve.folds) == 5
    x, y = curve.mean.x, curve.mean.y
    at = 40  # FPR 0.2
    heights = [np.interp(x[at], c.fpr, c.tpr) for c in curve.folds]
    assert y[at] == pytest.approx(np.mean(heights))
    assert (np.diff(y) >= 0).all()
    rows = cancer.pooled().curve("roc", band="pointwise")
    alone = [height_of(rows, rows[column], x) for column in ("tpr", "low", "high")]
    assert (curve.mean.high - curve.mean.low + 1e-9 >= np.where(curve.mean.high < 1, alone[2] - alone[1], 0)).all()
    assert curve.mean.note == "95% band: pointwise, from the test rows over 5 folds"
    by_folds = replace(cancer, method="folds").curve("roc").mean
    reach = stats.t.ppf(0.975, 4) * np.std(heights, ddof=1) * math.sqrt(1 / 5 + 1 / 4)
    assert by_folds.high[at] == pytest.approx(min(1, y[at] + reach), rel=1e-3)
    assert by_folds.note == "95% band: pointwise, corrected resampled t over 5 folds"
    precision = cancer.curve("pr").mean
    assert ((precision.low <= precision.y) & (precision.y <= precision.high)).all()
    with pytest.raises(InputError, match='averaged for "roc" and "pr", not for \'det\''):
        cancer.curve("det")


def test_curves_of_one_of_several_classes():
    validation = cal.cross_validate(KNeighborsClassifier(), *IRIS, seed=0)
    assert validation.curve("roc", 1).mean.y[-1] == 1
    assert validation.curve("roc", average="macro").mean.y[-1] == 1
    assert "from the test rows" in validation.curve("pr", 1).mean.note
    # Macro curves of rows have no band.
    assert "corrected resampled t" in validation.curve("roc", average="macro").mean.note


def test_a_frame_has_a_row_for_each_metric_with_its_folds(cancer):
    frame = cancer.to_frame().set_index("metric")
    assert frame.loc["roc_auc", "value"] == cancer["roc_auc"]
    assert frame.loc["roc_auc", "pooled"] == cancer.pooled()["roc_auc"]
    assert frame.loc["roc_auc", "gap_low"] == cancer.gap["roc_auc"].low
    assert frame.loc["f1", [f"fold_{n}" for n in range(5)]].tolist() == cancer.averaged()["f1"].values.tolist()
    assert np.isnan(frame.loc["no_information_rate", "gap"])
