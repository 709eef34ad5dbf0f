"""Slices and classes as strips, worst first: a few metrics of each with their intervals, and a line for all rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from calipers.metrics.base import CATALOGUE
from calipers.metrics.views import Unavailable
from calipers.report import evaluation as description
from calipers.report import layout
from calipers.report.page.elements import LABEL, PageBudget, key_of
from calipers.report.page.strips import Scale, StripCell, StripTable, axis, strip
from calipers.report.terminal import distinct_labels, escape_label, fitted

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.inference.estimate import Estimate
    from calipers.report.language import Language
    from calipers.report.layout import Footnotes

Part = Mapping[str, "Estimate"]
One = TypeVar("One", bound=Mapping[str, Any])
DRAWN, SEARCHED = 40, 12  # parts of which every metric is drawn, not the first alone; parts from which on a box filters


def slices(ev: Evaluation, notes: Footnotes, budget: PageBudget) -> Iterator[StripTable]:
    """A table for each slicing column. Slices that the finding `weak_slice` is about are coloured."""
    lang, known = notes.lang, description.findings(ev)
    weak = {(f.numbers["column"], f.numbers["slice"]) for f in known if f.code == "weak_slice"}
    names = description.sliced_metrics(ev)
    for at, (column, parts) in enumerate(islice(ev.by.items(), budget.slicings)):
        largest = sorted(parts.items(), key=lambda item: -item[1].rows)[: budget.rows]
        chosen = dict(_worst_first(largest, names[0]))
        counts = {v: float(part.rows) for v, part in chosen.items()}
        marked = {v for v in chosen if (column, str(v)) in weak}
        left = len(parts) - len(chosen)
        yield _table(
            chosen, names, counts, notes,
            caption=lang.say("report.by", column=escape_label(column)) + lang.say("views.parts.order"),
            first=escape_label(column), key=f"slice-{at}", marked=marked, overall={name: ev[name] for name in names},
            more=layout.counted(lang, "smaller", left) if left > 0 else "",
        )  # fmt: skip


def classes(ev: Evaluation, notes: Footnotes, budget: PageBudget) -> StripTable | None:
    """Every class against the rest, worst first; None with one positive class, which the numbers are about."""
    if ev.positive is not None or len(ev.labels) < 2:
        return None
    parts: Mapping[Any, Part] = ev.classes
    names = tuple(next(iter(parts.values())))[: description.METRICS]
    if not names:
        return None
    names = tuple(sorted(names, key=lambda name: name != "f1"))  # F1 first
    lang, kind = notes.lang, ev.schema.facts.label
    ordered = dict(islice(_worst_first(parts.items(), names[0]), budget.classes))
    left = len(parts) - len(ordered)
    return _table(
        ordered, names, _support(ev), notes, caption=lang.say(f"report.each_{kind}") + lang.say("views.parts.order"),
        first=lang.say(f"report.{kind}"), key="each-class", marked=set(), overall={},
        more=lang.say(f"report.more_{description.PLURALS[kind]}", count=left) if left > 0 else "",
        search=lang.say(f"views.filter_{description.PLURALS[kind]}") if len(ordered) >= SEARCHED else "",
    )  # fmt: skip


def _worst_first(parts: Iterable[tuple[Any, One]], name: str) -> list[tuple[Any, One]]:
    """Parts by one metric, the worst first and those last that do not have it."""
    sign = -1 if CATALOGUE[name].metric.better == "lower" else 1

    def order(item: tuple[Any, One]) -> tuple[bool, float]:
        value = float(item[1][name])
        return math.isnan(value), 0.0 if math.isnan(value) else sign * value

    return sorted(parts, key=order)


def _support(ev: Evaluation) -> dict[Any, float]:
    """How many rows each class has; of label sets, how many rows have the label."""
    table = description.matrix(ev)
    if table is not None:
        return dict(zip(table.labels, table.margins[0].tolist(), strict=True))
    if not ev.is_live or not ev.schema.facts.label_sets:
        return {}
    try:
        counts = ev.views.one_vs_rest
    except Unavailable:
        return {}
    order = ev.views.labels
    return {v: float(sum(counts.at(order.index(v)).counts[at] for at in (0, 2))) for v in ev.labels}


def _table(
    parts: Mapping[Any, Part], names: Sequence[str], counts: Mapping[Any, float], notes: Footnotes, *, caption: str,
    first: str, key: str, marked: set[Any], overall: Part, more: str, search: str = "",
) -> StripTable:  # fmt: skip
    """A row for each part: its rows, and its metrics as values over strips."""
    lang = notes.lang
    drawn = names if len(parts) <= DRAWN else names[:1]
    scales = {name: _scale(parts.values(), name, overall.get(name)) for name in drawn}
    rows = []
    for label, (v, part) in zip(distinct_labels(parts, LABEL), parts.items(), strict=True):
        tone = "bad" if v in marked else ""
        cells = [StripCell(label, tone=tone)]
        if counts:
            cells.append(StripCell(lang.count(counts[v]), sort=key_of(counts[v])))
        cells += (_cell(part[name], notes, tone, scales.get(name), overall.get(name)) for name in names)
        rows.append(tuple(cells))
    head = (first, *([lang.say("report.rows")] if counts else []), *(lang.heading(name) for name in names))
    feet = [axis(scales[name], lang, marks=_marks(name, overall, lang)) if name in scales else "" for name in names]
    return StripTable(fitted(caption, 200), head, tuple(rows), key, ("", *([""] if counts else []), *feet), more,
                      tuple(range(1, len(head))), search)  # fmt: skip


def _marks(name: str, overall: Part, lang: Language) -> list[tuple[float, str]]:
    e = overall.get(name)
    if e is None or math.isnan(e):
        return []
    return [(float(e), lang.say("views.parts.overall", value=layout.value(e, lang)))]


def _scale(parts: Any, name: str, whole: Estimate | None) -> Scale:
    """The scale of a metric, on which all rows are too."""
    values = [x for part in parts for x in (float(part[name]), part[name].low, part[name].high)]
    return Scale.of(values if whole is None else [*values, float(whole)])


def _cell(e: Estimate, notes: Footnotes, tone: str, scale: Scale | None, whole: Estimate | None) -> StripCell:
    ends, text = layout.bounds(e), layout.value(e, notes.lang)
    interval = notes.lang.interval(*ends) if ends else ""
    lines = () if whole is None else (float(whole),)
    picture = "" if scale is None or math.isnan(e) else strip(
        scale, (float(e), e.low, e.high), tone, lines=lines, title=f"{text} {interval}"
    )  # fmt: skip
    return StripCell(text, interval, picture, key_of(e), marks=notes.marks(e))
