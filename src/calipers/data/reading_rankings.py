"""Rankings in: every form that people have them in, checked and brought into rank order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.data import containers, labels
from calipers.data.ids import Identifiers, identifiers, text_codes
from calipers.data.rankings import Rankings
from calipers.errors import InputError, quoted
from calipers.settings import Label, Rules

Array = npt.NDArray[Any]
MANY = 1000
Where = Callable[[int], str]
ROW = "row {}".format


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
    known = _queries(pool_of.query, "query of the judgements")
    ids = identifiers(pool_of.document, "doc of the judgements")
    grades = relevances(pool_of.number, "relevance", pool_of.where)
    _same_length(known.codes, ids.ids, grades, "judgements")
    if np.isnan(grades).any():
        at = pool_of.where(int(np.isnan(grades).argmax()))
        raise InputError(f"relevance is missing ({at}): leave a document without judgement out of the judgements")
    count = len(known.values)
    pool_starts, pool, _, _, again, order, fingerprints = _native.rank_rows(
        known.codes, count, np.zeros(len(grades)), ids.ids, False, grades, None, True
    )
    _refuse_repeated(again, ids, known, "judged", pool_of.where)
    asked, documents = _queries(run_of.query, "query of the run"), identifiers(run_of.document, "doc of the run")
    scores = scored(run_of.number, run_of.where)
    _same_length(asked.codes, documents.ids, scores, "run")
    if documents.kind != ids.kind and len(scores) and len(grades):
        raise InputError(
            f"document ids are {ids.kind} in the judgements and {documents.kind} in the run: write them alike"
        )
    codes, unknown = _codes_in(asked, known.values)
    rules = replace(rules, ties=rules.ties or "id")
    judgements = pool_starts, order, fingerprints, pool, ids.ids
    starts, gains, tied, ties, again, *_ = _native.rank_rows(
        codes, count, scores, documents.ids, rules.ties == "id", None, judgements
    )
    _refuse_repeated(again, documents, asked, "retrieved", run_of.where)
    return _checked(rules, known.values, starts, gains, tied if ties else None, pool_starts, pool, unknown)


def of_rows(rules: Rules, query: Any, doc: Any, score: Any, relevance: Any) -> Rankings:
    """One table: a row is a retrieved document with its judgement, which may be missing."""
    known, scores, grades = _queries(query, "query"), scored(score), relevances(relevance, "relevance")
    _same_length(known.codes, scores, grades, "columns")
    if doc is None:
        return _of_codes(_without_ids(rules), known.values, known.codes, scores, grades)
    ids = identifiers(doc, "doc")
    _same_length(known.codes, ids.ids, grades, "columns")
    rules = replace(rules, ties=rules.ties or "id")
    starts, gains, tied, ties, again, *_ = _native.rank_rows(
        known.codes, len(known.values), scores, ids.ids, rules.ties == "id", grades, None
    )
    _refuse_repeated(again, ids, known, "given")
    return _own_pool(rules, known.values, starts, gains, tied if ties else None)


def of_group_sizes(rules: Rules, relevance: Any, score: Any, group_sizes: Any) -> Rankings:
    """Arrays in which the documents of a query lie together, and how many each query has."""
    sizes = containers.numbers(group_sizes, "group_sizes")
    grades, scores = relevances(relevance, "relevance"), scored(score)
    if sizes.ndim != 1 or (len(sizes) and not (sizes == sizes.astype(np.int64)).all()) or (sizes < 0).any():
        raise InputError("group_sizes= is the number of documents of each query: whole numbers, 0 or more")
    if not len(grades) == len(scores) == sizes.sum():
        raise InputError(
            f"group_sizes= adds up to {int(sizes.sum())} documents, relevance has {len(grades)}, score {len(scores)}: "
            "they must describe the same documents"
        )
    codes = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes.astype(np.int64))
    return _of_codes(_without_ids(rules), tuple(range(len(sizes))), codes, scores, grades)


def _of_codes(rules: Rules, queries: tuple[Label, ...], codes: Array, scores: Array, grades: Array) -> Rankings:
    """Documents without ids."""
    starts, gains, tied, ties, *_ = _native.rank_rows(codes, len(queries), scores, None, False, grades, None)
    return _own_pool(rules, queries, starts, gains, tied if ties else None)


def of_lists(rules: Rules, relevance: Sequence[Any], score: Sequence[Any]) -> Rankings:
    """Lists of relevances and of scores, one of each a query."""
    relevance, score = _lists(relevance, "relevance"), _lists(score, "score")
    if len(relevance) != len(score):
        raise InputError(f"{len(relevance)} lists of relevances and {len(score)} of scores: one of each a query")
    for name, lists in (("relevance", relevance), ("score", score)):
        _refuse_scalars(lists, name)
    sizes = [len(one) for one in relevance]
    for query, (size, scores) in enumerate(zip(sizes, score, strict=True)):
        if len(scores) != size:
            raise InputError(f"query {query} has {size} relevances and {len(scores)} scores: one of each a document")
    return of_group_sizes(rules, _flat(relevance, "relevance"), _flat(score, "score"), sizes)


def of_relevances(rules: Rules, lists: Sequence[Any]) -> Rankings:
    """Relevances in rank order, a list a query; a flat list is one query."""
    listed = _lists(lists, "relevances")
    nested = [listed] if listed and not _is_list(listed[0]) else listed
    grades = relevances(_flat(nested, "relevances"), "relevances")
    return _own_pool(_as_given(rules), tuple(range(len(nested))), _starts([len(one) for one in nested]), grades, None)


def of_ranks(rules: Rules, ranks: Sequence[Any]) -> Rankings:
    """Ranks of what is relevant, from 1: one a query or a list, None where it was not found."""
    starts, gains, pools = [0], [], []
    for query, given in enumerate(ranks):
        several = list(given) if isinstance(given, (list, tuple, set, np.ndarray)) else [given]
        found = [rank for rank in several if rank is not None and rank == rank and rank != np.inf]
        for rank in found:
            if isinstance(rank, bool) or not hasattr(rank, "__float__") or rank < 1 or not float(rank).is_integer():
                raise InputError(f"ranks[{query}] holds {rank!r}: ranks are whole numbers from 1, None where not found")
        places = [int(rank) for rank in found]
        if len(set(places)) < len(places):
            raise InputError(f"ranks[{query}] holds a rank twice: each relevant document has a rank of its own")
        one = np.zeros(max(places, default=0))
        one[np.array(places, int) - 1] = 1.0
        gains.append(one)
        pools.append(np.ones(len(several)))
        starts.append(starts[-1] + len(one))
    pool_starts = _starts([len(pool) for pool in pools])
    together = (np.concatenate([np.zeros(0), *parts]) for parts in (gains, pools))
    held, pool = together
    # An empty list retrieves nothing of what is relevant; the query itself is not missing.
    none = np.zeros(len(pools), bool)
    return Rankings(tuple(range(len(pools))), np.array(starts), held, None, pool_starts, pool, none, _as_given(rules))


def of_answers(rules: Rules, lists: Sequence[Any], answers: Sequence[Any]) -> Rankings:
    """Lists of what was suggested, best first, and what is right for each: one, several, or grades by item."""
    if len(lists) != len(answers):
        raise InputError(f"lists= has {len(lists)} queries and answers= {len(answers)}: one of each a query")
    judged = {query: _graded(right) for query, right in enumerate(answers)}
    gains: list[float] = []
    for query, items in enumerate(lists):
        if isinstance(items, (str, bytes)) or not isinstance(items, Iterable):
            raise InputError(f"lists[{query}] is {items!r}: a list of suggestions, best first, is needed")
        suggested = list(items)
        if len(set(suggested)) < len(suggested):
            twice = next(item for at, item in enumerate(suggested) if item in suggested[:at])
            raise InputError(f"{twice!r} comes twice in lists[{query}]: suggest each once")
        gains += map(judged[query].get, suggested, repeat(np.nan))
    starts = _starts([len(list(items)) for items in lists])
    pool = relevances(_flat([list(one.values()) for one in judged.values()], "answers"), "answers")
    pool_starts = _starts([len(one) for one in judged.values()])
    none = np.zeros(len(judged), bool)
    return Rankings(tuple(judged), starts, np.array(gains, float), None, pool_starts, pool, none, _as_given(rules))


def refuse_other_than_dicts(table: Mapping[Any, Any], name: str) -> None:
    """An error where a query has anything else than a dict by document."""
    for query, one in table.items():
        if not isinstance(one, Mapping):
            raise InputError(f"{name}[{quoted(query)}] is a {type(one).__name__}: a dict by document is needed")


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
    scores = scored(_counted(chain.from_iterable(one.values() for one in runs), total, "score"))
    looked = (map(qrels[query].get, one, repeat(np.nan)) for query, one in zip(queries, runs, strict=True))
    gains = _counted(chain.from_iterable(looked), total, "relevance")
    pools = np.fromiter((len(qrels[query]) for query in queries), np.int64, len(queries))
    pool = relevances(
        _counted(chain.from_iterable(qrels[q].values() for q in queries), int(pools.sum()), "relevance"), "relevance"
    )
    if np.isnan(pool).any():
        raise InputError("a relevance of qrels is missing: leave a document without judgement out of qrels")
    codes = np.repeat(np.arange(len(queries), dtype=np.uint32), sizes)
    rules = replace(rules, ties=rules.ties or "id")
    starts, found, tied, ties, *_ = _native.rank_rows(codes, len(queries), scores, None, False, gains, None)
    if ties and rules.ties == "id":  # ids are looked at only where they decide
        ids = identifiers(list(chain.from_iterable(runs)), "doc of the run").ids
        found = _native.rank_rows(codes, len(queries), scores, ids, True, gains, None)[1]
    unknown = len(run.keys() - qrels.keys())
    return _checked(rules, queries, starts, found, tied if ties else None, _starts(pools), pool, unknown)


def relevances(given: Any, name: str, where: Where = ROW) -> Array:
    """Relevances as float64, NaN where one is missing; negative ones are refused."""
    grades = containers.numbers(given, name).astype(np.float64, copy=False)
    if grades.ndim != 1:
        raise InputError(f"{name} has shape {grades.shape}: one a document is needed")
    bad = (grades < 0) | np.isinf(grades)
    if bad.any():
        row = int(bad.argmax())
        raise InputError(
            f"{name} holds {grades[row]:g} ({where(row)}): relevance is 0 or more; write 0 for what is not relevant, "
            "and leave out what was not judged"
        )
    return grades


def scored(given: Any, where: Where = ROW) -> Array:
    """Scores as float64, so that no two become equal that are not; NaN has no rank."""
    scores = containers.numbers(given, "score").astype(np.float64, copy=False)
    if scores.ndim != 1:
        raise InputError(f"score has shape {scores.shape}: one a document is needed")
    if np.isnan(scores).any():
        count, row = int(np.isnan(scores).sum()), int(np.isnan(scores).argmax())
        raise InputError(
            f"score has {count} NaN (first at {where(row)}): a ranking needs ordered scores; drop those rows"
        )
    return np.ascontiguousarray(scores)


def _counted(values: Iterable[Any], count: int, name: str) -> Array:
    """Numbers of an iterator. What is no number is found and named by a second look."""
    items = list(values)
    try:
        return np.fromiter(items, np.float64, count)
    except (TypeError, ValueError, OverflowError):
        return containers.numbers(items, name)


def _queries(column: Any, name: str) -> labels.Encoded:
    """Queries by code, in order."""
    texts = text_codes(column, name) if len(column) > MANY else None
    if texts is not None:
        order = sorted(range(len(texts[1])), key=texts[1].__getitem__)
        table = np.empty(len(order), np.uint32)
        table[order] = np.arange(len(order))
        return labels.Encoded(_native.recode(texts[0], table), tuple(texts[1][i] for i in order), 0, -1)
    found = labels.encode(column, name)
    if found.missing:
        raise InputError(f"{name} has {found.missing} missing values (first at row {found.first_missing})")
    return found


def _codes_in(asked: labels.Encoded, known: tuple[Label, ...]) -> tuple[Array, int]:
    """The codes of the run's queries among those that have judgements; one more for all others, and how many."""
    place = {query: code for code, query in enumerate(known)}
    table = np.array([place.get(query, len(known)) for query in asked.values], np.uint32)
    return _native.recode(asked.codes, table), sum(query not in place for query in asked.values)


