"""Calls that ended in an error of Python instead of an answer or a message. Names hold the item that reported them."""

import datetime
import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import calipers as cal
from calipers.errors import CalipersError, InputError

Y, P = [0, 1, 1, 0], [0.2, 0.3, 0.8, 0.4]
FRAME = pd.DataFrame({
    "a": [0, 1, 1, 0], "b": [1, 0, 1, 0], "p_b": [0.8, 0.3, 0.6, 0.3], "p_a": [0.1, 0.6, 0.7, 0.2],
    "day": pd.to_datetime(["2020-01-02", "2020-01-02", "2020-01-10", None]), "x": [10.5, 10.5, 2.5, 2.5],
    "y": Y, "s": P,
})  # fmt: skip


def test_item_6_numbers_of_any_size_are_measured():
    truth, pred = np.array([1.5, 2.0, 3.0]), np.array([1.0, 2.0, 1.0])
    large = cal.evaluate(truth * 1e200, pred * 1e200)
    assert (large.task, large["mse"], large["rmse"]) == ("regression", math.inf, math.inf)
    assert large["mae"] == pytest.approx(2.5e200 / 3)
    assert large["r2"].reason == "the numbers are too large to square; rescale them"
    assert "the numbers are too large or too small to square" in large["mae"].reason
    assert "MAE" in large.to_text()
    small = cal.evaluate(truth * 1e-58, pred * 1e-58)
    assert small["mse"] == pytest.approx(4.25e-116 / 3, rel=1e-12)
    assert "the numbers are too large or too small to square" in small["mse"].reason
    assert "RMSE" in small.to_text("vi")


def test_item_6_counts():
    with pytest.raises(InputError, match="the confusion matrix is empty: every count is 0"):
        cal.evaluate_counts([[0]])
    with pytest.raises(InputError, match=re.escape(
        "labels=['a'] has 1 label, but tp, fp, fn and tn are for two classes")):
        cal.evaluate_counts(tp=1, fp=2, fn=3, tn=4, labels=["a"])
    with pytest.raises(InputError, match=re.escape("positive='c' is not among the labels ['a', 'b']")):
        cal.evaluate_counts(tp=1, fp=2, fn=3, tn=4, labels=["a", "b"], positive="c")


class Offered:
    """An array that offers DLPack alone, in its old form."""

    def __init__(self, values):
        self.values = np.array(values)

    def __dlpack__(self, stream=None):
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class Refusing(Offered):
    def __array__(self, *args, **kwargs):
        raise TypeError("no implicit conversion")


class Elsewhere(Offered):
    def __dlpack__(self, **kwargs):
        raise RuntimeError("this array stays on the device")


def test_item_6_dlpack():
    for kind in (Offered, Refusing):
        assert cal.evaluate(kind(Y), kind(P))["roc_auc"] == cal.evaluate(Y, P)["roc_auc"]
    with pytest.raises(
        InputError, match="y_pred has type Elsewhere, which cannot be read as an array: this array stays"
    ):
        cal.evaluate(Y, Elsewhere(P))


def test_item_6_bfloat16():
    class Tensor:
        """A tensor of a type that NumPy lacks, as torch has it."""

        def __init__(self, values, dtype="torch.bfloat16"):
            self.values, self.dtype, self.shape = values, dtype, (len(values),)

        def detach(self):
            return self

        cpu = detach

        def float(self):
            return Tensor(self.values, "torch.float32")

        def __array__(self, dtype=None, copy=None):
            if self.dtype == "torch.bfloat16":
                raise TypeError("Got unsupported ScalarType BFloat16")
            return np.array(self.values, np.float32)

    assert cal.evaluate(Y, Tensor(P))["roc_auc"] == cal.evaluate(Y, P)["roc_auc"]


@pytest.mark.parametrize(
    "call",
    [
        lambda f: cal.evaluate(f, truth=["a", "b"], score=["p_b", "p_a"]),
        lambda f: cal.evaluate(f[["a", "b"]], f[["p_b", "p_a"]]),
        lambda f: cal.evaluate(f[["a", "b"]], score=f[["p_b", "p_a"]]),
        lambda f: cal.evaluate(pl.DataFrame(f[["a", "b"]].to_dict("list")), score=f[["p_a", "p_b"]].to_numpy()),
        lambda f: cal.evaluate(f[["a", "b"]].to_numpy(), f[["p_a", "p_b"]].to_numpy(), labels=["a", "b"]),
    ],
)
def test_item_6_frames_of_several_labels(call):
    ev = call(FRAME)
    assert (ev.task, ev.labels) == ("multilabel", ("a", "b"))
    assert ev.classes["a"]["roc_auc"] == ev.classes["b"]["roc_auc"] == 1
    evaluation = cal.evaluate(FRAME, truth=["a", "b"], pred=["a", "b"])
    assert evaluation["subset_accuracy"] == 1


