"""A model over the same folds at several places of one axis: sizes of the training set, or values of a parameter."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from calipers.cached import lazy
from calipers.choices import SweepChart
from calipers.errors import InputError, UnknownName, nearest
from calipers.evaluation.curve import Curve
from calipers.findings import Finding, look_at_validation
from calipers.inference.estimate import Estimate
from calipers.metrics.base import CATALOGUE, Measure
from calipers.result import Result
from calipers.validation.averages import SHARED, UNBOUNDED, Average, differences, mean_of
from calipers.validation.models import Answer
from calipers.validation.pooling import OutOfFold
from calipers.validation.problems import Problem
from calipers.validation.runner import STOPPED, Data
from calipers.validation.splits import Splits


class Cell(NamedTuple):
    """One fit: its metrics on test rows and on training rows, why one is undefined, and its test predictions."""

    test: Mapping[str, float]
    train: Mapping[str, float]
    why: Mapping[str, str]
    seconds: float
    answer: Answer


class FailedFit(NamedTuple):
    """A fit that failed: its index and value on the axis, its fold, and the error in one line."""

    place: int
    at: Any
    fold: int
    error: str

    @property
    def stopped(self) -> bool:
        """Whether it was stopped by Ctrl-C."""
        return self.error == STOPPED


@dataclass(frozen=True)
class Line:
    """One metric along the axis, per fold: `test` with intervals, `train`, and the gap between them."""

    places: tuple[Any, ...]
    tested: tuple[Average, ...]
    train_averages: tuple[Average, ...]

    @property
    def measure(self) -> Measure:
        """The metric."""
        return self.tested[0].measure

    @lazy
    def test(self) -> tuple[Estimate, ...]:
        """The mean over folds at each point, with its interval."""
        return tuple(average.estimate for average in self.tested)

    @lazy
    def train(self) -> tuple[Estimate, ...]:
        """The same for the training data, without an interval, because training sets share most of their rows."""
        return tuple(average.without_interval(SHARED) for average in self.train_averages)

    @lazy
    def gap(self) -> tuple[Estimate, ...]:
        """How much better the metric is on training data than on test data; empty for a metric without a direction."""
        if not self.measure.metric.better:
            return ()
        pairs = zip(self.train_averages, self.tested, strict=True)
        return tuple(differences(train, test).estimate for train, test in pairs)

    @property
    def known(self) -> tuple[int, ...]:
        """The points at which some fold has a value."""
        return tuple(at for at, e in enumerate(self.test) if not math.isnan(e))

    @property
    def best(self) -> int:
        """The point with the best mean; the first one of equal means."""
        if not self.measure.metric.better:
            raise InputError("validation.nothing_is_best", metric=str(self.measure))
        if not self.known:
            raise InputError("validation.undefined_everywhere", metric=str(self.measure), reason=self.test[0].reason)
        sign = -1.0 if self.measure.metric.better == "lower" else 1.0
        return max(self.known, key=lambda at: sign * self.test[at])

    def gain(self, before: int, after: int) -> Estimate:
        """How much better the test metric is at one point than at another, per fold, with its interval."""
        return differences(self.tested[after], self.tested[before]).estimate

    def weighed(self, weights: Mapping[int, float], *, gaps: bool = False) -> Estimate:
        """A weighted sum over points of the improvement on test data, or of the gaps, per fold, with its interval."""
        one = self.tested[next(iter(weights))]
        sign = -1.0 if one.measure.metric.better == "lower" else 1.0
        with np.errstate(invalid="ignore"):
            values = sum(
                w * (differences(train, test).values if gaps else sign * test.values)
                for w, train, test in ((w, self.train_averages[at], self.tested[at]) for at, w in weights.items())
            )
        return replace(one, values=np.asarray(values), bounds=UNBOUNDED, tested=None).estimate


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Result[SweepChart], Mapping[str, Line]):
    """The result: metrics by name, each a `Line` along the axis.

    cells: of each place the fits in every fold, None where one failed.
    """

    kind: ClassVar[str] = ""
    chart: ClassVar[str] = ""

    axis: str
    places: tuple[Any, ...]
    cells: tuple[tuple[Cell | None, ...], ...]
    misses: tuple[FailedFit, ...]
    measures: tuple[Measure, ...]
    problem: Problem
    data: Data
    splits: Splits
    seed: int
    level: float
    model: str
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Line:
        measure = next((m for m in self.measures if m == CATALOGUE[str(name)]), None)
        if measure is None:
            raise UnknownName("validation.not_asked_for", name=name, near=nearest(str(name), self))
        return self._lines[measure.name]

    def __iter__(self) -> Iterator[str]:
        return (measure.name for measure in self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    @property
    def task(self) -> str:
        """What was predicted: binary, multiclass, multilabel, regression or ranking."""
        return self.problem.facts.name

    @lazy
    def rows(self) -> int:
        """How many rows there are."""
        return self.data.rows

    @lazy
    def grouped(self) -> bool:
        """Whether rows come in groups."""
        return self.data.groups is not None

    @property
    def cv(self) -> str:
        """How rows were split."""
        return self.splits.description

    @property
    def main_metric(self) -> str:
        """The metric that is reported: the first."""
        return self.measures[0].name

    @lazy
    def findings(self) -> tuple[Finding, ...]:
        """What it says, each claim by an interval."""
        return look_at_validation(self, self.kind)

    @lazy
    def _lines(self) -> dict[str, Line]:
        return {m.name: Line(self.places, *(self._averages(m, part) for part in ("test", "train")))
                for m in self.measures}  # fmt: skip

    def _averages(self, measure: Measure, part: str) -> tuple[Average, ...]:
        name, averages = measure.name, []
        for place, row in enumerate(self.cells):
            values = [math.nan if cell is None else getattr(cell, part)[name] for cell in row]
            why = next((cell.why[name] for cell in row if cell is not None and name in cell.why), "")
            why = why or next((miss.error for miss in self.misses if miss.place == place), "")
            tested = self.tested[place] if part == "test" else None
            facts = measure, np.array(values), self.rows, self.splits.ratio, self.level, why
            train = mean_of(np.array([math.nan if cell is None else cell.train[name] for cell in row]))
            averages.append(Average(*facts, tested=tested, train=train))
        return tuple(averages)

    @lazy
    def tested(self) -> tuple[OutOfFold | None, ...]:
        """The test rows of each place with their predictions; None where fewer than two fits are done."""
        tests = [test for _, test in self.splits.pairs]
        parts = [[(test, cell.answer) for test, cell in zip(tests, row, strict=True) if cell] for row in self.cells]
        facts = self.splits.ratio, self.level
        return tuple(OutOfFold(self.problem, self.data, tuple(p), *facts) if len(p) > 1 else None for p in parts)

    @lazy
    def seconds(self) -> tuple[float, ...]:
        """How long a fit took at each place, on the average."""
        return tuple(float(np.mean([c.seconds for c in row if c] or [math.nan])) for row in self.cells)

    def curve(self, metric: str | None = None) -> Curve:
        """One metric as columns: the place, test with low and high, train, gap with its bounds, folds and seconds."""
        line = self[metric or self.main_metric]
        columns: dict[str, Any] = {"at": _column(self.places), "test": np.array(line.test, np.float64)}
        columns |= {"low": np.array([e.low for e in line.test]), "high": np.array([e.high for e in line.test])}
        columns["train"] = np.array(line.train, np.float64)
        if line.gap:
            columns |= {"gap": np.array(line.gap, np.float64), "gap_low": np.array([e.low for e in line.gap])}
            columns["gap_high"] = np.array([e.high for e in line.gap])
        columns["folds"] = np.array([len(average.known) for average in line.tested])
        columns["seconds"] = np.array(self.seconds)
        note = next((e.method for e in line.test if e.method), "")
        return Curve(self.kind, columns, "at", "test", note)


def _column(places: Sequence[Any]) -> Any:
    """Places as an array: of numbers where all are, else of texts."""
    numbers = all(isinstance(v, (int, float, np.number)) and not isinstance(v, bool) for v in places)
    return np.array(places, np.float64) if numbers else np.array([str(v) for v in places], object)
