"""From a measure of predicted numbers to its value: of one number a row, or averaged over several.

Several numbers of a row depend on each other, so the interval of an average adds up what each row does to all of them.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.metrics import joint
from calipers.metrics.base import Measure
from calipers.metrics.joint import FEW, Joint, Sizes
from calipers.metrics.skill import both_losses, influence_on_skill
from calipers.metrics.values import Answer, Linearised, Mean, Without, few_decide, number
from calipers.metrics.views import Unavailable, Views
from calipers.remarks import Remark
from calipers.statistics.errors import Errors
from calipers.statistics.moments import JointMoments
from calipers.statistics.rows import Rows

Array = npt.NDArray[Any]
OUT_OF_RANGE = Remark("metrics.too_large")
SEVERAL = Remark("metrics.dependent_numbers")


def of_numbers(measure: Measure, views: Views, index: int | None) -> Answer:
    """The value of one output, or the average over all: uniform, or by the variance of their truth."""
    outputs = len(views.labels)
    if index is not None or outputs < 2:
        return _of_one(measure, views, index or 0)
    each = [_of_one(measure, views, k) for k in range(outputs)]
    points = np.array([float(number(a.value)) for a in each])
    shares = np.ones(outputs)
    if measure.average == "variance":
        shares = np.array([views.errors(k).joint.central(2, 0) for k in range(outputs)])
    defined = ~np.isnan(points)
    flags = tuple(dict.fromkeys(flag for a in each for flag in a.flags))
    if not defined.any() or not shares[defined].sum() > 0:
        return Answer(Without(np.nan, measure.metric.undefined), each[0].reason)
    if not defined.all():
        count = int((~defined).sum())
        flags += (Remark("metrics.outputs_left_out", count=count, total=outputs, why=measure.metric.undefined),)
    weight = shares[defined].sum()
    shares = shares * defined / weight
    value, rows = float(shares[defined] @ points[defined]), views.kept_rows()
    if rows is None or influence(measure, rows.output(int(defined.argmax()))) is None:
        first = each[0].value
        alone = first if isinstance(first, Without) else Without(value, SEVERAL)
        return Answer(alone._replace(value=value), "", flags)

    def per_row() -> Array:
        total = np.zeros(rows.n)
        for k in np.flatnonzero(shares).tolist():
            one = rows.output(k)
            total += shares[k] * np.asarray(influence(measure, one))
            if measure.average == "variance":  # the shares vary with the rows too
                w = np.ones(rows.n) if rows.weights is None else rows.weights
                from_mean = one.truth - np.average(one.truth, weights=rows.weights)
                total += (points[k] - value) / weight * w * (from_mean**2 - shares[k] * weight) / w.sum()
        return total

    def variance() -> float:
        each = per_row()
        return float(each @ each) * rows.effective / (rows.effective - 1) if rows.effective > 1 else np.nan

    return Answer(Linearised(value, variance, rows.effective), "", flags)


def _of_one(measure: Measure, views: Views, output: int) -> Answer:
    metric = measure.metric
    if metric.over is Rows:
        rows = views.kept_rows(output)
        if rows is None:
            raise _not_asked_for(measure)
        return _answer(measure.formula(rows))
    errors = views.errors(output)
    if metric.over is Errors:
        answer = _answer(measure.formula(_with_loss(measure, errors, views.kept_rows(output))))
        if not isinstance(answer.value, Mean):
            return answer
        mean, m = answer.value, answer.value.moments
        left = errors.n - m.n
        gone = (Remark("metrics.zero_left_out", count=left),) if left else ()
        if mean.default == "hall" and mean.most == np.inf:
            mean = mean._replace(default="long-tailed")
        return answer._replace(value=mean, flags=gone + few_decide(m.deciding, m.effective))
    sums = errors.sizes if metric.over is Sizes else errors.joint
    value = float(np.real(measure.formula(joint.view(sums, metric.over))))
    rows = views.kept_rows(output)
    few = None
    if rows is not None and 2 < rows.n <= FEW:
        few = partial(joint.left_out, measure.formula, sums, *_columns(metric.over, rows), rows.weights, metric.over)
    spread = partial(joint.variance, measure.formula, sums, metric.over)
    too_large = value != value and errors.n > 0 and not np.isfinite(errors.joint.sums).all()
    return Answer(Linearised(value, spread, sums.effective, few), OUT_OF_RANGE if too_large else "")


def _answer(raw: Any) -> Answer:
    undefined = isinstance(raw, Without) and raw.value != raw.value
    return Answer(raw, raw.why if undefined else "")


def _with_loss(measure: Measure, errors: Errors, rows: Rows | None) -> Errors:
    """The errors with the loss that the measure is about, made from the rows where the pass did not make it."""
    if measure.loss is None or measure.loss.key in errors.losses or not errors.n:
        return errors
    if rows is None:
        raise _not_asked_for(measure)
    return Errors.of_columns(rows.truth, rows.predictions, rows.weights, [measure.loss])


def _not_asked_for(measure: Measure) -> Unavailable:
    return Unavailable(Remark("metrics.not_asked_for", name=str(measure), names=[str(measure)]))


def _columns(over: type[Joint], rows: Rows) -> tuple[Array, Array]:
    truth = rows.truth.astype(np.float64, copy=False)
    error = rows.predictions - truth
    return (np.abs(truth), np.abs(error)) if over is Sizes else (truth, error)


def influence(measure: Measure, rows: Rows) -> Array | None:
    """What each row adds to the error of a measure of one output, its weight put in; None where only a bootstrap can
    tell.
    """
    metric, w = measure.metric, np.ones(rows.n) if rows.weights is None else rows.weights
    if metric.over in (Joint, Sizes):
        x, y = _columns(metric.over, rows)
        sums = JointMoments.of_values(x, y, rows.weights)
        return np.asarray(w * joint.influence(measure.formula, sums, x, y, metric.over) / w.sum())
    if metric.over is Rows and measure.loss is not None:
        return np.asarray(w * influence_on_skill(rows, measure.loss) / w.sum())
    losses = row_losses(measure, rows)
    if losses is None:
        return None
    if measure.loss is not None and measure.loss.kind == "percentage":
        w = w * (rows.truth != 0)
    mean = w @ losses / w.sum()
    losses_of = [] if measure.loss is None else [measure.loss]
    value = measure.formula(Errors.of_columns(rows.truth, rows.predictions, rows.weights, losses_of))
    if not isinstance(value, Mean):  # undefined for these rows
        return None
    slope = 1.0 if value.through is None else float(np.imag(value.through(mean + 1e-40j)) / 1e-40)
    return np.asarray(slope * w * (losses - mean) / w.sum())


def row_losses(measure: Measure, rows: Rows) -> Array | None:
    """The losses of the rows behind a mean; None where the measure is no mean."""
    if measure.metric.over is not Errors or measure.metric.name == "max_error":
        return None
    if measure.loss is not None:
        return measure.loss.of_rows(rows.truth, rows.predictions)
    return np.asarray(rows.predictions - rows.truth.astype(np.float64))


def loss_and_scale(measure: Measure, rows: Rows) -> tuple[Array, Array] | None:
    """For a mean loss over the mean of something that the truth alone decides: both, row by row; otherwise None.

    Models on the same rows have the same scale, so that such a measure orders them as their mean losses do.
    """
    if measure.metric.parts is not None:
        return measure.metric.parts(rows)
    if measure.metric.over is Rows and measure.loss is not None:
        scale, losses = both_losses(rows, measure.loss)
        return losses, scale
    return None
