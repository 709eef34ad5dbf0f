"""What the page of a gate: the answer as a traffic light, every requirement against its limit, what is missing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from calipers.comparison.differences import about
from calipers.gating.checks import FAIL, OPEN, PASS, Check, bar_of
from calipers.report import gate as description
from calipers.report import layout
from calipers.report.page.elements import SENTENCE, Chart, PageBudget, key_of, minus, short
from calipers.report.page.strips import Scale, StripCell, StripTable, sides, strip
from calipers.report.terminal import fitted

if TYPE_CHECKING:
    from calipers.gating.gate import GateResult
    from calipers.report.language import Language

TONES = {PASS: "good", FAIL: "bad", OPEN: "open"}
SIGNS = {PASS: "✓", FAIL: "✗", OPEN: "?"}
ORDER = (FAIL, OPEN, PASS)  # what needs attention first
REQUIRED = 200  # columns of a requirement
MISSING = 5  # requirements that are named in the list of what is missing


def pictures(result: GateResult, lang: Language) -> list[Chart]:
    """None: the table shows every requirement."""
    return []


def contents(result: GateResult, lang: Language, budget: PageBudget, pictures: list[Chart]) -> dict[str, Any]:
    """Everything that the template shows of a gate."""
    ordered = sorted(result.checks, key=lambda check: ORDER.index(check.answer))
    unit = result.checks[0].unit if result.checks else "rows"
    level = lang.local(layout.percent(result.level))
    counts = [
        (TONES[answer], SIGNS[answer], sum(c.answer == answer for c in ordered), lang.say(f"gate.{answer}"))
        for answer in (PASS, OPEN, FAIL)
    ]
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
        "answer": _answer(result, lang),
        "counts": counts,
        "missing": _missing(ordered, lang),
        "requirements": _table(ordered, lang, level, budget),
        "charts": [],
        "left_charts": 0,
        "every_chart": [],
        "definitions": [fitted(line, SENTENCE) for line in description.assumed(result, lang)][: budget.lines],
        "notes": [],
    }


def _answer(result: GateResult, lang: Language) -> str:
    """The answer in a sentence."""
    key = result.verdict if result.outcome == result.verdict else f"{result.verdict}_as_{result.outcome}"
    failed = sum(check.answer == result.verdict for check in result.checks)
    return lang.say(f"views.gate.{key}", count=failed, of=len(result.checks))


def _missing(ordered: list[Check], lang: Language) -> list[str]:
    """What it takes to decide what is open, a line each."""
    lines = []
    for check in ordered:
        if check.answer == OPEN and check.more_rows:
            put = {"required": short(check.required, REQUIRED), "count": about(check.more_rows)}
            lines.append(lang.say(f"views.gate.missing_{check.unit}", **put))
    left = len(lines) - MISSING
    return lines[:MISSING] + ([lang.say("views.gate.more_missing", count=left)] if left > 0 else [])


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
            StripCell(minus(description.measured(check, lang)), sort=key_of(check.value)),
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
    return StripTable(lang.say("views.gate.caption"), head, tuple(rows), "checks", ("", "", "", foot, ""), more)


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
    return strip(scale, span, tone, lines=(bar.number,), zone=allowed, title=minus(title))
