"""The answers of comparisons and gates: verdicts are those of the tests, and every view says the same."""

import html

import numpy as np
import pytest

import calipers as cal
from calipers import datasets
from calipers.answers import answer_of_gate, answer_of_models
from calipers.report.answers import shown
from calipers.report.first_use import FirstUse
from calipers.report.language import LANGUAGES, Language
from calipers.report.page import render

RNG = np.random.default_rng(3)
TRUTH = (RNG.random(900) < 0.3).astype(int)


def scores(signal):
    return 1 / (1 + np.exp(-(signal * (2 * TRUTH - 1) + RNG.normal(size=900) - 0.8)))


@pytest.fixture(scope="module")
def two():
    return cal.compare(TRUTH, {"old": scores(0.6), "new": scores(1.4)})


@pytest.fixture(scope="module")
def four():
    return cal.compare(TRUTH, {"weak": scores(0.3), "good": scores(1.5), "also good": scores(1.5), "coin": scores(0)})


def test_the_cards_of_two_models_are_the_tests_of_one_metric_per_question(two):
    cards = answer_of_models(two).cards
    assert [card.metric for card in cards] == ["roc_auc", "balanced_accuracy", "log_loss"]
    for card in cards:
        d = two[card.metric]["new", "old"]
        assert (float(card.estimate), card.estimate.low, card.estimate.high) == (d.difference, d.low, d.high)
        assert card.tone == ("good" if d.winner == "new" else "bad" if d.winner == "old" else "open")
    turned = cal.compare(TRUTH, {"new": scores(1.4), "old": scores(0.2)})
    assert {card.code for card in answer_of_models(turned).cards} == {"baseline"}


def test_the_bar_of_a_loss_is_right_of_its_mark_where_the_candidate_is_better(two):
    loss = next(card for card in shown(answer_of_models(two), Language("en")).cards if card.caption.startswith("Log"))
    assert two["log_loss"]["new", "old"].difference < 0
    assert loss.bar.mark == 0.5 < loss.bar.low <= loss.bar.value <= loss.bar.high


def test_the_deciding_metric_comes_first_and_names_stay_as_written(two):
    sentence = shown(answer_of_models(two), Language("en")).sentence
    assert sentence.startswith("new is better than old on ROC AUC (0.")
    primary = cal.compare(TRUTH, {"old": scores(0.2), "new": scores(1.4)}, primary="brier")
    assert answer_of_models(primary).cards[0].metric == "brier"


def test_of_several_models_the_best_and_those_like_it_are_named(four):
    card = answer_of_models(four).cards[0]
    assert card.code == "leads"
    assert set(card.numbers["worse"].split("\n")) == {"weak", "coin"}
    sentence = shown(answer_of_models(four), Language("en")).sentence
    assert "better than weak and coin, not distinguishable from" in sentence
    assert card.mark == float(four.models[card.numbers["second"]]["roc_auc"])


def test_numbers_and_runs_have_their_first_metrics():
    rng = np.random.default_rng(0)
    y = rng.normal(size=300)
    numbers = cal.compare(y, {"a": y + rng.normal(size=300), "b": y + 0.3 * rng.normal(size=300)})
    cards = answer_of_models(numbers).cards
    assert cards[0].metric == "rmse"
    assert [card.code for card in cards] == ["candidate"] * 3
    assert shown(answer_of_models(numbers), Language("en")).cards[0].question == "RMSE"


def gate():
    asked = ["roc_auc >= 0.8", "recall >= 0.5", "log_loss <= 0.25", "precision >= 0.7"]
    return cal.gate(cal.evaluate(datasets.load("bad_debt"), truth="truth", score="score", positive="BAD"), asked)


def test_a_gate_counts_its_answers_and_says_what_is_missing():
    result = gate()
    cards = answer_of_gate(result).cards
    assert [(card.code, card.numbers["count"], card.tone) for card in cards] == [
        ("fail", 1, "bad"), ("inconclusive", 2, "open"), ("pass", 1, "good")
    ]  # fmt: skip
    undecided = [check.more_rows for check in result.checks if check.answer == "inconclusive"]
    assert cards[1].numbers["more"] == pytest.approx(max(undecided), rel=0.05)
    texts = shown(answer_of_gate(result), Language("en"))
    assert texts.sentence == "Failed: 1 of 4 requirements clearly not met."
    assert "more rows are needed to decide, if the values stay the same." in texts.cards[1].sentence


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_view_begins_with_the_same_sentence(two, four, lang):
    for result in (two, four, gate()):
        answer = answer_of_models(result) if result.kind == "comparison" else answer_of_gate(result)
        sentence = shown(answer, Language(lang)).sentence
        plain = " ".join(sentence.split())
        assert plain.replace(" ", "") in result.to_text(lang).replace("\n", "").replace(" ", "")
        assert f"**{sentence.split('(')[0].split('>')[0].rstrip()}"[:30] in result.to_markdown(lang)
        assert html.escape(sentence, quote=False) in result.to_html(lang).replace("&#x27;", "'")
        page = html.unescape(render(result, lang=lang)).replace("\N{NO-BREAK SPACE}", " ").replace("−", "-")
        assert FirstUse(Language(lang), str(result.to_dict()))(sentence).replace("−", "-") in page
        assert '<ul class="answers">' in page


def test_a_metric_at_the_start_of_a_sentence_keeps_its_capitals():
    qrels = {str(query): {"x": 1, "y": 0} for query in range(6)}
    run = {query: {"x": 0.5, "y": 0.4 + 0.2 * (int(query) % 2)} for query in qrels}
    other = {query: {"x": 0.5, "y": 0.6 - 0.2 * (int(query) % 2)} for query in qrels}
    found = cal.compare(qrels, {"a": run, "b": other}, metrics=["ndcg@10"])
    assert shown(answer_of_models(found), Language("en")).sentence.startswith("nDCG@10 does not show")
