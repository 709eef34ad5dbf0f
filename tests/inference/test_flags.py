"""Flags that are always set say nothing; those that speak are about what decides the interval."""

import numpy as np
import pytest

import calipers as cal

METRICS = ["mcc", "kappa", "f1(average=macro)", "f1(average=weighted)", "precision(average=macro)"]


def table(rng, classes, rows, right):
    cells = np.full((classes, classes), (1 - right) / (classes - 1) / classes)
    np.fill_diagonal(cells, right / classes)
    return cal.evaluate_counts(rng.multinomial(rows, cells.ravel()).reshape(classes, classes), metrics=METRICS)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("classes", "rows"), [(6, 300), (12, 600)])
def test_item_11_averages_of_many_classes_are_not_always_flagged(metric, classes, rows):
    """Of 144 cells some are empty in nearly every sample, and some class has hardly an error."""
    rng = np.random.default_rng([11, classes])
    flagged = [bool(table(rng, classes, rows, 0.85)[metric].flags) for _ in range(40)]
    assert np.mean(flagged) <= 0.2


def test_item_11_few_errors_and_small_classes_are_still_flagged():
    cells = np.diag([100, 100, 100]) + np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    ev = cal.evaluate_counts(cells, metrics=METRICS)
    assert all(ev[m].flags == ("too few cases to be reliable (1 of the rarest outcome)",) for m in METRICS)
    small = cal.evaluate_counts([[100, 20, 1], [20, 100, 1], [1, 0, 2]], metrics=METRICS)
    assert small["f1(average=macro)"].flags == ("too few cases to be reliable (3 of the rarest outcome)",)
    assert small["mcc"].flags == ()


def test_item_11_two_classes_keep_their_rule():
    ev = cal.evaluate_counts([[90, 1], [40, 900]], positive=0)
    assert ev["mcc"].flags == ("too few cases to be reliable (1 of the rarest outcome)",)


@pytest.mark.parametrize(("shape", "least"), [("t2", 0.93), ("t3", 0.93), ("cauchy-like", 0.93), ("normal", 0.93)])
def test_item_11_bias_of_symmetric_errors(shape, least):
    """Hall's interval covered 85.6% of t(2), plain t 97.2%."""
    rng = np.random.default_rng([11, len(shape)])
    df = {"t2": 2, "t3": 3, "cauchy-like": 1.5, "normal": 1e6}[shape]
    covered = []
    for _ in range(500):
        truth = rng.normal(0, 1, 40)
        estimate = cal.metrics.bias(truth, truth + rng.standard_t(df, 40))
        covered.append(estimate.low <= 0 <= estimate.high)
    assert np.mean(covered) > least
    assert estimate.method == "t"


def test_item_11_other_means_allow_for_skewness():
    truth = np.arange(30.0)
    ev = cal.evaluate(truth, truth + np.random.default_rng(0).normal(size=30))
    assert (ev["mae"].method, ev["bias"].method) == ("long-tailed", "t")
    hall = cal.evaluate(truth, truth + np.random.default_rng(0).normal(size=30), interval="hall")
    assert hall["bias"].method == "hall"
