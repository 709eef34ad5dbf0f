"""Confusion matrices drawn again, or with a row left out, without their rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.tables import Tables
from calipers.statistics.confusion import ConfusionCounts

Array = npt.NDArray[Any]


def multinomial(table: ConfusionCounts, fixed: bool, seed: int, replicates: range) -> Array:
    """Rows of a table drawn again, within the true classes where their shares were set from outside."""
    cells, second = table.cells.astype(np.float64), table.second.astype(np.float64)
    strata = cells[:, None, :] if fixed else cells[None]  # (stratum, its rows, columns)
    squares = (second[:, None, :] if fixed else second[None]).sum((1, 2))
    rng = np.random.default_rng((seed, replicates.start))
    out = []
    for stratum, square in zip(strata, squares, strict=True):
        total = stratum.sum()
        n = round(total**2 / square) if square else 0
        shares = stratum.ravel() / total if n else np.full(stratum.size, 1 / stratum.size)
        draws = rng.multinomial(n, shares, len(replicates)) * (total / max(n, 1))
        out.append(draws.reshape(len(replicates), *stratum.shape))
    return np.concatenate(out, 1)


def without_a_row(table: ConfusionCounts) -> tuple[Tables, Array]:
    """The table without one row of each cell in turn, and how many rows the cell has."""
    at = np.argwhere(table.cells > 0)
    cells, second = table.cells[*at.T].astype(np.float64), table.second[*at.T].astype(np.float64)
    left = np.repeat(table.cells[None].astype(np.float64), len(at), 0)
    left[np.arange(len(at)), at[:, 0], at[:, 1]] -= second / cells  # a row of the cell's usual weight
    return Tables(left), cells**2 / second
