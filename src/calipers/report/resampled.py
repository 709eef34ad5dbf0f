"""What is said about models over resamples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from calipers.report import layout
from calipers.report.language import Language
from calipers.report.layout import Cell, Figure, Table
from calipers.report.report import Report
from calipers.report.terminal import escape_label, fitted
from calipers.report.validation import FAILED, NAME, settings

if TYPE_CHECKING:
    from calipers.validation.bootstrap_validation import BootstrapValidation

METHODS = (".632+", ".632", "out-of-bag", "optimism", "resubstitution")  # beside the method asked for


def table(validation: BootstrapValidation, lang: Language) -> Table:
    """Every metric by the method asked for, with its interval, and by the others."""
    others = [name for name in METHODS if name != validation.method]
    level = lang.local(layout.percent(validation.level))
    value = f"{validation.method} [{level}]"
    rows: list[tuple[Cell, ...]] = []
    for name in validation:
        by = validation.estimates(name)
        figures = (Figure(by[m], "-" if by[m] != by[m] else lang.number(by[m])) for m in others)
        rows.append((layout.called(name, lang), validation[name], *figures))
    head = (lang.say("report.metric"), value, *(_short(m, lang) for m in others))
    return Table("", head, tuple(rows))


def _short(method: str, lang: Language) -> str:
    return lang.say("validation.resampled.own") if method == "resubstitution" else method


def title(validation: BootstrapValidation, lang: Language) -> str:
    """Task, rows, resamples and method."""
    values = {
        "task": lang.say(f"report.task_{validation.task}"),
        "counted": layout.counted(lang, "rows", validation.rows),
    }
    return lang.say("validation.resampled.title", **values, count=len(validation.replicates), method=validation.method)


def assumed(validation: BootstrapValidation, lang: Language) -> Iterator[str]:
    """The assumptions of the numbers, one line each; failed replicates with their errors."""

    def line(key: str, sentence: str) -> str:
        return lang.say(key) + lang.say("report.colon") + sentence

    yield line("validation.model", fitted(escape_label(validation.model), NAME))
    yield line("validation.seed", str(validation.seed))
    if validation.whole.own.positive is not None:
        yield line("report.positive", escape_label(validation.whole.own.positive))
    yield settings("procedure", validation.rows, lang)
    yield line("validation.resampled.methods", lang.say("validation.resampled.methods_note"))
    for key, form in (("rows_first", True), ("replicates_first", False)):
        named = [layout.briefly(n, lang) for n in validation if validation.row_by_row(n) == form]
        if named:
            yield line(f"validation.resampled.{key}", lang.say("report.names").join(named))
    yield line(
        "validation.resampled.distinct", lang.say("validation.resampled.distinct_note", share=validation.distinct)
    )
    yield line("report.intervals", lang.say("validation.resampled.intervals_note"))
    each = lang.say("compare.separator").join(
        f"{layout.briefly(n, lang)} {lang.number(round(validation.chance(n), 9) + 0.0)}" for n in validation
    )
    yield line("validation.resampled.chance", lang.say("validation.resampled.chance_note", each=each))
    yield from (line("report.note", lang.remark(note)) for note in validation.notes)
    for each_failed in [f for f in validation.failures if not f.stopped][:FAILED]:
        values = {"number": each_failed.number, "error": fitted(escape_label(each_failed.error), NAME)}
        yield line("validation.failed", lang.say("validation.resampled.failed_note", **values))


def report(validation: BootstrapValidation, lang: Language) -> Report:
    """The table and what it is based on."""
    return Report(
        title(validation, lang), tables=(table(validation, lang),), assumptions=tuple(assumed(validation, lang))
    )
