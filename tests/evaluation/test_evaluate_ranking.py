# ruff: noqa: E501 - a row of a table is a line
"""`cal.evaluate_ranking`: every form of input gives the same numbers, and what is wrong is refused by name."""

import gzip
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import calipers as cal
from calipers import datasets
from calipers.errors import InputError, UnknownName
from calipers.inference.intervals import every_method
from calipers.metrics.base import CATALOGUE
from calipers.statistics.queries import QueryGains

METRICS = [
    "ndcg@10", "map", "mrr", "p@5", "recall@100", "rbp(p=0.8)@20", "err@10", "bpref", "rprec", "success@1", "hit@10",
    "dcg(gain=exponential)@5", "cg@5",
]  # fmt: skip


def drawn(seed=0, queries=30, name=str):
    """Judgements and a run with ties, as lists of rows in no order; ids by `name`."""
    rng = np.random.default_rng(seed)
    judged, met = ([(q, 100 + d) for q in range(queries) for d in rng.choice(40, n, False)] for n in (12, 20))
    qrels = [(name(q), name(d), int(rng.integers(0, 4))) for q, d in judged]
    run = [(name(q), name(d), float(rng.integers(0, 9))) for q, d in met]
    return [qrels[i] for i in rng.permutation(len(qrels))], [run[i] for i in rng.permutation(len(run))]


def nested(rows):
    table = {}
    for query, doc, value in rows:
        table.setdefault(query, {})[doc] = value
    return table


def frame(rows, number):
    return dict(zip(("query", "doc", number), map(list, zip(*rows, strict=True)), strict=True))


def values(ev):
    return {name: (float(e), e.low, e.high) for name, e in ev.items()}


QRELS, RUN = drawn()
PLAIN = cal.evaluate_ranking(nested(QRELS), nested(RUN), METRICS)


@pytest.mark.parametrize(
    "make",
    [dict, pd.DataFrame, pl.DataFrame, pa.table, lambda f: {k: np.array(v) for k, v in f.items()}],
    ids=["columns", "pandas", "polars", "pyarrow", "arrays"],
)
def test_two_frames(make):
    ev = cal.evaluate_ranking(make(frame(QRELS, "relevance")), make(frame(RUN, "score")), METRICS)
    assert values(ev) == values(PLAIN)
    assert ev.notes == PLAIN.notes


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_one_frame_with_judgements_beside_the_run(make):
    grades = {(q, d): g for q, d, g in QRELS}
    rows = [(q, d, s, grades.get((q, d))) for q, d, s in RUN]
    table = make(dict(zip(("qid", "docno", "score", "label"), map(list, zip(*rows, strict=True)), strict=True)))
    known = {(q, d): g for q, d, g in QRELS if (q, d) in {row[:2] for row in rows}}
    alone = nested([(q, d, g) for (q, d), g in known.items()])
    plain = cal.evaluate_ranking(alone, nested(RUN), METRICS)
    assert values(cal.evaluate_ranking(table, metrics=METRICS)) == values(plain)
    named = cal.evaluate_ranking(table, metrics=METRICS, query="qid", doc="docno", score="score", relevance="label")
    assert values(named) == values(plain)


HOLDERS = {
    "U": np.array,
    "wide U": lambda ids: np.array(ids, "U40"),
    "S": lambda ids: np.array([i.encode() for i in ids]),
    "objects": list,
    "pandas": lambda ids: pd.Series(ids, dtype=object),
    "text": lambda ids: pa.array(ids, pa.string()),
    "views": lambda ids: pl.Series(ids),
    "chunks": lambda ids: pa.chunked_array([ids[:7], ids[7:]]),
}


