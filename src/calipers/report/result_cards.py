"""The cards of results in words: of a card `cards.QUESTION.CODE` has the verdict, the headline and the sentence, and
`cards.QUESTION` what all its codes share: title, question, figure and caption."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from calipers import numerals
from calipers.answers import Card
from calipers.metrics.base import CATALOGUE
from calipers.remarks import Remark
from calipers.report import bars, layout
from calipers.report.language import Language
from calipers.report.layout import Bar
from calipers.report.terminal import escape_label, fitted

WIDE, NAMED = 48, 4  # columns of a name; how many names are listed
LISTS = ("names", "worse", "level")
RANGES = ("clear", "best")
TOGETHER = ("trend", "recalibrated")  # questions whose cards are one metric each


def is_of_result(card: Card, lang: Language) -> bool:
    """Whether a card's texts stand here."""
    return lang.knows(f"cards.{card.question}.title")


def said(card: Card, part: str, lang: Language, **more: str) -> str:
    """A text of a card; empty where it has none."""
    keys = (f"cards.{card.question}.{card.code}.{part}", f"cards.{card.question}.{part}")
    key = next((key for key in keys if lang.knows(key)), "")
    return lang.say(key, **{**_values(card, lang), **more}) if key else ""


def headlines(cards: Iterable[Card], lang: Language) -> Iterator[tuple[Card, str]]:
    """The clauses of the sentence; metrics that came out alike share one."""
    alike: dict[tuple[str, ...], list[Card]] = {}
    for card in cards:
        own = () if card.question in TOGETHER else (card.metric, *map(str, card.numbers.values()))
        alike.setdefault((card.question, card.code, *own), []).append(card)
    for those in alike.values():
        metrics = [lang.name(card.metric) if card.metric else "" for card in those]
        shared = {"metric": layout.joined(metrics, lang)} if len(those) > 1 else {}
        yield those[0], said(those[0], "headline", lang, **shared)


def names(cards: Iterable[Card]) -> Iterator[str]:
    """Names that users wrote, which stay as they are at the start of a sentence."""
    every = (str(card.numbers[key]) for card in cards for key in ("choice", "leader", "param") if key in card.numbers)
    return (fitted(escape_label(name), WIDE) for name in every)


def figure(card: Card, lang: Language) -> tuple[str, str]:
    """The number to read first, and what it is: as the texts say, else the estimate with its interval."""
    text, caption = said(card, "figure", lang), said(card, "caption", lang)
    e = card.estimate
    if text or e is None:
        return text, caption
    ends = layout.bounds(e)
    if card.mark == 0:
        value, *bounds = numerals.interval(e, e.low, e.high, sign=True)
        return lang.local(value), caption + (f" {lang.interval(*bounds)}" if ends else "")
    name = caption or lang.heading(card.metric)
    return layout.value(e, lang), name + (f" {lang.interval(*ends)}" if ends else "")


def bar(card: Card) -> Bar | None:
    """The interval; of a difference around 0, better to the right."""
    e = card.estimate
    if e is None or not (math.isfinite(e.low) and math.isfinite(e.high)):
        return None
    if card.mark == 0:
        return bars.around_zero(e, lower=bool(card.metric) and CATALOGUE[card.metric].metric.better == "lower")
    if card.metric:
        return bars.bar_of_card(card)
    return bars.bar((float(e), e.low, e.high), card.mark, (min(0.0, e.low), 1.25 * max(e.high, 0.0) or 1.0))


def _values(card: Card, lang: Language) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in card.numbers.items():
        if isinstance(value, Remark):
            values[name] = lang.remark(value)
        elif name == "given":
            values[name] = lang.remark(str(value))
        elif name in RANGES and card.question == "benefit":
            values[name] = _ranges(str(value), lang)
        elif not isinstance(value, str):
            values[name] = value
        elif name in LISTS:
            values[name] = _listed(value, lang)
        else:
            values[name] = fitted(escape_label(value), 4 * WIDE if name == "call" else WIDE)
    metric = card.metric or str(card.numbers.get("metric", ""))
    values |= {"metric": lang.name(metric), "name": lang.heading(metric)} if metric else {}
    if card.question == "meaning":
        values |= {"meaning": lang.meaning(card.metric), "range": lang.local(_bounds(card))}
    if card.question == "recalibrated":
        values["method"] = lang.say(f"decisions.method.{card.numbers['method']}")
    if card.estimate is not None:
        values["estimate"] = layout.value(card.estimate, lang)
        values["interval"] = layout.whole(card.estimate, lang)
    return values


def _bounds(card: Card) -> str:
    low, high = (float(card.numbers[end]) for end in ("low", "high"))
    return f"{low:g} – {high:g}".replace("inf", "∞")


def _ranges(spans: str, lang: Language) -> str:
    each = []
    for span in filter(None, spans.split("\n")):
        ends = [lang.threshold(float(end)) for end in dict.fromkeys(span.split())]
        each.append(ends[0] if len(ends) == 1 else lang.say("explain.span", low=ends[0], high=ends[1]))
    return layout.joined(each, lang) if each else ""


def _listed(names: str, lang: Language) -> str:
    every = [fitted(escape_label(name), WIDE) for name in names.split("\n")]
    return listed(every, NAMED, lang)


def listed(every: list[str], most: int, lang: Language) -> str:
    """Names after each other, the last behind "and"; of many, the first and how many more."""
    left = len(every) - most
    if left <= 0:
        return layout.joined(every, lang)
    return lang.say("report.names").join(every[:most]) + lang.say("answers.others", count=left)
