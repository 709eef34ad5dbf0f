"""Single cells of what the rows came from, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from typing import Any

import numpy as np

from calipers.data import frames

PLAIN = (bool, int, float, str, tuple, date, time, Decimal)
MISSING = ("NAType", "NaTType")  # of pandas, which is not imported for them


def index_of(origin: Any, positions: Sequence[int]) -> dict[str, list[Any]]:
    """The index of a pandas frame or column, where it is not simply the position."""
    if not hasattr(origin, "iloc"):
        return {}
    index = [origin.index[at] for at in positions]
    plain = type(origin.index).__name__ == "RangeIndex" and index == list(positions)
    return {} if plain else {"index": list(map(_plain, index))}


def cells_of(origin: Any, positions: Sequence[int]) -> dict[str, list[Any]]:
    """The columns of a frame at these rows; of a query none, since it would have to run again."""
    if frames.is_dataset(origin):
        table = origin.with_format("arrow")[list(positions)]
        return {name: list(map(_plain, table.column(name).to_pylist())) for name in table.column_names}
    held = isinstance(origin, Mapping) or any(hasattr(origin, x) for x in ("iloc", "get_column", "column_names"))
    if not held or not frames.is_frame(origin):
        return {}
    names = frames.names(origin)
    cells = {}
    for name, column in zip(names, _columns(origin, names), strict=True):
        each = column.iloc if hasattr(column, "iloc") else column
        if names.count(name) == 1 and hasattr(column, "__len__") and len(column) > max(positions, default=0):
            cells[name] = [_plain(each[at]) for at in positions]
    return cells


def _columns(frame: Any, names: Sequence[str]) -> list[Any]:
    if isinstance(frame, Mapping):
        return list(frame.values())
    if hasattr(frame, "iloc"):
        return [frame.iloc[:, at] for at in range(len(names))]
    return [frame.get_column(name) if hasattr(frame, "get_column") else frame.column(name) for name in names]


def _plain(cell: Any) -> Any:
    """A cell as a plain value: of Arrow and NumPy scalars what they hold, None where it is missing, else its text."""
    if hasattr(cell, "as_py"):
        cell = cell.as_py()
    if isinstance(cell, np.generic):
        cell = cell.item()
    if type(cell).__name__ in MISSING:
        return None
    return cell if cell is None or isinstance(cell, PLAIN) else str(cell)
