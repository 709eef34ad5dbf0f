"""What an answer is made of: cards, each with a verdict that follows from an interval or a test. No text is here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from calipers.inference.estimate import Estimate
from calipers.remarks import plain

Number = float | int | str
Tone = Literal["good", "open", "bad", "plain"]

# The codes of results that are neither evaluations nor comparisons of models on the same rows, with their tones; each
# code is its own verdict, and its texts stand in cards.toml.
RESULT_TONES: Mapping[str, Mapping[str, Tone]] = {
    "estimated": {"measured": "plain", "topics": "plain"},
    "choice": {"best": "plain", "only": "plain", "simpler": "plain"},
    "rivals": {"alone": "good", "clear": "good", "open": "open", "beaten": "open"},
    "chosen_model": {"stable": "good", "unstable": "open"},
    "clusters": {"agreed": "plain", "differs": "plain"},
    "stability": {"clear": "good", "open": "open"},
    "silhouette": {"measured": "plain"},
    "more_rows": {"help": "good", "open": "open"},
    "at_most_rows": {"measured": "plain"},
    "gap": {"wide": "open", "open": "open"},
    "best_value": {"clear": "good", "open": "open", "alone": "plain"},
    "parts": {"variance": "plain", "bias": "plain", "undecided": "open"},
    "loss": {"measured": "plain"},
    "folds": {"candidate": "plain", "baseline": "plain", "open": "open"},
    "rope": {"measured": "plain"},
    "ranks": {"best": "good", "leads": "open", "level": "open"},
    "datasets": {"differ": "good", "open": "open"},
    "power": {"rows": "plain", "difference": "plain", "power": "plain", "nothing": "bad"},
    "advice": {"measured": "plain"},
    "meaning": {"higher": "plain", "lower": "plain", "neither": "plain"},
    "metrics": {"measured": "plain"},
    "largest_loss": {"measured": "plain", "none": "good"},
    "trend": {
        "worse": "bad", "better": "good", "rising": "plain", "falling": "plain", "open": "open", "not_tested": "plain",
    },
    "recalibrated": {"better": "good", "worse": "bad", "open": "open"},
    "benefit": {"clear": "good", "best": "open", "never": "bad"},
}  # fmt: skip

# The verdict of each code, by the question of its card. Several codes share a verdict if only their sentences differ.
VERDICTS: Mapping[str, Mapping[str, str]] = {
    "ranking": {"perfect": "better", "better": "better", "open": "open", "constant": "open", "worse": "worse"},
    "decisions": {
        "perfect": "better", "more_accurate": "better", "better": "mixed", "unknown": "better", "sets": "better",
        "open": "open", "worse": "worse", "always": "always", "one_class": "unmeasured",
    },
    "probabilities": {
        "calibrated": "calibrated", "slight": "calibrated", "too_high": "not_calibrated", "too_low": "not_calibrated",
        "too_extreme": "not_calibrated", "too_timid": "not_calibrated", "undecided": "undecided", "uneven": "undecided",
        "few": "undecided",
        "dependent": "undecided",
    },
    "size": {
        "perfect": "better_than_mean", "better": "better_than_mean", "open": "like_mean", "worse": "worse_than_mean",
    },
    "bias": {"none": "unbiased", "too_high": "biased", "too_low": "biased", "slight": "slightly_biased"},
    "where": {"alike": "alike", "grow": "varying", "shrink": "varying"},
    "first": {"measured": "measured"},
    "queries": {"measured": "measured"},
    "worst": {"measured": "measured"},
    "hits": {"measured": "measured"},
    "users": {"measured": "measured"},
    "catalogue": {"measured": "measured"},
    "agreement": {"perfect": "agree", "better": "agree", "open": "by_chance", "worse": "disagree"},
    "separation": {"measured": "measured"},
    "compared": {
        "candidate": "candidate_better", "baseline": "baseline_better", "open": "no_difference",
        "unknown": "not_compared", "equivalent": "equivalent", "best": "one_best", "leads": "no_best",
        "level": "no_best",
    },
    "requirements": {"pass": "met", "fail": "not_met", "inconclusive": "not_decided"},
    **{question: {code: f"{question}.{code}" for code in tones} for question, tones in RESULT_TONES.items()},
}  # fmt: skip
TEXTS = (  # fields of a card that are texts, not numbers
    "positive", "label", "majority", "weakest", "names", "metric", "sign", "group", "unit", "leader", "other",
    "candidate", "baseline", "second", "worse", "level",
)  # fmt: skip
# good: yes. open: mixed, or it cannot be decided. bad: no. plain: a number without a verdict.
TONES: Mapping[str, Tone] = {
    "better": "good", "mixed": "open", "open": "open", "worse": "bad", "always": "bad", "unmeasured": "open",
    "calibrated": "good", "not_calibrated": "bad", "undecided": "open", "better_than_mean": "good",
    "like_mean": "open", "worse_than_mean": "bad", "unbiased": "good", "biased": "bad", "slightly_biased": "open",
    "agree": "good", "by_chance": "open", "disagree": "bad",
    "alike": "good", "varying": "open", "measured": "plain", "candidate_better": "good", "baseline_better": "bad",
    "no_difference": "open", "not_compared": "open", "equivalent": "good", "one_best": "good", "no_best": "open",
    "met": "good", "not_met": "bad", "not_decided": "open",
    **{f"{question}.{code}": tone for question, tones in RESULT_TONES.items() for code, tone in tones.items()},
}  # fmt: skip


@dataclass(frozen=True)
class Card:
    """The answer to one question.

    question: "ranking", "decisions", "probabilities"; of predicted numbers "size", "bias", "where"; of rankings
    "first", "queries", "worst"; of recommendations "hits", "users", "catalogue"; of clusters "agreement", "separation";
    of models "compared"; of gates "requirements"; of other results one of `RESULT_TONES`. code: what was found, which
    decides the verdict and the sentence. metric, estimate: the number whose interval decides, where there is one. mark:
    what guessing gives for it, or a calibrated model for the calibration error; of differences 0, of several models the
    value of the second; NaN where there is no such number. numbers: what the sentence needs.
    """

    question: str
    code: str
    metric: str = ""
    estimate: Estimate | None = None
    mark: float = math.nan
    numbers: Mapping[str, Number] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """The verdict, as a code."""
        return VERDICTS[self.question][self.code]

    @property
    def tone(self) -> Tone:
        """Whether the answer is yes, no, or neither."""
        return TONES[self.verdict]

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold."""
        return {
            "question": self.question,
            "code": self.code,
            "verdict": self.verdict,
            "metric": self.metric,
            "estimate": None if self.estimate is None else self.estimate.to_dict(),
            "mark": plain(self.mark),
            "numbers": {k: v if isinstance(v, str) else plain(float(v)) for k, v in self.numbers.items()},
        }


@dataclass(frozen=True)
class Answer:
    """What a reader wants to know first: up to three cards, most general first.

    labels: how several classes or labels are called, "class" or "label"; empty with one positive class, and of numbers
    and rankings. model: the name of the model, where it is known. gate: of a gate, its verdict and what it counts as.
    """

    cards: tuple[Card, ...]
    labels: str = ""
    model: str = ""
    gate: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold."""
        return {"labels": self.labels, "model": self.model, "cards": [card.to_dict() for card in self.cards]}


def against(estimate: Estimate, mark: float) -> str:
    """Whether the interval is above what guessing gives, below it, or neither.

    >>> from calipers.inference.estimate import Interval
    >>> against(Estimate(0.7, n=90, level=0.95, interval=lambda: Interval(0.6, 0.8, "")), 0.5)
    'better'
    """
    if estimate.low > mark:
        return "better"
    return "worse" if estimate.high < mark else "open"
