"""Every result has every method of `Result`, or a reason stands here."""

import csv
import html
import io
import json
import re

import numpy as np
import pytest

import calipers as cal
from calipers.answers import answer_of
from calipers.metrics.base import CATALOGUE
from calipers.report.answers import shown
from calipers.report.language import typeset
from calipers.report.page import render
from calipers.result import Result

ALL = {"to_text", "to_markdown", "to_html", "to_latex", "to_frame", "to_dict", "to_json", "save", "plot"}
WITHOUT = {  # by type: the methods that it has not, and why
    "Power": {"plot": "it is one sentence"},
    "Advice": {"plot": "it is a text"},
    "Explanation": {"plot": "it is a text"},
    "MetricList": {"plot": "it is a list of texts"},
    "WorstRows": {"plot": "it is a list of rows"},
}
OWN_ANSWERS = {"Evaluation", "Comparison", "GateResult", "Validation"}  # tests/answers
WITHOUT_CARDS: dict[str, str] = {}  # by type: why it has none
rng = np.random.default_rng(0)
TRUTH = rng.integers(0, 2, 120)
SCORE = np.clip(0.25 + 0.5 * TRUTH + rng.normal(0, 0.3, 120), 0, 1)
OTHER = np.clip(0.35 + 0.3 * TRUTH + rng.normal(0, 0.3, 120), 0, 1)


@pytest.fixture(scope="module")
def results():
    tree, cluster = pytest.importorskip("sklearn.tree"), pytest.importorskip("sklearn.cluster")
    X = np.c_[SCORE, OTHER]
    model, other = tree.DecisionTreeClassifier(max_depth=2), tree.DecisionTreeClassifier(max_depth=4)
    ev = cal.evaluate(TRUTH, SCORE)
    every = {
        "Evaluation": ev,
        "Comparison": cal.compare(TRUTH, {"old": OTHER, "new": SCORE}, metrics=["accuracy", "roc_auc"]),
        "FoldComparison": cal.compare_folds([0.8, 0.82, 0.79, 0.81], [0.84, 0.85, 0.8, 0.83], test_share=0.25),
        "DatasetComparison": cal.compare_datasets(
            {"a": [0.8, 0.7, 0.9, 0.6], "b": [0.9, 0.8, 0.95, 0.7], "c": [0.7, 0.75, 0.8, 0.5]}
        ),
        "GateResult": cal.gate(ev, ["roc_auc >= 0.6", "recall >= 0.99"]),
        "Validation": cal.cross_validate(model, X, TRUTH, cv=3, metrics=["accuracy", "roc_auc"]),
        "BootstrapValidation": cal.bootstrap_validate(model, X, TRUTH, replicates=10, metrics=["accuracy"]),
        "LearningCurve": cal.learning_curve(model, X, TRUTH, cv=3, sizes=[20, 40, 60], metrics=["accuracy"]),
        "ValidationCurve": cal.validation_curve(
            model, X, TRUTH, param="max_depth", values=[1, 2, 3], cv=3, metrics=["accuracy"]
        ),
        "BiasVariance": cal.bias_variance(model, X, TRUTH, replicates=10),
        "ClusterSelection": cal.select_n_clusters(cluster.KMeans(n_init=2), X, k=[2, 3], pairs=3),
        "Selection": cal.select({"small": model, "large": other}, X, TRUTH, cv=3, metric="accuracy"),
        "Power": cal.power(accuracy=(0.9, 0.92)),
        "Advice": cal.which_test(folds=10),
        "Explanation": cal.explain("recall"),
        "MetricList": cal.MetricList(),
        "WorstRows": ev.worst_rows(5),
        "Trend": cal.trend({f"2026-0{m}": cal.evaluate(TRUTH[m::5], SCORE[m::5]) for m in range(1, 5)}),
        "Calibration": cal.calibrate(TRUTH, SCORE, method="isotonic"),
        "DecisionCurve": cal.decision_curve(TRUTH, {"old": OTHER, "new": SCORE}),
    }  # fmt: skip
    assert all(type(result).__name__ == name for name, result in every.items())
    return every


@pytest.fixture(scope="module")
def pages(results, tmp_path_factory):
    """The page of each result, as its file has it."""
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    folder = tmp_path_factory.mktemp("pages")
    for name, result in results.items():
        result.save(folder / f"{name}.html")
    return {name: (folder / f"{name}.html").read_text("utf-8") for name in results}


def subclasses(kind=Result):
    return {kind, *(each for below in kind.__subclasses__() for each in subclasses(below))}


def test_no_result_type_is_missing_here(results):
    named = {type(result) for result in results.values()}
    assert {kind for kind in subclasses() if not kind.__subclasses__()} == named


def test_every_type_has_every_method_or_a_reason(results):
    for name, result in results.items():
        for method in ALL - set(WITHOUT.get(name, ())):
            assert callable(getattr(result, method)), (name, method)
        assert result.kind


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_every_result_is_drawn_in_every_format(results, lang):
    for name, result in results.items():
        text = result.to_text(lang)
        assert repr(result) == result.to_text()
        title = text.splitlines()[0]
        assert len(title) > 5
        assert result.to_markdown(lang).startswith("### "), name
        fragment = result.to_html(lang)
        assert fragment.startswith(f'<div class="calipers" lang="{lang}">')
        assert "<script" not in fragment
        latex = result.to_latex(lang)
        assert latex.count("\\begin{tabular}") == latex.count("\\end{tabular}"), name
        assert not re.search(r"(?<!\\)[%#]", latex), name


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_every_result_begins_with_its_sentence_and_cards(results, pages, lang):
    """Notebooks and pages; evaluations, comparisons and gates are tested in tests/answers."""
    for name in set(results) - OWN_ANSWERS - set(WITHOUT_CARDS):
        result = results[name]
        assert answer_of(result) is not None, f"{name}: its cards belong in calipers.answers.results"
        found = shown(answer_of(result), typeset(lang))
        assert found is not None, name
        assert 1 <= len(found.cards) <= 3, name
        page = pages[name] if lang == "en" else render(result, lang=lang)
        for text in (found.sentence, *(part for card in found.cards for part in (card.question, card.sentence))):
            assert html.escape(text) in result.to_html(lang), (name, text)
        assert result.to_html(lang).count('<div class="card ') == len(found.cards), name
        assert page.count('<p class="plain">') == len(found.cards), name
        assert '<p class="answer">' in result.to_html(lang)


