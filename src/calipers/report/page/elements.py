"""What a page is made of: numbers, tables, charts with the tables behind them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calipers.errors import InputError
from calipers.inference.estimate import Estimate
from calipers.report import layout
from calipers.report.layout import Cell, Count, Figure, Footnotes
from calipers.report.page.hover import points
from calipers.report.page.legend import Legend, boxed, taken
from calipers.report.plots.files import figure
from calipers.report.plots.svg import svg, title_of
from calipers.report.terminal import escape_label, fitted, width
from calipers.validation.cross_validation import Validation

if TYPE_CHECKING:
    from calipers.report.language import Language

LABEL, SENTENCE, ROWS = 60, 600, 40  # columns of a label and of a sentence; rows of the table behind a curve
PROSE = 40  # columns from which a cell of a table is broken into lines
LINE_POINTS, LEAST = 3000, 12  # points of all lines of a chart together, and of each at least
TAGS = 8  # classes or models that are named at the top
FORESTS = ("difference", "intervals", "folds", "parts", "checks", "critical_difference")  # as wide as their words
MARKED = ("roc", "pr", "thresholds")  # charts on which the workbench has its marker
LETTER = r"[\u0590-\u08ff\u200c\u200d\ufb1d-\ufdff\ufe70-\ufeff]"  # written from right to left
LEFTWARDS = re.compile(rf"{LETTER}+(?: {LETTER}+)*")
UNBROKEN = re.compile(r"\bp [<=] |[-+−\d.,]* ?\[[^\[\]]{1,40}\]")


class PageBudget(NamedTuple):
    """How much a page shows.

    numbers: metrics, `workings` of them with theirs. slicings: columns of slices. pairs: of models. rows: of a table
    of slices. classes: of the table of classes. lines: findings, definitions, footnotes, each. charts: pictures.
    entries: classes times slices of the workbench. boards: metrics by which models are sorted.
    """

    numbers: int
    workings: int
    slicings: int
    pairs: int
    rows: int
    lines: int
    charts: int
    entries: int
    classes: int
    boards: int


class GridCell(NamedTuple):
    """A cell of a table: its text, the interval and the footnotes beside it, and what it is sorted by.

    prose: whether the text is longer than a label, and may have lines of its own. number: whether it stands right.
    """

    text: str
    interval: str = ""
    marks: str = ""
    sort: str = ""
    prose: bool = False
    number: bool = False


@dataclass(frozen=True)
class Grid:
    """A table of a page; `more` says what was left out."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[GridCell, ...], ...]
    more: str = ""
    key: str = ""

    @property
    def columns(self) -> list[Column]:
        """What the columns hold, in the order of the head."""
        parts = ([row[at] for row in self.rows] for at in range(len(self.head)))
        return [Column(any(c.number for c in cells), any(c.interval or c.marks for c in cells)) for cells in parts]


class Column(NamedTuple):
    """Whether a column holds numbers, which stand right, and whether bounds or notes stand in a column beside them."""

    number: bool
    beside: bool


@dataclass(frozen=True)
class Chart:
    """A picture with its name and the numbers behind it; `axes` is where 0 and 1 are: x0, x1, y0, y1."""

    key: str
    name: str
    svg: Any
    table: Grid | None
    axes: tuple[float, ...] = ()
    forest: bool = False
    note: str = ""
    legend: Legend | None = None


def short(value: object, columns: int = LABEL) -> str:
    """Something that a user wrote, in one visible line that cannot make a page long."""
    return fitted(escape_label(value), columns)


def isolated(value: Any) -> Any:
    """A text in which words written from right to left do not turn what stands between them."""
    if type(value) is not str or value.isascii():
        return value
    return LEFTWARDS.sub("\u2068\\g<0>\u2069", value)


