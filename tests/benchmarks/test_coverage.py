"""Intervals and bands hold the truth as often as they say, and tests hold their level: small and fixed.

The full trials are `make coverage` (benchmarks/trials). Bounds are wide enough for a few samples (a true 93% stays
above the lower one in 999 of 1000 seeds), and an interval that is known to fail shows that one is caught.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from calipers.inference import area as areas_of_curves
from calipers.inference import of_areas

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from trials import harness, page
from trials.areas import AREAS
from trials.areas.methods import Methods
from trials.known_misses import KNOWN
from trials.promises import Promise
from trials.rules import Cell, KnownMiss, limits

SAMPLES = 120
LEAST = 100 * binom.ppf(0.001, SAMPLES, 0.93) / SAMPLES
MOST = 100 * binom.ppf(0.999, SAMPLES, 0.98) / SAMPLES


def trial_named(area, name):
    return next(trial for _, trial in harness.trials_of(area) if trial.name == name)


def cells_of(area, name, samples=SAMPLES):
    trial = trial_named(area, name)
    ready = trial.ready()
    counts = harness.counted(ready, np.random.default_rng(7), samples)
    return {c.metric: c for c in harness.cells_of(area, "", trial, ready.promises, samples, counts)}


@pytest.mark.parametrize(
    "name",
    [
        "two classes: weak, 100 rows, 0.5",
        "two classes: strong, 1000 rows, 0.1",
        "two classes, restated for a prevalence of 0.2: weak, 1000 rows, 0.1",
        "three classes: strong, 1000 rows, 0.1",
        "three labels: weak, 100 rows, 0.5",
        "hard shapes: 5 % of negatives like positives, 150 rows, 0.7",
    ],
)
def test_intervals_hold_the_truth(name):
    cells = cells_of("classification", name)
    assert set(cells) == set(trial_named("classification", name).metrics.split())
    inside = [c for c in cells.values() if not c.promise.few]
    assert inside
    for c in inside:
        assert c.coverage >= LEAST, c
        assert c.coverage <= MOST or c.promise.wide, c


@pytest.mark.parametrize("kind", ["two classes", "three classes"])
def test_the_trials_of_methods_try_what_users_get(kind):
    """The many methods of a sample are found by a shorter road: its defaults are those of `evaluate`."""
    rows = trial_named("classification", f"{kind}: weak, 100 rows, 0.1")
    columns = {name: values[:100] for name, values in rows.whole(np.random.default_rng(5)).items()}
    names = [name for name in rows.metrics.split() if name != "mce"]
    every, plain = Methods(rows).every(columns, names, {}), rows.evaluation(columns, metrics=names)
    defaults = {}
    for (name, _), one in every.items():
        defaults.setdefault(name, one)
    for name, one in defaults.items():
        assert (one.low, one.high, one.flags) == (plain[name].low, plain[name].high, plain[name].flags)
    assert {"normal", "jeffreys", "t", "percentile", "basic", "bca"} <= {method for _, method in every}
    jeffreys = rows.evaluation(columns, metrics=["accuracy"], interval="jeffreys")
    assert jeffreys["accuracy"].low == every["accuracy", "jeffreys"].low


def test_an_interval_that_fails_is_caught(monkeypatch):
    """Average precision without what high negatives that were not drawn could do."""
    whole = areas_of_curves.average_precision

    def plain(value, variance, positives, n, level, kurtosis, harm):
        return whole(value, variance, positives, n, level)

    monkeypatch.setattr(of_areas.area, "average_precision", plain)
    failing = cells_of("classification", "hard shapes: 5 % of negatives like positives, 150 rows, 0.7")[
        "average_precision"
    ]
    assert failing.coverage < LEAST
    assert failing.verdict == "low"


@pytest.mark.parametrize("metric", ["log_loss", "brier"])
def test_item_6_two_rows_of_a_class_do_not_spoil_a_loss(metric):
    """The upper end allows for losses that were not drawn."""
    assert cells_of("classification", "two classes: weak, 100 rows, 0.02", SAMPLES)[metric].coverage >= LEAST


@pytest.mark.parametrize("name", ["strong, 1000 rows, 0.1", "wide positives, 1000 rows, 0.1"])
def test_bands_hold_the_truth(name):
    cells = [c for c in cells_of("bands", name).values() if not c.promise.few]
    assert {page.family(c.metric) for c in cells} == {"ROC, pointwise", "PR, pointwise", "ROC, simultaneous"}
    assert min(c.coverage for c in cells) >= LEAST


def test_bands_of_calibration_curves_hold_the_truth():
    cells = [c for c in cells_of("bands", "calibration: strong, 1000 rows, 0.5").values() if not c.promise.few]
    assert cells
    assert min(c.coverage for c in cells) >= LEAST


# The rules


def cell(covered, flagged=0, plain=None, samples=4000, known=None, level=0.95, **promise):
    known = samples if known is None else known
    plain = covered - flagged if plain is None else plain
    counts = samples, known, covered, flagged, plain
    return Cell("auc", "part", "population", "roc_auc", level, Promise(**promise), *counts)


@pytest.mark.parametrize(
    ("judged", "verdict"),
    [
        (cell(3800), ""),
        (cell(3680), ""),  # 92.0%: within three standard errors of 93
        (cell(3660), "low"),
        (cell(3940), ""),  # 98.5%
        (cell(3960), "high"),
        (cell(3960, few=True), ""),
        (cell(3960, wide=True), ""),
        (cell(3660, few=True), "low"),
        (cell(3660, flagged=3300, few=True), "excused"),
        (cell(3660, flagged=3300), "low"),
        (cell(3800, flagged=1000), "flags"),
        (cell(3800, flagged=1000, few=True), ""),
        (cell(0, known=0), "none"),
        (cell(240, test=True), ""),
        (cell(241, test=True), "rejects"),
        (cell(14, samples=200, test=True), ""),  # a quick look is allowed its noise
        (cell(23, samples=200, test=True), "rejects"),
        (cell(3400, level=0.9), ""),
        (cell(3300, level=0.9), "low"),
        (cell(100, judged=False), ""),
    ],
)
def test_when_a_cell_fails(judged, verdict):
    assert judged.verdict == verdict


def test_limits_at_other_levels():
    assert limits(0.95) == pytest.approx((93, 98))
    assert limits(0.9) == pytest.approx((86, 96))
    assert limits(0.99) == pytest.approx((98.6, 99.6))


def test_a_sample_without_an_interval_is_a_miss_in_the_second_column():
    judged = cell(950, known=1000, samples=2000, flagged=500, plain=480)
    assert (judged.coverage, judged.strict, judged.unflagged, judged.flags) == (95.0, 47.5, 96.0, 50.0)


def test_known_misses_name_cells_that_exist():
    for miss in KNOWN:
        names = [trial.name for _, trial in harness.trials_of(miss.area)]
        assert any(replace_explains(miss, name) for name in names), miss


def replace_explains(miss, name):
    judged = replace(cell(0), area=miss.area, population=name, metric=miss.metric.split("|")[0])
    return KnownMiss(miss.area, miss.population, "*", judged.verdict, "").explains(judged)


# The page


def test_the_page_has_a_part_for_every_area():
    text = page.PAGE.read_text()
    for area, facts in AREAS.items():
        assert f"\n## {facts.title}\n" in text, area
        assert f"<!-- {area}: generated -->" in text, area
        assert f"<!-- {area}: end -->" in text, area


def test_tables_go_between_their_markers(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("before\n<!-- x: generated -->\nold\n<!-- x: end -->\nafter\n")
    page.replaced(path, "x", "new")
    assert path.read_text() == "before\n<!-- x: generated -->\n\nnew\n\n<!-- x: end -->\nafter\n"
    with pytest.raises(SystemExit, match="has no markers for y"):
        page.replaced(path, "y", "new")


def test_an_area_is_written_alone(tmp_path, monkeypatch):
    path = tmp_path / "coverage.md"
    path.write_text("<!-- auc: generated --><!-- auc: end -->\n<!-- groups: generated -->as before<!-- groups: end -->")
    monkeypatch.setattr(page, "PAGE", path)
    monkeypatch.setattr(page, "DETAILS", tmp_path / "coverage")
    page.written("auc", [cell(3800), cell(3600)])
    text = path.read_text()
    assert "as before" in text
    assert "4000 samples per cell, commit " in text
    assert "| population | roc_auc | 90.0 | 0.0 | **coverage too low** |" in text
    assert "| roc_auc | 95.0 | 95.0 | 95.0 | 0.0 |  |" in (tmp_path / "coverage/auc.md").read_text()


def test_held_out_populations_can_be_asked():
    """They are run once, at the end; here only that each can be drawn, of every part the first."""
    for trials in AREAS["held-out"].parts().values():
        ready = trials[0].ready()
        assert set(ready.ask(np.random.default_rng(0))) <= set(ready.promises)


def test_names_of_populations_are_shown_in_usual_words():
    assert page.shown("too timid, 10 % of 2 000 rows") == "underconfident, 10% of 2,000 rows"
    assert page.shown("3 × 3, 80 % right, 150 rows") == "3 × 3, 80% right, 150 rows"
