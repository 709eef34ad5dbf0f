"""Metrics at the best threshold that meets a condition, `recall at precision >= 0.5`, and among the top rows.

    name = metric "at" metric op number | ("precision" | "recall" | "gain" | "lift") "at top" number "%"
    op   = ">=" | ">" | "<=" | "<"
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.errors import InputError
from calipers.metrics.names import AT, number_text
from calipers.metrics.values import Selected, Without, number
from calipers.remarks import Remark
from calipers.statistics.confusion import OneVsRest
from calipers.statistics.scores import ScoreSamples

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.metrics.lookup import Catalogue

Array = npt.NDArray[Any]
OPS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt,
}  # fmt: skip
TOP = re.compile(r"top\s*(\d+\.?\d*|\.\d+)\s*%")
_LIMIT = re.compile(r"(.+?)\s*(>=|<=|>|<)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
# The metrics of the rows with the highest scores.
OF_TOP = {"precision": "top_precision", "recall": "top_recall", "gain": "top_recall", "lift": "top_lift"}


@dataclass(frozen=True)
class Bar:
    """The limit of a metric.

    >>> str(Bar("precision", ">=", 0.5)), Bar("log_loss", "<", 0.7).met(0.69)
    ('precision >= 0.5', True)
    """

    metric: str
    op: str
    number: float

    @property
    def upwards(self) -> bool:
        """Whether the condition is a lower limit."""
        return self.op in (">=", ">")

    def met(self, value: float) -> bool:
        """Whether a value is on the right side; NaN never is."""
        return bool(OPS[self.op](value, self.number))

    def __str__(self) -> str:
        return f"{self.metric} {self.op} {number_text(self.number)}"


class Thresholds:
    """What a metric with a condition is over: all thresholds of one score."""


@dataclass(frozen=True)
class BestValue:
    """The best value of a measure among the thresholds that meet a condition: the formula of such a metric.

    sign: 1 where the greatest value is best, -1 where the least is.
    """

    measure: Measure
    condition: Bar
    other: Measure
    sign: int

    def criterion(self, c: OneVsRest) -> Array:
        """What is to be as great as possible at each threshold; -inf where the condition is not met."""
        value, limit = (np.asarray(number(each.formula(c)), np.float64) for each in (self.measure, self.other))
        met = OPS[self.condition.op](limit, self.condition.number) & ~np.isnan(value)
        return np.where(met, self.sign * value, -np.inf)

    def best(self, c: OneVsRest) -> float:
        """The best value of these counts; the worst one there is where no threshold meets the condition."""
        best = float(self.criterion(c).max())
        return self.sign * best if best > -np.inf else self.measure.metric.bounds[0 if self.sign > 0 else 1]

    def __call__(self, s: ScoreSamples) -> Selected | Without:
        """The value at the best threshold of these scores; of equally good ones, the highest."""
        if not len(s.pos) or not len(s.neg):
            return Without(np.nan, Remark("metrics.one_class"))
        thresholds, tp, fp = s.sweep(False)
        with np.errstate(all="ignore"):
            values = self.criterion(OneVsRest(tp, fp, tp[-1] - tp, fp[-1] - fp))
        at = int(values.argmax())
        if values[at] == -np.inf:
            return Without(np.nan, Remark("metrics.no_threshold_meets", condition=str(self.condition)))
        return Selected(self.sign * float(values[at]), float(thresholds[at]))


def conditioned(catalogue: Catalogue, measure: Measure, condition: Bar, sign: int | None = None) -> Measure:
    """The measure at the best threshold that meets a condition; sign: which end is best, where not the metric's own."""
    from calipers.metrics.base import Measure, Metric

    other = catalogue[condition.metric]
    for each in (measure, other):
        if not each.metric.view.of_counts or each.average is not None:
            raise InputError("metrics.no_best_threshold", metric=str(each))
    metric = measure.metric
    if sign is None and not metric.better:
        raise InputError("metrics.no_best_value", metric=str(measure))
    sign = sign or (1 if metric.better == "higher" else -1)
    best = Metric(
        f"{measure.name} at {condition}",
        BestValue(measure, condition, other, sign),
        Thresholds,
        metric.better,
        metric.bounds,
        metric.formula,
        Remark("metrics.no_threshold_meets", condition=str(condition)),
        title=metric.title,
        percent=metric.percent,
    )
    return Measure(best, {}, None)


def best_of(measure: Measure) -> BestValue | None:
    """The rule behind a measure with a condition; None for others."""
    rule = measure.metric.function
    return rule if isinstance(rule, BestValue) else None


def parsed(catalogue: Catalogue, text: str) -> Measure:
    """The measure of a name with "at" in it."""
    name, condition = (part.strip() for part in AT.split(text.strip(), 1))
    if top := TOP.fullmatch(condition):
        if name not in OF_TOP:
            raise InputError("metrics.not_among_top", name=name, known=list(OF_TOP))
        return catalogue[OF_TOP[name]].metric.with_parameters({"fraction": float(Decimal(top[1]) / 100)}, text)
    return conditioned(catalogue, catalogue[name], condition_of(catalogue, condition))


def condition_of(catalogue: Catalogue, text: str) -> Bar:
    """The condition that a text states: `precision >= 0.5`.

    >>> from calipers.metrics.base import CATALOGUE
    >>> condition_of(CATALOGUE, "sensitivity>=.9")
    Bar(metric='recall', op='>=', number=0.9)
    """
    limit = _LIMIT.fullmatch(text.strip()) if isinstance(text, str) else None
    if limit is None:
        raise InputError("metrics.not_a_condition", condition=text)
    measure, value = catalogue[limit[1].strip()], float(limit[3])
    low, high = measure.metric.bounds
    if not low <= value <= high:
        raise InputError("metrics.condition_out_of_range", condition=text, metric=measure.name, low=low, high=high)
    return Bar(measure.name, limit[2], value)