def unbroken(text: str) -> str:
    """A sentence whose intervals and p-values stay on one line.

    >>> unbroken("no evidence (p = 0.31), +0.1 [0, 0.2]").count("\N{NO-BREAK SPACE}")
    4
    """
    return UNBROKEN.sub(lambda match: match[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


def key_of(x: float) -> str:
    """What a number is sorted by; empty where it is undefined, which comes last."""
    return "" if math.isnan(x) else f"{float(x):.7g}"


def cell(value: Cell, notes: Footnotes, longest: int = LABEL) -> GridCell:
    """A cell of a report as a cell of a page; longest: columns of a text."""
    if isinstance(value, Estimate):
        ends = layout.bounds(value)
        order = key_of(value)
        interval = notes.lang.interval(*ends) if ends else ""
        return GridCell(layout.value(value, notes.lang), interval, notes.marks(value), order, number=True)
    if isinstance(value, Figure):
        return GridCell(value.written, value.interval, sort=key_of(value.value), number=True)
    if isinstance(value, Count):
        return GridCell(layout.text(value, notes.lang), sort=key_of(value.value), number=True)
    return GridCell(fitted(value, longest), prose=width(value) > PROSE or "\n" in value)


def grid(table: layout.Table, notes: Footnotes, key: str = "", longest: int = LABEL) -> Grid:
    """A table of a report as a table of a page; longest: columns of a text."""
    rows = tuple(tuple(cell(c, notes, longest) for c in row) for row in table.rows)
    head = tuple(fitted(text, longest) for text in table.head)
    return Grid(fitted(table.caption, SENTENCE), head, rows, table.more, key)


def numbers(caption: str, columns: Mapping[str, Iterable[Any]], words: Language) -> Grid:
    """Columns of numbers as a table."""
    rows = tuple(tuple(_cell(x, words) for x in row) for row in zip(*columns.values(), strict=True))
    return Grid(caption, tuple(columns), rows)


def _cell(x: Any, words: Language) -> GridCell:
    return GridCell(fitted(x, LABEL)) if isinstance(x, str) else GridCell(_number(float(x), words), number=True)


def _number(x: float, words: Language) -> str:
    if math.isnan(x):
        return "-"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    return words.count(x) if x.is_integer() and abs(x) > 1 else words.number(x)


def chart(
    result: Any, kind: str, words: Language, columns: Sequence[str] = (), *, key: str = "", curve: Any = None,
    **how: Any,
) -> Chart | None:  # fmt: skip
    """A chart of a result with the columns of its curve as a table; None where it cannot be drawn."""
    from markupsafe import Markup

    key = key or kind
    try:
        fig = figure(result, kind, lang=words.code, text_as_text=True, narrow=kind not in FORESTS, **how)
    except InputError:
        return None
    name = title_of(fig)
    for ax in fig.axes:
        ax.set_title("", loc="left")  # the page says it above the picture
    legend = None
    if kind not in FORESTS:
        legend = taken(fig)
        boxed(fig)
    _thin(fig)
    text = svg(fig, name=name, prefix=key)
    if kind not in FORESTS:
        text = text.removesuffix("</svg>") + points(fig, words) + "</svg>"
    axes = _places(fig) if kind in MARKED and not isinstance(result, Validation) else ()
    if axes:
        text = text.removesuffix("</svg>") + _marker(kind, axes) + "</svg>"
    table = None
    if columns:
        thin = curve.thinned(ROWS)
        table = numbers(name, {words.say(f"page.columns.{c}"): thin[c] for c in columns if c in thin}, words)
    return Chart(key, name, Markup(text), table, axes, kind in FORESTS, legend=legend)


def _thin(fig: Any) -> None:
    """Fewer points where a chart has many lines, so that no number of classes or models makes it heavy."""
    lines = [line for ax in fig.axes for line in ax.lines]
    if sum(len(line.get_xdata()) for line in lines) > LINE_POINTS:
        points = max(LEAST, LINE_POINTS // len(lines))
        for line in lines:
            indices = np.unique(np.linspace(0, len(line.get_xdata()) - 1, points).round().astype(int))
            line.set_data(np.asarray(line.get_xdata())[indices], np.asarray(line.get_ydata())[indices])


def _places(fig: Any) -> tuple[float, ...]:
    """Where 0 and 1 of both axes are in the picture, whose unit is a point; matplotlib counts from below."""
    scale = 72 / fig.dpi
    (left, bottom), (right, top) = (fig.axes[0].transData.transform((at, at)) * scale for at in (0, 1))
    height = fig.get_size_inches()[1] * 72
    return tuple(round(float(x), 2) for x in (left, right, height - bottom, height - top))


def _marker(kind: str, axes: tuple[float, ...]) -> str:
    """The point that the workbench moves, with lines to both axes; a page without scripts does not show it."""
    left, _, bottom, _ = axes
    line = 'stroke="currentColor" stroke-width="0.8" stroke-dasharray="3 2"'
    own = 'stroke="currentColor" stroke-width="1.6"'
    ring = 'r="5.5" fill="var(--cal-paper)" stroke="currentColor" stroke-width="2.4"'
    return (
        f'<g class="marker" data-kind="{kind}" visibility="hidden"><path class="own" fill="none" {own} d="M0 0"/>'
        f'<path class="cross" fill="none" {line} d="M0 0"/>'
        f'<circle cx="{left}" cy="{bottom}" {ring}/></g>'
    )
