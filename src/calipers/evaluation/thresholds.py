"""The threshold that is best for something, chosen over every distinct score."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.cached import lazy
from calipers.errors import InputError
from calipers.evaluation import curves
from calipers.evaluation.crossfit import Costs, Scored, per_row
from calipers.inference.estimate import Estimate
from calipers.inference.method import no_interval
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.brackets import of_largest_gap
from calipers.metrics.conditions import best_of, condition_of, conditioned
from calipers.metrics.names import AT
from calipers.metrics.values import number
from calipers.remarks import Remark
from calipers.statistics.confusion import OneVsRest
from calipers.statistics.scores import ScoreSamples

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.settings import Label

CORNER = Remark("evaluation.corner_distance")


class BestThreshold(float):
    """A threshold as a float, with the value of the metric and the counts at it.

    `value` is optimistic, because the threshold was chosen on the same rows. `cross_fitted` is the value on rows that
    were not used for the choice, with its interval; `condition` is the same for the metric of the condition. `bracket`
    is a pair of bounds that contain the exact best value. They are equal, unless the rows of a stream were summarised,
    and NaN if they cannot be computed.
    """

    value: float
    bracket: tuple[float, float]
    counts: OneVsRest
    rule: str
    _reached: Callable[[], tuple[Estimate, Estimate | None]]

    @lazy
    def _estimates(self) -> tuple[Estimate, Estimate | None]:
        return self._reached()

    @property
    def cross_fitted(self) -> Estimate:
        """The value of the same rule on rows that were not used for the choice: each tenth of the rows is evaluated at
        the threshold that the rule chooses on the other rows."""
        return self._estimates[0]

    @property
    def condition(self) -> Estimate | None:
        """The metric of the condition on rows that were not used for the choice; None without a condition."""
        return self._estimates[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return _best, (float(self), self.value, self.counts, self.rule, self.bracket)

    def __repr__(self) -> str:
        return f"{float(self):.6g} ({self.rule} = {self.value:.3f})"


def choose(
    ev: Evaluation, rule: Any, at: str | None, cost: Mapping[str, Any] | None, label: Label | None
) -> BestThreshold:
    """The best threshold of an evaluation, which can say what it reaches on other rows."""
    if cost is not None and at is not None:
        raise InputError("evaluation.cost_and_condition")
    if at is not None:
        if not isinstance(rule, (str, Measure)):
            raise InputError("evaluation.condition_of_metric", rule=rule)
        rule = conditioned(CATALOGUE, CATALOGUE[str(rule)], condition_of(CATALOGUE, at))
    elif isinstance(rule, str) and AT.search(rule):
        rule = CATALOGUE[rule]
    if cost is None or not per_row(cost):
        best = best_threshold(ev._samples(label), rule, cost)
        best.bracket = _bracket(ev, label, rule, cost, best.value)
    else:
        best = _of_row_costs(ev, rule, cost, label)
    best._reached = partial(_reached, ev, rule, cost, label)
    return best


def _bracket(
    ev: Evaluation, label: Label | None, rule: Any, cost: Mapping[str, Any] | None, value: float
) -> tuple[float, float]:
    """Two numbers that contain the best value where scores are known by cells: it is monotone in TP and FP."""
    scores = ev.views.class_sketches
    one = label is None or scores is None
    sketch = ev.views.sketch if one else scores.sketches[scores.labels.index(label)]  # type: ignore[union-attr]
    walked = sketch is not None and sketch.walked is not None and cost is None and rule in WALKED
    if sketch is None or sketch.exact or walked:
        return value, value
    if callable(rule) and not isinstance(rule, Measure):
        return float("nan"), float("nan")
    if rule == "ks":
        low, high = of_largest_gap(CATALOGUE["ks"], sketch)
        return float(low.value), float(high.value)
    try:
        worst, best = (best_threshold(samples, rule, cost).value for samples in (sketch.worst, sketch.best))
    except NoThreshold:  # whether a threshold meets the condition depends on the scores in the cells
        return float("nan"), float("nan")
    return min(worst, best), max(worst, best)


def _of_row_costs(ev: Evaluation, rule: Any, cost: Mapping[str, Any], label: Label | None) -> BestThreshold:
    if rule is not None:
        raise InputError("evaluation.rule_or_cost")
    curves.known_prices(cost)
    rows = Scored.of(ev, label, rows=True)
    costs, every = Costs.of(cost, ev, rows), np.ones(len(rows.score), bool)
    threshold = costs.cheapest(rows, every)
    each = costs.of_rows(rows.score >= rows.score.dtype.type(threshold))
    value = float(np.average(each, weights=rows.weights))
    return _best(threshold, value, rows.samples(every).at(threshold), "mean cost")


def _reached(
    ev: Evaluation, rule: Any, cost: Mapping[str, Any] | None, label: Label | None
) -> tuple[Estimate, Estimate | None]:
    """What the rule reaches on rows that it was not chosen on, and what the metric of its condition does."""
    rows = Scored.of(ev, label, rows=cost is not None and per_row(cost))
    if cost is not None:
        costs = Costs.of(cost, ev, rows)
        flagged = rows.predicted(partial(costs.cheapest, rows), ev.settings.seed)
        return costs.mean(rows, flagged, ev.settings), None

    def choose_on(others: Any) -> float:
        try:
            return float(best_threshold(rows.samples(others), rule, None))
        except NoThreshold:  # no row is flagged where no threshold meets the condition
            return float("inf")

    flagged = rows.predicted(choose_on, ev.settings.seed)
    best = best_of(rule) if isinstance(rule, Measure) else None
    if best is not None:
        return tuple(rows.estimate(each, flagged, ev.settings) for each in (best.measure, best.other))  # type: ignore[return-value]
    if isinstance(rule, (str, Measure)) and rule != "corner":
        name = {"youden": "youden_j", "ks": "youden_j"}.get(str(rule), str(rule))
        if not (measure := CATALOGUE[name]).metric.view.of_counts:
            raise InputError("evaluation.not_cross_fitted", rule=str(rule))
        return rows.estimate(measure, flagged, ev.settings), None
    with np.errstate(all="ignore"):
        value = rows.value(lambda c: _criterion(rule, None, c)[0], flagged)
    missing = no_interval(Remark("evaluation.no_interval_of_function"))
    return Estimate(value, n=len(rows.score), level=ev.level, interval=lambda: missing), None


class NoThreshold(InputError):
    """No threshold meets the condition of a rule."""


def best_threshold(samples: ScoreSamples, rule: Any, cost: Mapping[str, float] | None) -> BestThreshold:
    """The best threshold of these scores; among equally good ones the highest."""
    if not len(samples.pos) or not len(samples.neg):
        raise InputError("evaluation.best_without_class")
    if cost is None and rule in WALKED:
        return _walked(samples, rule)
    c = curves.counts(samples)
    with np.errstate(all="ignore"):
        values, sign, name = _criterion(rule, cost, c)
    if np.isnan(values).all():
        raise InputError("evaluation.undefined_everywhere", rule=name)
    if isinstance(rule, Measure) and np.isinf(values).all():
        raise NoThreshold("evaluation.no_threshold_meets", rule=name)
    best = int(np.nanargmax(sign * values))
    return _best(samples.sweep(False)[0][best], values[best], OneVsRest(*(x[best] for x in c.counts)), name)


# Rules whose threshold the pass over the sorted scores has found already, with the metric at this threshold.
WALKED = {
    "f1": ("f1_threshold", "f1"),
    "youden": ("youden_threshold", "youden_j"),
    "youden_j": ("youden_threshold", "youden_j"),
    "corner": ("corner_threshold", CORNER),
    "ks": ("ks_threshold", "ks"),
    "eer": ("eer_threshold", "eer"),
    "break_even": ("break_even_threshold", "break_even"),
}


def _walked(samples: ScoreSamples, rule: str) -> BestThreshold:
    where, name = WALKED[rule]
    threshold = getattr(samples.walk, where)
    c = samples.at(threshold)
    with np.errstate(all="ignore"):
        value = getattr(samples.walk, name) if name in ("ks", "eer", "break_even") else _criterion(rule, None, c)[0]
    return _best(threshold, value, c, name)


def _best(
    threshold: float, value: float, counts: OneVsRest, rule: str, bracket: tuple[float, float] | None = None
) -> BestThreshold:
    best = BestThreshold(threshold)
    best.value, best.counts, best.rule = float(value), counts, rule
    best.bracket = bracket or (best.value, best.value)
    return best


def _criterion(rule: Any, cost: Mapping[str, float] | None, c: OneVsRest) -> tuple[Any, int, str]:
    """The value at each threshold, 1 where the greatest is best and -1 where the least is, and the rule's name."""
    if (rule is None) == (cost is None):
        raise InputError("evaluation.rule_or_cost")
    if cost is not None:
        return curves.mean_cost(c, cost), -1, "mean cost"
    if callable(rule) and not isinstance(rule, Measure):
        try:
            values = np.asarray(rule(c), np.float64)
        except (TypeError, ValueError):  # a function of plain numbers: one threshold after the other
            values = np.array([rule(OneVsRest(*x)) for x in zip(*c.counts, strict=True)], np.float64)
        if values.shape != c.tp.shape:
            raise InputError("evaluation.values_of_other_shape", shape=values.shape)
        return values, 1, getattr(rule, "__name__", "value")
    if rule == "corner":
        return np.hypot(c.fn / (c.tp + c.fn), c.fp / (c.fp + c.tn)), -1, CORNER
    if not isinstance(rule, (str, Measure)):
        raise InputError("evaluation.not_a_rule", rule=rule)
    if isinstance(rule, Measure) and (best := best_of(rule)) is not None:
        return best.sign * best.criterion(c), best.sign, str(rule)
    measure = rule if isinstance(rule, Measure) else CATALOGUE["youden_j" if rule == "youden" else rule]
    if not measure.metric.view.of_counts or not measure.metric.better:
        raise InputError("evaluation.no_best_threshold", metric=str(measure))
    return number(measure.formula(c)), 1 if measure.metric.better == "higher" else -1, measure.name


