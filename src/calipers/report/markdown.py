"""A report as Markdown for pull requests and wikis: findings first, then the tables, what was assumed below."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from calipers.inference.estimate import Estimate
from calipers.report import layout
from calipers.report.language import Language
from calipers.report.layout import Cell, Count, Footnotes, Table

if TYPE_CHECKING:
    from calipers.findings import Finding
    from calipers.report.report import Report

SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~&!])")


def render(report: Report, lang: Language) -> str:
    """Title, findings, sentences and tables, and what they are based on."""
    notes = Footnotes(lang)
    parts = [f"### {plain(report.title)}{plain(report.names)}", *answered(report, lang)]
    parts += findings(report.findings, lang)
    parts += ["\n".join(f"- {plain(sentence)}" for sentence in report.sentences)] if report.sentences else []
    parts += [tabled(table, notes) for table in report.tables]
    return "\n\n".join([*parts, listed(report.assumptions, notes)]) + "\n"


def answered(report: Report, lang: Language) -> list[str]:
    """The sentence, and a table of the verdicts."""
    if report.answer is None:
        return []
    cards = [card for card in report.answer.cards if card.verdict or card.figure]
    lines = [_line(["", lang.say("answers.question.head"), lang.say("answers.verdict.head"), ""]), _line(["---"] * 4)]
    for card in cards:
        counted = " ".join(filter(None, (card.figure, card.caption)))
        numbers = lang.say("answers.between").join(filter(None, (counted, card.measured)))
        lines.append(_line([card.sign, plain(card.question), plain(card.verdict), plain(numbers)]))
    return [f"**{plain(report.answer.sentence)}**", *(["\n".join(lines)] if cards else [])]


def listed(assumed: Iterable[str], notes: Footnotes) -> str:
    """What the numbers are based on, and the footnotes of the tables above."""
    return "\n".join([*(f"- {plain(text)}" for text in assumed), *(f"- {mark}) {plain(text)}" for mark, text in notes)])


def plain(text: str) -> str:
    r"""Text that Markdown shows as it is.

    >>> plain("a_b | <c>")
    'a\\_b \\| \\<c\\>'
    """
    return SPECIAL.sub(r"\\\1", text)


def findings(every: Iterable[Finding], lang: Language) -> list[str]:
    """Each finding with its advice, as a quotation."""
    colon = lang.say("report.colon")
    return [
        f"> **{lang.say(f'report.{f.severity}')}**{lang.say('report.names_behind', names=_code(f))}{colon}"
        f"{plain(lang.finding(f))}\n>\n"
        f"> {plain(lang.advice(f))}"
        for f in every
    ]


def _code(finding: Finding) -> str:
    """The code of a finding, as a link to its explanation where that is published."""
    return f"[`{finding.code}`]({finding.link})" if finding.link else f"`{finding.code}`"


def tabled(table: Table, notes: Footnotes) -> str:
    """A table under its caption, and what was left out of it."""
    caption = [f"**{plain(table.caption)}**", ""] if table.caption else []
    if not table.rows:
        return "\n".join(caption[:1])
    right = [isinstance(cell, (Count, Estimate)) for cell in table.rows[0]]
    lines = [
        _line([plain(name) for name in table.head]),
        _line(["--:" if number else "---" for number in right]),
        *(_line([_cell(cell, notes) for cell in row]) for row in table.rows),
    ]
    return "\n".join([*caption, *lines, *(["", f"... {plain(table.more)}"] if table.more else [])])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell, notes: Footnotes) -> str:
    if not isinstance(cell, Estimate):
        return plain(layout.text(cell, notes.lang)).replace("\n", "<br>")
    marks = notes.marks(cell)
    return plain(layout.whole(cell, notes.lang)) + (f" <sup>{marks}</sup>" if marks else "")
