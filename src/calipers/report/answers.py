"""The answer in words: one sentence, and the cards as text with what their bars need."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from calipers import numerals
from calipers.answers import Answer, Card, Tone
from calipers.report import layout, result_cards
from calipers.report.bars import bar_of_card
from calipers.report.language import Language
from calipers.report.layout import Bar
from calipers.report.model_names import last_step
from calipers.report.terminal import escape_label, fitted, wrapped

# A space between Chinese characters, which is removed.
BETWEEN = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")
LABEL, REQUIRED, NAMED = 24, 100, 4  # columns of a class and of a requirement in a sentence; how many are named
SIGNS: Mapping[Tone, str] = {"good": "✓", "open": "!", "bad": "✗", "plain": ""}
NAMES = ("positive", "label", "majority", "weakest")  # of classes, which users wrote
MODELS = ("leader", "other", "candidate", "baseline", "second")  # names of models
LISTS = {"worse": LABEL, "level": LABEL, "names": REQUIRED}  # names after each other, and how long each may be
SHORT = ("mae", "rmse", "naive", "bias", "low", "middle", "high", "least", "most", "value", "than")


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
    if answer.gate:
        counted = next(card for card in answer.cards if answer.gate.startswith(card.code))
        return lang.say(f"views.gate.{answer.gate}", **counted.numbers)
    clauses = [(card, text) for card, text in _clauses(answer, lang) if text]
    if not clauses:
        return ""
    (last, whole), turned = clauses[0], False
    for left, (card, text) in zip(range(len(clauses) - 2, -1, -1), clauses[1:], strict=True):
        turns = (card.tone == "good") != (last.tone == "good") and "plain" not in (card.tone, last.tone)
        how = ("while" if turned else "but") if turns else "then" if left else "and"
        whole, last, turned = lang.say(f"answers.{how}", first=whole, second=text), card, turned or turns
    names = (_model(answer), *_compared(answer), *result_cards.names(answer.cards))
    first = whole.partition(" ")[0]  # nDCG@10 and other words with capitals stay as they are
    named = first != first.lower() or any(name and whole.startswith(name) for name in names)
    return (whole if named else whole[0].upper() + whole[1:]) + lang.say("answers.stop")


def _model(answer: Answer) -> str:
    return fitted(escape_label(last_step(answer.model).partition("(")[0]), LABEL)


def _compared(answer: Answer) -> list[str]:
    """The names of compared models, which stay as they were written at the start of a sentence."""
    return [fitted(escape_label(card.numbers[key]), LABEL) for card in answer.cards for key in MODELS
            if key in card.numbers]  # fmt: skip


def _clauses(answer: Answer, lang: Language) -> list[tuple[Card, str]]:
    cards = list(answer.cards)
    clauses: list[tuple[Card, str]] = []
    alike = [card.code for card in cards if card.question in ("ranking", "decisions")]
    if len(alike) == 2 and len(set(alike)) == 1 and lang.knows(f"answers.headline.both.{alike[0]}"):
        clauses.append((cards[1], _said(cards[1], answer, lang, "headline.both", first=True)))
        cards = cards[2:]
    if cards and cards[0].question == "compared":
        return list(_compared_clauses(cards, answer, lang))
    if cards and result_cards.is_of_result(cards[0], lang):
        return list(result_cards.headlines(cards, lang))
    for card in cards:
        first = all(said.code == "one_class" for said, _ in clauses)  # the clause of one class does not name the model
        clauses.append((card, _said(card, answer, lang, f"headline.{card.question}", first=first)))
    return clauses


def _compared_clauses(cards: list[Card], answer: Answer, lang: Language) -> Iterator[tuple[Card, str]]:
    """The deciding metric, then the metrics that came out alike together, those like the deciding one first."""
    yield cards[0], _said(cards[0], answer, lang, "headline.compared")
    alike: dict[tuple[str, Any], list[Card]] = {}
    for card in cards[1:]:
        alike.setdefault(_result(card), []).append(card)
    deciding = _result(cards[0])
    for result, those in sorted(alike.items(), key=lambda each: each[0] != deciding):
        where = "headline.same" if result == deciding else "headline.also"
        first, *rest = (lang.name(card.metric) for card in those)
        metrics = lang.say("answers.both_metrics", first=first, second=rest[0]) if rest else first
        yield those[0], _said(those[0], answer, lang, where, metric=metrics)


def _result(card: Card) -> tuple[str, Any]:
    """How a metric came out: two metrics without a winner are alike whoever leads."""
    decided = card.code in ("candidate", "baseline", "best")
    return ("level" if card.code == "leads" else card.code), card.numbers["leader"] if decided else None


def _card(card: Card, answer: Answer, lang: Language) -> ShownCard:
    if result_cards.is_of_result(card, lang):
        return _of_result(card, lang)
    values = _values(card, answer, lang)
    at = values["threshold"] if "threshold" in card.numbers else ""
    figure, caption = _figure(card, values, lang)
    text = _said(card, answer, lang, f"card.{card.question}")
    if card.question == "where" and "middle" in card.numbers:
        text += lang.say("answers.card.where.thirds", **values)
    if "more" in card.numbers:
        text += lang.say(f"answers.card.{card.question}.more_{card.numbers['unit']}", **values)
    return ShownCard(
        lang.say("answers.question.decisions_at", threshold=at) if at else _question(card, lang),
        lang.say(f"answers.asks.{card.question}", what=values["what"]),
        card.tone,
        "" if card.tone == "plain" else lang.say(f"answers.verdict.{card.verdict}", **values),
        figure,
        caption,
        _measured(card, figure, lang),
        bar_of_card(card),
        _mark(card, lang),
        text,
        card.question,
    )


def _of_result(card: Card, lang: Language) -> ShownCard:
    title, asks, word, text = (result_cards.said(card, part, lang) for part in ("title", "asks", "verdict", "sentence"))
    figure, caption = result_cards.figure(card, lang)
    bar, verdict = result_cards.bar(card), "" if card.tone == "plain" else word
    return ShownCard(title, asks, card.tone, verdict, figure, caption, "", bar, "", text, card.question)


def _question(card: Card, lang: Language) -> str:
    """What a card is about; of models the question about classes, or else the metric; of a gate the answer."""
    if card.question == "compared" and not card.numbers["group"]:
        return lang.heading(card.metric)
    kind = f"requirements_{card.code}" if card.question == "requirements" else card.numbers.get("group", card.question)
    return lang.say(f"answers.question.{kind}")


def _said(card: Card, answer: Answer, lang: Language, where: str, *, first: bool = False, **more: str) -> str:
    """The text of a card's code; with several classes or labels its own text, where there is one. Empty without one."""
    keys = [f"answers.{where}.{card.code}"]
    if answer.labels:
        keys.insert(0, f"{keys[0]}_several")
    key = next((key for key in keys if lang.knows(key)), "")
    return BETWEEN.sub("", lang.say(key, **{**_values(card, answer, lang, first=first), **more})) if key else ""


