"""The models of a comparison in order, every metric at a glance, and what follows, in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from calipers import numerals
from calipers.answers.comparisons import BEST, UNKNOWN, WORSE, Standing
from calipers.comparison.differences import OPEN, about
from calipers.metrics.base import CATALOGUE
from calipers.report import layout
from calipers.report.page.elements import PageBudget, key_of, short
from calipers.report.page.strips import Scale, StripCell, StripTable, axis, sides, strip

if TYPE_CHECKING:
    from calipers.comparison.compare import Comparison
    from calipers.comparison.differences import Difference
    from calipers.report.language import Language

TONES = {BEST: "good", WORSE: "bad"}
SIGNS = {BEST: "●", "open": "○", "equivalent": "≈", WORSE: "·", UNKNOWN: "?"}


class Board(NamedTuple):
    """A leaderboard, and the name of the metric that sorts it."""

    name: str
    table: StripTable


def boards(
    comparison: Comparison, every: list[Standing], lang: Language, level: str, budget: PageBudget
) -> list[Board]:
    """Leaderboards by the deciding metric and by others, of which a reader chooses one."""
    return [
        Board(lang.heading(found.metric), leaderboard(comparison, found, lang, level, 2 * budget.rows, at))
        for at, found in enumerate(every[: budget.boards])
    ]


def leaderboard(
    comparison: Comparison, found: Standing, lang: Language, level: str, most: int, at: int = 0
) -> StripTable:
    """The models by one metric, each with its own interval and its difference to the leader; at: 0 if it decides."""
    metric, leader = found.metric, found.leader
    listed = list(found.states)[:most]
    estimates = {name: comparison.models[name][metric] for name in listed}
    differences = {name: comparison[metric][name, leader] for name in listed if name != leader}
    turned = CATALOGUE[metric].metric.better == "lower"
    own = Scale.of((x for e in estimates.values() for x in (float(e), e.low, e.high)), turned=turned)
    gaps = (x for d in differences.values() for x in (d.difference, d.low, d.high))
    apart = Scale.of((0.0, *gaps), turned=turned)  # one side: all others are behind the leader
    rows = []
    for name in listed:
        e, state = estimates[name], found.states[name]
        tone = TONES.get(state, "open") if state != BEST or found.is_clear else ""
        d = differences.get(name)
        ends = layout.bounds(e)
        interval = lang.interval(*ends) if ends else ""
        gap = ("", "") if d is None else difference(d, lang)
        span = None if d is None else (d.difference, d.low, d.high)
        picture = "" if span is None else strip(apart, span, tone, lines=(0,), title=" ".join(gap))
        rows.append((
            StripCell(short(name)),
            StripCell(layout.value(e, lang), interval, sort=key_of(e)),
            StripCell("", strip=strip(own, (float(e), e.low, e.high), title=f"{layout.value(e, lang)} {interval}")),
            StripCell(gap[0], gap[1], picture, sort=key_of(0 if d is None else d.difference)),
            StripCell(_verdict(found, name, d, unit_of(comparison), lang), tone=tone, kind="verdict"),
        ))  # fmt: skip
    head = (
        lang.say("views.compare.model"), lang.say("views.compare.value", metric=lang.heading(metric), level=level),
        lang.say("views.compare.interval", level=level),
        lang.say("views.compare.gap" if comparison.paired else "unpaired.gap", leader=short(leader)),
        lang.say("page.verdict"),
    )  # fmt: skip
    feet = ("", "", axis(own, lang), sides(lang.say("views.compare.worse"), lang.say("views.compare.better")), "")
    left = len(found.states) - len(listed)
    more = lang.say("page.more_models", count=left) if left > 0 else ""
    board = "views.compare.board" if comparison.paired else "unpaired.board"
    caption = lang.say(board if len(found.states) == 2 else "views.compare.board_of_many")
    if at:
        caption = lang.say("views.compare.chosen", metric=lang.name(metric))
    return StripTable(caption, head, tuple(rows), f"leaders-{at}", feet, more, numeric=(1, 3))


def difference(d: Difference, lang: Language) -> tuple[str, str]:
    """A difference and its interval, with signs."""
    if math.isnan(d.difference):
        return "-", ""
    value, low, high = numerals.interval(d.difference, d.low, d.high, sign=True)
    return lang.local(value), "" if math.isnan(d.low) else lang.interval(low, high)


def _verdict(found: Standing, name: str, d: Difference | None, unit: str, lang: Language) -> str:
    """What the test against the leader says, with what would decide it."""
    if d is None:
        return lang.say("views.compare.state.best" if found.is_clear else "views.compare.state.leads")
    state = found.states[name]
    p = "" if math.isnan(d.adjusted) else lang.say("report.names_behind", names=lang.pvalue(d.adjusted))
    text = lang.say(f"views.compare.state.{state}") + p
    return text + needed(d, unit, lang) if d.outcome == OPEN else text


def needed(d: Difference, unit: str, lang: Language) -> str:
    """About how many more rows or queries would decide, where that is known."""
    if not d.more_rows:
        return ""
    return lang.say("report.semicolon") + lang.say(f"views.compare.needed_{unit}", count=about(d.more_rows))


def unit_of(comparison: Comparison) -> str:
    """What is counted, "rows" or "queries"."""
    return next(iter(comparison.models.values())).schema.facts.unit


class Mark(NamedTuple):
    """A cell of the grid: a sign, what it means, and the numbers behind it."""

    sign: str
    state: str
    word: str
    title: str


class Glance(NamedTuple):
    """Every metric at a glance: rows of (metric, where its pairs stand, marks); heads: the models."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, str, tuple[Mark, ...]], ...]
    legend: tuple[tuple[str, str], ...]
    more: str


