"""Formulas over true and predicted labels that were counted: of one class, of the margins, or of the whole table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.metrics import gradient
from calipers.metrics.averages import averaged
from calipers.metrics.brackets import ordered
from calipers.metrics.influence import Finder, deviations
from calipers.metrics.over.base import Trier, View, ambiguous, named
from calipers.metrics.tables import (
    MAX_CELLS,
    Tables,
    influence_through_cells,
    over_counts,
    sums_of_labels,
    sums_of_table,
    tried_rows,
)
from calipers.metrics.values import Answer, Combination, FScore, Largest, Proportion, Smooth, Value, Without, number
from calipers.metrics.views import Unavailable, Views
from calipers.metrics.weighted_shares import few_have_the_weight, of_equal_weights, smoothed, weighted
from calipers.remarks import Remark
from calipers.statistics.combine import Recipe
from calipers.statistics.confusion import ConfusionCounts, Margins, OneVsRest
from calipers.statistics.labels import LabelCounts, LabelPairs

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.metrics.plan import RowKind
    from calipers.metrics.sums import Additive
    from calipers.resampling.bootstrap import Acceleration, Bootstrap
    from calipers.tasks import Task

Array = npt.NDArray[Any]
CLASSES = 20  # with more of them, the shares behind a mean over classes are not kept separately
TN_UNKNOWN = Remark("metrics.tn_unknown")


class Counted(View):
    """What views of counts have in common. alike: the formulas treat all classes alike, right or wrong."""

    section, taken = "All classes together", "rows"
    from_labels = True
    alike = False

    def recipe(self, measure: Measure, rows: RowKind) -> tuple[str, Recipe] | None:
        """The counts of the labels."""
        return counted(rows.task)

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """The value of the counts, with a note where all rows have the same weight."""
        answer = self.of_counted(measure, views, index)
        if views.corners and number(answer.value) == number(answer.value):
            ends = ordered(*(self.of_counted(measure, corner, index).value for corner in views.corners))
            answer = answer._replace(ends=ends)
        if weighted(answer.value) and views.equal_weights:
            return answer._replace(value=of_equal_weights(answer.value))
        if views.fixed or not views.facts.one_class:
            return answer
        return answer._replace(flags=answer.flags + few_have_the_weight(views.one_vs_rest, views.rows))

    def of_counted(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """The value of the counts."""
        raise NotImplementedError

    def of_tables(self, measure: Measure, views: Views, tables: Tables, index: int | None = None) -> Array:
        """The measure of many confusion matrices at once: formulas take leading axes."""
        with np.errstate(all="ignore"):
            whole = ConfusionCounts(views.labels, tables.cells, None, views.rows)
            if index is not None:
                whole = tables.counts.at(index).against_rest(views.rows)
                tables = Tables(whole.cells)
            values = np.asarray(number(measure.formula(self.of_whole(whole, tables))), np.float64)
            return np.broadcast_to(values, len(tables.cells)).copy()

    def of_whole(self, whole: ConfusionCounts, tables: Tables) -> Any:
        """What a formula takes of many confusion matrices, which are one with a leading axis."""
        return whole

    def sums(self, measure: Measure, views: Views, index: int | None, known: dict[str, Any]) -> Additive | None:
        """Counts are sums over rows."""
        rows = views.source
        assert rows is not None
        if views.evidence.has(LabelCounts):
            return None if rows.pred is None else sums_of_labels(measure, views, rows, index, known)
        return sums_of_table(self, measure, views, rows, index, known)

    def influence(self, measure: Measure, views: Views, index: int | None, value: Value) -> Finder | None:
        """Through the cells of the table, where they are few enough."""
        rows = views.source
        assert rows is not None
        if isinstance(value, Largest) and index is None:
            return lambda: deviations(views, (rows.truth == int(value.counts.argmax())).astype(np.float64))
        if views.evidence.has(LabelCounts):
            return None
        cells = views.confusion.cells
        if np.count_nonzero(cells) * cells.size > MAX_CELLS:
            return None
        return lambda: influence_through_cells(self, measure, views, index)

    def drawn(self, bootstrap: Bootstrap, measure: Measure, value: Value) -> tuple[Array, Acceleration]:
        """The cells of the table, where rows are independent and count alike."""
        rows = bootstrap.views.source
        plain = rows is None or (rows.weights is None and rows.groups is None)
        if plain and not bootstrap.views.evidence.has(LabelCounts):
            return bootstrap.of_tables(measure, self)
        return bootstrap.of_rows(measure)

    def tried(self, measure: Measure, views: Views, index: int | None, value: Value) -> Trier | None:
        """Shares of rows, unless labels were counted each on its own or there are many."""
        several = isinstance(value, Combination) and len(views.labels) > CLASSES
        if several or not isinstance(value, (Proportion, Combination)) or views.evidence.has(LabelCounts):
            return None
        return partial(tried_rows, self, measure, views, index, value)


class OfClasses(Counted, over=OneVsRest):
    """TP, FP, FN and TN of one class against the rest."""

    section, taken = "One class against the rest", "class_labels"
    averaged = by_class = of_counts = True

    def of_counted(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of one class, of the counts of all classes added up, or averaged over the classes."""
        at = views.positive if index is None else index
        if measure.average is None and at is not None:
            return _of_one(measure, views.of_class(at))
        counts = views.one_vs_rest
        if measure.average is None:
            raise ambiguous(measure, views)
        if measure.average == "micro":
            answer = _of_one(measure, counts.pooled())
            pairs = views.evidence.get(LabelPairs)
            if pairs is not None and not isinstance(answer.value, Without):
                return Answer(_of_pooled(measure, counts, pairs))
            several = views.evidence.has(LabelCounts)
            return answer._replace(flags=(Remark("metrics.independent_labels"),)) if several else answer
        return averaged(measure, views, counts)

    def of_tables(self, measure: Measure, views: Views, tables: Tables, index: int | None = None) -> Array:
        """The measure of the counts of each table."""
        return over_counts(measure, tables.counts, views.positive if index is None else index)

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """The four counts."""
        if measure.average == "micro":
            return views.one_vs_rest.pooled().counts._asdict()
        at = views.positive if index is None else index
        if at is None:
            raise Unavailable("no class is meant")
        return views.one_vs_rest.at(at).counts._asdict()


