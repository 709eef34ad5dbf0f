"""`decision_curve`: the net benefit of models at every probability threshold, with bands and paired differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from calipers.arguments import named_arguments
from calipers.choices import DecisionChart, Missing
from calipers.comparison.same_rows import read_models
from calipers.data import containers
from calipers.data.batch import Batch
from calipers.decisions.calibrate import refuse_missing
from calipers.errors import InputError, UnknownName, nearest
from calipers.inference.net_benefit import band_of_groups, bounds, net_benefit_band, pvalues
from calipers.inference.paired_losses import paired_t
from calipers.inference.quantiles import z
from calipers.result import Result
from calipers.settings import Label, Settings

Array = npt.NDArray[Any]
EQUAL = 1e-7  # net benefits that differ by less are the same, but for rounding
THRESHOLDS = tuple(round(i / 100, 2) for i in range(1, 100))
ALL, NONE, DEFAULT = "all", "none", "default"  # treat everybody, nobody, or whichever of both is better


@dataclass(frozen=True, eq=False)
class Benefit:
    """The net benefit at each threshold, with its band."""

    value: Array
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class BenefitDifference:
    """The paired difference of net benefit at each threshold, candidate minus baseline, with interval and p-value."""

    candidate: str
    baseline: str
    value: Array
    low: Array
    high: Array
    pvalue: Array


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(Result[DecisionChart], Mapping[str, Benefit]):
    """The result of `decision_curve`: the net benefit by model, and by the strategies "all" and "none".

    thresholds: a row is treated if its probability is at least the threshold. differences: between every pair of
    models, and between each model and the better of treating all and treating none. prevalence: the share of the
    positive class.
    """

    kind: ClassVar[str] = "decision_curve"

    thresholds: Array
    models: Mapping[str, Benefit]
    differences: Mapping[tuple[str, str], BenefitDifference]
    prevalence: float
    rows: int
    level: float
    positive: Label
    notes: tuple[str, ...] = ()

    @property
    def treat_all(self) -> Array:
        """The net benefit of treating every row."""
        return self.prevalence - (1 - self.prevalence) * odds(self.thresholds)

    @property
    def treat_none(self) -> Array:
        """The net benefit of treating no row, which is 0."""
        return np.zeros(len(self.thresholds))

    def __getitem__(self, name: str) -> Benefit:
        if name in self.models:
            return self.models[name]
        if name in (ALL, NONE):
            value = self.treat_all if name == ALL else self.treat_none
            return Benefit(value, np.full(len(value), np.nan), np.full(len(value), np.nan))
        raise UnknownName("decisions.unknown_model", name=name, near=nearest(str(name), [*self.models, ALL, NONE]))

    def __iter__(self) -> Iterator[str]:
        return iter((*self.models, ALL, NONE))

    def __len__(self) -> int:
        return len(self.models) + 2

    def difference(self, candidate: str, baseline: str) -> BenefitDifference:
        """The paired difference of two models, or of a model and "default", the better of "all" and "none"."""
        if (candidate, baseline) in self.differences:
            return self.differences[candidate, baseline]
        if (baseline, candidate) in self.differences:
            d = self.differences[baseline, candidate]
            return BenefitDifference(candidate, baseline, -d.value, -d.high, -d.low, d.pvalue)
        known = [" - ".join(pair) for pair in self.differences]
        raise UnknownName("decisions.unknown_pair", first=candidate, second=baseline, known=known)

    def best(self, threshold: float) -> str:
        """Which of the models, "all" and "none" has the greatest net benefit at the nearest of the thresholds."""
        at = int(np.abs(self.thresholds - threshold).argmin())
        return self._best[at]

    @property
    def _best(self) -> list[str]:
        names = [NONE, ALL, *self.models]  # where two are equal, the simpler one
        values = np.stack([self[name].value for name in names])
        return [names[at] for at in (values >= values.max(0) - EQUAL).argmax(0).tolist()]

    def ranges(self, name: str) -> tuple[tuple[float, float], ...]:
        """The ranges of thresholds where a model, "all" or "none" has the greatest net benefit."""
        self[name]
        return runs(self.thresholds, np.array([best == name for best in self._best]))

    def clear_ranges(self, name: str) -> tuple[tuple[float, float], ...]:
        """The ranges of thresholds where a model is significantly better than both "all" and "none": the whole interval
        of the paired difference is above 0. Each threshold is tested separately."""
        return runs(self.thresholds, self.difference(name, DEFAULT).low > 0)


def runs(x: Array, mask: Array) -> tuple[tuple[float, float], ...]:
    """The first and the last place of each run of True.

    >>> runs(np.array([0.1, 0.2, 0.3, 0.4]), np.array([True, True, False, True]))
    ((0.1, 0.2), (0.4, 0.4))
    """
    edges = np.flatnonzero(np.diff(np.concatenate(([0], mask.astype(np.int8), [0]))))
    return tuple((float(x[a]), float(x[b - 1])) for a, b in zip(edges[::2], edges[1::2], strict=True))


def odds(threshold: Array) -> Array:
    """What a false positive costs, in true positives, where a threshold is right."""
    return np.asarray(threshold / (1 - threshold))


@named_arguments
def decision_curve(
    y_true: Any,
    models: Any,
    *,
    thresholds: Sequence[float] | None = None,
    positive: Label | None = None,
    labels: Any = None,
    weights: Any = None,
    groups: Any = None,
    level: float = 0.95,
    missing: Missing = "error",
) -> DecisionCurve:
    """The net benefit of models at every threshold: TP/n - FP/n * t/(1 - t), compared with treating all and treating
    none.

    - y_true, models: true labels, and probabilities of the positive class by model name; or the probabilities of one
      model.
    - thresholds: probabilities between 0 and 1; by default 0.01, 0.02, ..., 0.99.
    - positive, labels, weights, groups, level, missing: as in `evaluate`.

    >>> y, p = [0, 1, 1, 0, 1, 0] * 10, [0.2, 0.8, 0.6, 0.3, 0.4, 0.5] * 10
    >>> curve = decision_curve(y, p)
    >>> curve.best(0.25), curve.ranges("model")[0]
    ('model', (0.21, 0.8))
    """
    by_name = {str(name): p for name, p in models.items()} if isinstance(models, Mapping) else {"model": models}
    if not by_name:
        raise InputError("decisions.no_models")
    if taken := next((name for name in by_name if name in (ALL, NONE, DEFAULT)), None):
        raise InputError("decisions.name_taken", name=taken)
    at = _thresholds(thresholds)
    settings = Settings(positive=positive, labels=labels, level=level, missing=missing)
    # A threshold makes numbers of 0 and 1 scores; it is not used otherwise.
    asked = dict.fromkeys(by_name, replace(settings, threshold=0.5))
    batches, codes = read_models(asked, y_true, by_name, weights, groups)
    for name, batch in batches.items():
        _demand_probabilities(name, batch)
    first = next(iter(batches.values()))
    w = np.ones(len(first)) if first.weights is None else first.weights
    true = np.asarray(first.truth == first.positive)
    prevalence = float(w[true].sum() / w.sum())
    rows = _Rows(true, w, codes)
    flags: dict[str, Flags] = {name: partial(_at_least, np.asarray(b.score)) for name, b in batches.items()}
    curves = {name: _benefit(rows, flagged, at, settings.level) for name, flagged in flags.items()}

    def default(threshold: float) -> Array:
        return np.full(len(true), prevalence > threshold)

    pairs: list[tuple[tuple[str, str], Flags, Flags]]
    pairs = [((b, a), flags[b], flags[a]) for a, b in combinations(flags, 2)]
    pairs += [((name, DEFAULT), flagged, default) for name, flagged in flags.items()]
    differences = {both: _difference(both, rows, one, other, at, settings.level) for both, one, other in pairs}
    label = first.schema.positive
    assert label is not None
    return DecisionCurve(at, curves, differences, prevalence, len(first), settings.level, label, first.notes)


def _at_least(score: Array, threshold: float) -> Array:
    flagged: Array = score >= score.dtype.type(threshold)
    return flagged


def _thresholds(thresholds: Any) -> Array:
    at = np.array(THRESHOLDS) if thresholds is None else containers.numbers(thresholds, "thresholds").astype(np.float64)
    if at.ndim != 1 or not len(at) or not ((at > 0) & (at < 1)).all():
        raise InputError("decisions.thresholds", values=str(thresholds)[:60])
    return np.unique(at)


def _demand_probabilities(name: str, batch: Batch) -> None:
    if batch.score is None or not batch.facts.one_score:
        raise InputError("decisions.needs_two_classes", name=name, task=batch.task)
    refuse_missing(batch)
    low, high = float(batch.score.min()), float(batch.score.max())
    if low < 0 or high > 1:
        raise InputError("decisions.not_probabilities", low=low, high=high)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Which rows are positive, and how much each counts."""

    true: Array
    weights: Array
    groups: Array | None

    @property
    def effective(self) -> float:
        return float(self.weights.sum() ** 2 / (self.weights @ self.weights))

    def share(self, mask: Array) -> float:
        return float(self.weights[mask].sum() / self.weights.sum())

    def gain(self, flagged: Array, odds: float) -> Array:
        """What each row adds to the net benefit."""
        return np.where(flagged, np.where(self.true, 1.0, -odds), 0.0)


