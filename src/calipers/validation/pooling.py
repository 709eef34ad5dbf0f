"""The interval of a mean over folds from the rows that the folds tested."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calipers.cached import lazy
from calipers.evaluation.evaluation import Evaluation
from calipers.inference.estimate import Estimate, Interval
from calipers.inference.quantiles import Widened
from calipers.metrics.base import Measure
from calipers.remarks import Remark
from calipers.validation.models import Answer, Array, taken
from calipers.validation.problems import Problem, pooled
from calipers.validation.runner import Data

OVER_FOLDS = Remark("validation.over_folds")
NOT_POOLED = Remark("validation.not_pooled")


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Test rows of each fold with the predictions of the model that did not see them.

    ratio: test rows per training row. Nadeau and Bengio (2003) give the mean over J folds the variance (1/J + ratio) of
    one fold's. Here a fold's variance is that of its rows, s²/n_test, not the spread of the J values: stratified folds
    all have the same class shares, so their values differ less than those of new samples. K folds give s²/n times
    1 + K/(K - 1). That is right for learners that memorise their training data; the folds of a stable learner are
    nearly independent, and its factor is 1. Between these the factor follows the share of the loss that training rows
    do not show (`unseen_share`).
    """

    problem: Problem
    data: Data
    tested: tuple[tuple[Array, Answer], ...]
    ratio: float
    level: float
    what: str = OVER_FOLDS

    @lazy
    def passes(self) -> tuple[tuple[int, ...], ...]:
        """The folds in groups that test no row twice: one group per repetition."""
        groups: list[tuple[list[int], Array]] = []
        for number, (rows, _) in enumerate(self.tested):
            numbers, tested = next((one for one in groups if not one[1][rows].any()), ([], None))
            if tested is None:
                tested = np.zeros(self.data.rows, bool)
                groups.append((numbers, tested))
            numbers.append(number)
            tested[rows] = True
        return tuple(tuple(numbers) for numbers, _ in groups)

    @lazy
    def evaluations(self) -> tuple[Evaluation, ...]:
        """The predictions of each repetition measured together; rows of one group are its groups."""
        return tuple(measured(self.problem, self.data, [self.tested[at] for at in one]) for one in self.passes)

    @property
    def smallest(self) -> int:
        """How many rows the smallest test set has."""
        return min(len(rows) for rows, _ in self.tested)

    @lazy
    def distinct(self) -> int:
        """How many rows were tested at least once."""
        return len(np.unique(np.concatenate([rows for rows, _ in self.tested])))

    @lazy
    def factors(self) -> tuple[float, float]:
        """The factor of the first repetition at least, where training rows show all of the loss, and at most."""
        return self.factor(self.passes[0], 0.0), self.factor(self.passes[0])

    def factor(self, numbers: Sequence[int], unseen: float = 1.0) -> float:
        """How many times larger the variance of the mean over all folds is than s²/n of the rows of these folds.

        unseen: the share of the loss that training rows do not show, 1 for Nadeau and Bengio's factor.
        """
        sizes = [len(rows) for rows, _ in self.tested]
        rows = sum(sizes[at] for at in numbers)
        least = rows / self.distinct
        most = (1 / len(sizes) + self.ratio) * rows / float(np.mean(sizes))
        return least + unseen * max(0.0, most - least)

    def interval(
        self,
        measure: Measure,
        centre: float,
        *,
        unseen: float = 1.0,
        factor: float | None = None,
        times: float = 1.0,
        both: bool = False,
    ) -> Interval:
        """The mean interval of the repetitions, moved to `centre`.

        both: whether it also holds the interval of all rows together, from which the mean over folds differs where the
        metric is not a mean over rows: average precision over folds with three positives each is too high, R² over
        folds of six rows too low, a pooled AUC may be too low. unseen: see `factor`. factor: of the variance, where it
        is known; times: how much larger than by default.
        """
        if not math.isfinite(centre):
            return Interval(math.nan, math.nan, NOT_POOLED)
        each = [
            _widened(evaluation, measure, times * self.factor(numbers, unseen) if factor is None else factor)
            for numbers, evaluation in zip(self.passes, self.evaluations, strict=True)
        ]
        known = [e for e in each if math.isfinite(e) and not math.isnan(e.low)]
        if not known:
            return Interval(math.nan, math.nan, each[0].interval.method)
        least, most = measure.metric.bounds
        below, above, value = np.mean([(e - e.low, e.high - e, e) for e in known], 0).tolist()
        others = (centre, value) if both else (centre,)
        low, high = min(others) - below, max(others) + above
        method = Remark("validation.over", method=known[0].method, what=self.what)
        return Interval(max(low, least), min(high, most), method, *known[0].interval[3:])


def _widened(evaluation: Evaluation, measure: Measure, factor: float) -> Estimate:
    level = Widened(evaluation.level, factor)
    return replace(evaluation, settings=replace(evaluation.settings, level=level), known={})[measure.name]


def measured(problem: Problem, data: Data, parts: Sequence[tuple[Array, Answer]]) -> Evaluation:
    """Predictions of several models about different rows, measured together."""
    rows = np.concatenate([test for test, _ in parts])
    answer = pooled([answer for _, answer in parts])
    return problem.measured(taken(data.y, rows), answer, taken(data.groups, rows), taken(data.weights, rows))
