import re

import numpy as np
import pytest

import calipers as cal
from calipers import datasets
from calipers.errors import InputError, UnknownName
from calipers.inference.intervals import every_method
from calipers.metrics.beyond_chance import binomial_tail
from calipers.metrics.rater_agreement import beyond, one_of_all
from calipers.report.explain import printed
from calipers.report.language import LANGUAGES, Language
from calipers.report.symbols import SYMBOL, key
from calipers.report.terminal import width
from sklearn import metrics as sk

DEBTS = datasets.load("bad_debt")


@pytest.fixture(scope="module")
def debts():
    return cal.evaluate(DEBTS, truth="truth", pred="predicted", score="score", positive="BAD")


@pytest.fixture(scope="module")
def weather():
    days = datasets.load("weather")
    return cal.evaluate(days, truth="truth", score=["p_rain", "p_snow", "p_sun"])


def values(explanation):
    return [float(value) for value, _ in explanation.definitions]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("metric", [m.name for m in cal.metrics.catalogue()])
def test_every_metric_is_explained_in_every_language_in_80_columns(metric, lang, debts, weather):
    for explanation in (
        cal.explain(metric, lang=lang),
        debts.explain(metric, lang=lang),
        weather.explain(metric, lang=lang),
    ):
        text = str(explanation)
        assert max(map(width, text.split("\n"))) <= 80, text
        assert metric in text or text.startswith(f"{metric.capitalize()}\n")
        assert Language(lang).caution(metric)[:3] in text


def test_every_symbol_and_every_method_has_words():
    words = Language("en")
    symbols = {key(m, name) for m in cal.metrics.catalogue() for name in SYMBOL.findall(m.formula)}
    lacking = sorted(name for name in symbols if not words.knows(name))
    assert not lacking, f"add to [symbols] of src/calipers/report/i18n/*/explain.toml: {lacking}"
    lacking = sorted(name for name in every_method() if not words.knows(f"explain.methods.{name}"))
    assert not lacking, f"add to [methods] of src/calipers/report/i18n/*/explain.toml: {lacking}"


def test_the_counts_are_put_into_the_formula(debts):
    facts = dict(debts.explain("f1").facts)
    assert facts["formula"].startswith("2*TP / (2*TP + FP + FN)\nTP: true positives; ")
    assert facts["with your numbers"] == "2*55 / (2*55 + 50 + 45) = 0.537"
    assert facts["value"] == "0.537 [0.454, 0.617], 95% confidence, 1000 rows"
    assert facts["interval"].startswith("wilson: ")
    assert dict(debts.explain("f1", lang="vi").facts)["với số liệu của bạn"] == "2*55 / (2*55 + 50 + 45) = 0,537"
    assert dict(debts.explain("no_information_rate").facts)["with your numbers"] == "max([100, 900]) / 1000 = 0.900"
    assert dict(debts.explain("roc_auc").facts)["with your numbers"] == "77565.5 / (100 * 900) = 0.862"


OF_LABELS = [m.name for m in cal.metrics.catalogue() if m.from_labels and not m.view.of_clusters]


@pytest.mark.parametrize("name", [*OF_LABELS, "gini"])
def test_the_formula_with_numbers_gives_the_number(name, debts):
    """What stands under `here` is evaluated as it is printed."""
    here = dict(debts.explain(name).facts).get("with your numbers", "")
    if not here:
        assert cal.metric(name).metric.over.__name__ == "RowMean" or name == "weighted_kappa"
        return
    text, _, printed_value = here.rpartition(" = ")
    numpy = {n: getattr(np, n) for n in ("sum", "max", "sqrt", "mean", "abs")}
    own = {f.__name__: f for f in (binomial_tail, beyond, one_of_all)}
    known = {"array": np.array, **own, **numpy}
    result = eval(re.sub(r"(\[[^]]*\])", r"array(\1)", text), known)
    assert result == pytest.approx(float(debts[name]), rel=1e-9)
    assert float(printed_value) == pytest.approx(result, rel=1e-3, abs=5e-4)


def test_the_mean_over_classes_is_written_out(weather):
    averages = ("macro", "weighted", "means")
    macro, weighted, means = (dict(weather.explain(f"f1(average={a})").facts)["with your numbers"] for a in averages)
    assert macro == "(0.844 + 0.758 + 0.895) / 3 = 0.832"
    assert weighted == "(225*0.844 + 34*0.758 + 341*0.895) / 600 = 0.868"
    assert means == "2*0.839*0.826 / (0.839 + 0.826) = 0.832"
    assert weather.explain("f1").name == "f1(average=macro)"


def test_three_ways_to_the_area_agree(debts):
    ways = debts.explain("roc_auc").ways
    assert len({value for value, _ in ways}) == 1
    assert float(ways[0][0]) == pytest.approx(float(debts["roc_auc"]), abs=1e-6)
    assert [text.partition(":")[0] for _, text in ways] == ["area", "pairs", "ranks"]
    # 100 positives: the rank sum less 100 x 101 / 2, over 100 x 900 pairs
    rank_sum = float(re.search(r"\(([\d.]+) - 100 x 101 / 2\)", ways[2][1])[1])
    assert (rank_sum - 5050) / 90000 == pytest.approx(float(debts["roc_auc"]), abs=1e-12)
    tied = cal.evaluate([0, 1, 0, 1, 1], [0.5, 0.5, 0.2, 0.5, 0.9]).explain("roc_auc")
    assert [value for value, _ in tied.ways] == ["0.833333"] * 3


