"""Intervals of means over folds from the test rows: folds, repeats, leave-one-out, hold-outs, groups and choices."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import calipers as cal
from calipers.errors import InputError, UnknownName
from calipers.inference.proportion import wilson
from calipers.inference.quantiles import Widened, t, z
from calipers.validation.cross_validation import OPPOSED, ROWS_ONLY
from calipers.validation.pooling import OutOfFold


def weak(n, rng, positive=0.1):
    """Two classes that one feature hardly tells apart, drawn as they come."""
    y = (rng.random(n) < positive).astype(int)
    return rng.normal(size=(n, 3)) + 0.3 * y[:, None], y


def with_factor(share, n, factor):
    return pytest.approx(wilson(share * n / factor, n / factor, 0.95), abs=1e-9)


def ends(e):
    return e.low, e.high


def test_item_4_stratified_folds_do_not_hide_the_prevalence():
    """The values of stratified folds all hold the same fraction of positives: their spread is nearly 0."""
    X, y = weak(2000, np.random.default_rng(1))
    validation = cal.cross_validate(LogisticRegression(), X, y, cv=5, seed=0, train=False)
    share = float(validation.pooled()["accuracy"])
    assert ends(validation["accuracy"]) == with_factor(share, 2000, 1 + 5 / 4)
    corrected = validation.averaged()["accuracy"].corrected
    assert corrected.high - corrected.low < 0.5 * (validation["accuracy"].high - validation["accuracy"].low)
    for name in ("accuracy", "brier", "log_loss", "roc_auc", "average_precision", "specificity"):
        rows, value = validation.pooled()[name], validation[name]
        assert value.high - value.low > 1.2 * (rows.high - rows.low), name


def test_item_4_the_interval_holds_the_true_accuracy_of_a_weak_model():
    """One model says 0 for every row: its accuracy is 0.9 whatever it learns. By the folds 32% held it."""
    rng, covered = np.random.default_rng(7), []
    for seed in range(60):
        X, y = weak(400, rng)
        validation = cal.cross_validate(Zeros(), X, y, cv=5, seed=seed, train=False, metrics="accuracy", positive=1)
        covered.append(validation["accuracy"].low <= 0.9 <= validation["accuracy"].high)
    assert np.mean(covered) > 0.93


class Zeros:
    """A plain class that says 0 for every row."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X), int)


def test_item_4_leave_one_out_is_the_largest_number_of_folds():
    X, y = weak(60, np.random.default_rng(2), 0.4)
    tree = DecisionTreeClassifier(random_state=0)
    validation = cal.cross_validate(tree, X, y, cv="loo", metrics=["accuracy", "roc_auc"], train=False)
    assert validation["accuracy"] == validation.pooled()["accuracy"]
    assert ends(validation["accuracy"]) == with_factor(float(validation["accuracy"]), 60, 1 + 60 / 59)
    assert validation["roc_auc"].low < validation.pooled()["roc_auc"].low
    assert ROWS_ONLY in validation.pooled().notes


def test_item_4_leave_one_out_that_opposes_the_truth_is_flagged():
    """A model that predicts the more frequent class is always wrong about the row left out of two equal classes."""
    X, y = weak(60, np.random.default_rng(2), 0.4)
    y = np.arange(60) % 2
    frequent, stable = DummyClassifier(strategy="most_frequent"), GaussianNB()
    opposed = cal.cross_validate(frequent, X, y, cv="loo", metrics="accuracy")["accuracy"]
    assert opposed == 0
    assert OPPOSED in opposed.flags
    related = cal.cross_validate(stable, X + 2 * y[:, None], y, cv="loo", metrics=["accuracy", "brier"])
    assert not any(OPPOSED in related[name].flags for name in related)
    weighted = cal.cross_validate(frequent, X, y, cv="loo", metrics="accuracy", weights=np.ones(60))
    assert OPPOSED not in weighted["accuracy"].flags  # weights of pairs of rows are not defined
    folds = cal.cross_validate(frequent, X, y, cv=6, metrics="accuracy")
    assert OPPOSED not in folds["accuracy"].flags


