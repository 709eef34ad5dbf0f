"""The page of a comparison: who wins, on every metric, by tests that agree with the intervals shown."""

import re

import numpy as np
import pytest

import calipers as cal
from calipers import datasets
from calipers.answers.comparisons import BEST, WORSE, deciding, standing, standings
from calipers.report.language import LANGUAGES, language
from calipers.report.page import LIMIT, render

RNG = np.random.default_rng(3)
TRUTH = (RNG.random(900) < 0.3).astype(int)


def scores(signal):
    return 1 / (1 + np.exp(-(signal * (2 * TRUTH - 1) + RNG.normal(size=900) - 0.8)))


@pytest.fixture(scope="module")
def five():
    models = {"base": scores(0.8), "boosted": scores(1.5), "like base": scores(0.8), "weak": scores(0.3),
              "coin": RNG.random(900)}  # fmt: skip
    return cal.compare(TRUTH, models)


@pytest.fixture(scope="module")
def two():
    debts = datasets.load("bad_debt")
    wary = [0.9 * score + 0.1 * (row * 0.618 % 1) for row, score in enumerate(debts["score"])]
    return cal.compare(debts["truth"], {"old": wary, "new": debts["score"]}, positive="BAD")


def test_item_a2_five_models_have_one_answer_and_a_winner_on_every_metric(five):
    page = render(five, lang="en")
    assert "boosted is best on ROC AUC: better than all 4 other models" in page
    conclusions = re.search(r'<ul class="verdicts">(.*?)</ul>', page, re.S)[1]
    english = language("en")
    for name in five:
        assert re.search(rf"(on|,| and) {re.escape(english.name(name))}([,.]| and)", conclusions), name
    assert page.index('id="leaders-0"') < page.index('id="glance"') < page.index('id="differences"')


def test_item_a6_verdict_p_and_interval_agree(five):
    for found in standings(five, 100):
        for name, state in found.states.items():
            if name == found.leader:
                continue
            d = five[found.metric][name, found.leader]
            clear = d.low > 0 or d.high < 0
            assert d.interval_adjusted
            assert (state == WORSE) == (d.adjusted < 0.05) == clear, (found.metric, name)


def test_the_leader_has_the_best_value_of_losses_too(five):
    for name in ("log_loss", "roc_auc"):
        found = standing(five, name)
        values = {model: float(ev[name]) for model, ev in five.models.items()}
        best = min(values, key=values.get) if name == "log_loss" else max(values, key=values.get)
        assert found.leader == best
        assert found.states[best] == BEST
        assert set(found.states) == set(values)


def test_models_are_sorted_by_the_metric_that_decides(five):
    assert deciding(five) == "roc_auc"
    named = cal.compare(TRUTH, {"a": scores(1), "b": scores(0.2)}, primary="brier")
    assert deciding(named) == "brier"
    assert "a is better than b on Brier score (0." in render(named, lang="en")


def test_item_a7_the_winner_is_named_whatever_the_order(two):
    page = render(two, lang="en")
    assert "new is better on log loss, Brier score and ECE." in page
    assert not re.search(r'class="verdict[^"]*"[^>]*>\s*(better|worse)\b', page.partition('id="differences"')[2])
    assert "old better</span><span>new better" in page.replace("← ", "").replace(" →", "")


def test_item_a9_right_of_the_line_the_candidate_is_better(two):
    """The points of losses too: the strip of log loss is right of the line although the difference is below 0."""
    page = render(two, lang="en")
    d = two["log_loss"]["new", "old"]
    assert d.difference < 0
    assert d.winner == "new"
    below = page.partition('id="differences"')[2]
    row = re.search(r'<th scope="row"><span title="(?i:log loss)">.*?</tr>', below, re.S)[0]
    places = (r'class="ref" x1="([\d.]+)%"', r'cx="([\d.]+)%" cy="50%" r="4.5"')
    line, point = (float(re.search(place, row)[1]) for place in places)
    assert point > line
    assert 'class="strip good"' in row


def test_what_is_open_says_how_many_rows_are_needed(two):
    page = render(two, lang="en")
    assert two["accuracy"].more_rows
    assert "no evidence; about 960 more rows needed" in page


def test_curves_of_all_models_are_drawn(five):
    page = render(five, lang="en")
    for key in ("curves-roc", "curves-pr", "curves-calibration"):
        figure = re.search(rf'<figure id="{key}".*?</figure>', page, re.S)[0]
        assert all(name in figure for name in five.models)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_links_lead_somewhere_in_every_language(five, two, lang):
    for comparison in (five, two):
        page = render(comparison, lang=lang)
        ids = re.findall(r' id="([\w-]+)"', page)
        assert len(ids) == len(set(ids))
        assert set(re.findall(r'href="#([\w-]+)"', page)) <= set(ids)
        assert len(page.encode()) <= LIMIT


def test_metrics_without_a_direction_have_no_winner():
    compared = cal.compare(TRUTH, {"a": scores(1), "b": scores(0.2)}, metrics=["prevalence", "tp"])
    assert standings(compared, 10) == []
    page = render(compared, lang="en")
    assert 'id="leaders-0"' not in page
    assert 'id="differences"' in page


def test_a_leaderboard_for_every_metric_with_its_own_order(five):
    page = render(five, lang="en")
    shown = re.findall(r'<div class="board"( hidden)?>.*?id="leaders-(\d+)"(.*?)</table>', page, re.S)
    assert len(shown) >= 6
    assert [bool(hidden) for hidden, *_ in shown] == [False] + [True] * (len(shown) - 1)
    for (_, _, table), found in zip(shown, standings(five, 100), strict=False):
        rows = re.findall(r'<th scope="row"[^>]*><span title="([^"]*)"', table)
        assert rows == list(found.states)
    assert page.count("Best model first.") == 3  # caption, label of the region and of the table
    names = re.findall(r'<option value="\d+">([^<]*)</option>', page)
    assert names == [language("en").heading(found.metric) for found in standings(five, 100)[: len(names)]]


def test_the_table_over_folds_shows_the_interval():
    found = cal.compare_folds([0.80, 0.82, 0.81, 0.79, 0.83], [0.78, 0.81, 0.80, 0.79, 0.80], test_share=0.2)
    table = render(found, lang="en").partition("<tbody>")[2].partition("</tbody>")[0]
    assert '<span class="ci">[' in table.partition("</th>")[0]
