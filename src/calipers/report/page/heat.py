"""The confusion matrix as a table whose cells are the deeper the larger their share of the true class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calipers.report.evaluation import MATRIX
from calipers.report.layout import Count
from calipers.report.page.elements import Grid
from calipers.report.terminal import distinct_labels

if TYPE_CHECKING:
    from calipers.evaluation.confusion import Confusion
    from calipers.report.language import Language

STEPS, SHARED = 10, 6  # depths of the colour; classes whose cells show shares too


@dataclass(frozen=True)
class Heat:
    """Rows of (label, cells of (count, share, depth, right), total), totals of the columns, and the pairs."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str, int, bool], ...], str], ...]
    totals: tuple[str, ...]
    pairs: Grid | None
    classes: int


def heat(table: Confusion, lang: Language, pairs: Grid | None, most: int) -> Heat:
    """The table, or the most frequent confusions alone where there are more than `most` classes."""
    if len(table.labels) > most:
        return Heat((), (), (), pairs, len(table.labels))
    names = tuple(distinct_labels(table.labels, 24))
    heads = names if len(names) <= SHARED else tuple(distinct_labels(table.labels, 7))
    shares, (down, across) = table.normalised("truth"), table.margins
    rows = []
    for i, name in enumerate(names):
        cells = tuple(
            (_count(count), _share(shares[i, j], lang, len(names)), _depth(shares[i, j], len(names)), i == j)
            for j, count in enumerate(table.counts[i].tolist())
        )
        rows.append((name, cells, _count(float(down[i]))))
    totals = tuple(_count(float(x)) for x in [*across.tolist(), float(np.sum(across))])
    return Heat(heads, tuple(rows), totals, pairs, len(names))


def _count(x: float) -> str:
    return str(Count(x))


def _share(share: float, lang: Language, classes: int) -> str:
    return lang.percent(share) if classes <= SHARED and not np.isnan(share) else ""


def _depth(share: float, classes: int) -> int:
    """The step of the hue; of many classes by the root, so that rare confusions show, as charts do it."""
    if np.isnan(share):
        return 0
    return round(STEPS * float(share if classes <= MATRIX // 2 else share**0.5))
