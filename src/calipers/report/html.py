"""An evaluation as a small piece of HTML for notebooks: no scripts, no colours of its own, everything escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from calipers.choices import Lang
from calipers.inference.estimate import Estimate
from calipers.report import layout
from calipers.report.language import Language, language
from calipers.report.layout import Cell, Count, Footnotes, Table

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.findings import Finding

# Notebooks have their own colours for tables, light and dark; lines and dimming follow the colour of the text.
STYLE = (
    ".calipers table{border-collapse:collapse;margin:.6em 0;font-variant-numeric:tabular-nums}"
    ".calipers caption,.calipers th,.calipers td{text-align:left;padding:.15em .7em}"
    ".calipers thead th{border-bottom:1px solid currentColor}"
    ".calipers .count{text-align:right}.calipers .dim{opacity:.75}"
)


def fragment(ev: Evaluation, lang: Lang | None = None) -> str:
    """The tables of an evaluation, what was assumed, and the footnotes."""
    spoken = language(lang)
    notes = Footnotes(spoken)
    start, names = layout.title(ev, spoken)
    labels = ", ".join(names) + (", ..." if len(names) < len(ev.labels) else "")
    parts = [f"<p><strong>{escape(start)}</strong>{escape(f' ({labels})') if names else ''}</p>"]
    parts += [findings(layout.findings(ev), spoken), _headline(ev, notes)]
    matrix = layout.matrix(ev)
    parts += [tabled(layout.confusion(matrix, spoken), notes)] if matrix is not None else []
    parts += [tabled(table, notes) for table in layout.tables(ev, spoken)]
    parts.append(listed(list(layout.assumed(ev, spoken))))
    parts.append(listed([f"{letter}) {text}" for letter, text in notes]))
    return framed(parts, spoken)


def framed(parts: list[str], lang: Language) -> str:
    """Pieces of HTML under the one style."""
    return f'<div class="calipers" lang="{lang.code}"><style>{STYLE}</style>{"".join(parts)}</div>'


def findings(every: Sequence[Finding], lang: Language) -> str:
    """All findings, each with what to do about it."""
    items = [
        f"<li><strong>{escape(lang.say(f'report.{f.severity}'))}</strong>{escape(lang.say('report.colon'))}"
        f'{escape(lang.finding(f))} <span class="dim">{escape(lang.advice(f))}</span></li>'
        for f in every
    ]
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _headline(ev: Evaluation, notes: Footnotes) -> str:
    table = layout.headline(ev, notes.lang)
    value = notes.lang.say("report.value_interval", level=notes.lang.local(layout.percent(ev.level)))
    return tabled(Table(table.caption, (table.head[0], value), table.rows), notes)


def tabled(table: Table, notes: Footnotes) -> str:
    """A table of labels, counts and estimates."""
    if not table.rows:
        return f"<p>{escape(table.caption)}</p>"
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    columns = zip(table.head, table.rows[0], strict=True)
    heads = [f'<th scope="col"{_kind(cell)}>{escape(name)}</th>' for name, cell in columns]
    rows = [
        f'<tr><th scope="row">{escape(str(first))}</th>'
        + "".join(f"<td{_kind(cell)}>{_cell(cell, notes)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in table.rows
    ]
    more = f'<p class="dim">... {escape(table.more)}</p>' if table.more else ""
    body = f'<thead><tr>{"".join(heads)}</tr></thead><tbody>{"".join(rows)}</tbody>'
    return f"<table>{caption}{body}</table>{more}"


def _kind(cell: Cell) -> str:
    return ' class="count"' if isinstance(cell, Count) else ""


def _cell(cell: Cell, notes: Footnotes) -> str:
    if not isinstance(cell, Estimate):
        return escape(str(cell))
    ends, marks = layout.bounds(cell, notes.lang), notes.marks(cell)
    interval = f' <span class="dim">{notes.lang.interval(*ends)}</span>' if ends else ""
    return f"{layout.value(cell, notes.lang)}{interval}{f' <sup>{marks}</sup>' if marks else ''}"


def listed(lines: list[str]) -> str:
    """Lines below each other, dim."""
    return f'<p class="dim">{"<br>".join(map(escape, lines))}</p>' if lines else ""
