"""Sketches of scores: exact within the budget, and beyond it bounds that hold in any order."""

from dataclasses import replace
from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers as cal
from calipers.metrics.base import CATALOGUE
from calipers.metrics.brackets import precision_ends
from calipers.metrics.values import number
from calipers.metrics.views import Unavailable
from calipers.statistics.base import Statistic
from calipers.statistics.scores import ScoreSamples
from calipers.statistics.sketch import FENCES, ScoreSketch

METRICS = (
    "roc_auc", "gini", "average_precision", "ks", "eer", "break_even", "partial_auc", "ece", "mce", "reliability",
)  # fmt: skip


def rows(seed, n=3000, digits=None, dtype=np.float64):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3).astype(np.uint8)
    scores = 1 / (1 + np.exp(-(rng.normal(size=n) + truth)))
    return truth, (scores if digits is None else np.round(scores, digits)).astype(dtype)


def samples(truth, scores):
    return ScoreSamples.split(scores, truth, 1, None)


def sketched(truth, scores, budget, cuts=(), fences=FENCES):
    parts = [samples(y, s) for y, s in zip(np.split(truth, cuts), np.split(scores, cuts), strict=True)]
    whole = ScoreSketch.empty()
    for part in parts:
        whole = whole.merge(ScoreSketch.of_samples(part, budget, fences))
    return whole


def ends(name, sketch):
    measure = CATALOGUE[name]
    return tuple(float(number(end)) for end in measure.metric.ends(measure, sketch))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", METRICS)
def test_within_the_budget_everything_is_exact(name, dtype):
    truth, scores = rows(1, digits=2, dtype=dtype)
    sketch = sketched(truth, scores, 200, cuts=[1, 500, 501, 2000])
    assert sketch.exact
    assert len(sketch.low) == len(np.unique(scores))
    exact = float(number(CATALOGUE[name].formula(samples(truth, scores))))
    assert float(number(CATALOGUE[name].formula(sketch.middle))) == pytest.approx(exact, rel=1e-12)
    if name not in ("ece", "mce", "reliability"):  # 200 cells do not pay for the edges of bins
        assert ends(name, sketch) == pytest.approx((exact, exact), rel=1e-12)


def test_repeated_scores_are_rows_for_intervals():
    truth, scores = rows(2, digits=1)
    sketch, exact = sketched(truth, scores, 100), samples(truth, scores)
    for name in ("v10", "v01", "ap_if2", "ap_if4", "ap_rival", "f1_max", "f1_threshold", "eer", "break_even"):
        assert getattr(sketch.middle.walk, name) == pytest.approx(getattr(exact.walk, name), rel=1e-11), name
    for name in ("ece", "hinge", "logistic_loss"):
        mine, theirs = (CATALOGUE[name].formula(s) for s in (sketch.middle, exact))
        for a, b in zip(mine, theirs, strict=True):
            if isinstance(b, (float, np.ndarray)):
                np.testing.assert_allclose(a, b, rtol=1e-9)
        if hasattr(theirs, "moments"):
            assert (mine.moments.n, mine.moments.effective) == (theirs.moments.n, theirs.moments.effective)
            assert mine.moments.m2 == pytest.approx(theirs.moments.m2)
    assert sketch.middle.occurring.tolist() == exact.occurring.tolist()
    assert sketch.middle.at(0.3) == exact.at(0.3)


@given(seed=st.integers(0, 2**32 - 1), budget=st.sampled_from([32, 64, 1000, 4000]))
def test_brackets_contain_the_exact_value(seed, budget):
    rng = np.random.default_rng(seed)
    truth, scores = rows(seed, n=int(rng.integers(20, 6000)))
    sketch = sketched(truth, scores, budget, cuts=np.sort(rng.integers(0, len(truth), 5)))
    assert len(sketch.low) <= budget
    exact = samples(truth, scores)
    for name in METRICS:
        value = float(number(CATALOGUE[name].formula(exact)))
        try:
            low, high = ends(name, sketch)
        except Unavailable:
            assert name in ("ece", "mce", "reliability")  # with few cells there are no fences for bins
            continue
        assert low - 1e-12 <= value <= high + 1e-12, name
        assert low - 1e-12 <= float(number(CATALOGUE[name].formula(sketch.middle))) <= high + 1e-12, name


def test_the_lower_end_of_average_precision_does_not_tie_positives():
    """Positives that share a cell may have different scores, which lowers the precision of the first of them."""
    truth = np.array([0] * 10 + [1] * 40 + [0] * 40 + [1] * 10, np.uint8)
    scores = np.concatenate((np.linspace(0.9, 1, 10), np.linspace(0.5, 0.8, 40), np.linspace(0, 0.4, 50)))
    sketch = sketched(truth, scores, 32, fences=())
    exact = samples(truth, scores).walk.ap
    tied = sketch.worst.walk.ap
    low, high = precision_ends(sketch)
    assert low <= exact <= high
    assert low < tied


