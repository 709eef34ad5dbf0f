"""What is said about learning curves, validation curves and the parts of a loss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from calipers.report import layout
from calipers.report.language import Language
from calipers.report.layout import Cell, Count, Table
from calipers.report.report import Report
from calipers.report.terminal import escape_label, fitted
from calipers.report.validation import FAILED, NAME, figure, intervals, settings

if TYPE_CHECKING:
    from calipers.validation.bias_variance import BiasVariance
    from calipers.validation.sweep import Sweep

PLACE = 24  # columns of a value of a parameter


def sweep_report(sweep: Sweep, lang: Language) -> Report:
    """What the curve says, a table for each metric, and what it is based on."""
    return Report(
        _sweep_title(sweep, lang),
        findings=tuple(sweep.findings),
        tables=tuple(_sweep_tables(sweep, lang)),
        assumptions=tuple(_sweep_assumed(sweep, lang)),
    )


def parts_report(bias_variance: BiasVariance, lang: Language) -> Report:
    """Which part of a loss is the larger one, the parts, and what they are based on."""
    return Report(
        _parts_title(bias_variance, lang),
        findings=tuple(bias_variance.findings),
        tables=tuple(_parts_tables(bias_variance, lang)),
        assumptions=tuple(_parts_assumed(bias_variance, lang)),
    )


def axis(sweep: Sweep, lang: Language) -> str:
    """What the places of a sweep are."""
    return lang.say("sweeps.rows") if sweep.kind == "learning_curve" else fitted(escape_label(sweep.axis), PLACE)


def places(sweep: Sweep) -> list[str]:
    """The places of a sweep as texts."""
    return [fitted(escape_label(place), PLACE) for place in sweep.places]


def _sweep_title(sweep: Sweep, lang: Language) -> str:
    done = lang.remark(sweep.splits.description)
    values = {"task": lang.say(f"report.task_{sweep.task}"), "counted": layout.counted(lang, "rows", sweep.rows)}
    return lang.say(f"sweeps.{sweep.kind}", **values, cv=done)


def _sweep_tables(sweep: Sweep, lang: Language) -> Iterator[Table]:
    level = lang.local(layout.percent(sweep.level))
    short = bool(sweep.misses)
    first_column: list[Cell] = [Count(v) if sweep.kind == "learning_curve" else place
                         for v, place in zip(sweep.places, places(sweep), strict=True)]  # fmt: skip
    for name, line in sweep.items():
        head = [axis(sweep, lang), lang.say("sweeps.test", level=level), lang.say("validation.train")]
        columns: list[list[Cell]] = [first_column, list(line.test), [figure(e, lang) for e in line.train]]
        if line.gap:
            head.append(lang.say("validation.gap"))
            columns.append([figure(e, lang, of) for e, of in zip(line.gap, line.test, strict=True)])
        if short:
            head.append(lang.say("sweeps.folds"))
            columns.append([Count(len(average.known)) for average in line.tested])
        yield Table(layout.called(name, lang), tuple(head), tuple(zip(*columns, strict=True)))


def _sweep_assumed(sweep: Sweep, lang: Language) -> Iterator[str]:
    yield from _common(sweep, lang)
    if sweep.problem.positive is not None:
        yield _line(lang, "report.positive", escape_label(sweep.problem.positive))
    if sweep.kind == "learning_curve":
        kind = "groups" if sweep.grouped else "classes" if sweep.problem.stratified else "plain"
        yield _line(lang, "sweeps.training_sets", lang.say(f"sweeps.nested.{kind}"))
    several = len(sweep.splits) > 1
    about = "model" if not several else "sizes" if sweep.kind == "learning_curve" else "procedure"
    yield settings(about, sweep.splits.trained, lang)
    if several:
        tested = next((one.tested for line in sweep.values() for one in line.tested if one.tested), None)
        yield intervals(tested, len(sweep.splits), lang)
    yield _line(lang, "validation.gap", lang.say("sweeps.gap_note"))
    yield from (_line(lang, "report.note", lang.remark(note)) for note in sweep.notes)
    yield from _failed(sweep, lang)


def _failed(sweep: Sweep, lang: Language) -> Iterator[str]:
    """Fits that failed, those of one place with the same error together."""
    alike: dict[tuple[int, str], list[int]] = {}
    for miss in sweep.misses:
        if not miss.stopped:
            alike.setdefault((miss.place, miss.error), []).append(miss.fold)
    groups = list(alike.items())
    for (place, error), folds in groups[:FAILED]:
        where = {"axis": axis(sweep, lang), "at": fitted(escape_label(sweep.places[place]), PLACE)}
        where["error"] = fitted(lang.remark(error), NAME)
        if len(folds) == 1:
            yield _line(lang, "validation.failed", lang.say("sweeps.failed_note", **where, fold=folds[0]))
        else:
            yield _line(lang, "validation.failed", lang.say("sweeps.failed_often", **where, count=len(folds)))
    if len(groups) > FAILED:
        yield lang.say("sweeps.more_failed", count=sum(len(folds) for _, folds in groups[FAILED:]))


def _parts_title(bias_variance: BiasVariance, lang: Language) -> str:
    loss = lang.say(f"sweeps.loss.{bias_variance.loss}")
    counts = {"models": bias_variance.replicates, "training": bias_variance.training, "rows": bias_variance.rows}
    return lang.say("sweeps.bias_variance", loss=loss, **counts)


def _parts_tables(bias_variance: BiasVariance, lang: Language) -> Iterator[Table]:
    head = lang.say("sweeps.part"), lang.say("validation.value", level=lang.local(layout.percent(bias_variance.level)))
    yield Table("", head, tuple((lang.say(f"sweeps.parts.{name}"), e) for name, e in bias_variance.items()))


def _parts_assumed(bias_variance: BiasVariance, lang: Language) -> Iterator[str]:
    yield from _common(bias_variance, lang)
    yield _line(lang, "sweeps.main", lang.say(f"sweeps.main_of.{bias_variance.loss}"))
    methods = dict.fromkeys(e.method for e in bias_variance.values() if e.method)
    if methods:
        names = lang.say("report.separator").join(lang.remark(method) for method in methods)
        yield _line(lang, "report.intervals", lang.say("sweeps.parts_note", methods=names))
    yield _line(
        lang, "sweeps.models", lang.say("sweeps.models_note", count=bias_variance.replicates, error=bias_variance.error)
    )
    yield _line(lang, "sweeps.noise", lang.say("sweeps.noise_note"))
    yield from (_line(lang, "report.note", lang.remark(note)) for note in bias_variance.notes)
    failed = [f for f in bias_variance.failures if not f.stopped]
    for each in failed[:FAILED]:
        sentence = lang.say("sweeps.replicate_note", number=each.number, error=fitted(escape_label(each.error), NAME))
        yield _line(lang, "validation.failed", sentence)
    if len(failed) > FAILED:
        yield lang.say("sweeps.more_failed", count=len(failed) - FAILED)


def _common(result: Any, lang: Language) -> Iterator[str]:
    yield _line(lang, "validation.model", fitted(escape_label(result.model), NAME))
    yield _line(lang, "validation.seed", str(result.seed))


def _line(lang: Language, key: str, sentence: str) -> str:
    return lang.say(key) + lang.say("report.colon") + sentence
