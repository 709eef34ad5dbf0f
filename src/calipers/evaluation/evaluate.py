"""The ways in: rows, and one metric of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from os import PathLike
from typing import Any

from calipers.arguments import named_arguments, refuse_unknown
from calipers.choices import IntervalMethod, Missing, TaskName
from calipers.data import frames
from calipers.data.columns import Inputs
from calipers.data.reading import read
from calipers.data.schema import Columns, Schema
from calipers.data.side_columns import in_order
from calipers.errors import InputError
from calipers.evaluation.estimates import estimate
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.of_batch import is_resampled, known_methods, of_batch
from calipers.inference.estimate import Estimate
from calipers.metrics import plan
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.calling import AskedMetrics
from calipers.metrics.views import Views
from calipers.settings import DEFAULT, OF_CLUSTERS, OF_NUMBERS, Label, Settings, labels_of, metric_names
from calipers.statistics.combine import Evidence

DEFAULTS = {each.name: each.default for each in fields(Settings)}


def of_inputs(settings: Settings, inputs: Inputs, schema: Schema | None = None, key: Any = None) -> Evaluation:
    """The evaluation of some columns, which mean what the schema says, or what they look like."""
    settings, of_classes = decided(settings) if schema is None else (settings, False)
    batch = read(settings, *inputs.values, names=inputs.names, of_classes=of_classes, schema=schema)
    if inputs.columns is not None:
        batch = batch.meaning(columns=inputs.columns)
    if key is not None:
        batch = in_order(batch, key)
    return of_batch(known_methods(settings), batch, inputs.origin)


def decided(settings: Settings) -> tuple[Settings, bool]:
    """The question with the task that the metrics asked for have, and whether they all measure classes."""
    measures = [CATALOGUE[name] for name in settings.metrics or ()]
    if measures and settings.task is None and all(m.metric.view.of_clusters for m in measures):
        return replace(settings, task=OF_CLUSTERS.task), False
    numbers, others = ([m for m in measures if m.metric.of_numbers is of] for of in (True, False))
    if numbers and others:
        raise InputError("evaluation.numbers_and_classes", numbers=str(numbers[0]), other=str(others[0]))
    if numbers and settings.task is None:
        settings = replace(settings, task=OF_NUMBERS.task)
    return settings, bool(others)


def with_origin(evaluation: Evaluation, model: str | None, source: str | Sequence[str] | None) -> Evaluation:
    """The evaluation with its model and where its rows come from."""
    if model is None and source is None:
        return evaluation
    sources = () if source is None else (source,) if isinstance(source, str) else tuple(map(str, source))
    return replace(evaluation, model=None if model is None else str(model), sources=sources)


# Arguments of cal.metrics.NAME(...).
OF_ONE_METRIC = ("y_true", "y_pred", "score", "weights", "groups", *Settings.__dataclass_fields__)


def measured(
    measure: Measure,
    y_true: Any,
    y_pred: Any = None,
    *,
    score: Any = None,
    weights: Any = None,
    groups: Any = None,
    **options: Any,
) -> Estimate:
    """One metric of these rows."""
    of_numbers = measure.metric.of_numbers  # a metric that is called by name determines the task
    of_clusters = measure.metric.view.of_clusters
    settings = OF_NUMBERS if of_numbers else OF_CLUSTERS if of_clusters else DEFAULT
    if options:
        refuse_unknown(measure.name, options, OF_ONE_METRIC)
        if (of_numbers or of_clusters) and options.get("task") is None:
            options["task"] = settings.task
        if isinstance(method := options.get("interval"), str):  # of this metric: one that does not fit is an error
            options["interval"] = {measure.name: method}
        settings = known_methods(Settings(**options))
    batch = read(settings, y_true, y_pred, score, weights, None, groups, of_classes=not of_numbers)
    source = batch if (options or groups is not None) and is_resampled(settings, batch) else None
    recipes = plan.single(measure, batch) if source is None else plan.recipes((measure,), batch)
    views = Views(Evidence.of(batch, recipes), batch.schema, source=source)
    return estimate(measure, views, settings, strict=True)


@named_arguments
def evaluate(
    y_true: Any,
    y_pred: Any = None,
    *,
    score: Any = None,
    truth: str | Sequence[str] | None = None,
    pred: str | Sequence[str] | None = None,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    weights: Any = None,
    by: Any = None,
    groups: Any = None,
    threshold: float | None = None,
    level: float = 0.95,
    metrics: AskedMetrics | None = None,
    missing: Missing = "error",
    task: TaskName | None = None,
    interval: IntervalMethod | Mapping[str, IntervalMethod] | None = None,
    seed: int = 0,
    replicates: int = 1000,
    schema: Schema | None = None,
    key: Any = None,
    memory: str | int | None = None,
    model: str | None = None,
    source: str | Sequence[str] | None = None,
) -> Evaluation:
    """Evaluate predictions: arrays, a data frame with column names (also of Spark or Dask), or a file.

    - y_true, y_pred: the true values, and predicted labels or scores (guide "Input formats" for which is which);
      or a data frame, with truth=, pred= and score= as names of columns (several score columns: one per class, matched
      by name if possible); or the path of a file, whose columns are also found by their usual names.
    - score: scores, in addition to predicted labels.
    - positive: the class that the score is for.
    - labels: the classes, in the order of the columns of a score matrix.
    - weights: how much each row counts.
    - by: slices: a mapping from names to columns, or names of columns of the frame.
    - groups: the group of each row (a patient, a document) if rows are not independent.
    - threshold: predict positive if score >= threshold.
    - level: the confidence level of the intervals.
    - metrics: the metrics to show.
    - missing: "error" or "drop", for rows with missing values.
    - task: "binary", "multiclass", "multilabel" or "regression", to override the detected task.
    - interval: a method for all metrics that can use it, or a mapping from metrics to methods (guide "Confidence
      intervals").
    - seed, replicates: the seed and the number of replicates of bootstrap intervals.
    - schema: what the rows mean (`Schema.of`), so that every part of the data is read in the same way.
    - key: the column that identifies a row, so that bootstrap intervals do not depend on the order of the rows.
    - memory: for a file, the most memory that its rows may take, such as "2 GB". A file that needs more is evaluated
      through the disk, with the same results (guide "Large files"). The default is a quarter of the memory of the
      machine. For Spark and Dask, the most memory that the merged statistics may take (guide "Spark and Dask").
    - model, source: the model, and where the rows come from (a file, a day). `merge` raises an error for different
      models, and for a source that occurs twice.

    >>> ev = evaluate([0, 0, 1, 1, 1, 0], [0.1, 0.6, 0.8, 0.4, 0.9, 0.3])
    >>> ev["roc_auc"]
    0.889 [0.382, 1.000]
    >>> ev["recall"].method
    'wilson'
    """
    frames.refuse_results((y_true, y_pred, score), "evaluate(y_true, y_pred)")
    options: dict[str, Any] = {
        "positive": positive, "labels": labels_of(labels), "threshold": threshold, "level": level,
        "metrics": metric_names(metrics), "missing": missing, "task": task, "interval": interval, "seed": seed,
        "replicates": replicates,
    }  # fmt: skip
    if isinstance(y_true, (str, PathLike)):
        from calipers.evaluation.evaluate_file import evaluate_file

        if y_pred is not None:
            raise InputError("evaluation.file_without_names")
        named = {"truth": truth, "pred": pred, "score": score, "by": by, "weights": weights, "groups": groups}
        return with_origin(evaluate_file(y_true, named, options, schema, memory), model, source)
    if frames.package_of_engine(y_true) is not None:
        from calipers.partitions.evaluate_frame import evaluate_frame

        if y_pred is not None:
            raise InputError("partitions.without_names")
        named = {"truth": truth, "pred": pred, "score": score, "by": by, "weights": weights, "groups": groups}
        return with_origin(evaluate_frame(y_true, named, options, schema, key, memory), model, source)
    if memory is not None:
        raise InputError("evaluation.memory_of_rows")
    if isinstance(key, str) and frames.is_frame(y_true):
        key = frames.column(y_true, key)
    inputs = Inputs.of(y_true, y_pred, score, Columns(truth, pred, None, weights, groups), by, schema)
    usual = all(type(value) is type(DEFAULTS[name]) and value == DEFAULTS[name] for name, value in options.items())
    settings = DEFAULT if usual else Settings(**options)
    return with_origin(of_inputs(settings, inputs, schema, key), model, source)
