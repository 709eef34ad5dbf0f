"""The first screen of a page: the answer with its cards, then every metric under the question that it is about."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from calipers.answers import Answer
from calipers.answers.classes import QUESTIONS, group_of
from calipers.answers.guessing import guessing
from calipers.report import answers, bars, layout
from calipers.report.answers import ShownAnswer, ShownCard
from calipers.report.explain import explained
from calipers.report.explanation import Explanation
from calipers.report.layout import Bar
from calipers.report.page.elements import SENTENCE, GridCell, PageBudget, unbroken
from calipers.report.terminal import fitted

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.inference.estimate import Estimate
    from calipers.metrics.base import Measure
    from calipers.report.language import Language

SIGNS = re.compile(r"\W+")
MANY = 1_000_000  # rows beyond which other definitions, each a pass over them, are not shown beside a number
EDGE = 1.0  # percent of a bar that stay free at either end, so that a value of 1 is not cut
# Of the metrics of a model over folds, those that are shown first.
FIRST = ("roc_auc", "f1", "average_precision", "mcc", "balanced_accuracy", "accuracy", "log_loss", "rmse", "mae", "r2",
         "bias", "ndcg", "map", "mrr", "jaccard", "hamming_loss")  # fmt: skip


class Gauge(NamedTuple):
    """Places on a bar in percent: value, where the interval begins, how wide it is, and the mark with its anchor."""

    value: float
    start: float
    width: float
    mark: float | None
    anchor: str


class Number(NamedTuple):
    """A metric with its interval, a bar that shows it, notes about it, and how it came about."""

    key: str
    name: str
    cell: GridCell
    gauge: Gauge | None
    lower: bool
    notes: tuple[str, ...]
    working: Explanation | None


class Group(NamedTuple):
    """The metrics of one question, with the card that answers it where there is one."""

    title: str
    card: ShownCard | None
    numbers: list[Number]


def shown(answer: Answer, lang: Language) -> ShownAnswer | None:
    """The answer for a page: numbers below 0 have their sign, and intervals stay on one line."""
    found = answers.shown(answer, lang)
    if found is None:
        return None
    cards = tuple(_polished(card) for card in found.cards)
    return ShownAnswer(unbroken(found.sentence), cards)


def _polished(card: ShownCard) -> ShownCard:
    return replace(
        card,
        figure=card.figure,
        caption=unbroken(card.caption),
        measured=unbroken(card.measured),
        sentence=unbroken(card.sentence),
    )


def gauge(bar: Bar | None) -> Gauge | None:
    """The places of a bar in percent."""
    if bar is None:
        return None

    def place(x: float) -> float:
        return round(EDGE + (100 - 2 * EDGE) * x, 2)

    start, end = place(bar.low), place(bar.high)
    mark = None if bar.mark is None else place(bar.mark)
    anchor = "middle" if mark is None or 25 < mark < 75 else "start" if mark <= 25 else "end"
    return Gauge(place(bar.value), start, round(max(end - start, 0.6), 2), mark, anchor)


def gauges(answer: ShownAnswer | None) -> list[Gauge | None]:
    """The bars of all cards."""
    return [] if answer is None else [gauge(card.bar) for card in answer.cards]


def groups(ev: Evaluation, answer: ShownAnswer | None, lang: Language, budget: PageBudget) -> list[Group]:
    """Every metric, by question where there are classes."""
    cards: Mapping[str, ShownCard] = {} if answer is None else {card.group: card for card in answer.cards}
    every = list(_numbers(ev, lang, budget))
    facts = ev.schema.facts
    if facts.of_numbers or facts.ranked or facts.of_topics:
        return [Group("", None, [number for _, number in every])]
    found = []
    for question in QUESTIONS:
        numbers = [number for measure, number in every if group_of(measure.metric) == question]
        if numbers:
            card = cards.get(question)
            title = lang.say(f"answers.question.{question}") if card is None else card.question
            found.append(Group(title, card, numbers))
    return found


def _numbers(ev: Evaluation, lang: Language, budget: PageBudget) -> Iterator[tuple[Measure, Number]]:
    for at, measure in enumerate(ev.listed[: budget.numbers]):
        working = explained(measure.name, ev, lang, alternatives=ev.rows <= MANY) if at < budget.workings else None
        yield measure, number(measure, ev[measure.name], lang, guessing(ev, measure), working)


def number(
    measure: Measure, e: Estimate, lang: Language, mark: float = math.nan, working: Explanation | None = None
) -> Number:
    """A metric as a line of the page; the notes stand beside it, not at the end of the page."""
    shown = layout.displayed(measure, e)
    ends = layout.bounds(shown)
    interval = lang.interval(*ends) if ends else ""
    cell = GridCell(layout.value(shown, lang), interval)
    notes = tuple(fitted(lang.remark(r), SENTENCE) for r in dict.fromkeys((e.reason, *e.flags, *e.notes)) if r)
    key = SIGNS.sub("-", measure.name)
    lower = measure.metric.better == "lower"
    return Number(key, lang.glossed(measure), cell, gauge(bars.bar_of(measure, e, mark)), lower, notes, working)
