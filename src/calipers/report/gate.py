"""What is said about a gate, and a gate as JUnit's XML."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from calipers import numerals
from calipers.answers import TONES, VERDICTS, answer_of_gate
from calipers.choices import Lang
from calipers.gating.checks import FAIL, OPEN, PASS
from calipers.report import layout
from calipers.report.answers import SIGNS, ShownAnswer, answer_lines, shown
from calipers.report.language import Language, language
from calipers.report.layout import Figure, Table
from calipers.report.report import Report
from calipers.report.terminal import escape_label, padded, width, wrapped

if TYPE_CHECKING:
    from calipers.gating.checks import Check
    from calipers.gating.gate import GateResult

GAP = 2


def report(result: GateResult, lang: Language) -> Report:
    """A table of the checks and what was assumed; as text, a line per check with its answer first."""
    head = (*(lang.say(f"gate.{column}") for column in ("answer", "required", "measured")), lang.say("report.note"))
    rows = tuple(
        (_signed(check.answer, lang), escape_label(check.required), _figure(check, lang), _notes(check, lang))
        for check in result.checks
    )
    assumptions = tuple(assumed(result, lang))
    answer = shown(answer_of_gate(result), lang)
    lines = partial(_lines, result, answer, assumptions, lang)
    table = Table("", head, rows)
    return Report(headline(result, lang), answer=answer, tables=(table,), assumptions=assumptions, lines=lines)


def _signed(answer: str, lang: Language) -> str:
    """An answer with the sign by which terminals colour it."""
    return f"{SIGNS[TONES[VERDICTS['requirements'][answer]]]} {lang.say(f'gate.{answer}')}"


def _notes(check: Check, lang: Language) -> str:
    return lang.say("report.semicolon").join(lang.remark(note) for note in check.notes)


def _lines(
    result: GateResult, answer: ShownAnswer | None, assumptions: Iterable[str], lang: Language, columns: int
) -> list[str]:
    """The answer, one line per check with its answer first, its notes below, then what was assumed."""
    first = max(width(_signed(kind, lang)) for kind in (PASS, FAIL, OPEN)) + GAP
    lines, indent = [*wrapped(headline(result, lang), columns), *answer_lines(answer, columns), ""], " " * first
    numbers = {kind: _numbers(result, kind, lang) for kind in (False, True)}  # differences are wider
    wide = {kind: _widest(numbers[kind], columns - first) for kind in numbers}
    for check in result.checks:
        required, measured = escape_label(check.required), numbers[bool(check.against)][check.required]
        start, column = padded(_signed(check.answer, lang), first), wide[bool(check.against)] + GAP
        if width(required) < column and first + column + width(measured) <= columns:
            lines.append(f"{start}{padded(required, column)}{measured}")
        else:
            lines += wrapped(required, columns, indent, start)
            lines += [f"{indent}  {measured.lstrip()}"] if measured else []
        for note in check.notes:
            lines += wrapped(f"- {lang.remark(note)}", columns, f"{indent}  ", indent)
    lines.append("")
    return lines + [line for text in assumptions for line in wrapped(text, columns)]


def _numbers(result: GateResult, against: bool, lang: Language) -> dict[str, str]:
    """What was measured, by requirement: values end in one place, and bounds begin in one."""
    figures = {check.required: _figure(check, lang) for check in result.checks if bool(check.against) == against}
    most = max((width(figure.written) for figure in figures.values()), default=0)
    return {name: f"{padded(f.written, most, right=True)} {f.interval}".rstrip() for name, f in figures.items()}


def _widest(numbers: Mapping[str, str], room: int) -> int:
    """The columns of the widest requirement that leaves room for its numbers."""
    widths = [(width(escape_label(required)), width(text)) for required, text in numbers.items()]
    return max((wide for wide, text in widths if wide + GAP + text <= room), default=0)


def headline(result: GateResult, lang: Language) -> str:
    """The verdict and how many answers of each kind there are."""
    counted = Counter(check.answer for check in result.checks)
    each = (lang.say("gate.each", count=counted[answer], answer=lang.say(f"gate.{answer}"))
            for answer in (PASS, FAIL, OPEN) if counted[answer])  # fmt: skip
    values = {
        "verdict": lang.say(f"gate.{result.verdict}"),
        "outcome": lang.say(f"gate.{result.outcome}"),
        "each": lang.say("report.separator").join(each),
        "rows": layout.counted(lang, result.checks[0].unit if result.checks else "rows", result.rows),
    }
    return lang.say("gate.title" if result.outcome == result.verdict else "gate.counted", **values)


def measured(check: Check, lang: Language) -> str:
    """The value or difference and its interval; empty where it is undefined."""
    return str(_figure(check, lang))


def _figure(check: Check, lang: Language) -> Figure:
    if math.isnan(check.value):
        return Figure(check.value)
    if math.isnan(check.low):
        return Figure(check.value, lang.number(check.value))
    value, low, high = numerals.interval(check.value, check.low, check.high, sign=bool(check.against))
    tested = check.pvalue is not None and not math.isnan(check.pvalue)
    p = lang.say("report.separator") + lang.pvalue(check.pvalue or 0.0) if tested else ""
    return Figure(check.value, lang.local(value), lang.interval(low, high) + p)


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
