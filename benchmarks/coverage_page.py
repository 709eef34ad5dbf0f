"""The tables of docs/coverage.md, and how a generated part gets between its markers."""

import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

KINDS = {
    "binary": "Two classes",
    "restated": "Two classes, restated for a prevalence of 0.2",
    "several": "Three classes",
    "labelled": "Three labels",
    "shapes": "Hard shapes",
}


def text(found: list, samples: int) -> str:
    """A summary of every metric, then coverage by setting."""
    return "\n\n".join([f"Samples of each setting: {samples}.", *summaries(found), *details(found)])


def summaries(found: list) -> Iterable[str]:
    for kind, title in KINDS.items():
        rows = defaultdict(list)
        for f in found:
            if f.setting[0] == kind:
                rows[f.metric, f.method].append(f)
        if not rows:
            continue
        lines = [
            f"### {title}",
            "",
            "| metric | method | settings within | coverage, % | outside | coverage, % | flagged, of those below 93 |",
            "|---|---|--:|---|--:|---|---|",
        ]
        for (metric, method), each in rows.items():
            within, beyond = [f for f in each if f.inside], [f for f in each if not f.inside]
            bad = "" if all(f.good for f in each) else " **not met**"
            lines.append(
                f"| {metric} | {method} | {len(within)} | {spanned(f.coverage for f in within)}{bad} | {len(beyond)} "
                f"| {spanned(f.coverage for f in beyond)} | {spanned(f.flagged for f in beyond if f.coverage < 93)} |"
            )
        yield "\n".join(lines)


def details(found: list) -> Iterable[str]:
    """Coverage by setting; in brackets where the rule promises nothing, with ! where a promise is broken."""
    for kind, title in KINDS.items():
        for name in dict.fromkeys(f.setting[1] for f in found if f.setting[0] == kind):
            each = [f for f in found if f.setting[:2] == (kind, name)]
            columns = sorted({f.setting[2:] for f in each}, key=lambda s: (s[1], -s[0]))
            cells = {(f.metric, f.method, f.setting[2:]): shown(f) for f in each}
            lines = [
                f"#### {title}: {name}",
                "",
                "| metric | " + " | ".join(f"n {n}, {share:g}" for share, n in columns) + " |",
                "|---|" + "--:|" * len(columns),
            ]
            told = set()
            for metric, method in dict.fromkeys((f.metric, f.method) for f in each):
                row = [cells.get((metric, method, c), "") for c in columns]
                name = f"{metric} ({method})" if metric in told else metric  # the default comes first
                told.add(metric)
                lines.append(f"| {name} | " + " | ".join(row) + " |")
            yield "\n".join(lines)


def shown(f) -> str:
    number = f"{f.coverage:.1f}"
    return f"({number})" if not f.inside else number if f.good else f"**{number}!**"


def spanned(values: Iterable[float]) -> str:
    values = list(values)
    return f"{min(values):.1f} to {max(values):.1f}" if values else ""


def written(page: Path, marker: str, tables: str) -> None:
    """Put the tables between the markers of their name."""
    begin, end = f"<!-- {marker}: generated -->", f"<!-- {marker}: end -->"
    old = page.read_text()
    if begin not in old or end not in old:
        raise SystemExit(f"{page} has no markers for {marker}")
    page.write_text(re.sub(f"(?s){begin}.*?{end}", lambda _: f"{begin}\n\n{tables}\n\n{end}", old))
