"""Bands around curves: they hold the curve, stay in [0, 1], and hold the truth as often as they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers as cal
from calipers.errors import InputError
from calipers.inference.bands import calibration_pointwise, roc_pointwise, wilson_each
from calipers.inference.proportion import clopper_pearson, wilson

ASKED = [("roc", "pointwise"), ("roc", "simultaneous"), ("pr", "pointwise"), ("calibration", "pointwise")]
ROWS = st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0])), min_size=2, max_size=40)


@given(ROWS, st.floats(0.5, 0.99))
@pytest.mark.parametrize(("kind", "band"), ASKED)
def test_bands_hold_the_curve_stay_in_range_and_widen(kind, band, rows, level):
    truth, score = (np.array(column) for column in zip((True, 0.5), *rows, strict=True))
    truth[1] = False  # both classes, and often only one row of one of them
    ev = cal.evaluate(truth, score)
    plain, narrow = ev.curve(kind), ev.curve(kind, band=band, level=level)
    wide = ev.curve(kind, band=band, level=(1 + level) / 2)
    assert list(narrow) == [*plain, "low", "high"]
    assert all(np.array_equal(plain[name], narrow[name]) for name in plain)
    assert (wide.low >= 0).all()
    assert (wide.high <= 1).all()
    for low, high in ((wide.low, narrow.low), (narrow.low, plain.y), (plain.y, narrow.high), (narrow.high, wide.high)):
        assert (low <= high + 1e-12).all()


@pytest.mark.parametrize(("kind", "band"), ASKED)
def test_weights_of_one_size_change_nothing(kind, band):
    rng = np.random.default_rng(3)
    truth = rng.random(80) < 0.3
    score = (rng.random(80) + truth) / 2
    plain, weighted = (cal.evaluate(truth, score, weights=w).curve(kind, band=band) for w in (None, np.full(80, 5.0)))
    assert weighted.low == pytest.approx(plain.low)
    assert weighted.high == pytest.approx(plain.high)


def test_wilson_of_many_is_that_of_each():
    shares = np.array([0.0, 0.1, 0.5, 1.0])
    low, high = wilson_each(shares, 20.0, 0.9)
    for k, share in enumerate(shares):
        assert (low[k], high[k]) == pytest.approx(wilson(share * 20, 20, 0.9))


def test_perfect_separation_is_not_certainty():
    ev = cal.evaluate([0] * 30 + [1] * 10, np.linspace(0, 1, 40))
    curve = ev.curve("roc", band="pointwise")
    corner = int(np.flatnonzero((curve.fpr == 0) & (curve.tpr == 1))[0])
    assert curve.low[corner] == 0  # nobody knows what lies above the highest of 30 negatives
    assert curve.low[np.searchsorted(curve.fpr, 0.3)] == pytest.approx(wilson(10, 10, 0.95)[0])
    assert curve.high[corner] == 1
    assert ev.curve("pr", band="pointwise").low[9] < 0.85


def test_with_infinitely_many_negatives_only_the_height_varies():
    fpr, tpr = np.array([0.0, 0.1, 0.4, 1.0]), np.array([0.0, 0.5, 0.9, 1.0])
    band = roc_pointwise(fpr, tpr, 50, 1e12, 0.95)
    assert band.low[1:3] == pytest.approx(wilson_each(tpr, 50, 0.95)[0][1:3], abs=1e-4)
    assert band.high[1:3] == pytest.approx(wilson_each(tpr, 50, 0.95)[1][1:3], abs=1e-4)


def test_a_given_prevalence_does_not_vary():
    rng = np.random.default_rng(4)
    truth = rng.random(60) < 0.5
    ev = cal.evaluate(truth, rng.random(60) / 2 + truth / 2)
    own, given_ = ev.curve("pr", band="pointwise"), ev.at(prevalence=truth.mean()).curve("pr", band="pointwise")
    assert given_.precision == pytest.approx(own.precision)
    assert (given_.high - given_.low < own.high - own.low + 1e-12).all()
    assert (given_.high - given_.low < own.high - own.low - 1e-3).any()


def test_the_curve_says_its_level_and_method():
    ev = cal.evaluate([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8], level=0.9)
    assert ev.curve("roc", band="pointwise").note == "90% band: pointwise, Wilson limits of TPR and FPR"
    assert ev.curve("roc", band="simultaneous", level=0.5).note.startswith("50% band: simultaneous")
    assert ev.curve("roc").note == ""


def test_one_class_has_no_band():
    curve = cal.evaluate([1, 1, 1], [0.1, 0.5, 0.9], labels=[0, 1], positive=1).curve("roc", band="pointwise")
    assert curve.note == "95% band: no band: one class only"
    assert np.isnan(curve.low).all()


def test_what_cannot_be_had_is_an_error():
    ev = cal.evaluate([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8])
    offers = "use roc: pointwise, simultaneous; pr: pointwise; calibration: pointwise"
    with pytest.raises(InputError, match=f"band='simultaneous' is not available for the pr curve; {offers}"):
        ev.curve("pr", band="simultaneous")
    with pytest.raises(InputError, match="band='pointwise' is not available for the gain curve"):
        ev.curve("gain", band="pointwise")
    with pytest.raises(InputError, match="level=95 is not a confidence level"):
        ev.curve("roc", band="pointwise", level=95)
    three = cal.evaluate([0, 1, 2], np.eye(3))
    with pytest.raises(InputError, match="band= is for the curve of one class"):
        three.curve("roc", average="macro", band="pointwise")
    assert len(three.curve("roc", 1, band="pointwise").low)


def test_rows_that_may_not_be_drawn_leave_the_curve_open():
    """With 15 negatives, none may lie above the threshold of a false positive rate of 0.02."""
    rates, heights = np.array([0.0, 0.0, 0.02, 0.2, 1.0]), np.array([0.0, 0.6, 0.62, 0.8, 1.0])
    assert roc_pointwise(rates, heights, 15, 15, 0.95).low[2] == 0
    assert roc_pointwise(rates, heights, 1500, 1500, 0.95).low[2] > 0.55


def test_bins_with_few_rows_have_exact_limits():
    band = calibration_pointwise(np.array([0.0, 0.5]), np.array([4.0, 40.0]), 0.95)
    low, high = clopper_pearson(0, 4, 0.95)
    assert (band.low[0], band.high[0]) == (low, high)
    assert band.high[1] == pytest.approx(wilson(20, 40, 0.95)[1])
