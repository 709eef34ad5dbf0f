"""Pages of rankings and of predicted numbers: the queries, and how errors are spread."""

import re

import numpy as np
import pytest

import calipers as cal
from calipers import datasets
from calipers.report.language import language
from calipers.report.page import render
from calipers.report.page.queries import queries

EN = language("en")


@pytest.fixture(scope="module")
def searches():
    return cal.evaluate_ranking(datasets.path("search.qrels"), datasets.path("search.run"))


def test_item_c10_the_worst_queries_and_the_spread_over_all(searches):
    found = queries(searches, EN)
    values = np.asarray(searches.per_query["ndcg@10"], float)
    worst = sorted(values)[:10]
    assert [float(row[1].sort) for row in found.worst.rows] == pytest.approx(worst, abs=1e-6)
    relevant = dict(zip(searches.per_query["query"], searches.per_query["relevant"], strict=True))
    assert [row[3].text for row in found.worst.rows] == [str(relevant[row[0].text]) for row in found.worst.rows]
    assert sum(int(row[1].text) for row in found.spread.rows) == len(values)


def test_a_ranking_without_its_queries_has_no_such_section(searches):
    assert 'id="queries"' in render(searches, lang="en")
    assert 'id="queries"' not in render(cal.loads(searches.to_json()), lang="en")


def test_item_c12_errors_are_counted_once_each():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=500)
    predicted = truth + rng.standard_t(2, 500)
    ev = cal.evaluate(truth, predicted, task="regression")
    curve, error = ev.curve("errors", bins=12), predicted - truth
    assert curve.rows.sum() == 500
    assert len(curve.rows) == 12
    assert curve.rows[5] == np.sum((curve.begin[5] <= error) & (error < curve.end[5]))
    assert '<figure id="errors"' in render(ev, lang="en")


def test_equal_errors_have_one_bar():
    curve = cal.evaluate([1.0, 2.0, 4.0], [2.0, 3.0, 5.0], task="regression").curve("errors")
    assert curve.rows.tolist() == [3]


def test_the_charts_of_numbers_have_one_plot_box():
    flats = cal.evaluate(datasets.load("flats"), truth="truth", pred="predicted")
    page = render(flats, lang="en")
    boxes = re.findall(r'<figure id="\w+".*?<svg [^>]*viewBox="([^"]+)"', page, re.S)
    assert len(boxes) == 3
    assert len(set(boxes)) == 1
