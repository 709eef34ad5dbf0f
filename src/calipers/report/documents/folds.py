"""What documents of models over folds have in common: how rows were split, values over folds, fits that failed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from calipers.cached import given
from calipers.data.schema import Schema
from calipers.evaluation.evaluation import Evaluation
from calipers.inference.estimate import Estimate, Interval
from calipers.metrics.base import CATALOGUE, Measure
from calipers.remarks import Remark, plain, with_codes
from calipers.report.documents.absent import Absent
from calipers.report.documents.evaluation import metrics_alone, read_positive
from calipers.report.documents.values import Fields, demand, tagged
from calipers.settings import Settings, metric_names
from calipers.validation.averages import Average
from calipers.validation.pooling import OutOfFold
from calipers.validation.problems import Problem
from calipers.validation.runner import Failed
from calipers.validation.splits import Splits

PROBLEMS = ("classification", "regression", "ranking")
POSITIVE = (0.0, math.inf)
ALONE = Remark("report.value_alone")


def problem_values(problem: Problem) -> dict[str, Any]:
    """What is predicted."""
    return {
        "task": problem.task,
        "labels": tagged(problem.classes),
        "positive": None if problem.positive is None else tagged((problem.positive,)),
        "several": problem.several,
        "metrics": metrics if (metrics := metric_names(problem.options.get("metrics"))) is None else list(metrics),
    }


def read_problem(fields: Fields) -> Problem:
    """What was predicted; the metrics are those that were asked for."""
    labels, metrics = fields.labels("labels"), fields.value("metrics")
    options = {"metrics": None if metrics is None else list(fields.texts("metrics"))}
    demand(metrics != [], fields.place("metrics"), metrics, Remark("report.not_empty"))
    task = fields.choice("task", PROBLEMS)
    return Problem(task, labels, read_positive(fields, labels), fields.flag("several"), (), options)


def splits_values(splits: Splits) -> dict[str, Any]:
    """How rows were split: in words, and the numbers of training and test rows."""
    return {
        **with_codes({"done": splits.done, "notes": splits.notes}),
        "repeats": splits.repeats,
        "alone": splits.alone,
        "sizes": [[len(train), len(test)] for train, test in splits.pairs],
    }


def read_splits(fields: Fields) -> Splits:
    """The splits without their rows."""
    pairs: list[Any] = []
    for at in range(len(fields.items("sizes"))):
        part = Fields({"sizes": fields.items("sizes")[at]}, f"{fields.where}[{at}]")
        part.items("sizes", 2)
        train, test = part.counts("sizes")
        demand(train > 0 and test > 0, part.place("sizes"), [train, test], Remark("report.above_0"))
        pairs.append((Absent(train), Absent(test)))
    demand(bool(pairs), fields.place("sizes"), [], Remark("report.not_empty"))
    done, notes = fields.texts("done"), fields.texts("notes")
    return Splits(tuple(pairs), done, fields.count("repeats"), fields.flag("alone"), notes)


def tested_values(tested: OutOfFold | None) -> Any:
    """By how much the variance of the rows is widened, at least and at most."""
    return None if tested is None else plain(tested.factors)


def read_tested(fields: Fields, name: str, ratio: float, level: float) -> OutOfFold | None:
    """The test rows of folds, of which a document holds the factors of their variance."""
    if fields.value(name) is None:
        return None
    fields.items(name, 2)
    absent: Any = Absent()
    tested = OutOfFold(absent, absent, absent, ratio, level)
    return given(tested, factors=tuple(fields.numbers(name, POSITIVE)))


def read_average(
    fields: Fields, measure: Measure, estimate: Estimate, folds: int, splits: Splits, tested: OutOfFold | None,
    *, own: bool = True,
) -> Average:  # fmt: skip
    """A metric over folds, with the estimate that was made of it and of the test rows; `own` as in `average_of`."""
    values = np.array(fields.numbers("values"), np.float64)
    demand(len(values) == folds, fields.place("values"), len(values), Remark("report.so_many", count=folds))
    average = average_of(values, measure, estimate, splits, tested, own=own)
    by_rows = fields.part("by_rows")
    ends = by_rows.number("low", null=True), by_rows.number("high", null=True)
    return given(average, by_rows=Interval(*ends, by_rows.text("method")))


def average_of(
    values: Any, measure: Measure, estimate: Estimate, splits: Splits, tested: OutOfFold | None = None, *,
    own: bool = True,
) -> Average:  # fmt: skip
    """Values over folds with the estimate that was made of them (`own`), or of something else."""
    why = estimate.reason if math.isnan(estimate) else ""
    average = Average(measure, values, estimate.n, splits.ratio, estimate.level, why, tested=tested)
    return given(average, estimate=estimate, interval=estimate.interval) if own else average


def read_table(fields: Fields, name: str, rows: int, columns: int) -> list[Any]:
    """Numbers in this number of rows and columns, NaN for null."""
    part = Fields(dict(zip(map(str, range(rows)), fields.items(name, rows), strict=True)), fields.place(name))
    for at in part.values:
        part.items(at, columns)
    return [np.array(part.numbers(at), np.float64) for at in part.values]


def values_alone(values: Mapping[str, float], rows: int, level: float, schema: Schema) -> Evaluation:
    """An evaluation of which a document holds values without intervals."""

    def alone(value: float) -> Estimate:
        why = ALONE if math.isnan(value) else ""
        return Estimate(value, n=rows, level=level, interval=lambda: Interval(math.nan, math.nan, ALONE), reason=why)

    estimates = {name: alone(value) for name, value in values.items()}
    return metrics_alone(estimates, Settings(level=level), rows=rows, schema=schema)


def failures_values(failures: Iterable[Failed]) -> list[dict[str, Any]]:
    """Fits that failed, with their errors."""
    return [with_codes({"number": failed.number, "error": failed.error}) for failed in failures]


def read_failures(fields: Fields, name: str) -> tuple[Failed, ...]:
    """Fits that failed."""
    return tuple(Failed(part.count("number"), part.text("error")) for part in fields.parts(name))


def read_named(fields: Fields, name: str) -> dict[Measure, Fields]:
    """The parts of a document by metric."""
    return {CATALOGUE[metric]: part for metric, part in fields.named(name)}