@pytest.mark.parametrize("letters", [1, 3, 7, 8, 12, 16, 17, 30])
def test_ids_of_any_length_are_found_whatever_holds_them(letters):
    """Fingerprints are made of letters in each form's own way, and must agree."""
    rng = np.random.default_rng(letters)

    def name(number):
        if letters <= 3:
            return chr(33 + number % 90)
        return f"{number:x}".rjust(int(rng.integers(3, letters + 1)), "ghijklm"[number % 7])[-letters:]

    known = {}
    qrels, run = drawn(letters, 90, lambda n: known.setdefault(n, name(n)) if n >= 100 else str(n))
    qrels, run = (list({(q, d): (q, d, v) for q, d, v in rows}.values()) for rows in (qrels, run))
    expected = cal.evaluate_ranking(nested(qrels), nested(run), ["ndcg@10", "map"]).per_query["map"]
    for judged_in, judged_by in HOLDERS.items():
        for run_in, run_by in HOLDERS.items():
            if judged_in != "U" and run_in not in (judged_in, "U"):
                continue
            tables = [
                {"query": hold(list(queries)), "doc": hold(list(docs)), what: list(numbers)}
                for (queries, docs, numbers), hold, what in (
                    (zip(*qrels, strict=True), judged_by, "relevance"), (zip(*run, strict=True), run_by, "score")
                )
            ]
            result = cal.evaluate_ranking(*tables, ["ndcg@10", "map"]).per_query["map"]
            np.testing.assert_array_equal(result, expected, err_msg=f"{judged_in} and {run_in}")


def test_a_document_that_comes_twice_among_thousands_is_named():
    rng = np.random.default_rng(2)
    docs = np.array([f"d{i}" for i in range(6000)])
    again = np.concatenate((docs[:5000], docs[[17]], docs[5000:]))
    table = {"query": np.repeat("q", len(again)), "doc": again, "score": rng.random(len(again))}
    with pytest.raises(InputError, match=r"document 'd17' is retrieved twice for query 'q' \(again in row 5000\)"):
        cal.evaluate_ranking({"query": ["q"], "doc": ["d3"], "relevance": [1]}, table, ["map"])
    table["doc"] = np.concatenate((docs, ["e"]))
    assert 0 < cal.evaluate_ranking({"query": ["q"], "doc": ["d3"], "relevance": [1]}, table, ["map"])["map"] <= 1


def test_categories_dates_and_integers_as_ids():
    whole, run = drawn(name=int)
    ev = cal.evaluate_ranking(nested(whole), nested(run), METRICS)
    tables = pl.DataFrame(frame(whole, "relevance")), pl.DataFrame(frame(run, "score"))
    assert values(cal.evaluate_ranking(*tables, METRICS)) == values(ev)
    text = pd.DataFrame(frame(RUN, "score")).astype({"doc": "category", "query": "category"})
    assert values(cal.evaluate_ranking(pd.DataFrame(frame(QRELS, "relevance")), text, METRICS)) == values(PLAIN)
    foreign = [(q, "文" + d, v) for q, d, v in QRELS], [(q, "文" + d, v) for q, d, v in RUN]
    both = frame(foreign[0], "relevance"), frame(foreign[1], "score")
    arrays = [{k: np.array(v) for k, v in table.items()} for table in both]
    assert values(cal.evaluate_ranking(*arrays, METRICS)) == values(PLAIN)


def test_files_of_trec(tmp_path):
    qrels, run, packed = (tmp_path / name for name in ("qrels.txt", "run.txt", "run.txt.gz"))
    qrels.write_text("".join(f"{q}\t0\t{d}\t{g}\n" for q, d, g in QRELS))
    lines = "".join(f"{q} Q0 {d} 1 {s} tag\n" for q, d, s in RUN)
    run.write_text("\ufeff" + lines.replace("\n", "\r\n"))
    packed.write_bytes(gzip.compress(lines.encode()))
    for source in (run, packed, str(run)):
        assert values(cal.evaluate_ranking(qrels, source, METRICS)) == values(PLAIN)
    assert values(cal.evaluate_ranking(nested(QRELS), run, METRICS)) == values(PLAIN)


def test_groups_and_ragged_lists_are_one():
    rng = np.random.default_rng(3)
    sizes = rng.integers(0, 9, 25)
    grades = [rng.integers(0, 4, n).tolist() for n in sizes]
    scores = [rng.integers(0, 4, n).astype(float).tolist() for n in sizes]
    lists = cal.evaluate_ranking(grades, scores, METRICS)
    flat = cal.evaluate_ranking(np.concatenate(grades), np.concatenate(scores), METRICS, group_sizes=sizes)
    assert values(lists) == values(flat)
    assert lists.settings.ranking.ties == "mean"
    pairs = zip(scores, grades, strict=True)
    ordered = [np.array(g)[np.argsort(-np.array(s), kind="stable")].tolist() for s, g in pairs]
    evaluation = cal.evaluate_ranking(grades, scores, METRICS, ties="order")
    assert {n: float(e) for n, e in cal.evaluate_ranking(relevances=ordered, metrics=METRICS).items()} == {
        n: float(e) for n, e in evaluation.items()
    }


