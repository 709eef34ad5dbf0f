"""A model without an error has values of exactly 1, with an interval, however many classes are averaged and whatever
the rows weigh: k times 1/k, and sums of weights in two orders, are not always equal.
"""

import numpy as np
import pytest

import calipers as cal
from calipers import sklearn as dropin

AVERAGES = """balanced_accuracy accuracy mcc kappa f1(average=macro) f1(average=weighted) precision(average=macro)
    recall(average=macro) recall(average=weighted) jaccard(average=macro) roc_auc(average=macro)
    roc_auc(average=weighted) average_precision(average=macro) average_precision(average=weighted) roc_auc_ovo"""
BINARY = "accuracy recall precision specificity f1 mcc kappa balanced_accuracy roc_auc average_precision youden_j gini"


def weights_of(kind: str, n: int, seed: int) -> np.ndarray | None:
    return {"none": None, "equal": np.full(n, 0.1), "any": np.random.default_rng(seed).random(n)}[kind]


def is_perfect(estimate: cal.Estimate) -> bool:
    return float(estimate) == 1 and -1 < estimate.low < 1 and estimate.high == 1


@pytest.mark.parametrize("kind", ["none", "equal", "any"])
@pytest.mark.parametrize("k", [3, 6, 7, 9, 10, 11, 13, 29, 49, 60])
def test_averages_over_classes(k: int, kind: str):
    y = np.repeat(np.arange(k), 4)
    scores = np.full((len(y), k), 0.1 / (k - 1))
    scores[np.arange(len(y)), y] = 0.9
    scores /= scores.sum(1, keepdims=True)
    found = cal.evaluate(y, scores, weights=weights_of(kind, len(y), k))
    assert [name for name in AVERAGES.split() if not is_perfect(found[name])] == []


@pytest.mark.parametrize("seed", range(12))
def test_two_classes_with_weights(seed: int):
    rng = np.random.default_rng(seed)
    y = np.arange(int(rng.integers(6, 400))) % 3 == 0
    scores, weights = np.where(y, 0.6, 0.1) + 0.3 * rng.random(len(y)), rng.random(len(y))
    found = cal.evaluate(y, scores, weights=weights)
    assert [name for name in BINARY.split() if not is_perfect(found[name])] == []
    assert dropin.roc_auc_score(y, scores, sample_weight=weights) == 1
    assert dropin.average_precision_score(y, scores, sample_weight=weights) == 1
    assert (float(found["eer"]), float(found["break_even"])) == (0, 1)
    assert float(cal.evaluate(y, -scores, weights=weights)["roc_auc"]) == 0


def test_rounding_leaves_no_value_beyond_its_bound():
    clusters = np.arange(400) % 4
    assert float(cal.evaluate_clusters(clusters, clusters)["fowlkes_mallows"]) == 1


def test_predicted_labels_of_many_classes():
    wrong = {}
    for k in range(2, 120):
        y = np.repeat(np.arange(k), 3)
        found = cal.evaluate(y, y, labels=range(k))["balanced_accuracy"]
        if not is_perfect(found):
            wrong[k] = found, found.low, found.high
    assert wrong == {}
