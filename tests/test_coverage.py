"""Intervals and bands hold the truth as often as they say: small and fixed.

The full trials are benchmarks/coverage_trials.py and band_trials.py. Bounds are wide enough for a few samples (a true
93 % stays above the lower one in 999 of 1000 seeds), and an interval that is known to fail shows that one is caught.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from calipers.inference import area, intervals

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import band_trials
import coverage_page
import coverage_trials
import validation_trials

SAMPLES = 120
LEAST = 100 * binom.ppf(0.001, SAMPLES, 0.93) / SAMPLES
MOST = 100 * binom.ppf(0.999, SAMPLES, 0.98) / SAMPLES


@pytest.mark.parametrize(
    "setting",
    [
        ("binary", "weak", 0.5, 100),
        ("binary", "strong", 0.1, 1000),
        ("restated", "weak", 0.1, 1000),
        ("several", "strong", 0.1, 1000),
        ("labelled", "weak", 0.5, 100),
        ("shapes", "5 % of negatives like positives", 0.7, 150),
    ],
    ids=str,
)
def test_intervals_hold_the_truth(setting):
    found = coverage_trials.trial(SAMPLES, setting, others=False)
    assert {f.metric for f in found} == set(coverage_trials.NAMES[setting[0]].split())
    inside = [f for f in found if f.inside]
    assert inside
    for f in inside:
        assert f.coverage >= LEAST, f
        assert f.coverage <= MOST or f.metric in ("ece", "mce"), f


@pytest.mark.parametrize("kind", ["binary", "several", "labelled"])
def test_the_trials_try_what_users_get(kind):
    """The many methods of a sample are found by a shorter road: its defaults are those of `evaluate`."""
    population = coverage_trials.MAKERS[kind]("weak", 0.1)
    rows, names = population.draw(np.random.default_rng(5), 100), coverage_trials.NAMES[kind].split()
    plain = coverage_trials.defaults(population, rows, names, False)
    every = coverage_trials.every_method({}, population, rows, names, False)
    assert {key: found for key, found in every.items() if not key[1]} == plain
    fitting = {method for _, method in every}
    assert {"normal", "jeffreys", "t"} <= fitting
    assert {"percentile", "basic", "bca"} <= fitting or kind == "labelled"
    asked = population.evaluate(rows, metrics=["accuracy"], interval="jeffreys") if kind != "labelled" else None
    assert asked is None or asked["accuracy"].low == every["accuracy", "jeffreys"].low


def test_an_interval_that_fails_is_caught(monkeypatch):
    """Average precision without what high negatives that were not drawn could do."""

    whole = area.average_precision

    def plain(value, variance, positives, n, level, kurtosis, harm):
        return whole(value, variance, positives, n, level)

    monkeypatch.setattr(intervals.area, "average_precision", plain)
    setting = ("shapes", "1 % of negatives like positives", 0.7, 150)
    found = {f.metric: f for f in coverage_trials.trial(SAMPLES, setting, others=False)}
    assert found["average_precision"].inside
    assert not found["average_precision"].good
    assert found["average_precision"].coverage < LEAST


@pytest.mark.parametrize("metric", ["log_loss", "brier"])
def test_item_6_two_rows_of_a_class_do_not_spoil_a_loss(metric):
    """The upper end allows for losses that were not drawn."""
    found = {f.metric: f for f in coverage_trials.trial(SAMPLES, ("binary", "weak", 0.02, 100), others=False)}
    assert found[metric].coverage >= LEAST


@pytest.mark.parametrize("name", ["strong", "wide positives"])
def test_bands_hold_the_truth(name):
    found = band_trials.trial(SAMPLES, (name, 1000, 0.1))
    assert {band for band, within in found if within} == {"ROC, pointwise", "PR, pointwise", "ROC, simultaneous"}
    for (band, within), shares in found.items():
        assert not within or min(shares) >= LEAST, (band, shares)


def test_bands_of_calibration_curves_hold_the_truth():
    found = band_trials.calibration_trial(SAMPLES, ("strong", 1000, 0.5))
    assert min(found["calibration, pointwise", True]) >= LEAST


def test_intervals_over_folds_hold_the_truth_and_plain_ones_do_not():
    found = validation_trials.trial(20, ("nearest centroid", 60, "10 x 10 folds"))
    assert found.coverage["corrected", "expected"] >= 80
    assert found.coverage["plain", "expected"] <= 70
    drawn = validation_trials.bootstrap_trial(10, ("least squares", 60))
    assert drawn.means["resubstitution"] < drawn.expected < drawn.means["out-of-bag"]
    assert drawn.means[".632+"] == pytest.approx(drawn.expected, rel=0.15)


def test_the_page_has_every_metric_of_the_trials():
    page = coverage_trials.PAGE.read_text()
    for kind, names in coverage_trials.NAMES.items():
        part = page.partition(f"### {coverage_page.KINDS[kind]}\n")[2].partition("\n### ")[0]
        assert {name for name in names.split() if f"| {name} |" not in part} == set(), kind


def test_tables_go_between_their_markers(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- x: generated -->\nold\n<!-- x: end -->\nafter\n")
    coverage_page.written(page, "x", "new")
    assert page.read_text() == "before\n<!-- x: generated -->\n\nnew\n\n<!-- x: end -->\nafter\n"
    with pytest.raises(SystemExit, match="has no markers for y"):
        coverage_page.written(page, "y", "new")
