"""A choice among models in words, with its evidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from calipers import numerals
from calipers.remarks import Remark
from calipers.report import layout
from calipers.report.language import Language
from calipers.report.layout import Cell, Table
from calipers.report.report import Report
from calipers.report.terminal import escape_label, fitted
from calipers.report.validation import NAME, figure, intervals, settings

if TYPE_CHECKING:
    from calipers.validation.selection import Selection

LABEL = 32


def report(selection: Selection, lang: Language) -> Report:
    """The choice in words, the table of all models, and what it is based on."""
    return Report(
        title(selection, lang),
        sentences=tuple(sentences(selection, lang)),
        tables=(table(selection, lang),),
        assumptions=tuple(assumed(selection, lang)),
    )


def title(selection: Selection, lang: Language) -> str:
    """How many models, by what, over which rows and folds."""
    values = {
        "count": len(selection.candidates) + len(selection.failures),
        "metric": lang.name(selection.metric),
    }
    rows = layout.counted(lang, "rows", selection.outer.rows)
    return lang.say("validation.selection.title", **values, counted=rows, cv=lang.remark(selection.splits.description))


def sentences(selection: Selection, lang: Language) -> Iterator[str]:
    """The choice, what its finalists differ by, and the nested estimate of such a choice."""
    best = selection.candidates[selection.best].average
    values = {
        "choice": _short(selection.choice), "best": _short(selection.best), "count": len(selection.finalists),
        "value": lang.number(best.mean), "error": lang.number(best.error),
    }  # fmt: skip
    key = "best" if selection.rule == "best" else "only" if selection.choice == selection.best else "simpler"
    yield lang.say(f"validation.selection.{key}", **values)
    for name, c in selection.comparisons.items():
        gap, low, high = numerals.interval(c.difference, c.low, c.high, sign=True)
        bounds = "" if c.low != c.low else f" {lang.interval(low, high)}"
        winner = selection.winner(name)
        words = lang.say("compare.verdicts.either_way" if winner is None else "compare.verdicts.better",
                         winner=_short(winner or ""))  # fmt: skip
        pair = {"first": _short(selection.choice), "second": _short(name), "difference": lang.local(gap) + bounds}
        yield lang.say("validation.selection.pair", **pair, p=selection.pvalues[name], verdict=words)
    times, folds = selection.candidates[selection.choice].times, len(selection.splits)
    key = "stable" if 2 * times >= folds else "unstable"
    yield lang.say(f"validation.selection.{key}", times=times, folds=folds)
    if not selection.comparisons:
        yield lang.say("validation.selection.none")
    nested_values = {"metric": lang.name(selection.metric), "value": layout.whole(selection.nested, lang)}
    key = "nested" if selection.optimism > 0 else "worse"
    yield lang.say(f"validation.selection.{key}", **nested_values, optimism=lang.number(selection.optimism))


def _short(name: str) -> str:
    return fitted(escape_label(name), LABEL)


def table(selection: Selection, lang: Language) -> Table:
    """Every model: mean over folds with its interval, on training rows, and in how many folds it was chosen."""
    level = lang.local(layout.percent(selection.level))
    rows: list[tuple[Cell, ...]] = []
    for name, c in selection.candidates.items():
        times = lang.say("validation.selection.of_folds", times=c.times, folds=len(selection.splits))
        rows.append((_short(name), c.average.estimate, figure(c.train_average.estimate, lang), times))
    head = ("validation.selection.model", "validation.mean", "validation.train", "validation.selection.chosen")
    return Table("", tuple(lang.say(key, level=level) for key in head), tuple(rows))


def assumed(selection: Selection, lang: Language) -> Iterator[str]:
    """The assumptions of the choice, one line each; models that failed with their first error."""

    def line(key: str, sentence: str) -> str:
        return lang.say(key) + lang.say("report.colon") + sentence

    method = lang.remark(Remark("comparison.corrected_t_test"))
    yield line("validation.seed", str(selection.seed))
    yield settings("choice", selection.splits.trained, lang)
    yield intervals(selection.outer.tested, len(selection.splits), lang)
    if selection.comparisons:
        yield line("validation.selection.tests", lang.say("validation.selection.tests_note", method=method))
    inner = lang.remark(selection.inner)
    yield line("validation.selection.inner", lang.say("validation.selection.inner_note", cv=inner))
    yield from (line("report.note", lang.remark(note)) for note in selection.notes)
    for name, failed in selection.failures.items():
        failure = f"{_short(name)}{lang.say('report.colon')}{fitted(escape_label(failed[0].error), NAME)}"
        yield line("validation.selection.left_out", failure)
