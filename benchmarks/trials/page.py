"""The tables of docs/coverage.md and docs/coverage/AREA.md: one part per area, replaced when that area is run."""

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from markers import replaced
from trials.areas import AREAS
from trials.known_misses import known
from trials.rules import MARKS, MISSES, Cell

DOCS = Path(__file__).parents[2] / "docs"
PAGE, DETAILS = DOCS / "coverage.md", DOCS / "coverage"


def commit() -> str:
    """The commit of the code that is run, and whether files of it were changed since."""
    ask = ["git", "-C", str(DOCS)]
    name = subprocess.check_output([*ask, "rev-parse", "--short=10", "HEAD"], text=True).strip()
    changed = subprocess.check_output(
        [*ask, "status", "--porcelain", "--", "../src", "../native", "../benchmarks"], text=True
    )
    return f"commit {name}" + (" with uncommitted changes" if changed.strip() else "")


def written(area: str, cells: list[Cell]) -> None:
    """Replace the part of this area in docs/coverage.md, and its page of details."""
    stamp = f"{cells[0].samples} samples per cell, {commit()}."
    replaced(PAGE, area, f"{stamp} [Every cell](coverage/{area}.md).\n\n{summary(cells)}")
    DETAILS.mkdir(exist_ok=True)
    head = f"# {AREAS[area].title}: every cell\n\nWritten by `make coverage AREA={area}`: {stamp}"
    (DETAILS / f"{area}.md").write_text("\n\n".join([head, EXPLAINED, *details(cells)]) + "\n")


EXPLAINED = (
    "In per cent. *Coverage*: of the samples that had an interval. *None as misses*: a sample without an interval "
    "counts as a miss. *Unflagged*: coverage among the samples without a flag. *Few*: fewer rows than the target "
    "requires."
)


def summary(cells: list[Cell]) -> str:
    """Ranges by metric, then the cells that miss."""
    tables = [*of_intervals([c for c in cells if not c.promise.test and c.known]), *of_tests(cells)]
    return "\n\n".join([*tables, *misses(cells)])


def of_intervals(cells: list[Cell]) -> Iterator[str]:
    if not cells:
        return
    lines = [
        "| metric | cells | coverage | none as misses | unflagged | flagged | few rows: cells | coverage | flagged |",
        "|---|--:|---|---|---|---|--:|---|---|",
    ]
    for metric, each in by(cells, lambda c: family(c.metric)).items():
        plain, few = [c for c in each if not c.promise.few], [c for c in each if c.promise.few]
        columns = (*(spanned(getattr(c, name) for c in plain) for name in ("coverage", "strict", "unflagged", "flags")),
                   len(few), spanned(c.coverage for c in few), spanned(c.flags for c in few))  # fmt: skip
        lines.append(f"| {metric} | {len(plain)} | " + " | ".join(map(str, columns)) + " |")
    yield "\n".join(lines)


def of_tests(cells: list[Cell]) -> Iterator[str]:
    tests = [c for c in cells if c.promise.test]
    if not tests:
        return
    lines = ["| test of a true null | cells | rejected |", "|---|--:|---|"]
    for (part, metric), each in by(tests, lambda c: (c.part, c.metric)).items():
        lines.append(f"| {shown(part)}: {metric} | {len(each)} | {spanned(c.coverage for c in each)} |")
    yield "\n".join(lines)


def family(metric: str) -> str:
    """Points of one curve are one line."""
    return re.sub(r", (at|from) [\d.]+$", "", metric)


def misses(cells: list[Cell]) -> Iterator[str]:
    """The cells that miss, with the reason where it is known; then how many have a mark."""
    missed = [c for c in cells if c.missed]
    if missed:
        lines = ["| missed | metric | in per cent | flagged | why |", "|---|---|--:|--:|---|"]
        for c in missed:
            reason = known(c).reason if known(c) else f"**{MISSES[c.verdict]}**"
            lines.append(f"| {shown(c.population)} | {c.metric} | {c.coverage:.1f} | {number(c.flags)} | {reason} |")
        yield "\n".join(lines)
    judged = sum(c.promise.judged for c in cells)
    counts = [f"{sum(c.verdict == mark for c in cells)} {text}" for mark, text in MARKS.items()]
    yield f"{len(missed)} of {judged} cells miss. Of the other cells, {'; '.join(counts)}."


def details(cells: list[Cell]) -> Iterator[str]:
    """One table per population."""
    for part, of_part in by(cells, lambda c: c.part).items():
        yield f"## {shown(part[0].upper() + part[1:])}"
        for population, each in by(of_part, lambda c: c.population).items():
            yield "\n".join([f"**{shown(population)}**", "", *detail(each)])


def detail(cells: list[Cell]) -> Iterator[str]:
    if cells[0].promise.test:
        yield from ("| test | rejected | |", "|---|--:|---|")
        yield from (f"| {c.metric} | {c.coverage:.1f} | {mark(c)} |" for c in cells)
        return
    yield from ("| metric | coverage | none as misses | unflagged | flagged | |", "|---|--:|--:|--:|--:|---|")
    for c in cells:
        if c.known:
            columns = (c.coverage, c.strict, c.unflagged, c.flags)
            yield f"| {c.metric} | " + " | ".join(map(number, columns)) + f" | {mark(c)} |"


def mark(cell: Cell) -> str:
    words = [] if not cell.promise.few else ["few"]
    words += (
        [f"**{cell.verdict}**" + (", known" if known(cell) else "")]
        if cell.missed
        else [cell.verdict] * bool(cell.verdict)
    )
    return ", ".join(words)


def by(cells: Iterable[Cell], key) -> dict:
    groups: dict = {}
    for cell in cells:
        groups.setdefault(key(cell), []).append(cell)
    return groups


def shown(population: str) -> str:
    """The name in usual words (10%, 2,000). The name itself does not change, because it is the seed of the samples."""
    usual = re.sub(r"(?<=\d) (?=\d{3}\b)", ",", population)
    return usual.replace(" %", "%").replace("too timid", "underconfident")


def number(value: float) -> str:
    return f"{value:.1f}" if value == value else ""


def spanned(values: Iterable[float]) -> str:
    known_values = [v for v in values if v == v]
    if not known_values:
        return ""
    least, most = number(min(known_values)), number(max(known_values))
    return least if least == most else f"{least} to {most}"
