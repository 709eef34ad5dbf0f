"""The worst queries of a ranking name their first documents, where the caller named them (issue 22, item 1)."""

import numpy as np
import pytest

import calipers as cal
from calipers.data import ranked_documents
from calipers.report.page import render

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1, "e": 1}}
RUN = {"q1": {"a": 0.5, "b": 0.7, "c": 0.6}, "q2": {"d": 0.2, "e": 0.9, "f": 0.5, "<b>": 0.5}}
FIRST = {"q1": ("b", "c", "a"), "q2": ("e", "f", "<b>", "d")}


def named(ev):
    worst = ev.worst_rows(9)
    return dict(zip(worst["query"], worst["documents"], strict=True))


def columns(table, value):
    pandas = pytest.importorskip("pandas")
    rows = [(query, doc, number) for query, docs in table.items() for doc, number in docs.items()]
    return pandas.DataFrame(rows, columns=["query", "doc", value]).sample(frac=1, random_state=0)


def test_dicts_and_frames_keep_the_ids_in_rank_order():
    assert named(cal.evaluate_ranking(QRELS, RUN)) == FIRST
    assert named(cal.evaluate_ranking(columns(QRELS, "relevance"), columns(RUN, "score"))) == FIRST


def test_one_frame_with_whole_numbers_and_lists():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"query": list("xxyy"), "doc": [7, 8, 9, 10], "score": [0.1, 0.1, 0.3, 0.9],
                              "relevance": [1, 0, 1, 0]})  # fmt: skip
    assert named(cal.evaluate_ranking(frame)) == {"x": ("8", "7"), "y": ("10", "9")}
    assert named(cal.evaluate_ranking(lists=[["a", "b"], ["c"]], answers=["b", "d"])) == {0: ("a", "b"), 1: ("c",)}
    assert "documents" not in cal.evaluate_ranking(relevances=[[0, 1], [0, 0]]).worst_rows(2)


def test_the_order_is_that_of_the_measured_documents_for_any_ties():
    rng = np.random.default_rng(0)
    qrels = {f"q{i}": {f"d{j}": int(rng.integers(0, 4)) for j in range(9)} for i in range(30)}
    run = {q: {d: float(rng.integers(0, 3)) for d in docs} for q, docs in qrels.items()}
    worst = cal.evaluate_ranking(qrels, run).worst_rows(30)
    for query, documents, grades in zip(worst["query"], worst["documents"], worst["top"], strict=True):
        assert [str(qrels[query][doc]) for doc in documents] == grades.split(), query


def test_some_queries_keep_theirs_and_bytes_have_none():
    ev = cal.evaluate_ranking(QRELS, RUN)
    assert ev.views.rankings.take([1]).documents.first(0, 2) == ["e", "f"]
    assert "documents" not in cal.evaluation.saved.from_bytes(ev.to_bytes()).worst_rows(2)


def test_a_long_run_is_not_kept(monkeypatch):
    monkeypatch.setattr(ranked_documents, "MOST", 3)
    assert "documents" not in cal.evaluate_ranking(columns(QRELS, "relevance"), columns(RUN, "score")).worst_rows(2)


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_the_page_shows_them_escaped(lang):
    page = render(cal.evaluate_ranking(QRELS, RUN), lang=lang)
    assert "&lt;b&gt;" in page
    assert "<b>, d" not in page
    assert {"en": "first documents", "vi": "tài liệu đứng đầu", "zh": "前列文档"}[lang] in page
