"""The queries of a ranking: how one measure is spread over them, and the worst of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.errors import InputError
from calipers.report.page.elements import key_of, short
from calipers.report.page.strips import Scale, StripCell, StripTable, bar, strip

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.report.language import Language

WORST, BINS, FIRST = 10, 10, 3  # FIRST: documents of a query that are named


@dataclass(frozen=True)
class Queries:
    """How a measure is spread over the queries, or users, and the worst of them."""

    title: str
    spread: StripTable
    worst: StripTable


def _say(ev: Evaluation, lang: Language, key: str, **values: Any) -> str:
    return lang.say(f"views.{ev.schema.facts.unit}.{key}", **values)


def queries(ev: Evaluation, lang: Language) -> Queries | None:
    """The tables of the usual measure, else of the first; None where the queries are gone."""
    if not ev.is_live or not ev.schema.facts.ranked:
        return None
    try:
        table = ev.per_query
    except InputError:
        return None
    usual = ev.schema.facts.usual
    shares = [m for m in ev.listed if m.metric.bounds == (0, 1) and m.metric.better == "higher"]
    measures = [m.name for m in shares if m.name in table]
    if not measures:
        return None
    name = usual if usual in measures else measures[0]
    values = np.asarray(table[name], float)
    known = np.flatnonzero(~np.isnan(values))
    title = lang.say(f"views.section.{ev.schema.facts.unit}")
    return Queries(title, _spread(ev, values[known], name, lang), _worst(ev, name, known, lang))


def _spread(ev: Evaluation, values: np.ndarray, name: str, lang: Language) -> StripTable:
    """How many queries have about this value, from 0 to 1."""
    edges = np.linspace(0, 1, BINS + 1)
    counts = np.histogram(values, edges)[0]
    most = max(int(counts.max()), 1)
    rows = []
    for low, high, count in zip(edges[:-1], edges[1:], counts.tolist(), strict=True):
        text = f"{lang.number(low, 1)} – {lang.number(high, 1)}"
        share = lang.percent(count / max(len(values), 1))
        number = StripCell(lang.count(count), sort=key_of(count))
        rows.append((StripCell(text), number, StripCell("", strip=bar(count / most, f"{text}: {count} ({share})"))))
    metric = lang.heading(name)
    head = metric, _say(ev, lang, "count"), _say(ev, lang, "bars")
    return StripTable(_say(ev, lang, "spread", metric=metric), head, tuple(rows), "query-spread", numeric=(1,))


def _worst(ev: Evaluation, name: str, known: np.ndarray, lang: Language) -> StripTable:
    """The queries with the lowest values; of equal ones, those with more relevant documents first."""
    table, scale, mean = ev.per_query, Scale(0.0, 1.0), float(ev[name])
    called = next(iter(table))
    relevant = np.asarray(table["relevant"], float)
    values = np.asarray(table[name], float)
    order = known[np.lexsort((-relevant[known], values[known]))][:WORST]
    named = None if ev.views.rankings is None else ev.views.rankings.documents
    rows = []
    for at in order.tolist():
        value = float(values[at])
        counts = (float(table[column][at]) for column in ("relevant", "retrieved"))
        picture = strip(scale, (value, float("nan"), float("nan")), lines=(mean,), title=lang.number(value))
        rows.append((
            StripCell(short(table[called][at])), StripCell(lang.number(value), sort=key_of(value)),
            StripCell("", strip=picture), *(StripCell(lang.count(x), sort=key_of(x)) for x in counts),
            *([] if named is None else [StripCell(_documents(named.first(at, FIRST), lang), kind="prose")]),
        ))  # fmt: skip
    metric = lang.heading(name)
    head = (_say(ev, lang, "query"), metric, _say(ev, lang, "against", mean=lang.number(mean)),
            _say(ev, lang, "relevant"), _say(ev, lang, "retrieved"),
            *([] if named is None else [lang.say("rows.columns.documents")]))  # fmt: skip
    caption = _say(ev, lang, "worst", count=len(rows), metric=metric)
    return StripTable(caption, head, tuple(rows), "query-worst", numeric=(1, 3, 4))


def _documents(names: list[str], lang: Language) -> str:
    """The first documents of a query, as the caller named them."""
    return lang.say("report.names").join(short(name) for name in names)