@pytest.mark.parametrize(
    ("how", "factor", "rows"),
    [
        ({"cv": 4, "repeats": 5}, 1 / 5 + 4 / 3, 120),
        ({"cv": "5x2"}, 1 / 5 + 2, 120),
        ({"cv": 0.25, "repeats": 6}, 1 / 6 + 1 / 3, 30),  # of the 30 rows of one test set
        ({"cv": TimeSeriesSplit(5)}, (1 / 5 + 1 / 3) * 5, 100),
        ({"cv": KFold(3)}, 1 + 3 / 2, 120),
    ],
)
def test_item_4_repeats_and_hold_outs_have_the_factor_of_nadeau_and_bengio(how, factor, rows):
    X, y = weak(120, np.random.default_rng(3), 0.4)
    validation = cal.cross_validate(GaussianNB(), X, y, seed=0, metrics="accuracy", train=False, **how)
    passes = validation.out_of_fold.passes
    assert validation.out_of_fold.factor(passes[0]) == pytest.approx(factor)
    each = [float(np.mean([validation.folds[at].evaluation["accuracy"] for at in numbers])) for numbers in passes]
    reach = [np.subtract(wilson(p * rows / factor, rows / factor, 0.95), p) for p in each]
    assert ends(validation["accuracy"]) == pytest.approx(np.mean(each) + np.mean(reach, 0))


@pytest.mark.parametrize("how", [{"cv": 5}, {"cv": 4, "repeats": 5}, {"cv": "loo"}, {"cv": 0.25, "repeats": 6}])
def test_item_4_the_factor_follows_what_training_rows_do_not_show(how):
    """Folds of a stable learner hardly depend on each other; its interval is that of the rows, and never narrower."""
    X, y = weak(120, np.random.default_rng(3), 0.4)
    stable, heart = (
        cal.cross_validate(model, X, y, seed=0, metrics="accuracy", **how)
        for model in (GaussianNB(), KNeighborsClassifier(1))
    )
    for result in (stable, heart):
        tested, value = result.out_of_fold, float(result["accuracy"])
        train = float(np.mean([f.train_evaluation["accuracy"] for f in result.folds]))
        unseen = math.sqrt(max(0.0, 1 - (1 - train) / (1 - value)))
        assert ends(result["accuracy"]) == pytest.approx(ends(tested.interval(result.listed[0], value, unseen=unseen)))
        numbers = tested.passes[0]
        rows = sum(len(tested.tested[at][0]) for at in numbers)
        assert tested.factor(numbers, 0.0) == pytest.approx(rows / tested.distinct)
        assert tested.factor(numbers, 0.0) < tested.factor(numbers, 0.5) < tested.factor(numbers)
    assert unseen == 1
    text = stable.to_text("en").replace("\n  ", " ")
    assert "from the test data of all folds, with the" in text


def test_item_4_the_same_test_rows_many_times_are_not_more_rows():
    X, y = weak(100, np.random.default_rng(3), 0.4)
    pairs = [(np.arange(first, 90 - first), np.arange(90, 100)) for first in range(30)]
    validation = cal.cross_validate(GaussianNB(), X, y, cv=pairs, metrics="accuracy", train=False)
    assert validation.out_of_fold.factor(validation.out_of_fold.passes[0]) == pytest.approx(1)


def test_item_4_few_degrees_of_freedom_are_widened_once():
    """A factor multiplies Student's quantile by its root; as a higher level it made [0.21, 1] of [0.946, 0.998]."""
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(350, int), np.zeros(200, int)]
    s = np.r_[rng.normal(4, 1, 350), rng.normal(0, 1, 200)]
    s[-1] = 5.0  # one negative above most positives
    ev = cal.evaluate(y, s, threshold=2.0, metrics="average_precision")
    wide = replace(ev, settings=replace(ev.settings, level=Widened(0.95, 2.0)), known={})["average_precision"]
    rows, logit = ev["average_precision"], (lambda p: math.log(p / (1 - p)))
    reach = (logit(rows) - logit(wide.low)) / (logit(rows) - logit(rows.low))
    assert reach == pytest.approx(math.sqrt(2), rel=0.1)