def test_suggestions_and_answers():
    ev = cal.evaluate_ranking(lists=[["a", "b"], ["c"], []], answers=[{"a": 2, "b": 1, "z": 1}, ["c", "d"], "e"], metrics=METRICS)
    assert ev.per_query["recall@100"].tolist() == [2 / 3, 0.5, 0.0]
    assert ev.per_query["mrr"].tolist() == [1.0, 1.0, 0.0]
    ranks = cal.evaluate_ranking(ranks=[1, [2, 4], None], metrics=["mrr", "recall@3", "map"]).per_query
    assert ranks["mrr"].tolist() == [1.0, 0.5, 0.0]
    assert ranks["recall@3"].tolist() == [1.0, 0.5, 0.0]
    assert ranks["map"].tolist() == [1.0, (1 / 2 + 2 / 4) / 2, 0.0]


def test_unjudged_documents_are_left_out_where_asked():
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"x": 3.0, "b": 2.0, "a": 1.0}}
    assert cal.evaluate_ranking(qrels, run, ["mrr"])["mrr"] == pytest.approx(1 / 3)
    assert cal.evaluate_ranking(qrels, run, ["mrr"], unjudged="drop")["mrr"] == 0.5
    assert cal.evaluate_ranking(qrels, run, ["mrr"]).notes == ("1 of 3 retrieved documents is not judged",)


def test_what_was_not_asked_for_is_computed_later():
    assert PLAIN["ndcg@3"] == cal.evaluate_ranking(nested(QRELS), nested(RUN), ["ndcg@3"])["ndcg@3"]
    assert PLAIN["precision@5"] == PLAIN["p@5"]
    with pytest.raises(InputError, match="no confusion matrix: a ranking has no confusion matrix"):
        _ = PLAIN.confusion


def test_document_frame_and_table_by_query():
    back = cal.loads(PLAIN.to_json())
    assert repr(back) == repr(PLAIN)
    assert back.settings.ranking == PLAIN.settings.ranking
    assert list(PLAIN.to_frame()["metric"]) == list(PLAIN)
    table = PLAIN.per_query
    assert len(table.to_frame()) == 30
    assert list(table)[-3:] == ["retrieved", "relevant", "unjudged"]
    assert table["ndcg@10"].mean() == pytest.approx(float(PLAIN["ndcg@10"]))
    assert next(table.rows())["query"] == "0"
    with pytest.raises(UnknownName, match="no column 'ndgc@10'; did you mean ndcg@10"):
        _ = table["ndgc@10"]
    with pytest.raises(InputError, match="per_query is for rankings, but this evaluation is binary"):
        _ = cal.evaluate([0, 1], [0, 1]).per_query
    assert "<strong>ranking: 30 queries</strong>" in PLAIN._repr_html_()


@pytest.mark.parametrize("seed", range(3))
def test_intervals_keep_to_the_range_and_hold_the_estimate(seed):
    rng = np.random.default_rng(seed)
    grades = [(rng.integers(0, 3, 8) * (rng.random(8) < 0.3)).tolist() for _ in range([2, 12, 40][seed])]
    names = [str(m.with_parameters({})) for m in cal.metrics.catalogue() if m.over is QueryGains]
    for method in (None, "t", "hall", "percentile", "basic", "bca"):
        ev = cal.evaluate_ranking(relevances=grades, metrics=names, interval=method, replicates=200)
        for name in names:
            low, high = CATALOGUE[name].metric.bounds
            e = ev[name]
            if math.isnan(e.low):
                assert e.reason.startswith("no interval"), (name, method)
                continue
            assert low <= e.low <= e.high <= high, (name, method, e)
            if method in (None, "t", "hall"):
                assert e.low <= e <= e.high, (name, method, e)


def test_queries_that_are_all_right_are_not_certain():
    ev = cal.evaluate_ranking(relevances=[[1, 0]] * 20, metrics=["mrr", "ndcg", "success@1"])
    for e in ev.values():
        assert e == 1
        assert 0.8 < e.low < 0.9
    assert ev["mrr"].flags == ("very few queries have a value other than 1 (0)",)
    assert "t-scaled" in every_method()


