"""Numbers of the teaching literature (tests/data/worked_examples.json), each out of the public API."""

import json
from pathlib import Path

import numpy as np
import pytest

import calipers as cal

EXAMPLES = {e["id"]: e for e in json.loads((Path(__file__).parents[1] / "data/worked_examples.json").read_text())}
DIGITS = 5e-11  # the file prints ten


def example(name):
    return EXAMPLES[name]["inputs"], EXAMPLES[name]["expect"]


def close(value, expected):
    assert np.asarray(value, float) == pytest.approx(np.asarray(expected, float), abs=DIGITS)


def test_three_class_labels():
    rows, expect = example("three-class-labels")
    ev = cal.evaluate(rows["y_true"], rows["y_pred"])
    close([ev["accuracy"], ev["error_rate"]], [expect["accuracy"], expect["error_rate"]])
    assert ev.confusion.counts.tolist() == expect["confusion_true_rows"]
    close(ev.confusion.normalised("truth"), expect["confusion_normalised_by_truth"])
    assert ev.confusion.T.counts.T.tolist() == expect["confusion_true_rows"]


def test_binary_counts():
    counts, expect = example("binary-counts-100-10-20-70")
    ev = cal.evaluate_counts(**counts)
    for name, value in expect.items():
        close(ev[name], value)
    assert [ev[name] for name in ("tp", "fn", "fp", "tn")] == [100, 10, 20, 70]


def test_roc_50_points():
    rows, expect = example("roc-50-points")
    ev = cal.evaluate(rows["y_true"], rows["y_score"])
    close([ev["roc_auc"], ev["average_precision"]], [expect["roc_auc"], expect["average_precision"]])
    roc = ev.curve("roc")
    assert roc.threshold[0] == np.inf
    assert roc.threshold[1:].tolist() == expect["corner_thresholds"]
    close(roc.fpr, [0, *expect["corner_fpr"]])
    close(roc.tpr, [0, *expect["corner_tpr"]])


def test_auc_20_points_by_area_pairs_and_ranks():
    rows, expect = example("auc-20-points")
    ev = cal.evaluate(rows["y_true"], rows["y_score"])
    for name, value in expect.items():
        close(ev[name], value)
    truth, score = np.array(rows["y_true"]), np.array(rows["y_score"])
    roc, whole = ev.curve("roc"), ev.curve("sweep")
    steps = float(np.diff(whole.fpr) @ whole.recall[1:])  # no ties: every step is level or upright
    pairs = (score[truth == 1][:, None] > score[truth == 0]).sum() / (10 * 10)
    ranks = score.argsort().argsort()[truth == 1] + 1  # from 1
    by_rank = (ranks.sum() - 10 * 11 / 2) / (10 * 10)
    for value in (float(np.trapezoid(roc.tpr, roc.fpr)), steps, pairs, by_rank, ev["roc_auc"]):
        close(value, 0.68)


def test_bad_debt():
    counts, expect = example("bad-debt")
    tp, fp, fn, tn = (counts[name] for name in ("tp", "fp", "fn", "tn"))
    matrix = [[tp, fn], [fp, tn]]
    options = {"labels": ["BAD", "GOOD"], "positive": "BAD"}
    for ev in (
        cal.evaluate_counts(matrix, **options),
        cal.evaluate_counts(np.transpose(matrix), rows="prediction", **options),
        cal.evaluate_counts(tp=tp, fp=fp, fn=fn, tn=tn, **options),
        cal.evaluate_counts([[tn, fp], [fn, tp]], labels=["GOOD", "BAD"], positive="BAD"),
    ):
        for name, value in expect.items():
            close(ev[name], value)
        assert ev.confusion["BAD", "GOOD"] == 45
        assert ev["accuracy"].low < ev["no_information_rate"] < ev["accuracy"].high  # 90.5% says nothing


def test_three_class_tp_fp_fn():
    counts, expect = example("three-class-tp-fp-fn")
    ev = cal.evaluate_counts(**counts)
    for name in ("precision", "recall"):
        close([ev.classes[label][name] for label in ev.labels], expect[name])
        close(ev[f"micro_{name}"], expect[f"micro_{name}"])
        close(ev[f"{name}(average=macro)"], expect[f"macro_{name}"])


def test_iris_30():
    counts, expect = example("iris-30")
    ev = cal.evaluate_counts(counts["confusion_predicted_rows"], labels=counts["labels"], rows="prediction")
    for name in ("precision", "recall", "f1"):
        close([ev.classes[label][name] for label in counts["labels"]], expect[name])
    named = {
        "accuracy": "accuracy",
        "precision_macro": "macro_precision",
        "macro_recall": "macro_recall",
        "f1(average=macro)": "mean_of_f1",
        "f1(average=means)": "f1_of_means",
    }
    for name, key in named.items():
        close(ev[name], expect[key])


def test_f1_table():
    values, expect = example("f1-table")
    close([cal.fbeta_from(p, r) for p, r in zip(values["precision"], values["recall"], strict=True)], expect["f1"])
    close(
        cal.fbeta_from(precision=np.array(values["precision"]), recall=np.array(values["recall"]), beta=1), expect["f1"]
    )
    assert cal.fbeta_from(precision=0, recall=0) == 0


def test_average_per_class_accuracy():
    values, expect = example("average-per-class-accuracy")
    first, second = (round(1000 * share) for share in values["per_class"])
    ev = cal.evaluate_counts([[first, 1000 - first], [1000 - second, second]])
    close(ev["balanced_accuracy"], expect["balanced_accuracy"])
    close(ev["average_per_class_accuracy"], expect["balanced_accuracy"])
