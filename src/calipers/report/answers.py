"""The answer in words: one sentence, and the cards as text with what their bars need."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calipers.answers import Answer, Card, Tone
from calipers.metrics.base import CATALOGUE
from calipers.report import layout
from calipers.report.language import Language
from calipers.report.layout import Bar
from calipers.report.terminal import escape_label, fitted

if TYPE_CHECKING:
    from calipers.inference.estimate import Estimate
    from calipers.metrics.base import Measure

BETWEEN = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")  # a space that only Latin words need
LABEL = 24  # columns of a class in a sentence
SIGNS: Mapping[Tone, str] = {"good": "✓", "open": "!", "bad": "✗", "plain": ""}
NAMES = ("positive", "label", "majority", "weakest")  # of classes, which users wrote
SHORT = ("mae", "rmse", "naive", "bias", "low", "middle", "high", "least", "most")


@dataclass(frozen=True)
class ShownCard:
    """A card in words. figure, caption: the number to read first, and what it is. measured: the estimate that decides,
    with its name. mark: what the mark on the bar is."""

    question: str
    asks: str
    tone: Tone
    verdict: str
    figure: str
    caption: str
    measured: str
    bar: Bar | None
    mark: str
    sentence: str
    group: str

    @property
    def sign(self) -> str:
        """✓, ! or ✗; empty without a verdict."""
        return SIGNS[self.tone]


@dataclass(frozen=True)
class ShownAnswer:
    """The sentence and the cards."""

    sentence: str
    cards: tuple[ShownCard, ...] = ()


def shown(answer: Answer, lang: Language) -> ShownAnswer | None:
    """An answer in words; None where nothing was answered."""
    if not answer.cards:
        return None
    return ShownAnswer(sentence(answer, lang), tuple(_card(card, answer, lang) for card in answer.cards))


def sentence(answer: Answer, lang: Language) -> str:
    """The clauses of all cards as one sentence; what turns from good to not good, or back, is joined by `but`."""
    clauses = [(card, text) for card, text in _clauses(answer, lang) if text]
    if not clauses:
        return ""
    (last, whole), turned = clauses[0], False
    for left, (card, text) in zip(range(len(clauses) - 2, -1, -1), clauses[1:], strict=True):
        turns = (card.tone == "good") != (last.tone == "good") and "plain" not in (card.tone, last.tone)
        how = ("while" if turned else "but") if turns else "then" if left else "and"
        whole, last, turned = lang.say(f"answers.{how}", first=whole, second=text), card, turned or turns
    named = bool(answer.model) and whole.startswith(_model(answer))
    return (whole if named else whole[0].upper() + whole[1:]) + lang.say("answers.stop")


def _model(answer: Answer) -> str:
    return fitted(escape_label(answer.model.partition("(")[0]), LABEL)


def _clauses(answer: Answer, lang: Language) -> list[tuple[Card, str]]:
    cards = list(answer.cards)
    clauses: list[tuple[Card, str]] = []
    alike = [card.code for card in cards if card.question in ("ranking", "decisions")]
    if len(alike) == 2 and len(set(alike)) == 1 and lang.knows(f"answers.headline.both.{alike[0]}"):
        clauses.append((cards[1], _said(cards[1], answer, lang, "headline.both", first=True)))
        cards = cards[2:]
    for card in cards:
        first = all(said.code == "one_class" for said, _ in clauses)  # that clause does not name the model
        clauses.append((card, _said(card, answer, lang, f"headline.{card.question}", first=first)))
    return clauses


def _card(card: Card, answer: Answer, lang: Language) -> ShownCard:
    values = _values(card, answer, lang)
    at = values["threshold"] if "threshold" in card.numbers else ""
    question = f"answers.question.{card.question}"
    figure, caption = _figure(card, values, lang)
    text = _said(card, answer, lang, f"card.{card.question}")
    if card.question == "where" and "middle" in card.numbers:
        text += lang.say("answers.card.where.thirds", **values)
    return ShownCard(
        lang.say(f"{question}_at", threshold=at) if at else lang.say(question),
        lang.say(f"answers.asks.{card.question}", what=values["what"]),
        card.tone,
        "" if card.tone == "plain" else lang.say(f"answers.verdict.{card.verdict}", **values),
        figure,
        caption,
        _measured(card, figure, lang),
        _bar(card),
        _mark(card, lang),
        text,
        card.question,
    )


def _said(card: Card, answer: Answer, lang: Language, where: str, *, first: bool = False) -> str:
    """The text of a card's code; with several classes or labels its own text, where there is one. Empty without one."""
    keys = [f"answers.{where}.{card.code}"]
    if answer.labels:
        keys.insert(0, f"{keys[0]}_several")
    key = next((key for key in keys if lang.knows(key)), "")
    return BETWEEN.sub("", lang.say(key, **_values(card, answer, lang, first=first))) if key else ""


