"""What the page of a gate holds: the answer as a traffic light, its cards, every requirement against its limit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from calipers.answers import answer_of_gate
from calipers.gating.checks import FAIL, OPEN, PASS, Check, bar_of
from calipers.report import gate as description
from calipers.report import layout
from calipers.report.page import first_screen
from calipers.report.page.elements import SENTENCE, Chart, PageBudget, key_of, short
from calipers.report.page.strips import Scale, StripCell, StripTable, sides, strip
from calipers.report.terminal import fitted

if TYPE_CHECKING:
    from calipers.gating.gate import GateResult
    from calipers.report.language import Language

TONES = {PASS: "good", FAIL: "bad", OPEN: "open"}
SIGNS = {PASS: "✓", FAIL: "✗", OPEN: "!"}
ORDER = (FAIL, OPEN, PASS)  # what needs attention first
REQUIRED = 200  # columns of a requirement


def pictures(result: GateResult, lang: Language) -> list[Chart]:
    """None: the table shows every requirement."""
    return []


def contents(result: GateResult, lang: Language, budget: PageBudget, pictures: list[Chart]) -> dict[str, Any]:
    """Everything that the template shows of a gate."""
    ordered = sorted(result.checks, key=lambda check: ORDER.index(check.answer))
    unit = result.checks[0].unit if result.checks else "rows"
    level = lang.local(layout.percent(result.level))
    answer = first_screen.shown(answer_of_gate(result), lang)
    return {
        "kind": "gate",
        "sections": {},
        "name": lang.say("page.title.gate"),
        "about": layout.counted(lang, unit, result.rows),
        "labels": (),
        "left": 0,
        "nav": ["answer", "requirements", "definitions", "reproduction"],
        "tone": TONES[result.outcome],
        "sign": SIGNS[result.outcome],
        "answer": answer,
        "gauges": first_screen.gauges(answer),
        "requirements": _table(ordered, lang, level, budget),
        "charts": [],
        "left_charts": 0,
        "every_chart": [],
        "definitions": [fitted(line, SENTENCE) for line in description.assumed(result, lang)][: budget.lines],
        "notes": [],
    }


def _table(ordered: list[Check], lang: Language, level: str, budget: PageBudget) -> StripTable:
    """Every requirement, worst first. Each row has a scale of its own, with the limit in the middle."""
    listed = ordered[: 5 * budget.numbers]
    rows = []
    for check in listed:
        tone, word = TONES[check.answer], lang.say(f"gate.{check.answer}")
        notes = lang.say("report.semicolon").join(lang.remark(note) for note in check.notes)
        rows.append((
            StripCell(short(check.required, REQUIRED), kind="required"),
            StripCell(f"{SIGNS[check.answer]} {word}", tone=tone, sort=str(ORDER.index(check.answer))),
            StripCell(description.measured(check, lang), sort=key_of(check.value)),
            StripCell("", strip=_strip(check, lang, tone)),
            StripCell(fitted(notes, SENTENCE), kind="prose"),
        ))  # fmt: skip
    head = (
        lang.say("gate.required"), lang.say("gate.answer"), lang.say("views.gate.measured", level=level),
        lang.say("views.gate.against"), lang.say("report.note"),
    )  # fmt: skip
    foot = sides(lang.say("views.gate.misses"), lang.say("views.gate.meets"))
    left = len(ordered) - len(listed)
    more = lang.say("views.gate.more", count=left) if left > 0 else ""
    return StripTable(lang.say("views.gate.caption"), head, tuple(rows), "checks", ("", "", "", foot, ""), more,
                      numeric=(2,))  # fmt: skip


def _strip(check: Check, lang: Language, tone: str) -> Any:
    """The interval against the limit, the side that is allowed on the right."""
    if math.isnan(check.value):
        return ""
    bar = bar_of(check)
    scale = Scale.of((check.value, check.low, check.high), around=bar.number, turned=not bar.upwards)
    allowed = (bar.number, scale.high if bar.upwards else scale.low)
    title = lang.say("views.gate.limit", limit=f"{bar.op} {lang.number(bar.number)}",
                     measured=description.measured(check, lang))  # fmt: skip
    span = (check.value, check.low, check.high)
    return strip(scale, span, tone, lines=(bar.number,), zone=allowed, title=title)
