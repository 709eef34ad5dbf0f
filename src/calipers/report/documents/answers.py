"""The answer as a document holds it: cards with codes and numbers, which are checked when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calipers.answers import TEXTS, VERDICTS, Answer, Card
from calipers.metrics.base import CATALOGUE
from calipers.remarks import Remark
from calipers.report.answers import shown
from calipers.report.documents.values import Fields, demand
from calipers.report.language import Language

MODELS = ("", "class", "label", "output")


def read_answer(fields: Fields) -> Answer:
    """The answer that a document describes; one that lacks a number which its sentence needs is refused."""
    cards = tuple(_card(part) for part in fields.parts("cards"))
    answer = Answer(cards, fields.choice("labels", MODELS), fields.text("model"))
    try:
        shown(answer, Language("en"))
        whole = True
    except (KeyError, TypeError, ValueError, IndexError, OverflowError):
        whole = False
    demand(whole, fields.where, [card.code for card in cards], Remark("report.numbers_of_answer"))
    return answer


def _card(part: Fields) -> Card:
    question = part.choice("question", VERDICTS)
    code, metric = part.choice("code", VERDICTS[question]), part.text("metric")
    estimate = None
    if part.value("estimate") is not None:
        estimate = part.part("estimate").estimate(CATALOGUE[metric].metric.bounds)
    numbers: Mapping[str, Any] = part.part("numbers").values
    known = {
        name: part.part("numbers").text(name) if name in TEXTS else part.part("numbers").number(name, null=True)
        for name in numbers
    }
    return Card(question, code, metric, estimate, part.number("mark", null=True), known)
