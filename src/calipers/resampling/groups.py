"""Rows in groups: the value of a measure with the variance that whole groups show."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.inference.groups import between
from calipers.inference.jackknife import jackknife
from calipers.metrics.base import Measure
from calipers.metrics.between_groups import Between, GroupedShare, as_equal
from calipers.metrics.influence import deviations, influence_of_rows, weights_of
from calipers.metrics.over.base import Tried
from calipers.metrics.over.samples import scored_column
from calipers.metrics.scores import precision_without_groups
from calipers.metrics.tables import shares_of
from calipers.metrics.values import Area, Combination, Grouped, Mean, PrecisionArea, Proportion, Value
from calipers.metrics.views import Views

Array = npt.NDArray[Any]
MOST_LEFT_OUT = 1 << 22  # groups times rows, up to which each group is left out: a tenth of a second


def grouped(measure: Measure, views: Views, index: int | None, value: Value) -> Value:
    """The value with the variance that its rows show when they are taken together within their groups.

    The value itself where every row is alone in its group.
    """
    shares = None
    if isinstance(value, (Proportion, Combination)):
        tried = measure.metric.view.tried(measure, views, index, value)
        shares = None if tried is None else partial(_shares, views, value, tried)
    of_rows = influence_of_rows(measure, views, index, value)
    left_out = partial(_left_out, measure, views, index) if isinstance(value, PrecisionArea) else None
    return _summed(views, value, of_rows, _classes(measure, views, index, value), shares, left_out)


def grouped_mean(views: Views, each: Callable[[], Array], value: Mean) -> Value:
    """The same for the mean of a number that each row has."""
    assert views.source is not None
    return _summed(views, value, lambda: deviations(views, each()), views.source.truth)


def _summed(
    views: Views,
    value: Value,
    of_rows: Callable[[], Array] | None,
    classes: Array | None,
    shares: Callable[[], list[GroupedShare]] | None = None,
    left_out: Callable[[], Array] | None = None,
) -> Value:
    rows = views.source
    assert rows is not None
    codes = rows.group_codes
    if codes is None:
        return value

    @cache
    def between_groups() -> Between:
        assert of_rows is not None
        linear = between(of_rows(), classes, codes)
        return linear if left_out is None else jackknifed(linear, left_out())

    sizes = rows.group_sizes
    return Grouped(value, between_groups, len(sizes), as_equal(sizes), of_rows is not None, shares)


def jackknifed(linear: Between, left_out: Array) -> Between:
    """The same with the variance of the values that leave out each group; as it is where one of them is undefined."""
    if not len(left_out) or not np.isfinite(left_out).all():
        return linear
    variance, _ = jackknife(left_out)
    return linear._replace(variance=variance, sums=left_out.mean() - left_out)


def _left_out(measure: Measure, views: Views, index: int | None) -> Array:
    """Average precision without each group: few groups change it by more than the sum of what their rows do.

    None at all where there are many groups and rows, or where classes have set shares.
    """
    rows = views.source
    assert rows is not None
    codes = rows.group_codes
    assert codes is not None
    if measure.average is not None or views.fixed or len(codes) * len(rows.group_sizes) > MOST_LEFT_OUT:
        return np.empty(0)
    return precision_without_groups(*scored_column(measure, views, index), weights_of(views), codes)


def _classes(measure: Measure, views: Views, index: int | None, value: Value) -> Array | None:
    """The class of each row, within which groups are compared; None where rows have no single class."""
    rows = views.source
    assert rows is not None
    if isinstance(value, (Area, PrecisionArea)) and measure.average is None:
        return scored_column(measure, views, index)[2]
    if rows.facts.top_class and index is not None:
        of_class: Array = rows.truth == index
        return of_class
    return rows.truth if rows.facts.one_class else None


def _shares(
    views: Views, value: Proportion | Combination, tried: Callable[[], Tried]
) -> list[GroupedShare]:
    """Each share with the variance of the groups that have rows in its denominator."""
    rows, w = views.source, weights_of(views)
    assert rows is not None
    assert rows.group_codes is not None
    shares = []
    for (c, p), (trials, hits) in zip(shares_of(value), tried(), strict=True):
        counted, share = w * trials, float(p.hits / p.trials)
        total, square = float(counted.sum()), float(counted @ counted)
        variation = between(w * (hits - share * trials) / total, None, rows.group_codes, counted * total / square)
        shares.append(GroupedShare(c, share, total * total / square, variation))
    return shares
