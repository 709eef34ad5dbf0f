"""What is said about the worst rows: one table, in every format; cells come from data, and are shown as labels are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from calipers.report.layout import Cell, Figure, Table, counted
from calipers.report.messages import place_of
from calipers.report.report import Report
from calipers.report.terminal import escape_label
from calipers.tasks import task_of

if TYPE_CHECKING:
    from calipers.evaluation.worst_rows import WorstRows
    from calipers.report.language import Language

CELL, COLUMNS = 60, 12  # columns of a cell; columns of a table
# Columns that are left out to save room, the first of these first.
SPARE = ("weight", "error", "score_of_truth", "label", "unjudged", "retrieved", "top", "documents", "index")


def report(worst: WorstRows, lang: Language) -> Report:
    """How many there are, the rows, and what the loss is."""
    unit = task_of(worst.task).unit
    listed = {"count": worst.n, "counted": counted(lang, unit, worst.total)}
    return Report(
        lang.say("rows.title", task=lang.say(f"report.task_{worst.task}"), **listed),
        tables=(table(worst, lang),) if worst.n else (),
        assumptions=tuple(_assumed(worst, lang)),
    )


def section(worst: WorstRows, lang: Language, most: int | None = None) -> Table:
    """The rows as a part of another report, whose caption says what the loss is."""
    if not worst.n:
        return Table(lang.say("rows.none"), (), ())
    shown = worst if most is None else worst.first(most)
    left = worst.n - shown.n
    caption = lang.say("rows.caption", unit=_unit(worst, lang), loss=_loss(worst, lang))
    return table(shown, lang, caption, lang.say("rows.more", count=left) if left else "")


def table(worst: WorstRows, lang: Language, caption: str = "", more: str = "") -> Table:
    """The columns that fit beside each other, those of Calipers first."""
    names = [*worst.measured, *worst.data]
    texts = {name: _texts(worst, name, lang) for name in names[:COLUMNS]}

    def of(chosen: list[str]) -> Table:
        head = tuple(_head(worst, name, lang) for name in chosen)
        return Table(caption, head, tuple(zip(*(texts[name] for name in chosen), strict=True)), more)

    whole = of(list(texts))
    narrower = tuple(of(chosen) for chosen in _fewer(list(texts), len(worst.measured)))
    return Table(whole.caption, whole.head, whole.rows, more, text=(whole, *narrower))


def _fewer(names: list[str], measured: int) -> Iterator[list[str]]:
    """Fewer and fewer columns: those of the data go first, the last one before the others, then those in SPARE."""
    for count in range(len(names) - 1, measured - 1, -1):
        yield names[:count]
    left = names[:measured]
    for name in SPARE:
        if name in left:
            left = [each for each in left if each != name]
            yield left
    while len(left) > 2:
        left = left[:-1]
        yield left


def _texts(worst: WorstRows, name: str, lang: Language) -> list[Cell]:
    if name == "row" and name in worst.measured:
        return [lang.remark(place_of(row)) for row in worst[name]]
    if {type(cell) for cell in worst[name]} - {type(None)} == {float}:
        return [Figure(math.nan if cell is None else float(cell), _text(cell, lang)) for cell in worst[name]]
    return [_text(cell, lang) for cell in worst[name]]


def _text(cell: Any, lang: Language) -> str:
    if isinstance(cell, tuple):
        return lang.say("report.names").join(escape_label(each) for each in cell) or "-"
    if isinstance(cell, float):
        return "-" if cell != cell else lang.number(cell)
    return "-" if cell is None else escape_label(cell)


def _head(worst: WorstRows, name: str, lang: Language) -> str:
    if name == worst.loss and task_of(worst.task).ranked:
        return lang.heading(name)
    key = f"rows.columns.{name.partition('[')[0]}"
    if name not in worst.measured or not lang.knows(key):
        return escape_label(name)
    _, mark, output = name.partition("[")
    return lang.say(key) + escape_label(mark + output) if mark else lang.say(key)


def _assumed(worst: WorstRows, lang: Language) -> Iterator[str]:
    colon = lang.say("report.colon")
    yield lang.say("rows.columns.loss") + colon + _loss(worst, lang)
    yield lang.say("rows.order") + colon + lang.say("rows.weights" if "weight" in worst.measured else "rows.ties")
    if worst.n == worst.with_loss:
        yield lang.say("report.note") + colon + lang.say("rows.all" if worst.n else "rows.none")


def _unit(worst: WorstRows, lang: Language) -> str:
    return lang.say(f"rows.unit.{task_of(worst.task).unit}")


def _loss(worst: WorstRows, lang: Language) -> str:
    if task_of(worst.task).ranked:
        return lang.say("rows.loss.query", measure=lang.heading(worst.loss))
    return lang.say(f"rows.loss.{worst.loss}")
