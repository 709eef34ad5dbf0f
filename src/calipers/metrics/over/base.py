"""`View`: one object for each way in which formulas look at statistics, and the table of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from calipers.errors import UnknownName
from calipers.metrics.influence import Finder, deviations, row_losses
from calipers.metrics.values import Answer, Mean, Value
from calipers.metrics.views import Unavailable, Views
from calipers.remarks import Remark
from calipers.statistics.base import Statistic
from calipers.statistics.combine import Recipe
from calipers.statistics.moments import Moments

if TYPE_CHECKING:
    from calipers.data.batch import Batch
    from calipers.metrics.base import Measure
    from calipers.metrics.plan import RowKind
    from calipers.metrics.sums import Additive
    from calipers.resampling.bootstrap import Acceleration, Bootstrap

Array = npt.NDArray[Any]
Tried = list[tuple[Array, Array]]  # by share: whether each row is in the denominator, and whether it is a hit
Trier = Callable[[], Tried]


class View:
    """All that follows from what a metric is over: `class Samples(View, over=ScoreSamples)` enters it into `VIEWS`.

    Facts of the metrics. section: their heading in the reference. taken: what they are computed from, a key of the
    words `explain.taken_...`. own_symbols: symbols of their formulas that have words of their own, below that key.
    averaged: they belong to one class, so that averages over classes make sense. by_class: they count the rows of each
    class apart, as recall and balanced accuracy do. from_labels: they are computed from predicted labels. of_counts:
    they take TP, FP, FN and TN of one class, which every threshold has. of_numbers: they measure predicted numbers.
    of_queries: they are means over queries. of_clusters: they measure clusters. of_lists: they measure lists of
    recommended items. of_topics: they measure topics; by_topic: each topic by itself too.
    """

    section = ""
    taken = ""
    own_symbols: tuple[str, ...] = ()
    averaged = False
    by_class = False
    from_labels = False
    of_counts = False
    of_numbers = False
    of_queries = False
    of_clusters = False
    of_lists = False
    of_topics = False
    by_topic = False

    def __init_subclass__(cls, over: Any = None) -> None:
        if over is not None:
            VIEWS[over] = cls()

    def recipe(self, measure: Measure, rows: RowKind) -> tuple[str, Recipe] | None:
        """The statistic behind a measure; None where such rows cannot give it, which `value` then explains."""
        return None

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """The value of a measure: of the class at `index`, of the positive class, or over all classes."""
        raise NotImplementedError

    def counted(self, value: Value, views: Views) -> int:
        """How many rows, queries or users a value is based on."""
        return views.rows

    def losses(self, measure: Measure, batch: Batch) -> Array | None:
        """The losses of the rows behind a mean; None where the measure has no row-wise form."""
        return row_losses(measure, batch)

    def influence(self, measure: Measure, views: Views, index: int | None, value: Value) -> Finder | None:
        """Finds what each row adds to the error of the measure, its weight put in; None where only draws can tell."""
        rows = views.source
        assert rows is not None
        if not whole(measure, index) or not (isinstance(value, Mean) or rows.facts.label_sets):
            return None
        losses = self.losses(measure, rows)
        return None if losses is None else lambda: deviations(views, losses)

    def sums(self, measure: Measure, views: Views, index: int | None, known: dict[str, Any]) -> Additive | None:
        """The measure as a function of sums over the rows behind the views; None where it is none.

        `known` keeps the columns that several measures of these views share.
        """
        return None

    def of_each_query(self, measure: Measure, views: Views) -> Array:
        """Of a mean over queries or users, the value of each; NaN for one that is left out."""
        raise NotImplementedError

    def drawn(self, bootstrap: Bootstrap, measure: Measure, value: Value) -> tuple[Array, Acceleration]:
        """The measure in samples drawn again, and what finds the acceleration of BCa."""
        rows = measure.metric.rows
        if rows is not None and whole(measure, bootstrap.index) and not bootstrap.views.facts.one_score:
            return bootstrap.of_means(rows(bootstrap.source))
        return bootstrap.of_rows(measure)

    def tried(self, measure: Measure, views: Views, index: int | None, value: Value) -> Trier | None:
        """Finds which rows count for each share behind a value; None where the value is not made of such shares."""
        return None

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """The symbols of formulas that are a number or a short list here."""
        return {}


VIEWS: dict[Any, View] = {}


def whole(measure: Measure, index: int | None) -> bool:
    """Whether a measure is of all rows, and neither of one class nor an average over classes."""
    return index is None and measure.average is None


def named(kind: type[Statistic]) -> tuple[str, Recipe]:
    """A statistic under the name of its kind."""
    return kind.__name__, kind.of


def of_rows(measure: Measure) -> tuple[str, Recipe]:
    """The moments of the row-wise form of a measure, under its name."""
    if measure.metric.losses is not None:
        return measure.name, measure.metric.losses
    rows = measure.metric.rows
    assert rows is not None
    return measure.name, partial(Moments.of, measure=rows)


def ambiguous(measure: Measure, views: Views) -> UnknownName:
    """The error of a measure of one class, where none is named and none is the positive one."""
    name = measure.metric.name
    averages = [f"{name}(average={a})" for a in ("macro", "weighted", "micro")]
    code = "metrics.of_one_class_of_two" if len(views.labels) == 2 else "metrics.of_one_class"
    return UnknownName(code, metric=name, averages=averages)


def all_classes_only(index: int | None) -> None:
    """Refuse a measure of all classes for one of them."""
    if index is not None:
        raise Unavailable(Remark("metrics.all_classes_only"))
