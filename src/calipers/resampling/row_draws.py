"""Rows drawn again: how often each row, or its group, is drawn, and sums over the rows of every replicate.

How often a row is drawn is Poisson(1), hashed from seed, replicate and key (native/draws.hpp): it depends on no other
row, and is the same for every model of the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.data.batch import Batch
from calipers.metrics.sums import Additive, Column
from calipers.progress import with_progress

Array = npt.NDArray[Any]
MAX_SUMS = 4_000_000  # sums in memory at once
AT_ONCE = 1 << 28  # rows times replicates in one call of the kernel: about half a second
LANES = 32  # replicates that the kernel takes through the rows together
FEW_CELLS = 1 << 16  # of a joint table that is counted without a sort


@dataclass(frozen=True, eq=False)
class RowDraws:
    """Draws of so many rows, or of the groups that `keys` name."""

    seed: int
    rows: int
    weights: Array | None = None
    keys: Array | None = None
    last: dict[Any, list[Array]] = field(default_factory=dict, repr=False)  # sums of the columns that were last drawn

    @classmethod
    def of(cls, seed: int, batch: Batch) -> RowDraws:
        """Draws of the rows of a batch, or of its groups; one group per row is the same as no groups."""
        return cls(seed, len(batch), batch.weights, None if batch.group_codes is None else batch.groups)

    def weights_in(self, replicate: int) -> Array:
        """How often each row is drawn in a replicate, times its own weight."""
        times = _native.draws(self.seed, replicate, self.rows, self.keys)
        return times if self.weights is None else times * self.weights

    def values(self, measures: Sequence[Additive], count: int) -> list[Array]:
        """Each measure in replicates 0 to count - 1, all from one pass over the rows."""
        columns = tuple(dict.fromkeys(column for measure in measures for column in measure.columns))
        arguments = [(column.codes, column.cells, column.values) for column in columns]
        ends = np.cumsum([column.cells for column in columns])[:-1]

        def draw(block: range) -> list[Array]:
            first, some = block.start, len(block)
            sums = _native.resampled_sums(self.rows, arguments, self.weights, self.keys, self.seed, first, some)
            return np.split(sums, ends, 1)

        return self._blocks(measures, columns, count, draw, self.rows)

    def _blocks(
        self,
        measures: Sequence[Additive],
        columns: tuple[Column, ...],
        count: int,
        draw: Callable[[range], list[Array]],
        rows: int,
    ) -> list[Array]:
        """The measures in replicates in blocks that fit in memory and allow progress to be shown.

        Sums of few cells are kept for the next measure of the same columns.
        """
        sums, values = sum(column.cells for column in columns), []
        step = max(LANES, min(MAX_SUMS // max(1, sums), AT_ONCE // max(1, rows)) // LANES * LANES)
        key = draw.__qualname__, columns, count
        for start in with_progress(range(0, count, step), count, step=step):
            drawn = self.last.get(key) or draw(range(start, min(start + step, count)))
            if count <= step:
                self.last.clear()
                self.last[key] = drawn
            by_column = dict(zip(columns, drawn, strict=True))
            values.append([measure.of(*(by_column[c] for c in measure.columns)) for measure in measures])
        return [np.concatenate(parts) for parts in zip(*values, strict=True)]

    def without(self, measure: Additive, left_out: Array) -> Array:
        """The measure with each part of the rows left out in turn; `left_out` numbers the parts from 0."""
        own, parts, sums = np.ones(self.rows) if self.weights is None else self.weights, int(left_out.max()) + 1, []
        for column in measure.columns:
            where = left_out if column.codes is None else left_out * column.cells + column.codes
            each = np.bincount(where, own if column.values is None else own * column.values, parts * column.cells)
            each = each.reshape(parts, column.cells)
            sums.append(each.sum(0) - each)
        return measure.of(*sums)

    def values_of_cells(self, tables: Sequence[Additive], count: int, times: Array | None = None) -> list[Array]:
        """The same for tables of independent rows of equal weight, drawn by the cells of their joint table.

        The counts of the cells are multinomial whichever rows are in them, so that the price does not depend on how
        many rows there are. times: how many rows each of the given ones stands for.
        """
        columns = tuple(table.columns[0] for table in tables)
        rng = np.random.default_rng(self.seed)

        @cache
        def joint() -> tuple[Array, list[Array]]:
            cells, codes = _joint(columns, times)
            sizes = (column.cells for column in columns)
            return cells, [np.equal.outer(own, np.arange(k)).astype(float) for own, k in zip(codes, sizes, strict=True)]

        def draw_cells(block: range) -> list[Array]:
            cells, ends = joint()
            drawn = rng.multinomial(self.rows, cells / self.rows, len(block)).astype(np.float64)
            return [drawn @ end for end in ends]

        return self._blocks(tables, columns, count, draw_cells, 0)


def _joint(columns: Sequence[Column], times: Array | None = None) -> tuple[Array, list[Array]]:
    """How many rows have each combination of codes that occurs, and the code of each column in it."""
    first = columns[0].codes
    assert first is not None
    if times is not None:
        columns = [replace(column, codes=column.codes[times > 0]) for column in columns if column.codes is not None]
        own, codes = _joint(columns)
        where = np.repeat(np.arange(len(own)), own)
        order = np.lexsort([column.codes for column in columns[::-1]])  # type: ignore[arg-type]
        return np.bincount(where, times[times > 0][order]).astype(np.int64), codes
    where, codes, cells = first.astype(np.int64), [np.arange(columns[0].cells)], np.array([])
    for column in (None, *columns[1:]):
        if column is not None:
            assert column.codes is not None
            where = where * column.cells + column.codes
            codes = [np.repeat(own, column.cells) for own in codes]
            codes.append(np.tile(np.arange(column.cells), len(codes[0]) // column.cells))
        if len(codes[0]) <= FEW_CELLS:
            every = np.bincount(where, minlength=len(codes[0]))
            occurring = np.flatnonzero(every)
            cells, number = every[occurring], np.cumsum(every > 0) - 1
            where = number[where]
        else:
            occurring, where, cells = np.unique(where, return_inverse=True, return_counts=True)
        codes = [own[occurring] for own in codes]
    return cells, codes
