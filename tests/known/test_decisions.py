"""Calibration and net benefit against statsmodels, scikit-learn, betacal and dcurves (decisions/make.py)."""

import json
from pathlib import Path

import numpy as np
import pytest

import calipers as cal

KNOWN = json.loads((Path(__file__).parent / "decisions" / "known.json").read_text())
Y, P, Q, W = (np.array(KNOWN["rows"][name]) for name in ("y", "p", "q", "weights"))
EV = cal.evaluate(Y, P, positive=1)
GRID = np.array(KNOWN["grid"])


@pytest.mark.parametrize("weights", [None, W], ids=["plain", "weighted"])
def test_item_1_slope_intercept_and_shift_are_those_of_statsmodels(weights):
    ev = cal.evaluate(Y, P, positive=1, weights=weights)
    end = "" if weights is None else "_weighted"
    intercept, slope = KNOWN[f"logistic{end}"]
    assert ev["calibration_slope"] == pytest.approx(slope, rel=1e-8)
    assert ev["calibration_intercept"] == pytest.approx(intercept, rel=1e-8)
    assert ev["calibration_in_the_large"] == pytest.approx(KNOWN[f"shift{end}"], rel=1e-8)


def test_item_1_the_integrated_index_is_that_of_lowess():
    assert EV["integrated_calibration_index"] == pytest.approx(KNOWN["ici"], rel=1e-9)


def test_item_1_nagelkerke_is_that_of_a_fitted_model():
    fitted = cal.evaluate(Y, np.array(KNOWN["fitted"]), positive=1)
    assert fitted["nagelkerke_r2"] == pytest.approx(KNOWN["nagelkerke"], rel=1e-9)


def test_item_1_bins_that_papers_use_are_those_of_scikit_learn():
    assert EV["ece(bins=10, closed=right)"] == pytest.approx(KNOWN["uniform"], rel=1e-12)
    assert EV["ece(bins=7, rule=quantile, closed=right)"] == pytest.approx(KNOWN["quantile"], rel=1e-12)


@pytest.mark.parametrize(("method", "tolerance"), [("platt", 2e-6), ("beta", 2e-3)])
def test_item_1_maps_are_those_of_other_libraries(method, tolerance):
    """scikit-learn stops Platt's fit early, and betacal's logistic regression has a weak penalty."""
    assert cal.calibrate(Y, P, method=method, positive=1).apply(GRID) == pytest.approx(KNOWN[method], abs=tolerance)


@pytest.mark.parametrize("weights", [None, W], ids=["plain", "weighted"])
def test_item_1_isotonic_is_that_of_scikit_learn_but_never_0_or_1(weights):
    known = np.array(KNOWN["isotonic" if weights is None else "isotonic_weighted"])
    mine = cal.calibrate(Y, P, method="isotonic", positive=1, weights=weights).apply(GRID)
    inside = (known > 0) & (known < 1)
    assert mine[inside] == pytest.approx(known[inside], rel=1e-9)
    assert ((mine > 0) & (mine < 1)).all()


def test_item_3_net_benefit_is_that_of_dcurves():
    curve = cal.decision_curve(Y, {"p": P, "q": Q}, positive=1)
    for name, known in KNOWN["net_benefit"].items():
        assert curve[name].value == pytest.approx(known, rel=1e-9, abs=1e-12), name
    assert EV.curve("decision").net_benefit == pytest.approx(KNOWN["net_benefit"]["p"], rel=1e-9, abs=1e-12)
    assert EV.curve("decision").treat_all == pytest.approx(KNOWN["net_benefit"]["all"], rel=1e-9)


def test_item_1_the_shift_of_certain_predictions():
    """With n₁ rows of log odds L, all positive, and n₀ of -L, all negative: n₁ exp(-L-b) = n₀ exp(-L+b)."""
    ev = cal.evaluate([1, 1, 1, 0], score=[1.0, 1.0, 1.0, 0.0])
    assert ev["calibration_in_the_large"] == pytest.approx(np.log(3) / 2, rel=1e-7)
