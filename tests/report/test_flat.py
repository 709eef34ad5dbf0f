"""`to_flat_dict`: names that trackers accept, and `to_frame` of curves and confusion matrices."""

import re

import numpy as np
import pytest

import calipers as cal

rng = np.random.default_rng(0)
Y = rng.integers(0, 2, 120)
P = np.clip(0.3 + 0.4 * Y + rng.normal(0, 0.2, 120), 0, 1)
ALLOWED = re.compile(r"[/\w.\- :]*")  # MLflow's rule


def test_item_6_metrics_bounds_and_slices():
    ev = cal.evaluate(Y, P, by={"region": ["N E", "s/w"] * 60}, metrics=["roc_auc", "fbeta(beta=2)"])
    flat = ev.to_flat_dict()
    assert flat["roc_auc"] == float(ev["roc_auc"])
    assert (flat["roc_auc_low"], flat["roc_auc_high"]) == (ev["roc_auc"].low, ev["roc_auc"].high)
    assert flat["fbeta_beta_2"] == float(ev["fbeta(beta=2)"])
    assert flat["region_N_E_roc_auc"] == float(ev.by["region"]["N E"]["roc_auc"])
    assert {"region_s_w_roc_auc", "region_s_w_roc_auc_low"} <= set(flat)
    assert all(isinstance(value, float) for value in flat.values())


def test_item_6_without_bounds_and_with_another_separator():
    ev = cal.evaluate(Y, P, metrics=["roc_auc", "recall"])
    assert not [name for name in ev.to_flat_dict(bounds=False) if name.endswith(("low", "high"))]
    assert "roc/auc/low" in ev.to_flat_dict("/")
    with pytest.raises(cal.InputError, match="sep='@' cannot separate words"):
        ev.to_flat_dict("@")


def test_names_of_all_kinds_are_accepted_and_unique():
    models = {"old (v1)": 1 - P, "new": P}
    results = [
        cal.evaluate(Y, P), cal.compare(Y, models), cal.gate(cal.evaluate(Y, P), ["roc_auc >= 0.6", "recall > 0.99"]),
        cal.evaluate(["a", "b", "+"] * 20, ["a", "+", "+"] * 20),
        cal.compare_folds([0.8, 0.82, 0.79], [0.84, 0.85, 0.8], test_share=0.25),
        cal.compare_datasets({"a": [0.8, 0.7, 0.9], "b": [0.9, 0.8, 0.95]}), cal.power(accuracy=(0.9, 0.92)),
    ]  # fmt: skip
    for result in results:
        flat = result.to_flat_dict()
        assert flat
        assert all(ALLOWED.fullmatch(name) for name in flat), list(flat)
        assert np.isfinite(list(flat.values())).all()
    compared = results[1].to_flat_dict()
    assert compared["roc_auc_new_old_v1_difference"] == results[1]["roc_auc"].difference


def test_undefined_numbers_are_left_out():
    flat = cal.evaluate([1, 1, 1], [0.2, 0.7, 0.9], positive=1, labels=[0, 1]).to_flat_dict()
    assert "roc_auc" not in flat
    assert "accuracy" in flat


def test_item_6_frames_of_curves_and_matrices():
    ev = cal.evaluate(Y, P)
    roc = ev.to_frame("roc", band="pointwise")
    assert list(roc) == ["threshold", "fpr", "tpr", "low", "high"]
    assert len(roc) == len(ev.curve("roc").x)
    matrix = ev.to_frame("confusion")
    assert matrix.loc[1, 0] == ev.confusion[1, 0]
    assert (matrix.index.name, matrix.columns.name) == ("truth", "prediction")
    assert ev.confusion.T.to_frame().loc[0, 1] == ev.confusion[1, 0]
    assert len(ev.to_frame()) == len(ev.to_frame("metrics")) > 5
    with pytest.raises(cal.UnknownName):
        ev.to_frame("rok")
