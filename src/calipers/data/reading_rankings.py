"""Rankings in: every form that people have them in, brought into rank order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.data import containers, ranked_documents
from calipers.data.ids import KINDS, identifiers
from calipers.data.ranking_columns import (
    ROW,
    Where,
    as_lists,
    codes_among,
    flattened,
    is_list,
    numbers_of,
    query_codes,
    refuse_other_than_dicts,
    refuse_repeated,
    relevances,
    same_length,
    scored,
)
from calipers.data.rankings import Rankings
from calipers.errors import InputError
from calipers.remarks import Remark
from calipers.settings import Label, Rules

Array = npt.NDArray[Any]


class Table(NamedTuple):
    """Query, document and number of each row, and how a message names the place of a row."""

    query: Any
    document: Any
    number: Any
    where: Where = ROW


def of_tables(rules: Rules, judged: tuple[Any, ...], run: tuple[Any, ...]) -> Rankings:
    """Judgements (query, document, relevance) and a run (query, document, score), rows in any order.

    >>> ranked = of_tables(Rules(), (["a", "a"], ["x", "y"], [1, 0]), (["a", "a"], ["y", "x"], [0.2, 0.7]))
    >>> ranked.gains
    array([1., 0.])
    """
    pool_of, run_of = Table(*judged), Table(*run)
    known = query_codes(pool_of.query, Remark("data.query_of_judgements"))
    ids = identifiers(pool_of.document, Remark("data.doc_of_judgements"))
    grades = relevances(pool_of.number, "relevance", pool_of.where)
    same_length(known.codes, ids.ids, grades, Remark("data.judgements"))
    if np.isnan(grades).any():
        at = pool_of.where(int(np.isnan(grades).argmax()))
        raise InputError("data.relevance_missing", place=at)
    count = len(known.values)
    pool_starts, pool, _, _, again, order, fingerprints = _native.rank_rows(
        known.codes, count, np.zeros(len(grades)), ids.ids, False, grades, None, True
    )
    refuse_repeated(again, ids, known, Remark("data.judged"), pool_of.where)
    run_queries = query_codes(run_of.query, Remark("data.query_of_run"))
    documents = identifiers(run_of.document, Remark("data.doc_of_run"))
    scores = scored(run_of.number, run_of.where)
    same_length(run_queries.codes, documents.ids, scores, Remark("data.run"))
    if documents.kind != ids.kind and len(scores) and len(grades):
        raise InputError("data.id_kinds_differ", judged=KINDS[ids.kind], run=KINDS[documents.kind])
    codes, unknown = codes_among(run_queries, known.values)
    rules = replace(rules, ties=rules.ties or "id")
    judgements = pool_starts, order, fingerprints, pool, ids.ids
    starts, gains, tied, ties, again, *_ = _native.rank_rows(
        codes, count, scores, documents.ids, rules.ties == "id", None, judgements
    )
    refuse_repeated(again, documents, run_queries, Remark("data.retrieved"), run_of.where)
    ranked = _checked(rules, known.values, starts, gains, tied if ties else None, pool_starts, pool, unknown)
    named = ranked_documents.of_columns(codes, count, scores, documents, by_id=rules.ties == "id")
    return replace(ranked, documents=named)


def of_rows(rules: Rules, query: Any, doc: Any, score: Any, relevance: Any) -> Rankings:
    """One table: a row is a retrieved document with its judgement, which may be missing."""
    known, scores, grades = query_codes(query, "query"), scored(score), relevances(relevance, "relevance")
    same_length(known.codes, scores, grades, Remark("data.columns"))
    if doc is None:
        return _of_codes(_without_ids(rules), known.values, known.codes, scores, grades)
    ids = identifiers(doc, "doc")
    same_length(known.codes, ids.ids, grades, Remark("data.columns"))
    rules = replace(rules, ties=rules.ties or "id")
    starts, gains, tied, ties, again, *_ = _native.rank_rows(
        known.codes, len(known.values), scores, ids.ids, rules.ties == "id", grades, None
    )
    refuse_repeated(again, ids, known, Remark("data.given"))
    named = ranked_documents.of_columns(known.codes, len(known.values), scores, ids, by_id=rules.ties == "id")
    return replace(_own_pool(rules, known.values, starts, gains, tied if ties else None), documents=named)


def of_group_sizes(rules: Rules, relevance: Any, score: Any, group_sizes: Any) -> Rankings:
    """Arrays in which the documents of a query lie together, and how many each query has."""
    sizes = containers.numbers(group_sizes, "group_sizes")
    grades, scores = relevances(relevance, "relevance"), scored(score)
    if sizes.ndim != 1 or (len(sizes) and not (sizes == sizes.astype(np.int64)).all()) or (sizes < 0).any():
        raise InputError("data.group_sizes_not_counts")
    if not len(grades) == len(scores) == sizes.sum():
        columns = {"relevances": len(grades), "scores": len(scores)}
        raise InputError("data.group_sizes_sum", total=int(sizes.sum()), **columns)
    codes = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes.astype(np.int64))
    return _of_codes(_without_ids(rules), tuple(range(len(sizes))), codes, scores, grades)


def _of_codes(rules: Rules, queries: tuple[Label, ...], codes: Array, scores: Array, grades: Array) -> Rankings:
    """Documents without ids."""
    starts, gains, tied, ties, *_ = _native.rank_rows(codes, len(queries), scores, None, False, grades, None)
    return _own_pool(rules, queries, starts, gains, tied if ties else None)


def of_lists(rules: Rules, relevance: Sequence[Any], score: Sequence[Any]) -> Rankings:
    """Lists of relevances and of scores, one of each per query."""
    relevance, score = as_lists(relevance, "relevance"), as_lists(score, "score")
    if len(relevance) != len(score):
        raise InputError("data.lists_differ", relevances=len(relevance), scores=len(score))
    (grades, sizes), (scores, own) = flattened(relevance, "relevance"), flattened(score, "score")
    for query, (size, other) in enumerate(zip(sizes, own, strict=True)):
        if other != size:
            raise InputError("data.query_lengths_differ", query=query, relevances=size, scores=other)
    return of_group_sizes(rules, grades, scores, sizes)


def of_relevances(rules: Rules, lists: Sequence[Any]) -> Rankings:
    """Relevances in rank order, a list a query; a flat list is one query."""
    listed = as_lists(lists, "relevances")
    nested = [listed] if listed and not is_list(listed[0]) else listed
    numbers, sizes = flattened(nested, "relevances")
    grades = relevances(numbers, "relevances")
    return _own_pool(_as_given(rules), tuple(range(len(nested))), _starts(sizes), grades, None)


def of_ranks(rules: Rules, ranks: Sequence[Any]) -> Rankings:
    """Ranks of what is relevant, from 1: one a query or a list, None where it was not found."""
    starts, gains, pools = [0], [], []
    for query, value in enumerate(ranks):
        several = list(value) if isinstance(value, (list, tuple, set, np.ndarray)) else [value]
        retrieved = [rank for rank in several if rank is not None and rank == rank and rank != np.inf]
        for rank in retrieved:
            if isinstance(rank, bool) or not hasattr(rank, "__float__") or rank < 1 or not float(rank).is_integer():
                raise InputError("data.not_a_rank", query=query, value=rank)
        places = [int(rank) for rank in retrieved]
        if len(set(places)) < len(places):
            raise InputError("data.rank_twice", query=query)
        one = np.zeros(max(places, default=0))
        one[np.array(places, int) - 1] = 1.0
        gains.append(one)
        pools.append(np.ones(len(several)))
        starts.append(starts[-1] + len(one))
    pool_starts = _starts([len(pool) for pool in pools])
    ranked, pool = (np.concatenate([np.zeros(0), *parts]) for parts in (gains, pools))
    # An empty list retrieves nothing of what is relevant; the query itself is not missing.
    none = np.zeros(len(pools), bool)
    return Rankings(tuple(range(len(pools))), np.array(starts), ranked, None, pool_starts, pool, none, _as_given(rules))


def of_answers(rules: Rules, lists: Sequence[Any], answers: Sequence[Any]) -> Rankings:
    """Lists of what was suggested, best first, and what is right for each: one, several, or grades by item."""
    if len(lists) != len(answers):
        raise InputError("data.answers_differ", lists=len(lists), answers=len(answers))
    judged = {query: _graded(right) for query, right in enumerate(answers)}
    gains: list[float] = []
    sizes = []
    for query, items in enumerate(lists):
        if isinstance(items, (str, bytes)) or not isinstance(items, Iterable):
            raise InputError("data.not_suggestions", query=query, value=items)
        suggested = list(items)
        if len(set(suggested)) < len(suggested):
            twice = next(item for at, item in enumerate(suggested) if item in suggested[:at])
            raise InputError("data.suggested_twice", value=twice, query=query)
        gains += map(judged[query].get, suggested, repeat(np.nan))
        sizes.append(len(suggested))
    grades, judgements = flattened([list(one.values()) for one in judged.values()], "answers")
    starts, pool, pool_starts = _starts(sizes), relevances(grades, "answers"), _starts(judgements)
    none = np.zeros(len(judged), bool)
    ranked = Rankings(tuple(judged), starts, np.array(gains, float), None, pool_starts, pool, none, _as_given(rules))
    return replace(ranked, documents=ranked_documents.of_lists(lists))


def of_dicts(rules: Rules, qrels: Mapping[Any, Mapping[Any, Any]], run: Mapping[Any, Mapping[Any, Any]]) -> Rankings:
    """Nested dicts, as pytrec_eval takes them: {query: {document: relevance}} and {query: {document: score}}.

    >>> of_dicts(Rules(), {"a": {"x": 1, "y": 0}}, {"a": {"y": 0.2, "x": 0.7, "z": 0.1}}).gains
    array([ 1.,  0., nan])
    """
    for name, table in (("qrels", qrels), ("run", run)):
        refuse_other_than_dicts(table, name)
    queries = tuple(sorted(qrels, key=lambda q: (isinstance(q, str), q)))
    empty: Mapping[Any, Any] = {}
    runs = [run.get(query, empty) for query in queries]
    sizes = np.fromiter(map(len, runs), np.int64, len(runs))
    total = int(sizes.sum())
    scores = scored(numbers_of(chain.from_iterable(one.values() for one in runs), total, "score"))
    looked = (map(qrels[query].get, one, repeat(np.nan)) for query, one in zip(queries, runs, strict=True))
    gains = numbers_of(chain.from_iterable(looked), total, "relevance")
    pools = np.fromiter((len(qrels[query]) for query in queries), np.int64, len(queries))
    pool = relevances(
        numbers_of(chain.from_iterable(qrels[q].values() for q in queries), int(pools.sum()), "relevance"), "relevance"
    )
    if np.isnan(pool).any():
        raise InputError("data.qrels_missing")
    codes = np.repeat(np.arange(len(queries), dtype=np.uint32), sizes)
    rules = replace(rules, ties=rules.ties or "id")
    starts, ranked_gains, tied, ties, *_ = _native.rank_rows(codes, len(queries), scores, None, False, gains, None)
    if ties and rules.ties == "id":  # ids are looked at only where they decide
        ids = identifiers(list(chain.from_iterable(runs)), Remark("data.doc_of_run")).ids
        ranked_gains = _native.rank_rows(codes, len(queries), scores, ids, True, gains, None)[1]
    unknown = len(run.keys() - qrels.keys())
    ranked = _checked(rules, queries, starts, ranked_gains, tied if ties else None, _starts(pools), pool, unknown)
    return replace(ranked, documents=ranked_documents.of_mappings(runs, by_id=rules.ties == "id"))


def _graded(right: Any) -> dict[Any, Any]:
    if isinstance(right, Mapping):
        return dict(right)
    return dict.fromkeys(right if isinstance(right, (list, tuple, set, frozenset)) else [right], 1.0)


def _starts(sizes: Any) -> Array:
    return np.concatenate(([0], np.cumsum(np.asarray(sizes, np.int64)))).astype(np.int64)


def _without_ids(rules: Rules) -> Rules:
    if rules.ties == "id":
        raise InputError("data.ties_need_ids")
    return replace(rules, ties=rules.ties or "mean")


def _as_given(rules: Rules) -> Rules:
    """In rank order there are no ties."""
    return replace(rules, ties="order")


def _own_pool(rules: Rules, queries: tuple[Label, ...], starts: Array, gains: Array, tied: Array | None) -> Rankings:
    """Rankings whose retrieved documents are all that is known of a query."""
    return _checked(rules, queries, starts, gains, tied, *_native.known_gains(starts, gains), 0)


def _checked(
    rules: Rules,
    queries: tuple[Label, ...],
    starts: Array,
    gains: Array,
    tied: Array | None,
    pool_starts: Array,
    pool: Array,
    unknown: int,
) -> Rankings:
    if not len(queries):
        raise InputError("data.no_queries")
    missing = np.diff(starts) == 0
    if missing.all() and unknown:
        raise InputError("data.no_common_query", queries=_listed(queries), count=unknown)
    if missing.all() and rules.missing_queries == "skip":
        raise InputError("data.run_empty")
    pool = np.ascontiguousarray(pool)
    return Rankings(queries, starts, gains, tied, pool_starts, pool, missing, rules, unknown)


def _listed(queries: Sequence[Label]) -> list[str]:
    return [*map(repr, queries[:3]), *(["..."] if len(queries) > 3 else [])]