def _graded(right: Any) -> dict[Any, Any]:
    if isinstance(right, Mapping):
        return dict(right)
    return dict.fromkeys(right if isinstance(right, (list, tuple, set, frozenset)) else [right], 1.0)


def _lists(given: Any, name: str) -> list[Any]:
    if isinstance(given, (str, bytes, Mapping)) or not _is_list(given):
        raise InputError(f"{name}={quoted(given)} is not a list: pass one list of numbers per query")
    return list(given)


def _is_list(given: Any) -> bool:
    """Whether it has a length and items: a list, an array, a column."""
    return hasattr(given, "__len__") and hasattr(given, "__getitem__") and getattr(given, "ndim", 1) > 0


def _refuse_scalars(lists: Sequence[Any], name: str) -> None:
    for query, one in enumerate(lists):
        if isinstance(one, (str, bytes, Mapping)) or not _is_list(one) or getattr(one, "ndim", 1) != 1:
            raise InputError(f"{name}[{query}] is {quoted(one)}: pass one list of numbers per query")


def _flat(lists: Sequence[Any], name: str) -> Array | list[Any]:
    _refuse_scalars(lists, name)
    parts = [containers.numbers(one, name) for one in lists if len(one)]
    for query, part in enumerate(parts):
        if part.ndim != 1:
            raise InputError(f"{name} holds lists of lists (list {query}): pass one list of numbers per query")
    return np.concatenate(parts) if parts else np.zeros(0)


