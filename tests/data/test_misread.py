"""Input that used to be misread without a word. Test names hold the numbers of the items that reported them."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import softmax
from sklearn.metrics import average_precision_score, roc_auc_score

import calipers as cal
from calipers.errors import InputError
from calipers.report.language import Language

RNG = np.random.default_rng(5)
WHOLE, GUESSED = RNG.integers(0, 400, 300), RNG.integers(0, 400, 300)


def test_item_2_a_metric_that_is_asked_for_decides_the_task():
    assert cal.metrics.mae([3, 3, 5, 5], [14, 12, 7, 8]) == 6.25
    ev = cal.evaluate(WHOLE, GUESSED, metrics=["mae", "r2"])
    assert (ev.task, ev.notes) == ("regression", ())
    assert ev["mae"] == np.abs(WHOLE - GUESSED).mean()
    assert cal.compare(WHOLE, {"a": GUESSED, "b": WHOLE}, metrics="mae").models["a"].task == "regression"
    # More than twenty whole numbers beside fractions look like measurements, and accuracy says that they are classes.
    truth, pred = np.arange(30.0), np.arange(30.0)
    assert cal.metrics.accuracy(truth, pred) == 1
    with pytest.raises(InputError, match="has one score per row, but y_true has 30 classes"):
        cal.metrics.accuracy(truth, pred + 0.5)
    assert cal.evaluate(truth, pred + 0.5).task == "regression"


def test_item_2_metrics_of_two_tasks_are_refused():
    with pytest.raises(InputError, match="mae is for regression and f1 is not: request them in two"):
        cal.evaluate([1, 0], [1, 0], metrics=["f1", "mae"])
    with pytest.raises(InputError, match="mae: it is for regression"):
        cal.evaluate([1, 0], [1, 0], metrics=["mae"], task="binary")


def test_item_2_the_model_or_else_the_metric_decides_over_folds():
    class Last:
        def fit(self, X, y):
            self.last = y[-1]
            return self

        def predict(self, X):
            return np.full(len(X), self.last)

    validation = cal.cross_validate(Last(), np.arange(40)[:, None], np.arange(40), cv=4, metrics=["mae"], seed=0)
    assert validation.problem.task == "regression"


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_item_2_many_whole_numbers_leave_a_note_with_the_remedy(lang):
    labels = np.arange(25)
    (note,) = cal.evaluate(labels, labels).notes
    assert note == '25 whole numbers are treated as classes; if they are measurements, pass task="regression"'
    text = Language(lang).remark(note)
    assert 'task="regression"' in text
    assert (text == note) == (lang == "en")
    assert cal.evaluate(labels, labels, task="multiclass").notes == ()
    assert cal.evaluate(np.arange(20), np.arange(20)).notes == ()


@pytest.mark.parametrize("pair", [(0, 1), ("no", "yes"), ("Không", "Có")])
def test_item_2_two_classes_have_one_answer(pair):
    truth = [pair[i] for i in (0, 1, 1, 0, 1)]
    column = np.array([0.2, 0.7, 0.4, 0.6, 0.9])
    shares = np.c_[1 - column, column] if pair[0] == min(pair) else np.c_[column, 1 - column]
    one, two = cal.evaluate(truth, column), cal.evaluate(truth, shares)
    assert one.task == two.task == "binary"
    assert one.positive == two.positive == truth[1]
    assert {k: float(v) for k, v in one.items()} == pytest.approx({k: float(v) for k, v in two.items()}, nan_ok=True)


def test_item_2_classes_without_an_obvious_positive_one():
    shares = [[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]]
    ev = cal.evaluate(["cat", "dog", "cat"], shares)
    assert ev.task == "multiclass"
    assert ev.notes == (
        "both classes are evaluated, because the positive class is not known; "
        "pass positive='cat' or positive='dog'",
    )
    assert cal.evaluate(["no", "yes"], ["no", "yes"]).notes == (
        "the positive class 'yes' was recognised by its name; pass positive= to change it",
    )
    assert cal.evaluate(["no", "yes"], ["no", "yes"], positive="no").notes == ()


def shuffled():
    truth = pd.Series(np.tile([0, 1], 50), index=np.arange(100))
    score = (truth + pd.Series(RNG.normal(size=100))).rename("p")
    return truth, score.sample(frac=1, random_state=0)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda y, s: cal.evaluate(y, s), "y_pred"),
        (lambda y, s: cal.evaluate(y, score=s), "score"),
        (lambda y, s: cal.metrics.roc_auc(y, s), "y_pred"),
        (lambda y, s: cal.evaluate(y, y.to_numpy(), weights=s.abs()), "weights"),
        (lambda y, s: cal.evaluate(y, y.to_numpy(), by={"g": s > 0}), r"by\['g'\]"),
        (lambda y, s: cal.evaluate(y, y.to_numpy(), by=s > 0), r"by\['p'\]"),
        (lambda y, s: cal.evaluate(y, y.to_numpy(), groups=s > 0), "groups"),
        (lambda y, s: cal.evaluate({"y": y, "p": s}, truth="y", score="p"), "column 'p'"),
        (lambda y, s: cal.evaluate(pd.DataFrame({"y": y}), truth="y", score=s), "score"),
        (lambda y, s: cal.compare(y, {"a": y, "b": s}), r"models\['b'\]"),
        (lambda y, s: cal.metrics.mae(y * 1.5, s), "y_pred"),
        (lambda y, s: cal.evaluate(y, pd.DataFrame({0: -s, 1: s})), "y_pred"),
    ],
)  # fmt: skip
def test_item_3_pandas_indexes_that_differ_are_refused(call, name):
    with pytest.raises(InputError, match=f"the pandas index of {name} differs from that of"):
        call(*shuffled())


def test_item_3_rows_of_a_model_too():
    from sklearn.linear_model import LogisticRegression

    y, s = shuffled()
    with pytest.raises(InputError, match="the pandas index of y differs from that of X"):
        cal.cross_validate(LogisticRegression(), s.to_frame(), y, cv=3)


def test_item_3_the_same_index_or_none_is_taken():
    y, s = shuffled()
    right = cal.evaluate(y, s.loc[y.index])["roc_auc"]
    assert right == pytest.approx(roc_auc_score(y, s.loc[y.index]))
    assert cal.evaluate(y.loc[s.index], s)["roc_auc"] == right
    assert cal.evaluate(y, s.to_numpy())["roc_auc"] != right
    assert cal.evaluate(y, pl.Series(s.loc[y.index].to_numpy()))["roc_auc"] == right
    with pytest.raises(InputError, match="y_true has 100 rows and y_pred has 50"):
        cal.evaluate(y, s[:50])


@pytest.mark.parametrize("scores", [[0.0, 1.0, 0.0, 1.0], [0, 1, 0, 1], np.array([0.0, 1, 0, 1], np.float32)])
@pytest.mark.parametrize(("threshold", "flagged"), [(0.0, 4), (0.5, 2), (1.0, 2), (1.5, 0)])
def test_item_4_a_threshold_cuts_numbers_of_0_and_1_too(scores, threshold, flagged):
    ev = cal.evaluate([0, 1, 1, 0], scores, threshold=threshold)
    assert ev.confusion.counts[:, 1].sum() == flagged
    assert ev.predictions == f"score >= {threshold:g}"


def test_item_4_a_threshold_does_not_cut_labels():
    with pytest.raises(InputError, match="threshold= is for scores, but y_pred contains labels: pass scores"):
        cal.evaluate(["no", "yes"], ["no", "yes"], threshold=0.5)
    ev = cal.evaluate(np.eye(2, dtype=int), np.eye(2), threshold=0.0)
    assert ev["recall(average=micro)"] == 1
    assert ev["precision(average=micro)"] == 0.5


def logits():
    """The rows whose values by torchmetrics 1.9.0 stand in the tests below."""
    random = np.random.default_rng(5)
    y = random.integers(0, 2, 400)
    d, s = random.normal(size=400) + 2.5 * y - 1.2, random.normal(size=400) * 3
    y3 = random.integers(0, 3, 400)
    z3 = random.normal(size=(400, 3)) + 2 * np.eye(3)[y3] + 3 * random.normal(size=(400, 1))
    return y, np.c_[s, s + d], y3, z3


def test_item_3_of_intervals_two_columns_are_ranked_by_their_difference():
    y, z, _, _ = logits()
    ev = cal.evaluate(y, z)
    assert ev["roc_auc"] == pytest.approx(0.9518967866897583, abs=1e-6)  # torchmetrics multiclass_auroc, binary_auroc
    assert ev["average_precision"] == pytest.approx(0.9563751816749573, abs=1e-6)
    assert ev["roc_auc"] == pytest.approx(roc_auc_score(y, softmax(z, axis=1)[:, 1]), abs=1e-12)
    assert ev["accuracy"] == (z.argmax(1) == y).mean()
    assert "ranked by their difference: scores range from" in ev.notes[-1]
    assert "probabilities lie in [0, 1]" in ev["log_loss"].reason
    assert ev.at(threshold=0)["accuracy"] == ev["accuracy"]
    both = cal.evaluate(np.where(y, "dog", "cat"), z)
    for label in ("cat", "dog"):
        assert both.classes[label]["roc_auc"] == pytest.approx(float(ev["roc_auc"]), abs=1e-12)
    assert cal.compare(y, {"a": z, "b": softmax(z, axis=1)}).models["a"]["roc_auc"] == ev["roc_auc"]


def test_item_3_of_intervals_differences_inside_0_and_1_are_no_probabilities():
    z = np.array([[1.0, 1.2], [2.0, 2.9], [3.0, 3.4], [0.5, 1.1]])
    ev = cal.evaluate([0, 1, 1, 0], z)
    assert "probabilities lie in [0, 1]" in ev["brier"].reason
    with pytest.raises(InputError, match=re.escape("probabilities lie in [0, 1]")):
        cal.metrics.log_loss([0, 1, 1, 0], z)


def test_item_3_of_intervals_several_columns_must_be_probabilities_to_be_ranked():
    _, _, y, z = logits()
    ev = cal.evaluate(y, z)
    assert ev["accuracy"] == (z.argmax(1) == y).mean()
    assert not np.isnan(ev["top_k_accuracy(k=2)"])
    way = (
        r"ranking rows by the score of one class needs probabilities: "
        r"pass softmax\(score, axis=1\) if they are logits"
    )
    for name in ("roc_auc(average=macro)", "average_precision(average=micro)", "roc_auc_ovo"):
        assert re.search(way, ev[name].reason)
        with pytest.raises(InputError, match=way):
            cal.evaluate(y, z, metrics=[name])
    assert re.search(way, ev.classes[0]["roc_auc"].reason)
    for options in ({"label": 0}, {"average": "macro"}, {"average": "micro"}):
        with pytest.raises(InputError, match=way):
            ev.curve("roc", **options)
    with pytest.raises(InputError, match=r"probabilities lie in \[0, 1\]"):
        ev.curve("calibration")
    shares = cal.evaluate(y, softmax(z, axis=1))
    assert shares["roc_auc(average=macro)"] == pytest.approx(0.9698672890663147, abs=1e-6)  # torchmetrics
    assert shares["average_precision(average=macro)"] == pytest.approx(0.946990966796875, abs=1e-6)
    ours = average_precision_score(np.equal.outer(y, np.arange(3)), softmax(z, axis=1))
    assert shares["average_precision(average=macro)"] == pytest.approx(ours, abs=1e-12)


def test_item_3_of_intervals_infinite_scores_are_ranked():
    ev = cal.evaluate([0, 1, 1], [[np.inf, 0.0], [-np.inf, -np.inf], [0.0, np.inf]])
    assert ev["roc_auc"] == 1


def test_messages_name_the_argument_that_was_written():
    frame = {"outcome": [0, 1, 1], "p": [0.2, np.nan, 0.3]}
    for call, name in (
        (lambda: cal.evaluate([0, 1, 1], [0.2, np.nan, 0.3]), "y_pred"),
        (lambda: cal.evaluate([0, 1, 1], score=[0.2, np.nan, 0.3]), "score"),
        (lambda: cal.metrics.log_loss([0, 1, 1], score=[0.2, np.nan, 0.3]), "score"),
        (lambda: cal.evaluate(frame, truth="outcome", score="p"), "column 'p'"),
        (lambda: cal.compare([0, 1, 1], {"a": [0.2, np.nan, 0.3], "b": [0.1, 0.2, 0.3]}), r"models\['a'\]"),
        (lambda: cal.evaluate([0.5, 1, 1], score=[0.2, np.nan, 0.3]), "score"),
    ):
        with pytest.raises(InputError, match=f"{name} contains 1 NaN"):
            call()
