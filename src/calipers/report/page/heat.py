"""The confusion matrix: a table of counts while there are few classes, else a map of cells, for any number of them.

The deeper a cell, the larger its share of the true class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.report import evaluation as description
from calipers.report.layout import Count
from calipers.report.page.elements import LABEL, Grid, GridCell, PageBudget, key_of, short
from calipers.report.terminal import distinct_labels, escape_label

if TYPE_CHECKING:
    from calipers.evaluation.confusion import Confusion
    from calipers.report.language import Language

STEPS, SHARED, TABLED = 10, 6, 20  # depths of the colour; classes whose cells show shares too; classes of a table
CELLS, TITLED, NAME = 8000, 22, 30  # cells of a map; of these, for each line of the budget, with their numbers; columns
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


@dataclass(frozen=True)
class Heat:
    """Rows of (label, cells of (count, share, depth, right), total), totals of the columns, and the pairs.

    cells: the map in the place of a table; ticks: numbers of classes and where they stand, in percent.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str, int, bool], ...], str], ...]
    totals: tuple[str, ...]
    pairs: Grid | None
    classes: int
    cells: Any = ""
    ticks: tuple[tuple[int, float], ...] = ()
    keys: tuple[tuple[int, str], ...] = ()
    more: str = ""


def heat(table: Confusion, lang: Language, budget: PageBudget) -> Heat:
    """The matrix as a table or a map, and the confusions that occur most often."""
    found = None if len(table.labels) <= 2 else pairs(table, lang)
    if len(table.labels) > min(TABLED, budget.rows):
        return _map(table, lang, found, budget)
    names = tuple(distinct_labels(table.labels, LABEL))
    shares, (down, across) = table.normalised("truth"), table.margins
    rows = []
    for i, name in enumerate(names):
        cells = tuple(
            (lang.count(count), _share(shares[i, j], lang, len(names)), _depth(shares[i, j], len(names)), i == j)
            for j, count in enumerate(table.counts[i].tolist())
        )
        rows.append((name, cells, lang.count(float(down[i]))))
    totals = tuple(lang.count(float(x)) for x in [*across.tolist(), float(np.sum(across))])
    return Heat(names, tuple(rows), totals, found, len(names))


def _map(table: Confusion, lang: Language, found: Grid | None, budget: PageBudget) -> Heat:
    """A square for each pair of classes that occurs; the most frequent say their numbers when they are pointed at."""
    from markupsafe import Markup, escape

    names, classes = [short(v, NAME) for v in table.labels], len(table.labels)
    counts = table.counts if table.rows == "truth" else table.counts.T
    shares = np.nan_to_num(table.normalised("truth"))
    order = np.argsort(-counts, axis=None, kind="stable")[:CELLS]
    places = [(int(i), int(j)) for i, j in zip(*np.unravel_index(order, counts.shape), strict=True) if counts[i, j] > 0]
    parts: list[str] = []
    plain: dict[int, list[str]] = {}
    for at, (i, j) in enumerate(places):
        depth = max(1, _depth(shares[i, j], classes))
        if at < TITLED * budget.lines:
            values = {"truth": names[i], "predicted": names[j], "count": lang.count(float(counts[i, j]))}
            title = lang.say("views.parts.cell", **values, share=float(shares[i, j]))
            parts.append(f'<path class="d{depth}" d="M{j} {i}h1v1h-1z"><title>{escape(title)}</title></path>')
        else:
            plain.setdefault(depth, []).append(f"M{j} {i}h1v1h-1z")
    merged = [f'<path class="d{depth}" d="{"".join(squares)}"/>' for depth, squares in sorted(plain.items())]
    step = next((n for n in TICKS if classes / n <= 12), TICKS[-1])
    ticks = tuple((n, round(100 * (n - 0.5) / classes, 2)) for n in range(step, classes + 1, step))
    name = escape(lang.term("confusion"))
    svg = (f'<svg class="cells" viewBox="0 0 {classes} {classes}" role="img" aria-label="{name}">'
           f'{"".join(merged)}{"".join(parts)}</svg>')  # fmt: skip
    shown = budget.classes
    keys = tuple(enumerate(distinct_labels(table.labels[:shown], LABEL), 1))
    more = lang.say("report.more_classes", count=classes - shown) if classes > shown else ""
    return Heat((), (), (), found, classes, Markup(svg), ticks, keys, more)


def pairs(table: Confusion, lang: Language) -> Grid:
    """The confusions that occur most often, with their share of the true class."""
    known = description.pairs(table, lang)
    down = dict(zip(map(escape_label, table.labels), table.margins[0].tolist(), strict=True))
    rows = []
    for truth, predicted, count in known.rows:
        of = down.get(str(truth), 0.0)
        assert isinstance(count, Count)
        share = count.value / of if of else float("nan")
        rows_of = lang.say("views.parts.of", count=lang.count(count.value), of=lang.count(of))
        rows.append((GridCell(short(truth)), GridCell(short(predicted)), GridCell(rows_of, sort=key_of(count.value)),
                     GridCell(lang.percent(share), sort=key_of(share))))  # fmt: skip
    head = (*known.head[:2], known.head[2], lang.say("views.parts.share"))
    return Grid(known.caption, head, tuple(rows), known.more)


def _share(share: float, lang: Language, classes: int) -> str:
    return lang.percent(share) if classes <= SHARED and not np.isnan(share) else ""


def _depth(share: float, classes: int) -> int:
    """The step of the hue; of many classes by the root, so that rare confusions show, as charts do it."""
    if np.isnan(share):
        return 0
    return round(STEPS * float(share if classes <= description.MATRIX // 2 else share**0.5))
