"""From the metrics asked for to the statistics that one pass has to make."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache, partial
from typing import NamedTuple

from calipers.data.batch import Batch
from calipers.data.schema import Schema
from calipers.metrics.base import CATALOGUE, Measure, RowMean
from calipers.metrics.joint import FEW, Joint, Sizes
from calipers.statistics.base import Statistic
from calipers.statistics.classes import ClassScores
from calipers.statistics.combine import Recipe
from calipers.statistics.confusion import ConfusionCounts
from calipers.statistics.errors import Errors
from calipers.statistics.labels import MOST_PAIRED, LabelCounts, LabelPairs
from calipers.statistics.moments import Moments
from calipers.statistics.queries import QueryGains
from calipers.statistics.ranks import RankCounts
from calipers.statistics.rows import Rows as KeptRows
from calipers.statistics.scores import ScoreSamples
from calipers.tasks import Task


def headline(schema: Schema) -> tuple[Measure, ...]:
    """What a first table shows of such rows."""
    # A score of the positive class can be cut into labels; else the schema says where that has been done.
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
    return _all_recipes(Rows.of(batch), CATALOGUE.edition)


@lru_cache(64)
def _all_recipes(rows: Rows, edition: int) -> dict[str, Recipe]:
    return _recipes(_everything(rows.task, edition), rows, edition)


@cache
def _everything(task: Task, edition: int) -> tuple[Measure, ...]:
    if task.of_numbers:
        return tuple(m.with_parameters({}) for m in CATALOGUE if m.of_numbers)
    averages = (None,) if task.one_score else (None, "macro")
    pairs = ((m, a) for m in CATALOGUE for a in averages if a is None or m.averaged)
    return tuple(m.with_parameters({} if a is None else {"average": a}) for m, a in pairs)


def recipes(measures: Sequence[Measure], batch: Batch) -> dict[str, Recipe]:
    """The statistics that these measures need of such a batch, each made once.

    Labels that were given are always counted: a label metric asked for later must not re-make them from scores.
    """
    return _recipes(tuple(measures), Rows.of(batch), CATALOGUE.edition)


class Rows(NamedTuple):
    """What a plan has to know of a batch; plans are kept for the next one like it."""

    task: Task
    labelled: bool
    scored: bool
    probable: bool
    paired: bool
    few: bool  # so few that a jackknife can leave each of them out
    several: bool  # several predicted numbers a row, whose average needs the rows
    searched: bool  # so many that what needs their median or mean first is found on the way

    @classmethod
    def of(cls, batch: Batch) -> Rows:
        """The kind of rows that a batch holds."""
        schema, task = batch.schema, batch.facts
        labelled, probable = batch.pred is not None, not schema.why_not_probabilities
        paired = labelled and task.label_sets and len(schema.labels) <= MOST_PAIRED
        several, few = task.of_numbers and bool(schema.labels), task.of_numbers and len(batch) <= FEW
        searched = task.of_numbers and not several and not few and not schema.weighted
        return cls(task, labelled, batch.score is not None, probable, paired, few, several, searched)


@lru_cache(64)
def _recipes(measures: tuple[Measure, ...], rows: Rows, edition: int) -> dict[str, Recipe]:
    if rows.task.of_numbers:
        return _of_numbers(measures, rows)
    needed = [_recipe(measure, rows) for measure in measures]
    if rows.labelled:
        needed.append(_counted(rows.task))
    needed += [_named(LabelPairs)] if _paired(measures, rows) else []
    plan: dict[str, Recipe] = dict(recipe for recipe in needed if recipe is not None)
    if "ScoreSamples" in plan:
        plan["ScoreSamples"] = ScoreSamples.of_many
    return plan


def _of_numbers(measures: tuple[Measure, ...], rows: Rows) -> dict[str, Recipe]:
    """One pass for all losses and joint moments; the rows themselves where a median or a jackknife needs them."""
    numeric = [m for m in measures if m.metric.of_numbers]
    losses = tuple(dict.fromkeys(m.loss for m in numeric if m.metric.over is Errors and m.loss is not None))
    compared = {m.loss for m in numeric if m.metric.over is KeptRows and m.loss is not None} if rows.searched else ()
    plan: dict[str, Recipe] = {"Errors": partial(Errors.of_outputs, losses=losses, compared=tuple(sorted(compared)))}
    by_row = (KeptRows, Joint, Sizes) if rows.few else (KeptRows,)
    if any(m.metric.over in by_row or rows.several for m in numeric):
        plan["Rows"] = KeptRows.of
    return plan


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
        return dict([_rows(measure)])
    rows = Rows.of(batch)
    needed = [_recipe(measure, rows), _named(LabelPairs) if _paired((measure,), rows) else None]
    return dict(recipe for recipe in needed if recipe is not None)


def _paired(measures: Sequence[Measure], rows: Rows) -> bool:
    """Whether it matters how labels go together: for averages over them."""
    return rows.paired and any(m.average is not None and m.metric.from_labels for m in measures)


def _recipe(measure: Measure, rows: Rows) -> tuple[str, Recipe] | None:
    """The statistic behind one measure; None where such rows cannot give it, which resolve() then explains."""
    metric, task = measure.metric, rows.task
    if metric.over is QueryGains:
        return None
    if metric.from_labels and not rows.labelled:
        return _named(ScoreSamples) if task.one_score else None
    if not metric.from_labels and not rows.scored:
        return None
    if metric.over is RowMean:
        return _rows(measure) if task.label_sets else None
    if metric.from_labels:
        return _counted(task)
    if metric.over is RankCounts:
        return _named(RankCounts) if task.top_class else None
    if task.one_score:
        return _named(ScoreSamples)
    if task.top_class and measure.average is None and metric.probabilities and not rows.probable:
        return None
    if task.top_class and measure.average is None and metric.top_class:
        return "TopScores", ScoreSamples.of_top
    if task.top_class and measure.average is None and metric.rows is not None:
        return _rows(measure)
    return _named(ClassScores)


def _counted(task: Task) -> tuple[str, Recipe] | None:
    """The counts of true and predicted labels; None where rows have neither one class nor a set of labels."""
    return _named(LabelCounts) if task.label_sets else _named(ConfusionCounts) if task.one_class else None


def _rows(measure: Measure) -> tuple[str, Recipe]:
    if measure.metric.losses is not None:
        return measure.name, measure.metric.losses
    rows = measure.metric.rows
    assert rows is not None
    return measure.name, partial(Moments.of, measure=rows)


def _named(kind: type[Statistic]) -> tuple[str, Recipe]:
    return kind.__name__, kind.of
