"""Whether probabilities are calibrated, and in which direction they are not.

Two tests: of the mean (predicted against observed), and Spiegelhalter's, whose sign separates scores that are too
extreme from scores that are not extreme enough. A difference that is certain but harmless is left alone: the
calibration error must be above 1 percentage point beyond noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from calipers.findings.base import Number, at_level, rule
from calipers.inference.outcome import normal_p
from calipers.metrics.base import CATALOGUE
from calipers.metrics.bins import binned
from calipers.metrics.values import number
from calipers.metrics.views import Unavailable

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

Findings = Iterator[Mapping[str, Number]]
ALPHA, HARM, SOME = 0.004, 0.01, 30
PROBABILITIES = tuple(metric.name for metric in CATALOGUE if metric.probabilities)


def miscalibration(ev: Evaluation) -> tuple[str, dict[str, Number]]:
    """Which way the probabilities err, and the numbers of it; an empty direction when they do not.

    Of two tests, p is that of the one that shows the direction, else the smaller one, adjusted for two.
    """
    views = ev.views
    s = views.samples if views.facts.one_score else views.top
    if views.why_not_probabilities or not s.probabilities or s.rows < SOME:
        raise Unavailable("no probabilities")
    whole = binned(s, 1, "width")
    score, outcome, spread = float(whole.score[0]), float(whole.outcome[0]), float(whole.variance[0])
    rows = float(whole.weight[0]) * whole.shrink
    apart = outcome - score
    gap = apart * math.sqrt(rows / spread) if spread else math.copysign(math.inf, apart) if apart else 0.0
    ece = at_level(ev, "ece", 0.95)
    numbers: dict[str, Number] = {"score": score, "outcome": outcome, "ece": float(ece)}
    shape = float(number(CATALOGUE["spiegelhalter_z"].formula(s))) * math.sqrt(whole.shrink)
    tests = {("too low", "too high"): gap, ("too extreme", "too timid"): shape}
    for ways, z in tests.items():
        if ece.low > HARM and z == z and (p := normal_p(z)) < ALPHA:
            return ways[0] if z > 0 else ways[1], {**numbers, "p": p}
    return "", {**numbers, "p": min([1.0, *(2 * normal_p(z) for z in tests.values() if z == z)])}


def _when(direction: str, ev: Evaluation) -> Findings:
    actual, numbers = miscalibration(ev)
    if actual == direction:
        yield numbers


@rule("warning", "binary", "multiclass", about=PROBABILITIES)
def scores_too_high(ev: Evaluation) -> Findings:
    """Predicted probabilities are too high: {score:percent} on average, but the observed frequency is only
    {outcome:percent} (calibration error {ece}, {p:p}).

    Do not use these scores as probabilities yet. Recalibrate them on separate data with Platt scaling or isotonic
    regression, or shift the log odds if only the prevalence has changed. The order of the rows will not change, but
    isotonic regression can add ties.
    """
    yield from _when("too high", ev)


@rule("warning", "binary", "multiclass", about=PROBABILITIES)
def scores_too_low(ev: Evaluation) -> Findings:
    """Predicted probabilities are too low: {score:percent} on average, but the observed frequency is {outcome:percent}
    (calibration error {ece}, {p:p}).

    Do not use these scores as probabilities yet. Recalibrate them on separate data with Platt scaling or isotonic
    regression, or shift the log odds if only the prevalence has changed. The order of the rows will not change, but
    isotonic regression can add ties.
    """
    yield from _when("too low", ev)


@rule("warning", "binary", "multiclass", about=PROBABILITIES)
def overconfident(ev: Evaluation) -> Findings:
    """The model is overconfident: its probabilities are correct on average, but high scores come true less often, and
    low scores more often, than stated (calibration error {ece}, {p:p}).

    Recalibrate on separate data: temperature scaling or Platt scaling moves scores towards the middle and does not
    change the ranking.
    """
    yield from _when("too extreme", ev)


@rule("warning", "binary", "multiclass", about=PROBABILITIES)
def underconfident(ev: Evaluation) -> Findings:
    """The model is underconfident: its probabilities are correct on average, but high scores come true more often, and
    low scores less often, than stated (calibration error {ece}, {p:p}).

    Recalibrate on separate data: temperature scaling or Platt scaling moves scores apart and does not change the
    ranking.
    """
    yield from _when("too timid", ev)
