"""nDCG, MAP and MRR under each of their definitions."""

import math
import string

import numpy as np
import pytest
import pytrec_eval

import calipers as cal
from calipers import datasets
from calipers.report.language import LANGUAGES, Language
from calipers.report.ranking_definitions import USERS, of_rankings
from calipers.report.terminal import width
from sklearn import metrics as sk

RNG = np.random.default_rng(4)
DOCS = list(string.ascii_lowercase[:15])
QRELS = {f"q{i}": {d: int(RNG.integers(0, 4)) * int(RNG.random() < 0.6) for d in DOCS} for i in range(12)}
QRELS["none"] = dict.fromkeys(DOCS, 0)
TIED = {q: {d: round(float(RNG.random()), 1) for d in RNG.permutation(DOCS)[:12]} for q in QRELS}
UNTIED = {q: {d: s + 0.001 * i for i, (d, s) in enumerate(one.items())} for q, one in TIED.items()}
LACKING = {q: one for q, one in UNTIED.items() if q not in ("q3", "q5")}


def by_key(ev, name):
    """Values by the keys of their texts."""
    return {(d.key, *d.also): d.value for d in of_rankings(ev, cal.metric(name))}


def in_order(run, query):
    return [QRELS[query][d] for d in sorted(run[query], key=lambda d: (run[query][d], d), reverse=True)]


def mean_over_queries(run, measure):
    return np.mean([measure(in_order(run, q), list(QRELS[q].values())) for q in QRELS])


def exponential(grades, k=10):
    return sum((2**g - 1) / math.log2(i + 2) for i, g in enumerate(grades[:k]))


def precisions(grades, k):
    return sum(np.mean(np.array(grades[: i + 1]) > 0) for i, g in enumerate(grades[:k]) if g > 0)


def by_trec_eval(run, measure):
    return {q: one[measure] for q, one in pytrec_eval.RelevanceEvaluator(QRELS, {measure}).evaluate(run).items()}


def test_ndcg_is_what_other_libraries_give():
    ev = cal.evaluate_ranking(QRELS, TIED)
    values = by_key(ev, "ndcg@10")
    trec = by_trec_eval(TIED, "ndcg_cut_10")
    assert values["linear_all", "ties_id"] == pytest.approx(np.mean(list(trec.values())))
    alone = [sk.ndcg_score([[QRELS[q][d] for d in TIED[q]]], [list(TIED[q].values())], k=10) for q in QRELS]
    assert values["linear_retrieved", "ties_mean"] == pytest.approx(np.mean(alone))
    best = lambda pool: exponential(sorted(pool, reverse=True)) or 1.0  # noqa: E731
    right = {
        "exponential_all": lambda ranked, pool: exponential(ranked) / best(pool),
        "exponential_retrieved": lambda ranked, pool: exponential(ranked) / best(ranked),
        "exponential_one": lambda ranked, pool: exponential(ranked) / best(ranked) if any(ranked) else 1.0,
    }
    for key, measure in right.items():
        assert values[key, "ties_id"] == pytest.approx(mean_over_queries(TIED, measure)), key
    averaged = cal.evaluate_ranking(QRELS, TIED, ties="mean")
    assert values["exponential_all", "ties_mean"] == float(averaged["ndcg(gain=exponential)@10"])


def test_the_denominators_of_map():
    values = by_key(cal.evaluate_ranking(QRELS, UNTIED), "map@3")
    relevant = lambda pool: sum(g > 0 for g in pool) or 1  # noqa: E731
    right = {
        "by_relevant": lambda ranked, pool: precisions(ranked, 3) / relevant(pool),
        "by_least": lambda ranked, pool: precisions(ranked, 3) / min(relevant(pool), 3),
        "by_hits": lambda ranked, pool: precisions(ranked, 3) / relevant(ranked[:3]),
    }
    for key, measure in right.items():
        assert values[key,] == pytest.approx(mean_over_queries(UNTIED, measure)), key
    assert len({round(values[key,], 9) for key in right}) == 3
    trec = by_trec_eval(UNTIED, "map_cut_3")
    assert values["by_relevant",] == pytest.approx(np.mean(list(trec.values())))
    assert values["grade_2",] == float(cal.evaluate_ranking(QRELS, UNTIED)["map(rel=2)@3"])
    assert ("by_least",) not in by_key(cal.evaluate_ranking(QRELS, UNTIED), "map")  # without a cutoff it is the first


