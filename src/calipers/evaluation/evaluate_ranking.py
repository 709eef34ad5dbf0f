"""`evaluate_ranking`: ranked documents of queries, each measure with its interval over the queries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from calipers.arguments import named_arguments
from calipers.choices import IntervalMethod, MissingQueries, NoRelevant, Ties, Unjudged
from calipers.data import frames, ranking_columns, reading_rankings
from calipers.data.rankings import Rankings
from calipers.data.schema import Schema
from calipers.errors import InputError
from calipers.evaluation.estimates import estimate
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.of_batch import known_methods, raise_interval_error
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.calling import AskedMetrics
from calipers.metrics.ranking import HEADLINE, step_of
from calipers.metrics.views import Views
from calipers.remarks import Remark
from calipers.settings import ABSENT, NO_RELEVANT, Rules, Settings, metric_names
from calipers.statistics.combine import Evidence
from calipers.statistics.queries import QueryGains


@named_arguments
def evaluate_ranking(
    qrels: Any = None,
    run: Any = None,
    metrics: AskedMetrics | None = None,
    *,
    query: str | None = None,
    doc: str | None = None,
    score: str | None = None,
    relevance: str | None = None,
    group_sizes: Any = None,
    ranks: Any = None,
    relevances: Any = None,
    lists: Any = None,
    answers: Any = None,
    ties: Ties | None = None,
    unjudged: Unjudged = "zero",
    missing_queries: MissingQueries = "zero",
    no_relevant: NoRelevant = "zero",
    level: float = 0.95,
    interval: IntervalMethod | Mapping[str, IntervalMethod] | None = None,
    seed: int = 0,
    replicates: int = 1000,
    memory: str | int | None = None,
) -> Evaluation:
    """Evaluate rankings against relevance judgements. Metrics are means over queries.

    - qrels, run: judgements and scores: nested dicts by query and document, TREC files, or data frames with the columns
      query=, doc=, relevance= and query=, doc=, score= (found by their usual names if not given). One frame or file can
      contain all four. Arrays of relevances and scores need group_sizes=, or one list per query.
    - group_sizes: the number of documents of each query.
    - relevances: relevances in rank order, one list per query.
    - ranks: the rank of the relevant document of each query, from 1.
    - lists, answers: suggestions, best first, and the correct answers.
    - ties: "id" (descending document ID, as trec_eval; the default if there are IDs), "mean" (the mean over all orders;
      the default otherwise), or "order" (the given order).
    - unjudged: documents without a judgement are "zero" (not relevant) or "drop" (removed).
    - missing_queries: queries that are missing from the run count as "zero", or "skip".
    - no_relevant: queries without a relevant document count as "zero" or "one", or "skip".
    - level, interval, seed, replicates, memory: as in `evaluate`.

    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}}
    >>> run = {"q1": {"a": 0.9, "b": 0.8, "c": 0.1}, "q2": {"b": 3.0, "a": 2.0}}
    >>> evaluate_ranking(qrels, run, ["map", "ndcg@10"]).per_query["map"]
    array([0.83333333, 0.5       ])
    >>> evaluate_ranking(ranks=[3, 2, 1], metrics="mrr")["mrr"]
    0.611 [0.040, 0.983]
    """
    rules = Rules(ties, unjudged, missing_queries, no_relevant)
    settings = ranking_settings(metrics, rules, level=level, interval=interval, seed=seed, replicates=replicates)
    named = {"query": query, "doc": doc, "score": score, "relevance": relevance}
    forms = {"relevances": relevances, "ranks": ranks, "lists": lists}
    passed = [name for name, value in {**forms, "qrels": qrels}.items() if value is not None]
    if len(passed) != 1:
        if not passed:
            raise InputError("evaluation.ranking_of_nothing")
        raise InputError("evaluation.ranking_of_several", given=passed)
    if (lists is None) != (answers is None):
        raise InputError("evaluation.lists_and_answers")
    if relevances is not None:
        return of_rankings(settings, reading_rankings.of_relevances(rules, relevances))
    if ranks is not None:
        return of_rankings(settings, reading_rankings.of_ranks(rules, ranks))
    if lists is not None:
        return of_rankings(settings, reading_rankings.of_answers(rules, lists, answers))
    columns_named = {what: name for what, name in named.items() if name is not None}
    if any(frames.package_of_engine(table) for table in (qrels, run)):
        from calipers.partitions.rankings_of_frame import rankings_of_frame

        if run is not None:
            raise InputError("partitions.two_tables")
        return rankings_of_frame(qrels, settings, columns_named, memory)
    if memory is not None:
        raise InputError("evaluation.memory_of_rows")
    if isinstance(qrels, (str, os.PathLike)) and run is None:
        return of_file(settings, [os.fspath(qrels)], columns_named)
    return of_rankings(settings, read(rules, qrels, run, columns_named, group_sizes))


def ranking_settings(metrics: AskedMetrics | None, rules: Rules, **rest: Any) -> Settings:
    """The question, its metrics all of rankings."""
    settings = known_methods(Settings(metrics=metric_names(metrics), ranking=rules, **rest))
    measures_of(settings)
    return settings


def measures_of(settings: Settings) -> tuple[Measure, ...]:
    """The measures that were asked for, or those of a first table."""
    measures = tuple(CATALOGUE[name] for name in settings.metrics or HEADLINE)
    for measure in measures:
        name = measure.metric.name
        if not measure.metric.view.of_queries or measure.metric.view.of_lists:
            if f"{name}_at" in CATALOGUE or name == "precision":
                raise InputError("evaluation.metric_without_cutoff", metric=str(measure), name=name)
            known = [m.name.removesuffix("_at") for m in CATALOGUE if m.view.of_queries and not m.view.of_lists]
            raise InputError("evaluation.not_of_rankings", metric=str(measure), known=known)
        step_of(measure, 0.0)  # a parameter that is not known is refused before anything is read
    return measures


def read(rules: Rules, qrels: Any, run: Any, named: Mapping[str, str], group_sizes: Any = None) -> Rankings:
    """Judgements and a run in any of their forms, or one frame with both."""
    if run is None and not frames.is_frame(qrels):
        raise InputError("evaluation.no_run")
    if group_sizes is not None:
        return reading_rankings.of_group_sizes(rules, qrels, run, group_sizes)
    if run is None:
        frame = _columns(qrels, ("query", "doc", "score", "relevance"), named, "the frame")
        return reading_rankings.of_rows(rules, frame["query"], frame.get("doc"), frame["score"], frame["relevance"])
    if is_nested(qrels) and is_nested(run):
        return reading_rankings.of_dicts(rules, qrels, run)
    if isinstance(qrels, (list, tuple)) and isinstance(run, (list, tuple)):
        return reading_rankings.of_lists(rules, qrels, run)
    judged = _table(qrels, ("query", "doc", "relevance"), named, "qrels")
    return reading_rankings.of_tables(rules, judged, _table(run, ("query", "doc", "score"), named, "run"))


def is_nested(value: Any) -> bool:
    """Whether it is a dict by query of dicts by document."""
    return isinstance(value, Mapping) and isinstance(next(iter(value.values()), {}), Mapping)


def _table(table: Any, needed: tuple[str, str, str], named: Mapping[str, str], name: str) -> tuple[Any, ...]:
    if isinstance(table, (str, os.PathLike)):
        from calipers.files import rankings as ranked
        from calipers.files import trec

        form = trec.QRELS if name == "qrels" else trec.RUN
        return ranked.read_pair(table, form, dict(named), {})
    if is_nested(table):
        ranking_columns.refuse_other_than_dicts(table, name)
        rows = [(query, item, value) for query, one in table.items() for item, value in one.items()]
        query, document, number = map(list, zip(*rows, strict=True)) if rows else ([], [], [])
        return query, document, number
    if not frames.is_frame(table):
        raise InputError("evaluation.not_a_ranking", name=name, kind=type(table).__name__)
    columns = _columns(table, needed, named, name)
    if "doc" not in columns:
        raise InputError("evaluation.no_doc", name=name, known=list(frames.names(table)[:12]))
    return columns[needed[0]], columns[needed[1]], columns[needed[2]]


def _columns(frame: Any, needed: Iterable[str], named: Mapping[str, str], where: str) -> dict[str, Any]:
    from calipers.files.rankings import find_columns

    names = find_columns(frames.names(frame), list(needed), dict(named), where)
    data = frames.columns(frame, list(names.values()))
    return dict(zip(names, data, strict=True))


def of_rankings(settings: Settings, ranked: Rankings) -> Evaluation:
    """The evaluation of rankings that are in memory."""
    listed = measures_of(settings)
    gains = QueryGains.of(ranked, {m.name: step_of(m, ranked.most) for m in listed})
    return evaluation_of(replace(settings, ranking=ranked.rules), listed, gains, ranked.unknown, ranked)


def of_file(settings: Settings, files: Sequence[str], named: Mapping[str, str], **reading: Any) -> Evaluation:
    """The evaluation of a table in files, the queries of a long one taken in parts and merged."""
    from calipers.files import rankings as ranked
    from calipers.files.table import Table

    with Table(files, **reading) as table:
        columns = ranked.find_columns(table.names, ("query", "doc", "score", "relevance"), dict(named), table.title)
        return of_table(settings, table, columns)


def of_table(settings: Settings, table: Any, named: Mapping[str, str]) -> Evaluation:
    """The evaluation of an open table of files."""
    from calipers.files import rankings as ranked

    listed, rules = measures_of(settings), settings.ranking
    assert rules is not None
    graded = any(m.metric.name == "err" for m in listed)
    most = ranked.greatest(table, dict(named)) if graded else 0.0
    gains, rankings = QueryGains.empty(), None
    for at, block in enumerate(ranked.blocks(table, dict(named))):
        part = reading_rankings.of_rows(rules, *block)
        steps = {m.name: step_of(m, part.most if most != most else most) for m in listed}
        gains, used = gains.merge(QueryGains.of(part, steps)), part.rules
        rankings = None if at else part  # of a long table the measures alone
    if not gains.rows:
        raise InputError("evaluation.no_rows", name=table.title)
    return evaluation_of(replace(settings, ranking=used), listed, gains, 0, rankings)


def evaluation_of(
    settings: Settings, listed: tuple[Measure, ...], gains: QueryGains, unknown: int, ranked: Rankings | None = None
) -> Evaluation:
    """The evaluation of the queries, with notes."""
    schema = Schema("ranking", scored=True, ranking=settings.ranking)
    views = Views(Evidence.holding(gains), schema, rankings=ranked)
    notes = _notes(settings, gains, unknown)
    evaluation = Evaluation(views, settings, listed, schema=schema, notes=notes, rows=gains.rows)
    if settings.metrics is not None:
        for measure in listed:
            evaluation.known[measure.name] = estimate(
                measure, views, settings, strict=True, bootstrap=evaluation._bootstrap
            )
    raise_interval_error(settings, evaluation)
    return evaluation


def _notes(settings: Settings, gains: QueryGains, unknown: int) -> tuple[str, ...]:
    rules = settings.ranking
    assert rules is not None
    notes = []
    if missing := int(gains.missing.sum()):
        notes.append(Remark("evaluation.not_in_run", count=missing, rule=ABSENT[rules.missing_queries]))
    if unknown:
        notes.append(Remark("evaluation.without_judgements", count=unknown))
    if empty := int((gains.count("relevant") == 0).sum()):
        notes.append(Remark("evaluation.without_relevant", count=empty, rule=NO_RELEVANT[rules.no_relevant]))
    retrieved, judged = (int(gains.count(name).sum()) for name in ("retrieved", "judged_retrieved"))
    if judged < retrieved:
        notes.append(Remark("evaluation.unjudged_documents", count=retrieved - judged, total=retrieved))
    return tuple(notes)
