"""`trend`: the same metrics in several periods, with a test for a trend and each period against a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, get_args

from calipers.arguments import named_arguments
from calipers.cached import lazy
from calipers.choices import Adjustment, TrendChart
from calipers.comparison.dates import When, read_date, read_dates
from calipers.comparison.differences import OPEN, Difference, judged
from calipers.comparison.independent import Independent, at_level, common_metrics, refuse_dependent
from calipers.comparison.judging import Judging
from calipers.comparison.trend_line import FALLING, NOT_TESTED, RISING, TrendLine, fitted_trend
from calipers.errors import InputError, UnknownName, nearest
from calipers.evaluation.evaluation import Evaluation
from calipers.findings import Finding, look_at_validation
from calipers.inference.multiple import adjusted
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.calling import AskedMetrics
from calipers.result import Result
from calipers.settings import Label, metric_names
from calipers.tasks import Task, task_of

# The default metrics: the first METRICS of these that all evaluations list.
WATCHED = ("roc_auc", "f1", "accuracy", "rmse", "mae", "r2", "ndcg", "ap")
METRICS = 3
Slices = Mapping[str, Mapping[Label, Mapping[str, TrendLine]]]


@dataclass(frozen=True)
class Period:
    """A period: what it is called, its place in time, and how many rows it has."""

    label: str
    time: float
    rows: int


@dataclass(frozen=True, eq=False, repr=False)
class Trend(Result[TrendChart], Mapping[str, TrendLine]):
    """The result of `trend`: a `TrendLine` by metric; `by` has those of the slices.

    `periods` are in order of time. `baseline` is the name of what each period is compared with, and `inside` whether it
    is one of the periods. `tests` is the number of tests of periods that p-values are adjusted over.
    """

    kind: ClassVar[str] = "trend"

    periods: tuple[Period, ...]
    lines: Mapping[str, TrendLine]
    task: str
    baseline: str
    inside: bool
    level: float
    adjust: str
    unit: str
    tests: int
    by: Slices = field(default_factory=dict)

    def __getitem__(self, name: str) -> TrendLine:
        measure = CATALOGUE[str(name)]
        if measure.name not in self.lines:
            raise UnknownName("trend.not_listed", name=name, near=nearest(str(name), map(str, self.lines)))
        return self.lines[measure.name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def facts(self) -> Task:
        """The facts of the task."""
        return task_of(self.task)

    @property
    def rows(self) -> int:
        """The rows of all periods together."""
        return sum(period.rows for period in self.periods)

    @property
    def every_line(self) -> tuple[TrendLine, ...]:
        """The lines of all rows, then those of the slices."""
        of_slices = (line for parts in self.by.values() for lines in parts.values() for line in lines.values())
        return (*self.lines.values(), *of_slices)

    @lazy
    def findings(self) -> tuple[Finding, ...]:
        """What changed, as far as the tests show it."""
        return look_at_validation(self, self.kind)


@named_arguments
def trend(
    evaluations: Mapping[Any, Evaluation],
    *,
    baseline: Any = None,
    metrics: AskedMetrics | None = None,
    adjust: Adjustment = "holm",
    level: float | None = None,
) -> Trend:
    """How metrics change over time: a test for a trend, and each period against a baseline.

    - evaluations: the evaluations by date: dates, ISO texts ("2026-03-01", "2026-03", "2026-W10", "2026-Q1"), or
      numbers. Each is of different rows, with the same schema: a result of `evaluate`, `merge` or `load`. Slices
      (`by=`) that all periods have are followed too.
    - baseline: the date that the others are compared with, by default the first; or a separate evaluation.
    - metrics: by default three metrics that fit the task.
    - adjust: how p-values are adjusted over periods, metrics and slices: "holm", "bonferroni", "bh" or "none".
      The tests for a trend are adjusted over metrics and slices in the same way.
    - level: the confidence level; by default that of the evaluations.

    >>> import calipers as cal
    >>> hits = {"2026-03-01": 90, "2026-03-02": 84, "2026-03-03": 77, "2026-03-04": 71}
    >>> week = {day: cal.evaluate_counts(tp=tp, fp=20, fn=100 - tp, tn=380) for day, tp in hits.items()}
    >>> found = trend(week, metrics=["recall"])["recall"]
    >>> round(found.change, 3), found.direction, found.against["2026-03-04"].verdict
    (-0.192, 'falling', '2026-03-01 better')
    """
    whens, every = _periods(evaluations)
    if adjust not in get_args(Adjustment):
        raise InputError("inference.unknown_adjustment", value=adjust, known=list(get_args(Adjustment)))
    every = {label: at_level(ev, level) for label, ev in every.items()}
    label, reference = _baseline(baseline, whens, every, level)
    together = list(every.values()) if label in every else [*every.values(), reference]
    _refuse_different(together)
    asked = metric_names(metrics)
    listed = common_metrics(together, asked)
    measures = listed if asked is not None else _watched(listed)
    one_level, times = reference.level, {when.label: when.time for when in whens}
    lines = {m.name: _line(m, every, (label, reference), times, one_level) for m in measures}
    slices = {
        column: {
            part: {m.name: _line(m, *of, times, one_level, column, part) for m in measures}
            for part, of in _parts(column, every, label, reference)
        }
        for column in reference.by
    }
    periods = tuple(Period(when.label, when.time, every[when.label].rows) for when in whens)
    drawn = Trend(periods, lines, reference.task, label, label in every, one_level, adjust, whens[0].unit, 0, slices)
    return _adjusted(drawn)


def _periods(evaluations: Any) -> tuple[list[When], dict[str, Evaluation]]:
    """The periods in order of time."""
    if not isinstance(evaluations, Mapping):
        raise InputError("trend.not_by_date", kind=type(evaluations).__name__)
    for key, ev in evaluations.items():
        if not isinstance(ev, Evaluation):
            raise InputError("trend.not_an_evaluation", date=key, kind=type(ev).__name__)
    if len(evaluations) < 2:
        raise InputError("trend.one_period", count=len(evaluations))
    both = sorted(zip(read_dates(list(evaluations)), evaluations.values(), strict=True), key=lambda each: each[0].time)
    return [when for when, _ in both], {when.label: ev for when, ev in both}


def _baseline(
    asked: Any, whens: Sequence[When], every: Mapping[str, Evaluation], level: float | None
) -> tuple[str, Evaluation]:
    """What periods are compared with: its name and its evaluation."""
    if isinstance(asked, Evaluation):
        names = [*([asked.sources[0]] if len(asked.sources) == 1 else []), *filter(None, [asked.model]), "baseline"]
        return next(name for name in names if name not in every), at_level(asked, level)
    if asked is None:
        return whens[0].label, every[whens[0].label]
    time = read_date(asked).time
    label = next((when.label for when in whens if when.time == time), None)
    if label is None:
        raise UnknownName("trend.unknown_date", date=asked, known=[when.label for when in whens])
    return label, every[label]


def _refuse_different(evaluations: Sequence[Evaluation]) -> None:
    """Evaluations must mean the same, and no two may have rows in common."""
    first, *others = evaluations
    sources = set(first.sources)
    for ev in others:
        refuse_dependent(first, ev)
        if again := sources.intersection(ev.sources):
            raise InputError("comparison.same_source", source=min(again))
        if ev.level != first.level:
            raise InputError("comparison.levels_differ", first=first.level, second=ev.level)
        sources |= set(ev.sources)


def _watched(listed: Sequence[Measure]) -> tuple[Measure, ...]:
    known = [m for name in WATCHED for m in listed if m.metric.name == name]
    return tuple(dict.fromkeys(known))[:METRICS] or tuple(listed[:METRICS])


def _parts(
    column: str, every: Mapping[str, Evaluation], label: str, reference: Evaluation
) -> Iterator[tuple[Label, tuple[dict[str, Evaluation], tuple[str, Evaluation]]]]:
    """The slices of a column that all periods have, with their evaluations."""
    for part, of in reference.by[column].items():
        each = {name: ev.by.get(column, {}).get(part) for name, ev in every.items()}
        known = {name: ev for name, ev in each.items() if ev is not None}
        if len(known) == len(each):
            yield part, (known, (label, of))


def _line(
    measure: Measure,
    every: Mapping[str, Evaluation],
    baseline: tuple[str, Evaluation],
    times: Mapping[str, float],
    level: float,
    column: str | None = None,
    part: Any = None,
) -> TrendLine:
    label, reference = baseline
    judging, against = Judging(None, "none"), {}
    for name, ev in every.items():
        if name != label:
            both = Independent({label: reference, name: ev})
            against[name] = judging.differences(measure, both, level)[name, label]
    fields = fitted_trend(measure, every, times, level)
    estimates = {name: ev[measure.name] for name, ev in every.items()}
    return TrendLine(measure.name, estimates, reference[measure.name], against, **fields, column=column, part=part)


def _adjusted(found: Trend) -> Trend:
    """The trend with p-values adjusted: those of periods together, and those of lines together."""
    lines = found.every_line
    periods = [(line, name) for line in lines for name in line.against]
    each = adjusted([line.against[name].pvalue for line, name in periods], found.adjust)
    of_lines = adjusted([line.pvalue for line in lines], found.adjust)
    alpha, of_periods = 1 - found.level, dict(zip(((id(line), name) for line, name in periods), each, strict=True))

    def judge(d: Difference, p: float) -> Difference:
        outcome, winner = judged((d.candidate, d.baseline), d.difference, p, alpha, CATALOGUE[d.metric].metric.better)
        alone = len(each) == 1 or found.adjust == "none"
        more = d.more_rows if outcome == OPEN else None
        return replace(d, adjusted=p, outcome=outcome, winner=winner, adjustment="" if alone else found.adjust,
                       interval_adjusted=alone, more_rows=more)  # fmt: skip

    def line_of(line: TrendLine, p: float) -> TrendLine:
        against = {name: judge(d, of_periods[id(line), name]) for name, d in line.against.items()}
        moved = (RISING if line.change > 0 else FALLING) if p < alpha else OPEN
        return replace(line, against=against, adjusted=p, direction=NOT_TESTED if p != p else moved)

    done = {id(line): line_of(line, p) for line, p in zip(lines, of_lines, strict=True)}
    by = {column: {part: {name: done[id(line)] for name, line in of.items()} for part, of in parts.items()}
          for column, parts in found.by.items()}  # fmt: skip
    count = sum(p == p for p in each)
    return replace(found, lines={name: done[id(line)] for name, line in found.lines.items()}, by=by, tests=count)
