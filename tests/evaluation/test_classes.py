"""`ev.classes[c]` is the evaluation of one class against the rest, for every metric that one class can have."""

import numpy as np
import pytest

import calipers as cal
from calipers.metrics.base import CATALOGUE

K, N = 4, 300
RNG = np.random.default_rng(12)
TRUTH = RNG.integers(0, K, N)
SCORES = RNG.dirichlet(np.ones(K), N) * 0.5 + np.eye(K)[TRUTH] * 0.1
SCORES /= SCORES.sum(1, keepdims=True)
SAID = np.where(RNG.random(N) < 0.6, TRUTH, RNG.integers(0, K, N))
WEIGHTS = RNG.exponential(1, N) + 0.1
CLUSTERS = np.arange(N) // 3
SHAPES = {"plain": {}, "weights": {"weights": WEIGHTS}, "groups": {"groups": CLUSTERS}}
OF_LABELS = [
    m.name for m in CATALOGUE if m.from_labels and not m.labelled and not m.view.of_clusters and m.name != "cost"
]
OF_SCORES = [m.name for m in CATALOGUE if not m.from_labels and not m.of_numbers and m.averaged]


def alike(mine, other):
    assert float(mine) == pytest.approx(float(other), rel=1e-9, nan_ok=True), (mine, other)
    if mine.method == other.method and "resamples" not in mine.method:
        assert (mine.low, mine.high) == pytest.approx((other.low, other.high), rel=1e-6, nan_ok=True)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", OF_LABELS)
def test_item_12_a_label_metric_of_a_class_is_that_class_against_the_rest(name, shape):
    ev = cal.evaluate(TRUTH, SAID, **SHAPES[shape])
    for c in (0, 2):
        mine = ev.classes[c][name]
        other = cal.evaluate(c == TRUTH, c == SAID, positive=True, metrics=[name], **SHAPES[shape])[name]
        alike(mine, other)
        assert mine.method == other.method


@pytest.mark.parametrize("name", OF_SCORES)
def test_item_12_a_score_metric_of_a_class_is_that_class_against_the_rest(name):
    ev = cal.evaluate(TRUTH, score=SCORES)
    other = cal.evaluate(TRUTH == 1, score=SCORES[:, 1], positive=True)
    alike(ev.classes[1][name], other[name])


def test_item_12_accuracy_differs_between_the_classes():
    ev = cal.evaluate_counts([[50, 5, 5], [10, 20, 10], [0, 0, 100]], labels=["a", "b", "c"])
    result = {c: ev.classes[c]["accuracy"] for c in ev.labels}
    assert [float(result[c]) for c in "abc"] == [180 / 200, 175 / 200, 185 / 200]
    assert float(ev.classes["b"]["balanced_accuracy"]) == pytest.approx((20 / 40 + 155 / 160) / 2)
    assert result["a"].low < 0.9 < result["a"].high


def test_item_12_a_metric_of_all_classes_together_is_refused_for_one():
    ev = cal.evaluate(TRUTH, score=SCORES)
    for name in ("top_k(k=2)", "roc_auc_ovo"):
        assert "compares all classes with each other" in ev.classes[1][name].reason


def test_item_12_one_label_of_several():
    truth, pred = RNG.random((N, 3)) < 0.4, RNG.random((N, 3)) < 0.4
    ev = cal.evaluate(truth, pred, labels=["x", "y", "z"])
    for j, label in enumerate(ev.labels):
        assert float(ev.classes[label]["accuracy"]) == pytest.approx((truth[:, j] == pred[:, j]).mean())


def test_item_12_resamples_of_a_class_are_of_that_class():
    ev = cal.evaluate(TRUTH, score=SCORES, interval="bca", replicates=200)
    other = cal.evaluate(TRUTH == 1, score=SCORES[:, 1], positive=True, interval="bca", replicates=200)
    for name in ("accuracy", "ece"):
        mine = ev.classes[1][name]
        assert mine.low <= mine <= mine.high or mine.flags
    assert (ev.classes[1]["ece"].low, ev.classes[1]["ece"].high) == pytest.approx(
        (other["ece"].low, other["ece"].high), abs=0.03
    )