def test_the_first_ten_of_mrr():
    ev = cal.evaluate_ranking(QRELS, TIED)
    whole, first_two = by_key(ev, "mrr"), by_key(ev, "mrr@2")
    assert whole["first_relevant", "ties_id"] == pytest.approx(np.mean(list(by_trec_eval(TIED, "recip_rank").values())))
    assert whole["first_ten", "ties_mean"] == float(cal.evaluate_ranking(QRELS, TIED, ties="mean")["mrr@10"])
    assert first_two["first_cut", "ties_id"] == float(ev["mrr@2"])
    assert first_two["first_relevant", "ties_id"] == whole["first_relevant", "ties_id"]
    assert "first relevant document among the first 2, ties by" in str(ev.explain("mrr@2"))
    untied = cal.evaluate_ranking(QRELS, UNTIED).explain("mrr@10").definitions
    assert untied[0][1] == "first relevant document among the first 10 (MS MARCO)"


def test_the_first_definition_is_the_one_that_was_measured():
    others = {"missing_queries": "skip"}, {"no_relevant": "one"}, {"unjudged": "drop"}
    for rules in ({}, {"ties": "order"}, {"ties": "mean"}, *others):
        for run in (UNTIED, LACKING, TIED):
            ev = cal.evaluate_ranking(QRELS, run, **rules)
            for name in ("ndcg@10", "map", "map@10", "mrr", "mrr@10"):
                assert next(iter(by_key(ev, name).values())) == pytest.approx(float(ev[name]), rel=1e-12), (name, rules)


def test_queries_that_lack_and_queries_without_relevant_documents():
    values = by_key(cal.evaluate_ranking(QRELS, LACKING), "map")
    assert values["missing_skip",] == pytest.approx(np.mean(list(by_trec_eval(LACKING, "map").values())))
    assert values["no_relevant_one",] == float(cal.evaluate_ranking(QRELS, LACKING, no_relevant="one")["map"])
    assert ("missing_zero",) in by_key(cal.evaluate_ranking(QRELS, LACKING, missing_queries="skip"), "map")
    full = {q: one for q, one in QRELS.items() if q != "none"}
    assert not any(
        key[0].startswith(("missing", "no_relevant")) for key in by_key(cal.evaluate_ranking(full, UNTIED), "map")
    )


def test_without_ties_every_tool_with_the_definition_is_named():
    texts = [text for _, text in cal.evaluate_ranking(QRELS, UNTIED).explain("ndcg@10").definitions]
    assert texts[0] == (
        "gain = grade; normalised by the best order of all judged documents (trec_eval, ir_measures, ranx ndcg)"
    )
    assert not any("ties" in text for text in texts)


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("metric", [m.name for m in cal.metrics.catalogue() if m.over.__name__ == "QueryGains"])
def test_every_measure_of_rankings_is_explained_with_its_numbers(metric, lang):
    for run in (TIED, LACKING):
        ev = cal.evaluate_ranking(QRELS, run)
        text = str(ev.explain(metric, lang=lang, got=0.123))
        assert max(map(width, text.split("\n"))) <= 80, text
        assert Language(lang).say("report.queries_n", count=13) in text
        assert Language(lang).say("explain.here") in text


def test_the_numbers_are_put_in():
    few = cal.evaluate_ranking({"a": {"x": 1}, "b": {"y": 1}}, {"a": {"x": 1.0}, "b": {"x": 2.0, "y": 1.0}})
    assert dict(few.explain("mrr").facts)["with your numbers"] == "(1.000 + 0.500) / 2 = 0.750"
    assert dict(few.explain("mrr", lang="vi").facts)["với số liệu của bạn"] == "(1,000 + 0,500) / 2 = 0,750"
    many = cal.evaluate_ranking(datasets.path("search.qrels"), datasets.path("search.run"))
    assert dict(many.explain("ndcg@10").facts)["with your numbers"] == "21.05 / 50 = 0.421"
    assert (
        many.explain("ndcg@10", got="0.5547")
        .got[0]
        .endswith("ties as the mean over their orders (scikit-learn ndcg_score, torchmetrics RetrievalNormalizedDCG)")
    )
    assert (
        many.explain("map", got="0.4601")
        .got[0]
        .startswith("0.4601 is: precision divided by the number of relevant documents found")
    )


def test_every_definition_that_a_tool_uses_has_words():
    assert all(Language("en").knows(f"explain.definitions.{key}") for key in USERS)


def test_a_document_has_no_definitions():
    ev = cal.evaluate_ranking(QRELS, TIED)
    explanation = cal.loads(ev.to_json()).explain("map")
    assert explanation.definitions == ()
    assert dict(explanation.facts)["value"] == dict(ev.explain("map").facts)["value"]
