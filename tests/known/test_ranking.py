"""Rankings with answers from elsewhere: the teaching literature, trec_eval, and fractions counted by hand."""

import importlib.util
import json
from fractions import Fraction as F
from itertools import permutations
from math import log2
from pathlib import Path

import numpy as np
import pytest

import calipers as cal
from calipers.data.reading_rankings import of_lists
from calipers.metrics.base import CATALOGUE
from calipers.metrics.ranking import step_of
from calipers.settings import Rules
from calipers.statistics.queries import QueryGains

EXAMPLES = {e["id"]: e for e in json.loads((Path(__file__).parents[1] / "data/ranking_examples.json").read_text())}
TREC = json.loads((Path(__file__).parent / "trec/frozen.json").read_text())
NAMES = {
    "map": "map", "bpref": "bpref", "mrr": "recip_rank", "rprec": "Rprec", "ndcg": "ndcg", "ndcg@5": "ndcg_cut_5",
    "ndcg@10": "ndcg_cut_10", "p@5": "P_5", "p@10": "P_10", "recall@5": "recall_5", "recall@10": "recall_10",
    "success@1": "success_1", "success@5": "success_5", "map@10": "map_cut_10",
    "eleven_point_precision": "11pt_avg", "set_f": "set_F", "p": "set_P", "recall_at": "set_recall", "infap": "infAP",
    "relative_precision@5": "relative_P_5", "iprec_at_recall(recall=0.3)": "iprec_at_recall_0.30",
    "iprec_at_recall(recall=0)": "iprec_at_recall_0.00", "iprec_at_recall(recall=1)": "iprec_at_recall_1.00",
}  # fmt: skip


def test_mrr_of_three_queries():
    example = EXAMPLES["mrr-three-queries"]
    ev = cal.evaluate_ranking(ranks=example["inputs"]["rank_of_first_right"], metrics="mrr")
    assert ev["mrr"] == pytest.approx(example["expect"]["mrr"], abs=5e-11)
    lists = cal.evaluate_ranking(lists=[list("xya"), list("xa"), list("a")], answers=["a", "a", "a"], metrics="mrr")
    assert lists["mrr"] == ev["mrr"] == pytest.approx(float((F(1, 3) + F(1, 2) + 1) / 3))


def test_ndcg_at_5():
    example = EXAMPLES["ndcg-at-5"]
    expect = example["expect"]
    names = {"cg": "cg@5"} | {
        f"{m}_{gain}": f"{m}(gain={gain})@5" for m in ("dcg", "idcg", "ndcg") for gain in ("linear", "exponential")
    }
    ev = cal.evaluate_ranking(relevances=example["inputs"]["relevance_in_rank_order"], metrics=list(names.values()))
    for key, name in names.items():
        assert ev[name] == pytest.approx(expect[key], abs=5e-11), name


@pytest.mark.parametrize("name", NAMES)
def test_trec_eval_query_by_query(name):
    """Ties by falling document id, documents without judgement not relevant, queries missing from the run left out."""
    ev = cal.evaluate_ranking(TREC["qrels"], TREC["run"], [name], missing_queries="skip")
    table = ev.per_query
    for query, value in zip(table["query"].tolist(), table[name].tolist(), strict=True):
        if query == "q24":
            assert np.isnan(value)
        else:
            assert value == pytest.approx(TREC["trec_eval"][query][NAMES[name]], abs=1e-12), query
    means = [values[NAMES[name]] for values in TREC["trec_eval"].values()]
    assert ev[name] == pytest.approx(np.mean(means), abs=1e-12)
    assert "1 query with judgements but not in the run: left out of the averages" in ev.notes
    assert "1 query in the run without judgements: not evaluated" in ev.notes
    assert "1 query without a relevant document: count as 0" in ev.notes


@pytest.mark.parametrize("name", ["infAP", "map", "bpref", "ndcg"])
def test_item_5_sampled_judgements(name):
    """-1 is a document of the pool that was not judged: not relevant for MAP, not there for bpref."""
    ev = cal.evaluate_ranking(TREC["sampled"], TREC["run"], [name], missing_queries="skip")
    means = [values[name] for values in TREC["trec_eval_sampled"].values()]
    assert ev[name] == pytest.approx(np.mean(means), abs=1e-12)


def test_item_5_geometric_map():
    ev = cal.evaluate_ranking(TREC["qrels"], TREC["run"], ["gm_map"], missing_queries="skip")
    assert ev["gm_map"] == pytest.approx(TREC["gm_map"], rel=1e-12)
    assert ev["gm_map"].low < ev["gm_map"] < ev["gm_map"].high


def test_item_5_names_of_trec_eval():
    assert str(cal.metric("iprec_at_recall_0.10")) == "iprec_at_recall(recall=0.1)"
    assert str(cal.metric("11pt_avg")) == "eleven_point_precision"
    assert str(cal.metric("rprec@5")) == str(cal.metric("relative_P_5")) == "relative_precision@5"
    assert str(cal.metric("Rprec")) == "rprec"
    assert str(cal.metric("set_F")) == "set_f"