def test_definitions_are_what_other_libraries_give(debts, weather):
    y = np.array(DEBTS["truth"]) == "BAD"
    score, predicted = np.array(DEBTS["score"]), np.array(DEBTS["predicted"]) == "BAD"
    precision, recall, _ = sk.precision_recall_curve(y, score)
    assert values(debts.explain("average_precision"))[:2] == pytest.approx(
        [sk.average_precision_score(y, score), sk.auc(recall, precision)], abs=5e-5
    )
    assert values(debts.explain("f1"))[:5] == pytest.approx(
        [
            sk.f1_score(y, predicted),
            sk.f1_score(~y, ~predicted),
            *(sk.f1_score(y, predicted, average=a) for a in ("macro", "weighted", "micro")),
        ],
        abs=5e-5,
    )
    assert values(debts.explain("balanced_accuracy")) == pytest.approx(
        [sk.balanced_accuracy_score(y, predicted), sk.balanced_accuracy_score(y, predicted, adjusted=True)], abs=5e-5
    )
    assert values(debts.explain("brier")) == pytest.approx(
        [sk.brier_score_loss(y, score), sk.brier_score_loss(y, score, scale_by_half=False)], abs=5e-5
    )
    rescaled, raw = values(debts.explain("partial_auc(max_fpr=0.2)"))
    fpr, tpr, _ = sk.roc_curve(y, score, drop_intermediate=False)
    x = np.append(fpr[fpr <= 0.2], 0.2)
    assert rescaled == pytest.approx(sk.roc_auc_score(y, score, max_fpr=0.2), abs=5e-5)
    assert raw == pytest.approx(np.trapezoid(np.append(tpr[fpr <= 0.2], np.interp(0.2, fpr, tpr)), x), abs=5e-5)
    days = datasets.load("weather")
    matrix = np.stack([days[c] for c in ("p_rain", "p_snow", "p_sun")], 1)
    matrix = matrix / matrix.sum(1, keepdims=True)
    assert values(weather.explain("roc_auc"))[-1] == pytest.approx(
        sk.roc_auc_score(days["truth"], matrix, multi_class="ovo"), abs=5e-4
    )


def test_the_rule_at_the_threshold():
    ev = cal.evaluate([0, 1, 1, 0, 1, 0] * 5, [0.5, 0.5, 0.9, 0.1, 0.2, 0.3] * 5)
    by_rule = {text.partition(" (")[0]: value for value, text in ev.explain("recall").definitions}
    assert by_rule["positive if score >= 0.5"] == "0.6667"
    assert by_rule["positive if score > 0.5"] == "0.3333"


@pytest.mark.parametrize(
    ("metric", "got", "says"),
    [
        ("average_precision", 0.605, "0.605 is: mean of the best precision at 11 recall levels (PASCAL VOC 2007)"),
        ("average_precision", "0.6110", "0.6110 is: trapezoids: straight lines between the"),
        ("f1", "94.7%", "94.7% is: with GOOD as the positive class"),
        ("roc_auc", 0.747, "0.747 is: predicted labels passed as scores"),
        ("roc_auc", "0,862", "0,862 is: ties count as half"),
        ("recall", 0.333,
            "none of these definitions gives 0.333; the nearest is 0.5500: with BAD as the positive class"),
        ("mcc", 0.905, "none of these definitions gives 0.905; the nearest is 0.4839: as defined above"),
    ],
)
def test_the_definition_that_gives_a_number_is_named(debts, metric, got, says):
    assert debts.explain(metric, got=got).got[0].startswith(says)


def test_other_metrics_that_give_the_number_are_named(debts):
    assert debts.explain("f1", got=0.612).got[1] == "other metrics with the value 0.612 here: average_precision"


def test_a_number_as_printed():
    assert printed(0.731) == (0.731, 3)
    assert printed("50%") == (0.5, 2)
    with pytest.raises(
        InputError, match="got='abc' is not a number: pass the value as the other tool printed it, such as"
    ):
        printed("abc")


def test_what_cannot_be_explained():
    with pytest.raises(InputError, match=r"got=0.5 needs data: the matching definition depends on it"):
        cal.explain("f1", got=0.5)
    with pytest.raises(UnknownName, match="no metric is called 'presicion'; did you mean precision"):
        cal.explain("presicion")


def test_an_undefined_metric_says_why():
    ev = cal.evaluate([0, 1, 0], [-3.0, 2.0, 1.0])
    assert "undefined: scores are not probabilities (-3 to 2)" in str(ev.explain("f1"))


def test_a_document_is_explained_without_what_is_gone(debts):
    read = cal.loads(debts.to_json())
    explanation = read.explain("f1")
    assert dict(explanation.facts)["value"] == dict(debts.explain("f1").facts)["value"]
    assert explanation.definitions == ()


def test_a_name_that_says_it_all_is_not_repeated():
    assert cal.explain("recall").title == "Recall"
    assert cal.explain("f1").title == "F1 (f1)"
    assert cal.explain("mcc").title == "MCC (mcc)"
    assert cal.explain("recall", lang="zh").title == "查全率（召回率，recall）"
