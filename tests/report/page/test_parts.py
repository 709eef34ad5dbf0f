"""Slices, classes and the confusion matrix of a page: worst first, all of them, any number of them."""

import re

import numpy as np
import pytest

import calipers as cal
from calipers.report.evaluation import findings
from calipers.report.language import language
from calipers.report.layout import Footnotes
from calipers.report.page import BUDGETS, parts, render
from calipers.report.page.heat import heat

EN = language("en")


def classes_of(count, rows=40):
    rng = np.random.default_rng(4)
    truth = np.repeat(np.arange(count), rows)
    wrong = rng.random(len(truth)) < np.linspace(0.05, 0.6, count)[truth]
    predicted = np.where(wrong, (truth + 1) % count, truth)
    return cal.evaluate([f"class {i:03d}" for i in truth], [f"class {i:03d}" for i in predicted])


@pytest.fixture(scope="module")
def sixty():
    return classes_of(60)


def test_item_b10_all_classes_are_listed_worst_first_with_their_rows_and_a_filter(sixty):
    table = parts.classes(sixty, Footnotes(EN), BUDGETS[0])
    assert len(table.rows) == 60
    assert table.head == ("class", "rows", "F1", "Precision", "Recall")
    values = [float(row[2].sort) for row in table.rows]
    assert values == sorted(values)
    assert {row[1].text for row in table.rows} == {"40"}
    assert table.filter == "Find a class"


def test_item_b10_sixty_classes_have_a_map_with_every_cell(sixty):
    found = heat(sixty.confusion, EN, BUDGETS[0])
    cells = re.findall(r'd="M(\d+) (\d+)h1v1h-1z"><title>(.*?)</title>', str(found.cells))
    counts = {(int(i), int(j)): int(re.search(r": (\d+) \(", title)[1]) for j, i, title in cells}
    expected = {(int(i), int(j)): int(n) for (i, j), n in np.ndenumerate(sixty.confusion.counts) if n}
    assert counts == expected
    assert "class 003 → class 004: " in str(found.cells)


def test_item_b3_long_names_are_whole_in_the_matrix():
    names = [f"a rather long name of a class, the one called {i}" for i in range(12)]
    found = heat(cal.evaluate(names * 4, names * 3 + names[::-1]).confusion, EN, BUDGETS[0])
    assert set(found.names) == set(names)


def test_item_c15_charts_say_their_numbers_under_the_pointer():
    ev = cal.evaluate([0, 1] * 60, np.linspace(0, 1, 120) * 0.8 + np.tile([0, 0.2], 60))
    page = render(ev, lang="en")
    figure = re.search(r'<figure id="calibration".*?</figure>', page, re.S)[0]
    titles = re.findall(r"<circle [^>]*><title>(.*?)</title>", figure)
    curve = ev.curve("calibration")
    assert len(titles) == len(curve.score)
    assert f"observed frequency {EN.number(curve.outcome[0])}" in titles[0]


def test_labels_have_their_rows():
    ev = cal.evaluate([{"a"}, {"a", "b"}, set()] * 9, [{"a"}, {"b"}, {"b"}] * 9)
    table = parts.classes(ev, Footnotes(EN), BUDGETS[0])
    assert {row[0].text: row[1].text for row in table.rows} == {"a": "18", "b": "9"}


def test_item_c7_slices_are_sorted_and_coloured_where_the_finding_holds():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 1200)
    region = np.array(["north", "south", "east"])[np.arange(1200) % 3]
    wrong = rng.random(1200) < np.where(region == "east", 0.45, 0.1)
    ev = cal.evaluate(truth, np.where(wrong, 1 - truth, truth), positive=1, by={"region": region})
    weak = {f.numbers["slice"] for f in findings(ev) if f.code == "weak_slice"}
    assert weak == {"east"}
    table = next(iter(parts.slices(ev, Footnotes(EN), BUDGETS[0])))
    assert table.rows[0][0].text == "east"
    assert {row[0].text for row in table.rows if row[0].tone == "bad"} == weak
    overall = table.feet[2]
    assert f"all {ev['accuracy'].shown()[0]}" in str(overall)
    assert str(table.rows[0][2].strip).count('class="ref"') == 1


def test_errors_are_sorted_with_the_largest_first():
    truth = np.arange(120.0)
    by = {"part": ["near", "far"] * 60}
    ev = cal.evaluate(truth, truth + np.where(np.arange(120) % 2, 9.0, 1.0) * (-1.0) ** np.arange(120), by=by,
                      task="regression")  # fmt: skip
    table = next(iter(parts.slices(ev, Footnotes(EN), BUDGETS[0])))
    assert [row[0].text for row in table.rows] == ["far", "near"]
