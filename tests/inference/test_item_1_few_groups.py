"""Few groups, and groups of unequal sizes: their means are skewed, and the few that are there show little of it."""

import numpy as np
import pytest

import calipers as cal


def devices(rng, count, rows, own):
    """Errors of devices that have an offset of their own each, and the true mean square of such errors."""
    offset = own * rng.normal(size=count)
    return np.repeat(offset, rows) + rng.normal(size=count * rows), np.repeat(np.arange(count), rows), 1 + own**2


@pytest.mark.parametrize(("count", "rows", "own", "least"), [(8, 50, 0.7, 0.92), (12, 20, 1.0, 0.95)])
def test_item_1_mean_squares_of_few_devices(count, rows, own, least):
    """90 and 94% were covered: the nearer end was drawn in by a skewness that few devices hardly show."""
    rng, covered = np.random.default_rng([1, count]), []
    for _ in range(500):
        errors, groups, true = devices(rng, count, rows, own)
        estimate = cal.evaluate(np.zeros(len(errors)), errors, groups=groups, metrics=["mse"], task="regression")["mse"]
        covered.append(estimate.low <= true <= estimate.high)
    assert np.mean(covered) > least


def test_item_1_neither_end_is_nearer_than_students():
    rng = np.random.default_rng(3)
    errors, groups, _ = devices(rng, 9, 30, 1.0)
    mse = cal.evaluate(np.zeros(len(errors)), errors, groups=groups, metrics=["mse"], task="regression")["mse"]
    sums = np.bincount(groups, errors**2 - mse) / len(errors) / np.sqrt(1 - 1 / 9)
    reach = 2.306 * np.sqrt(sums @ sums)
    assert mse.low <= mse - reach + 1e-4
    assert mse.high >= mse + reach - 1e-4
    assert mse.method == "long-tailed, grouped"


def scored(rng, count, rows):
    """Scores of devices that have an offset of their own each, rows of both classes."""
    y, groups = rng.integers(0, 2, count * rows), np.repeat(np.arange(count), rows)
    return y, rng.normal(1.5 * y) + rng.normal(size=count)[groups], groups


@pytest.mark.parametrize(("count", "flagged"), [(3, True), (6, False)])
def test_item_1_means_and_shares_need_four_groups(count, flagged):
    y, score, groups = scored(np.random.default_rng(5), count, 30)
    ev = cal.evaluate(y, 1 / (1 + np.exp(-score)), groups=groups, metrics=["accuracy", "brier"])
    assert all(any("groups" in flag for flag in ev[m].flags) == flagged for m in ("accuracy", "brier"))


@pytest.mark.parametrize(("count", "flagged"), [(15, True), (30, False)])
def test_item_1_areas_need_twenty_groups(count, flagged):
    """15 devices whose scores share an offset: 85 to 92% were covered, without a flag."""
    y, score, groups = scored(np.random.default_rng(6), count, 20)
    ev = cal.evaluate(y, score, groups=groups, metrics=["roc_auc", "average_precision"], threshold=0.5)
    assert all(any("groups" in flag for flag in ev[m].flags) == flagged for m in ("roc_auc", "average_precision"))
