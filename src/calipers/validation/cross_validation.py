"""The result of `cross_validate`: every fold, their averages, and all out-of-fold predictions together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from calipers.cached import lazy
from calipers.choices import ComparedCurve, CurveAverage, ValidationChart
from calipers.errors import InputError, UnknownName, nearest
from calipers.evaluation.evaluation import Evaluation, Record
from calipers.findings import Finding, look_at_validation
from calipers.inference.estimate import Estimate, Interval
from calipers.inference.quantiles import z
from calipers.metrics.base import CATALOGUE, Measure
from calipers.remarks import Remark
from calipers.result import Result
from calipers.settings import Label
from calipers.validation.averages import SHARED, Average, averages, differences
from calipers.validation.fold import Fold
from calipers.validation.fold_curves import AREAS, FoldCurves, bundle, by_rows, unseen_of
from calipers.validation.models import Array, taken
from calipers.validation.nested import Nested
from calipers.validation.no_information import no_information
from calipers.validation.overfitting import unseen_share, worse
from calipers.validation.pooling import OutOfFold
from calipers.validation.problems import Problem, answer_columns, pooled
from calipers.validation.runner import Data, Failed
from calipers.validation.splits import Splits

ROWS_ONLY = Remark("validation.rows_only")
ALONE = Remark("validation.alone")
OPPOSED = Remark("validation.opposed")
# The metrics whose gap between training and test rows is reported first, where none are named.
MAIN_METRICS = ("roc_auc", "balanced_accuracy", "accuracy", "rmse", "subset_accuracy")


@dataclass(frozen=True, eq=False, repr=False)
class Validation(Result[ValidationChart], Mapping[str, Estimate]):
    """The result of `calipers.cross_validate`: metrics by name, each the mean over folds with its interval.

    If test sets are single rows, the value is that of all predictions together; for one hold-out, that of its test
    data. method: the source of the intervals, "rows", "folds" or "nested".
    """

    kind: ClassVar[str] = "validation"

    problem: Problem
    data: Data
    splits: Splits
    folds: tuple[Fold, ...]
    failures: tuple[Failed, ...]
    seed: int
    level: float
    model: str
    seed_notes: tuple[str, ...] = ()
    method: str = "rows"
    inner: Nested | None = None
    known: dict[str, Estimate] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Estimate:
        measure = self._measure(name)
        if measure.name not in self.known:
            self.known[measure.name] = self._estimate(measure)
        return self.known[measure.name]

    def _estimate(self, measure: Measure) -> Estimate:
        if self.splits.alone:
            all_rows = self.pooled()[measure.name]
            return all_rows.within(partial(self._interval_alone, measure, float(all_rows)))
        if len(self.folds) == 1:
            return self.folds[0].evaluation[measure.name]
        estimate = self._average(measure).estimate
        if self.inner is None or math.isnan(estimate) or not self.inner.knows(measure):
            return estimate
        return self.inner.estimate(measure)

    def _interval_alone(self, measure: Measure, value: float) -> Interval:
        """The interval where test sets are single rows, with a flag where truth and predictions are opposed.

        A row that is left out makes its class rarer in the training data, so an unstable model predicts another class
        for it. Then the value is worse, by at least a standard error, than for predictions unrelated to the truth.
        """
        train = self._train_average(measure).mean if self.has_train else math.nan
        unseen = unseen_share(train, value, measure.metric)
        interval = self.out_of_fold.interval(measure, value, unseen=unseen)
        if self.data.weights is not None:  # pairs of rows have none
            return interval
        better = measure.metric.better
        end = interval.low if better == "lower" else interval.high
        opposed = worse(value + (end - value) / z(self.level), self._unrelated[measure.name], better)
        return interval._replace(flags=(OPPOSED, *interval.flags)) if opposed else interval

    @lazy
    def _unrelated(self) -> Evaluation:
        """The pooled predictions beside every truth."""
        answer = pooled([f.answer for f in self.folds])
        return no_information(self.problem, taken(self.data.y, self._tested), answer, self.seed)

    def __iter__(self) -> Iterator[str]:
        return (measure.name for measure in self.listed)

    def __len__(self) -> int:
        return len(self.listed)

    @property
    def listed(self) -> tuple[Measure, ...]:
        """The metrics of the table."""
        return self.folds[0].evaluation.listed

    @property
    def task(self) -> str:
        """What was predicted: binary, multiclass, multilabel, regression or ranking."""
        return self.folds[0].evaluation.task

    @lazy
    def rows(self) -> int:
        """The number of rows."""
        return self.data.rows

    @property
    def cv(self) -> str:
        """How the rows were split."""
        return self.splits.description

    @lazy
    def notes(self) -> tuple[str, ...]:
        """Notes on the data and the fits."""
        notes = [*self.splits.notes, *self.seed_notes]
        unmet = [label for fold in self.folds for label in fold.answer.unmet]
        notes += [Remark("validation.class_untrained", count=unmet.count(v), label=v) for v in dict.fromkeys(unmet)]
        stopped = sum(f.stopped for f in self.failures)
        if stopped:
            notes.append(Remark("validation.folds_interrupted", count=stopped, total=len(self.splits)))
        return (*notes, ALONE) if self.splits.alone else tuple(notes)

    def averaged(self) -> Mapping[str, Average]:
        """Each metric over folds: values, mean, both variances, the plain and the corrected interval, and reasons."""
        return self._averaged

    @lazy
    def _averaged(self) -> Mapping[str, Average]:
        return self._averages(self.listed)

    @lazy
    def out_of_fold(self) -> OutOfFold:
        """The test rows of all folds with their predictions, used for the intervals."""
        tested = tuple((f.test, f.answer) for f in self.folds)
        return OutOfFold(self.problem, self.data, tested, self.splits.ratio, self.level)

    @property
    def about(self) -> str:
        """What the intervals describe: "procedure" (the learning procedure) or "model" (one fitted model)."""
        return "model" if len(self.folds) == 1 else "procedure"

    @property
    def trained(self) -> int:
        """The mean number of training rows; for nested cross-validation about all rows."""
        return self.rows if self.inner is not None else self.splits.trained

    @property
    def _tested_rows(self) -> OutOfFold | None:
        return None if self.method == "folds" else self.out_of_fold

    def pooled(self) -> Evaluation:
        """One evaluation of all out-of-fold predictions; it mixes the scores of different models, and a note says so.

        Its intervals take into account only the test rows: they describe these predictions, and for unstable learners
        they are too narrow for the learning procedure. Rows that were tested several times, and rows of one group, are
        its groups.
        """
        return self._pooled

    @lazy
    def _pooled(self) -> Evaluation:
        rows, groups = self._tested, taken(self.data.groups, self._tested)
        if groups is None and len(np.unique(rows)) < len(rows):
            groups = rows
        if self.unpooled:
            raise InputError("validation.several_rankings")
        answer = pooled([f.answer for f in self.folds])
        by = {name: taken(column, rows) for name, column in self.data.by.items()}
        weights = taken(self.data.weights, rows)
        evaluation = self.problem.measured(taken(self.data.y, rows), answer, groups, weights, by)
        code = "validation.together" if answer.score is None else "validation.mixed"
        note = Remark(code, count=len(self.folds))
        return replace(evaluation, notes=(*evaluation.notes, note, ROWS_ONLY))

    @property
    def by(self) -> Mapping[str, Mapping[Label, Evaluation]]:
        """The slices of the pooled out-of-fold predictions: `validation.by["region"]["north"]["recall"]`."""
        return self.pooled().by

    def as_evaluation(self, names: Sequence[str] = ()) -> Evaluation:
        """The metrics over folds, and those of these names, as an evaluation without rows, for `calipers.gate`.

        Slices are those of the pooled predictions.
        """
        listed = tuple(dict.fromkeys([*self.listed, *map(self._measure, names)]))
        known = {measure.name: self[measure.name] for measure in listed}
        facts: dict[str, Any] = {"listed": listed, "known": known, "rows": self.rows, "notes": self.notes}
        slices = {} if self.unpooled else self.pooled().slices
        return replace(self.folds[0].evaluation, seen=None, record=Record(), slices=slices, **facts)

    @lazy
    def _tested(self) -> Array:
        return np.concatenate([f.test for f in self.folds])

    @lazy
    def train(self) -> Mapping[str, Estimate]:
        """Each metric on the training data, as the mean over folds, without an interval."""
        named = self.listed if self.has_train else ()
        return {m.name: self._train_average(m).without_interval(SHARED) for m in named}

    @lazy
    def gap(self) -> Mapping[str, Estimate]:
        """How much better each metric is on training data than on test data, with its corrected interval."""
        named = [m for m in self.listed if m.metric.better] if self.has_train and not self.splits.alone else []
        return {m.name: differences(self._train_average(m), self._average(m)).estimate for m in named}

    @property
    def predictions(self) -> dict[str, Array]:
        """Out-of-fold predictions as columns: row, fold, predicted, score (one per class if there are several)."""
        answer = pooled([f.answer for f in self.folds])
        columns = {"row": self._tested, "fold": np.concatenate([np.full(len(f.test), f.number) for f in self.folds])}
        return columns | answer_columns(answer, self.problem)

    @lazy
    def findings(self) -> tuple[Finding, ...]:
        """What to be careful about."""
        return look_at_validation(self)

    @property
    def main_metric(self) -> str | None:
        """The metric whose gap between training and test rows is reported."""
        gaps = self.gap
        if self.problem.options["metrics"] is not None:
            return next(iter(gaps), None)
        return next((name for name in (*MAIN_METRICS, *gaps) if name in gaps), None)

    def curve(
        self, kind: ComparedCurve = "roc", label: Any = None, *, average: CurveAverage | None = None, points: int = 201
    ) -> FoldCurves:
        """The ROC or PR curve of each fold, and their mean with a band.

        - kind: "roc" or "pr".
        - label, average: with several classes, one class, or "micro" or "macro".
        - points: the number of points of the mean curve.

        The band comes from the test rows, as the intervals do; for a curve averaged over classes it comes from the
        folds.
        """
        each = [f.evaluation.curve(kind, label, average=average) for f in self.folds]
        of_rows = None
        if average is None and self.method != "folds" and kind in AREAS:
            unseen = unseen_of(kind, label, [(f.evaluation, f.train_evaluation) for f in self.folds])
            of_rows = partial(by_rows, self.out_of_fold, kind, label, unseen)
        return bundle(kind, each, self.splits.ratio, self.level, points, of_rows)

    @property
    def has_train(self) -> bool:
        """Whether training data was evaluated too."""
        return all(f.train_evaluation is not None for f in self.folds)

    @property
    def unpooled(self) -> bool:
        """Whether predictions cannot be pooled: a query was ranked by several models."""
        return self.problem.facts.ranked and self.splits.repeats > 1

    def _measure(self, name: str) -> Measure:
        if not isinstance(name, (str, Measure)):
            raise UnknownName("validation.not_a_name", name=name, near=nearest(str(name), self))
        return CATALOGUE[str(name)]

    def _average(self, measure: Measure) -> Average:
        return self._averages([measure])[measure.name]

    def _averages(self, listed: Sequence[Measure]) -> dict[str, Average]:
        tables, trains = [f.evaluation for f in self.folds], [f.train_evaluation for f in self.folds if self.has_train]
        return averages(listed, tables, self.rows, self.splits.ratio, self.level, self._tested_rows, trains)

    def _train_average(self, measure: Measure) -> Average:
        tables = [f.train_evaluation for f in self.folds]
        return averages([measure], tables, self.rows, self.splits.ratio, self.level)[measure.name]
