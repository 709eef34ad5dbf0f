"""The pages of codes: every finding, remark and error with its text in three languages, at an address that stays."""

from __future__ import annotations

from collections.abc import Iterator

from calipers.report import codes
from calipers.report.language import language
from calipers.report.messages import LANGUAGES

INTRODUCTIONS = {
    "findings": "What a report warns about or notes. [Findings](../findings.md) explains how each one is decided.",
    "remarks": "Notes beside a number: its method, why it has no interval, when it is not reliable.",
    "errors": "Messages of exceptions and of the command line.",
}


def pages() -> Iterator[tuple[str, str]]:
    """One page for each kind of code."""
    for kind, introduction in INTRODUCTIONS.items():
        parts = [
            f"# {kind.capitalize()} by code\n",
            f"{introduction} `calipers explain CODE` shows the same text offline, and the address of a code does not "
            "change. Words in angle brackets stand for values.\n",
        ]
        above = None
        for code in codes.of_kind(kind):
            if kind != "findings" and (group := code.partition(".")[0]) != above:
                above = group
                parts.append(f"## {group}\n")
            parts.append(entry(code, "##" if kind == "findings" else "###"))
        yield f"codes/{kind}.md", "\n".join(parts)


def entry(code: str, marks: str) -> str:
    """A code with its texts, under a heading whose anchor is its address."""
    lines = [f"{marks} {code}\n"]
    for lang, name in LANGUAGES.items():
        described = codes.described(code, language(lang))
        advice = [text for name, text in described.facts if name == language(lang).say("explain.advice")]
        texts = [described.meaning, *advice]
        lines.append(f"- {name}: " + ("" if lang == "zh" else " ").join(escaped(text) for text in texts))
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """A text in which Markdown sees no marks."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|{}$~" else c for c in text)
