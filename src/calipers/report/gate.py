"""What is said about a gate, and a gate as JUnit's XML."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from calipers.choices import Lang
from calipers.gating.checks import FAIL, OPEN, PASS
from calipers.report import layout
from calipers.report.language import Language, language
from calipers.report.layout import Table
from calipers.report.report import Report
from calipers.report.terminal import escape_label, padded, width, wrapped

if TYPE_CHECKING:
    from calipers.gating.checks import Check
    from calipers.gating.gate import GateResult

COLUMNS, GAP = 80, 2


def report(result: GateResult, lang: Language) -> Report:
    """A table of the checks and what was assumed; as text, a line per check with its answer first."""
    head = (*(lang.say(f"gate.{column}") for column in ("answer", "required", "measured")), lang.say("report.note"))
    rows = tuple(
        (lang.say(f"gate.{check.answer}"), escape_label(check.required), measured(check, lang), _notes(check, lang))
        for check in result.checks
    )
    assumptions = tuple(assumed(result, lang))
    lines = tuple(_lines(result, assumptions, lang))
    return Report(headline(result, lang), tables=(Table("", head, rows),), assumptions=assumptions, lines=lines)


def _notes(check: Check, lang: Language) -> str:
    return lang.say("report.semicolon").join(lang.remark(note) for note in check.notes)


def _lines(result: GateResult, assumptions: Iterable[str], lang: Language) -> list[str]:
    """One line per check with its answer first, its notes below, then what was assumed."""
    first = max(width(lang.say(f"gate.{answer}")) for answer in (PASS, FAIL, OPEN)) + GAP
    lines, indent = [*wrapped(headline(result, lang), COLUMNS), ""], " " * first
    wide = {kind: _widest(result, kind, first, lang) for kind in (False, True)}  # differences have wider numbers
    for check in result.checks:
        required, numbers = escape_label(check.required), measured(check, lang)
        start, column = padded(lang.say(f"gate.{check.answer}"), first), wide[bool(check.against)] + GAP
        if width(required) < column and first + column + len(numbers) <= COLUMNS:
            lines.append(f"{start}{padded(required, column)}{numbers}".rstrip())
        else:
            lines += wrapped(required, COLUMNS, indent, start)
            lines += [f"{indent}  {numbers}"] if numbers else []
        for note in check.notes:
            lines += wrapped(f"- {lang.remark(note)}", COLUMNS, f"{indent}  ", indent)
    lines.append("")
    return lines + [line for text in assumptions for line in wrapped(text, COLUMNS)]


def _widest(result: GateResult, against: bool, first: int, lang: Language) -> int:
    """The columns of the widest requirement that leaves room for its numbers."""
    widths = [
        (width(escape_label(c.required)), len(measured(c, lang))) for c in result.checks if bool(c.against) == against
    ]
    return max((wide for wide, numbers in widths if first + wide + GAP + numbers <= COLUMNS), default=0)


def headline(result: GateResult, lang: Language) -> str:
    """The verdict and how many answers of each kind there are."""
    counted = Counter(check.answer for check in result.checks)
    each = (f"{counted[answer]} {lang.say(f'gate.{answer}')}" for answer in (PASS, FAIL, OPEN) if counted[answer])
    values = {
        "verdict": lang.say(f"gate.{result.verdict}"),
        "outcome": lang.say(f"gate.{result.outcome}"),
        "each": lang.say("report.separator").join(each),
        "rows": layout.counted(lang, result.checks[0].unit if result.checks else "rows", result.rows),
    }
    return lang.say("gate.title" if result.outcome == result.verdict else "gate.counted", **values)


def measured(check: Check, lang: Language) -> str:
    """The value or difference and its interval; empty where it is undefined."""
    if math.isnan(check.value):
        return ""
    if math.isnan(check.low):
        return lang.number(check.value)
    plus = "+" if check.against else ""
    decimals = 3 if not 0 < check.high - check.low < 0.02 else 4
    value, low, high = (f"{x:{plus}.{decimals}f}" for x in (check.value, check.low, check.high))
    return f"{lang.local(value)} {lang.interval(low, high)}{'' if check.pvalue is None else _p(check.pvalue, lang)}"


def _p(p: float, lang: Language) -> str:
    return "" if math.isnan(p) else lang.local(", p < 0.001" if p < 0.001 else f", p = {p:.3f}")


def assumed(result: GateResult, lang: Language) -> list[str]:
    """The assumptions of the answers."""
    lines = [lang.say("gate.intervals", level=lang.local(layout.percent(result.level)))]
    if result.fail_level > result.level and result.verdict != PASS:
        lines.append(lang.say("gate.failing", level=lang.local(f"{100 * result.fail_level:.4g}%")))
    kinds = {check.against for check in result.checks}
    lines += [lang.say(f"gate.{kind}") for kind in ("paired", "unpaired") if kind in kinds]
    colon = lang.say("report.colon")
    return [*lines, *(lang.say("report.note") + colon + lang.remark(note) for note in result.notes)]


def junit(result: GateResult, lang: Lang | None = None) -> str:
    """A suite with a case for each check; what is inconclusive is an error, or what it counts as."""
    spoken = language(lang)
    element = {PASS: "skipped", FAIL: "failure", None: "error"}[result.inconclusive]
    elements = {PASS: "", FAIL: "failure", OPEN: element}
    counts_by_element = Counter(elements[check.answer] for check in result.checks)
    counts = " ".join(f'{name}="{counts_by_element[key]}"' for name, key in COUNTED.items())
    suite = f'name="calipers gate" tests="{len(result.checks)}" {counts}'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {suite}>", f"  <testsuite {suite}>"]
    for check in result.checks:
        start = f'    <testcase classname="calipers.gate" name={quoteattr(escape_label(check.required))}'
        notes = (spoken.remark(note) for note in check.notes)
        details = spoken.say("report.semicolon").join(filter(None, (measured(check, spoken), *notes)))
        if not elements[check.answer]:
            lines.append(f"{start}><system-out>{escape(details)}</system-out></testcase>")
            continue
        answer = spoken.say(f"gate.{check.answer}") + spoken.say("report.colon")
        tag, message = elements[check.answer], quoteattr(answer + details)
        kind = "" if tag == "skipped" else f' type="{check.answer}"'
        lines.append(f"{start}><{tag}{kind} message={message}/></testcase>")
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}
