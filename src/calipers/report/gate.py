"""A gate as plain text, at most 80 columns wide, as Markdown, and as JUnit's XML."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from calipers.checks import FAIL, OPEN, PASS
from calipers.inference.estimate import digits
from calipers.report.display import harmless, padded, width, wrapped
from calipers.report.layout import percent

if TYPE_CHECKING:
    from calipers.checks import Check
    from calipers.gating import GateResult

COLUMNS = 80
ANSWER, GAP = len(OPEN) + 2, 2


def render(found: GateResult) -> str:
    """A line a check with its answer first, what is to be said about it below, then what was assumed."""
    lines, indent = [*wrapped(headline(found), COLUMNS), ""], " " * ANSWER
    wide = {kind: _widest(found, kind) for kind in (False, True)}  # differences have wider numbers
    for check in found.checks:
        required, shown, start = harmless(check.required), measured(check), padded(check.answer, ANSWER)
        column = wide[bool(check.against)] + GAP
        if width(required) < column and ANSWER + column + len(shown) <= COLUMNS:
            lines.append(f"{start}{padded(required, column)}{shown}".rstrip())
        else:
            lines += wrapped(required, COLUMNS, indent, start)
            lines += [f"{indent}  {shown}"] if shown else []
        for note in check.notes:
            lines += wrapped(f"- {harmless(note)}", COLUMNS, f"{indent}  ", indent)
    lines.append("")
    for note in assumed(found):
        lines += wrapped(note, COLUMNS)
    return "\n".join(lines)


def _widest(found: GateResult, against: bool) -> int:
    """The columns of the widest requirement that leaves room for its numbers."""
    told = [(width(harmless(c.required)), len(measured(c))) for c in found.checks if bool(c.against) == against]
    return max((wide for wide, shown in told if ANSWER + wide + GAP + shown <= COLUMNS), default=0)


def headline(found: GateResult) -> str:
    """The verdict and how many answers of each kind there are."""
    counted = Counter(check.answer for check in found.checks)
    each = ", ".join(f"{counted[answer]} {answer}" for answer in (PASS, FAIL, OPEN) if counted[answer])
    counts = f", counted as {found.outcome}" if found.outcome != found.verdict else ""
    rows = "1 row" if found.rows == 1 else f"{found.rows} rows"
    return f"gate: {found.verdict}{counts} ({each}; {rows})"


def measured(check: Check) -> str:
    """The value or difference and its interval; empty where it is undefined."""
    if math.isnan(check.value):
        return ""
    if math.isnan(check.low):
        return digits(check.value)
    plus = "+" if check.against else ""
    decimals = 3 if not 0 < check.high - check.low < 0.02 else 4
    value, low, high = (f"{x:{plus}.{decimals}f}" for x in (check.value, check.low, check.high))
    return f"{value} [{low}, {high}]{'' if check.pvalue is None else _p(check.pvalue)}"


def _p(p: float) -> str:
    return "" if math.isnan(p) else ", p < 0.001" if p < 0.001 else f", p = {p:.3f}"


def assumed(found: GateResult) -> list[str]:
    """What the answers rest on."""
    lines = [f"intervals: {percent(found.level)} confidence; pass is an interval that clears the bar"]
    if found.fail_level > found.level and found.verdict != PASS:
        sure = f"{100 * found.fail_level:.4g}% confidence"
        lines.append(f"fail: beyond the bar with {sure}, as one of several may fail by chance")
    kinds = {check.against for check in found.checks}
    if "paired" in kinds:
        lines.append("baseline: the same rows, pair by pair; p is that of a loss beyond the margin")
    if "unpaired" in kinds:
        lines.append("baseline: a document, not paired; a file of predictions and --key would see smaller losses")
    return [*lines, *(f"note: {harmless(note)}" for note in found.notes)]


def markdown(found: GateResult) -> str:
    """A heading, a table of the checks, and what was assumed."""
    lines = [f"**{_cell(headline(found))}**", "", "| answer | required | measured | |", "|---|---|---|---|"]
    for check in found.checks:
        cells = (check.answer, _cell(check.required), _cell(measured(check)), _cell("; ".join(check.notes)))
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", *(f"- {_cell(note)}" for note in assumed(found))])


def _cell(text: str) -> str:
    """A text that neither ends a cell nor is taken for markup."""
    shown = harmless(text) if text else ""
    for mark in "\\`*_|[]":
        shown = shown.replace(mark, f"\\{mark}")
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def junit(found: GateResult) -> str:
    """A suite with a case for each check; what is inconclusive is an error, or what it counts as."""
    element = {PASS: "skipped", FAIL: "failure", None: "error"}[found.inconclusive]
    elements = {PASS: "", FAIL: "failure", OPEN: element}
    met = Counter(elements[check.answer] for check in found.checks)
    counts = " ".join(f'{name}="{met[key]}"' for name, key in COUNTED.items())
    suite = f'name="calipers gate" tests="{len(found.checks)}" {counts}'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {suite}>", f"  <testsuite {suite}>"]
    for check in found.checks:
        start = f'    <testcase classname="calipers.gate" name={quoteattr(harmless(check.required))}'
        told = "; ".join(filter(None, (measured(check), *map(harmless, check.notes))))
        if not elements[check.answer]:
            lines.append(f"{start}><system-out>{escape(told)}</system-out></testcase>")
            continue
        tag, message = elements[check.answer], quoteattr(f"{check.answer}: {told}")
        kind = "" if tag == "skipped" else f' type="{check.answer}"'
        lines.append(f"{start}><{tag}{kind} message={message}/></testcase>")
    return "\n".join([*lines, "  </testsuite>", "</testsuites>", ""])


COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}
