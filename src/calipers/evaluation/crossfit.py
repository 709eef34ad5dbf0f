"""What a chosen threshold reaches on rows that it was not chosen on.

Rows are split into ten parts. For each part, the rule chooses a threshold on the other nine and is applied to this one,
so that every row is predicted by a threshold that has not seen it. All rows together give one estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.data import containers
from calipers.data.batch import Batch
from calipers.data.schema import GIVEN, Schema
from calipers.errors import InputError
from calipers.evaluation.estimates import estimate
from calipers.inference.estimate import Estimate
from calipers.inference.intervals import interval
from calipers.metrics.base import Measure
from calipers.metrics.values import Mean
from calipers.metrics.views import Views
from calipers.resampling.groups import grouped_mean
from calipers.statistics.combine import Evidence
from calipers.statistics.confusion import ConfusionCounts, OneVsRest
from calipers.statistics.counted import CountedSamples
from calipers.statistics.moments import Moments
from calipers.statistics.scores import ScoreSamples

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.settings import Label, Settings

Array = npt.NDArray[Any]
FOLDS = 10
# The threshold of all rows differs from those of the parts: as much as this share of the rows' own variance, measured
# by the trials (docs/decisions/calibration.md).
CHOICE = 1.25
PRICES = ("tp", "fp", "fn", "tn")
BINARY = Schema("binary", (0, 1), 1, GIVEN)


@dataclass(frozen=True, eq=False)
class Scored:
    """The score of one class in each row, whether the row is of this class, its weight and its group."""

    score: Array
    is_true: Array
    weights: Array | None
    groups: Array | None
    fixed: bool

    @classmethod
    def of(cls, ev: Evaluation, label: Label | None, *, rows: bool) -> Scored:
        """The rows behind a score; rows: in the order in which they were passed, which needs the rows themselves."""
        views, samples = ev.views, ev._samples(label)
        source = views.source if views.source is not None and views.source.groups is not None else None
        if isinstance(samples, CountedSamples):
            raise InputError("evaluation.rows_summarised")
        if not rows and source is None:
            is_true = np.arange(samples.rows) < len(samples.pos)
            score = np.concatenate((samples.pos, samples.neg))
            return cls(score, is_true, _both(samples.pos_weights, samples.neg_weights), None, views.fixed)
        if source is None:
            if ev.kept is None:
                raise InputError("evaluation.rows_not_kept")
            source = ev.kept.batch.take(ev.kept.chosen)
        truth, matrix = source.truth, source.score
        assert matrix is not None
        at = source.positive if label is None else source.labels.index(label)
        is_true = truth[:, at] if truth.ndim == 2 else truth == at
        weights = source.weights
        if views.fixed:
            own = np.ones(len(truth)) if weights is None else weights
            scales = (samples.positives / own[is_true].sum(), samples.negatives / own[~is_true].sum())
            weights = own * np.where(is_true, *scales)
        return cls(matrix[:, at] if matrix.ndim == 2 else matrix, is_true, weights, source.groups, views.fixed)

    def samples(self, rows: Array) -> ScoreSamples:
        """The sorted samples of some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return ScoreSamples.split(self.score[rows], self.is_true[rows].view(np.uint8), 1, weights)

    def folds(self, seed: int) -> Array:
        """The part of each row: whole groups together, else the same share of either class in each part."""
        random = np.random.default_rng(seed)
        if self.groups is not None:
            _, codes = np.unique(self.groups, return_inverse=True)
            return (random.permutation(int(codes.max()) + 1) % FOLDS)[codes]
        out = np.zeros(len(self.score), np.intp)
        for mask in (self.is_true, ~self.is_true):
            out[mask] = random.permutation(int(mask.sum())) % FOLDS
        return out

    def predicted(self, choose: Callable[[Array], float], seed: int) -> Array:
        """Which rows are flagged by the threshold that `choose` finds on the rows of the other parts."""
        folds, flagged = self.folds(seed), np.zeros(len(self.score), bool)
        for fold in np.unique(folds):
            mine, others = folds == fold, folds != fold
            if not self.is_true[others].any() or self.is_true[others].all():
                raise InputError("evaluation.too_few_to_cross_fit", count=int(self.is_true.sum()))
            flagged[mine] = self.score[mine] >= self.score.dtype.type(choose(others))
        return flagged

    def counts(self, flagged: Array) -> ConfusionCounts:
        """The confusion matrix of these predictions."""
        truth, pred = (column.astype(np.uint8) for column in (self.is_true, flagged))
        counted = ConfusionCounts.of_codes(BINARY.labels, truth, pred, self.weights)
        return replace(counted, cells=counted.cells.astype(np.float64), squares=CHOICE * counted.second)

    def views(self, flagged: Array) -> Views:
        """What formulas look at, with the rows where they come in groups."""
        truth, pred = (column.astype(np.uint8) for column in (self.is_true, flagged))
        batch = Batch(BINARY, truth, pred, weights=self.weights, groups=self.groups)
        source = None if self.groups is None else batch
        return Views(Evidence.holding(self.counts(flagged)), BINARY, self.fixed, source)

    def estimate(self, measure: Measure, flagged: Array, settings: Settings) -> Estimate:
        """A metric of one class of these predictions."""
        return estimate(measure, self.views(flagged), settings)

    def value(self, function: Callable[[OneVsRest], Any], flagged: Array) -> float:
        """A function of the counts of these predictions."""
        return float(function(self.counts(flagged).one_vs_rest.at(1)))


