"""Tables of classes and clusters with rows left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.overlaps import Overlaps, values_of

if TYPE_CHECKING:
    from calipers.metrics.base import Measure

Array = npt.NDArray[Any]
CELLS, PARTS = 1_000, 100  # filled cells of which a row each is left out; parts of the rows of a table with more


def left_out(measure: Measure, seen: Overlaps) -> tuple[Array, Array]:
    """The measure without a row of each filled cell, and the rows of the cell: all of them leave the same value behind.

    Of a table of many cells, the measure without each of a hundred parts of its rows, of equal size.
    """
    if len(seen.cells) <= CELLS:
        tables = np.repeat(seen.cells[None], len(seen.cells), 0)
        tables[np.diag_indices(len(seen.cells))] -= 1
        return values_of(measure, seen.drawn(tables)), seen.cells
    rows = np.repeat(np.arange(len(seen.cells)), seen.cells.astype(np.int64))
    np.random.default_rng(0).shuffle(rows)
    parts = (np.bincount(part, minlength=len(seen.cells)) for part in np.array_split(rows, PARTS))
    return np.concatenate([values_of(measure, seen.drawn((seen.cells - part)[None])) for part in parts]), np.ones(PARTS)
