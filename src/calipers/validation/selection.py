"""The result of a choice among models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from calipers.cached import lazy
from calipers.choices import IntervalChart
from calipers.comparison.differences import OPEN
from calipers.comparison.folds_and_datasets import FoldComparison, compare_folds
from calipers.inference.estimate import Estimate
from calipers.inference.multiple import adjusted
from calipers.result import Result
from calipers.validation.averages import Average
from calipers.validation.models import fresh
from calipers.validation.runner import Failed
from calipers.validation.splits import Splits


def one_standard_error(averages: Mapping[str, Average]) -> tuple[tuple[str, ...], str]:
    """The models within one corrected standard error of the best, in the order given, and the best (Breiman 1984).

    >>> import calipers as cal, numpy as np
    >>> values = {"a": [0.70, 0.72, 0.71], "b": [0.88, 0.90, 0.86], "c": [0.89, 0.93, 0.85]}
    >>> one_standard_error({n: Average(cal.metric("accuracy"), np.array(v), 90, 0.5) for n, v in values.items()})
    (('b', 'c'), 'c')
    """
    sign = -1.0 if next(iter(averages.values())).measure.metric.better == "lower" else 1.0
    known = {name: sign * a.mean for name, a in averages.items() if a.mean == a.mean}
    best = max(known, key=lambda name: known[name])
    error = averages[best].error
    least = known[best] - (error if error == error else 0.0)
    return tuple(name for name, mean in known.items() if mean >= least), best


@dataclass(frozen=True)
class Candidate:
    """A model, its values over the folds and on training data, and in how many folds it was chosen."""

    model: Any
    average: Average
    train_average: Average
    times: int
    seed_notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Selection(Result[IntervalChart]):
    """The result of `calipers.select`: the chosen model, the candidates, and the nested value of the choice.

    finalists: the models within one standard error of the best; outer: the choice of each fold, on its test data.
    """

    kind: ClassVar[str] = "selection"

    candidates: Mapping[str, Candidate]
    choice: str
    finalists: tuple[str, ...]
    best: str
    outer: Average
    failures: Mapping[str, tuple[Failed, ...]]
    splits: Splits
    inner: str
    rule: str
    seed: int
    level: float

    @property
    def metric(self) -> str:
        """The metric of the choice."""
        return self.outer.metric

    @property
    def model(self) -> Any:
        """The chosen model, not fitted: fit it on all rows."""
        return fresh(self.candidates[self.choice].model)

    @property
    def nested(self) -> Estimate:
        """The metric of models that are chosen in this way, on data that took no part in the choice."""
        return self.outer.estimate

    @property
    def optimism(self) -> float:
        """The mean of the chosen model minus the nested value: the optimism due to choosing among several models."""
        sign = -1.0 if self.outer.measure.metric.better == "lower" else 1.0
        return sign * (self.candidates[self.choice].average.mean - self.outer.mean)

    @property
    def times(self) -> dict[str, int]:
        """In how many of the outer folds each model was chosen."""
        return {name: c.times for name, c in self.candidates.items()}

    @lazy
    def comparisons(self) -> Mapping[str, FoldComparison]:
        """The choice minus each other finalist, by the corrected test over the folds that both have."""
        share = self.splits.ratio / (1 + self.splits.ratio)
        mine, comparisons = self.candidates[self.choice].average.values, {}
        for name in self.finalists:
            other = self.candidates[name].average.values
            both = np.isfinite(mine) & np.isfinite(other)
            if name != self.choice and np.count_nonzero(both) > 1:
                comparisons[name] = compare_folds(other[both], mine[both], test_share=share, level=self.level)
        return comparisons

    @property
    def pvalues(self) -> dict[str, float]:
        """The p-values of the comparisons, adjusted over them by Holm's method."""
        each = self.comparisons
        return dict(zip(each, map(float, adjusted([c.pvalue for c in each.values()], "holm")), strict=True))

    def verdict(self, name: str) -> str:
        """Whether the choice or another finalist is better, by the adjusted p-value: "forest better", for example."""
        winner = self.winner(name)
        return OPEN if winner is None else f"{winner} better"

    def winner(self, name: str) -> str | None:
        """The better of the choice and another finalist; None if there is no evidence either way."""
        if not self.pvalues[name] < 1 - self.level:
            return None
        higher = self.comparisons[name].difference > 0
        return self.choice if higher == (self.outer.measure.metric.better == "higher") else name

    @lazy
    def notes(self) -> tuple[str, ...]:
        """Notes on the data and the fits."""
        seed_notes = {note for c in self.candidates.values() for note in c.seed_notes}
        return (*self.splits.notes, *sorted(seed_notes))