def test_every_result_is_a_frame_with_its_rows(results):
    pytest.importorskip("pandas")
    for name, result in results.items():
        frame = result.to_frame()
        assert len(frame) > 0, name
        assert frame.columns.is_unique


def test_every_ending_is_written(results, tmp_path):
    for name, result in results.items():
        for ending in (".json", ".csv", ".md", ".tex", ".txt"):
            result.save(tmp_path / f"{name}{ending}")
        assert json.loads((tmp_path / f"{name}.json").read_text("utf-8")) == json.loads(result.to_json())
        rows = list(csv.DictReader(io.StringIO((tmp_path / f"{name}.csv").read_text("utf-8"), newline="")))
        assert len(rows) == len(result.to_frame()), name
        assert (tmp_path / f"{name}.txt").read_text("utf-8") == result.to_text() + "\n"


def test_every_result_has_a_page(pages):
    for page in pages.values():
        assert page.startswith("<!doctype html>")
        assert "<h1>" in page
        assert 'aria-label=""' not in page
        assert len(page) < 300_000


def test_numbers_below_zero_have_one_sign(results, pages):
    """On pages and in notebooks; labels stay as they were given, and commands and scripts as they are typed."""
    errors = np.random.default_rng(1).normal(-1, 2, 150)
    months = {f"2026-0{month}": cal.evaluate(errors, errors + 3 * TRUTH[month] - month) for month in range(1, 4)}
    signed = {"Regression": cal.evaluate(errors, errors[::-1]), "Shift": cal.trend(months)}
    for name, result in (results | signed).items():
        for shown_text in (pages[name] if name in pages else render(result), result.to_html()):
            visible = re.sub(r"<(script|style|code|pre).*?</\1>", "", shown_text, flags=re.DOTALL)
            text = html.unescape(re.sub(r"<[^>]*>", " ", visible)).replace("(label -1)", "")
            assert not re.findall(r"(?:(?<![\w−-])|(?<=\de))-\d.{0,20}", text), name
    assert "−" in signed["Regression"].to_html()
    assert "-" in signed["Regression"].to_text()


def test_pages_shorten_no_sentence_and_show_no_empty_section(pages):
    for name, page in pages.items():
        assert "…" not in page.partition("<script>")[0], name
        assert "<ul></ul>" not in page, name
        assert "sha256:e3b0c44298fc" not in page, name  # the hash of no data
    assert "predicting this class for every row gives a recall of 1." in pages["Explanation"]
    assert 'href="#definitions"' not in pages["Explanation"]


def test_the_chart_that_says_most_is_the_default(results):
    plt = pytest.importorskip("matplotlib.pyplot")
    for name, result in results.items():
        if "plot" in WITHOUT.get(name, ()):
            with pytest.raises(cal.InputError, match="no chart"):
                result.plot()
        else:
            assert result.plot().figure is not None
            plt.close("all")


def test_what_came_back_has_a_default_chart(results):
    plt = pytest.importorskip("matplotlib.pyplot")
    for name in set(results) - set(WITHOUT):
        assert cal.loads(results[name].to_json()).plot().figure is not None, name
        plt.close("all")


def test_an_unknown_chart_is_refused_with_those_of_this_task(results):
    with pytest.raises(cal.UnknownName, match=r"'rok'; available: roc, pr, .*, det, intervals$"):
        results["Evaluation"].plot("rok")
    with pytest.raises(cal.UnknownName, match=r"'rok'; available: intervals, residuals, predicted, errors$"):
        cal.evaluate([1.5, 2.5, 3.5], [1.0, 2.5, 4.0]).plot("rok")


def test_every_result_comes_back_from_its_document(results, tmp_path):
    for name, result in results.items():
        result.save(tmp_path / "x.json")
        for back in (cal.load(tmp_path / "x.json"), cal.loads(result.to_json()), cal.loads(result.to_json().encode())):
            assert type(back) is type(result)
            assert back.to_dict() == result.to_dict(), name
        document = result.to_dict()
        assert list(document)[:3] == ["format", "kind", "settings"]
        assert (document["format"], document["kind"]) == (2, result.kind)


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_what_came_back_reads_as_what_was_saved(results, lang):
    for name, result in results.items():
        back = cal.loads(result.to_json())
        for format in ("to_text", "to_markdown", "to_html", "to_latex"):
            assert getattr(back, format)(lang) == getattr(result, format)(lang), (name, format)


def test_what_came_back_has_the_same_table(results):
    testing = pytest.importorskip("pandas.testing")
    for result in results.values():
        testing.assert_frame_equal(cal.loads(result.to_json()).to_frame(), result.to_frame())


def test_documents_are_small_and_do_not_grow_with_the_rows(results):
    for name, result in results.items():
        assert len(result.to_json()) < (350 * len(list(CATALOGUE)) if name == "MetricList" else 30_000), name