def test_item_4_groups_are_what_varies():
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(30), 6)
    X = rng.normal(size=(180, 2))
    y = (X[:, 0] + 2 * rng.normal(size=30)[groups] > 0).astype(int)
    validation = cal.cross_validate(
        GaussianNB(), X, y, groups=groups, seed=0, metrics=["accuracy", "brier"], train=False
    )
    alone = cal.cross_validate(GaussianNB(), X, y, seed=0, metrics=["accuracy", "brier"], train=False)
    for name in validation:
        assert "grouped" in validation[name].method
        rows = validation.pooled()[name]
        assert validation[name].high - validation[name].low > 1.3 * (rows.high - rows.low)
        assert validation[name].high - validation[name].low > 1.2 * (alone[name].high - alone[name].low)


def test_item_4_every_metric_is_at_least_as_uncertain_as_its_rows():
    rng = np.random.default_rng(5)
    X, y = weak(150, rng, 0.4)
    number = X[:, 0] + rng.laplace(size=150)
    for model, target in ((GaussianNB(), y), (GaussianNB(), np.digitize(X[:, 0], [-1, 1])), (Ridge(), number)):
        validation = cal.cross_validate(model, X, target, cv=5, seed=0, train=False)
        for name in validation:
            e, rows = validation[name], validation.pooled()[name]
            least, most = cal.metric(name).metric.bounds
            if not math.isnan(rows.low) and e.low > least and e.high < most:
                assert e.high - e.low >= rows.high - rows.low, name


def test_item_4_curves_over_sizes_and_choices_have_it_too():
    X, y = weak(300, np.random.default_rng(6))
    line = cal.learning_curve(GaussianNB(), X, y, sizes=[60, 240], seed=0, metrics="accuracy")["accuracy"]
    values = cal.validation_curve(KNeighborsClassifier(), X, y, "n_neighbors", [1, 9], seed=0, metrics="accuracy")
    chosen = cal.select({"bayes": GaussianNB(), "1 nn": KNeighborsClassifier(1)}, X, y, metric="accuracy", seed=0)
    for average in [*line.tested, *values["accuracy"].tested, *(c.average for c in chosen.candidates.values())]:
        e = average.estimate
        assert 0 <= average.unseen <= 1
        assert ends(e) == with_factor(float(e), 300, 1 + average.unseen * 1.25)
    assert values["accuracy"].tested[0].unseen == 1  # one neighbour knows its training rows by heart
    assert ends(chosen.nested) == with_factor(float(chosen.nested), 300, 2.25)  # what choosing adds, no row shows
    assert line.gain(0, 1).method == "corrected resampled t"  # of paired differences


def test_item_4_training_sets_that_differ_are_seen_in_the_folds():
    """Of 20 training rows the models differ far more than 2000 test rows explain: the folds tell, not the rows."""
    X, y = weak(2100, np.random.default_rng(12), 0.5)
    line = cal.learning_curve(KNeighborsClassifier(1), X[:, :1], y, sizes=[20, 1600], seed=0, metrics="accuracy")
    small, whole = line["accuracy"].tested
    assert (small.beyond_rows, whole.beyond_rows) == (True, False)
    assert small.estimate.flags[0] == "the folds differ more than their test data explains, so the interval is wider"
    width = small.corrected.high - small.corrected.low
    assert small.interval.high - small.interval.low == pytest.approx(width, rel=0.1)  # on Wilson's scale
    assert width > 1.5 * (small.by_rows.high - small.by_rows.low)
    assert whole.interval == whole.by_rows


