"""A report as plain text, as wide as the terminal, and 80 columns where there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from calipers.choices import Lang
from calipers.inference.estimate import Estimate
from calipers.report import evaluation, layout
from calipers.report.answers import answer_lines
from calipers.report.language import Language, language
from calipers.report.layout import Bar, Cell, Count, Figure, Footnotes, MetricName, Table
from calipers.report.terminal import COLUMNS, escape_label, fitted, padded, width, wrapped

if TYPE_CHECKING:
    from calipers.evaluation.confusion import Confusion
    from calipers.evaluation.per_query import PerQuery
    from calipers.findings import Finding
    from calipers.report.report import Report

GAP, SHORTEST, BAR = 2, 12, 16
LEVEL = re.compile(r"\[[^\[\]]*?([\d.,]+%)[^\[\]]*\]")  # "[95% CI]"
WARNINGS = 4  # that a brief report shows


def render(report: Report, lang: Language, columns: int = COLUMNS) -> str:
    """Title, findings, sentences and tables, what they are based on, and the footnotes."""
    if report.lines is not None:
        return "\n".join(line.rstrip() for line in report.lines(columns))
    notes = Footnotes(lang)
    lines = [*_title(report, columns), *answer_lines(report.answer, columns), *_findings(report, lang, columns)]
    if report.sentences:
        lines += ["", *(line for sentence in report.sentences for line in wrapped(sentence, columns))]
    for table in report.tables:
        lines += ["", *_first_that_fits(table, notes, columns)]
    lines.append("")
    for assumption in report.assumptions:
        lines += wrapped(assumption, columns)
    for letter, remark in notes:
        mark = f"{letter}) "
        lines += wrapped(remark, columns, " " * len(mark), mark)
    return "\n".join(lines)


def _title(report: Report, columns: int) -> list[str]:
    """The title with as many labels as one line holds."""
    if not report.labels:
        return wrapped(report.title, columns)
    for count in range(len(report.labels), 0, -1):
        more = report.more_labels or count < len(report.labels)
        line = report.title + replace(report, labels=report.labels[:count], more_labels=more).names
        if width(line) <= columns:
            return [line]
    return [report.title]


def _findings(report: Report, lang: Language, columns: int) -> list[str]:
    """All findings; of a brief report the first warnings, and the topics of the others."""
    if not report.brief:
        return [line for f in report.findings for line in ("", *_finding(f, lang, columns))]
    first = [f for f in report.findings if f.severity == "warning"][:WARNINGS]
    lines = [line for f in first for line in _finding(f, lang, columns)]
    others = dict.fromkeys(lang.topic(f) for f in report.findings if f not in first)
    topics = lang.say("report.names").join(others)
    lines += wrapped(lang.say("report.more_findings", topics=topics), columns) if others else []
    return ["", *lines] if lines else []


def _finding(finding: Finding, lang: Language, columns: int) -> list[str]:
    return wrapped(f"{'! ' * (finding.severity == 'warning')}{lang.finding(finding)}", columns)


def confusion_lines(confusion: Confusion, lang: Lang | None = None) -> list[str]:
    """The confusion matrix, or its most frequent confusions where 80 columns do not hold it."""
    spoken = language(lang)
    return _first_that_fits(evaluation.confusion(confusion, spoken), Footnotes(spoken), COLUMNS)


def _first_that_fits(table: Table, notes: Footnotes, columns: int) -> list[str]:
    if table.split is not None:
        return _headline(table, table.split, notes, columns)
    return next(filter(None, (tabled(one, notes, columns) for one in table.text or (table,))), [])


def per_query_lines(table: PerQuery, lang: Lang | None = None, columns: int = COLUMNS) -> list[str]:
    """The metrics of each query or user, as many as fit beside each other."""
    spoken = language(lang)
    called, *rest = table
    measures = [name for name in rest if name not in ("retrieved", "relevant", "unjudged")]
    heads = [spoken.say(f"rows.columns.{called}"), *map(spoken.heading, measures)]
    queries = [escape_label(query) for query in table[called].tolist()]
    first = min(max(map(width, [heads[0], *queries])), columns // 3)
    widths = [max(len("0.000"), width(head)) for head in heads[1:]]
    count = len(widths)
    while count > 1 and first + sum(widths[:count]) + GAP * count > columns:
        count -= 1
    cells = [["-" if v != v else spoken.number(v) for v in table[name].tolist()] for name in measures[:count]]
    lines = []
    listed = ([head, *column] for head, column in zip(heads[1:], cells, strict=False))
    for query, *values in zip([heads[0], *queries], *listed, strict=True):
        numbers = (padded(text, w, right=True) for text, w in zip(values, widths, strict=False))
        lines.append((" " * GAP).join([padded(fitted(query, first), first), *numbers]))
    left = len(measures) - count
    return [*lines, f"... {spoken.say('page.more_numbers', count=left)}"] if left else lines


def _headline(table: Table, split: tuple[str, str], notes: Footnotes, columns: int) -> list[str]:
    """Names, values and bounds, the last two under a head each."""
    value, interval = split
    cells = [row[1] for row in table.rows]
    estimates, names = _estimates(cells, notes, width(value)), [str(row[0]) for row in table.rows]
    texts = (layout.value(e, notes.lang) for e in cells if isinstance(e, Estimate))
    value_head = f"{padded(value, max([width(value), *map(len, texts)]), right=True)} {interval}"
    most = columns - GAP - max(map(width, [value_head, *estimates]))
    first = min(max(map(width, [table.head[0], *names])), most)
    rows = [padded(fitted(n, first), first + GAP) + cell for n, cell in zip(names, estimates, strict=True)]
    longest = max(map(width, rows), default=columns)
    if any(table.bars) and longest + GAP + BAR <= columns:
        rows = [padded(row, longest + GAP) + drawn(bar) for row, bar in zip(rows, table.bars, strict=True)]
    lines = [padded(table.head[0], first + GAP) + value_head]
    before = dict(table.groups)
    for at, row in enumerate(rows):
        lines += wrapped(before[at], columns) if at in before else []
        lines.append(row.rstrip())
    return lines


def drawn(bar: Bar | None) -> str:
    """An interval in one line: its ends, its value, and a mark for guessing.

    >>> from calipers.report.layout import Bar
    >>> drawn(Bar(0.7, 0.9, 0.8, 0.5))
    '········┊·━━●━━·'
    """
    if bar is None:
        return ""
    low, high, value = (round(x * (BAR - 1)) for x in (bar.low, bar.high, bar.value))
    cells = ["━" if low <= at <= high else "·" for at in range(BAR)]
    if bar.mark is not None:
        cells[round(bar.mark * (BAR - 1))] = "┊"
    cells[value] = "●"
    return "".join(cells)


def _estimates(cells: Sequence[Cell], notes: Footnotes, least: int = 0) -> list[str]:
    """Estimates below each other: values, bounds and marks each in a separate column."""
    estimates = [cell for cell in cells if isinstance(cell, Estimate)]
    lang = notes.lang
    values, ends = [layout.value(e, lang) for e in estimates], [layout.bounds(e) for e in estimates]
    number = max([least, *map(len, values)])
    low, high = (max((len(e[i]) for e in ends if e), default=0) for i in (0, 1))
    lines = []
    for estimate, text, end in zip(estimates, values, ends, strict=True):
        blank = " " * (low + high + 4 if low else 0)
        interval = lang.interval(f"{end[0]:>{low}}", f"{end[1]:>{high}}") if end else blank
        lines.append(f"{text:>{number}} {interval} {notes.marks(estimate)}".rstrip())
    return lines


def _figures(cells: Sequence[Figure]) -> list[str]:
    """Numbers below each other, right, and their bounds beside them, left."""
    most = max(width(cell.written) for cell in cells)
    return [f"{padded(cell.written, most, right=True)} {cell.interval}".rstrip() for cell in cells]


def tabled(table: Table, notes: Footnotes, columns: int = COLUMNS) -> list[str]:
    """A table under its caption, labels shortened and columns left out until it fits; nothing when it cannot."""
    lines = wrapped(table.caption, columns) if table.caption else []
    if table.rows:
        chosen, widths = _laid_out(table, notes, columns)
        if any(width(cell) > w for c, w in zip(chosen, widths, strict=True) for cell in (c.name, *c.cells)):
            chosen, widths = _laid_out(_brief(table), notes, columns)
        if not chosen:
            return []
        for row in zip(*([c.name, *c.cells] for c in chosen), strict=True):
            cells = [padded(fitted(x, w), w, right=c.right) for x, w, c in zip(row, widths, chosen, strict=True)]
            lines.append((" " * GAP).join(cells).rstrip())
    return [*lines, f"... {table.more}"] if table.more else lines


def _laid_out(table: Table, notes: Footnotes, columns: int) -> tuple[list[_Column], list[int]]:
    """The columns that fit beside each other, and how wide they are; none where no choice of them fits."""
    by_column = zip(table.head, zip(*table.rows, strict=True), strict=True)
    every = [_Column.of(name, cells, notes) for name, cells in by_column]
    fitting = ((chosen, _widths(chosen, columns)) for chosen in _fewer(every))
    return next(((chosen, widths) for chosen, widths in fitting if widths is not None), ([], []))


def _brief(table: Table) -> Table:
    """A table with metrics by their names alone, and only the level of intervals in its head: "mean [95%]"."""
    rows = (tuple(cell.alone if isinstance(cell, MetricName) else cell for cell in row) for row in table.rows)
    return replace(table, head=tuple(LEVEL.sub(r"[\1]", name) for name in table.head), rows=tuple(rows))


@dataclass(frozen=True)
class _Column:
    name: str
    cells: list[str]
    least: int  # it is left out on a terminal with fewer columns
    right: bool = False
    kind: type = str

    @classmethod
    def of(cls, name: str, cells: Sequence[Cell], notes: Footnotes) -> _Column:
        if isinstance(cells[0], Estimate):
            estimates = _estimates(cells, notes)
            return cls(name, estimates, max(map(width, [fitted(name, 12), *estimates])), kind=Estimate)
        texts = [layout.text(cell, notes.lang) for cell in cells if not isinstance(cell, Estimate)]
        if any(isinstance(cell, Figure) and cell.interval for cell in cells):
            texts = _figures([cell for cell in cells if isinstance(cell, Figure)])
            return cls(name, texts, max(map(width, [fitted(name, 12), *texts])), kind=Figure)
        if isinstance(cells[0], Count):
            head = width(fitted(name, SHORTEST)) if isinstance(cells[0], Figure) else 4
            return cls(name, texts, max([head, *map(len, texts)]), right=True, kind=Count)
        return cls(name, texts, SHORTEST)

    @property
    def most(self) -> int:
        return max(map(width, [self.name, *self.cells]))


def _fewer(columns: list[_Column]) -> Iterator[list[_Column]]:
    """The columns, then without the counts, then with fewer and fewer estimates. Counts alone make sense only whole."""
    yield columns
    measured = [c for c in columns if c.kind is Estimate]
    others = [c for c in columns if c.kind is not Estimate]
    for count in range(len(measured), 0, -1):
        yield others + measured[:count]
        yield others[:1] + measured[:count]


def _widths(columns: list[_Column], room: int) -> list[int] | None:
    """Widths that fit beside each other, the widest taken back first; None when there are none."""
    widths = [c.most for c in columns]
    while sum(widths) + GAP * (len(widths) - 1) > room:
        spare = [w if w > c.least else 0 for w, c in zip(widths, columns, strict=True)]
        if not any(spare):
            return None
        widths[spare.index(max(spare))] -= 1
    return widths