def test_the_upper_end_of_average_precision_allows_a_positive_below_a_group():
    """A positive of a wide cell may lie below others, where its precision is higher than at the upper end of its cell.

    The best ranking puts it among ten negatives at 3, with a precision of 1/11; at 1.5 it has 101/111.
    """
    wide = ScoreSketch(
        np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 3.0]), np.array([1, 100, 0]), np.array([0, 0, 10]), 32, (), None
    )
    truth = np.array([1] + [1] * 100 + [0] * 10, np.uint8)
    exact = samples(truth, np.array([1.5] + [2.0] * 100 + [3.0] * 10)).walk.ap
    low, high = precision_ends(wide)
    assert wide.best.walk.ap < exact
    assert low <= exact <= high


@pytest.mark.parametrize("budget", [32, 200, 1000, 3000, 100_000])
def test_the_budget_is_hard_and_pays_for_fences(budget):
    sketch = ScoreSketch.empty()
    for seed in range(8):
        truth, scores = rows(seed, n=20_000)
        part = ScoreSketch.of_samples(samples(truth, scores * 10.0 ** -(seed % 3)), budget)
        sketch = sketch.merge(part)
        assert max(len(part.low), len(sketch.low)) <= budget
        assert len(sketch.fences) <= max(0, budget // 128)
        for fence in sketch.fences:
            assert not ((sketch.low < fence) & (sketch.high >= fence)).any()


@pytest.mark.parametrize("kind", ["distinct", "rounded", "mostly zero", "near 0 and 1", "any size"])
@pytest.mark.parametrize("positives", [0.0, 0.01, 0.5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_cells_of_samples_are_those_of_all_distinct_scores_joined(kind, positives, dtype):
    """Boxes that are too small to be kept are not looked into; the cells are the same."""
    rng = np.random.default_rng(5)
    n = 3000
    scores = {
        "distinct": rng.random(n),
        "rounded": rng.random(n).round(2),
        "mostly zero": np.where(rng.random(n) < 0.7, 0.0, rng.random(n)),
        "near 0 and 1": rng.beta(0.05, 0.05, n),
        "any size": rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-30, 30, n),
    }[kind].astype(dtype)
    rows = samples((rng.random(n) < positives).astype(np.uint8), scores)
    distinct = ScoreSketch.of_samples(rows, n, FENCES)
    assert distinct.exact
    assert len(distinct.low) == len(np.unique(scores))
    count = len(distinct.low)
    for budget in (32, 100, 250, 1000, 2900, count - 1, count, count + 1, count + count // 12):
        joined, direct = distinct.within(budget), ScoreSketch.of_samples(rows, budget, FENCES)
        assert direct.fences == joined.fences
        for name in ("low", "high", "pos", "neg"):
            assert np.array_equal(getattr(direct, name), getattr(joined, name))


@pytest.mark.parametrize("kind", ["distinct", "rounded", "mostly zero", "any size", "one above the other"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n", [0, 1, 900, 120_000])  # the last ones do not fit one block of the cache
def test_a_sketch_of_several_samples_is_that_of_the_merged_one(kind, weighted, n):
    rng, parts = np.random.default_rng(n), []
    for at in range(5):
        rows = n if at < 4 else 0
        scores = {
            "distinct": rng.random(rows),
            "rounded": rng.random(rows).round(2),
            "mostly zero": np.where(rng.random(rows) < 0.7, rng.choice([-0.0, 0.0], rows), rng.random(rows)),
            "any size": rng.choice([-1, 1], rows) * 10.0 ** rng.uniform(-30, 30, rows),
            "one above the other": (at + rng.random(rows)) / 5,
        }[kind]
        truth = (rng.random(rows) < (0.0 if at == 2 else 0.3)).astype(np.uint8)
        weights = rng.uniform(0.5, 2, rows) if weighted and at != 1 else None
        parts.append(ScoreSamples.split(scores.astype(np.float32 if at == 3 else np.float64), truth, 1, weights))
    first, *others = parts
    whole = first.merge_many(others)
    for budget in (32, 1000, max(32, 4 * n)):
        direct, merged = ScoreSketch.of_samples(first, budget, FENCES, others), ScoreSketch.of_samples(whole, budget)
        assert (direct.budget, direct.fences) == (merged.budget, merged.fences)
        for name in ("low", "high", "pos", "neg"):
            assert np.array_equal(getattr(direct, name), getattr(merged, name))
            assert getattr(direct, name).dtype == getattr(merged, name).dtype
        assert (direct.weights is None) == (merged.weights is None)
        if merged.weights is not None:
            np.testing.assert_allclose(direct.weights, merged.weights, rtol=1e-12)
        assert (direct.losses is None) == (merged.losses is None)
        if merged.losses is not None:
            for one, other in zip(direct.losses, merged.losses, strict=True):
                assert one.moments.n == other.moments.n
                assert one.moments.mean == pytest.approx(other.moments.mean, rel=1e-12)


def test_several_sketches_become_one_as_two_by_two():
    """Without a limit; the cells of one box are one cell, in whatever order sketches are merged."""
    first, *others = (sketched(*rows(seed), 500) for seed in range(5))
    wide = [replace(each, budget=10_000) for each in (first, *others)]
    together, two_by_two = wide[0].merge_many(wide[1:]), reduce(ScoreSketch.merge, wide)
    for name in ("low", "high", "pos", "neg"):
        assert np.array_equal(getattr(together, name), getattr(two_by_two, name))


def test_scores_that_just_fit_the_budget_are_not_joined():
    """200 frequent scores and 20 close pairs of rare ones are 220 boxes: more than are left where 250 are exceeded."""
    frequent, rare = np.repeat(np.arange(200) / 256, 50), (np.arange(20) + 0.5) / 256
    scores = np.concatenate((frequent, rare, np.nextafter(rare, 1)))
    sketch = ScoreSketch.of_samples(samples((np.arange(len(scores)) % 2).astype(np.uint8), scores), 250)
    assert len(sketch.low) == 240
    assert sketch.exact


def test_counts_at_a_fence_are_exact():
    truth, scores = rows(3, n=50_000)
    sketch = sketched(truth, scores, 3000, cuts=[20_000])
    assert not sketch.exact
    exact = samples(truth, scores)
    for fence in FENCES:
        assert sketch.worst.at(fence) == sketch.best.at(fence) == exact.at(fence)


def test_losses_are_exact_and_unknown_where_scores_are_not_probabilities():
    truth, scores = rows(4, n=20_000)
    sketch, exact = sketched(truth, scores, 100, cuts=[7000]), samples(truth, scores)
    for mine, theirs in zip(sketch.losses, exact.losses, strict=True):
        assert mine.moments.mean == pytest.approx(theirs.moments.mean, rel=1e-12)
    assert sketched(truth, scores * 2, 100).losses is None
    assert sketch.merge(sketched(truth, scores * 2, 100)).losses is None


def test_bytes_and_smaller_budgets():
    truth, scores = rows(5, n=20_000)
    sketch = sketched(truth, scores, 5000)
    back = Statistic.from_bytes(sketch.to_bytes())
    assert back.to_bytes() == sketch.to_bytes()
    assert len(sketch.to_bytes()) < 5000 * 33 + 2000
    small = back.within(64)
    assert len(small.low) <= 64
    assert small.rows == 20_000
    assert small.merge(sketch).budget == 64


def test_what_is_refused():
    with pytest.raises(cal.InputError, match="at least 32 cells"):
        ScoreSketch.of_samples(samples(*rows(6)), 31)
    with pytest.raises(cal.InputError, match="cannot be restated"):
        sketched(*rows(6), 100).middle.restated(0.1)


@pytest.mark.parametrize("weighing", ["even", "heavy", "one outweighs all"])
@pytest.mark.parametrize("name", METRICS)
def test_brackets_with_weights_contain_the_value(name, weighing):
    truth, scores = rows(5)
    w = np.random.default_rng(5).pareto(0.8, len(truth)) + 0.01 if weighing == "heavy" else np.full(len(truth), 0.37)
    w[1234] = 1e6 if weighing == "one outweighs all" else w[1234]
    cuts = [1, 700, 702, 2000]
    whole = ScoreSketch.empty()
    for y, s, each in zip(*(np.split(column, cuts) for column in (truth, scores, w)), strict=True):
        whole = whole.merge(ScoreSketch.of_samples(ScoreSamples.split(s, y, 1, each), 64))
    assert len(whole.low) <= 64
    assert whole.weights[:, 0].sum() == pytest.approx(w.sum(), rel=1e-12)
    exact = float(number(CATALOGUE[name].formula(ScoreSamples.split(scores, truth, 1, w))))
    try:
        low, high = ends(name, whole)
    except Unavailable:
        assert name in ("ece", "mce", "reliability")  # 64 cells do not pay for the edges of bins
        return
    assert low - 1e-12 <= exact <= high + 1e-12
    assert low < high


@pytest.mark.parametrize("budget", [1000, 4000, 20_000])
def test_the_bracket_of_the_auc_is_at_most_2_5_cells_wide(budget):
    sketch = ScoreSketch.empty()
    for seed in range(40):
        sketch = sketch.merge(ScoreSketch.of_samples(samples(*rows(seed, n=10_000)), budget))
    low, high = ends("roc_auc", sketch)
    assert 0 < high - low <= 2.5 / budget
