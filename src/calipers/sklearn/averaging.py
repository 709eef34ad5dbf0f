"""scikit-learn's averages over classes and its `zero_division`; the formulas are those of the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from calipers.data.containers import Array
from calipers.errors import InputError
from calipers.metrics.base import Measure
from calipers.metrics.values import number
from calipers.sklearn.inputs import InvalidParameter, labels_of, one_of, warn
from calipers.sklearn.targets import Targets
from calipers.statistics.classes import ClassScores
from calipers.statistics.confusion import OneVsRest
from calipers.statistics.scores import ScoreSamples

AVERAGES = ("micro", "macro", "samples", "weighted", None)
Formula = Callable[[OneVsRest], Any]


def picked(t: Targets, labels: Any, pos_label: Any, average: str | None) -> list[Any] | None:
    """The classes that are asked for; None means all."""
    one_of("average", average, ("binary", *AVERAGES))
    if average != "binary":
        if pos_label is not None and pos_label != 1:
            warn("sklearn.positive_of_binary_only", UserWarning, pos_label=pos_label, average=average)
        return None if labels is None else labels_of(labels)
    if not t.task.has_positive:
        raise InputError("sklearn.binary_of_others", kind=t.kind)
    if pos_label not in t.values and len(t.values) == 2:
        raise InputError("sklearn.positive_not_among", pos_label=pos_label, labels=list(t.values))
    return [pos_label]


def counts(t: Targets, labels: list[Any] | None, average: str | None = None) -> OneVsRest:
    """The four counts of each class (of all, or of those named), of all together, or of each row over its labels."""
    if average == "samples":
        if not t.task.label_sets:
            raise InputError("sklearn.average_over_rows")
        return _of_some_labels(t, labels).of_rows()
    c = t.of_classes()
    if labels is not None and labels != list(t.values):
        if t.task.label_sets:
            _in_range(t, labels)
        at = [t.values.index(value) if value in t.values else -1 for value in labels]
        if -1 in at:  # a class that no row has or was given: nothing but true negatives
            ends = (np.zeros(1), np.zeros(1), np.zeros(1), np.full(1, t.total))
            c = OneVsRest(*map(np.append, c.counts, ends))  # type: ignore[arg-type]
        if average == "binary":
            return c.at(at[0])
        c = c.mapped(lambda x: x[at])
    return c


def _in_range(t: Targets, labels: list[Any]) -> None:
    if max(labels, default=0) >= len(t.values) or min(labels, default=0) < 0:
        raise InputError("sklearn.not_column_numbers", labels=labels, last=len(t.values) - 1)


def _of_some_labels(t: Targets, labels: list[Any] | None) -> Targets:
    if labels is None:
        return t
    _in_range(t, labels)
    return replace(t, values=tuple(labels), truth=t.truth[:, labels], pred=t.pred[:, labels])


def instead_of_nan(zero_division: Any, nan: bool = True) -> float:
    """The value for a class with a denominator of 0."""
    if isinstance(zero_division, str) and zero_division == "warn":
        return 0.0
    if isinstance(zero_division, (int, float, np.number)) and not isinstance(zero_division, bool):
        value = float(zero_division)
        if value in (0.0, 1.0) or (nan and value != value):
            return value
    allowed = ["'warn'", "0.0", "1.0", *(["nan"] if nan else [])]
    raise InvalidParameter("sklearn.not_one_of", name="zero_division", value=zero_division, allowed=allowed)


def each(c: OneVsRest, instead: float, *formulas: tuple[Formula, str]) -> list[Any]:
    """Formulas of one class or of every class, each with the code of a warning where it is undefined, if any."""
    out = []
    with np.errstate(all="ignore"):
        for formula, code in formulas:
            values = number(formula(c))
            undefined = values != values
            if undefined.any():
                values = np.where(undefined, instead, values)
                if code:
                    warn(code)
            out.append(values)
    return out


def mean(values: Array, weights: Array | None) -> float:
    """The mean of what is defined; weights that are all 0 are left aside."""
    defined = ~np.isnan(values)
    if not defined.any():
        return float("nan")
    if not defined.all():
        values, weights = values[defined], None if weights is None else weights[defined]
    if weights is None or not weights.any():
        return float(values.mean())
    return float((values * weights).sum() / weights.sum())


def averaged(values: Any, c: OneVsRest, t: Targets, average: str | None) -> Any:
    """The values of the classes in one number, or as they are."""
    if average is None:
        return values
    if np.ndim(values) == 0:
        return float(values)
    weights = c.tp + c.fn if average == "weighted" else None
    if average == "samples" and t.weights is not None:
        weights = t.weights
        values = np.where(weights == 0, np.nan, values)  # a row of weight 0 is ignored
    return mean(values, weights)


def of_columns(measure: Callable[[ScoreSamples], float], s: ClassScores, average: str | None) -> Any:
    """A measure of scores over classes or labels: of each, of all pooled, averaged, or of each row."""
    if average == "micro":
        return measure(s.pooled)
    if average == "samples":
        truth = np.stack([s.is_true(k) for k in range(len(s.labels))], 1).view(np.uint8)
        values = np.array([measure(ScoreSamples.split(x, y, 1, None)) for x, y in zip(s.scores, truth, strict=True)])
        share = s.weights
    else:
        if average == "weighted" and not s.totals.any():
            return 0.0
        values = np.array([measure(column) for column in s.columns])
        share = s.totals if average == "weighted" else None
    if average is None:
        return values
    if share is None:
        return float(values.mean())
    return float(np.where(share == 0, 0.0, values) @ share / share.sum())  # a NaN of weight 0 is ignored


def formula_of(measure: Measure, **parameters: Any) -> Formula:
    """The catalogue's formula with its parameters put in."""
    return lambda c: measure.metric.function(c, **parameters)
