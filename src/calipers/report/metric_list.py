"""The metrics there are: what `calipers metrics` prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Never

from calipers.metrics import catalogue
from calipers.metrics.base import CATALOGUE, Measure, Metric
from calipers.report.language import Language
from calipers.report.layout import Table
from calipers.report.messages import COMMAS
from calipers.report.report import Report
from calipers.report.terminal import padded, width, wrapped
from calipers.result import Result


@dataclass(frozen=True, repr=False)
class MetricList(Result[Never]):
    """A list of metrics; all metrics unless some are named.

    >>> len(MetricList(("f1", "mae")).names)
    2
    """

    kind: ClassVar[str] = "metric_list"

    names: tuple[str, ...] = field(default_factory=lambda: tuple(metric.name for metric in catalogue()))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What the names stand for."""
        return tuple(CATALOGUE[name] for name in self.names)

    def __len__(self) -> int:
        return len(self.names)


def taken(metric: Metric, lang: Language) -> str:
    """What a metric is computed from."""
    return lang.say(f"explain.taken_{metric.view.taken}")


def bounds(metric: Metric) -> str:
    """The range of a metric, as an interval that is open at infinity.

    >>> bounds(CATALOGUE["mse"].metric)
    '[0, ∞)'
    """
    low, high = metric.bounds
    ends = "(" if low == -float("inf") else "[", ")" if high == float("inf") else "]"
    return f"{ends[0]}{low:g}, {high:g}{ends[1]}".replace("inf", "∞")


def report(metrics: MetricList, lang: Language) -> Report:
    """One table for each thing that metrics are computed from."""
    groups: dict[str, list[tuple[str, ...]]] = {}
    for measure in metrics.measures:
        metric = measure.metric
        better = lang.say(f"explain.better_{metric.better}") if metric.better else "-"
        meaning = f"{lang.glossed(measure)}{lang.say('report.colon')}{lang.meaning(measure)}"
        ends = lang.local(bounds(metric))
        row = metric.name, ends.replace(", ", "; ") if lang.code in COMMAS else ends, better, meaning
        groups.setdefault(taken(metric, lang), []).append(row)
    head = tuple(lang.say(f"explain.{key}") for key in ("metric", "range", "better", "meaning"))
    title = lang.say("explain.metrics", count=len(metrics.names))
    tables = tuple(Table(title, head, tuple(rows)) for title, rows in groups.items())
    return Report(title, tables=tables, lines=partial(_lines, title, tables, head))


def _lines(title: str, tables: tuple[Table, ...], head: tuple[str, ...], columns: int) -> Iterator[str]:
    """The tables as text: one head, and under it the meaning of each metric in its own column."""
    rows = [row for table in tables for row in table.rows]
    widths = [2 + max(width(str(row[at])) for row in (head, *rows)) for at in (1, 2)]
    first = 2 + min(20, max(width(str(row[0])) for row in (head, *rows)))
    yield title
    yield ""
    yield _padded(head, (first, *widths)) + head[-1]
    for table in tables:
        yield ""
        yield table.caption
        for row in table.rows:
            name, *others, meaning = map(str, row)
            if width(name) + 1 >= first:  # a long name has a separate line
                yield name
                name = ""
            start = _padded((name, *others), (first, *widths))
            yield from wrapped(meaning, columns, " " * width(start), start)


def _padded(cells: tuple[str, ...], widths: tuple[int, ...]) -> str:
    return "".join(padded(cell, wide) for cell, wide in zip(cells, widths, strict=False))
