"""Rankings beside pytrec_eval, trec_eval's own C code: 2,000 queries of 1,000 documents, 50 of them judged.

Both give ndcg@10, map, mrr and p@10 of every query and their means. pytrec_eval takes nested dicts and nothing else, so
its time is that of its evaluator and its call, without building the dicts.
"""

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import pytrec_eval

import calipers as cal
from timing import Numbers, Row

QUERIES, DOCUMENTS, JUDGED, CORPUS = 2_000, 1_000, 50, 100_000
METRICS = {"ndcg@10": "ndcg_cut_10", "map": "map", "mrr": "recip_rank", "p@10": "P_10"}


@cache
def columns(digits: int = 16) -> tuple:
    """Judgements (query, document, relevance) and a run (query, document, score) as arrays, rows in no order."""
    rng = np.random.default_rng(0)
    names = (("q", QUERIES), ("d", CORPUS))
    queries, documents = (np.array([f"{letter}{i:06d}" for i in range(n)]) for letter, n in names)
    retrieved = np.concatenate([rng.choice(CORPUS, DOCUMENTS, replace=False) for _ in range(QUERIES)])
    of = np.repeat(np.arange(QUERIES), DOCUMENTS)
    chosen = np.flatnonzero(np.tile(np.arange(DOCUMENTS) < JUDGED, QUERIES))
    grade = rng.integers(0, 4, len(chosen))
    score = rng.normal(size=len(of))
    score[chosen] += grade
    run = rng.permutation(len(of))
    pool = rng.permutation(len(chosen))
    judged = queries[of[chosen[pool]]], documents[retrieved[chosen[pool]]], grade[pool]
    return judged, (queries[of[run]], documents[retrieved[run]], score[run].round(digits))


@cache
def dicts(digits: int = 16) -> tuple:
    """The same as nested dicts."""
    tables: list[dict[str, dict[str, Any]]] = [{}, {}]
    for table, (query, document, number) in zip(tables, columns(digits), strict=True):
        for q, d, v in zip(query.tolist(), document.tolist(), number.tolist(), strict=True):
            table.setdefault(q, {})[d] = v
    return tuple(tables)


@cache
def frames(digits: int = 16) -> tuple:
    """The same as polars frames."""
    import polars as pl

    judged, run = columns(digits)
    names = ("query", "doc", "relevance"), ("query", "doc", "score")
    return tuple(pl.DataFrame(dict(zip(n, c, strict=True))) for n, c in zip(names, (judged, run), strict=True))


@cache
def one_frame(digits: int = 16) -> tuple:
    """The run with its judgements beside it, in one frame."""
    judged, run = frames(digits)
    return (run.join(judged, on=["query", "doc"], how="left", maintain_order="left"),)


def theirs(qrels: Any, run: Any) -> Numbers:
    measures = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map", "recip_rank", "P.10"}).evaluate(run)
    return [np.mean([query[name] for query in measures.values()]) for name in METRICS.values()]


def ours(*tables: Any) -> Numbers:
    ev = cal.evaluate_ranking(*tables, metrics=list(METRICS))
    return [ev[name] for name in METRICS]


def of_arrays(judged: Any, run: Any) -> Numbers:
    names = ("query", "doc", "relevance"), ("query", "doc", "score")
    return ours(*(dict(zip(n, c, strict=True)) for n, c in zip(names, (judged, run), strict=True)))


def rows() -> Iterator[Row]:
    """Every form against pytrec_eval with its dicts ready."""
    work = "ndcg@10, map, mrr, p@10 of 2,000 x 1,000 documents beside pytrec_eval"

    def against(make: Any, call: Any, digits: int = 16) -> tuple:
        peer = lambda *_: theirs(*dicts(digits))  # noqa: E731
        return partial(make, digits), call, peer

    yield Row(f"{work}, string arrays, any order", "10x", *against(columns, of_arrays))
    yield Row(f"{work}, two polars frames", "10x", *against(frames, ours))
    yield Row(f"{work}, one polars frame", "10x", *against(one_frame, ours))
    yield Row(f"{work}, one polars frame, many ties", "10x", *against(one_frame, ours, 1))
    yield Row(f"{work}, nested dicts", "1x", *against(dicts, ours))
    yield Row(f"{work}, nested dicts, many ties", "1x", *against(dicts, ours, 1))
