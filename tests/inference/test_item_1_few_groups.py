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


def precision_of(y, score, **columns):
    metrics = ["average_precision"]
    return cal.evaluate(y, score, metrics=metrics, threshold=0.5, **columns)["average_precision"]


@pytest.mark.parametrize(("count", "flagged"), [(3, True), (6, False)])
def test_item_1_means_and_shares_need_four_groups(count, flagged):
    y, score, groups = scored(np.random.default_rng(5), count, 30)
    ev = cal.evaluate(y, 1 / (1 + np.exp(-score)), groups=groups, metrics=["accuracy", "brier"])
    assert all(any("groups" in flag for flag in ev[m].flags) == flagged for m in ("accuracy", "brier"))


@pytest.mark.parametrize(("count", "flagged"), [(9, True), (30, False)])
def test_item_1_areas_need_twelve_groups(count, flagged):
    y, score, groups = scored(np.random.default_rng(6), count, 20)
    auc = cal.evaluate(y, score, groups=groups, metrics=["roc_auc"], threshold=0.5)["roc_auc"]
    assert any("groups" in flag for flag in auc.flags) == flagged


def test_item_1_average_precision_needs_twelve_groups_at_the_top():
    """The negatives of few of the 40 groups are ranked high: ten devices or more would hold them, if all were alike."""
    rng = np.random.default_rng(7)
    y, groups = rng.random(40 * 15) < 0.2, np.repeat(np.arange(40), 15)
    flags = []
    for own in (0.1, 2.0):
        score = 2 * y + rng.normal(size=len(y)) + own * rng.laplace(size=40)[groups]
        flags.append(precision_of(y, score, groups=groups).flags)
    assert not flags[0]
    assert "based on very few groups" in flags[1][0]


def test_item_1_areas_of_devices_with_heavy_offsets():
    """Of 15 devices whose scores share a Laplace offset, 89 and 84% were covered; wide offsets are rare."""
    rng, covered = np.random.default_rng(15), []
    names = ["roc_auc", "average_precision"]

    def draw(count):
        groups = np.repeat(np.arange(count), 40)
        y = rng.integers(0, 2, len(groups))
        return y, 2 * y - 1 + rng.laplace(0, 0.7, count)[groups] + rng.normal(size=len(y)), groups

    true = cal.evaluate(*draw(4_000)[:2], metrics=names, threshold=0.5)
    for _ in range(400):
        y, score, groups = draw(15)
        ev = cal.evaluate(y, score, groups=groups, metrics=names, threshold=0.5)
        covered.append([ev[m].low <= float(true[m]) <= ev[m].high for m in names])
    assert min(np.mean(covered, 0)) > 0.9


@pytest.mark.parametrize("weighted", [False, True])
def test_item_1_average_precision_leaves_out_whole_groups(weighted):
    rng = np.random.default_rng(16)
    y, score, groups = scored(rng, 13, 12)
    score, weights = np.round(score, 1), rng.integers(1, 5, len(y)) if weighted else None

    def of(rows):
        own = {} if weights is None else {"weights": weights[rows]}
        return precision_of(y[rows], score[rows], **own)

    left = np.array([float(of(groups != g)) for g in range(13)])
    own = {} if weights is None else {"weights": weights}
    estimate = precision_of(y, score, groups=groups, **own)
    assert estimate.stderr == pytest.approx(np.sqrt(12 / 13 * ((left - left.mean()) ** 2).sum()))
    assert estimate.method == "jackknife (logit), grouped"


def test_item_1_positives_of_one_group_are_not_left_out():
    """Without that group average precision is undefined; the influences of rows remain."""
    rng = np.random.default_rng(17)
    y, groups = np.zeros(60, int), np.repeat(np.arange(12), 5)
    y[:3] = 1
    estimate = precision_of(y, rng.random(60), groups=groups)
    assert (estimate.low, estimate.high) == pytest.approx((0, 1), abs=1e-6)
    assert "based on very few groups" in estimate.flags[0]


@pytest.mark.parametrize(("largest", "flagged"), [(150, True), (10, False)])
def test_item_1_a_few_groups_with_most_of_the_rows(largest, flagged):
    """150 households of Zipf sizes: 88 to 89% were covered, and half of the samples had no flag."""
    rng = np.random.default_rng(18)
    sizes = np.r_[np.full(5, largest), np.full(60, 3)]
    groups = np.repeat(np.arange(65), sizes)
    y = rng.integers(0, 2, len(groups))
    ev = cal.evaluate(y, rng.random(len(y)), groups=groups, metrics=["accuracy", "log_loss"])
    for name in ev:
        assert any("a few groups have most of the rows" in flag for flag in ev[name].flags) == flagged, name
