"""What is said about a recalibration and about decision curves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from calipers import numerals
from calipers.decisions.decision_curve import ALL, DEFAULT, NONE
from calipers.report import layout
from calipers.report.language import Language
from calipers.report.layout import Table
from calipers.report.report import Report
from calipers.report.terminal import escape_label

if TYPE_CHECKING:
    from calipers.decisions.calibrate import Calibration
    from calipers.decisions.decision_curve import BenefitDifference, DecisionCurve

SHOWN = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7)  # thresholds of a table, the nearest of those that were measured


def calibration(result: Calibration, lang: Language) -> Report:
    """Whether it is worth it, the metrics before and after, and what they are based on."""
    head = (
        lang.say("explain.metric"), lang.say("decisions.before"), lang.say("decisions.after"),
        lang.say("decisions.change", level=lang.local(layout.percent(result.level))), "p",
    )  # fmt: skip
    rows = tuple(
        (layout.called(name, lang), lang.number(c.before), lang.number(c.after),
         signed(c.difference, c.low, c.high, lang), _p(c.pvalue, lang))
        for name, c in result.items()
    )  # fmt: skip
    title = lang.say(
        "decisions.calibration", method=lang.say(f"decisions.method.{result.method}"),
        counted=layout.counted(lang, "rows", result.rows),
    )  # fmt: skip
    return Report(
        title, findings=tuple(result.findings), tables=(Table("", head, rows),),
        assumptions=tuple(_of_calibration(result, lang)),
    )  # fmt: skip


def _of_calibration(result: Calibration, lang: Language) -> Iterator[str]:
    yield _line(lang, "decisions.map", parameters(result, lang))
    if result.positive is not None:
        yield _line(lang, "report.positive", escape_label(result.positive))
    yield _line(lang, "decisions.change_alone", lang.say("decisions.cross_fitted"))
    yield from (_line(lang, "report.note", lang.remark(note)) for note in result.notes)


def parameters(result: Calibration, lang: Language) -> str:
    """The parameters of the map; of a step function, how many steps it has."""
    values = result.map.values()
    if "score" in values:
        return lang.say("decisions.knots", count=len(values["score"]))
    return lang.say("compare.separator").join(f"{name} = {lang.number(value, 4)}" for name, value in values.items())


def decision_curve(result: DecisionCurve, lang: Language) -> Report:
    """Where each model is best, the net benefit at some thresholds, the differences there, and what they are."""
    places = sorted({int(np.abs(result.thresholds - at).argmin()) for at in SHOWN})
    level = lang.local(layout.percent(result.level))
    names = {**{name: escape_label(name) for name in result.models}, ALL: lang.say("decisions.all")}
    head = (lang.term("threshold"), *(names[name] for name in names))
    rows = tuple(
        (lang.threshold(result.thresholds[at]), *(_benefit(result, name, at, lang) for name in names)) for at in places
    )
    tables = [Table(lang.say("decisions.benefit", level=level), head, rows)]
    for d in result.differences.values():
        title = lang.say("decisions.against", first=_named(d.candidate, lang), second=_named(d.baseline, lang))
        each = tuple((lang.threshold(result.thresholds[at]), *_difference(d, at, lang)) for at in places)
        tables.append(Table(title, (lang.term("threshold"), lang.say("decisions.change", level=level), "p"), each))
    title = lang.say("decisions.decision_curve", counted=layout.counted(lang, "rows", result.rows))
    return Report(
        title, sentences=tuple(ranges(result, lang)), tables=tuple(tables),
        assumptions=tuple(_of_curve(result, lang)),
    )  # fmt: skip


def ranges(result: DecisionCurve, lang: Language) -> Iterator[str]:
    """Where each model, treating all and treating none is best."""
    for name in result:
        best = _spans(result.ranges(name), lang)
        if name in (ALL, NONE):
            if best:
                yield lang.say(f"decisions.{name}_best", ranges=best)
            continue
        values = {"model": escape_label(name), "ranges": best, "clear": _spans(result.clear_ranges(name), lang)}
        kind = "best_and_clear" if best and values["clear"] else "best" if best else "never_best"
        yield lang.say(f"decisions.{kind}", **values)


def _spans(spans: tuple[tuple[float, float], ...], lang: Language) -> str:
    ends = [[lang.threshold(end) for end in dict.fromkeys(span)] for span in spans]
    each = [end[0] if len(end) == 1 else lang.say("explain.span", low=end[0], high=end[1]) for end in ends]
    return layout.joined(each, lang) if each else ""


def _of_curve(result: DecisionCurve, lang: Language) -> Iterator[str]:
    yield _line(lang, "report.positive", escape_label(result.positive))
    yield _line(lang, "decisions.net_benefit", lang.say("decisions.net_benefit_note"))
    level = lang.local(layout.percent(result.level))
    yield _line(lang, "report.intervals", lang.say("decisions.pointwise", level=level))
    yield from (_line(lang, "report.note", lang.remark(note)) for note in result.notes)


def _benefit(result: DecisionCurve, name: str, at: int, lang: Language) -> str:
    each = result[name]
    value = lang.local(numerals.fixed(float(each.value[at]), 4))
    if math.isnan(each.low[at]):
        return value
    return f"{value} {lang.interval(*(numerals.fixed(float(x[at]), 4) for x in (each.low, each.high)))}"


def _difference(d: BenefitDifference, at: int, lang: Language) -> tuple[str, str]:
    return signed(float(d.value[at]), float(d.low[at]), float(d.high[at]), lang), _p(float(d.pvalue[at]), lang)


def _named(name: str, lang: Language) -> str:
    return lang.say("decisions.default") if name == DEFAULT else escape_label(name)


def signed(value: float, low: float, high: float, lang: Language, digits: int = 4) -> str:
    """A difference with its interval, signs shown; a dash where it is undefined."""
    if math.isnan(value):
        return "-"
    middle, *ends = (f"{x:+.{digits}f}" for x in (value, low, high))
    return lang.local(middle) if math.isnan(low) else f"{lang.local(middle)} {lang.interval(*ends)}"


def _p(p: float, lang: Language) -> str:
    return "-" if math.isnan(p) else lang.local(numerals.pvalue(p))


def _line(lang: Language, key: str, sentence: str) -> str:
    return lang.say(key) + lang.say("report.colon") + sentence
