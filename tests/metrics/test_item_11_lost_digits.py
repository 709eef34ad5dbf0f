"""Item 11: a small weight next to a large one is not lost."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

import calipers as cal
import calipers.sklearn as like_sklearn

SMALL, LARGE = 1e-8, 1e8


def exact(truth, pred, weights):
    """Kappa and Matthews' correlation in exact arithmetic."""
    k = max(*truth, *pred) + 1
    cells = [[Fraction(0)] * k for _ in range(k)]
    for i, j, w in zip(truth, pred, weights, strict=True):
        cells[i][j] += Fraction(w)
    rows, columns = [sum(row) for row in cells], [sum(column) for column in zip(*cells, strict=True)]
    total = sum(rows)
    chance = sum(r * c for r, c in zip(rows, columns, strict=True))
    beyond = sum(cells[i][i] for i in range(k)) * total - chance
    spread = (total**2 - sum(r * r for r in rows)) * (total**2 - sum(c * c for c in columns))
    return float(beyond / (total**2 - chance)), float(beyond / total**2) / sqrt(float(spread / total**4))


CASES = {
    "the issue's": ([1, 1, 0], [1, 0, 0], [LARGE, SMALL, SMALL]),
    "a large error": ([1, 1, 0, 1], [0, 1, 0, 1], [LARGE, SMALL, SMALL, SMALL]),
    "three classes": ([2, 1, 0, 1], [2, 1, 0, 0], [LARGE, SMALL, SMALL, SMALL]),
    "three classes, large in the middle": ([1, 0, 2, 0, 2], [1, 0, 2, 2, 1], [LARGE, SMALL, SMALL, SMALL, 3 * SMALL]),
    "five classes": ([3, 0, 1, 2, 4, 0], [3, 0, 1, 2, 4, 4], [LARGE, SMALL, 1.0, SMALL, SMALL, SMALL]),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_item_11_kappa_and_mcc_keep_small_weights(case):
    truth, pred, weights = case
    kappa, mcc = exact(*case)
    evaluation = cal.evaluate(truth, pred, weights=weights, metrics=["mcc", "kappa"])
    assert float(evaluation["mcc"]) == pytest.approx(mcc, rel=1e-9)
    assert float(evaluation["kappa"]) == pytest.approx(kappa, rel=1e-9)
    assert like_sklearn.matthews_corrcoef(truth, pred, sample_weight=weights) == pytest.approx(mcc, rel=1e-9)
    assert like_sklearn.cohen_kappa_score(truth, pred, sample_weight=weights) == pytest.approx(kappa, rel=1e-7)


def test_item_11_the_answer_of_the_issue():
    estimate = cal.metrics.mcc([1, 1, 0], [1, 0, 0], weights=[LARGE, SMALL, SMALL])
    assert float(estimate) == pytest.approx(sqrt(0.5), rel=1e-9)


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_item_11_no_error_is_exactly_1(classes):
    rng = np.random.default_rng(classes)
    for _ in range(50):
        truth = np.r_[np.arange(classes), rng.integers(0, classes, 30)]
        ev = cal.evaluate(truth, truth, weights=rng.gamma(0.3, size=len(truth)) + 1e-9, metrics=["mcc", "kappa"])
        assert float(ev["mcc"]) == float(ev["kappa"]) == 1


def test_item_11_a_row_of_typical_weight_more_lies_within_the_interval():
    # Nearly all weight is in one row, so the two rows that decide the value are worth nothing beside another such row.
    evaluation = cal.evaluate([1, 1, 0], [1, 0, 0], weights=[LARGE, SMALL, SMALL], metrics=["mcc", "kappa"])
    for estimate in evaluation.values():
        assert estimate.low < 0 < float(estimate) < 0.99 < estimate.high
