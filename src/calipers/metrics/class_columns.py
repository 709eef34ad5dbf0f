"""A measure of one class over columns of class scores: of one column, averaged over the columns, or of all pooled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.base import Measure
from calipers.metrics.brackets import of_sketch
from calipers.metrics.spread import of_influence
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
from calipers.statistics.class_sketches import ClassSketches
from calipers.statistics.classes import ClassScores

Array = npt.NDArray[Any]
DEPENDENT = Remark("metrics.dependent_scores")
ROWS_NEEDED = Remark("metrics.rows_not_kept")


def of_columns(measure: Measure, scores: ClassScores, index: int | None) -> Answer:
    """The value of the class at `index`, or the average over classes that the measure asks for."""
    if index is not None:
        return Answer(measure.formula(scores.columns[index]))
    influence = measure.metric.influence
    if measure.average == "micro":
        raw = measure.formula(scores.pooled)
        if influence is None:
            return Answer(Without(number(raw), DEPENDENT))

        def by_row() -> Array:
            truth = np.stack([scores.is_true(k) for k in range(len(scores.labels))], 1)
            each = influence(scores.pooled, scores.scores.ravel(), truth.ravel())
            return np.asarray(each.reshape(truth.shape).mean(1))

        return Answer(_by_rows(float(number(raw)), by_row, scores, [raw], np.ones(1)))
    parts = [measure.formula(c) for c in scores.columns]
    each = np.array([number(part) for part in parts], np.float64)
    defined = ~np.isnan(each)
    shares = defined * (scores.totals if measure.average == "weighted" else 1.0)
    if not defined.any():
        return Answer(Without(np.nan, measure.metric.undefined))
    shares = shares / shares.sum()
    flags: tuple[str, ...] = ()
    if not defined.all():
        flags += (_left_out(measure, defined),)
    value = float(shares[defined] @ each[defined])
    if influence is None:
        kept = [(part, share) for part, share in zip(parts, shares, strict=True) if share > 0]
        if all(isinstance(part, Calibration) for part, _ in kept):
            return Answer(CalibrationMean([part for part, _ in kept], [float(share) for _, share in kept]), "", flags)
        return Answer(Without(value, DEPENDENT), "", flags)
    fewest = min((p.positives for p in parts if isinstance(p, PrecisionArea)), default=np.inf)
    if fewest < ENOUGH_POSITIVES:
        flags += (Remark("metrics.rarest_class_positives", count=fewest),)
    return Answer(_by_rows(value, lambda: scores.influence(influence, shares), scores, parts, shares), "", flags)


def of_sketches(measure: Measure, scores: ClassSketches, index: int | None) -> Answer:
    """The same of columns that are known by their cells; the interval of an average would need the rows."""
    if index is not None:
        return of_sketch(measure, scores.sketches[index])
    sketches = (scores.pooled_sketch,) if measure.average == "micro" else scores.sketches
    each = [of_sketch(measure, sketch) for sketch in sketches]
    points = np.array([number(answer.value) for answer in each], np.float64)
    defined = ~np.isnan(points)
    if not defined.any():
        return Answer(Without(np.nan, measure.metric.undefined))
    shares = (scores.totals if measure.average == "weighted" else np.ones(len(each)))[defined]
    shares = shares / shares.sum()
    known = [answer.ends or (answer.value, answer.value) for answer in each]
    low, high = (float(shares @ np.array([number(ends[at]) for ends in known])[defined]) for at in (0, 1))
    value = Without(float(shares @ points[defined]), ROWS_NEEDED, resampled=False)
    flags = () if defined.all() else (_left_out(measure, defined),)
    ends = None if low == high else (value._replace(value=low), value._replace(value=high))
    return Answer(value, "", flags, ends=ends)


def _left_out(measure: Measure, defined: Array) -> Remark:
    count = int((~defined).sum())
    return Remark("metrics.classes_left_out", count=count, total=len(defined), why=measure.metric.undefined)


def _by_rows(
    value: float, influence: Callable[[], Array], scores: ClassScores, parts: list[Any], shares: Array
) -> Smooth:
    """A value with the influence of each row.

    Areas are decided by the misranked rows of the smaller class, other parts by the rows of the rarest class.
    """
    weights = np.ones(scores.rows) if scores.weights is None else scores.weights

    def per_row() -> Array:
        return np.asarray(weights * influence() / weights.sum())

    effective = weights.sum() ** 2 / (weights @ weights)
    wrong = [min(p.positives, p.negatives) * min(p.auc, 1 - p.auc) for p in parts if isinstance(p, Area)]
    rows = float(scores.totals.min() * effective / weights.sum())
    rarest = min([w for w in wrong if w > 0], default=rows)  # if no row is misranked, all rows that could be
    spread, trials = of_influence(value, per_row), (lambda: _trials(scores, weights, shares)) if wrong else None
    method = Remark("metrics.influence_of_rows")
    return Smooth(value, spread, 0, rarest, float(effective), method, influence=per_row, trials=trials)


def _trials(scores: ClassScores, weights: Array, shares: Array) -> float:
    """How many rows, each placed right or wrong, would vary as much as this mean of areas can.

    d = Σₖ shareₖ/Pₖ in the columns whose class a row has and Σₖ shareₖ/Nₖ in the others is what it can take from the
    mean; d adds up to 2 over the rows. One share: the columns are pooled.
    """
    own, total = scores.totals, float(weights.sum())
    if len(shares) == 1:
        own, total = np.full(len(own), own.sum()), total * len(own)
        shares = np.ones(len(own))
    with np.errstate(divide="ignore", invalid="ignore"):
        as_true, as_other = (np.where(shares > 0, shares / rows, 0.0) for rows in (own, total - own))
        several, change = scores.truth.ndim == 2, as_true - as_other
        more = scores.truth @ change if several else change[scores.truth.astype(np.intp)]
        return 2 / float(((weights * (as_other.sum() + more)) ** 2).sum())
