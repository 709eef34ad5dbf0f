"""The first screen: the answer, its cards, and every metric under its question."""

import html
import math
import re

import numpy as np
import pytest

import calipers as cal
from calipers import datasets
from calipers.answers.guessing import guessing
from calipers.report.bars import bar
from calipers.report.language import language
from calipers.report.layout import Bar
from calipers.report.page import render
from calipers.report.page.first_screen import gauge, number


@pytest.fixture(scope="module")
def loans():
    return cal.evaluate(datasets.load("bad_debt"), truth="truth", score="score", positive="BAD", threshold=0.5)


@pytest.fixture(scope="module")
def page(loans):
    return html.unescape(render(loans, lang="en")).replace("\N{NO-BREAK SPACE}", " ")


def test_the_answer_stands_before_the_findings(page):
    assert page.index("misses 45 of the 100 BAD rows") < page.index('class="answers"') < page.index('id="findings"')
    assert re.findall(r'<li class="(good|open|bad)"><h3>([A-Z]\w+)', page) == [
        ("good", "Ranking"), ("open", "Decisions"), ("bad", "Probabilities")
    ]  # fmt: skip
    assert "1000 rows · positive class BAD: 100 rows (10.0%) · threshold 0.5" in page


def test_metrics_stand_under_their_question_once_each(page, loans):
    groups = re.split(r'<h3 class="group', page)[1:]
    found = [re.findall(r'id="number-(\w+)"', group) for group in groups]
    assert found == [
        ["roc_auc", "average_precision"],
        ["accuracy", "no_information_rate", "balanced_accuracy", "mcc", "precision", "recall", "specificity", "f1"],
        ["log_loss", "brier", "ece"],
    ]
    assert 'class="big"' not in page


def test_lower_is_better_has_an_arrow(page):
    marked = re.findall(r'id="number-(\w+)"(?:(?!id="number).)*?class="lower"', page, re.DOTALL)
    assert marked == ["log_loss", "brier", "ece"]


def test_notes_stand_beside_their_number(page):
    line = re.search(r'id="number-ece".*?</summary>', page, re.DOTALL)[0]
    assert re.search(r'<span class="note">[^<]*calibrated model[^<]*0\.030', line)
    assert "<sup>" not in line


def test_marks_are_what_a_model_that_guesses_scores():
    """Scores that know nothing score about what the marks say."""
    rng = np.random.default_rng(0)
    y = (rng.random(40_000) < 0.3).astype(int)
    flagged = cal.evaluate(y, np.where(rng.random(40_000) < 0.2, 0.9, 0.1))
    names = ("roc_auc", "balanced_accuracy", "mcc", "precision", "average_precision", "recall", "specificity", "f1")
    for name in names:
        measure = next(m for m in flagged.listed if m.name == name)
        assert guessing(flagged, measure) == pytest.approx(flagged[name], abs=0.015), name
    constant = cal.evaluate(y, np.full(40_000, y.mean()))
    for name in ("brier", "log_loss"):
        measure = next(m for m in constant.listed if m.name == name)
        assert guessing(constant, measure) == pytest.approx(constant[name], rel=1e-6)


def test_a_bar_keeps_its_ends_inside():
    ends = gauge(bar((1.0, 0.9, 1.0), 0.5, (0.0, 1.0)))
    assert 98 < ends.value <= 99
    assert ends.start + ends.width <= 99
    assert gauge(Bar(0.0, 0.0, 0.0)).start == 1.0
    assert gauge(None) is None


def test_a_metric_that_has_no_better_end_has_no_bar(loans):
    english = language("en")
    rate = next(m for m in loans.listed if m.name == "no_information_rate")
    assert number(rate, loans[rate.name], english).gauge is None
    area = next(m for m in loans.listed if m.name == "roc_auc")
    assert number(area, loans[area.name], english, 0.5).gauge.mark == 50.0
    assert number(area, loans[area.name], english, math.nan).gauge.mark is None


def test_small_and_large_numbers_have_one_notation():
    rng = np.random.default_rng(1)
    for size, few in ((1e-6, "e−7"), (1e9, "e8")):
        x = rng.gamma(2, size, 300)
        text = render(cal.evaluate(x, x * np.exp(rng.normal(0, 0.1, 300))), lang="en")
        values = re.findall(r'<span class="val">([^<]*)</span>', text)
        assert any(few in value for value in values)
        assert all(len(value) <= 8 for value in values), values
        assert [value for value in values if value.endswith("%")], "MAPE is read in per cent"


def test_one_class_is_said_and_no_share_of_it_is_a_headline():
    page = render(cal.evaluate([0] * 200, list(np.linspace(0.01, 0.4, 200))), lang="en")
    first = page[: page.index('id="findings"')]
    assert "All 200 rows of the test data are class 0" in first
    assert "1.000" not in first
    assert "information rate" not in first


def test_item_a3_balanced_accuracy_of_one_class_is_qualified():
    ev = cal.evaluate([0] * 200, list(np.linspace(0.01, 0.4, 200)))
    for lang, note in (("en", "1 of 2 classes left out"), ("vi", "1 trên 2 lớp"), ("zh", "2")):
        line = re.search(r'id="number-balanced_accuracy".*?</summary>', render(ev, lang=lang), re.DOTALL)[0]
        assert note in re.search(r'class="note">([^<]*)', line)[1]
    assert "d) 1 of 2 classes left out: a class has no rows" in ev.to_text()