def glance(comparison: Comparison, every: list[Standing], lang: Language, most: int) -> Glance:
    """A row for each metric, a column for each model in the order of the leaderboard."""
    names = list(every[0].states)[:most]
    rows = []
    for at, found in enumerate(every):
        marks = []
        for name in names:
            state = found.states[name]
            word = lang.say(f"views.compare.state.{state}")
            value = layout.whole(comparison.models[name][found.metric], lang)
            title = f"{short(name)}{lang.say('report.colon')}{value}{lang.say('report.semicolon')}{word}"
            if name != found.leader:
                gap = difference(comparison[found.metric][name, found.leader], lang)
                title += lang.say("report.semicolon") + " ".join(gap)
            marks.append(Mark(SIGNS[state], state, word, title))
        rows.append((lang.heading(found.metric), f"pairs-{at}", tuple(marks)))
    used = {state for found in every for state in found.states.values()}
    legend = tuple((sign, lang.say(f"views.compare.state.{state}")) for state, sign in SIGNS.items() if state in used)
    left = len(every[0].states) - len(names)
    more = lang.say("page.more_models", count=left) if left > 0 else ""
    return Glance(tuple(short(name) for name in names), tuple(rows), legend, more)


def conclusion(every: list[Standing], lang: Language) -> list[tuple[str, str]]:
    """One sentence for each way in which metrics came out, with a tone."""
    grouped: dict[tuple[bool, str], list[str]] = {}
    for found in every:
        grouped.setdefault((found.is_clear, found.leader if found.is_clear else ""), []).append(found.metric)
    lines = []
    for (clear, leader), metrics in sorted(grouped.items(), key=lambda item: not item[0][0]):
        text = layout.joined([lang.name(name) for name in metrics], lang)
        if clear:
            key = "wins" if len(every[0].states) == 2 else "wins_all"
            lines.append(("better", lang.say(f"views.compare.{key}", model=short(leader), metrics=text)))
        else:
            lines.append(("no", lang.say("views.compare.undecided", metrics=text)))
    return lines