@pytest.mark.parametrize(
    ("by", "name", "slices"),
    [
        ("day", "day", ["2020-01-02", "2020-01-10", "(missing)"]),
        ("x", "x", ["2.5", "10.5"]),
        (FRAME["day"], "day", ["2020-01-02", "2020-01-10", "(missing)"]),
        (np.array(["u", "v", "u", "v"]), "by", ["u", "v"]),
        ({"g": ["u", "v", "u", "v"]}, "g", ["u", "v"]),
        ({"when": "day"}, "when", ["2020-01-02", "2020-01-10", "(missing)"]),
        (pd.cut(FRAME["x"], [0, 5, 20]), "x", ["(0, 5]", "(5, 20]"]),
        ([datetime.date(2020, 1, 10), datetime.date(2020, 1, 2)] * 2, "by", ["2020-01-02", "2020-01-10"]),
        (FRAME[["a", "b"]], "a", [0, 1]),
    ],
)
def test_item_6_slices_of_anything(by, name, slices):
    ev = cal.evaluate(FRAME, truth="y", score="s", by=by)
    assert list(ev.by[name]) == slices
    assert sum(part.rows for part in ev.by[name].values()) == 4
    assert cal.loads(ev.to_json()).by[name].keys() == ev.by[name].keys()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cal.evaluate(Y, P, threshold=[0.1, 0.2]), "threshold=[0.1, 0.2] is not a number"),
        (lambda: cal.evaluate(Y, P, level="x"), "level='x' is not a confidence level"),
        (lambda: cal.evaluate(Y, P, labels=3), "labels=3 is not a list of labels"),
        (lambda: cal.evaluate(Y, P, labels=[[0], [1]]), "labels=[0] is not a label"),
        (lambda: cal.evaluate(Y, P, positive=[1]), "positive=[1] is not a label"),
        (lambda: cal.evaluate(Y, P, interval=3), "interval=3 is not known"),
        (lambda: cal.evaluate(Y, P, metrics=3), "metrics=3 is not known"),
        (lambda: cal.evaluate(Y, P, metrics=[]), "metrics= is empty"),
        (lambda: cal.evaluate(Y, P, by=lambda rows: rows), "by['by'] is a function: pass the column"),
        (lambda: cal.evaluate(FRAME, truth="y", score="s", by=lambda rows: rows), "by['by'] is a function"),
        (lambda: cal.evaluate(Y, P, by="x"),
            "by='x' names a column, but the first argument is not a frame: pass the column itself"),
        (lambda: cal.evaluate(Y, P).at(threshold="x"), "threshold='x' is not a number"),
        (lambda: cal.evaluate(Y, P).at(prevalence="x"), "prevalence='x' is not a number"),
        (lambda: cal.evaluate(Y, P).expected_cost([["x", 1], [1, 0]]), "the cost matrix contains 'x' (row 0)"),
        (lambda: cal.evaluate(Y, P).best_threshold(3), "3 is not a rule: pass the name of a metric"),
        (lambda: cal.select([1, 2], [[0]] * 4, Y), 'models=[1, 2] has no names: pass the models by name, {"first"'),
        (lambda: cal.compare_folds(["a"], ["b"]), "candidate contains 'b' (row 0), which is not a number"),
        (lambda: cal.evaluate([{"a"}, {None}], [{"a"}, {"b"}]), "y_true has None at row 1: labels are integers"),
        (lambda: cal.evaluate([{"a"}, [["b"]]], [{"a"}, {"b"}]), "y_true has ['b'] at row 1: labels are integers"),
        (lambda: cal.evaluate([{"a"}, {"b"}], len),
            "y_pred has type builtin_function_or_method: with label sets, pass"),
        (lambda: cal.evaluate(Y, P, positive=np.array([0, 1])), "positive=array([0, 1]) is not a label"),
        (lambda: cal.evaluate_counts([[10**400, 1], [1, 1]]), "the confusion matrix does not contain numbers"),
        (lambda: cal.evaluate_counts([[1, 1], [1, 1]], rows=np.zeros(2)), "rows=array([0., 0.]) is not known"),
        (lambda: cal.evaluate(Y, [10**400, 0.5, 1, 0]), "y_pred contains 1000"),
        (lambda: cal.evaluate(Y, score={}), "score needs columns of equal length; there are none"),
        (lambda: cal.evaluate(Y, score={"a": [1.5], "b": [1, 2]}),
            "score needs columns of equal length; the lengths are: a 1"),
    ],
)
def test_item_6_arguments_of_another_type(call, message):
    with pytest.raises(CalipersError, match=re.escape(message)) as caught:
        call()
    assert len(str(caught.value)) < 400


def test_item_6_a_metric_itself_is_a_name():
    assert list(cal.evaluate(Y, P, metrics=cal.metrics.f1)) == ["f1"]
    assert list(cal.evaluate(Y, P, metrics=[cal.metrics.f1, "recall"])) == ["f1", "recall"]


def test_item_6_models_without_scores():
    class Plain:
        def __init__(self, label=0):
            self.label = label

        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.full(len(X), self.label)

    X, y = np.zeros((40, 1)), np.tile([0, 1], 20)
    selection = cal.select({"never": Plain(0), "always": Plain(1)}, X, y, cv=2, seed=0)
    assert selection.metric == "balanced_accuracy"
    cv = cal.cross_validate(Plain(), X, y, cv=2, seed=0, metrics=["accuracy"])
    with pytest.raises(InputError, match="candidate has type Validation: pass its values of one metric, such as"):
        cal.compare_folds(cv, cv)


WEIGHTS = [np.ones(8)[::2], np.ones(4, ">f8"), np.ones(4, np.longdouble), np.ones(4, np.float16)]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_item_6_weights_of_any_layout(weights):
    assert cal.evaluate(Y, P, weights=weights)["roc_auc"] == cal.evaluate(Y, P)["roc_auc"]
    assert cal.evaluate([0.5, 1, 1, 0], P, weights=weights)["mae"] == pytest.approx(cal.metrics.mae([0.5, 1, 1, 0], P))
    assert cal.evaluate(np.eye(4, dtype=int), np.eye(4), weights=weights)["subset_accuracy"] == 1