# Grades 2 0 1 0 1 in rank order, and a relevant document of grade 3 that was not retrieved.
BY_HAND = {
    "p@3": F(2, 3), "p": F(3, 5), "p(rel=2)@5": F(1, 5), "p@10": F(3, 10), "recall@3": F(2, 4),
    "recall(rel=2)@5": F(1, 2), "success@1": F(1), "success(rel=3)": F(0), "mrr": F(1), "mrr(rel=3)": F(0),
    "rprec": F(2, 4), "cg@3": F(3), "map": (F(1) + F(2, 3) + F(3, 5)) / 4, "map@3": (F(1) + F(2, 3)) / 4,
    "map(denominator=min)@3": (F(1) + F(2, 3)) / 3, "map(rel=2)": F(1, 2),
    "rbp(p=0.5)": F(1, 2) * (1 + F(1, 4) + F(1, 16)), "rbp(p=0.5)@1": F(1, 2),
    "err(most=3)@3": F(3, 8) + F(5, 8) * F(1, 8) / 3, "bpref": F(1, 4) * (1 + F(1, 2) + 0),
    "cg(gain=exponential)@3": F(4),
}  # fmt: skip


@pytest.mark.parametrize("name", BY_HAND)
def test_fractions_by_hand(name):
    qrels = {"q": {"a": 2, "b": 0, "c": 1, "d": 0, "e": 1, "z": 3}}
    run = {"q": {"a": 5.0, "b": 4.0, "c": 3.0, "d": 2.0, "e": 1.0}}
    assert cal.evaluate_ranking(qrels, run, [name])[name] == pytest.approx(float(BY_HAND[name]), abs=1e-15)


def test_dcg_by_hand():
    ev = cal.evaluate_ranking(relevances=[3, 2, 0, 1], metrics=["dcg@4", "idcg@4", "dcg@2", "ndcg@4"])
    assert ev["dcg@4"] == pytest.approx(3 + 2 / log2(3) + 1 / log2(5))
    assert ev["idcg@4"] == pytest.approx(3 + 2 / log2(3) + 1 / 2)
    assert ev["dcg@2"] == pytest.approx(3 + 2 / log2(3))


EVERY = [
    "ndcg@3", "ndcg", "dcg@2", "cg@3", "map", "map@3", "map(denominator=min)@3", "mrr", "mrr@2", "p@3", "recall@2",
    "success@2", "rprec", "err", "err@3", "rbp(p=0.7)", "rbp(p=0.7)@3", "bpref", "bpref(rel=2)", "mrr(rel=2)",
]  # fmt: skip


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("seed", range(4))
def test_the_mean_over_orders_is_that_of_all_orders(name, seed):
    """The closed forms for tied scores against every order of the tied documents, one by one."""
    rng = np.random.default_rng(seed)
    grades = np.where(rng.random(6) < 0.2, np.nan, rng.integers(0, 4, 6).astype(float)).tolist()
    score = rng.integers(0, 2 + seed % 2, 6).astype(float).tolist()
    measure = CATALOGUE[name]
    steps = {name: step_of(measure, 3.0)}
    closed = QueryGains.of(of_lists(Rules("mean"), [grades], [score]), steps).of_measure(name)[0]
    each = [
        QueryGains.of(of_lists(Rules("order"), [[grades[i] for i in order]], [[score[i] for i in order]]), steps)
        for order in permutations(range(6))
    ]
    assert closed == pytest.approx(np.mean([one.of_measure(name)[0] for one in each]), rel=1e-12, abs=1e-14)


def test_ranx():
    """Means of ranx over queries without ties; its ndcg_burges has exponential gains."""
    frozen = json.loads((Path(__file__).parent / "ranx/frozen.json").read_text())
    qrels = {query: TREC["qrels"][query] for query in frozen["queries"]}
    names = {
        "map": "map", "mrr": "mrr", "ndcg@10": "ndcg@10", "ndcg(gain=exponential)@10": "ndcg_burges@10",
        "p@5": "precision@5", "recall@5": "recall@5", "hit@5": "hit_rate@5", "rprec": "r-precision",
    }  # fmt: skip
    ev = cal.evaluate_ranking(qrels, frozen["run"], list(names))
    for ours, theirs in names.items():
        assert ev[ours] == pytest.approx(np.mean(frozen["ranx"][theirs]), abs=1e-12), ours


def _grouped():
    here = Path(__file__).parent / "grouped"
    spec = importlib.util.spec_from_file_location("grouped", here / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.drawn(), json.loads((here / "frozen.json").read_text())


@pytest.mark.parametrize("run", ["distinct", "tied"])
def test_lightgbm(run):
    (sizes, grades, runs), frozen = _grouped()
    for k in (1, 3, 5, 10):
        names = {f"ndcg(gain=exponential)@{k}": f"ndcg@{k}", f"map(denominator=min)@{k}": f"map@{k}"}
        ev = cal.evaluate_ranking(grades, runs[run], list(names), group_sizes=sizes, ties="order", no_relevant="one")
        for ours, theirs in names.items():
            assert ev[ours] == pytest.approx(frozen[run]["lightgbm"][theirs], abs=1e-14), ours


@pytest.mark.parametrize(("run", "names"), [("distinct", ("ndcg", "map", "mrr")), ("tied", ("ndcg",))])
def test_torchmetrics(run, names):
    """In single precision; with ties its MAP and MRR depend on how its sort leaves them."""
    (sizes, grades, runs), frozen = _grouped()
    for no_relevant, action in (("zero", "neg"), ("skip", "skip")):
        ev = cal.evaluate_ranking(
            grades, runs[run], list(names), group_sizes=sizes, ties="mean", no_relevant=no_relevant
        )
        for name in names:
            assert ev[name] == pytest.approx(frozen[run]["torchmetrics"][f"{name} {action}"], abs=3e-7), name
