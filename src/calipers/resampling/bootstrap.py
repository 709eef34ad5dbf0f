"""A measure in samples drawn again from the rows behind it: from sums over the rows, from the once-sorted scores, or
from the rows themselves where no smaller statistic will do.

Draws are hashed from seed, replicate and key (resampling/row_draws.py). The key is the group of a row; its number where
models are compared (`by_row`), so that both draw alike; else its place among the sorted scores of its class, whose rows
may be gone. Only plain tables, which have no rows, are drawn as multinomials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.cached import lazy
from calipers.data.batch import Batch
from calipers.inference.resampled import Draws, acceleration
from calipers.metrics import plan
from calipers.metrics.base import Measure
from calipers.metrics.over.counts import Counted
from calipers.metrics.over.samples import of_top, scored_column
from calipers.metrics.resolve import resolve
from calipers.metrics.scores import influence_on_area, influence_on_precision
from calipers.metrics.sums import Additive, gaps, mean
from calipers.metrics.tables import MAX_CELLS, Tables
from calipers.metrics.values import Area, Mean, PrecisionArea, Value, number
from calipers.metrics.views import Unavailable, Views
from calipers.progress import with_progress
from calipers.remarks import Remark
from calipers.resampling import blocks, overlaps
from calipers.resampling.drawn_rows import group_numbers, joined, present, summed_by_group
from calipers.resampling.row_draws import RowDraws
from calipers.resampling.tables import multinomial, without_a_row
from calipers.resampling.thresholds import drawn
from calipers.statistics.combine import Evidence
from calipers.statistics.scores import ScoreSamples

T = TypeVar("T")
Array = npt.NDArray[Any]
Acceleration = Callable[[], float]  # finds the acceleration
AT_ONCE = 1 << 27  # rows times replicates in one call of the kernel: about half a second
LEFT_OUT = 100, 20  # parts of the jackknife, and of one whose every round takes a walk over this many rows or more
MANY_ROWS = 100_000
NEGATIVES = _native.NEGATIVES_FROM
# What the kernels find, by the names that metrics give (`walked`).
COLUMNS = ("auc", "ap", "ks", "log_loss", "squared")
CROSSINGS = ("eer", "break_even")


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The samples drawn for one set of views; what the kernel returned serves every measure of the same scores."""

    views: Views
    seed: int
    count: int
    index: int | None = None
    by_row: bool = False
    cache: dict[str, Any] = field(default_factory=dict, repr=False)

    def draws(self, measure: Measure, value: Value) -> Draws:
        """The measure in each sample, NaN where it is undefined there, and the acceleration of BCa."""
        values, find_acceleration = measure.metric.view.drawn(self, measure, value)
        return Draws(np.asarray(values, np.float64), find_acceleration, self.groups is not None)

    @property
    def source(self) -> Batch:
        """The rows."""
        if self.views.source is None:
            raise Unavailable(Remark("resampling.rows_are_gone"))
        return self.views.source

    @property
    def groups(self) -> Array | None:
        """The group of each row, where rows belong together."""
        return None if self.views.source is None else self.views.source.groups

    @lazy
    def row_draws(self) -> RowDraws:
        """Draws of the rows."""
        return RowDraws.of(self.seed, self.source)

    def _left_out(self, most: int) -> Array:
        """Which part of the jackknife leaves each row out: of up to `most` parts, whole groups in one."""
        rows = self.source
        of = np.arange(len(rows), dtype=np.uint64) if rows.groups is None else group_numbers(rows.groups)
        return np.asarray(of % most).astype(np.intp)

    # Sums and tables

    def _sums(self, part: Additive) -> tuple[Array, Acceleration]:
        def find_acceleration() -> float:
            left_out = self._left_out(LEFT_OUT[len(self.source) > MANY_ROWS])
            return acceleration(-self.row_draws.without(part, left_out))

        return self.row_draws.values([part], self.count)[0], find_acceleration

    def of_tables(self, measure: Measure, view: Counted) -> tuple[Array, Acceleration]:
        """Cells of the confusion matrix drawn again, as many rows in each as chance gives it."""
        table = self.views.confusion
        size = max(1, MAX_CELLS // len(table.labels) ** 2)
        draw = partial(multinomial, table, self.views.fixed, self.seed)

        def of(tables: Tables) -> Array:
            return view.of_tables(measure, self.views, tables, self.index)

        find_acceleration = partial(self._acceleration_of_cells, of)
        if self.count <= size:  # few enough to be kept for the next measure
            return of(self._cached("tables", lambda: Tables(draw(range(self.count))))), find_acceleration
        starts = with_progress(range(0, self.count, size), self.count, step=size)
        each = [of(Tables(draw(range(at, min(at + size, self.count))))) for at in starts]
        return np.concatenate(each), find_acceleration

    def _cached(self, name: str, make: Callable[[], T]) -> T:
        if name not in self.cache:
            self.cache[name] = make()
        return cast(T, self.cache[name])

    def _acceleration_of_cells(self, of: Callable[[Tables], Array]) -> float:
        """Acceleration from the jackknife: all rows of a cell leave the same value behind."""
        if np.count_nonzero(self.views.confusion.cells) * self.views.confusion.cells.size > MAX_CELLS:
            return 0.0
        tables, times = self._cached("left", partial(without_a_row, self.views.confusion))
        return acceleration(-of(tables), times)

    # Clusters

    def of_overlaps(self, measure: Measure) -> tuple[Array, Acceleration]:
        """The table of classes and clusters."""
        return overlaps.draws(measure, self.views.overlaps, self.seed, self.count, self.cache)

    def of_blocks(self, of: Callable[[Array], Array], left_out: Array) -> tuple[Array, Acceleration]:
        """Blocks of documents; `of` finds the values where blocks count so many times."""
        return blocks.draws(of, left_out, self.seed, self.count)

    # Queries

    def of_queries(self, each: Array) -> tuple[Array, Acceleration]:
        """The mean over queries, drawn again with their values; NaN where a query has none."""
        each = each[~np.isnan(each)]
        times = (_native.draws(self.seed, r, len(each)) for r in with_progress(range(self.count), self.count))
        with np.errstate(all="ignore"):
            values = np.array([w @ each / w.sum() for w in times])
        return values, lambda: acceleration(each - each.mean())

    # Means

    def of_means(self, each: Any) -> tuple[Array, Acceleration]:
        """The mean of a number that each row has."""
        values = np.asarray(each, np.float64)
        own = np.ones(len(values)) if self.source.weights is None else self.source.weights
        influence = own * (values - own @ values / own.sum())
        replicates = self.row_draws.values([mean(values)], self.count)[0]
        return replicates, lambda: acceleration(summed_by_group(influence, self.groups))

    # Scores

    def of_scores(self, measure: Measure, value: Value) -> tuple[Array, Acceleration]:
        """The two sorted samples that a measure of one score looks at."""
        ordered = self.ordered(measure)
        samples, keys = ordered
        walked = measure.metric.walked
        if walked and not measure.parameters:
            names, walk = (CROSSINGS, self._crossings) if walked in CROSSINGS else (COLUMNS, self._walk)
            name = f"{names[0]}, top" if of_top(measure, self.views) else names[0]
            values = self._cached(name, partial(walk, *ordered))[:, names.index(walked)]
            if isinstance(value, Area):
                values = value.offset + value.slope * values
        elif (part := self._gaps(measure, samples)) is not None:
            values = self._keyed(samples, keys).values([part], self.count)[0]
        else:
            values = self._each(measure, (self._resample(samples, keys, r) for r in range(self.count)), self.count)
        return values, partial(self._acceleration_of_scores, measure, value, samples, keys)

    def of_thresholds(self, measure: Measure, value: Value) -> tuple[Array, Acceleration]:
        """The best value among the thresholds of one score, each sample at its own threshold."""
        return drawn(self, measure), partial(self._acceleration_of_scores, measure, value, *self.ordered(measure))

    def _gaps(self, measure: Measure, s: ScoreSamples) -> Additive | None:
        if self.views.fixed:
            return None
        return gaps(measure, np.concatenate((s.pos, s.neg)), np.arange(s.rows) < len(s.pos))

    def _keyed(self, s: ScoreSamples, keys: tuple[Array | None, Array | None]) -> RowDraws:
        """Draws of the positives and then the negatives."""
        if keys[0] is None:
            pos, neg = (np.arange(len(part), dtype=np.uint64) for part in (s.pos, s.neg))
            keys = pos, neg + np.uint64(NEGATIVES)
        return RowDraws(self.seed, s.rows, joined(s.pos_weights, s.neg_weights), joined(*keys))

    def ordered(self, measure: Measure) -> tuple[ScoreSamples, tuple[Array | None, Array | None]]:
        """The sorted samples that the measure looks at, and the groups of their rows."""
        views, k, keys = self.views, self.index, self.groups
        if keys is None and self.by_row:
            keys = np.arange(len(self.source), dtype=np.uint64)
        if keys is None:
            if k is not None:
                return views.class_scores.columns[k], (None, None)
            return views.top if of_top(measure, views) else views.samples, (None, None)
        rows = self.source
        samples, score, is_true = scored_column(measure, views, k)
        own = np.ones(len(rows)) if rows.weights is None else rows.weights
        parts = []
        for part, total in ((is_true, samples.positives), (~is_true, samples.negatives)):
            at = np.flatnonzero(part)[np.argsort(score[part], kind="stable")]
            weights = own[at] * (total / own[at].sum()) if len(at) and views.fixed else own[at]
            parts.append((score[at], weights, keys[at]))
        (pos, pw, pk), (neg, nw, nk) = parts
        return ScoreSamples(pos, neg, pw, nw), (pk, nk)

    def _walk(self, s: ScoreSamples, keys: tuple[Array | None, Array | None]) -> Array:
        clip = float(np.finfo(s.pos.dtype).eps)
        arguments = (s.pos, s.neg, s.pos_weights, s.neg_weights, *keys, self.views.fixed, s.probabilities, clip)
        return self._in_steps(s.rows, partial(_native.bootstrap, *arguments, self.seed))

    def _crossings(self, s: ScoreSamples, keys: tuple[Array | None, Array | None]) -> Array:
        arguments = (s.pos, s.neg, s.pos_weights, s.neg_weights, *keys, self.views.fixed)
        return self._in_steps(s.rows, partial(_native.resampled_walks, *arguments, self.seed))

    def _in_steps(self, rows: int, draw: Callable[[int, int], Array]) -> Array:
        step = max(8, AT_ONCE // max(1, rows) // 8 * 8)
        starts = with_progress(range(0, self.count, step), self.count, step=step)
        return np.concatenate([draw(at, min(step, self.count - at)) for at in starts])

    def _resample(self, s: ScoreSamples, keys: tuple[Array | None, Array | None], replicate: int) -> ScoreSamples:
        return present(s, *self.weighed(s, keys, replicate))

    def weighed(
        self, s: ScoreSamples, keys: tuple[Array | None, Array | None], replicate: int
    ) -> tuple[Array, Array]:
        """How much each positive and each negative counts in a sample."""
        pos = _native.draws(self.seed, replicate, len(s.pos), keys[0])
        neg = _native.draws(self.seed, replicate, len(s.neg), keys[1], 0 if keys[1] is not None else NEGATIVES)
        return self._times(s, pos, neg)

    def _times(self, s: ScoreSamples, pos: Array, neg: Array) -> tuple[Array, Array]:
        """The weights of rows that are drawn so many times; classes keep their totals where these are fixed."""
        parts: list[Array] = []
        for own, times in ((s.pos_weights, pos), (s.neg_weights, neg)):
            weights = times if own is None else times * own
            total = float(len(times)) if own is None else float(own.sum())
            parts.append(weights * (total / weights.sum()) if self.views.fixed and weights.any() else weights)
        return parts[0], parts[1]

    def _each(self, measure: Measure, samples: Iterator[ScoreSamples], count: int) -> Array:
        values = []
        with np.errstate(all="ignore"):
            for s in with_progress(samples, count):
                missing = self.views.fixed and not (len(s.pos) and len(s.neg))
                values.append(np.nan if missing or not s.rows else float(number(measure.formula(s))))
        return np.array(values)

    def _acceleration_of_scores(
        self, measure: Measure, value: Value, s: ScoreSamples, keys: tuple[Array | None, Array | None]
    ) -> float:
        groups, own = joined(*keys), joined(s.pos_weights, s.neg_weights)
        own = np.ones(s.rows) if own is None else own
        influence: Callable[..., Array] | None = {Area: influence_on_area, PrecisionArea: influence_on_precision}.get(
            type(value)
        )
        if influence is not None and len(s.pos) and len(s.neg):
            scores, truth = np.concatenate((s.pos, s.neg)), np.arange(s.rows) < len(s.pos)
            return acceleration(summed_by_group(own * influence(s, scores, truth), groups))
        if isinstance(value, Mean) and groups is None:
            m = value.moments
            return m.m3 / (6 * m.m2**1.5) * np.sqrt(m.weight / m.effective) if m.m2 > 0 else 0.0
        parts = LEFT_OUT[s.rows > MANY_ROWS]
        of = np.concatenate((np.arange(len(s.pos)), np.arange(len(s.neg)))) if groups is None else group_numbers(groups)
        masks = (of % parts != g for g in range(min(int(of.max()) + 1, parts)))
        samples = (present(s, *self._times(s, w[: len(s.pos)], w[len(s.pos) :])) for w in masks)
        return acceleration(-self._each(measure, samples, parts))

    # Rows

    def of_rows(self, measure: Measure) -> tuple[Array, Acceleration]:
        """Sums over the rows where the measure is a function of them, else the rows one sample after the other."""
        rows = self.source
        part = measure.metric.view.sums(measure, self.views, self.index, self.cache)
        if part is not None:
            return self._sums(part)
        recipes = plan.recipes((measure,), rows)

        def of(weights: Array) -> float:
            drawn_rows = np.flatnonzero(weights)
            if not len(drawn_rows):
                return np.nan
            part = replace(rows.take(drawn_rows), weights=weights[drawn_rows].astype(np.float64))
            return resolve(measure, replace(self.views, evidence=Evidence.of(part, recipes)), self.index).point

        values = [of(self.row_draws.weights_in(r)) for r in with_progress(range(self.count), self.count)]
        left_out, own = self._left_out(LEFT_OUT[1]), np.ones(len(rows)) if rows.weights is None else rows.weights
        parts = range(int(left_out.max()) + 1)
        return np.array(values), lambda: acceleration(-np.array([of(own * (left_out != g)) for g in parts]))