def test_item_4_a_mean_over_folds_that_is_biased_reaches_to_the_rows():
    """With two positives in a fold the average precision of each fold is far too high."""
    X, y = weak(200, np.random.default_rng(14))
    validation = cal.cross_validate(GaussianNB(), X, y, cv=10, seed=0, metrics="average_precision", train=False)
    e, rows = validation["average_precision"], validation.pooled()["average_precision"]
    assert e > 1.3 * rows
    assert e.low <= rows.low


def test_item_4_r2_over_folds_of_six_rows_holds_that_of_all_rows():
    """R² of six rows is far too low and has long tails: its spread says nothing about training sets."""
    rng, flags = np.random.default_rng(15), []
    for seed in range(10):
        X = rng.normal(size=(60, 5))
        y = X @ [1.0, -0.5, 0.0, 0.0, 0.25] + rng.normal(size=60)
        validation = cal.cross_validate(Ridge(), X, y, cv=10, seed=seed, metrics="r2")
        e, rows = validation["r2"], validation.pooled()["r2"]
        assert e < rows
        assert e.low < rows.low < rows.high <= e.high
        flags += e.flags
    assert "the folds differ more than their test data explains, so the interval is wider" not in flags


def test_item_4_what_counts_classes_apart_has_the_full_factor():
    """The class share of a sample moves the threshold in all of its folds; neither gap nor spread shows that."""
    X, y = weak(300, np.random.default_rng(16), 0.3)
    validation = cal.cross_validate(LogisticRegression(), X, y, cv=5, seed=0)
    unseen = {name: average.unseen for name, average in validation.averaged().items()}
    for name in ("recall", "precision", "specificity", "f1", "balanced_accuracy"):
        assert unseen[name] == 1, name
    for name in ("accuracy", "brier", "log_loss", "roc_auc"):
        assert 0 <= unseen[name] < 0.6, name


def test_item_4_rankings_that_are_repeated():
    rng = np.random.default_rng(0)
    X, queries = rng.normal(size=(200, 3)), np.repeat(np.arange(40), 5)
    relevance = (X[:, 0] + rng.normal(size=200) > 1).astype(int)
    how = {"groups": queries, "task": "ranking", "metrics": ["ndcg@5"], "seed": 0, "train": False}
    once = cal.cross_validate(Ridge(), X, relevance, cv=4, **how)["ndcg@5"]
    often = cal.cross_validate(Ridge(), X, relevance, cv=4, repeats=3, **how)["ndcg@5"]
    assert once.method == often.method == "t (logit), over folds"
    narrower = math.sqrt((1 / 3 + 4 / 3) / (1 + 4 / 3))
    assert often.high - often.low == pytest.approx(narrower * (once.high - once.low), rel=0.1)


def test_item_4_the_corrected_t_stays_a_named_method():
    X, y = weak(200, np.random.default_rng(8))
    validation = cal.cross_validate(GaussianNB(), X, y, seed=0, metrics="accuracy", interval="folds")
    assert ends(validation["accuracy"]) == validation.averaged()["accuracy"].corrected[:2]
    with pytest.raises(UnknownName, match="interval='fold' is not known; did you mean folds"):
        cal.cross_validate(GaussianNB(), X, y, interval="fold")


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_item_4_each_result_says_which_question_it_answers(lang, tmp_path):
    X, y = weak(90, np.random.default_rng(9), 0.4)
    options = {"seed": 0, "metrics": "accuracy"}
    procedure = {"en": "this learning method", "vi": "phương pháp học này", "zh": "这种学习方法"}[lang]
    fitted = {"en": "how good is this fitted model", "vi": "mô hình đã huấn luyện này", "zh": "这个训练好的模型"}[lang]
    folds = cal.cross_validate(GaussianNB(), X, y, **options)
    once = cal.cross_validate(GaussianNB(), X, y, cv="holdout", **options)
    results = [folds, cal.bootstrap_validate(GaussianNB(), X, y, replicates=5, **options),
            cal.learning_curve(GaussianNB(), X, y, sizes=[40, 72], **options)]  # fmt: skip
    for result in results:
        assert procedure in result.to_text(lang).replace("\n  ", "" if lang == "zh" else " ")
        assert procedure in result.to_html(lang)
    assert fitted in once.to_text(lang).replace("\n  ", "" if lang == "zh" else " ")
    folds.save(tmp_path / "page.html", lang=lang)
    assert procedure in (tmp_path / "page.html").read_text("utf-8")
    documents = [json.loads(result.to_json())["about"] for result in (folds, once)]
    assert [one["what"] for one in documents] == ["procedure", "model"]
    assert documents[0]["training_rows"] == 72


