"""A measure of one class over columns of class scores: of one column, averaged over the columns, or of all pooled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.base import Measure
from calipers.metrics.brackets import of_sketch
from calipers.metrics.spread import Spread, of_influence, of_powers
from calipers.metrics.values import (
    ENOUGH_POSITIVES,
    Answer,
    Area,
    Calibration,
    CalibrationMean,
    PrecisionArea,
    Smooth,
    Without,
    number,
)
from calipers.remarks import Remark
from calipers.statistics.class_sketches import AVERAGES, ClassSketches
from calipers.statistics.classes import ClassScores, class_shares

Array = npt.NDArray[Any]
DEPENDENT = Remark("metrics.dependent_scores")
ROWS_NEEDED = Remark("metrics.rows_not_kept")


def of_columns(measure: Measure, scores: ClassScores, index: int | None) -> Answer:
    """The value of the class at `index`, or the average over classes that the measure asks for."""
    if index is not None:
        return Answer(measure.formula(scores.columns[index]))
    influence = measure.metric.influence
    if measure.average != "micro":
        parts = [measure.formula(c) for c in scores.columns]

        def spread(value: float, shares: Array) -> Smooth:
            assert influence is not None
            return _by_rows(value, scores, parts, shares, partial(scores.influence, influence, shares))

        return _averaged(measure, parts, scores, spread, Without(np.nan, DEPENDENT))
    raw = measure.formula(scores.pooled)
    if influence is None:
        return Answer(Without(number(raw), DEPENDENT))

    def by_row() -> Array:
        truth = np.stack([scores.is_true(k) for k in range(len(scores.labels))], 1)
        each = influence(scores.pooled, scores.scores.ravel(), truth.ravel())
        return np.asarray(each.reshape(truth.shape).mean(1))

    return Answer(_by_rows(float(number(raw)), scores, [raw], np.ones(1), by_row))


def of_sketches(measure: Measure, scores: ClassSketches, index: int | None) -> Answer:
    """The same of columns that are known by their cells; the interval of an average needs the rows, or an exact walk
    over all columns."""
    if index is not None:
        return of_sketch(measure, scores.sketches[index])
    sketches = (scores.pooled_sketch,) if measure.average == "micro" else scores.sketches
    each = [of_sketch(measure, sketch) for sketch in sketches]
    walked = measure.average in AVERAGES and (measure.average != "micro" or scores.walked_pool is not None)
    if walked and scores.influences is not None and all(answer.ends is None for answer in each):
        parts = [answer.value for answer in each]
        without = Without(np.nan, ROWS_NEEDED, resampled=False)
        return _averaged(measure, parts, scores, partial(_by_sums, measure, scores, parts), without)
    points = np.array([number(answer.value) for answer in each], np.float64)
    defined = ~np.isnan(points)
    if not defined.any():
        return Answer(Without(np.nan, measure.metric.undefined))
    totals = scores.totals if measure.average == "weighted" else np.ones(len(each))
    shares = class_shares(measure.average, defined, totals)[defined]
    known = [answer.ends or (answer.value, answer.value) for answer in each]
    low, high = (_mean(np.array([number(ends[at]) for ends in known])[defined], shares) for at in (0, 1))
    value = Without(_mean(points[defined], shares), ROWS_NEEDED, resampled=False)
    flags = () if defined.all() else (_left_out(measure, defined),)
    ends = None if low == high else (value._replace(value=low), value._replace(value=high))
    return Answer(value, "", flags, ends=ends)


def _averaged(
    measure: Measure,
    parts: list[Any],
    scores: ClassScores | ClassSketches,
    spread: Callable[[float, Array], Smooth],
    without: Without,
) -> Answer:
    """The average over classes of the values of a measure: as `spread` makes it of the value and the shares of classes
    where influences are known, else `without` an interval."""
    each = np.array([number(part) for part in parts], np.float64)
    defined = ~np.isnan(each)
    if not defined.any():
        return Answer(Without(np.nan, measure.metric.undefined))
    shares = class_shares(measure.average, defined, scores.totals)
    flags: tuple[str, ...] = () if defined.all() else (_left_out(measure, defined),)
    value = _mean(each[defined], shares[defined])
    if measure.metric.influence is None:
        used = [(part, float(share)) for part, share in zip(parts, shares, strict=True) if share > 0]
        if all(isinstance(part, Calibration) for part, _ in used):
            return Answer(CalibrationMean([part for part, _ in used], [share for _, share in used]), "", flags)
        return Answer(without._replace(value=value), "", flags)
    fewest = min((p.positives for p in parts if isinstance(p, PrecisionArea)), default=np.inf)
    if fewest < ENOUGH_POSITIVES:
        flags += (Remark("metrics.rarest_class_positives", count=fewest),)
    return Answer(spread(value, shares), "", flags)


def _mean(each: Array, shares: Array) -> float:
    """The mean by shares that add up to 1, but for rounding: it lies between the least and the greatest value."""
    return float(np.clip(shares @ each, each.min(), each.max()))


def _left_out(measure: Measure, defined: Array) -> Remark:
    count = int((~defined).sum())
    return Remark("metrics.classes_left_out", count=count, total=len(defined), why=measure.metric.undefined)


def _by_rows(
    value: float, scores: ClassScores, parts: list[Any], shares: Array, influence: Callable[[], Array]
) -> Smooth:
    """A value with the influence of each row."""
    weights = np.ones(scores.rows) if scores.weights is None else scores.weights

    def per_row() -> Array:
        return np.asarray(weights * influence() / weights.sum())

    def trials() -> float:
        base, change = _taken(scores, shares)
        several = scores.truth.ndim == 2
        more = scores.truth @ change if several else change[scores.truth.astype(np.intp)]
        return 2 / float(((weights * (base + more)) ** 2).sum())

    made = _smooth(value, of_influence(value, per_row), scores, parts, trials)
    return made._replace(influence=per_row)


def _by_sums(measure: Measure, scores: ClassSketches, parts: list[Any], value: float, shares: Array) -> Smooth:
    """A value with the sums of what rows add to it, which an exact walk found."""
    assert scores.influences is not None
    assert measure.average is not None
    square, fourth = scores.influences[measure.metric.walked][AVERAGES.index(measure.average)].tolist()

    def trials() -> float:
        base, change = _taken(scores, shares)
        return 2 / float(scores.squares @ (base + change) ** 2)

    known = of_powers(value, square, fourth, scores.rows)
    return _smooth(value, lambda added: known, scores, parts, trials)


def _smooth(
    value: float,
    spread: Callable[[float], Spread],
    scores: ClassScores | ClassSketches,
    parts: list[Any],
    trials: Callable[[], float],
) -> Smooth:
    """A value that varies with the rows.

    Areas are decided by the misranked rows of the smaller class, other parts by the rows of the rarest class.
    """
    weight, squares = scores.weight_sums
    effective = weight**2 / squares
    wrong = [min(p.positives, p.negatives) * min(p.auc, 1 - p.auc) for p in parts if isinstance(p, Area)]
    rows = float(scores.totals.min() * effective / weight)
    rarest = min([w for w in wrong if w > 0], default=rows)  # without a misranked row, the rows that could have been
    method = Remark("metrics.influence_of_rows")
    return Smooth(value, spread, 0, rarest, float(effective), method, trials=trials if wrong else None)


def _taken(scores: ClassScores | ClassSketches, shares: Array) -> tuple[float, Array]:
    """What a row can take from a mean of areas, as of no class, and how much more as of each class.

    d = Σₖ shareₖ/Pₖ in the columns whose class a row has and Σₖ shareₖ/Nₖ in the others; d adds up to 2 over the rows,
    so that 2/Σd² is as how many rows, each placed right or wrong, the mean can vary. One share: the columns are pooled.
    """
    own, total = scores.totals, scores.weight_sums[0]
    if len(shares) == 1:
        own, total = np.full(len(own), own.sum()), total * len(own)
        shares = np.ones(len(own))
    with np.errstate(divide="ignore", invalid="ignore"):
        as_true, as_other = (np.where(shares > 0, shares / rows, 0.0) for rows in (own, total - own))
    return float(as_other.sum()), as_true - as_other