class OfMargins(Counted, over=Margins):
    """Agreement and both margins of the confusion matrix."""

    alike = True

    def of_counted(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of all classes, or of one against the rest."""
        table = _table(views, index)
        raw = measure.formula(table.margins)
        rows = float(table.rows if table.squares is None else table.cells.sum() ** 2 / table.squares.sum())
        if isinstance(raw, (Proportion, Largest)) and not views.fixed:
            if table.squares is None or isinstance(raw, Largest):
                return Answer(raw if table.squares is None else raw._replace(effective=rows))
            second = ConfusionCounts(table.labels, table.squares, None, table.rows)
            return Answer(smoothed(raw, measure.formula(second.margins)))
        if isinstance(raw, Without):
            return Answer(raw)
        smallest = _smallest(table)
        spread = partial(gradient.of_margins, measure.formula, table, views.fixed)
        return Answer(Smooth(float(number(raw)), spread, len(table.labels), smallest, rows, restated=views.fixed))

    def of_whole(self, whole: ConfusionCounts, tables: Tables) -> Margins:
        """The margins of each table, found once."""
        return tables.margins

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """Agreement, both margins and the total."""
        m = views.confusion.margins
        counts = {"agreed": m.agreed, "truth": m.truth, "predicted": m.predicted, "total": m.total}
        return {**counts, "classes": len(m.truth)}


class OfTable(Counted, over=ConfusionCounts):
    """The confusion matrix itself."""

    by_class = True

    def of_counted(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """Of all classes, or of one against the rest."""
        table = _table(views, index)
        raw = measure.formula(table)
        if table.squares is not None and isinstance(raw, Combination):
            weights = ConfusionCounts(table.labels, table.squares, None, table.rows)
            raw = smoothed(raw, measure.formula(weights))
        if not isinstance(raw, (Combination, Without)):
            rows = float(table.rows if table.squares is None else table.cells.sum() ** 2 / table.squares.sum())
            spread = partial(gradient.of_cells, lambda each: number(measure.formula(each)), table, views.fixed)
            smallest = _smallest(table)
            return Answer(Smooth(float(number(raw)), spread, len(table.labels), smallest, rows, restated=views.fixed))
        absent = len(table.labels) - len(raw.parts) if isinstance(raw, Combination) else 0
        if not absent:
            return Answer(raw)
        why = Remark("inference.class_without_rows")
        left_out = Remark("metrics.classes_left_out", count=absent, total=len(table.labels), why=why)
        return Answer(raw, "", (left_out,))

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """Hits and rows of the classes that occur."""
        cells = views.confusion.cells
        mask = cells.sum(1) > 0
        sums = {"truth": cells.sum(1)[mask], "predicted": cells.sum(0)[mask]}
        return {**sums, "diagonal": cells.diagonal()[mask], "classes": len(cells)}


def counted(task: Task) -> tuple[str, Recipe] | None:
    """The counts of true and predicted labels; None where rows have neither one class nor a set of labels."""
    return named(LabelCounts) if task.label_sets else named(ConfusionCounts) if task.one_class else None


def _of_pooled(measure: Measure, c: OneVsRest, pairs: LabelPairs) -> Smooth:
    """Labels of the same rows added up, which are not so many rows."""
    spread = partial(gradient.of_pairs, lambda each: number(measure.formula(each.pooled())), c, pairs.second)
    total = c.pooled()
    shrink = sum(total.counts) / sum(total.squares or total.counts) / len(pairs.labels)  # effective rows per label
    rarest, rows = min(total.tp, total.fp + total.fn) * shrink, sum(total.counts) * shrink
    return Smooth(float(number(measure.formula(total))), spread, len(pairs.labels), float(rarest), float(rows))


def _of_one(measure: Measure, c: OneVsRest) -> Answer:
    raw = measure.formula(c)
    reason = TN_UNKNOWN if c.tn != c.tn and np.isnan(number(raw)) else ""
    if c.squares is not None and isinstance(raw, (Proportion, Combination, FScore)):
        raw = smoothed(raw, measure.formula(OneVsRest(*c.squares[:4])))
    if isinstance(raw, Without) or (isinstance(raw, (Proportion, Combination, FScore)) and not c.fixed):
        return Answer(raw, reason)
    squares = c.counts if c.squares is None else c.squares
    total, second = np.nansum(c.counts), np.nansum(squares)
    spread = partial(gradient.of_one, measure.formula, c)
    rarest = _rarest(np.array(c.counts), np.array(squares))
    effective, named = float(total**2 / second), () if c.fixed else measure.metric.intervals
    smooth = Smooth(float(number(raw)), spread, 2, rarest, effective, restated=c.fixed, named=named)
    return Answer(smooth, reason)


def _rarest(counts: Array, squares: Array) -> float:
    """The least effective count of a cell, each by its own weights: those of classes differ when restated."""
    return float(np.fmin.reduce(np.where(counts > 0, counts * counts / squares, counts), axis=None))


def _table(views: Views, index: int | None) -> ConfusionCounts:
    """The confusion matrix of all classes, or of one class against the rest."""
    if index is None:
        return views.confusion
    counts = views.one_vs_rest.at(index)
    if counts.tn != counts.tn:
        raise Unavailable(TN_UNKNOWN)
    return counts.against_rest(views.rows)


def _smallest(table: ConfusionCounts) -> float:
    """The count that a measure of the whole table is based on: of two classes the least cell.

    Of many, most cells are nearly empty and decide nothing: it is based on hits and errors.
    """
    if len(table.labels) <= 2:
        return float(table.cells.min()) if table.squares is None else _rarest(table.cells, table.second)
    return _rarest(*(np.array([np.trace(x), x.sum() - np.trace(x)], np.float64) for x in (table.cells, table.second)))
