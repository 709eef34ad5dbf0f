"""What other ranking tools get wrong or leave unsaid, by its number in the project's list of edge cases."""

from itertools import pairwise

import numpy as np
import pytest
import sklearn.metrics as sk

import calipers as cal
from calipers.errors import InputError

QRELS = {"q": {"a": 1, "b": 0, "c": 0}}


def test_36_ties_have_one_documented_rule():
    """By falling document id, whatever order the rows come in; the mean over orders; or the order given."""
    for items in ("abc", "cba", "bca"):
        run = {"q": dict.fromkeys(items, 1.0)}
        assert cal.evaluate_ranking(QRELS, run, ["map"])["map"] == pytest.approx(1 / 3)
        assert cal.evaluate_ranking(QRELS, run, ["map"], ties="mean")["map"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
        place = items.index("a") + 1
        assert cal.evaluate_ranking(QRELS, run, ["map"], ties="order")["map"] == pytest.approx(1 / place)
    ids = {"q": {"d10": 1, "d9": 0}}
    assert (
        cal.evaluate_ranking(ids, {"q": {"d10": 1.0, "d9": 1.0}}, ["mrr"])["mrr"] == 0.5
    )  # ids are text: d9 is after d10
    frame = {"query": [1, 1], "doc": [10, 9], "score": [1.0, 1.0], "relevance": [1, 0]}
    assert cal.evaluate_ranking(frame, metrics=["mrr"])["mrr"] == 1.0  # ids are numbers: 10 is after 9


def test_37_a_cutoff_never_raises_reciprocal_rank():
    rng = np.random.default_rng(37)
    grades = [rng.integers(0, 2, 6).tolist() for _ in range(50)]
    scores = [rng.integers(0, 3, 6).astype(float).tolist() for _ in range(50)]
    table = cal.evaluate_ranking(grades, scores, ["mrr@1", "mrr@2", "mrr@4", "mrr"]).per_query
    columns = [table[name] for name in ("mrr@1", "mrr@2", "mrr@4", "mrr")]
    assert all((x <= y + 1e-15).all() for x, y in pairwise(columns))


def test_38_scores_are_compared_in_double_precision():
    qrels = {"q": {"a": 1, "b": 0}}
    run = {"q": {"a": 1.00000002, "b": 1.00000001}}
    assert np.float32(run["q"]["a"]) == np.float32(run["q"]["b"])
    assert cal.evaluate_ranking(qrels, run, ["mrr"])["mrr"] == 1.0


def test_39_queries_missing_from_the_run_are_counted_and_zero_or_skipped():
    qrels, run = {"p": {"a": 1}, "q": {"a": 1}}, {"p": {"a": 1.0}}
    zero, skip = (cal.evaluate_ranking(qrels, run, ["mrr"], missing_queries=how) for how in ("zero", "skip"))
    assert (zero["mrr"], skip["mrr"]) == (0.5, 1.0)
    assert zero.notes == ("1 query with judgements but not in the run: count as 0",)
    assert skip.notes == ("1 query with judgements but not in the run: left out of the averages",)
    assert skip["mrr"].flags[0] == "1 of 2 queries left out"


def test_40_a_query_does_not_leak_into_the_next():
    alone = cal.evaluate_ranking({"b": {"x": 1, "y": 0}}, {"b": {"y": 2.0, "x": 1.0}}, ["bpref"]).per_query["bpref"]
    qrels = {"a": {"x": 0, "y": 0}, "b": {"x": 1, "y": 0}}
    run = {"a": {"x": 1.0, "y": 2.0}, "b": {"y": 2.0, "x": 1.0}}
    both = cal.evaluate_ranking(qrels, run, ["bpref"]).per_query["bpref"]
    assert both.tolist() == [0.0, alone[0]]
    assert cal.evaluate_ranking(qrels, {"b": {"x": 2.0, "y": 1.0}}, ["bpref"]).per_query["bpref"].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("name", ["map", "mrr", "p@2", "recall@2", "ndcg@2", "success@1"])
def test_41_negative_scores_are_scores(name):
    qrels = {"q": {"a": 1, "b": 0, "c": 1}}
    high = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    low = {"q": {doc: score - 10 for doc, score in high["q"].items()}}
    assert cal.evaluate_ranking(qrels, low, [name])[name] == cal.evaluate_ranking(qrels, high, [name])[name] > 0


def test_42_rbp_stays_within_1():
    assert cal.evaluate_ranking(relevances=[[3, 3, 3, 3]], metrics=["rbp(p=0.5)"])["rbp(p=0.5)"] == pytest.approx(
        1 - 0.5**4
    )


def test_43_queries_without_a_relevant_document_are_counted_and_by_choice():
    qrels, run = {"p": {"a": 1}, "q": {"a": 0}}, {"p": {"a": 1.0}, "q": {"a": 1.0}}
    for how, mean, text in (("zero", 0.5, "count as 0"), ("one", 1.0, "count as 1"), ("skip", 1.0, "left out")):
        ev = cal.evaluate_ranking(qrels, run, ["ndcg"], no_relevant=how)
        assert ev["ndcg"] == mean
        assert text in ev.notes[0]
        assert ev.notes[0].startswith("1 query without a relevant document")
    none = cal.evaluate_ranking({"q": {"a": 0}}, {"q": {"a": 1.0}}, no_relevant="skip")
    assert np.isnan(none["ndcg@10"])
    assert none["ndcg@10"].reason == "no query is left to evaluate"


def test_44_the_denominator_of_average_precision_has_a_name_and_is_never_the_hits():
    relevant = {"q": dict.fromkeys("abcde", 1)}
    run = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    precisions = 1 + 2 / 3
    ev = cal.evaluate_ranking(relevant, run, ["map@3", "map(denominator=min)@3"])
    assert ev["map@3"] == pytest.approx(precisions / 5)
    assert ev["map(denominator=min)@3"] == pytest.approx(precisions / 3)
    with pytest.raises(InputError, match="denominator=hits is not known; use relevant or min"):
        cal.evaluate_ranking(relevant, run, ["map(denominator=hits)@3"])
    assert cal.evaluate_ranking(relevant, run, ["p@10"])["p@10"] == pytest.approx(
        2 / 10
    )  # by k, also where fewer were retrieved


def test_45_negative_relevance_is_an_error_and_the_ideal_is_of_all_judged():
    with pytest.raises(InputError, match=r"relevance contains -2 \(row 1\): relevance must be 0 or more; use 0 for"):
        cal.evaluate_ranking({"q": {"a": 1, "b": -2}}, {"q": {"a": 1.0}})
    judged = {"q": {"a": 1, "b": 3}}  # b was not retrieved
    assert cal.evaluate_ranking(judged, {"q": {"a": 1.0}}, ["ndcg"])["ndcg"] == pytest.approx(1 / (3 + 1 / np.log2(3)))
    linear, exponential = (
        cal.evaluate_ranking(judged, {"q": {"a": 2.0, "b": 1.0}}, [n])[n] for n in ("ndcg", EXPONENTIAL)
    )
    assert linear == pytest.approx((1 + 3 / np.log2(3)) / (3 + 1 / np.log2(3)))
    assert exponential == pytest.approx((1 + 7 / np.log2(3)) / (7 + 1 / np.log2(3)))


EXPONENTIAL = "ndcg(gain=exponential)"


@pytest.mark.parametrize("seed", range(8))
def test_scikit_learn_s_ndcg_with_ties(seed):
    """A row a query, the mean over orders of tied columns, 0 without a relevant one."""
    rng = np.random.default_rng(seed)
    truth, score = rng.integers(0, 4, (20, 12)), rng.integers(0, 5, (20, 12)).astype(float)
    truth[3] = 0
    for k in (None, 1, 5):
        name = "ndcg" if k is None else f"ndcg@{k}"
        ours = cal.evaluate_ranking(truth.ravel(), score.ravel(), [name], group_sizes=[12] * 20)[name]
        assert ours == pytest.approx(sk.ndcg_score(truth, score, k=k), abs=1e-14)
        name = name.replace("n", "", 1)
        ours = cal.evaluate_ranking(truth.ravel(), score.ravel(), [name], group_sizes=[12] * 20)[name]
        assert ours == pytest.approx(sk.dcg_score(truth, score, k=k), abs=1e-13)
