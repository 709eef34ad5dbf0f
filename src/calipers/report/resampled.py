"""Models over resamples, as text and as a piece of HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from calipers.inference.estimate import digits
from calipers.report import html, layout, text
from calipers.report.language import Language, language
from calipers.report.layout import Cell, Footnotes, Table
from calipers.report.terminal import escape_label, fitted, wrapped
from calipers.report.validation import COLUMNS, FAILED, NAME, Figure, settings

if TYPE_CHECKING:
    from calipers.validation.bootstrap_validation import BootstrapValidation

SHOWN = (".632+", ".632", "out-of-bag", "optimism", "resubstitution")  # beside the method asked for


def table(found: BootstrapValidation, lang: Language) -> Table:
    """Every metric by the method asked for, with its interval, and by the others."""
    others = [name for name in SHOWN if name != found.method]
    level = lang.local(layout.percent(found.level))
    value = f"{found.method} [{level}]"
    rows: list[tuple[Cell, ...]] = []
    for name in found:
        by = found.estimates(name)
        figures = (Figure(by[m], "-" if by[m] != by[m] else lang.local(digits(by[m]))) for m in others)
        rows.append((name, found[name], *figures))  # there is no room for names in words
    head = (lang.say("report.metric"), value, *(_short(m, lang) for m in others))
    return Table("", head, tuple(rows))


def _short(method: str, lang: Language) -> str:
    return lang.say("validation.resampled.own") if method == "resubstitution" else method


def title(found: BootstrapValidation, lang: Language) -> str:
    """Task, rows, resamples and method."""
    told = {"task": lang.say(f"report.task_{found.task}"), "counted": layout.counted(lang, "rows", found.rows)}
    return lang.say("validation.resampled.title", **told, count=len(found.replicates), method=found.method)


def assumed(found: BootstrapValidation, lang: Language) -> Iterator[str]:
    """What the numbers rest on, a line each; failed replicates with their errors."""

    def line(key: str, told: str) -> str:
        return lang.say(key) + lang.say("report.colon") + told

    between = lang.say("report.separator")
    yield line("validation.model", fitted(escape_label(found.model), NAME))
    yield line("validation.seed", str(found.seed))
    if found.whole.own.positive is not None:
        yield line("report.positive", escape_label(found.whole.own.positive))
    yield settings("procedure", found.rows, lang)
    yield line("validation.resampled.methods", lang.say("validation.resampled.methods_told"))
    for key, form in (("rows_first", True), ("replicates_first", False)):
        named = [layout.briefly(n, lang) for n in found if found.row_by_row(n) == form]
        if named:
            yield line(f"validation.resampled.{key}", between.join(named))
    yield line("validation.resampled.distinct", lang.say("validation.resampled.distinct_told", share=found.distinct))
    yield line("report.intervals", lang.say("validation.resampled.intervals_told"))
    each = between.join(f"{layout.briefly(n, lang)} {lang.number(round(found.chance(n), 9) + 0.0)}" for n in found)
    yield line("validation.resampled.chance", lang.say("validation.resampled.chance_told", each=each))
    yield from (line("report.note", lang.remark(escape_label(note))) for note in found.notes)
    for each_failed in [f for f in found.failures if not f.stopped][:FAILED]:
        told = {"number": each_failed.number, "error": fitted(escape_label(each_failed.error), NAME)}
        yield line("validation.failed", lang.say("validation.resampled.failed_told", **told))


def render(found: BootstrapValidation, lang: str | None = None) -> str:
    """The table and what it rests on, at most 80 columns wide."""
    spoken = language(lang)
    notes = Footnotes(spoken)
    lines = [*wrapped(title(found, spoken), COLUMNS), "", *text.tabled(table(found, spoken), notes), ""]
    for line in assumed(found, spoken):
        lines += wrapped(line, COLUMNS)
    for letter, remark in notes:
        lines += wrapped(remark, COLUMNS, " " * 3, f"{letter}) ")
    return "\n".join(lines)


def fragment(found: BootstrapValidation, lang: str | None = None) -> str:
    """The same for notebooks."""
    spoken = language(lang)
    notes = Footnotes(spoken)
    parts = [f"<p><strong>{escape(title(found, spoken))}</strong></p>", html.tabled(table(found, spoken), notes)]
    parts += [html.listed(list(assumed(found, spoken)))]
    return html.framed([*parts, html.listed([f"{letter}) {remark}" for letter, remark in notes])], spoken)
