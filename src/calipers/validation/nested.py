"""Nested cross-validation: how far a mean over folds is from the error on rows that took no part in it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from calipers.cached import lazy
from calipers.errors import InputError
from calipers.evaluation.evaluation import Evaluation
from calipers.inference.estimate import Estimate, Interval
from calipers.metrics.base import Measure
from calipers.metrics.resolve import resolve
from calipers.metrics.values import Mean, Proportion
from calipers.remarks import Remark, core
from calipers.validation.models import Answer, Array
from calipers.validation.pooling import OutOfFold, measured
from calipers.validation.problems import Problem
from calipers.validation.runner import Data, Done, Failed, Job, run
from calipers.validation.splits import Splits

NESTED = Remark("validation.nested")
REPEATS = 50  # where none are given; with fewer the estimated factor is noisy


@dataclass(frozen=True, eq=False)
class Nested:
    """The interval of Bates, Hastie and Tibshirani (2023).

    Each of K folds is left out once; cross-validation over the other K - 1 folds gives an estimate, and the fold that
    was left out a second one, from rows that the first has not used. The mean square of their difference, without the
    part that comes from the few rows of one fold, estimates the mean squared error of cross-validation itself.

    outer: the evaluation of each fold; inner: beside it, that of cross-validation over the other folds.
    """

    tested: OutOfFold
    outer: tuple[Evaluation, ...]
    inner: tuple[Evaluation, ...]
    folds: int

    @lazy
    def fits(self) -> int:
        """How many models were fitted without two of the folds."""
        return len(self.inner) * (self.folds - 1) // 2

    def knows(self, measure: Measure) -> bool:
        """Whether the metric is a mean over rows, for which the method was published."""
        return not math.isnan(variance_of_mean(measure, self.outer[0]))

    def factor(self, measure: Measure) -> float:
        """How many times larger the mean squared error is than s²/n of the rows, from 1 to K as published."""
        inside, outside = (np.array([e[measure.name] for e in part], float) for part in (self.inner, self.outer))
        noise = np.mean([variance_of_mean(measure, e) for e in self.outer])
        error = (self.folds - 1) / self.folds * (np.mean((inside - outside) ** 2) - noise)
        plain = np.mean([variance_of_mean(measure, e) for e in self.tested.evaluations])
        return float(np.clip(error / plain, 1, self.folds)) if plain > 0 else 1.0

    def value(self, measure: Measure) -> float:
        """The mean over folds, corrected for training on fewer rows than there are (section 4.3 of the paper)."""
        inside, outside = (float(np.mean([e[measure.name] for e in part])) for part in (self.inner, self.outer))
        return inside - (1 + (self.folds - 2) / self.folds) * (inside - outside)

    def estimate(self, measure: Measure) -> Estimate:
        """The corrected value with its interval."""
        find, rows = partial(self.interval, measure), self.tested.data.rows
        return Estimate(self.value(measure), n=rows, level=self.tested.level, interval=find)

    def interval(self, measure: Measure) -> Interval:
        """The interval of the rows with that variance, around the corrected value."""
        interval = self.tested.interval(measure, self.value(measure), factor=self.factor(measure))
        method = Remark("validation.over", method=core(interval.method), what=NESTED)
        return interval if math.isnan(interval.low) else interval._replace(method=method)


def variance_of_mean(measure: Measure, evaluation: Evaluation) -> float:
    """s²/n of a metric that is the mean of one number per row; NaN of other metrics."""
    value = resolve(measure, evaluation.views).value
    n = evaluation.rows
    if isinstance(value, Mean) and value.through is None and value.moments.n == n > 1:
        return float(value.moments.m2 / (n - 1) / n)
    if isinstance(value, Proportion) and value.through is None and value.trials == n > 1:
        share = float(value.hits / value.trials)
        return share * (1 - share) / (n - 1)
    return math.nan


def checked(cv: Any, data: Data) -> None:
    """Refuse what the method is not for, before anything is fitted."""
    if isinstance(cv, bool) or not isinstance(cv, int) or cv < 3:
        raise InputError("validation.nested_needs_folds", cv=cv)
    if data.groups is not None:
        raise InputError("validation.nested_with_groups")


def nested(
    model: Any, data: Data, of: Problem, splits: Splits, folds: Sequence[Any], level: float, *, k: int, seed: int,
    n_jobs: int | None,
) -> Nested:  # fmt: skip
    """Fit the model without each two folds of a repetition, and measure cross-validation inside the other folds."""
    if len(folds) < len(splits):
        raise InputError("validation.nested_needs_every_fold", failed=len(splits) - len(folds))
    tests = [test for _, test in splits.pairs]
    repetitions = [range(first, first + k) for first in range(0, len(tests), k)]
    pairs = [pair for numbers in repetitions for pair in combinations(numbers, 2)]

    def answered(done: Done) -> Answer:
        return done.answer

    def without(pair: tuple[int, int]) -> Job:
        out = np.concatenate([tests[at] for at in pair])
        return Job(model, np.setdiff1d(np.arange(data.rows), out), out, predict_train=False)

    jobs = (without(pair) for pair in pairs)
    results = run(jobs, len(pairs), data, of, answered, seed=seed + 1, n_jobs=n_jobs, what="inner folds")
    failed = [r for r in results if isinstance(r, Failed)]
    if failed:
        error = failed[0].error
        raise InputError("validation.nested_needs_every_fit", failed=len(failed), fits=len(pairs), error=error)
    # The rows of a fold, predicted by the model without this fold and another one.
    answers: dict[tuple[int, int], tuple[Array, Answer]] = {}
    for (one, other), answer in zip(pairs, results, strict=True):
        assert isinstance(answer, Answer)
        size = len(tests[one])
        answers[one, other] = tests[one], _part(answer, slice(None, size))
        answers[other, one] = tests[other], _part(answer, slice(size, None))
    inner = tuple(
        measured(of, data, [answers[at, out] for at in numbers if at != out])
        for numbers in repetitions
        for out in numbers
    )
    tested = OutOfFold(of, data, tuple((f.test, f.answer) for f in folds), splits.ratio, level)
    return Nested(tested, tuple(f.evaluation for f in folds), inner, k)


def _part(answer: Answer, rows: slice) -> Answer:
    predicted, score = (None if part is None else part[rows] for part in answer[:2])
    return Answer(predicted, score, answer.unmet)