def f1_gain(samples: ScoreSamples, used: float, other: float) -> tuple[float, float, float]:
    """F1 at a threshold in use, what another one would add, and the standard error of that, by the delta method.

    Both are cut from the same rows: what differs are the rows between the two thresholds.
    """
    low, high = samples.at(min(used, other)), samples.at(max(used, other))
    counts, spreads = ([c.counts for c in (high, low)], [c.squares or c.counts for c in (high, low)])

    def parts(four: Any) -> Any:  # TP of both, TP of the lower one only, FP likewise, and FN of both
        (tp, fp, _, _), (more_tp, more_fp, fn, _) = four
        return np.array([tp, more_tp - tp, fp, more_fp - fp, fn], np.float64)

    def f1s(x: Any) -> Any:
        both, between, false, more, missed = x
        at_high = 2 * both / (2 * both + false + between + missed)
        at_low = 2 * (both + between) / (2 * (both + between) + false + more + missed)
        return (at_high, at_low) if used >= other else (at_low, at_high)

    cells, step = parts(counts), 1e-30  # the complex step, as in metrics/gradient.py
    with np.errstate(all="ignore"):
        now, then = f1s(cells)
        stepped = [f1s(cells + 1j * step * unit) for unit in np.eye(len(cells))]
    slopes = np.array([(b - a).imag for a, b in stepped]) / step
    return float(now), float(then - now), float(np.sqrt(slopes**2 @ parts(spreads)))


HALVES, PAIRS = 5, 100_000  # number of halvings; with more rows than PAIRS, one halving is enough


def held_out(samples: ScoreSamples, rule: str) -> float:
    """What a threshold chosen by a rule reaches on rows it was not chosen from: the mean over random halves.

    The samples are halved at random within each class and stay sorted; the seed is fixed, so that a report is the same
    twice.
    """
    random = np.random.default_rng(0)
    reached = []
    for _ in range(HALVES if samples.rows <= PAIRS else 1):
        halves = samples.halved(random)
        for mine, theirs in (halves, halves[::-1]):
            if len(mine.pos) and len(mine.neg) and len(theirs.pos):
                threshold = best_threshold(mine, rule, None)
                with np.errstate(all="ignore"):
                    reached.append(float(_criterion(rule, None, theirs.at(float(threshold)))[0]))
    return float(np.nanmean(reached)) if reached else float("nan")