def _values(card: Card, answer: Answer, lang: Language, *, first: bool = False) -> dict[str, Any]:
    """The numbers of a card as its texts need them."""
    values: dict[str, Any] = dict(card.numbers)
    values |= {name: class_name(values[name], lang) for name in NAMES if name in values}
    values |= {name: lang.number(float(values[name])) for name in SHORT if name in values}
    values |= {name: fitted(escape_label(values[name]), LABEL) for name in MODELS if name in values}
    values |= {
        name: _listed(values[name], wide, lang, more=bool(values.get("left")))
        for name, wide in LISTS.items()
        if name in values
    }
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
    values["metric"] = lang.name(metric) if metric else ""
    begins = card.question != "decisions"  # there the name stands within a sentence
    values |= {"name": lang.heading(metric) if metric and begins else values["metric"], "mark": _short(card.mark, lang)}
    values["tested"] = lang.say("answers.tested", p=values["p"]) if "p" in values else ""
    values["others"] = lang.say("answers.others", count=values["left"]) if values.get("left") else ""
    model = _model(answer) if answer.model else lang.say("answers.the")
    values["it"] = model if first else lang.say("answers.it")
    values["its"] = lang.say("answers.the_own" if first else "answers.its")
    values["at"] = lang.say("answers.at", threshold=values["threshold"]) if "threshold" in values else ""
    return values


def _listed(names: str, wide: int, lang: Language, *, more: bool) -> str:
    """Names after each other; more: the text goes on with how many more there are."""
    every = [fitted(escape_label(name), wide) for name in names.split("\n")]
    return lang.say("report.names").join(every) if more else result_cards.listed(every, NAMED, lang)


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
    if card.question in ("first", "hits"):
        counted = lang.say("answers.figure_right", right=numbers["hits"], rows=numbers["queries"])
        return counted, lang.say(f"answers.{card.question}_caption")
    if card.question == "worst":
        names = (fitted(escape_label(name), LABEL) for name in str(card.numbers["names"]).split("\n"))
        return lang.say("report.names").join(names), ""
    if card.question == "requirements":
        counted = lang.say("answers.figure_right", right=numbers["count"], rows=numbers["of"])
        return counted, lang.say("answers.required")
    e = card.estimate
    if e is None:
        return "", ""
    ends = layout.bounds(e)
    if "candidate" in card.numbers:
        value, *bounds = numerals.interval(e, e.low, e.high, sign=True)
        caption = lang.say("answers.difference_caption", **values)
        return lang.local(value), caption + (f" {lang.interval(*bounds)}" if ends else "")
    return layout.value(e, lang), lang.heading(card.metric) + (f" {lang.interval(*ends)}" if ends else "")


def _measured(card: Card, figure: str, lang: Language) -> str:
    """The estimate that decides, with its name and interval, where another number is read first."""
    if card.estimate is None or card.question == "compared" or figure == layout.value(card.estimate, lang):
        return ""
    return lang.say("answers.with_interval", name=lang.heading(card.metric), value=layout.whole(card.estimate, lang))


def _mark(card: Card, lang: Language) -> str:
    if math.isnan(card.mark):
        return ""
    if card.question == "compared":
        return lang.say("answers.even_mark" if "candidate" in card.numbers else "answers.second_mark")
    key = {"probabilities": "calibrated_mark", "size": "mean_mark", "bias": "zero_mark"}.get(card.question, "guessing")
    return lang.say(f"answers.{key}", mark=_short(card.mark, lang))


def _short(mark: float, lang: Language) -> str:
    return lang.local(f"{mark:.2g}")


def class_name(label: object, lang: Language) -> str:
    """A class in a sentence: by its name, or as "class 1" where the name is no word."""
    return lang.class_name(fitted(escape_label(label), LABEL))


def answer_lines(answer: ShownAnswer | None, columns: int) -> list[str]:
    """The one sentence that answers, after an empty line; verdicts stand beside the numbers below."""
    return [] if answer is None else ["", *wrapped(answer.sentence, columns, "")]
