"""What is said about metrics over periods."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from calipers import numerals
from calipers.comparison.differences import NOT_COMPARED, OPEN, Difference
from calipers.comparison.trend_line import NOT_TESTED, TrendLine
from calipers.report import layout
from calipers.report.language import Language
from calipers.report.layout import Count, Table
from calipers.report.report import Report
from calipers.report.terminal import escape_label, fitted

if TYPE_CHECKING:
    from calipers.comparison.trend import Trend

LABEL = 24  # columns of a period or a slice
SLICES = 40  # lines of slices that are listed


def report(trend: Trend, lang: Language) -> Report:
    """What changed, the test for a trend of each metric, the periods of each metric, and what was assumed."""
    return Report(
        title(trend, lang),
        findings=tuple(trend.findings),
        tables=(*_trends(trend, lang), *(periods(trend, line, lang) for line in trend.lines.values())),
        assumptions=tuple(assumed(trend, lang)),
    )


def title(trend: Trend, lang: Language) -> str:
    """The task, how many periods there are, and their rows."""
    return lang.say(
        "trend.title",
        task=lang.say(f"report.task_{trend.task}"),
        count=len(trend.periods),
        first=escape_label(trend.periods[0].label),
        last=escape_label(trend.periods[-1].label),
        rows=layout.counted(lang, trend.facts.unit, trend.rows),
    )


def _trends(trend: Trend, lang: Language) -> Iterator[Table]:
    """The test for a trend: of every metric, then of every slice."""
    level = lang.local(layout.percent(trend.level))
    head = (lang.say("trend.change"), f"[{lang.say('compare.interval', level=level)}]", "p", lang.say("trend.trend"))
    rows = [(layout.called(name, lang), *change(line, lang)) for name, line in trend.lines.items()]
    yield Table(lang.say("trend.over_time"), (lang.say("report.metric"), *head), tuple(rows))
    of_slices = trend.every_line[len(trend.lines) :]
    if of_slices:
        listed = [(_slice(line), layout.briefly(line.metric, lang), *change(line, lang)) for line in of_slices[:SLICES]]
        left = len(of_slices) - SLICES
        more = lang.say("trend.more_slices", count=left) if left > 0 else ""
        names = (lang.term("slice"), lang.say("report.metric"), *head)
        yield Table(lang.say("trend.of_slices"), names, tuple(listed), more)


def change(line: TrendLine, lang: Language) -> tuple[str, str, str, str]:
    """The change of the fitted line, its interval, p and the direction."""
    direction = direction_text(line, lang)
    if math.isnan(line.change):
        return "-", "", "", direction
    value, low, high = numerals.interval(line.change, line.low, line.high, sign=True)
    return lang.local(value), lang.interval(low, high), lang.local(numerals.pvalue(line.adjusted)), direction


def direction_text(line: TrendLine, lang: Language) -> str:
    """Rising or falling, and whether that is worse."""
    word = {OPEN: "open", NOT_TESTED: "not_tested"}.get(line.direction, line.direction)
    text = lang.say(f"trend.direction.{word}")
    if line.is_worse is None:
        return text
    side = "worse" if line.is_worse else "better"
    return lang.say(f"trend.direction.to_the_{side}", direction=text)


def periods(trend: Trend, line: TrendLine, lang: Language) -> Table:
    """Every period of a metric: its rows, its value, and its difference to the baseline."""
    level = lang.local(layout.percent(trend.level))
    rows = []
    for period in trend.periods:
        estimate, d = line.estimates[period.label], line.against.get(period.label)
        cells = ("", "", lang.say("trend.the_baseline")) if d is None else _difference(d, lang)
        rows.append((label(period.label), Count(period.rows), estimate, *cells))
    head = (
        lang.say("trend.period"), lang.say(f"report.{trend.facts.unit}"), lang.say("trend.value", level=level),
        lang.say("compare.difference"), "p", lang.say("compare.verdict"),
    )  # fmt: skip
    caption = lang.say("trend.against", metric=layout.briefly(line.metric, lang), baseline=label(trend.baseline))
    if not trend.inside:
        caption += f" ({layout.whole(line.baseline, lang)})"
    return Table(caption, head, tuple(rows))


def _difference(d: Difference, lang: Language) -> tuple[str, str, str]:
    if math.isnan(d.difference):
        return "-", "", lang.say("trend.direction.not_tested")
    value, *_ = numerals.interval(d.difference, d.low, d.high, sign=True)
    p = "" if math.isnan(d.adjusted) else lang.local(numerals.pvalue(d.adjusted))
    return lang.local(value), p, verdict(d, lang)


def verdict(d: Difference, lang: Language) -> str:
    """Whether a period is better or worse than the baseline."""
    if d.outcome == NOT_COMPARED:
        return lang.say("trend.direction.not_tested")
    if d.winner is None:
        return lang.say("trend.direction.open")
    if d.outcome == "higher":
        return lang.say("trend.higher" if d.winner == d.candidate else "trend.lower")
    return lang.say("trend.better" if d.winner == d.candidate else "trend.worse")


def label(text: str) -> str:
    """The name of a period, in one visible line."""
    return fitted(escape_label(text), LABEL)


def _slice(line: TrendLine) -> str:
    return fitted(f"{escape_label(line.column)} = {escape_label(line.part)}", LABEL)


def assumed(trend: Trend, lang: Language) -> Iterator[str]:
    """What the tests are, and over what they are adjusted."""
    yield lang.say("trend.test_note")
    yield lang.say("trend.against_note", baseline=label(trend.baseline))
    if trend.adjust == "none":
        yield lang.say("trend.not_adjusted")
    else:
        values = {"adjust": layout.method_name(trend.adjust), "tests": trend.tests, "lines": len(trend.every_line)}
        yield lang.say("trend.adjusted", **values)
    notes: dict[str, list[str]] = {}
    for line in trend.lines.values():
        if line.note:
            notes.setdefault(line.note, []).append(layout.briefly(line.metric, lang))
    colon, between = lang.say("report.colon"), lang.say("report.names")
    yield from (lang.remark(note) + colon + between.join(names) for note, names in notes.items())
