"""Comparisons of the same models within each slice of the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.comparison.paired_bootstrap import Model
from calipers.settings import Label

if TYPE_CHECKING:
    from calipers.comparison.compare import Comparison


def by_slice(
    models: Mapping[str, Model], compared: Callable[[dict[str, Model], Any], Comparison]
) -> dict[str, dict[Label, Comparison]]:
    """What `compared` makes of the models and groups of each slice, by column and value."""
    first = next(iter(models.values())).batch
    slices: dict[str, dict[Label, Comparison]] = {}
    for column, (codes, values) in first.slices.items():
        slices[column] = {}
        for code, value in enumerate(values):
            rows = np.flatnonzero(codes == code)
            if not len(rows):
                continue
            parts = {n: Model(m.batch.take(rows), m.evaluation.by[column][value]) for n, m in models.items()}
            slices[column][value] = compared(parts, next(iter(parts.values())).batch.group_codes)
    return slices
