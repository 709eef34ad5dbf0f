"""Sums over drawn rows: as the rows themselves would give them, one model or several, in groups or not."""

from dataclasses import replace

import numpy as np
import pytest

import calipers as cal
from calipers import _native
from calipers.comparison.paired_bootstrap import PairedBootstrap
from calipers.metrics import plan
from calipers.metrics.base import CATALOGUE
from calipers.metrics.bins import codes_of_width
from calipers.metrics.resolve import resolve
from calipers.metrics.sums import TOTAL, Additive, Column
from calipers.resampling.row_draws import RowDraws
from calipers.statistics.combine import Evidence

RNG = np.random.default_rng(11)
N = 301
TRUTH = (RNG.random(N) < 0.4).astype(int)
LATENT = RNG.normal(1.5 * TRUTH - 0.75)
SCORES = {name: 1 / (1 + np.exp(-LATENT - RNG.normal(size=N) * 0.7)) for name in "abc"}
CLASS = RNG.integers(0, 3, N)
MATRICES = {}
for model in "ab":
    raw = RNG.exponential(size=(N, 3)) + np.eye(3)[CLASS]
    MATRICES[model] = raw / raw.sum(1, keepdims=True)
SETS = (RNG.random((N, 3)) < 0.4).astype(int)
MARKED = {name: np.where(RNG.random((N, 3)) < 0.75, SETS, 1 - SETS) for name in "ab"}
WEIGHTS = RNG.exponential(size=N)
GROUPS = RNG.integers(0, 60, N)
CASES = {
    "binary": (TRUTH, SCORES, ("f1", "mcc", "balanced_accuracy", "cost", "f1(average=macro)", "ece", "ece(bins=7)",
                               "mce", "reliability")),
    "multiclass": (CLASS, MATRICES, ("f1(average=weighted)", "precision(average=micro)", "kappa", "ece", "mce",
                                     "top_k(k=2)", "log_loss")),
    "multilabel": (SETS, MARKED, ("f1(average=macro)", "f1(average=micro)", "jaccard(average=weighted)",
                                  "f1(average=means)", "subset_accuracy", "hamming_loss")),
}  # fmt: skip


def paired(cmp, seed=0):
    return PairedBootstrap(tuple(cmp.pairing.models.values()), seed)


@pytest.mark.parametrize("n", [1, 2, 255, 256, 257, 600])
@pytest.mark.parametrize("keyed", [False, True])
def test_sums_are_those_of_the_drawn_rows(n, keyed):
    codes, values, weights = RNG.integers(0, 5, n).astype(np.uint32), RNG.normal(size=n), RNG.exponential(size=n)
    keys = RNG.integers(0, 2**63, n).astype(np.uint64) if keyed else None
    columns = Column(codes, 5, None), Column(codes, 5, values), Column(None, 1, values), TOTAL
    draws = RowDraws(9, n, weights, keys)
    seen = []

    def of(*sums):
        seen.append(np.concatenate(sums, 1))
        return np.zeros(len(sums[0]))

    draws.values([Additive(columns, of)], 37)
    for replicate, sums in enumerate(seen[0]):
        w = draws.weights_in(replicate)
        expected = [*np.bincount(codes, w, 5), *np.bincount(codes, w * values, 5), w @ values, w.sum()]
        np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("task", CASES)
@pytest.mark.parametrize("options", [{}, {"weights": WEIGHTS}, {"groups": GROUPS}], ids=["plain", "weights", "groups"])
def test_measures_of_sums_are_measures_of_the_drawn_rows(task, options):
    truth, models, names = CASES[task]
    cmp = cal.compare(truth, models, task=task, **options)
    model = next(iter(cmp.pairing.models.values()))
    views = replace(model.views, source=model.batch)
    draws = RowDraws.of(3, model.batch)
    for name in names:
        measure = CATALOGUE[name]
        part = measure.metric.view.sums(measure, views, None, {})
        assert part is not None, name
        recipes = plan.recipes((measure,), model.batch)
        expected = []
        for replicate in range(10):
            weights = draws.weights_in(replicate)
            rows = np.flatnonzero(weights)
            drawn = replace(model.batch.take(rows), weights=weights[rows].astype(float))
            expected.append(resolve(measure, replace(views, evidence=Evidence.of(drawn, recipes))).point)
        np.testing.assert_allclose(draws.values([part], 10)[0], expected, rtol=1e-10, err_msg=name)


