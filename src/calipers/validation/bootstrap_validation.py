"""The result of `bootstrap_validate`: resubstitution, out-of-bag, and the estimates between them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, NamedTuple, get_args

import numpy as np

from calipers.cached import lazy
from calipers.choices import BootstrapMethod, BootstrapName, IntervalChart
from calipers.errors import UnknownName, nearest
from calipers.evaluation.evaluation import Evaluation
from calipers.inference.estimate import Estimate, Interval
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.resolve import resolve
from calipers.metrics.values import Mean, Proportion
from calipers.remarks import Remark
from calipers.result import Result
from calipers.validation.models import Answer, Array, taken
from calipers.validation.no_information import no_information
from calipers.validation.overfitting import LEFT_OUT, plus, relative, unseen_share
from calipers.validation.pooling import OutOfFold
from calipers.validation.problems import Problem, answer_columns, pooled
from calipers.validation.runner import Data, Failed

METHODS: tuple[BootstrapMethod, ...] = get_args(BootstrapMethod)
OPTIMISTIC = {
    "resubstitution": Remark("validation.resubstitution"),
    "resample": Remark("validation.resample"),
}
ALIASES: dict[str, BootstrapMethod] = {
    "oob": "out-of-bag", "apparent": "resubstitution", "632": ".632", "632+": ".632+",
}  # fmt: skip
LEANING = (".632+", ".632", "optimism")
PERFECT = Remark("validation.perfect")
OUT_OF_BAG = Remark("validation.out_of_bag")
BY_ROW = Remark("validation.by_row")
BY_REPLICATE = Remark("validation.by_replicate")


@dataclass(frozen=True, eq=False)
class Replicate:
    """A model fitted on the rows `train`, with evaluations of the rows `out` of the bag, its `own` and all `original`
    rows.
    """

    number: int
    train: Array
    out: Array
    answer: Answer
    evaluation: Evaluation
    own: Evaluation
    original: Evaluation


class Figures(NamedTuple):
    """A metric by every method, if truth and predictions were independent, and in each replicate.

    row_by_row: whether the out-of-bag value is the mean over rows first.
    """

    estimates: dict[str, float]
    chance: float
    row_by_row: bool
    each: Array


@dataclass(frozen=True, eq=False, repr=False)
class BootstrapValidation(Result[IntervalChart], Mapping[str, Estimate]):
    """The result of `calipers.bootstrap_validate`: metrics by the chosen method, and by all methods in `estimates`.

    The interval has the variance of cross-validation over the same number of splits (`OutOfFold`), and is extended on
    the side of the out-of-bag estimate.
    """

    kind: ClassVar[str] = "bootstrap_validation"

    problem: Problem
    data: Data
    whole: Replicate
    replicates: tuple[Replicate, ...]
    failures: tuple[Failed, ...]
    seed: int
    level: float
    model: str
    method: str
    seed_notes: tuple[str, ...] = ()
    known: dict[tuple[str, str], Estimate] = field(default_factory=dict)  # by method and metric
    figures: dict[str, Figures] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Estimate:
        key = self.method, CATALOGUE[name].name
        if key not in self.known:
            self.known[key] = self._estimate(CATALOGUE[name])
        return self.known[key]

    def _estimate(self, measure: Measure) -> Estimate:
        name = measure.name
        value = self.estimates(name)[self.method]
        flags = (OPTIMISTIC[self.method],) if self.method in OPTIMISTIC else ()
        if self.method in LEANING and self.whole.own[measure.name] == measure.metric.best_value:
            flags = (PERFECT,)
        endless = Remark("validation.no_better_end", metric=str(measure))
        why = "" if value == value else self.whole.own[measure.name].reason or endless
        find = partial(self._interval, measure, value)
        return Estimate(value, n=self.rows, level=self.level, interval=find, reason=why, flags=flags)

    def __iter__(self) -> Iterator[str]:
        return (measure.name for measure in self.listed)

    def __len__(self) -> int:
        return len(self.listed)

    @property
    def listed(self) -> tuple[Measure, ...]:
        """The metrics of the table: those with a direction."""
        return tuple(m for m in self.whole.own.listed if m.metric.better)

    @property
    def task(self) -> str:
        """What was predicted: binary, multiclass, multilabel or regression."""
        return self.whole.own.task

    @lazy
    def rows(self) -> int:
        """The number of rows."""
        return self.data.rows

    @lazy
    def distinct(self) -> float:
        """The mean proportion of distinct rows per bootstrap sample, about 0.632."""
        return float(np.mean([1 - len(r.out) / self.rows for r in self.replicates]))

    @lazy
    def never_out(self) -> int:
        """The number of rows that are in every resample, so that the out-of-bag estimate does not include them."""
        return self.rows - int(np.count_nonzero(self._times_out))

    @lazy
    def notes(self) -> tuple[str, ...]:
        """Notes on the data and the fits."""
        never, stopped = self.never_out, sum(f.stopped for f in self.failures)
        failed = len(self.failures) - stopped
        notes = [Remark("validation.never_left_out", count=never, total=self.rows)] if never else []
        tried = failed + len(self.replicates)
        notes += [Remark("validation.replicates_failed", count=failed, total=tried)] if failed else []
        notes += [Remark("validation.replicates_interrupted", count=stopped)] if stopped else []
        return (*notes, *self.seed_notes)

    def estimates(self, name: str) -> dict[str, float]:
        """A metric by every method."""
        return self._figures(name).estimates

    def left_out(self, name: str) -> float:
        """The metric on out-of-bag rows; `how_left_out` says which of two forms it has."""
        return self._figures(name).estimates["out-of-bag"]

    def how_left_out(self, name: str) -> str:
        """The form of the out-of-bag value, in words."""
        return BY_ROW if self.row_by_row(name) else BY_REPLICATE

    def row_by_row(self, name: str) -> bool:
        """Whether the out-of-bag value is averaged per row first, as in Efron's leave-one-out bootstrap.

        This needs a metric that is the mean of a loss per row, such as the error rate or the Brier score.
        """
        return self._figures(name).row_by_row

    def chance(self, name: str) -> float:
        """The no-information value (gamma): the metric over all pairs of truth and prediction."""
        return self._figures(name).chance

    def overfitting_rate(self, name: str) -> float:
        """The relative overfitting rate R, within [0, 1]."""
        own = self.estimates(name)["resubstitution"]
        return relative(own, self.left_out(name), self.chance(name), CATALOGUE[name].metric.better)

    def each(self, name: str) -> Array:
        """The metric of each replicate, on its out-of-bag rows."""
        return self._figures(name).each

    def _figures(self, name: str) -> Figures:
        measure = CATALOGUE[name]
        if measure.name not in self.figures:
            self.figures[measure.name] = self._computed(measure)
        return self.figures[measure.name]

    def _computed(self, measure: Measure) -> Figures:
        name, by_row = measure.name, self._is_row_by_row(measure)
        own, chance = float(self.whole.own[name]), float(self._chance[name])
        out = float(self._pairs[name]) if by_row else self._mean(measure, "evaluation")
        boot = {part: self._mean(measure, part) for part in ("own", "original")}
        estimates = {
            "resubstitution": own,
            "out-of-bag": out,
            ".632": (1 - LEFT_OUT) * own + LEFT_OUT * out,
            ".632+": plus(own, out, chance, measure.metric.better),
            "optimism": own - (boot["own"] - boot["original"]),
            "resample": boot["own"],
        }
        return Figures(estimates, chance, by_row, np.array([float(r.evaluation[name]) for r in self.replicates]))

    @property
    def predictions(self) -> dict[str, Array]:
        """Out-of-bag predictions as columns: row, replicate, predicted, score (one per class if there are several)."""
        number = [np.full(len(each.out), each.number) for each in self.replicates]
        rows = np.concatenate([each.out for each in self.replicates])
        answer = pooled([each.answer for each in self.replicates])
        return {"row": rows, "replicate": np.concatenate(number), **answer_columns(answer, self.problem)}

    @lazy
    def out_of_bag(self) -> OutOfFold:
        """The out-of-bag rows of each resample with the predictions of its model, used for the intervals."""
        tested = tuple((r.out, r.answer) for r in self.replicates if len(r.out))
        ratio = sum(len(r.out) for r in self.replicates) / sum(self.rows - len(r.out) for r in self.replicates)
        return OutOfFold(self.problem, self.data, tested, ratio, self.level, OUT_OF_BAG)

    def _interval(self, measure: Measure, value: float) -> Interval:
        """The interval of the out-of-bag value, moved to the estimate with their distance added in squares.

        The estimate is about training on all rows, the out-of-bag value about the 63% of them that a resample holds.
        """
        out = self.left_out(measure.name)
        unseen = unseen_share(float(self.whole.own[measure.name]), out, measure.metric)
        interval = self.out_of_bag.interval(measure, out, unseen=unseen)
        below = math.hypot(out - interval.low, max(0.0, value - out))
        above = math.hypot(interval.high - out, max(0.0, out - value))
        least, most = measure.metric.bounds
        ends = max(value - below, least), min(value + above, most)
        return interval._replace(low=ends[0], high=ends[1], flags=self._pairs[measure.name].interval.flags)

    @lazy
    def _chance(self) -> Evaluation:
        return no_information(self.problem, self.data.y, self.whole.answer, self.seed)

    @lazy
    def _times_out(self) -> Array:
        return np.bincount(np.concatenate([r.out for r in self.replicates]), minlength=self.rows)

    @lazy
    def _pairs(self) -> Evaluation:
        """Every row with every model that did not see it, so weighted that each row counts once."""
        rows = np.concatenate([r.out for r in self.replicates])
        groups = rows if self.data.groups is None else taken(self.data.groups, rows)
        answer = pooled([r.answer for r in self.replicates])
        return self.problem.measured(taken(self.data.y, rows), answer, groups, 1 / self._times_out[rows])

    def _is_row_by_row(self, measure: Measure) -> bool:
        views = self.whole.own.views
        value = resolve(measure, views).value
        if isinstance(value, Mean):
            return value.through is None and value.moments.n == self.rows
        return isinstance(value, Proportion) and value.through is None and not measure.metric.averaged

    def _mean(self, measure: Measure, part: str) -> float:
        values = np.array([float(getattr(r, part)[measure.name]) for r in self.replicates])
        known = values[~np.isnan(values)]
        return float(known.mean()) if len(known) else math.nan

    def by(self, method: BootstrapName) -> BootstrapValidation:
        """The same replicates with another method."""
        return replace(self, method=method_named(method))


def method_named(name: str) -> BootstrapMethod:
    """A method by its name or a common one; others are refused."""
    name = ALIASES.get(name, name)
    if name not in METHODS:
        raise UnknownName("validation.unknown_method", name=name, near=nearest(name, METHODS))
    return name
