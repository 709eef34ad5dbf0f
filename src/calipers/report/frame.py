"""An evaluation as a pandas frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from calipers.errors import MissingExtra
from calipers.inference.estimate import Estimate
from calipers.question import Label

if TYPE_CHECKING:
    from calipers.evaluation import Evaluation

COLUMNS = ("metric", "class", "value", "low", "high", "level", "method", "n", "reason", "flags")


def to_frame(ev: Evaluation) -> Any:
    """One row a metric: of all rows first (class is None), then of each class."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra("to_frame() needs pandas: pip install pandas") from None
    rows = _rows(ev, None)
    for label, estimates in ev.classes.items():
        rows += _rows(estimates, label)
    columns = {name: [row[at] for row in rows] for at, name in enumerate(COLUMNS)}
    # As objects: pandas would turn None beside integers into NaN, and True beside 1 into 1.0.
    columns["class"] = pd.Series(columns["class"], dtype=object)
    return pd.DataFrame(columns)


def _rows(estimates: Mapping[str, Estimate], label: Label | None) -> list[tuple[Any, ...]]:
    return [
        (name, label, float(e), e.low, e.high, e.level, e.method, e.n, e.reason, "; ".join(e.flags))
        for name, e in estimates.items()
    ]