def _both(first: Array | None, second: Array | None) -> Array | None:
    return None if first is None or second is None else np.concatenate((first, second))


@dataclass(frozen=True, eq=False)
class Costs:
    """What each row costs if it is flagged, and if it is not."""

    flagged: Array
    other: Array

    @classmethod
    def of(cls, cost: Mapping[str, Any], ev: Evaluation, rows: Scored) -> Costs:
        """The costs of each row, from one number for all rows or one per row."""
        each = {name: _per_row(cost.get(name, 0.0), name, ev, len(rows.score)) for name in PRICES}
        pairs = (("tp", "fp"), ("fn", "tn"))
        return cls(*(np.where(rows.is_true, each[true], each[false]) for true, false in pairs))

    def cheapest(self, rows: Scored, chosen: Array) -> float:
        """The threshold with the lowest cost on some of the rows; of equally cheap ones, the highest."""
        weights = 1.0 if rows.weights is None else rows.weights[chosen]
        order = np.argsort(-rows.score[chosen], kind="stable")
        score, change = rows.score[chosen][order], ((self.flagged - self.other)[chosen] * weights)[order]
        last = np.append(score[1:] != score[:-1], True)  # rows with the same score are flagged together
        total, at = np.append(0.0, np.cumsum(change)[last]), np.append(np.inf, score[last])
        return float(at[int(total.argmin())])

    def of_rows(self, flagged: Array) -> Array:
        """The cost of each row."""
        return np.where(flagged, self.flagged, self.other)

    def mean(self, rows: Scored, flagged: Array, settings: Settings) -> Estimate:
        """The mean cost of a row, with its interval."""
        each = self.of_rows(flagged)
        bounds = (float(min(self.flagged.min(), self.other.min())), float(max(self.flagged.max(), self.other.max())))
        alike = len(np.unique(each)) <= len(PRICES)
        m = Moments.of_values(each, rows.weights)
        m = replace(m, squares=CHOICE * m.squares, q1=CHOICE * m.q1, q2=CHOICE * m.q2)
        value: Any = Mean(m, default="hall" if alike else "long-tailed")
        if rows.groups is not None:
            value = grouped_mean(rows.views(flagged), lambda: each, value)
        find = partial(interval, value, settings.level, bounds)
        return Estimate(value.value, n=len(each), level=settings.level, interval=find)


def per_row(cost: Mapping[str, Any]) -> bool:
    """Whether a cost differs from row to row."""
    return isinstance(cost, Mapping) and any(np.ndim(price) > 0 for price in cost.values())


def _per_row(price: Any, name: str, ev: Evaluation, count: int) -> Array:
    if np.ndim(price) == 0:
        return np.full(count, float(price))
    numbers = containers.numbers(price, f'cost["{name}"]').astype(np.float64)
    assert ev.kept is not None
    places = ev.kept.positions(ev.kept.chosen)
    if numbers.ndim != 1 or len(numbers) <= int(places.max(initial=-1)) or not np.isfinite(numbers[places]).all():
        raise InputError("evaluation.row_costs", name=name, shape=numbers.shape, rows=int(places.max(initial=-1)) + 1)
    return numbers[places]
