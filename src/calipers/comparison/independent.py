"""`compare_independent`: two evaluations of different rows, every difference with its interval, p-value and verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, get_args

import numpy as np

from calipers.arguments import named_arguments
from calipers.choices import UnpairedTest
from calipers.comparison.compare import Comparison
from calipers.comparison.judging import Judging
from calipers.errors import InputError, nearest
from calipers.evaluation.evaluation import Evaluation
from calipers.inference import area
from calipers.inference.contrast import Contrast
from calipers.inference.estimate import Estimate
from calipers.inference.intervals import interval
from calipers.inference.of_means import of_equal_rows
from calipers.inference.outcome import Outcome
from calipers.inference.resampled import RESAMPLED
from calipers.inference.unpaired import Average, Bounded, Recovered, Wider, stretched, welch
from calipers.inference.unpaired_shares import Ranked, Share, TwoShares, delong_of_two, share_behind, two_areas
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.calling import AskedMetrics
from calipers.metrics.resolve import resolve
from calipers.metrics.values import Area, Mean, Proportion, QueryMean, Value
from calipers.metrics.views import Views
from calipers.remarks import Remark, core
from calipers.resampling.groups import grouped
from calipers.settings import level_of, metric_names

NAMES = ("A", "B")
METHODS: tuple[UnpairedTest, ...] = get_args(UnpairedTest)
HASH = "sha256:"  # how the shell calls the contents of a file


@dataclass(frozen=True, eq=False)
class Independent:
    """Evaluations of different rows by name, and how the difference of a measure between them varies."""

    paired: ClassVar[bool] = False

    evaluations: Mapping[str, Evaluation]
    method: UnpairedTest | None = None

    @property
    def models(self) -> Mapping[str, Evaluation]:
        """What is compared."""
        return self.evaluations

    @property
    def rows(self) -> int:
        """The rows of all evaluations together."""
        return sum(ev.rows for ev in self.evaluations.values())

    def value(self, measure: Measure, model: str) -> float:
        """The measure of one evaluation."""
        return float(self.evaluations[model][measure.name])

    def contrast(self, measure: Measure, first: str, second: str) -> Contrast:
        """The difference of a measure between two evaluations, first minus second."""
        return contrast(measure, self.evaluations[first], self.evaluations[second], self.method)

    def overall(self, measure: Measure) -> Outcome | None:
        """Of two evaluations, the only difference says it all."""
        return None


def contrast(
    measure: Measure, first: Evaluation, second: Evaluation, method: UnpairedTest | None = None
) -> Contrast:
    """The difference of a measure between evaluations of different rows, by a test that fits both values."""
    estimates = first[measure.name], second[measure.name]
    undefined = next((e for e in estimates if math.isnan(e)), None)
    if undefined is not None:
        return Contrast(math.nan, math.nan, math.nan, "", undefined.reason)
    if not all(map(math.isfinite, estimates)):
        return Contrast(math.nan, math.nan, math.nan, "", Remark("comparison.infinite"))
    values = [value_of(measure, ev.views) if ev.is_live else None for ev in (first, second)]
    shares = [share_of(*each) for each in zip(values, estimates, strict=True)]
    if shares[0] is not None and shares[1] is not None:
        return TwoShares.of(shares[0], shares[1])
    areas = [ranked_of(value) for value in values]
    if areas[0] is not None and areas[1] is not None and method is not None:
        return delong_of_two(areas[0], areas[1], method, values[0].slope)  # type: ignore[union-attr]
    if areas[0] is not None and areas[1] is not None:
        return two_areas(areas[0], areas[1], values[0].slope)  # type: ignore[union-attr]
    without = next((e for e in estimates if math.isnan(e.low)), None)
    if without is not None:
        return Contrast(float(estimates[0]) - float(estimates[1]), math.nan, math.nan, "", without.reason)
    sides = [_bounded(measure, *each) for each in zip(values, estimates, strict=True)]
    recovered = Recovered.of(sides[0], sides[1], Remark("inference.recovered"))
    averages = [_average(value) for value in values]
    if averages[0] is None or averages[1] is None:
        return recovered
    return Wider.of(welch(averages[0], averages[1], Remark("inference.welch")), recovered)


def value_of(measure: Measure, views: Views) -> Value:
    """What the formula returns, with the variance between groups where rows come in groups."""
    value = resolve(measure, views).value
    if views.source is None or views.source.groups is None:
        return value
    with np.errstate(all="ignore"):
        return grouped(measure, views, None, value)


def share_of(value: Value | None, e: Estimate) -> Share | None:
    """The share that an estimate is, of a document the one whose Wilson interval it holds; None where it is not one."""
    if value is None:
        return share_behind(e, e.low, e.high, e.level) if e.method == "wilson" else None
    if not isinstance(value, Proportion) or value.through is not None:
        return None
    return Share(float(e), float(value.trials if value.effective is None else value.effective))


def ranked_of(value: Value | None) -> Ranked | None:
    """The area that a value is; None where it is not one, or its variance is not known."""
    if not isinstance(value, Area) or min(value.positives, value.negatives) <= 1:
        return None
    variance, _ = area.delong(value.v10, value.v01, value.positives, value.negatives)
    return Ranked(value.auc, variance, value.positives, value.negatives)


def _average(value: Value | None) -> Average | None:
    """The mean that a value is, or is a map of; None where it is not one, or shows no spread."""
    if not isinstance(value, (Mean, QueryMean)):
        return None
    m, (rows, m2, m3) = value.moments, of_equal_rows(value.moments)
    return Average(m.mean, m2 / (rows - 1) / rows, rows - 1, m3 / rows**3, value.value) if rows > 1 and m2 > 0 else None


def _bounded(measure: Measure, value: Value | None, e: Estimate) -> Bounded:
    """The bounds of an estimate at any level; those of documents and of resamples are stretched."""
    if value is None or core(e.method) in RESAMPLED:
        return Bounded(float(e), stretched(e, e.low, e.high, e.level), e.stderr)
    bounds = measure.metric.bounds
    return Bounded(float(e), lambda level: interval(value, level, bounds)[:2], e.stderr)


@named_arguments
def compare_independent(
    ev_a: Evaluation,
    ev_b: Evaluation,
    *,
    names: Sequence[str] | None = None,
    metrics: AskedMetrics | None = None,
    margin: float | None = None,
    primary: str | None = None,
    method: UnpairedTest | None = None,
    level: float | None = None,
) -> Comparison:
    """Compare evaluations of different rows: two periods, two sites. Differences are the second minus the first.

    - ev_a, ev_b: the baseline and the candidate: results of `evaluate`, `merge` or `load`, of the same task with the
      same classes. A .json result has only the metrics and the confidence level that it was saved with.
    - names: the names of the two evaluations, the baseline first; by default their models or their sources, if these
      differ.
    - metrics: by default those that both list and that have a better direction.
    - margin, primary: as in `compare`.
    - method: DeLong's test of areas as published: "delong" with Welch's degrees of freedom, as in pROC, or
      "delong-z" with the normal distribution. Other metrics keep their default. By default, areas are tested on a scale
      on which the error rates are also correct for areas near 1.
    - level: the confidence level; by default that of both.

    Models on the same rows are compared with `compare`, which finds much smaller differences.

    >>> import calipers as cal
    >>> march = cal.evaluate_counts(tp=288, fp=80, fn=112, tn=1520)
    >>> april = cal.evaluate_counts(tp=122, fp=40, fn=78, tn=760)
    >>> compare_independent(march, april, names=["March", "April"])["recall"]
    April - March: -0.1100 [-0.1912, -0.0304], p = 0.0064: March better
    """
    for ev in (ev_a, ev_b):
        if not isinstance(ev, Evaluation):
            raise InputError("comparison.not_evaluations", kind=type(ev).__name__)
    refuse_dependent(ev_a, ev_b)
    if margin is not None and not (isinstance(margin, (int, float)) and 0 < margin < math.inf):
        raise InputError("comparison.not_a_difference", margin=margin)
    if method is not None and method not in METHODS:
        raise InputError("comparison.unknown_method", method=method, near=nearest(str(method), METHODS))
    both = [at_level(ev, level) for ev in (ev_a, ev_b)]
    if both[0].level != both[1].level:
        raise InputError("comparison.levels_differ", first=both[0].level, second=both[1].level)
    shared = tuple(_shared_notes(ev_a, ev_b))
    called = _names(ev_a, ev_b, names)
    evaluations = {name: replace(ev, notes=ev.notes + shared) for name, ev in zip(called, both, strict=True)}
    settings = replace(both[1].settings, metrics=metric_names(metrics))
    listed = common_metrics(both, settings.metrics)
    decides = None if primary is None else CATALOGUE[primary]
    if decides is not None:
        listed = tuple(dict.fromkeys((decides, *listed)))
    judging = Judging(margin, "none", None if decides is None else decides.name)
    return Comparison(Independent(evaluations, method), settings, listed, judging)


def refuse_dependent(first: Evaluation, second: Evaluation) -> None:
    """An error where two evaluations are not of different rows, or do not mean the same."""
    if first is second:
        raise InputError("comparison.same_evaluation")
    if first.task != second.task:
        raise InputError("comparison.other_task", first=first.task, second=second.task)
    of_both: dict[str, list[Any]] = {
        "labels": [ev.schema.labels for ev in (first, second)],
        "positive": [ev.schema.positive for ev in (first, second)],
        "rules": [ev.settings.ranking for ev in (first, second)],
    }
    for name, (one, other) in of_both.items():
        same = set(one) == set(other) if name == "labels" else one == other
        if not same:
            raise InputError("comparison.other_schema", name=name, first=one, second=other)
    if again := [source for source in second.sources if source in first.sources]:
        raise InputError("comparison.same_source", source=again[0])


def at_level(ev: Evaluation, level: float | None) -> Evaluation:
    """The evaluation and its slices at a confidence level; a document has one only."""
    if level is None or level_of(level) == ev.level:
        return ev
    if not ev.is_live:
        raise InputError("comparison.level_of_document", known=ev.level)
    slices = {name: {v: at_level(part, level) for v, part in parts.items()} for name, parts in ev.slices.items()}
    return replace(ev, settings=replace(ev.settings, level=level), known={}, slices=slices)


def common_metrics(evaluations: Sequence[Evaluation], asked: Sequence[str] | None) -> tuple[Measure, ...]:
    """The metrics asked for; else those that all list, as far as they say what is better."""
    if asked is not None:
        listed = tuple(dict.fromkeys(CATALOGUE[name] for name in asked))
        for ev in evaluations:
            if not ev.is_live:  # a metric that a document does not hold is an error now, not when it is read
                [ev[measure.name] for measure in listed]
        return listed
    first, *others = evaluations
    listed = tuple(m for m in first.listed if m.metric.better and all(m in ev.listed for ev in others))
    if not listed:
        raise InputError("comparison.nothing_common", first=list(first), second=list(others[0]))
    return listed


def _names(first: Evaluation, second: Evaluation, names: Sequence[str] | None) -> tuple[str, str]:
    """What the two are called: as asked, by their models, by their sources, or by their parts."""
    if names is not None:
        texts = (names,) if isinstance(names, str) else tuple(map(str, names))
        if len(texts) != 2 or texts[0] == texts[1]:
            raise InputError("comparison.two_names", names=names)
        return texts
    both = (first, second)
    for each in ([ev.model for ev in both], [ev.sources[0] if len(ev.sources) == 1 else None for ev in both]):
        if None not in each and each[0] != each[1] and not any(str(name).startswith(HASH) for name in each):
            return str(each[0]), str(each[1])
    return NAMES


def _shared_notes(first: Evaluation, second: Evaluation) -> Iterator[str]:
    """What a reader of the differences has to know about both."""
    cuts = [ev.threshold if ev.is_live else ev.settings.threshold for ev in (first, second)]
    if cuts[0] is not None and cuts[1] is not None and cuts[0] != cuts[1]:
        yield Remark("comparison.other_threshold", first=cuts[0], second=cuts[1])
    rows = [ev.views.source if ev.is_live else None for ev in (first, second)]
    if rows[0] is not None and rows[1] is not None and rows[0].groups is not None and rows[1].groups is not None:
        common = set(rows[0].groups.tolist()) & set(rows[1].groups.tolist())
        if common:
            yield Remark("comparison.common_groups", count=len(common))
