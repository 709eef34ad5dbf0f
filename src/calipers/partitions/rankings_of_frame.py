"""`evaluate_ranking` of a data frame of Spark or Dask: the engine brings the rows of a query together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from calipers.data import containers, frames, reading_rankings
from calipers.errors import InputError
from calipers.evaluation.evaluate_ranking import evaluation_of, measures_of
from calipers.evaluation.evaluation import Evaluation
from calipers.files.rankings import find_columns
from calipers.metrics.ranking import step_of
from calipers.partitions.engine import Engine, Work, engine_of, memory_of, result_of
from calipers.partitions.states import State, work_of
from calipers.partitions.tables import stacked
from calipers.settings import Settings
from calipers.statistics.queries import QueryGains

COLUMNS = ("query", "doc", "score", "relevance")


@dataclass(frozen=True)
class RankingQuestion:
    """The settings of the evaluation of each partition; most: the highest relevance of all queries."""

    settings: Settings
    columns: Mapping[str, str]
    most: float | None
    memory: int

    def of_tables(self, tables: Iterable[Any]) -> State | None:
        """The measures of the queries of a partition; None where it has none."""
        filled = [table for table in tables if len(table)]
        if not filled:
            return None
        table, rules = stacked(filled), self.settings.ranking  # a query may be in several tables
        assert rules is not None
        of = {what: frames.column(table, name) for what, name in self.columns.items()}
        ranked = reading_rankings.of_rows(rules, of["query"], of.get("doc"), of["score"], of["relevance"])
        listed = measures_of(self.settings)
        most = ranked.most if self.most is None else self.most
        gains = QueryGains.of(ranked, {m.name: step_of(m, most) for m in listed})
        settings = replace(self.settings, ranking=ranked.rules)
        return State(evaluation_of(settings, listed, gains, ranked.unknown, ranked)).within(self.memory)


def rankings_of_frame(
    frame: Any, settings: Settings, named: Mapping[str, str], memory: str | int | None = None
) -> Evaluation:
    """The evaluation of one data frame with queries, scores and relevances."""
    return rankings_of_engine(engine_of(frame), settings, named, memory)


def rankings_of_engine(
    engine: Engine, settings: Settings, named: Mapping[str, str], memory: str | int | None = None
) -> Evaluation:
    """The same of an adapter."""
    columns = find_columns(list(engine.columns), list(COLUMNS), dict(named), "the frame")
    most = _greatest(engine, columns["relevance"]) if _is_graded(settings) else None
    bytes_at_most = memory_of(engine, memory)
    question = RankingQuestion(replace(settings, metrics=settings.metrics), columns, most, bytes_at_most)
    work = work_of(question.of_tables, bytes_at_most)
    state = result_of(engine, list(columns.values()), work, together=columns["query"])
    if state is None:
        raise InputError("partitions.no_rows")
    ev = state.evaluation
    gains, ranked = ev.views.evidence.get(QueryGains), ev.views.rankings
    assert gains is not None
    order = np.array(sorted(range(gains.rows), key=gains.queries.__getitem__), np.intp)
    queries = tuple(gains.queries[at] for at in order)
    gains = replace(
        gains, queries=queries, values=gains.values[order], counts=gains.counts[order], missing=gains.missing[order]
    )
    return evaluation_of(ev.settings, ev.listed, gains, 0, None if ranked is None else ranked.take(order))


def _is_graded(settings: Settings) -> bool:
    """Whether a measure depends on the greatest relevance of all queries."""
    return any(measure.metric.name == "err" for measure in measures_of(settings))


def _greatest(engine: Engine, name: str) -> float | None:
    work: Work[float] = Work(partial(_greatest_of, name=name), max, small=True)
    return result_of(engine, [name], work)


def _greatest_of(tables: Iterable[Any], name: str) -> float:
    columns = [containers.numbers(frames.column(table, name), name) for table in tables]
    return max((float(np.nanmax(x)) for x in columns if not np.isnan(x).all()), default=0.0)
