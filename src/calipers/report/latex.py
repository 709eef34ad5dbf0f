"""The tables of a report as LaTeX for papers, in the style of booktabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calipers.inference.estimate import Estimate
from calipers.report import layout
from calipers.report.layout import Cell, Count, Footnotes, Table
from calipers.report.report import footnotes

if TYPE_CHECKING:
    from calipers.report.language import Language
    from calipers.report.report import Report

SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "[": "{[}", "]": "{]}",  # at the start of a line they would be an option of the line break before
}  # fmt: skip


def render(report: Report, lang: Language) -> str:
    """Every table with its caption, the title with the first; then the findings and what the numbers are based on."""
    notes = Footnotes(lang)
    tables = [table for table in report.tables if table.rows]
    drawn = [tabled(table, notes, report.title if at == 0 else "") for at, table in enumerate(tables)]
    colon = lang.say("report.colon")
    found = [lang.say(f"report.{f.severity}") + colon + lang.finding(f) for f in report.findings]
    sentences = [*found, *report.sentences, *report.assumptions, *footnotes(notes)]
    items = [f"  \\item {plain(sentence)}" for sentence in (sentences if tables else [report.title, *sentences])]
    listed = ["\\begin{itemize}", *items, "\\end{itemize}"] if items else []
    return "\n\n".join([*drawn, "\n".join(listed)]) + "\n"


def plain(text: str) -> str:
    r"""Text that LaTeX prints as it is.

    >>> plain("a_b & 95%")
    'a\\_b \\& 95\\%'
    """
    return "".join(SPECIAL.get(character, character) for character in text)


def tabled(table: Table, notes: Footnotes, title: str = "") -> str:
    """One table; numbers stand at the right."""
    columns = "".join("r" if isinstance(cell, (Count, Estimate)) else "l" for cell in table.rows[0])
    caption = ". ".join(filter(None, (title, table.caption)))
    body = [_line([_cell(cell, notes) for cell in row]) for row in table.rows]
    more = [f"  \\multicolumn{{{len(columns)}}}{{l}}{{\\ldots{{}} {plain(table.more)}}} \\\\"] if table.more else []
    return "\n".join([
        "\\begin{table}",
        "  \\centering",
        *([f"  \\caption{{{plain(caption)}}}"] if caption else []),
        f"  \\begin{{tabular}}{{{columns}}}",
        "  \\toprule",
        _line([plain(name) for name in table.head]),
        "  \\midrule",
        *body,
        *more,
        "  \\bottomrule",
        "  \\end{tabular}",
        "\\end{table}",
    ])  # fmt: skip


def _line(cells: list[str]) -> str:
    return f"  {' & '.join(cells)} \\\\"


def _cell(cell: Cell, notes: Footnotes) -> str:
    if not isinstance(cell, Estimate):
        return plain(layout.text(cell, notes.lang)).replace("\n", "; ")
    marks = notes.marks(cell)
    return plain(layout.whole(cell, notes.lang)) + (f"\\textsuperscript{{{marks}}}" if marks else "")
