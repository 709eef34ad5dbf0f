"""A flag says that an interval is not reliable: where intervals cover, at most 20% of the samples have one."""

import numpy as np
import pytest

import calipers as cal
from calipers.inference.intervals import interval
from calipers.metrics.values import QueryMean


def flagged_and_covered(draw, metrics, truths, samples=300, **how):
    """The share of samples with a flag and of those whose interval holds the truth, by metric."""
    rng, counts = np.random.default_rng(15), np.zeros((len(metrics), 2))
    for _ in range(samples):
        ev = cal.evaluate(*draw(rng), metrics=metrics, **how)
        counts += [(bool(ev[m].flags), ev[m].low <= t <= ev[m].high) for m, t in zip(metrics, truths, strict=True)]
    return counts.T / samples


def test_shares_and_areas_that_cover_are_seldom_flagged():
    """25 positives of 50 rows, 80% of either class right: five rows were asked for, and 71% had a flag."""

    def draw(rng):
        y = np.r_[np.zeros(25, int), np.ones(25, int)]
        return y, (rng.normal(1.683 * y) > 0.8416).astype(int)

    metrics = ["recall", "specificity", "precision", "npv", "balanced_accuracy", "youden_j", "mcc", "f1"]
    truths = [0.8, 0.8, 0.8, 0.8, 0.8, 0.6, 0.6, 0.8]
    flagged, covered = flagged_and_covered(draw, metrics, truths, labels=(0, 1), positive=1)
    assert (flagged <= 0.2).all(), dict(zip(metrics, flagged, strict=True))
    assert (covered > 0.9).all()


def test_areas_that_cover_are_seldom_flagged():
    """An AUC of 0.9 from 40 and 80 rows: four misranked rows of the smaller class, and 40 positives."""

    def draw(rng):
        y = np.r_[np.zeros(80, int), np.ones(40, int)]
        return y, rng.normal(1.8124 * y)

    flagged, covered = flagged_and_covered(draw, ["roc_auc"], [0.9], labels=(0, 1), positive=1, threshold=0.9)
    assert flagged[0] <= 0.05
    assert covered[0] > 0.93
    precision, _ = flagged_and_covered(draw, ["average_precision"], [0.0], 50, labels=(0, 1), positive=1, threshold=0.9)
    assert precision[0] == 0


def test_a_lone_row_of_the_rarer_outcome_is_flagged():
    ev = cal.evaluate([0] * 50 + [1] * 20, [0] * 50 + [1] * 19 + [0], positive=1)
    assert ev["recall"].flags == ("too few cases to be reliable (1 of the rarer outcome)",)
    assert ev["balanced_accuracy"].flags == ("too few cases to be reliable (0 of the rarer outcome)",)
    two = cal.evaluate([0] * 50 + [1] * 20, [0] * 48 + [1] * 20 + [0] * 2, positive=1)
    assert two["recall"].flags == two["specificity"].flags == ()


@pytest.mark.parametrize(("method", "count"), [("wilson", 1), ("normal", 4), ("clopper-pearson", None)])
def test_the_limit_belongs_to_the_method(method, count):
    """Wald's interval fails with four misses, Wilson's with one; Clopper and Pearson's is exact."""
    for misses in range(7):
        y = np.ones(40, int)
        estimate = cal.evaluate(y, (np.arange(40) >= misses).astype(int), labels=(0, 1), positive=1,
                                metrics=["recall"], interval={"recall": method})["recall"]  # fmt: skip
        if method != "normal" or misses:  # no misses have no width by Wald's formula, which is another flag
            assert bool(estimate.flags) == (count is not None and misses <= count)


def test_few_heavy_rows_are_flagged_by_their_number():
    """Two errors that weigh 20 and 58 hits that weigh 1: two rows decide, whatever their weight."""
    weights = np.r_[np.full(2, 20.0), np.ones(58)]
    pred = np.r_[np.ones(2, int), np.zeros(58, int)]
    ev = cal.evaluate(np.zeros(60, int), pred, labels=(0, 1), positive=1, weights=weights, metrics=["accuracy"])
    assert "too few cases to be reliable (2 of the rarer outcome)" in ev["accuracy"].flags


def test_what_a_calibrated_model_would_show_is_a_note():
    rng = np.random.default_rng(3)
    p = rng.random(200)
    ev = cal.evaluate((rng.random(200) < p).astype(int), p, metrics=["ece", "mce"])
    for name in ("ece", "mce"):
        assert ev[name].flags == ()
        note = ev[name].notes[0]
        expected = f"would have an {name.upper()} of about {note.values['expected']:.3f} on this much data"
        assert note == f"even a perfectly calibrated model {expected}"
        assert expected in " ".join(str(ev).split())  # each metric has its own footnote
        again = cal.loads(ev.to_json())[name]
        assert (again.flags, again.notes) == ((), ev[name].notes)


def test_balanced_accuracy_says_which_classes_it_leaves_out():
    ev = cal.evaluate([0, 0, 1, 1], [0, 1, 1, 1], labels=(0, 1, 2), metrics=["balanced_accuracy"])
    assert "1 of 3 classes left out: a class has no rows" in ev["balanced_accuracy"].flags


def test_a_mean_over_many_classes_is_covered_and_not_flagged():
    """20 classes with falling shares: square-and-add covered 91%, and every sample had a flag."""
    shares = 0.8 ** np.arange(20) / (0.8 ** np.arange(20)).sum()
    rng, held, flags = np.random.default_rng(20), [], []
    for _ in range(600):
        rows = rng.multinomial(1500, shares)
        hits = rng.binomial(rows, 0.85)
        cells = np.diag(hits)
        cells[np.arange(20), (np.arange(20) + 1) % 20] += rows - hits
        estimate = cal.evaluate_counts(cells, metrics=["balanced_accuracy"])["balanced_accuracy"]
        if (rows > 0).all():
            held.append(estimate.low <= 0.85 <= estimate.high)
            flags.append(bool(estimate.flags))
    assert np.mean(held) > 0.93
    assert np.mean(flags) < 0.2


def test_one_small_class_of_three_is_flagged_and_small_ones_among_many_are_not():
    three = cal.evaluate_counts([[60, 5, 3], [6, 22, 2], [0, 0, 3]], metrics=["f1(average=macro)", "balanced_accuracy"])
    assert three["f1(average=macro)"].flags
    assert three["balanced_accuracy"].flags == ("too few cases to be reliable (4 of the rarest outcome)",)
    many = np.diag(np.full(20, 40)) + 1
    many[0] = 0
    many[0, 0], many[0, 1] = 3, 1
    ev = cal.evaluate_counts(many, metrics=["f1(average=macro)", "balanced_accuracy"])
    assert ev["f1(average=macro)"].flags == ev["balanced_accuracy"].flags == ()


@pytest.mark.parametrize(("inside", "flagged"), [(0, True), (1, True), (2, False), (5, False)])
def test_means_over_queries_need_two_off_the_bound(inside, flagged):
    values = np.r_[np.linspace(0.2, 0.6, inside), np.zeros(30 - inside)]
    assert bool(interval(QueryMean.of(values), 0.95, (0.0, 1.0)).flags) == flagged
