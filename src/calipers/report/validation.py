"""What is said about models over folds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from calipers import numerals
from calipers.answers import answer_over_folds
from calipers.inference.estimate import Estimate
from calipers.report import layout
from calipers.report.answers import shown
from calipers.report.language import Language
from calipers.report.layout import Cell, Figure, Table
from calipers.report.report import Report
from calipers.report.terminal import escape_label, fitted
from calipers.validation.averages import CORRECTED

if TYPE_CHECKING:
    from calipers.validation.cross_validation import Validation
    from calipers.validation.pooling import OutOfFold

NAME, FAILED = 240, 3
ROUNDING = 1e-13


def figure(e: Estimate | None, lang: Language, of: float = 0.0) -> Figure:
    """A value alone; nothing where there is none.

    of: the size of the numbers that it is a difference of. What their rounding leaves is 0.
    """
    if e is None:
        return Figure(float("nan"), "")
    value = 0.0 if abs(e) < ROUNDING * abs(of) else float(e)
    text = numerals.beside(value, of) if of else numerals.number(value)
    return Figure(value, "-" if e != e else lang.local(text))


def table(validation: Validation, lang: Language, *, wide: bool = False) -> Table:
    """Every metric: mean over folds with its interval, pooled, on training rows, and the gap to those.

    wide: with the intervals of the gap, for which a terminal has no room.
    """
    level = lang.local(layout.percent(validation.level))
    simple = validation.splits.alone or len(validation.folds) == 1
    head = [lang.say("report.metric"), lang.say("validation.value" if simple else "validation.mean", level=level)]
    pooled: Mapping[str, Estimate] = {} if simple or validation.unpooled else validation.pooled()
    columns = {"pooled": pooled, "train": validation.train, "gap": validation.gap}
    filled = {name: column for name, column in columns.items() if column}
    rows: list[tuple[Cell, ...]] = [
        (layout.called(name, lang), mean, *(_side_cell(c, name, lang, wide, of=mean) for c in filled.values()))
        for name, mean in validation.items()
    ]
    return Table("", (*head, *(lang.say(f"validation.{name}") for name in filled)), tuple(rows))


def _side_cell(column: Mapping[str, Estimate], name: str, lang: Language, wide: bool, of: float) -> Cell:
    e = column.get(name)
    return e if wide and e is not None and not math.isnan(e.low) else figure(e, lang, of)


def title(validation: Validation, lang: Language) -> str:
    """Task, rows and how they were split."""
    rows, done = layout.counted(lang, "rows", validation.rows), lang.remark(validation.splits.description)
    return lang.say("validation.title", task=lang.say(f"report.task_{validation.task}"), counted=rows, cv=done)


def assumed(validation: Validation, lang: Language) -> Iterator[str]:
    """The assumptions of the numbers, one line each; failed folds with their errors."""
    colon = lang.say("report.colon")
    first = validation.folds[0]
    yield lang.say("validation.model") + colon + fitted(escape_label(validation.model), NAME)
    yield lang.say("validation.seed") + colon + str(validation.seed)
    if first.evaluation.positive is not None:
        yield lang.say("report.positive") + colon + escape_label(first.evaluation.positive)
    yield settings(validation.about, validation.trained, lang)
    if validation.splits.alone:
        yield lang.say("report.value") + colon + lang.say("validation.alone_note", count=len(validation.folds))
    if len(validation.folds) == 1:
        yield lang.say("report.value") + colon + lang.say("validation.one_note", count=len(first.test))
    elif validation.inner is not None:
        fits, factor = validation.inner.fits, _factor(validation.out_of_fold.factors[1], lang)
        yield lang.say("report.intervals") + colon + lang.say("validation.nested_note", count=fits, factor=factor)
    else:
        tested = None if validation.method == "folds" else validation.out_of_fold
        yield intervals(tested, len(validation.folds), lang, overfit=validation.has_train)
    if len(validation.folds) > 1 and not validation.splits.alone:
        yield lang.say("validation.pooled") + colon + lang.say("validation.pooled_note", count=len(validation.folds))
    if validation.gap:
        yield lang.say("validation.gap") + colon + lang.say("validation.gap_note")
    yield from (lang.say("report.note") + colon + lang.remark(note) for note in validation.notes)
    failed = [f for f in validation.failures if not f.stopped]
    for each in failed[:FAILED]:
        sentence = lang.say("validation.failed_note", fold=each.number, error=fitted(escape_label(each.error), NAME))
        yield lang.say("validation.failed") + colon + sentence
    if len(failed) > FAILED:
        yield lang.say("validation.more_failed", count=len(failed) - FAILED)


def settings(about: str, trained: int, lang: Language) -> str:
    """Which question the intervals answer."""
    question = lang.say(f"validation.about.{about}", count=trained)
    return lang.say("validation.question") + lang.say("report.colon") + question


def intervals(tested: OutOfFold | None, folds: int, lang: Language, *, overfit: bool = True) -> str:
    """Where the intervals of means over folds come from: the test rows, or the values of the folds.

    overfit: whether training rows were measured, which show how much the model overfits.
    """
    if tested is None:
        sentence = lang.say("validation.mean_note", count=folds, method=lang.remark(CORRECTED))
    elif overfit:
        least, most = (_factor(factor, lang) for factor in tested.factors)
        sentence = lang.say("validation.overfit_note", least=least, factor=most)
    else:
        sentence = lang.say("validation.rows_note", factor=_factor(tested.factors[1], lang))
    return lang.say("report.intervals") + lang.say("report.colon") + sentence


def _factor(factor: float, lang: Language) -> str:
    return lang.local(f"{factor:.3g}")


def report(validation: Validation, lang: Language) -> Report:
    """Findings, the table, and what it is based on; text has no room for the intervals of the gap."""
    whole = replace(table(validation, lang, wide=True), text=(table(validation, lang),))
    return Report(
        title(validation, lang),
        answer=shown(answer_over_folds(validation), lang),
        findings=tuple(validation.findings),
        tables=(whole,),
        assumptions=tuple(assumed(validation, lang)),
    )
