"""The stops of the workbench: they cut rows as Python does, and hold what usual questions ask for."""

import numpy as np
import pytest

import calipers as cal
from calipers.report.language import language
from calipers.report.page.entries import entries, written
from calipers.report.page.one_class import against_rest
from calipers.report.page.stops import hull, stops

RANDOM = np.random.default_rng(7)


def samples(rows, dtype=np.float64):
    truth = RANDOM.random(rows) < 0.3
    score = RANDOM.normal(truth * 1.5, 1).astype(dtype)
    return cal.evaluate(truth.astype(int), score, threshold=0.5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_short_threshold_cuts_where_its_score_does(dtype):
    ev = samples(3000, dtype)
    _, tp, fp = ev.views.samples.sweep(False)
    known = set(zip(tp.tolist(), fp.tolist(), strict=True))
    found = stops(ev.views.samples, 64, 64, 0.5).thresholds
    assert len(found) <= 64
    cuts = [ev.at(threshold=float(written(t))).views.samples.at(t) for t in found]
    assert {(float(c.tp), float(c.fp)) for c in cuts} <= {(float(a), float(b)) for a, b in known}
    assert max(len(written(t)) for t in found) <= 9


def test_any_two_costs_have_their_least_at_a_stop():
    ev = samples(5000)
    chosen = stops(ev.views.samples, 128, 256)
    assert chosen.exact
    cuts = [ev.views.samples.at(t) for t in chosen.thresholds]
    for fp, fn in RANDOM.lognormal(0, 2, (200, 2)):
        costs = [(fp * c.fp + fn * c.fn) / 5000 for c in cuts]
        assert min(costs) == pytest.approx(ev.best_threshold(cost={"fp": fp, "fn": fn}).value, rel=1e-12)


def test_too_many_corners_are_said():
    score = np.linspace(0, 1, 4001)
    truth = RANDOM.random(4001) < score
    ev = cal.evaluate(truth.astype(int), score)
    assert len(hull(*(np.asarray(x, float) for x in ev.views.samples.sweep(False)[:0:-1]))) > 20
    assert not stops(ev.views.samples, 24, 24).exact
    assert stops(ev.views.samples, 128, 256).exact


def test_the_hull_is_that_of_a_slow_search():
    x, y = np.sort(RANDOM.integers(0, 30, 40)).astype(float), np.sort(RANDOM.integers(0, 30, 40)).astype(float)
    order = np.unique(np.stack((x, y)), axis=1)
    x, y = order
    corners = set(hull(x, y).tolist())
    prices = RANDOM.lognormal(0, 2, (3000, 2))
    best = {int(np.argmax(fn * y - fp * x)) for fp, fn in prices}
    assert best <= corners


def test_infinite_scores_have_no_stop_that_predicts_none():
    ev = cal.evaluate([0, 1] * 20, [-np.inf, np.inf] * 10 + [0.0, 1.0] * 10, threshold=0.5)
    found = stops(ev.views.samples, 64, 64, 0.5).thresholds
    assert found == (-np.inf, 0.0, 0.5, 1.0, np.inf)
    assert [float(ev.at(threshold=t)["tp"]) for t in found] == [20, 20, 20, 20, 10]


def test_a_class_against_the_rest_keeps_groups_and_weights():
    truth = RANDOM.choice(["a", "b", "c"], 300)
    score = RANDOM.dirichlet([1, 1, 1], 300)
    weights, groups = RANDOM.random(300) + 0.5, np.arange(300) // 3
    for how in ({"weights": weights}, {"groups": groups}, {}):
        ev = cal.evaluate(truth, score, labels=["a", "b", "c"], **how)
        mine = against_rest(ev, "b").at(threshold=0.4)
        other = cal.evaluate((truth == "b").astype(int), score[:, 1], **how).at(threshold=0.4)
        for name in ("recall", "precision", "f1", "fpr"):
            assert str(mine[name]) == str(other[name]), (name, how)


def test_a_label_of_several_is_cut_as_python_cuts_it():
    truth = (RANDOM.random((200, 3)) < 0.4).astype(int)
    score = np.clip(0.3 * truth + 0.7 * RANDOM.random((200, 3)), 0, 1)
    ev = cal.evaluate(truth, score=score, labels=["a", "b", "c"])
    found = entries(ev, language("en"))
    assert [entry.of.label for entry in found.by_slice[0]] == ["a", "b", "c"]
    for index, entry in enumerate(found.by_slice[0]):
        other = cal.evaluate(truth[:, index], score[:, index])
        given = entry.used.texts
        assert (given["f1"], given["recall"]) == (str(other["f1"]), str(other["recall"]))  # both cut at 0.5
        for threshold, shown in list(zip(entry.stops.thresholds, entry.each, strict=True))[::7]:
            assert shown.texts["recall"] == str(other.at(threshold=threshold)["recall"])
            assert shown.texts["fpr"] == str(other.at(threshold=threshold)["fpr"])


def test_there_are_at_most_20_entries_and_the_rest_is_counted():
    score = RANDOM.dirichlet(np.ones(7), 700)
    truth, part = RANDOM.integers(0, 7, 700), RANDOM.integers(0, 9, 700)
    ev = cal.evaluate(truth, score, labels=list(range(7)), by={"part": part})
    found = entries(ev, language("en"))
    assert [len(row) for row in found.by_slice] == [7, 7]
    assert all(len(entry.each) <= 64 for row in found.by_slice for entry in row if entry)
    assert entries(cal.evaluate([0, 1] * 9, [0, 1] * 9), language("en")) is None
