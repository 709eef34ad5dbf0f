"""The mean cost of predictions, under a matrix of costs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from calipers.data import containers
from calipers.errors import InputError
from calipers.evaluation.evaluation import Evaluation
from calipers.inference.estimate import Estimate
from calipers.inference.intervals import interval
from calipers.metrics.tables import codes_of
from calipers.metrics.values import Mean
from calipers.remarks import Remark
from calipers.resampling.groups import grouped_mean
from calipers.statistics.moments import Moments


def expected_cost(ev: Evaluation, matrix: Any) -> Estimate:
    """The mean cost of a row under a K x K matrix of costs, truth in rows, in the order of the labels."""
    name, table = Remark("evaluation.the_cost_matrix"), ev.confusion
    costs = containers.numbers(matrix, name).astype(np.float64)
    if costs.shape != table.counts.shape or not np.isfinite(costs).all():
        raise InputError("evaluation.cost_matrix_shape", shape=costs.shape, needed=table.counts.shape)
    if not table.counts.sum():
        raise InputError("evaluation.matrix_empty")
    moments = Moments.of_values(costs.ravel(), table.counts.ravel().astype(np.float64))
    views = ev.views
    order = np.array([ev.labels.index(v) for v in views.labels])
    second, c = views.confusion.second, costs[np.ix_(order, order)] - moments.mean
    squared = [float((second * c**power).sum()) for power in range(3)]
    moments = replace(moments, n=ev.rows, squares=squared[0], q1=squared[1], q2=squared[2])
    bounds, value = (float(costs.min()), float(costs.max())), Mean(moments)
    find = partial(interval, value, ev.level, bounds)
    if (rows := views.source) is not None and rows.groups is not None:
        codes = codes_of(rows, views)
        each = partial(costs.__getitem__, (order[rows.truth], order[codes]))
        find = partial(interval, grouped_mean(views, each, value), ev.level, bounds)
    return Estimate(moments.mean, n=ev.rows, level=ev.level, interval=find)
