"""Rows in groups: the value of a measure with the variance that whole groups show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.inference.groups import between
from calipers.metrics.base import Measure
from calipers.metrics.between_groups import Between, GroupedShare
from calipers.metrics.resolve import resolve
from calipers.metrics.values import Area, Combination, Grouped, Mean, PrecisionArea, Proportion, Value
from calipers.metrics.views import Views
from calipers.resampling.influence import deviations, hits_of, influence_of_rows, scored_column, weights_of
from calipers.resampling.tables import codes_of
from calipers.statistics.combine import Evidence
from calipers.statistics.confusion import ConfusionCounts, Margins
from calipers.statistics.labels import LabelCounts
from calipers.statistics.ranks import RankCounts

Array = npt.NDArray[Any]
CLASSES = 20  # with more of them, the shares behind a mean over classes are not kept separately


def grouped(measure: Measure, views: Views, index: int | None, value: Value) -> Value:
    """The value with the variance that its rows show when they are taken together within their groups.

    The value itself where every row is alone in its group.
    """
    shares = None
    if isinstance(value, (Proportion, Combination)) and _countable(measure, views, value):
        shares = partial(_shares, measure, views, index, value)
    of_rows = influence_of_rows(measure, views, index, value)
    return _summed(views, value, of_rows, _classes(measure, views, index, value), shares)


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
) -> Value:
    rows = views.source
    assert rows is not None
    codes = rows.group_codes
    if codes is None:
        return value

    @cache
    def between_groups() -> Between:
        assert of_rows is not None
        return between(of_rows(), classes, codes)

    return Grouped(value, between_groups, int(codes.max()) + 1, of_rows is not None, shares)


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


def _countable(measure: Measure, views: Views, value: Proportion | Combination) -> bool:
    if measure.metric.over is RankCounts:
        return True
    several = isinstance(value, Combination) and len(views.labels) > CLASSES
    return measure.metric.from_labels and views.evidence.get(LabelCounts) is None and not several


def _shares(
    measure: Measure, views: Views, index: int | None, value: Proportion | Combination
) -> list[GroupedShare]:
    """Each share with the variance of the groups that have rows in its denominator."""
    rows, w = views.source, weights_of(views)
    assert rows is not None
    assert rows.group_codes is not None
    shares = []
    for (c, p), (trials, hits) in zip(_parts(value), _tried(measure, views, index, value), strict=True):
        counted, share = w * trials, float(p.hits / p.trials)
        total, square = float(counted.sum()), float(counted @ counted)
        variation = between(w * (hits - share * trials) / total, None, rows.group_codes, counted * total / square)
        shares.append(GroupedShare(c, share, total * total / square, variation))
    return shares


def _parts(value: Any) -> list[tuple[float, Proportion]]:
    if isinstance(value, Combination):
        return [(float(c), p) for c, p in value.parts]
    return [(1.0, value)] if isinstance(value, Proportion) else []


def _tried(
    measure: Measure, views: Views, index: int | None, value: Proportion | Combination
) -> list[tuple[Array, Array]]:
    """For each share behind a value, whether each row is in its denominator, and whether it is a hit.

    Seen from tables with more rows in one cell. Of measures of one class, or that treat all classes alike, a few cells
    stand for the others.
    """
    rows = views.source
    assert rows is not None
    if measure.metric.over is RankCounts:
        return [(np.ones(len(rows)), hits_of(measure, views))]
    truth, codes, k = rows.truth.astype(np.intp), codes_of(rows, views), len(views.labels)
    assert codes is not None
    if isinstance(value, Combination) or k == 1:
        cells = [(i, j) for i in range(k) for j in range(k)]
        kinds = truth * k + codes
    elif index is None and (measure.average == "micro" or measure.metric.over is Margins):
        cells, kinds = [(0, 1), (0, 0)], (truth == codes).astype(np.intp)
    else:
        one = views.positive if index is None else index
        assert one is not None
        other = 1 if one == 0 else 0
        cells = [(i, j) for i in (other, one) for j in (other, one)]
        kinds = 2 * (truth == one) + (codes == one)
    own, more = _parts(value), np.zeros((len(_parts(value)), 2, len(cells)))
    for at, cell in enumerate(cells):
        for i, (_, then) in enumerate(_with_more(measure, views, index, cell)[: len(own)]):
            now = own[i][1]
            more[i, :, at] = then.trials - now.trials, then.hits - now.hits
    more = np.round(more / float(views.confusion.cells.sum()), 6)
    return [(trials[kinds], hits[kinds]) for trials, hits in more]


def _with_more(measure: Measure, views: Views, index: int | None, cell: tuple[int, int]) -> list[Any]:
    """The shares with as many rows more in one cell as there are in all, so that weights lose no digits."""
    table = views.confusion
    cells = table.cells.astype(np.float64)
    cells[cell] += cells.sum()
    counts = ConfusionCounts(views.labels, cells, None, views.rows)
    evidence = Evidence({"ConfusionCounts": counts})
    return _parts(resolve(measure, replace(views, evidence=evidence), index).value)
