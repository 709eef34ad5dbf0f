"""Item 2: intervals of an AUC close to 1, where few or no rows are misranked."""

import numpy as np
import pytest

import calipers as cal
from calipers.inference.area import auc, delong
from calipers.inference.proportion import wilson

SIZES = [(10, 10), (2, 18), (17, 3), (20, 30), (50, 50), (150, 300), (10, 190), (100, 900), (1000, 19_000)]


def misranked(shape, positives, negatives):
    """The AUC and DeLong's sums where the i-th lowest positive lies below shape[i] of the negatives."""
    below = np.zeros(positives)
    below[: len(shape)] = shape
    above = (below[None, : len(shape)] > np.arange(max(shape, default=0))[:, None]).sum(1)
    placed = np.r_[1 - above / positives, np.ones(negatives - len(above))]
    value = 1 - below.sum() / (positives * negatives)
    return value, ((1 - below / negatives - value) ** 2).sum(), ((placed - value) ** 2).sum()


def growing(positives, negatives, pick):
    """From separated classes, swap one more pair of neighbours at a time; `pick` chooses among the possible pairs."""
    shape = []
    for _ in range(51):
        yield list(shape)
        longer = [*shape, 0][:positives]
        possible = [i for i, n in enumerate(longer) if n < (negatives if i == 0 else longer[i - 1])]
        if not possible:
            return
        i = pick(possible)
        longer[i] += 1
        shape = [n for n in longer if n]


ORDERS = {
    "one positive sinks": lambda possible: possible[0],
    "one negative rises": lambda possible: possible[-1],
    "anywhere": np.random.default_rng(5).choice,
}


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("positives", "negatives"), SIZES)
def test_item_2_more_swapped_pairs_never_raise_the_lower_bound(positives, negatives, order, level):
    lows = []
    for shape in growing(positives, negatives, ORDERS[order]):
        value, v10, v01 = misranked(shape, positives, negatives)
        if value < 0.5:
            break
        low, high = auc(value, *delong(v10, v01, positives, negatives), positives, negatives, level)
        assert low <= value <= high
        lows.append(low)
    fewer = min(positives, negatives)
    assert min(lows[:2]) >= wilson(fewer, fewer, level)[0]
    assert np.diff(lows).max() <= 1e-9  # 0.001 was asked for


def test_item_2_the_reproduction_from_rows():
    truth, lows = np.repeat([0, 1], [300, 150]), []
    for pairs in range(6):
        score = np.arange(450.0)
        score[300] -= pairs + 0.5 if pairs else 0
        estimate = cal.metrics.roc_auc(truth, score)
        assert estimate == 1 - pairs / 45_000
        lows.append(estimate.low)
    assert lows[0] == pytest.approx(0.98268, abs=1e-4)
    assert min(lows) > 0.982
    assert max(np.diff(lows)) < 0


def test_item_2_splits_of_breast_cancer():
    """In 8 of 60 splits the lower bound was below 0.9."""
    datasets, model = pytest.importorskip("sklearn.datasets"), pytest.importorskip("sklearn.linear_model")
    x, y = datasets.load_breast_cancer(return_X_y=True)
    x = (x - x.mean(0)) / x.std(0)
    for seed in range(12):
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[114:], order[:114]
        fitted = model.LogisticRegression().fit(x[train], y[train])
        assert cal.metrics.roc_auc(y[test], fitted.predict_proba(x[test])[:, 1]).low > 0.9


@pytest.mark.parametrize("name", ["roc_auc(average=macro)", "roc_auc(average=weighted)", "roc_auc(average=micro)",
                                  "roc_auc_ovo"])
def test_item_2_areas_of_several_classes(name):
    truth = np.repeat([0, 1, 2], 50)
    noise = np.random.default_rng(1).random(150)
    first = np.where(truth == 0, 0.7, 0.0) + noise / 5  # the probability of the first class
    second = np.array([0.5, 0.95, 0.05])[truth]  # the share of the second class in what is left
    lows = []
    for pairs in range(51):
        own = first.copy()
        if pairs:
            own[0] = np.sort(first[50:])[-pairs] - 1e-9
        swapped = np.c_[own, (1 - own) * second, (1 - own) * (1 - second)]
        estimate = cal.evaluate(truth, swapped, metrics=[name], task="multiclass")[name]
        assert estimate.low <= estimate <= estimate.high
        lows.append(estimate.low)
    assert lows[0] > 0.9
    assert max(np.diff(lows)) <= 0.001


def test_item_2_weighted_rows_follow_the_same_rule():
    truth, score = np.repeat([0, 1], [300, 150]), np.arange(450.0)
    score[300] = 299.5 - 1
    weights = np.random.default_rng(2).exponential(size=450) + 0.2
    low = cal.metrics.roc_auc(truth, score, weights=weights).low
    assert 0.96 < low < cal.metrics.roc_auc(truth, score).low


def covered(positives, negatives, area, rng, samples=400):
    """How often the interval covers, where a share 1 - area of the positives lies below all negatives.

    Wilson's upper limit is too low there: with 0.18 expected misses it covered 84%.
    """
    hits = 0
    for misses in rng.binomial(positives, 1 - area, samples):
        value, v10, v01 = misranked([negatives] * misses, positives, negatives)
        low, high = auc(value, *delong(v10, v01, positives, negatives), positives, negatives, 0.95)
        hits += low <= area <= high
    return hits / samples


@pytest.mark.parametrize("area", [0.99, 0.9964, 0.999])
def test_item_2_coverage_where_one_row_decides(area):
    assert covered(50, 100, area, np.random.default_rng(3)) > 0.92