def test_runs_are_compared_query_by_query():
    a, b = nested(RUN), nested(drawn(1)[1])
    comparison = cal.compare(nested(QRELS), {"A": a, "B": b}, metrics=["ndcg@10", "success@1"])
    first, second = (cal.evaluate_ranking(nested(QRELS), run, ["ndcg@10", "success@1"]).per_query for run in (a, b))
    apart = second["ndcg@10"] - first["ndcg@10"]
    d = comparison["ndcg@10"]
    assert d.difference == pytest.approx(apart.mean())
    assert d.method == "paired t-test"
    half = 2.045229642 * apart.std(ddof=1) / math.sqrt(30)  # t of 29 degrees of freedom
    assert min(d.high - d.difference, d.difference - d.low) == pytest.approx(half, rel=1e-6)
    plain = cal.compare(nested(QRELS), {"A": a, "B": b}, metrics=["ndcg@10"], method="paired-t")["ndcg@10"]
    assert plain.high - plain.low == pytest.approx(2 * half, rel=1e-6)
    assert comparison["success@1"].method.startswith("McNemar")
    assert repr(comparison).startswith("ranking: 2 runs compared on the same 30 queries: A, B")
    with pytest.raises(InputError, match="positive= is not available for rankings, where"):
        cal.compare(nested(QRELS), {"A": a, "B": b}, positive=1)
    with pytest.raises(InputError, match="run B: no query of the run has judgements"):
        cal.compare(nested(QRELS), {"A": a, "B": {"none": {"d": 1.0}}})
    frames = {name: pd.DataFrame(frame(rows, "score")) for name, rows in (("A", RUN), ("B", drawn(1)[1]))}
    again = cal.compare(pd.DataFrame(frame(QRELS, "relevance")), frames, task="ranking", metrics=["ndcg@10"])
    assert again["ndcg@10"].pvalue == d.pvalue
    few = {"A": a, "B": {"0": b["0"], "1": b["1"]}}
    skipped = cal.compare(nested(QRELS), few, metrics=["map"], rules={"missing_queries": "skip"})
    assert math.isfinite(skipped["map"].difference)


