"""Learning curves, validation curves and the parts of a loss, as text and as a piece of HTML."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from calipers.report import html, layout, text
from calipers.report.language import Language, language
from calipers.report.layout import Cell, Count, Footnotes, Table
from calipers.report.terminal import escape_label, fitted, wrapped
from calipers.report.validation import COLUMNS, FAILED, NAME, figure, intervals, settings

if TYPE_CHECKING:
    from calipers.validation.bias_variance import BiasVariance
    from calipers.validation.sweep import Sweep

PLACE = 24  # columns of a value of a parameter


def sweep_text(found: Sweep, lang: str | None = None) -> str:
    """What the curve says, a table for each metric, and what it rests on."""
    return _text(found, _sweep_title, _sweep_tables, _sweep_assumed, language(lang))


def sweep_html(found: Sweep, lang: str | None = None) -> str:
    """The same for notebooks."""
    return _html(found, _sweep_title, _sweep_tables, _sweep_assumed, language(lang))


def parts_text(found: BiasVariance, lang: str | None = None) -> str:
    """Which part of a loss is the larger one, the parts, and what they rest on."""
    return _text(found, _parts_title, _parts_tables, _parts_assumed, language(lang))


def parts_html(found: BiasVariance, lang: str | None = None) -> str:
    """The same for notebooks."""
    return _html(found, _parts_title, _parts_tables, _parts_assumed, language(lang))


def axis(found: Sweep, lang: Language) -> str:
    """What the places of a sweep are."""
    return lang.say("sweeps.rows") if found.kind == "learning_curve" else fitted(escape_label(found.axis), PLACE)


def places(found: Sweep) -> list[str]:
    """The places of a sweep as texts."""
    return [fitted(escape_label(place), PLACE) for place in found.places]


def _sweep_title(found: Sweep, lang: Language) -> str:
    done = lang.say("report.separator").join(lang.remark(escape_label(part)) for part in found.splits.done)
    told = {"task": lang.say(f"report.task_{found.task}"), "counted": layout.counted(lang, "rows", found.rows)}
    return lang.say(f"sweeps.{found.kind}", **told, cv=done)


def _sweep_tables(found: Sweep, lang: Language) -> Iterator[Table]:
    level = lang.local(layout.percent(found.level))
    short = any(cell is None for row in found.cells for cell in row)
    shown: list[Cell] = [Count(v) if found.kind == "learning_curve" else told
                         for v, told in zip(found.places, places(found), strict=True)]  # fmt: skip
    for name, line in found.items():
        head = [axis(found, lang), lang.say("sweeps.test", level=level), lang.say("validation.train")]
        columns: list[list[Cell]] = [shown, list(line.test), [figure(e, lang) for e in line.train]]
        if line.gap:
            head.append(lang.say("validation.gap"))
            columns.append([figure(e, lang) for e in line.gap])
        if short:
            head.append(lang.say("sweeps.folds"))
            columns.append([Count(len(average.known)) for average in line.tested])
        yield Table(layout.called(name, lang), tuple(head), tuple(zip(*columns, strict=True)))


def _sweep_assumed(found: Sweep, lang: Language) -> Iterator[str]:
    yield from _common(found, lang)
    if found.problem.positive is not None:
        yield _line(lang, "report.positive", escape_label(found.problem.positive))
    if found.kind == "learning_curve":
        kind = "groups" if found.grouped else "classes" if found.problem.stratified else "plain"
        yield _line(lang, "sweeps.training_sets", lang.say(f"sweeps.nested.{kind}"))
    several = len(found.splits) > 1
    about = "model" if not several else "sizes" if found.kind == "learning_curve" else "procedure"
    yield settings(about, found.splits.trained, lang)
    if several:
        tested = next((one.tested for line in found.values() for one in line.tested if one.tested), None)
        yield intervals(tested, len(found.splits), lang)
    yield _line(lang, "validation.gap", lang.say("sweeps.gap_told"))
    yield from (_line(lang, "report.note", lang.remark(escape_label(note))) for note in found.notes)
    yield from _failed(found, lang)


def _failed(found: Sweep, lang: Language) -> Iterator[str]:
    """Fits that failed, those of one place with the same error together."""
    alike: dict[tuple[int, str], list[int]] = {}
    for miss in found.misses:
        if not miss.stopped:
            alike.setdefault((miss.place, miss.error), []).append(miss.fold)
    told = list(alike.items())
    for (place, error), folds in told[:FAILED]:
        where = {"axis": axis(found, lang), "at": fitted(escape_label(found.places[place]), PLACE)}
        where["error"] = fitted(lang.remark(escape_label(error)), NAME)
        if len(folds) == 1:
            yield _line(lang, "validation.failed", lang.say("sweeps.failed_told", **where, fold=folds[0]))
        else:
            yield _line(lang, "validation.failed", lang.say("sweeps.failed_often", **where, count=len(folds)))
    if len(told) > FAILED:
        yield lang.say("sweeps.more_failed", count=sum(len(folds) for _, folds in told[FAILED:]))


def _parts_title(found: BiasVariance, lang: Language) -> str:
    loss = lang.say(f"sweeps.loss.{found.loss}")
    counts = {"models": found.replicates, "training": found.training, "rows": found.rows}
    return lang.say("sweeps.bias_variance", loss=loss, **counts)


def _parts_tables(found: BiasVariance, lang: Language) -> Iterator[Table]:
    head = lang.say("sweeps.part"), lang.say("validation.value", level=lang.local(layout.percent(found.level)))
    yield Table("", head, tuple((lang.say(f"sweeps.parts.{name}"), e) for name, e in found.items()))


def _parts_assumed(found: BiasVariance, lang: Language) -> Iterator[str]:
    yield from _common(found, lang)
    yield _line(lang, "sweeps.main", lang.say(f"sweeps.main_of.{found.loss}"))
    methods = dict.fromkeys(e.method for e in found.values() if e.method)
    told = lang.say("report.separator").join(lang.remark(method) for method in methods)
    if told:
        yield _line(lang, "report.intervals", lang.say("sweeps.parts_told", methods=told))
    yield _line(lang, "sweeps.models", lang.say("sweeps.models_told", count=found.replicates, error=found.error))
    yield _line(lang, "sweeps.noise", lang.say("sweeps.noise_told"))
    yield from (_line(lang, "report.note", lang.remark(escape_label(note))) for note in found.notes)
    failed = [f for f in found.failures if not f.stopped]
    for each in failed[:FAILED]:
        told = lang.say("sweeps.replicate_told", number=each.number, error=fitted(escape_label(each.error), NAME))
        yield _line(lang, "validation.failed", told)
    if len(failed) > FAILED:
        yield lang.say("sweeps.more_failed", count=len(failed) - FAILED)


def _common(found: Any, lang: Language) -> Iterator[str]:
    yield _line(lang, "validation.model", fitted(escape_label(found.model), NAME))
    yield _line(lang, "validation.seed", str(found.seed))


def _line(lang: Language, key: str, told: str) -> str:
    return lang.say(key) + lang.say("report.colon") + told


def _text(found: Any, title: Any, tables: Any, assumed: Any, lang: Language) -> str:
    notes = Footnotes(lang)
    lines = wrapped(title(found, lang), COLUMNS)
    for finding in found.findings:
        lines += ["", *wrapped(f"{'! ' * (finding.severity == 'warning')}{lang.finding(finding)}", COLUMNS)]
    for table in tables(found, lang):
        lines += ["", *text.tabled(table, notes)]
    lines.append("")
    for line in assumed(found, lang):
        lines += wrapped(line, COLUMNS)
    for letter, remark in notes:
        lines += wrapped(remark, COLUMNS, " " * 3, f"{letter}) ")
    return "\n".join(lines)


def _html(found: Any, title: Any, tables: Any, assumed: Any, lang: Language) -> str:
    notes = Footnotes(lang)
    parts = [f"<p><strong>{escape(title(found, lang))}</strong></p>", html.findings(found.findings, lang)]
    parts += [html.tabled(table, notes) for table in tables(found, lang)]
    parts.append(html.listed(list(assumed(found, lang))))
    return html.framed([*parts, html.listed([f"{letter}) {remark}" for letter, remark in notes])], lang)