def _values(card: Card, answer: Answer, lang: Language, *, first: bool = False) -> dict[str, Any]:
    """The numbers of a card as its texts need them."""
    values: dict[str, Any] = dict(card.numbers)
    values |= {name: class_name(values[name], lang) for name in NAMES if name in values}
    values |= {name: lang.number(float(values[name])) for name in SHORT if name in values}
    if "threshold" in values:
        values["threshold"] = lang.threshold(float(values["threshold"]))
    what = {"": "positives", "class": "classes", "label": "labels"}[answer.labels]
    if "positive" in values or answer.labels:
        values["what"] = lang.say(f"answers.{what}", **values)
    values.setdefault("what", "")
    if "area" in values:
        values |= {"times": f"{100 * values['area']:.0f}", "labels": lang.say(f"answers.{what}", **values)}
    if card.question == "size":
        values["error"] = values.get("mae", values["rmse"])
    metric = card.metric or str(values.get("metric", ""))
    values |= {"name": lang.heading(metric) if metric else "", "mark": _short(card.mark, lang)}
    model = _model(answer) if answer.model else lang.say("answers.the")
    values["it"] = model if first else lang.say("answers.it")
    values["its"] = lang.say("answers.the_own" if first else "answers.its")
    values["at"] = lang.say("answers.at", threshold=values["threshold"]) if "threshold" in values else ""
    return values


def _figure(card: Card, values: Mapping[str, Any], lang: Language) -> tuple[str, str]:
    """The number that is read first, and what it is: counts where there are some, else the estimate itself."""
    numbers = {name: lang.count(x) for name, x in card.numbers.items() if isinstance(x, (int, float))}
    if card.question == "decisions" and card.numbers.get("positives"):
        caption = lang.say("answers.found_caption", **values)
        return lang.say("answers.figure_found", **numbers), caption
    if card.question == "decisions" and "right" in numbers and card.code != "one_class":
        return lang.say("answers.figure_right", **numbers), lang.say("answers.right_caption")
    if card.question == "probabilities" and "score" in card.numbers:
        return lang.say("answers.figure_both", **card.numbers), lang.say("answers.both_caption")
    if card.question == "size":
        name = "mae" if "mae" in card.numbers else "rmse"
        return values[name], lang.say(f"answers.{name}_caption")
    if card.question == "first":
        return lang.say("answers.figure_right", right=numbers["hits"], rows=numbers["queries"]), lang.say(
            "answers.first_caption"
        )
    if card.question == "worst":
        names = (fitted(escape_label(name), LABEL) for name in str(card.numbers["names"]).split("\n"))
        return lang.say("report.separator").join(names), ""
    e = card.estimate
    if e is None:
        return "", ""
    ends = layout.bounds(e)
    return layout.value(e, lang), lang.heading(card.metric) + (f" {lang.interval(*ends)}" if ends else "")


def _measured(card: Card, figure: str, lang: Language) -> str:
    """The estimate that decides, with its name and interval, where another number is read first."""
    if card.estimate is None or figure == layout.value(card.estimate, lang):
        return ""
    return lang.say("answers.with_interval", name=lang.heading(card.metric), value=layout.whole(card.estimate, lang))


def _mark(card: Card, lang: Language) -> str:
    if math.isnan(card.mark):
        return ""
    key = {"probabilities": "calibrated_mark", "size": "mean_mark", "bias": "zero_mark"}.get(card.question, "guessing")
    return lang.say(f"answers.{key}", mark=_short(card.mark, lang))


def _short(mark: float, lang: Language) -> str:
    return lang.local(f"{mark:.2g}")


def class_name(label: object, lang: Language) -> str:
    """A class in a sentence: by its name, or as "class 1" where the name is no word."""
    text = fitted(escape_label(label), LABEL)
    plain = not any(c.isalpha() for c in text) or text in ("True", "False")
    return lang.say("answers.class_named", label=text) if plain else text


def _bar(card: Card) -> Bar | None:
    """The interval on the range of its metric; where that has no end, on a range that holds interval and mark."""
    e = card.estimate
    if e is None or not (math.isfinite(e.low) and math.isfinite(e.high)):
        return None
    return bar((float(e), e.low, e.high), card.mark, scale(card.metric, (e.low, e.high, card.mark)))


def scale(metric: str, values: Sequence[float]) -> tuple[float, float]:
    """The ends of a bar: those of the metric, or of the values where the metric has none or they crowd at 0."""
    low, high = CATALOGUE[metric].metric.bounds
    known = [x for x in values if math.isfinite(x)]
    largest = max(map(abs, known), default=1.0) or 1.0
    if metric == "bias":
        return -1.25 * largest, 1.25 * largest
    if CATALOGUE[metric].metric.better == "lower" and low == 0:
        return 0.0, min(high, 1.25 * largest)
    return (low if math.isfinite(low) else min(0.0, *known)), (high if math.isfinite(high) else 1.25 * largest)


def bar_of(measure: Measure, e: Estimate, mark: float) -> Bar | None:
    """The interval of a metric on its range; none where neither end of the range is better than the other."""
    known = math.isfinite(e.low) and math.isfinite(e.high)
    if not known or not (measure.metric.better or measure.metric.name == "bias"):
        return None
    return bar((float(e), e.low, e.high), mark, scale(measure.name, (e.low, e.high, mark)))


def bar(estimate: tuple[float, float, float], mark: float, ends: tuple[float, float]) -> Bar:
    """Value, bounds and mark as places between two ends."""
    low, high = ends

    def place(x: float) -> float:
        return min(1.0, max(0.0, (x - low) / (high - low)))

    value, begin, end = map(place, estimate)
    return Bar(begin, end, value, None if math.isnan(mark) else place(mark))
