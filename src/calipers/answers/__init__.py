"""The answer to what a reader asks first, as data: up to three cards with a verdict each.

Verdicts follow from intervals and tests, never from a limit such as an AUC of 0.8. `report/answers.py` has the words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from calipers.answers import classes, clusters, numbers, rankings, recommendations
from calipers.answers.base import TEXTS, TONES, VERDICTS, Answer, Card, Tone
from calipers.answers.results import answer_of, estimated

if TYPE_CHECKING:
    from calipers.comparison.compare import Comparison
    from calipers.evaluation.evaluation import Evaluation
    from calipers.gating.gate import GateResult
    from calipers.validation.cross_validation import Validation

__all__ = [
    "TEXTS", "TONES", "VERDICTS", "Answer", "Card", "Tone", "answer", "answer_of", "answer_of_gate", "answer_of_models",
    "answer_over_folds",
]  # fmt: skip
MOST = 3  # cards


def answer(ev: Evaluation) -> Answer:
    """The answer of an evaluation: the one that its document holds, or the one that its numbers give."""
    if ev.record is not None and isinstance(ev.record.answer, Answer):
        return ev.record.answer
    facts = ev.schema.facts
    if facts.of_topics:
        return Answer(tuple(estimated(ev, "topics")))
    if facts.clustered:
        return Answer(tuple(clusters.cards(ev)))
    of_lists = recommendations.cards if facts.recommended else rankings.cards
    cards = numbers.cards if facts.of_numbers else of_lists if facts.ranked else classes.cards
    several = "" if facts.of_numbers or facts.ranked or ev.positive is not None else facts.label
    return Answer(tuple(cards(ev))[:MOST], several)


def answer_over_folds(validation: Validation) -> Answer:
    """The answer of a model over folds: means over folds with their intervals, and for probabilities the tests of all
    out-of-fold predictions; or the answer that its document holds."""
    if (saved := _saved(validation)) is not None:
        return saved
    first = validation.folds[0].evaluation
    facts, positive = first.schema.facts, first.positive
    listed = {name: validation[name] for name in validation}  # what its document holds, too
    if facts.of_numbers:
        cards = [*numbers.sizes(listed), *([] if first.labels else numbers.biases(listed))]
        return Answer(tuple(cards or estimated(listed)), model=validation.model)
    if facts.ranked:
        return Answer(tuple(estimated(listed)), model=validation.model)
    found = classes.over_folds(listed, None if positive is None else str(positive), len(first.labels))
    cards = [*found, *_pooled(validation)] or [*estimated(listed)]
    return Answer(tuple(cards), "" if positive is not None else facts.label, validation.model)


def _saved(validation: Validation) -> Answer | None:
    record = None if validation.unpooled else validation.pooled().record
    return record.answer if record is not None and isinstance(record.answer, Answer) else None


def _pooled(validation: Validation) -> tuple[Card, ...]:
    """The card about probabilities, if one of their metrics is listed; a few rows per fold decide nothing."""
    if validation.unpooled or not any(classes.group_of(m.metric) == "probabilities" for m in validation.listed):
        return ()
    card = classes.probabilities(validation.pooled())
    return () if card is None else (card,)


def answer_of_models(comparison: Comparison) -> Answer:
    """The answer of a comparison: the deciding metric first."""
    from calipers.answers import comparisons

    return Answer(tuple(comparisons.cards(comparison)))


def answer_of_gate(result: GateResult) -> Answer:
    """The answer of a gate: its verdict, and how many requirements have which result."""
    from calipers.answers import gates

    counted = result.verdict if result.outcome == result.verdict else f"{result.verdict}_as_{result.outcome}"
    return Answer(tuple(gates.cards(result)), gate=counted)
