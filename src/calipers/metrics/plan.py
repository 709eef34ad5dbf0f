"""From the metrics asked for to the statistics that one pass has to make."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from calipers.data.batch import Batch
from calipers.data.schema import Schema
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.joint import FEW
from calipers.metrics.over.base import named, of_rows
from calipers.metrics.over.counts import counted
from calipers.metrics.over.numbers import recipes_of_numbers
from calipers.metrics.over.samples import sorted_scores
from calipers.statistics.combine import Recipe
from calipers.statistics.labels import MOST_PAIRED, LabelPairs
from calipers.tasks import Task


def headline(schema: Schema) -> tuple[Measure, ...]:
    """What a first table shows of such rows."""
    # Labels can come from the score of the positive class and a threshold; otherwise the schema says where they come
    # from.
    labelled = bool(schema.predicted) or schema.facts.one_score
    return _headline(schema.task, labelled, schema.scored, CATALOGUE.edition)


@cache
def _headline(task: str, labelled: bool, scored: bool, edition: int) -> tuple[Measure, ...]:
    measures: list[Measure] = []
    for metric in CATALOGUE:
        if labelled if metric.from_labels else scored:
            measures += [metric.with_parameters({"average": a} if a else {}) for a in metric.headline.get(task, ())]
    return tuple(measures)


def everything(batch: Batch) -> dict[str, Recipe]:
    """Every statistic that such rows can give, so that no metric is missing when asked for later."""
    return _all_recipes(RowKind.of(batch), CATALOGUE.edition)


def of_many(batch: Batch) -> dict[str, Recipe]:
    """The same of a part of so many rows that none of them can be left out one by one."""
    return _all_recipes(RowKind.of(batch)._replace(few=False, searched=False), CATALOGUE.edition)


@lru_cache(64)
def _all_recipes(rows: RowKind, edition: int) -> dict[str, Recipe]:
    return _recipes(_everything(rows.task, edition), rows, edition)


@cache
def _everything(task: Task, edition: int) -> tuple[Measure, ...]:
    if task.of_numbers:
        return tuple(m.with_parameters({}) for m in CATALOGUE if m.of_numbers)
    if task.clustered:
        return tuple(m.with_parameters({}) for m in CATALOGUE if m.view.of_clusters)
    averages = (None,) if task.one_score else (None, "macro")
    pairs = ((m, a) for m in CATALOGUE for a in averages if a is None or m.averaged)
    return tuple(m.with_parameters({} if a is None else {"average": a}) for m, a in pairs)


def recipes(measures: Sequence[Measure], batch: Batch) -> dict[str, Recipe]:
    """The statistics that these measures need of such a batch, each made once.

    Labels that were given are always counted: a label metric asked for later must not re-make them from scores.
    """
    return _recipes(tuple(measures), RowKind.of(batch), CATALOGUE.edition)


class RowKind(NamedTuple):
    """What a plan has to know of a batch; plans are kept for the next one like it."""

    task: Task
    labelled: bool
    scored: bool
    probable: bool
    paired: bool
    few: bool  # few enough for a jackknife over rows
    several: bool  # several predicted numbers per row, whose average needs the rows
    searched: bool  # so many that the median and the mean are computed in the same pass
    alone: bool = False  # only one metric is requested, so nothing is computed for others

    @classmethod
    def of(cls, batch: Batch) -> RowKind:
        """The kind of rows that a batch holds."""
        schema, task = batch.schema, batch.facts
        labelled, probable = batch.pred is not None, not schema.why_not_probabilities
        paired = labelled and task.label_sets and len(schema.labels) <= MOST_PAIRED
        several, few = task.of_numbers and bool(schema.labels), task.of_numbers and len(batch) <= FEW
        searched = task.of_numbers and not several and not few and not schema.weighted
        return cls(task, labelled, batch.score is not None, probable, paired, few, several, searched)


@lru_cache(64)
def _recipes(measures: tuple[Measure, ...], rows: RowKind, edition: int) -> dict[str, Recipe]:
    if rows.task.of_numbers:
        return recipes_of_numbers(measures, rows)
    needed = [_recipe(measure, rows) for measure in measures]
    if rows.labelled:
        needed.append(counted(rows.task))
    needed += [named(LabelPairs)] if _paired(measures, rows) else []
    return dict(recipe for recipe in needed if recipe is not None)


def single(measure: Measure, batch: Batch) -> dict[str, Recipe]:
    """The statistic of one measure that is wanted alone.

    A mean of losses then needs no sort.
    """
    if batch.facts.of_numbers:
        return recipes((measure,), batch)
    plans = batch.schema.plans
    key = measure, batch.pred is None, batch.score is None, CATALOGUE.edition
    if key not in plans:
        plans[key] = _single(measure, batch)
    planned: dict[str, Recipe] = plans[key]
    return planned


def _single(measure: Measure, batch: Batch) -> dict[str, Recipe]:
    losses = measure.metric.probabilities and measure.metric.rows and not batch.why_not_probabilities
    if batch.facts.one_score and losses and batch.score is not None:
        return dict([of_rows(measure)])
    rows = RowKind.of(batch)._replace(alone=True)
    needed = [_recipe(measure, rows), named(LabelPairs) if _paired((measure,), rows) else None]
    return dict(recipe for recipe in needed if recipe is not None)


def _paired(measures: Sequence[Measure], rows: RowKind) -> bool:
    """Whether it matters how labels go together: for averages over them."""
    return rows.paired and any(m.average is not None and m.metric.from_labels for m in measures)


def _recipe(measure: Measure, rows: RowKind) -> tuple[str, Recipe] | None:
    """The statistic behind one measure; None where such rows cannot give it, which resolve() then explains."""
    if measure.metric.from_labels and not rows.labelled:
        return sorted_scores(rows) if rows.task.one_score else None
    if not measure.metric.from_labels and not rows.scored:
        return None
    return measure.metric.view.recipe(measure, rows)