@pytest.mark.parametrize("name", ["f1", "ece", "ks", "eer", "partial_auc"])
def test_a_pair_is_drawn_alike_in_any_company_and_order(name):
    two = cal.compare(TRUTH, {"a": SCORES["a"], "b": SCORES["b"]}, metrics=[name])[name]
    turned = cal.compare(TRUTH, {"b": SCORES["b"], "a": SCORES["a"]}, metrics=[name])[name]
    three = cal.compare(TRUTH, SCORES, metrics=[name])[name]["b", "a"]
    assert two.stderr == pytest.approx(turned.stderr, rel=1e-12)
    assert two.stderr == pytest.approx(three.stderr, rel=1e-12)


@pytest.mark.parametrize("name", ["f1", "ece", "ks", "eer"])
def test_models_that_say_the_same_never_differ(name):
    values = paired(cal.compare(TRUTH, {"a": SCORES["a"], "b": SCORES["a"]})).values(CATALOGUE[name])
    np.testing.assert_array_equal(values[0], values[1])


@pytest.mark.parametrize("name", ["ece", "ks", "eer", "tp"])
def test_groups_are_drawn_whole(name):
    """Each row three times, in a group of its own, varies as much as the rows once do."""
    repeated = {model: np.repeat(score, 3) for model, score in SCORES.items()}
    options = {"metrics": [name], "seed": 4}
    once = cal.compare(TRUTH, SCORES, groups=np.arange(N), **options)[name]["b", "a"]
    thrice = cal.compare(np.repeat(TRUTH, 3), repeated, groups=np.repeat(np.arange(N), 3), **options)[name]["b", "a"]
    scale = 3 if name == "tp" else 1
    assert thrice.stderr == pytest.approx(once.stderr * scale, rel=0.1)


def test_cells_of_the_joint_table_vary_as_the_rows_do():
    boot = paired(cal.compare(TRUTH, SCORES))
    for name in ("f1", "mcc", "tp", "precision(average=macro)"):
        measure = CATALOGUE[name]
        parts = [measure.metric.view.sums(measure, b.views, None, b.cache) for b in boot._bootstraps]
        draws = RowDraws(0, N)
        by_row, by_cell = draws.values(parts, 4000), draws.values_of_cells(parts, 4000)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            spread = (by_cell[i] - by_cell[j]).std()
            assert (by_row[i] - by_row[j]).std() == pytest.approx(spread, rel=0.07), name


def test_many_rows_are_drawn_by_cells_with_as_many_resamples():
    n = 30_000
    y = RNG.integers(0, 2, n)
    models = {name: np.where(RNG.random(n) < 0.8, y, 1 - y) for name in "ab"}
    result = cal.compare(y, models, metrics=["f1"])["f1"]
    assert result.method == "paired bootstrap t-test, 2000 samples"
    influence = cal.compare(y, models, metrics=["f1"], groups=np.arange(n) // 2 * 2 + RNG.integers(0, 2, n))["f1"]
    assert result.stderr == pytest.approx(influence.stderr, rel=0.06)


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    results = set()
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("CALIPERS_THREADS", threads)
        cmp = cal.compare(TRUTH, SCORES)
        results.add(tuple(cmp[name]["b", "a"].stderr for name in ("f1", "ece", "ks", "eer")))
    assert len(results) == 1


def test_bins_of_equal_width_have_the_edges_of_the_metric():
    for bins in (1, 7, 10, 15, 100):
        for dtype in (np.float32, np.float64):
            edges = (np.arange(1, bins) / bins).astype(dtype)
            values = np.concatenate((edges, np.nextafter(edges, dtype(0)), np.nextafter(edges, dtype(1)), [0, 1]))
            values = np.concatenate((values, RNG.random(500))).astype(dtype)
            np.testing.assert_array_equal(codes_of_width(values, bins), np.searchsorted(edges, values, "right"))


def test_codes_beyond_the_cells_are_refused():
    with pytest.raises(ValueError, match="a code lies beyond the cells"):
        _native.resampled_sums(2, [(np.array([0, 2], np.uint32), 2, None)], None, None, 0, 0, 8)
    with pytest.raises(ValueError, match="rows without codes are summed into one cell"):
        _native.resampled_sums(2, [(None, 2, None)], None, None, 0, 0, 8)


@pytest.mark.filterwarnings("error")
def test_resamples_in_which_both_values_are_infinite_are_left_out():
    y, pred = [0] * 20 + [1] * 20, [0] * 19 + [1] * 21
    result = cal.compare(y, {"a": pred, "b": [1, *pred[1:]]}, metrics=["lr_plus"])["lr_plus"]
    assert "left out" in result.note
