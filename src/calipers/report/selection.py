"""A choice among models in words, with its evidence."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from calipers.report import html, layout, text
from calipers.report.language import Language, language
from calipers.report.layout import Cell, Footnotes, Table
from calipers.report.terminal import escape_label, fitted, wrapped
from calipers.report.validation import COLUMNS, NAME, figure, intervals, settings

if TYPE_CHECKING:
    from calipers.validation.selection import Selection

LABEL = 32


def render(found: Selection, lang: str | None = None) -> str:
    """The choice, the table of all models, and what it rests on, at most 80 columns wide."""
    spoken = language(lang)
    notes = Footnotes(spoken)
    lines = [*wrapped(title(found, spoken), COLUMNS), ""]
    for sentence in said(found, spoken):
        lines += wrapped(sentence, COLUMNS)
    lines += ["", *text.tabled(table(found, spoken), notes), ""]
    for line in assumed(found, spoken):
        lines += wrapped(line, COLUMNS)
    for letter, remark in notes:
        lines += wrapped(remark, COLUMNS, " " * 3, f"{letter}) ")
    return "\n".join(lines)


def fragment(found: Selection, lang: str | None = None) -> str:
    """The same for notebooks."""
    spoken = language(lang)
    notes = Footnotes(spoken)
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in said(found, spoken))
    parts = [f"<p><strong>{escape(title(found, spoken))}</strong></p>", f"<ul>{items}</ul>"]
    parts += [html.tabled(table(found, spoken), notes), html.listed(list(assumed(found, spoken)))]
    return html.framed([*parts, html.listed([f"{letter}) {remark}" for letter, remark in notes])], spoken)


def title(found: Selection, lang: Language) -> str:
    """How many models, by what, over which rows and folds."""
    told = {"count": len(found.candidates) + len(found.failures), "metric": layout.briefly(found.metric, lang)}
    rows = layout.counted(lang, "rows", found.outer.rows)
    return lang.say("validation.selection.title", **told, counted=rows, cv=_done(found.splits.description, lang))


def _done(told: str, lang: Language) -> str:
    return lang.say("report.separator").join(lang.remark(escape_label(part)) for part in told.split(", "))


def said(found: Selection, lang: Language) -> Iterator[str]:
    """The choice, what its finalists differ by, and what such a choice is worth."""
    best = found.candidates[found.best].average
    told = {
        "choice": _short(found.choice), "best": _short(found.best), "count": len(found.finalists),
        "value": lang.number(best.mean), "error": lang.number(best.error),
    }  # fmt: skip
    key = "best" if found.rule == "best" else "only" if found.choice == found.best else "simpler"
    yield lang.say(f"validation.selection.{key}", **told)
    for name, c in found.comparisons.items():
        gap, low, high = (f"{x:+.4f}" for x in (c.difference, c.low, c.high))
        bounds = "" if c.low != c.low else f" {lang.interval(low, high)}"
        winner = found.winner(name)
        words = lang.say("compare.verdicts.either_way" if winner is None else "compare.verdicts.better",
                         winner=_short(winner or ""))  # fmt: skip
        pair = {"first": _short(found.choice), "second": _short(name), "difference": lang.local(gap) + bounds}
        yield lang.say("validation.selection.pair", **pair, p=found.pvalues[name], verdict=words)
    times, folds = found.candidates[found.choice].times, len(found.splits)
    key = "stable" if 2 * times >= folds else "unstable"
    yield lang.say(f"validation.selection.{key}", times=times, folds=folds)
    if not found.comparisons:
        yield lang.say("validation.selection.none")
    worth = {"metric": layout.briefly(found.metric, lang), "value": layout.whole(found.nested, lang)}
    key = "nested" if found.optimism > 0 else "worse"
    yield lang.say(f"validation.selection.{key}", **worth, optimism=lang.number(found.optimism))


def _short(name: str) -> str:
    return fitted(escape_label(name), LABEL)


def table(found: Selection, lang: Language) -> Table:
    """Every model: mean over folds with its interval, on training rows, and in how many folds it was chosen."""
    level = lang.local(layout.percent(found.level))
    rows: list[tuple[Cell, ...]] = []
    for name, c in found.candidates.items():
        times = lang.say("validation.selection.of_folds", times=c.times, folds=len(found.splits))
        rows.append((_short(name), c.average.estimate, figure(c.train_average.estimate, lang), times))
    head = ("validation.selection.model", "validation.mean", "validation.train", "validation.selection.chosen")
    return Table("", tuple(lang.say(key, level=level) for key in head), tuple(rows))


def assumed(found: Selection, lang: Language) -> Iterator[str]:
    """What the choice rests on, a line each; models that failed with their first error."""

    def line(key: str, told: str) -> str:
        return lang.say(key) + lang.say("report.colon") + told

    method = lang.remark("corrected resampled t")
    yield line("validation.seed", str(found.seed))
    yield settings("choice", found.splits.trained, lang)
    yield intervals(found.outer.tested, len(found.splits), lang)
    if found.comparisons:
        yield line("validation.selection.tests", lang.say("validation.selection.tests_told", method=method))
    inner = _done(found.inner, lang)
    yield line("validation.selection.inner", lang.say("validation.selection.inner_told", cv=inner))
    yield from (line("report.note", lang.remark(escape_label(note))) for note in found.notes)
    for name, failed in found.failures.items():
        told = f"{_short(name)}{lang.say('report.colon')}{fitted(escape_label(failed[0].error), NAME)}"
        yield line("validation.selection.left_out", told)