OK = {"q": {"a": 1.0, "b": 0.5}}
WRONG = {
    "no query in common": ((OK, {"r": {"a": 1.0}}), {}, "no query of the run has judgements: the judged queries are 'q', and the run has"),
    "nothing": ((), {}, "no data was given: pass qrels and a run, one frame, relevances=, ranks=, or lists= with answers="),
    "no run": (({"q": {"a": 1}},), {}, "the frame has the columns q: choose the query with query="),
    "no queries": (({}, {}), {}, "there are no queries"),
    "a nan": ((OK, {"q": {"a": float("nan")}}), {}, r"score contains 1 NaN \(first at row 0\): remove this row"),
    "text for relevance": (({"q": {"a": "high"}}, OK), {}, r"relevance contains 'high' \(row 0\), which is not a number"),
    "text for score": ((OK, {"q": {"a": "high"}}), {}, r"score contains 'high' \(row 0\), which is not a number"),
    "missing relevance": (({"q": {"a": None}}, OK), {}, "a relevance in qrels is missing: leave unjudged"),
    "infinite relevance": (({"q": {"a": math.inf}}, OK), {}, r"relevance contains inf \(row 0\): relevance must be 0 or more; use 0 for"),
    "a list for a dict": (({"q": ["a"], "r": {"a": 1}}, OK), {}, "choose the query"),
    "a flat run": ((OK, {"q": {"a": 1.0}, "r": 3}), {}, r"run\['r'\] has type int: pass a dict by document"),
    "k of 0": ((OK, OK), {"metrics": ["ndcg@0"]}, "'ndcg@0': k=0 is not a cutoff: pass a whole number, 1 or more"),
    "k of 2.5": ((OK, OK), {"metrics": ["p(k=2.5)"]}, r"'p\(k=2.5\)': k=2.5 is not a cutoff"),
    "k of a word": ((OK, OK), {"metrics": ["p(k=all)"]}, "k=all should be a number"),
    "gain": ((OK, OK), {"metrics": ["dcg(gain=cubic)@5"]}, "gain=cubic is not known; use linear or exponential"),
    "rbp": ((OK, OK), {"metrics": ["rbp(p=1.5)"]}, r"rbp\(p=1\.5\): p must be between 0 and 1; it is the probability of looking at"),
    "rel": ((OK, OK), {"metrics": ["p(rel=0)@5"]}, "rel=0: the smallest relevant grade must be greater than 0"),
    "err": ((OK, OK), {"metrics": ["err(most=-1)"]}, r"err\(most=-1\): the highest grade must be a number from 0 \(use the"),
    "recall": ((OK, OK), {"metrics": ["recall"]}, "recall is not a ranking metric: request recall@10"),
    "accuracy": ((OK, OK), {"metrics": ["accuracy"]}, "accuracy is not a ranking metric; available: ndcg, dcg"),
    "ties": ((OK, OK), {"ties": "best"}, r'is not known: pass "id" \(by document ID, descending\), "mean" \(mean over all orders of'),
    "missing": ((OK, OK), {"missing_queries": "drop"}, r'is not known: pass "zero" \(count as 0\) or "skip" \(left out of the averages\)'),
    "unjudged": ((OK, OK), {"unjudged": 1}, "unjudged=1 is not known"),
    "no_relevant": ((OK, OK), {"no_relevant": "nan"}, "no_relevant='nan' is not known"),
    "ids for ties": (([1, 0], [0.5, 0.2]), {"group_sizes": [2], "ties": "id"}, 'ties="id" needs document IDs: name their column with doc=,'),
    "sizes": (([1, 0], [0.5, 0.2]), {"group_sizes": [3]}, "group_sizes= sums to 3 documents, but relevance has 2 and score has"),
    "negative sizes": (([1, 0], [0.5, 0.2]), {"group_sizes": [3, -1]}, "whole numbers, 0 or more"),
    "ragged": (([[1, 0]], [[0.5]]), {}, "query 0 has 2 relevances and 1 score"),
    "ragged queries": (([[1, 0]], [[0.5, 1], [2]]), {}, "1 list of relevances and 2 lists of scores: pass one of each per query"),
    "rank 0": ((), {"ranks": [0]}, r"ranks\[0\] contains 0: ranks are whole numbers from 1"),
    "rank twice": ((), {"ranks": [[1, 1]]}, r"ranks\[0\] contains a rank twice: every relevant"),
    "lists alone": ((), {"lists": [["a"]]}, "lists= and answers= belong together"),
    "list twice": ((), {"lists": [["a", "a"]], "answers": ["a"]}, r"lists\[0\] contains 'a' twice: each suggestion"),
    "text for a list": ((), {"lists": ["abc"], "answers": ["a"]}, r"lists\[0\] is 'abc': pass a list of suggestions, best first"),
    "answers": ((), {"lists": [["a"]], "answers": []}, "lists= has 1 query and answers= has 0: pass one of each"),
    "two forms": ((OK, OK), {"ranks": [1]}, "ranks and qrels were given: pass only one of: qrels and a run"),
    "interval": ((OK, OK), {"metrics": ["map"], "interval": "wilson"}, "interval='wilson' is not available for map: use t-scaled, t, hall, bca, percentile or basic"),
    "a path": (("nowhere.txt", "run.txt"), {}, "nowhere.txt cannot be read: No such file or directory"),
    "an object": ((OK, 3), {}, "run has type int: pass a nested dict, a frame or the path of a TREC file"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_by_name(name):
    arguments, options, message = WRONG[name]
    with pytest.raises(InputError, match=message):
        cal.evaluate_ranking(*arguments, **options)


JUDGED = {"query": ["q", "q"], "doc": ["a", "b"], "relevance": [1, 0]}
RETRIEVED = {"query": ["q", "q"], "doc": ["a", "b"], "score": [1.0, 0.5]}


@pytest.mark.parametrize(
    ("judged", "run", "message"),
    [
        ({"doc": ["a", "a"]}, {}, r"document 'a' is judged twice for query 'q' \(again in row 1\): keep only one"),
        ({}, {"doc": ["b", "b"]}, r"document 'b' is retrieved twice for query 'q' \(again in row 1\)"),
        ({}, {"doc": ["b", None]}, r"doc of the run has a missing ID \(row 1\): every document needs one"),
        ({}, {"doc": [1, 2]}, "document IDs are text in the judgements and integers in the run: use the same type in both"),
        ({}, {"doc": ["a", 2]}, r"doc of the run contains 2 \(row 1\): document IDs must be text or integers, all"),
        ({}, {"doc": [0.5, 1.5]}, "document IDs must be text or integers"),
        ({}, {"query": ["q", None]}, r"query of the run has 1 missing value \(first at row 1\)"),
        ({"relevance": [1, None]}, {}, r"relevance is missing \(row 1\)"),
        ({"relevance": ["1", "x"]}, {}, r"relevance contains '1' \(row 0\), which is not a number"),
        ({"relevance": [1]}, {}, "the judgements have 2, 2 and 1 rows: the numbers must be equal"),
        ({}, {"score": [1.0]}, "the run have 2, 2 and 1 rows"),
        ({"relevance": None}, {}, "qrels has the columns query, doc: choose the relevance with relevance="),
        ({"doc": None}, {}, "qrels has the columns query, relevance: choose the document column with doc="),
        ({"label": [1, 2]}, {}, "qrels has the columns relevance and label: choose the"),
    ],
)  # fmt: skip
def test_frames_that_are_wrong(judged, run, message):
    tables = [JUDGED | judged, RETRIEVED | run]
    with pytest.raises(InputError, match=message):
        cal.evaluate_ranking(*({name: column for name, column in table.items() if column is not None} for table in tables))
    with pytest.raises(UnknownName, match="run has no column 'points'; available: doc, query, score"):
        cal.evaluate_ranking(JUDGED, RETRIEVED, score="points")


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ("q 0 a 1\n", "q Q0 a 1 0.5 t\nq Q0 b 2 0.4\n", r"run.txt, line 2 has 5 fields: 6 are needed, query Q0"),
        ("q 0 a 1\n\nq 0 b x\n", "q Q0 a 1 0.5 t\n", r"qrels.txt, line 3: relevance 'x' is not a number"),
        ("q 0 a 1\n\nq 0 a 2\n", "q Q0 a 1 0.5 t\n", r"judged twice .*again in .*qrels.txt, line 3\)"),
        ("q 0 a 1\nq 0 b -2\n", "q Q0 a 1 0.5 t\n", r"relevance contains -2 \(.*qrels.txt, line 2\)"),
        ("q 0 a 1\n", "q Q0 a 1 0.5 t\nq Q0 b 1 nan t\n", r"score contains 1 NaN \(first at .*run.txt, line 2\)"),
        ("q 0 a 1\n", "q Q0 a 1 0.5 t\nq Q0 b 2 best t\n", r"run.txt, line 2: score 'best' is not a number"),
    ],
)
def test_trec_files_that_are_wrong(tmp_path, qrels, run, message):
    for name, text in (("qrels.txt", qrels), ("run.txt", run)):
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message):
        cal.evaluate_ranking(tmp_path / "qrels.txt", tmp_path / "run.txt")


