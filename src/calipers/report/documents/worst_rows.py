"""The document of the worst rows: the only kind that contains rows, and only on request."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from calipers.evaluation.worst_rows import WorstRows
from calipers.remarks import Remark
from calipers.report.documents.values import Fields, demand
from calipers.tasks import TASKS


def contents(worst: WorstRows) -> dict[str, Any]:
    """Columns by name, cells as plain values."""
    return {
        "settings": {},
        "task": worst.task,
        "loss": worst.loss,
        "total": worst.total,
        "with_loss": worst.with_loss,
        "measured": _columns(worst.measured),
        "data": _columns(worst.data),
    }


def _columns(columns: Mapping[str, tuple[Any, ...]]) -> dict[str, list[Any]]:
    return {name: [_plain(cell) for cell in cells] for name, cells in columns.items()}


def _plain(cell: Any) -> Any:
    """A cell that JSON can hold; what it has no type for becomes text."""
    if isinstance(cell, tuple):
        return [_plain(each) for each in cell]
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else None if math.isnan(cell) else str(cell)
    return cell if cell is None or type(cell) in (bool, int, str) else str(cell)


def restored(fields: Fields) -> WorstRows:
    """The rows that a document describes."""
    measured, data = (_read(fields.part(name)) for name in ("measured", "data"))
    lengths = {len(cells) for cells in (*measured.values(), *data.values())}
    place = fields.place("measured")
    demand("loss" in measured and len(lengths) == 1, place, sorted(lengths), Remark("report.columns_of_rows"))
    return WorstRows(
        fields.choice("task", TASKS), fields.text("loss"), fields.count("total"), fields.count("with_loss"), measured,
        data,
    )  # fmt: skip


def _read(part: Fields) -> dict[str, tuple[Any, ...]]:
    return {name: tuple(_cell(cell, part.place(name)) for cell in part.items(name)) for name in part.values}


def _cell(cell: Any, where: str) -> Any:
    if isinstance(cell, list):
        return tuple(_cell(each, where) for each in cell)
    demand(cell is None or isinstance(cell, (bool, int, float, str)), where, cell, Remark("report.a_cell"))
    return cell
