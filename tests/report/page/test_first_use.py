"""On a page in another language, the English term stands in brackets where a metric is first mentioned."""

import re

import pytest
from sklearn.tree import DecisionTreeClassifier

import calipers as cal
from calipers import datasets
from calipers.report.first_use import FirstUse, brackets_of, mentions_of
from calipers.report.language import Language
from calipers.report.page import render

LEFT_OUT = re.compile(r"<(script|style|svg|select|nav|title)\b.*?</\1>", re.DOTALL)  # pictures, choices and links
LOANS = {"truth": "truth", "score": "score", "positive": "BAD"}


def loans(begin=0, end=1000):
    return {name: column[begin:end] for name, column in datasets.load("bad_debt").items()}


def binary():
    return cal.evaluate(loans(), **LOANS, by="region")


def classes():
    return cal.evaluate(datasets.load("weather"), truth="truth", score=["p_rain", "p_snow", "p_sun"], by="season")


def labels():
    return cal.evaluate([{"a"}, {"a", "b"}, {"b"}, {"c"}] * 9, [{"a"}, {"b"}, set(), {"c", "b"}] * 9)


def regression():
    return cal.evaluate(datasets.load("flats"), truth="truth", pred="predicted", by="district")


def ranking():
    return cal.evaluate_ranking(datasets.path("search.qrels"), datasets.path("search.run"))


def clusters():
    flowers = datasets.load("flowers")
    return cal.evaluate_clusters(flowers["cluster"], truth=flowers["species"])


def recommendations():
    return cal.evaluate_recommendations(datasets.path("films_truth.csv"), datasets.path("films_recommendations.csv"))


def topics():
    return cal.evaluate_topics(datasets.path("articles_topics.json"), datasets.path("articles.jsonl"))


def comparison():
    scores = loans()["score"]
    models = {"old": scores, "new": [0.9 * score + 0.1 * (row * 0.618 % 1) for row, score in enumerate(scores)]}
    return cal.compare(loans()["truth"], models, positive="BAD", by={"region": loans()["region"]})


def folds():
    features = [[score] for score in loans()["score"]]
    tree = DecisionTreeClassifier(random_state=0)
    return cal.cross_validate(tree, features, loans()["truth"], positive="BAD", seed=0)


def gate():
    return cal.gate(binary(), ["roc_auc >= 0.8", "recall >= 0.5", "by region: recall >= 0.4"])


def trend():
    months = range(4)
    return cal.trend({f"2026-0{m + 1}": cal.evaluate(loans(250 * m, 250 * m + 250), **LOANS) for m in months})


def calibration():
    return cal.calibrate(loans()["truth"], loans()["score"], positive="BAD")


def explanation():
    return cal.explain("recall")


KINDS = (binary, classes, labels, regression, ranking, clusters, recommendations, topics, comparison, folds, gate,
         trend, calibration, explanation)  # fmt: skip


def without_brackets(page, code):
    """The texts that mention a metric for the first time and have no brackets behind its name."""
    met, wrong = set(), []
    for text in re.split(r"<[^>]+>", LEFT_OUT.sub("<>", page)):
        for found in mentions_of(code).finditer(text):
            brackets = brackets_of(code).get((found["term"] or "").lower())
            if brackets and brackets not in met:
                met.add(brackets)
                wrong += [] if re.search(r"[)）]", text[found.end("term") :]) else [text.strip()]
    return wrong, met


@pytest.mark.parametrize("code", ["vi", "zh"])
@pytest.mark.parametrize("kind", KINDS, ids=lambda make: make.__name__)
def test_every_kind_of_page_has_the_english_term_where_a_metric_is_first_mentioned(kind, code):
    wrong, met = without_brackets(render(kind(), lang=code), code)
    assert not wrong, wrong
    assert met or kind is gate, "no metric is mentioned"  # requirements are written in code


def test_the_check_finds_a_mention_without_brackets():
    assert without_brackets("<p>Độ phủ là 0,5</p><p>độ phủ (recall)</p>", "vi")[0] == ["Độ phủ là 0,5"]


def test_brackets_stand_once_and_longer_names_are_one_mention():
    met = FirstUse(Language("vi"))
    assert met("Độ chính xác cân bằng là 0,7.") == "Độ chính xác cân bằng (balanced accuracy) là 0,7."
    assert met("Độ chính xác là 0,9.") == "Độ chính xác (accuracy) là 0,9."
    assert met("độ chính xác cân bằng, độ chính xác") == "độ chính xác cân bằng, độ chính xác"
    assert met.shown("độ phủ (recall)") == "độ phủ (recall)"
    assert met("độ phủ") == "độ phủ"


def test_words_of_the_readers_own_data_stay_as_they_are():
    page = render(cal.evaluate(["độ phủ", "b"] * 20, ["độ phủ", "b", "b", "b"] * 10, positive="độ phủ"), lang="vi")
    assert "độ phủ (recall)" in page  # the name of the metric in the table
    assert "mẫu độ phủ (recall)" not in page


def test_english_pages_have_no_brackets_added():
    assert FirstUse(Language("en"))("recall and precision") == "recall and precision"