def test_a_long_table_is_taken_in_parts(tmp_path, monkeypatch):
    from calipers.files import rankings

    grades = {(q, d): g for q, d, g in QRELS}
    rows = [(q, d, s, grades.get((q, d))) for q, d, s in RUN]
    table = pd.DataFrame(rows, columns=["query", "doc", "score", "relevance"])
    table.to_parquet(tmp_path / "ranked.parquet")
    whole = cal.evaluate_ranking(table, metrics=METRICS)
    monkeypatch.setattr(rankings.blocks, "__defaults__", (70, rankings.blocks.__defaults__[1]))
    parted = cal.evaluate_ranking(tmp_path / "ranked.parquet", metrics=METRICS)
    assert {n: pytest.approx(float(e), rel=1e-13) for n, e in whole.items()} == {n: float(e) for n, e in parted.items()}
    assert sorted(parted.per_query["query"].tolist()) == sorted(whole.per_query["query"].tolist())
    assert parted.per_query["query"].tolist() != whole.per_query["query"].tolist()
    late = parted["bpref(rel=2)"]
    assert math.isnan(late)
    assert late.reason == "it was not requested before the documents were read: pass metrics=['bpref(rel=2)']"


def test_queries_have_average_precisions_and_not_a_geometric_mean_of_them():
    judged, run = datasets.path("search.qrels"), datasets.path("search.run")
    map_alone, gm_map = (str(cal.evaluate_ranking(judged, run, metrics=[name])) for name in ("map", "gm_map"))
    assert "half of the queries" in " ".join(map_alone.split())
    assert "half of the queries" not in " ".join(gm_map.split())