def _starts(sizes: Any) -> Array:
    return np.concatenate(([0], np.cumsum(np.asarray(sizes, np.int64)))).astype(np.int64)


def _without_ids(rules: Rules) -> Rules:
    if rules.ties == "id":
        raise InputError('ties="id" needs document ids: name their column with doc=, or pass ties="mean" or "order"')
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
        raise InputError("there are no queries: at least one with judgements is needed")
    missing = np.diff(starts) == 0
    if missing.all() and unknown:
        raise InputError(
            f"no query of the run has judgements: those are of {_listed(queries)}, and the run is of {unknown} others"
        )
    if missing.all() and rules.missing_queries == "skip":
        raise InputError("the run holds no document: nothing is left to measure")
    pool = np.ascontiguousarray(pool)
    return Rankings(queries, starts, gains, tied, pool_starts, pool, missing, rules, unknown)


def _listed(queries: Sequence[Label]) -> str:
    return ", ".join(map(repr, queries[:3])) + (", ..." if len(queries) > 3 else "")


def _refuse_repeated(row: int, ids: Identifiers, queries: labels.Encoded, what: str, where: Where = ROW) -> None:
    if row >= 0:
        query = queries.values[queries.codes[row]]
        raise InputError(
            f"document {ids.shown(row)} is {what} twice for query {query!r} (again in {where(row)}): "
            "keep one of the rows"
        )


def _same_length(first: Any, second: Any, third: Any, what: str) -> None:
    if not len(first) == len(second) == len(third):
        raise InputError(f"the {what} have {len(first)}, {len(second)} and {len(third)} rows: they must be equal")
