"""Models over folds, as text and as a piece of HTML."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from calipers.inference.estimate import Estimate, digits
from calipers.report import html, layout, markdown, text
from calipers.report.language import Language, language
from calipers.report.layout import Cell, Count, Footnotes, Table
from calipers.report.terminal import escape_label, fitted, wrapped

if TYPE_CHECKING:
    from calipers.validation.cross_validation import Validation
    from calipers.validation.pooling import OutOfFold

COLUMNS, NAME, FAILED = 80, 240, 3


@dataclass(frozen=True)
class Figure(Count):
    """A number without bounds, written as the language does."""

    written: str = ""

    def __str__(self) -> str:
        return self.written


def figure(e: Estimate | None, lang: Language) -> Figure:
    """A value alone; nothing where there is none."""
    return Figure(float("nan"), "") if e is None else Figure(float(e), "-" if e != e else lang.local(digits(e)))


def table(found: Validation, lang: Language, *, wide: bool = False) -> Table:
    """Every metric: mean over folds with its interval, pooled, on training rows, and the gap to those.

    wide: with the intervals of the gap, for which a terminal has no room.
    """
    level = lang.local(layout.percent(found.level))
    simple = found.splits.alone or len(found.folds) == 1
    head = [lang.say("report.metric"), lang.say("validation.value" if simple else "validation.mean", level=level)]
    pooled: Mapping[str, Estimate] = {} if simple or found.unpooled else found.pooled()
    columns = {"pooled": pooled, "train": found.train, "gap": found.gap}
    shown = {name: column for name, column in columns.items() if column}
    rows: list[tuple[Cell, ...]] = [
        (layout.called(name, lang), found[name], *(_beside(c, name, lang, wide) for c in shown.values()))
        for name in found
    ]
    return Table("", (*head, *(lang.say(f"validation.{name}") for name in shown)), tuple(rows))


def _beside(column: Mapping[str, Estimate], name: str, lang: Language, wide: bool) -> Cell:
    e = column.get(name)
    return e if wide and e is not None and not math.isnan(e.low) else figure(e, lang)


def title(found: Validation, lang: Language) -> str:
    """Task, rows and how they were split."""
    done = lang.say("report.separator").join(lang.remark(escape_label(part)) for part in found.splits.done)
    rows = layout.counted(lang, "rows", found.rows)
    return lang.say("validation.title", task=lang.say(f"report.task_{found.task}"), counted=rows, cv=done)


def assumed(found: Validation, lang: Language) -> Iterator[str]:
    """What the numbers rest on, a line each; failed folds with their errors."""
    colon = lang.say("report.colon")
    first = found.folds[0]
    yield lang.say("validation.model") + colon + fitted(escape_label(found.model), NAME)
    yield lang.say("validation.seed") + colon + str(found.seed)
    if first.evaluation.positive is not None:
        yield lang.say("report.positive") + colon + escape_label(first.evaluation.positive)
    yield settings(found.about, found.trained, lang)
    if found.splits.alone:
        yield lang.say("report.value") + colon + lang.say("validation.alone_told", count=len(found.folds))
    if len(found.folds) == 1:
        yield lang.say("report.value") + colon + lang.say("validation.one_told", count=len(first.test))
    elif found.inner is not None:
        fits, factor = found.inner.fits, _factor(found.out_of_fold, lang)
        yield lang.say("report.intervals") + colon + lang.say("validation.nested_told", count=fits, factor=factor)
    else:
        tested = None if found.method == "folds" else found.out_of_fold
        yield intervals(tested, len(found.folds), lang, overfit=found.has_train)
    if len(found.folds) > 1 and not found.splits.alone:
        yield lang.say("validation.pooled") + colon + lang.say("validation.pooled_told", count=len(found.folds))
    if found.gap:
        yield lang.say("validation.gap") + colon + lang.say("validation.gap_told")
    yield from (lang.say("report.note") + colon + lang.remark(escape_label(note)) for note in found.notes)
    failed = [f for f in found.failures if not f.stopped]
    for each in failed[:FAILED]:
        told = lang.say("validation.failed_told", fold=each.number, error=fitted(escape_label(each.error), NAME))
        yield lang.say("validation.failed") + colon + told
    if len(failed) > FAILED:
        yield lang.say("validation.more_failed", count=len(failed) - FAILED)


def settings(about: str, trained: int, lang: Language) -> str:
    """Which question the intervals answer."""
    told = lang.say(f"validation.about.{about}", count=trained)
    return lang.say("validation.question") + lang.say("report.colon") + told


def intervals(tested: OutOfFold | None, folds: int, lang: Language, *, overfit: bool = True) -> str:
    """Where the intervals of means over folds come from: the test rows, or the values of the folds.

    overfit: whether training rows were measured, which show how much the model overfits.
    """
    if tested is None:
        told = lang.say("validation.mean_told", count=folds, method=lang.remark("corrected resampled t"))
    elif overfit:
        least, most = _factor(tested, lang, unseen=0.0), _factor(tested, lang)
        told = lang.say("validation.overfit_told", least=least, factor=most)
    else:
        told = lang.say("validation.rows_told", factor=_factor(tested, lang))
    return lang.say("report.intervals") + lang.say("report.colon") + told


def _factor(tested: OutOfFold, lang: Language, unseen: float = 1.0) -> str:
    return lang.local(f"{tested.factor(tested.passes[0], unseen):.3g}")


def render(found: Validation, lang: str | None = None) -> str:
    """Findings, the table, and what it rests on, at most 80 columns wide."""
    spoken = language(lang)
    notes = Footnotes(spoken)
    lines = wrapped(title(found, spoken), COLUMNS)
    warned = [line for f in found.findings for line in wrapped(f"! {spoken.finding(f)}", COLUMNS)]
    lines += ["", *warned] if warned else []
    lines += ["", *text.tabled(table(found, spoken), notes), ""]
    for line in assumed(found, spoken):
        lines += wrapped(line, COLUMNS)
    for letter, remark in notes:
        lines += wrapped(remark, COLUMNS, " " * 3, f"{letter}) ")
    return "\n".join(lines)


def in_markdown(found: Validation, lang: str | None = None) -> str:
    """The same as Markdown."""
    spoken = language(lang)
    notes = Footnotes(spoken)
    parts = [f"### {markdown.plain(title(found, spoken))}", *markdown.findings(found.findings, spoken)]
    parts.append(markdown.drawn(table(found, spoken, wide=True), notes))
    return "\n\n".join([*parts, markdown.listed(assumed(found, spoken), notes)]) + "\n"


def fragment(found: Validation, lang: str | None = None) -> str:
    """The same for notebooks."""
    spoken = language(lang)
    notes = Footnotes(spoken)
    parts = [f"<p><strong>{escape(title(found, spoken))}</strong></p>", html.findings(found.findings, spoken)]
    parts += [html.tabled(table(found, spoken), notes), html.listed(list(assumed(found, spoken)))]
    return html.framed([*parts, html.listed([f"{letter}) {remark}" for letter, remark in notes])], spoken)
