"""Averages over several predicted numbers per row.

The numbers of a row depend on each other, so the interval of an average adds up what each row does to all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.values import Answer, Linearised, Without, number
from calipers.metrics.views import Views
from calipers.remarks import Remark

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.metrics.over.numbers import OfNumbers

Array = npt.NDArray[Any]
SEVERAL = Remark("metrics.dependent_numbers")


def averaged(view: OfNumbers, measure: Measure, views: Views, each: list[Answer]) -> Answer:
    """The average of these values, one per output: uniform, or by the variance of their truth."""
    points, outputs = np.array([float(number(a.value)) for a in each]), len(each)
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
    if rows is None or view.row_influence(measure, rows.output(int(defined.argmax()))) is None:
        first = each[0].value
        alone = first if isinstance(first, Without) else Without(value, SEVERAL)
        return Answer(alone._replace(value=value), "", flags)

    def per_row() -> Array:
        total = np.zeros(rows.n)
        for k in np.flatnonzero(shares).tolist():
            one = rows.output(k)
            total += shares[k] * np.asarray(view.row_influence(measure, one))
            if measure.average == "variance":  # the shares vary with the rows too
                w = np.ones(rows.n) if rows.weights is None else rows.weights
                from_mean = one.truth - np.average(one.truth, weights=rows.weights)
                total += (points[k] - value) / weight * w * (from_mean**2 - shares[k] * weight) / w.sum()
        return total

    def variance() -> float:
        each = per_row()
        return float(each @ each) * rows.effective / (rows.effective - 1) if rows.effective > 1 else np.nan

    return Answer(Linearised(value, variance, rows.effective), "", flags)