def test_passes_test_no_row_twice():
    tests = [[0, 1], [2, 3], [1, 2], [0, 3], [0], [4]]
    parts = tuple((np.array(rows), None) for rows in tests)
    pool = OutOfFold(None, type("Rows", (), {"rows": 5}), parts, 0.5, 0.95)
    assert pool.passes == ((0, 1, 5), (2, 3), (4,))


def test_a_widened_level_multiplies_quantiles():
    level = Widened(0.9, 4.0)
    assert z(level) == pytest.approx(2 * z(0.9))
    assert t(level, 5) == pytest.approx(2 * t(0.9, 5))
    assert z(float(level)) == pytest.approx(2 * z(0.9))
    assert 0 < Widened(0.95, 1e6) < 1


def losses(model, X, y, train, test):
    return (model.fit(X[train], y[train]).predict(X[test]) != y[test]).astype(float)


def test_item_4_nested_cross_validation_against_plain_loops():
    """Algorithm 1 of Bates, Hastie and Tibshirani (2023), fit by fit."""
    X, y = weak(60, np.random.default_rng(10), 0.4)
    model, k = KNeighborsClassifier(1), 4
    how = {"cv": k, "repeats": 3, "interval": "nested", "metrics": ["error_rate", "roc_auc"]}
    validation = cal.cross_validate(model, X, y, seed=5, **how)
    assert validation.inner.fits == 3 * 6
    rows = set(range(60))
    inner, outer, a, b, spreads = [], [], [], [], []
    for first in range(0, 12, k):
        tests = [validation.folds[first + at].test for at in range(k)]
        every = []
        for out in range(k):
            e_out = losses(model, X, y, sorted(rows - set(tests[out])), tests[out])
            e_in = np.concatenate([losses(model, X, y, sorted(rows - set(tests[out]) - set(tests[at])), tests[at])
                                   for at in range(k) if at != out])  # fmt: skip
            a.append((e_in.mean() - e_out.mean()) ** 2)
            b.append(e_out.var(ddof=1) / len(e_out))
            inner.append(e_in.mean())
            outer.append(e_out.mean())
            every.append(e_out)
        spreads.append(np.concatenate(every).var(ddof=1) / 60)
    factor = np.clip((k - 1) / k * (np.mean(a) - np.mean(b)) / np.mean(spreads), 1, k)
    value = np.mean(inner) - (1 + (k - 2) / k) * (np.mean(inner) - np.mean(outer))
    measure = cal.cross_validate(model, X, y, cv=2, metrics="error_rate").listed[0]
    assert validation.inner.factor(measure) == pytest.approx(factor)
    assert validation["error_rate"] == pytest.approx(value)
    assert validation["error_rate"].method == "wilson, nested cross-validation"
    assert validation["roc_auc"].method.endswith(", over folds")  # not a mean over rows
    assert "nested" in validation.to_text("en")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"cv": "loo"}, 'interval="nested" needs at least three folds, but'),
        ({"cv": 2}, "needs at least three folds, but"),
        ({"groups": np.arange(90) // 3}, "assumes independent rows and cannot be used with groups=: leave"),
    ],
)
def test_item_4_what_nested_cross_validation_is_not_for(how, message):
    X, y = weak(90, np.random.default_rng(11), 0.4)
    with pytest.raises(InputError, match=message):
        cal.cross_validate(GaussianNB(), X, y, interval="nested", **how)
