"""A report as a small piece of HTML for notebooks: no scripts, everything escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from calipers.inference.estimate import Estimate
from calipers.report import layout
from calipers.report.language import Language
from calipers.report.layout import Cell, Count, Figure, Footnotes, Table
from calipers.report.report import footnotes

if TYPE_CHECKING:
    from calipers.findings import Finding
    from calipers.report.answers import ShownCard
    from calipers.report.layout import Bar
    from calipers.report.report import Report

# Notebooks have their own colours for tables, light and dark; lines and dimming follow the colour of the text.
# The class stands twice so that its rules win over those of JupyterLab, which put the text of tables to the right.
STYLE = (
    ".calipers table{border-collapse:collapse;margin:.6em 0;font-variant-numeric:tabular-nums}"
    ".calipers.calipers :is(caption,th,td){text-align:left;padding:.15em .7em}"
    ".calipers thead th{border-bottom:1px solid currentColor}"
    ".calipers.calipers .count{text-align:right}.calipers.calipers .beside{padding-left:0}.calipers .dim{opacity:.75}"
    ".calipers .answer{font-size:1.15em;font-weight:600}"
    ".calipers .cards{display:flex;flex-wrap:wrap;gap:.7em}"
    ".calipers .card{flex:1 1 13em;min-width:0;max-width:22em;padding:.5em .8em;border:1px solid;"
    "border-color:color-mix(in srgb,currentColor 25%,transparent);border-top:3px solid var(--tone,currentColor)}"
    ".calipers .big{font-size:1.5em;font-weight:600}.calipers .verdict{color:var(--tone);font-weight:600}"
    ".calipers .good{--tone:light-dark(#00664a,#5fd6ad)}.calipers .open{--tone:light-dark(#7a5c00,#e0c04a)}"
    ".calipers .bad{--tone:light-dark(#9a3d00,#f5a470)}"
)


def render(report: Report, lang: Language) -> str:
    """Title, findings, sentences and tables, what they are based on, and the footnotes."""
    notes = Footnotes(lang)
    parts = [f"<p><strong>{escape(report.title)}</strong>{escape(report.names)}</p>", answered(report)]
    parts.append(findings(report.findings, lang))
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in report.sentences)
    parts += [f"<ul>{items}</ul>"] if items else []
    parts += [tabled(table, notes) for table in report.tables]
    parts += [listed(list(report.assumptions)), listed(list(footnotes(notes)))]
    return framed(parts, lang)


def answered(report: Report) -> str:
    """The sentence and the cards with their bars; the colour of a verdict stands beside its sign, never alone."""
    if report.answer is None:
        return ""
    cards = "".join(_card(card) for card in report.answer.cards)
    return f'<p class="answer">{escape(report.answer.sentence)}</p><div class="cards">{cards}</div>'


def _card(card: ShownCard) -> str:
    lines = [f"<strong>{escape(card.question)}</strong>"]
    if card.verdict:
        lines.append(f'<span class="verdict">{card.sign} {escape(card.verdict)}</span>')
    if card.figure:
        lines.append(f'<span class="big">{escape(card.figure)}</span> <span class="dim">{escape(card.caption)}</span>')
    if card.bar is not None:
        lines.append(_bar(card.bar))
    below = " · ".join(filter(None, (card.measured, card.mark)))
    lines += [f'<span class="dim">{escape(below)}</span>'] if below else []
    lines.append(f"<span>{escape(card.sentence)}</span>")
    return f'<div class="card {card.tone}">{"".join(f"<div>{line}</div>" for line in lines)}</div>'


def _bar(bar: Bar) -> str:
    """An interval as a picture that follows the colour of the text."""
    low, high, value = (round(2 + 196 * x, 1) for x in (bar.low, bar.high, bar.value))
    mark = "" if bar.mark is None else f'<path d="M{2 + 196 * bar.mark:.1f} 0v12" stroke-dasharray="2 2"/>'
    return (
        '<svg width="200" height="12" viewBox="0 0 200 12" aria-hidden="true" stroke="currentColor" fill="none">'
        f'<path d="M0 6h200" opacity=".25"/>'
        f'<path d="M{low} 6h{max(high - low, 1):.1f}" stroke-width="6" opacity=".45"/>'
        f'{mark}<path d="M{value} 1v10" stroke-width="3"/></svg>'
    )


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


def tabled(table: Table, notes: Footnotes) -> str:
    """A table of labels, counts and estimates."""
    if not table.rows:
        return f"<p>{escape(table.caption)}</p>"
    caption = f"<caption>{escape(table.caption)}</caption>" if table.caption else ""
    parts = [[_parts(cell, notes) for cell in row] for row in table.rows]
    columns = [_Column.of(c, t) for c, t in zip(zip(*table.rows, strict=True), zip(*parts, strict=True), strict=True)]
    named = zip(table.head, columns, strict=True)
    heads = [f'<th scope="col"{column.head}>{escape(name)}</th>' for name, column in named]
    rows = [
        f'<tr><th scope="row">{escape(str(row[0]))}</th>'
        + "".join(column.cell(*each) for column, each in zip(columns[1:], texts[1:], strict=True))
        + "</tr>"
        for row, texts in zip(table.rows, parts, strict=True)
    ]
    more = f'<p class="dim">... {escape(table.more)}</p>' if table.more else ""
    body = f'<thead><tr>{"".join(heads)}</tr></thead><tbody>{"".join(rows)}</tbody>'
    return f"<table>{caption}{body}</table>{more}"


class _Column(NamedTuple):
    """Whether a column holds numbers, which stand right, and whether their bounds have a column beside them."""

    number: bool
    beside: bool

    @classmethod
    def of(cls, cells: Sequence[Cell], texts: Sequence[tuple[str, str]]) -> _Column:
        return cls(isinstance(cells[0], (Count, Estimate)), any(beside for _, beside in texts))

    @property
    def head(self) -> str:
        return ' colspan="2"' if self.beside else ' class="count"' if self.number else ""

    def cell(self, text: str, beside: str) -> str:
        kind = ' class="count"' if self.number else ""
        return f"<td{kind}>{text}</td>" + (f'<td class="beside">{beside}</td>' if self.beside else "")


def _parts(cell: Cell, notes: Footnotes) -> tuple[str, str]:
    """A cell, and what stands beside it: bounds and the letters of notes."""
    if isinstance(cell, Figure):
        return escape(cell.written), _dim(cell.interval)
    if not isinstance(cell, Estimate):
        return escape(layout.text(cell, notes.lang)).replace("\n", "<br>"), ""
    ends, marks = layout.bounds(cell), notes.marks(cell)
    interval = _dim(notes.lang.interval(*ends)) if ends else ""
    return layout.value(cell, notes.lang), interval + (f" <sup>{marks}</sup>" if marks else "")


def _dim(text: str) -> str:
    return f'<span class="dim">{escape(text)}</span>' if text else ""


def listed(lines: list[str]) -> str:
    """Lines below each other, dim."""
    return f'<p class="dim">{"<br>".join(map(escape, lines))}</p>' if lines else ""
