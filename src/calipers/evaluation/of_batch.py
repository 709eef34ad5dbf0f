"""From checked rows to an evaluation: plan, one pass, and the layout of the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from calipers.data.batch import Batch
from calipers.data.schema import Schema
from calipers.errors import InputError, nearest
from calipers.evaluation.estimates import estimate, interval_error
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.worst_rows import KeptRows
from calipers.inference.intervals import every_method, fitting
from calipers.inference.resampled import RESAMPLED
from calipers.metrics import plan
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.resolve import resolve
from calipers.metrics.views import Unavailable, Views
from calipers.remarks import Remark
from calipers.settings import Label, Settings
from calipers.statistics.combine import Evidence


def of_batch(settings: Settings, batch: Batch, origin: Any = None) -> Evaluation:
    """Plan, make one pass, and lay out the result; origin: the frame or column that the rows came from."""
    evaluation = statistics_of(settings, batch, KeptRows.of(batch, origin), keeps_rows=is_resampled(settings, batch))
    return checked(evaluation) if len(batch) else evaluation


def statistics_of(
    settings: Settings, batch: Batch, kept: KeptRows | None = None, *, keeps_rows: bool = False, whole: bool = True
) -> Evaluation:
    """The statistics of the rows and of their slices, before any metric is looked at.

    keeps_rows: whether intervals draw the rows again. whole: False leaves out the statistics of all rows together.
    """
    listed = listed_in(settings, batch.schema)
    recipes = plan.everything(batch) if settings.metrics is None else plan.recipes(listed, batch)
    source = batch if keeps_rows else None
    slices: dict[str, dict[Label, Evaluation]] = {name: {} for name in batch.slices}
    for name, values in slices.items():
        for value, rows in batch.parts(name):
            of, again = Evidence.of(rows, recipes), rows if source is not None else None
            part = None if kept is None else replace(kept, part=(name, value))
            values[value] = of_evidence(settings, batch.schema, listed, of, again, _notes(batch, again), kept=part)
    evidence = Evidence.of(batch, recipes) if len(batch) and whole else Evidence.empty()
    return of_evidence(
        settings, batch.schema, listed, evidence, source, _notes(batch, source), slices, len(batch), kept
    )


def listed_in(settings: Settings, schema: Schema) -> tuple[Measure, ...]:
    """The metrics that were asked for, or those of a first table."""
    if settings.metrics is None:
        return plan.headline(schema)
    return tuple(CATALOGUE[name] for name in settings.metrics)


def checked(evaluation: Evaluation) -> Evaluation:
    """The evaluation, unless a metric or an interval that was asked for by name cannot be had: that is an error."""
    if evaluation.settings.metrics is not None:
        demand(evaluation)
    raise_interval_error(evaluation.settings, evaluation)
    return evaluation


def _notes(batch: Batch, source: Batch | None) -> tuple[str, ...]:
    """What is to be said of how rows were read, of all of them or of a slice whose rows are kept."""
    notes = batch.notes
    if source is not None and source.groups is not None:
        notes += (Remark("evaluation.grouped_rows", count=len(set(source.groups.tolist()))),)
    if batch.dropped:
        notes += (Remark("evaluation.dropped", count=batch.dropped),)
    return notes


def demand(evaluation: Evaluation) -> None:
    """Estimate the metrics that were asked for by name: one that cannot be had is an error, not a NaN."""
    for measure in evaluation.listed:
        evaluation.known[measure.name] = estimate(
            measure, evaluation.views, evaluation.settings, strict=True, bootstrap=evaluation._bootstrap
        )


def known_methods(settings: Settings) -> Settings:
    """The question with the metrics of `interval=` by their canonical names; unknown methods raise an error."""
    interval = settings.interval
    if interval is None:
        return settings
    for method in [interval] if isinstance(interval, str) else interval.values():
        if method not in every_method():
            raise InputError("evaluation.unknown_interval", method=method, near=nearest(str(method), every_method()))
    if isinstance(interval, str):
        return settings
    return replace(settings, interval={CATALOGUE[name].name: method for name, method in interval.items()})


def raise_interval_error(settings: Settings, evaluation: Evaluation) -> None:
    """An error where a metric was given a method that does not fit it, or all of them one that fits none."""
    if not isinstance(settings.interval, str):
        for name in settings.interval or ():
            estimate(CATALOGUE[name], evaluation.views, settings, strict=True)
        return
    if settings.interval == "grouped" and evaluation.views.source is not None:
        return
    answers = [(m, resolve(m, evaluation.views)) for m in evaluation.listed]
    methods = [(m, fitting(a.value)) for m, a in answers if a.point == a.point]
    if methods and not any(settings.interval in possible for _, possible in methods):
        raise interval_error(methods[0][0], settings.interval, methods[0][1])


def is_resampled(settings: Settings, batch: Batch) -> bool:
    """Whether an interval may have to draw the rows again, so that they must be kept."""
    return batch.groups is not None or asks_for_resampling(settings)


def asks_for_resampling(settings: Settings) -> bool:
    """Whether an interval was asked for that draws rows again."""
    interval = settings.interval
    methods = () if interval is None else (interval,) if isinstance(interval, str) else tuple(interval.values())
    return any(method in RESAMPLED for method in methods)


def of_evidence(
    settings: Settings,
    schema: Schema,
    listed: tuple[Measure, ...],
    evidence: Evidence,
    source: Batch | None = None,
    notes: tuple[str, ...] = (),
    slices: Mapping[str, Mapping[Label, Evaluation]] | None = None,
    rows: int = 0,
    kept: KeptRows | None = None,
) -> Evaluation:
    """The evaluation of some evidence, read as the schema says; `source` are its rows, where they are drawn again."""
    views = Views(evidence, schema, source=source)
    return Evaluation(
        views,
        settings,
        listed,
        schema=schema,
        notes=notes,
        predictions=schema.predicted or _prediction_rule(views),
        rows=views.rows or rows,
        slices=slices or {},
        kept=kept,
    )


def _prediction_rule(views: Views) -> str:
    """How a binary score becomes a prediction."""
    if not views.facts.one_score or not views.scored:
        return ""
    try:
        return _cut(views.decision_threshold)
    except Unavailable:
        return Remark("evaluation.not_cut")


@lru_cache(64)
def _cut(threshold: float) -> Remark:
    return Remark("data.cut", threshold=threshold)
