# ruff: noqa: E501 - a row of a table is a line
"""Rows in: every bad input and the text of its error, and how a second argument is read, row by row of the table."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import calipers as cal
from calipers.errors import CalipersError, InputError, UnknownName

NAN, INF = float("nan"), float("inf")
THIRDS = [[0.2, 0.3, 0.5], [0.5, 0.3, 0.1], [0.1, 0.8, 0.1]]  # the second row sums to 0.9

# What was passed to evaluate, and the text of the error.
BAD = {
    "nothing": (([], []), {}, "y_true is empty: at least one row is needed"),
    "no rows of scores": (([], np.zeros(0)), {}, "y_true is empty: at least one row is needed"),
    "no second": (([0, 1],), {}, "there are no predictions: pass predicted labels or scores with y_true"),
    "labels too short": (([0, 1, 1], [0, 1]), {}, "y_true has 3 rows and y_pred has 2: they must have the same rows"),
    "scores too short": (([0, 1, 1], [0.2, 0.3]), {}, "y_true has 3 rows and y_pred has 2: they must have the same rows"),
    "weights too short": (([0, 1], [0, 1]), {"weights": [1]}, "y_true has 2 rows and weights has 1"),
    "slices too short": (([0, 1], [0, 1]), {"by": {"g": ["a"]}}, "y_true has 2 rows and by['g'] has 1"),
    "NaN score": (
        ([0, 1, 1], [0.2, NAN, 0.3]), {},
        'y_pred contains 1 NaN (first at row 1): remove this row or pass missing="drop"',
    ),
    "NaN in a matrix": (([0, 1, 2], [[0.2, 0.3, 0.5]] * 2 + [[0.2, NAN, 0.5]]), {}, "y_pred contains 1 NaN (first at row 2)"),
    "NaN behind a row of weight 0": (([0, 1, 1], [0.2, 0.4, NAN]), {"weights": [0, 1, 1]}, "y_pred contains 1 NaN (first at row 2)"),
    "infinite probability": (([0, 1], [0.2, INF]), {"metrics": "log_loss"}, "scores range from 0.2 to inf, but probabilities lie in [0, 1]"),
    "probability outside": (([0, 1], [-0.1, 0.7]), {"metrics": ["brier"]}, "scores range from -0.1 to 0.7, but probabilities lie in [0, 1]"),
    "rows that do not sum": (([0, 1, 2], THIRDS), {"metrics": ["log_loss"]}, "row 1 sums to 0.9, but the probabilities of a row must sum to 1"),
    "matrix outside": (([0, 1, 2], np.eye(3) * 2), {"metrics": ["brier"]}, "scores range from 0 to 2, but probabilities lie in [0, 1]"),
    "label that labels= lacks": ((["a", "c"], ["a", "b"]), {"labels": ["a", "b"]}, "y_true contains the label 'c', which is not in labels=['a', 'b']"),
    "prediction that labels= lacks": ((["a", "b"], ["a", "x"]), {"labels": ["a", "b"]}, "y_pred contains the label 'x', which is not in labels=['a', 'b']"),
    "label twice": (([0, 1], [0, 1]), {"labels": [0, 1, 0]}, "labels=[0, 1, 0] contains a label twice"),
    "negative weight": (([0, 1], [0, 1]), {"weights": [1, -2]}, "weights[1] is -2.0: weights are finite numbers, 0 or more"),
    "NaN weight": (([0, 1], [0, 1]), {"weights": [NAN, 2]}, "weights[0] is nan: weights are finite numbers, 0 or more"),
    "infinite weight": (([0, 1], [0, 1]), {"weights": [1, INF]}, "weights[1] is inf: weights are finite numbers, 0 or more"),
    "no weight at all": (([0, 1], [0, 1]), {"weights": [0, 0]}, "all weights are 0: no data is left"),
    "weights that are text": (([0, 1], [0, 1]), {"weights": ["a", "b"]}, "weights contains 'a' (row 0), which is not a number"),
    "weights in a matrix": (([0, 1], [0, 1]), {"weights": [[1], [1]]}, "weights has shape (2, 1): one weight per row is needed"),
    "truth in a matrix": (
        (np.array([[0, 1], [1, 0], [2, 0]]), [0, 1, 2]), {},
        "y_true has 2 at row 2, column 0: a multi-label matrix contains only 0 and 1; for one label per row, pass a 1-D column",
    ),
    "scores of three dimensions": (([0, 1],), {"score": np.zeros((2, 2, 2))}, "score has shape (2, 2, 2): one score per row, or one column for each class, is needed"),
    "one column for many": (([0, 1, 2], [0.1, 0.2, 0.3]), {}, "y_pred has one score per row, but y_true has 3 classes (0, 1 and 2): pass one"),
    "columns too few": (
        (["a", "b", "c"], np.full((3, 2), 0.5)), {},
        "y_pred has 2 columns, but there are 3 classes ('a', 'b' and 'c'): pass one column per class, and labels= if a class does not occur",
    ),
    "ragged scores": (([0, 1], [[0.1, 0.9], [0.1]]), {}, "y_pred has rows of different lengths: all must have the same length"),
    "object column that mixes": ((np.array([1, "a"], object), [1, 1]), {}, "y_true mixes int and str (rows 0 and 1): labels must be of one kind"),
    "truth and prediction that mix": ((["a", "b"], [0, 1]), {}, "labels mix int and str (such as 0 and 'a'): labels must be of one kind"),
    "truth that is no label": (([0.5, 1.5], [0, 1]), {"labels": [0, 1]}, "y_true contains 0.5 (row 0): class labels must be integers, strings or booleans"),
    "labels, scores and threshold": (([0, 1], [0, 1]), {"score": [0.1, 0.2], "threshold": 0.5}, "labels, scores and threshold= contradict each other, because the labels"),
    "scores twice": (([0, 1], [0.3, 0.6]), {"score": [0.1, 0.2]}, "y_pred contains scores and score= is given too: pass only one of them"),
    "unknown metric": (([0, 1], [0, 1]), {"metrics": ["presicion"]}, "no metric is called 'presicion'; did you mean precision"),
    "unknown parameter": (([0, 1], [0, 1]), {"metrics": ["fbeta(bets=2)"]}, "'fbeta(bets=2)': fbeta has no parameter 'bets'; did you mean beta?"),
    "parameter of none": (([0, 1], [0, 1]), {"metrics": ["accuracy(k=2)"]}, "'accuracy(k=2)': accuracy takes no parameters"),
    "parameter of another kind": (([0, 1], [0, 1]), {"metrics": ["fbeta(beta=two)"]}, "'fbeta(beta=two)': beta=two should be a number"),
    "unknown average": (([0, 1, 2], [0, 1, 2]), {"metrics": ["f1(average=mean)"]}, "average=mean is not known; use macro, weighted, micro or means"),
    "average of the whole table": (([0, 1, 2], [0, 1, 2]), {"metrics": ["mcc(average=macro)"]}, "'mcc(average=macro)': mcc has no average over classes"),
    "unknown positive": ((["n", "y"], ["n", "y"]), {"positive": "yes"}, "positive='yes' is not among the labels 'n' and 'y'"),
    "positive of three": (([0, 1, 2], [0, 1, 2]), {"positive": 1}, "positive= is for two classes, but there are 3 (0, 1 and 2); see ev.classes for each"),
    "positive not said": (
        (["a", "b"], [0.2, 0.7]), {}, "y_true has the classes 'a' and 'b': pass positive='a' or positive='b' to say which class the score is for",
    ),
    "missing truth": (([0, None, 1], [0, 1, 1]), {}, 'y_true has 1 missing label (first at row 1): remove this row or pass missing="drop"'),
    "missing prediction": ((["a", "b"], ["a", None]), {}, 'y_pred has 1 missing label (first at row 1): remove this row or pass missing="drop"'),
    "everything missing": (([None, 1], [1, None]), {"missing": "drop"}, "every row has a missing value: no data is left"),
    "unknown missing": (([0, 1], [0, 1]), {"missing": "ignore"}, "missing='ignore' is not known: pass \"error\" or \"drop\""),
    "unknown task": (([0, 1], [0, 1]), {"task": "ranking"}, "task='ranking' is not known: pass binary, multiclass, multilabel, regression or clustering"),
    "task that does not fit": (([0, 1, 2], [0, 1, 1]), {"task": "binary"}, "task='binary' does not fit: y_true and y_pred contain the classes 0, 1 and 2"),
    "binary without positive": ((["a", "b"], ["a", "b"]), {"task": "binary"}, "needs a positive class: pass positive='a' or positive='b'"),
    "multilabel without sets": (([0, 1], [0, 1]), {"task": "multilabel"}, "task=\"multilabel\" needs an n x K matrix of 0 and 1, or a list of label sets"),
    "no level": (([0, 1], [0, 1]), {"level": 95}, "level=95 is not a confidence level: pass a number between 0 and 1"),
    "NaN threshold": (([0, 1], [0.1, 0.2]), {"threshold": NAN}, "threshold=nan is not a number: pass one, such as 0.5"),
    "threshold for a matrix": (([0, 1, 2], np.eye(3)), {"threshold": 0.4}, "threshold= is for one score per row: with one column per class, the highest score wins; pass positive="),
    "label sets with a word": (([{"a"}, {"b"}], [{"a"}, "b"]), {}, "y_pred has 'b' at row 1: with label sets, every row is a set, list or tuple"),
    "label sets with an unknown": (([{"a"}, {"b"}], [{"a"}, {"c"}]), {"labels": ["a", "b"]}, "y_pred has the label 'c' at row 1, which is not in labels=['a', 'b']"),
    "label matrix of another width": ((np.eye(3), np.eye(3)[:, :2]), {}, "y_pred has shape (3, 2), but y_true has 3 columns: pass one column per label"),
    "column that is not there": (({"y": [0, 1], "p": [0.2, 0.3]},), {"truth": "z", "score": "p"}, "no column 'z'; available: p, y"),
    "frame without truth": (({"y": [0, 1], "p": [0.2, 0.3]},), {"score": "p"}, "which column is the truth? pass truth= (y, p)"),
    "frame and an array": (({"y": [0, 1]}, [0, 1]), {"truth": "y"}, "with a frame, name its columns: truth=, and pred= or score="),
    "names without a frame": (([0, 1], [0, 1]), {"truth": "y"}, "truth= and pred= name columns of a frame, but the first argument is not a frame"),
}  # fmt: skip


@pytest.mark.parametrize(("columns", "options", "text"), BAD.values(), ids=BAD)
def test_bad_rows(columns, options, text):
    with pytest.raises(CalipersError, match=re.escape(text)):
        cal.evaluate(*columns, **options)


BAD_COUNTS = {
    "negative": (([[3, -1], [2, 4]],), {}, "the confusion matrix contains -1: counts must be finite numbers, 0 or more"),
    "not square": (([[3, 1, 2], [2, 4, 1]],), {}, "the confusion matrix has shape (2, 3): it must be square"),
    "NaN": (([[3, NAN], [2, 4]],), {}, "the confusion matrix contains nan: counts must be finite numbers, 0 or more"),
    "words": (([["a", "b"], ["c", "d"]],), {}, "the confusion matrix does not contain numbers: [['a'"),
    "ragged": (([[1, 2], [3]],), {}, "the confusion matrix does not contain numbers: [[1"),
    "labels too few": (([[3, 1], [2, 4]],), {"labels": ["a"]}, "labels= has 1 class, but the matrix has 2"),
    "unknown positive": (
        ([[3, 1], [2, 4]],),
        {"labels": ["a", "b"], "positive": "c"},
        "positive='c' is not among the labels ['a', 'b']",
    ),
    "unknown rows": (
        ([[3, 1], [2, 4]],),
        {"rows": "columns"},
        'rows=\'columns\' is not known: pass "truth" or "prediction"',
    ),
    "both": (
        ([[3, 1], [2, 4]],),
        {"tp": 3},
        "pass a confusion matrix, or tp=, fp=, fn= (and tn= when known), not both",
    ),
    "neither": ((), {}, "pass a confusion matrix, or tp=, fp=, fn= (and tn= when known), not both"),
    "too few parts": ((), {"tp": 3, "fp": 1}, "tp=, fp= and fn= are needed; given: tp, fp"),
    "negative part": ((), {"tp": 3, "fp": -1, "fn": 2}, "fp= contains -1: counts must be finite numbers, 0 or more"),
    "lists of other lengths": (
        (),
        {"tp": [3, 4], "fp": [1], "fn": [2, 2]},
        "must be single numbers or lists of equal length; the",
    ),
    "positive of three": ((np.eye(3, dtype=int),), {"positive": 1}, "positive= is for two classes, but there are 3"),
}


@pytest.mark.parametrize(("counts", "options", "text"), BAD_COUNTS.values(), ids=BAD_COUNTS)
def test_bad_counts(counts, options, text):
    with pytest.raises(InputError, match=re.escape(text)):
        cal.evaluate_counts(*counts, **options)


def test_a_ranking_accepts_infinite_scores():
    ev = cal.evaluate([0, 0, 1, 1], [-INF, 0.3, 0.2, INF])
    assert ev["roc_auc"] == 3 / 4
    assert np.isnan(ev["log_loss"])
    assert ev.at(threshold=0.25)["accuracy"] == 2 / 4


def test_missing_rows_are_dropped_when_asked_and_counted():
    ev = cal.evaluate([0, None, 1, 1, 0], [0.1, 0.9, NAN, 0.8, 0.2], missing="drop")
    assert (ev.rows, ev["accuracy"]) == (3, 1)
    assert ev.notes == ("2 rows with missing values were dropped",)
    ev = cal.evaluate(pd.Series(["a", None, "b"]), pl.Series(["a", "b", "b"]), missing="drop", weights=[1, 1, 0])
    assert (ev.rows, ev.notes) == (1, ("1 row with missing values was dropped",))
    matrix = cal.evaluate([0, 1, 2, 1], [[1, 0, 0], [0, 1, 0], [0, 0, 1], [NAN, 1, 0]], missing="drop")
    assert (matrix.rows, matrix["accuracy"]) == (3, 1)


# The table "How a second argument is read", row by row: truth, second, definitions, task, labels, positive.
READ = {
    "two classes, labels": (["a", "b"], ["b", "b"], {}, "multiclass", ("a", "b"), None),
    "no and yes, labels": (["No", "Yes"], ["Yes", "Yes"], {}, "binary", ("No", "Yes"), "Yes"),
    "two classes, labels, positive": (["n", "y"], ["y", "y"], {"positive": "y"}, "binary", ("n", "y"), "y"),
    "two classes, floats": ([0, 1], [0.3, 0.6], {}, "binary", (0, 1), 1),
    "two classes, margins": ([-1, 1], [-3.0, 2.5], {}, "binary", (-1, 1), 1),
    "two strings, floats, positive": (["n", "y"], [0.3, 0.6], {"positive": "y"}, "binary", ("n", "y"), "y"),
    "0 and 1, only 0.0 and 1.0": ([0, 1], [0.0, 1.0], {}, "binary", (0, 1), 1),
    "booleans": ([False, True], [True, True], {}, "binary", (False, True), True),
    "booleans, floats": (np.array([False, True]), np.array([0.2, 0.3]), {}, "binary", (False, True), True),
    "booleans beside integers": ([False, True], [1, 0], {}, "binary", (0, 1), 1),
    "-1 and 1": ([-1, 1], [1, 1], {}, "binary", (-1, 1), 1),
    "K classes, labels": ([0, 1, 2], [0, 1, 1], {}, "multiclass", (0, 1, 2), None),
    "K classes, floats that are labels": ([0, 1, 2], [0.0, 1.0, 1.0], {}, "multiclass", (0, 1, 2), None),
    "K classes, probabilities": (["a", "b", "c"], np.full((3, 3), 1 / 3), {}, "multiclass", ("a", "b", "c"), None),
    "K classes, scores": ([0, 1, 2], np.eye(3) * 5 - 1, {}, "multiclass", (0, 1, 2), None),
    "K classes in another order": (["a", "b", "c"], np.full((3, 3), 1 / 3), {"labels": ["c", "a", "b"]}, "multiclass", ("c", "a", "b"), None),
    "two classes, two columns": ([0, 1], [[0.7, 0.3], [0.4, 0.6]], {}, "binary", (0, 1), 1),
    "two strings, two columns": (["a", "b"], [[0.7, 0.3], [0.4, 0.6]], {}, "multiclass", ("a", "b"), None),
    "no and yes, two columns": (["n", "y"], [[0.7, 0.3], [0.4, 0.6]], {}, "binary", ("n", "y"), "y"),
    "binary as multi-class": ([0, 1], [0, 1], {"task": "multiclass"}, "multiclass", (0, 1), None),
    "label matrix": (np.eye(2, dtype=int), np.eye(2, dtype=int), {}, "multilabel", (0, 1), None),
    "label matrix, scores": (np.eye(2, dtype=int), [[0.3, 0.2], [0.1, 0.9]], {}, "multilabel", (0, 1), None),
    "label matrix, names": (np.eye(2, dtype=bool), np.eye(2, dtype=bool), {"labels": ["sea", "air"]}, "multilabel", ("sea", "air"), None),
    "label sets": ([{"a"}, {"b", "c"}], [["a"], ("c",)], {}, "multilabel", ("a", "b", "c"), None),
    "an empty label set": ([set(), {"b"}], [{"a"}, {"b"}], {}, "multilabel", ("a", "b"), None),
}  # fmt: skip


@pytest.mark.parametrize(("truth", "second", "options", "task", "labels", "positive"), READ.values(), ids=READ)
def test_how_a_second_argument_is_read(truth, second, options, task, labels, positive):
    ev = cal.evaluate(truth, second, **options)
    assert (ev.task, ev.labels, ev.positive) == (task, labels, positive)
    assert [*map(type, ev.labels)] == [*map(type, labels)]
    assert ev.rows == len(truth)


def test_floats_that_are_labels_leave_a_note():
    assert cal.evaluate([0, 1, 1], [0.0, 1.0, 1.0]).notes == (
        "the predictions are decimal numbers that are all class labels, so they are treated as labels, not as scores: 0 and 1",
    )
    assert cal.evaluate([0, 1, 1], [0, 1, 1]).notes == ()
    assert np.isnan(cal.evaluate([0, 1, 1], [0.0, 1.0, 1.0])["roc_auc"])
    assert cal.evaluate([0, 1, 1], score=[0.0, 1.0, 1.0])["roc_auc"] == 1


def test_labels_given_are_never_cut_again():
    ev = cal.evaluate([0, 1, 1, 0], [1, 1, 1, 0], score=[0.1, 0.9, 0.2, 0.3])
    assert ev["accuracy"] == 3 / 4
    assert ev["roc_auc"] == 3 / 4


Y, SCORE, SAID = [0, 1, 1, 0, 1], [0.2, 0.9, 0.4, 0.6, 0.7], [0, 1, 0, 1, 1]
CONTAINERS = {
    "list": list, "tuple": tuple, "NumPy": np.array, "pandas": pd.Series, "pandas category": lambda x: pd.Series(x, dtype="category"),
    "pandas Int64/Float64": lambda x: pd.Series(x).convert_dtypes(), "pandas arrow": lambda x: pd.Series(x).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.Series, "pyarrow": pa.array, "pyarrow chunks": lambda x: pa.chunked_array([x[:2], x[2:]]),
    "object array": lambda x: np.array(x, object), "index": lambda x: pd.Series(x, index=list("vwxyz")),
}  # fmt: skip


@pytest.mark.parametrize("hold", CONTAINERS.values(), ids=CONTAINERS)
def test_containers(hold):
    plain = cal.evaluate(Y, SAID, score=SCORE, weights=[1, 2, 1, 1, 3])
    scores = CONTAINERS["NumPy"] if hold in (CONTAINERS["pandas category"],) else hold
    ev = cal.evaluate(hold(Y), hold(SAID), score=scores(SCORE), weights=scores([1, 2, 1, 1, 3]))
    assert ev.to_json() == plain.to_json()
    alone = cal.evaluate(hold(Y), scores(SCORE))
    assert (alone.task, alone["roc_auc"]) == ("binary", 5 / 6)


TEXT = ["é", "b", "京", "b", "é"]


@pytest.mark.parametrize(
    "hold",
    [list, np.array, lambda x: np.array(x, np.dtypes.StringDType()), lambda x: np.array(x, object), pd.Series, pl.Series, pa.array,
     lambda x: pd.Series(x, dtype="category"), lambda x: pl.Series(x, dtype=pl.Categorical), lambda x: pa.array(x).dictionary_encode(),
     lambda x: pd.Series(x, dtype="string[pyarrow]")],
)  # fmt: skip
def test_containers_of_text(hold):
    ev = cal.evaluate(hold(TEXT), hold(TEXT[::-1]))
    assert ev.labels == ("b", "é", "京")
    assert ev["accuracy"] == 1
    assert [type(v) for v in ev.labels] == [str] * 3
    assert cal.loads(ev.to_json()).labels == ev.labels


FRAME = {
    "y": Y,
    "p": SCORE,
    "l": SAID,
    "w": [1.0, 2.0, 1.0, 1.0, 3.0],
    "region": ["n", "s", "n", "s", "n"],
    "old": [True, False, True, True, False],
}


@pytest.mark.parametrize(
    "frame", [dict, pd.DataFrame, pl.DataFrame, pa.table], ids=["dict", "pandas", "polars", "pyarrow"]
)
def test_frames(frame):
    ev = cal.evaluate(frame(FRAME), truth="y", pred="l", score="p", weights="w", by=["region", "old"])
    assert (
        ev.to_json()
        == cal.evaluate(
            Y, SAID, score=SCORE, weights=FRAME["w"], by={"region": FRAME["region"], "old": FRAME["old"]}
        ).to_json()
    )
    assert list(ev.by) == ["region", "old"]
    assert list(ev.by["region"]) == ["n", "s"]
    assert list(ev.by["old"]) == [False, True]
    alone = cal.evaluate([0, 1, 1], [0, 0, 1], score=[0.2, 0.4, 0.7], weights=[1.0, 1.0, 3.0])
    assert ev.by["region"]["n"]["f1"] == alone["f1"]
    assert ev.by["region"]["n"]["roc_auc"] == alone["roc_auc"]
    matrix = cal.evaluate(frame({"y": ["a", "b"], "a": [0.2, 0.3], "b": [0.8, 0.7]}), truth="y", score=["a", "b"])
    assert matrix["accuracy"] == 1 / 2


def test_score_matrices_of_frames():
    truth, scores = ["a", "b", "c"], {"a": [0.8, 0.2, 0.1], "b": [0.1, 0.7, 0.1], "c": [0.1, 0.1, 0.8]}
    for frame in (pd.DataFrame(scores), pl.DataFrame(scores), np.column_stack(list(scores.values()))):
        assert cal.evaluate(truth, frame)["accuracy"] == 1


def test_slices():
    ev = cal.evaluate(Y, SCORE, by={"region": FRAME["region"], "missing": ["a", None, "a", None, "b"]})
    assert ev.by["region"]["s"].rows == 2
    assert list(ev.by["missing"]) == ["a", "b", "(missing)"]
    single = ev.by["missing"]["b"]
    assert np.isnan(single["roc_auc"])
    assert single["roc_auc"].reason == "there is only one class; this metric needs rows of both classes"
    assert cal.evaluate(Y, SCORE, by=FRAME["region"]).by["by"]["s"].rows == 2
    with pytest.raises(UnknownName, match="no column 'regio'; did you mean region"):
        cal.evaluate(FRAME, truth="y", score="p", by="regio")


def test_the_caller_may_write_into_his_arrays_afterwards():
    truth, score = np.array([0, 1, 2, 1]), np.eye(3)[[0, 1, 2, 0]] * 0.7 + 0.1
    binary, p, w = np.array([0, 1, 1]), np.array([0.1, 0.3, 0.2]), np.ones(3)
    many, one = cal.evaluate(truth, score), cal.evaluate(binary, p, weights=w)
    before = [float(many["roc_auc_macro"]), float(one["roc_auc"]), float(one["log_loss"])]
    many, one = cal.evaluate(truth, score), cal.evaluate(binary, p, weights=w)
    for array in (truth, score, binary, p, w):
        array[:] = 0
    assert [float(many["roc_auc_macro"]), float(one["roc_auc"]), float(one["log_loss"])] == before


def test_strided_and_read_only_arrays():
    wide = np.random.default_rng(0).random((60, 3))
    truth = np.random.default_rng(1).integers(0, 2, 120)[::2]
    wide.flags.writeable = False
    assert cal.evaluate(truth, wide[:, 1]).to_json() == cal.evaluate(truth.copy(), wide[:, 1].copy()).to_json()
    matrix = np.asfortranarray(wide / wide.sum(1, keepdims=True))
    three = np.arange(60) % 3
    assert cal.evaluate(three, matrix).to_json() == cal.evaluate(three, np.ascontiguousarray(matrix)).to_json()


@pytest.mark.parametrize("decimals", [2, 3, 4, 5])
def test_probabilities_that_were_rounded_are_probabilities(decimals):
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 5, 300), rng.dirichlet(np.ones(5), 300)
    rounded = p.round(decimals)
    assert np.abs(rounded.sum(1) - 1).max() > 1e-6
    own = np.maximum(rounded[np.arange(300), y], np.finfo(float).eps)
    assert cal.metrics.log_loss(y, rounded, labels=range(5)) == pytest.approx(-np.log(own).mean())
    rounded[7] *= 0.9  # beyond what rounding does
    with pytest.raises(cal.InputError, match="row 7 sums to"):
        cal.metrics.log_loss(y, rounded.round(decimals), labels=range(5))