Flags = Callable[[float], Array]  # which rows are treated at a threshold


def _benefit(rows: _Rows, flagged: Flags, thresholds: Array, level: float) -> Benefit:
    at, cost = thresholds.tolist(), odds(thresholds)
    each = [flagged(t) for t in at]
    tp, fp = (np.array([rows.share(f & mask) for f in each]) for mask in (rows.true, ~rows.true))
    if rows.groups is None:
        return Benefit(tp - cost * fp, *net_benefit_band(tp, fp, cost, rows.effective, level))
    gains = (rows.gain(f, o) for f, o in zip(each, cost.tolist(), strict=True))
    ends = [band_of_groups(gain, rows.weights, rows.groups, level) for gain in gains]
    low, high = np.array(ends).T
    return Benefit(tp - cost * fp, low, high)


def _difference(
    names: tuple[str, str], rows: _Rows, mine: Flags, theirs: Flags, thresholds: Array, level: float
) -> BenefitDifference:
    """The rows that only one of both treats decide it, positives and negatives apart.

    Where no row is treated by one alone, others could be: only equal scores cannot differ.
    """
    cost, one = odds(thresholds), np.ones(len(thresholds))
    both = [(mine(t), theirs(t)) for t in thresholds.tolist()]
    masks = [(a & ~b, b & ~a) for a, b in both]
    cells = np.array([[rows.share(m & side) for m in pair for side in (rows.true, ~rows.true)] for pair in masks])
    factors = np.stack((one, -cost, -one, cost), -1)
    value = (factors * cells).sum(-1)
    if _equal(mine, theirs):
        return BenefitDifference(*names, value, value, value, one)
    if rows.groups is None:
        low, high = bounds(cells, factors, rows.effective, np.full(len(one), z(level)))
        p = pvalues(cells, factors, rows.effective)
    else:
        low, high, p = _of_groups(rows, both, cost, level)
    return BenefitDifference(*names, value, low, high, p)


def _equal(mine: Flags, theirs: Flags) -> bool:
    scores = [flags.args[0] for flags in (mine, theirs) if isinstance(flags, partial)]
    return len(scores) == 2 and np.array_equal(*scores)


def _of_groups(
    rows: _Rows, both: Sequence[tuple[Array, Array]], cost: Array, level: float
) -> tuple[Array, Array, Array]:
    found = []
    for (mine, theirs), o in zip(both, cost.tolist(), strict=True):
        c = paired_t(rows.gain(mine, o) - rows.gain(theirs, o), None, rows.weights, rows.groups)
        found.append((*c.interval(level), c.pvalue()))
    low, high, p = np.array(found, np.float64).T
    return low, high, p
