"""Classification: can it tell the classes apart, are its decisions right, do its probabilities mean what they say?

Each question is answered where a metric about it is listed, so that a reader who asked for one metric gets no more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.answers.base import Card, Number, against
from calipers.errors import InputError, UnknownName
from calipers.findings.base import dependent
from calipers.findings.calibration import HARM, SOME, miscalibration
from calipers.findings.labels import ALPHA, against_majority
from calipers.metrics.views import Unavailable
from calipers.remarks import Remark, code_of

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.inference.estimate import Estimate
    from calipers.metrics.base import Metric

DIRECTIONS = {
    "too high": "too_high", "too low": "too_low", "too extreme": "too_extreme", "too timid": "too_timid",
}  # fmt: skip
# In the order of the cards and of the metrics below them; the last two of clusters.
QUESTIONS = ("ranking", "decisions", "probabilities", "agreement", "separation")
FEW = 100  # rows up to which a table is also tested exactly: intervals of a handful of rows begin too high
NOT_THERE = (InputError, UnknownName, Unavailable, KeyError)


def group_of(metric: Metric) -> str:
    """The question that a metric of classes or clusters is about."""
    if metric.view.of_clusters:
        return "agreement" if metric.from_labels else "separation"
    if metric.probabilities:
        return "probabilities"
    return "decisions" if metric.from_labels else "ranking"


def cards(ev: Evaluation) -> Iterator[Card]:
    """Ranking, decisions and probabilities, as far as they can be measured and were asked for."""
    asked = {group_of(measure.metric) for measure in ev.listed}
    for question, card in (("ranking", ranking), ("decisions", decisions), ("probabilities", probabilities)):
        if question in asked and (answer := card(ev)) is not None:
            yield answer


def ranking(ev: Evaluation) -> Card | None:
    """The area under the ROC curve against 0.5, macro-averaged over several classes or labels."""
    card = ranked(ev, None if ev.positive is None else str(ev.positive))
    if card is not None and ev.is_live and ev.schema.facts.one_score and ev.views.samples.walk.distinct == 1:
        return replace(card, code="constant")
    return card


def ranked(estimates: Mapping[str, Estimate], positive: str | None) -> Card | None:
    """The card of an area under the ROC curve, of an evaluation or over folds."""
    name = _name(positive)
    area = _estimate(estimates, name)
    if area is None or math.isnan(area) or code_of(area.interval.method) == "metrics.rows_not_kept":
        return None
    code = "perfect" if area >= 1 and area.low > 0.5 else against(area, 0.5)
    numbers: dict[str, Number] = {"area": float(area), **({} if positive is None else {"positive": positive})}
    return Card("ranking", code, name, area, 0.5, numbers)


def _name(positive: str | None) -> str:
    return "roc_auc(average=macro)" if positive is None else "roc_auc"


def _estimate(estimates: Mapping[str, Estimate], name: str) -> Estimate | None:
    """The estimate of a metric; None where it cannot be had, as in a document that does not list it."""
    try:
        return estimates[name]
    except NOT_THERE:
        return None


def decisions(ev: Evaluation) -> Card | None:
    """Predicted labels: balanced accuracy against guessing, and accuracy against always predicting one class."""
    if ev.schema.facts.label_sets:
        return _label_sets(ev)
    try:
        table = ev.confusion
    except NOT_THERE:
        return None
    truth, predicted = table.margins if table.rows == "truth" else table.margins[::-1]
    if not truth.sum() > 0:
        return None
    numbers = _counts(ev, table, truth, predicted)
    if np.count_nonzero(truth) < 2:
        return Card("decisions", "one_class", numbers={**numbers, "label": str(table.labels[int(truth.argmax())])})
    balanced, mark = _estimate(ev, "balanced_accuracy"), 1 / np.count_nonzero(truth)
    if balanced is None:
        return None
    code = _decided(ev, balanced, mark, numbers)
    if code != "open" and _could_be_chance(table.counts, (1 - ev.level) / 2):
        code = "open"
    if np.count_nonzero(table.counts) == np.count_nonzero(np.diagonal(table.counts)) and code != "open":
        code = "perfect"
    if np.count_nonzero(predicted) == 1:
        code, numbers["label"] = "always", str(table.labels[int(predicted.argmax())])
    return Card("decisions", code, "balanced_accuracy", balanced, mark, numbers)


def _decided(ev: Evaluation, balanced: Estimate, mark: float, numbers: dict[str, Number]) -> str:
    """The code of the decisions; the p-value of the comparison with the commonest class joins the numbers."""
    code = against(balanced, mark)
    try:
        majority, better, worse = against_majority(ev)
    except NOT_THERE:
        return "unknown" if code == "better" else code
    if dependent(ev):
        return "unknown" if code == "better" else code
    numbers |= majority
    if better <= ALPHA:
        numbers["p"] = better
        return "more_accurate"
    numbers["p"] = worse if worse <= ALPHA else better
    return code


def _could_be_chance(counts: Any, alpha: float) -> bool:
    """Whether few rows of two classes can be explained by guessing (Fisher's exact test)."""
    if counts.shape != (2, 2) or counts.sum() > FEW or not np.array_equal(counts, counts.round()):
        return False
    (a, b), (c, d) = counts.astype(int).tolist()
    size, row, column = a + b + c + d, a + b, a + c
    ways = [math.comb(row, k) * math.comb(size - row, column - k) for k in range(min(row, column) + 1) if k <= column]
    return min(sum(ways[: a + 1]), sum(ways[a:])) > alpha * sum(ways)


def _counts(ev: Evaluation, table: Any, truth: Any, predicted: Any) -> dict[str, Number]:
    """Rows that are right and wrong; with one positive class, how many of it were found and at what threshold."""

    def rows(weight: Any) -> float:
        return float(weight) if whole else round(float(weight * (ev.rows / table.counts.sum())))

    # Weights may have any unit: sentences count rows as if the mean weight was 1.
    whole = np.array_equal(table.counts, table.counts.round())
    numbers: dict[str, Number] = {"right": rows(np.trace(table.counts)), "rows": rows(table.counts.sum())}
    if ev.positive is not None:
        k = table.labels.index(ev.positive)
        hits, positives, flagged = rows(table.counts[k, k]), rows(truth[k]), rows(predicted[k])
        numbers |= {
            "positive": str(ev.positive), "hits": hits, "positives": positives, "missed": positives - hits,
            "flagged": flagged, "false": flagged - hits,
        }  # fmt: skip
        if ev.threshold is not None:
            numbers["threshold"] = float(ev.threshold)
    else:
        recall = np.divide(np.diagonal(table.counts), truth, out=np.full(len(truth), np.inf), where=truth > 0)
        k = int(recall.argmin())
        numbers |= {"weakest": str(table.labels[k]), "found": rows(table.counts[k, k]), "of": rows(truth[k])}
    return numbers


def _label_sets(ev: Evaluation) -> Card | None:
    """Several labels per row: recall less false positive rate, on average over the labels; guessing gives 0."""
    name = "youden_j(average=macro)"
    informed = _estimate(ev, name)
    if informed is None or math.isnan(informed):
        return None
    code = against(informed, 0.0)
    whole = _estimate(ev, "subset_accuracy")
    numbers: dict[str, Number] = {"rows": float(ev.rows)}
    if code == "better":
        code = "unknown"
        if whole is not None and not math.isnan(whole):
            numbers["share"], code = float(whole), "perfect" if whole >= 1 else "sets"
    return Card("decisions", code, name, informed, 0.0, numbers)


def calibrated(error: Estimate) -> float:
    """The calibration error that a calibrated model would show on these rows; NaN for any other metric."""
    notes = [note for note in error.notes if isinstance(note, Remark) and note.code == "inference.calibrated"]
    return float(notes[0].values["expected"]) if notes else math.nan


def probabilities(ev: Evaluation) -> Card | None:
    """The calibration error against that of a calibrated model, decided by two tests of calibration."""
    error = _estimate(ev, "ece")
    if error is None or math.isnan(error) or not ev.is_live:
        return None
    views = ev.views
    try:
        samples = views.samples if views.facts.one_score else views.top
    except Unavailable:
        return None
    expected = calibrated(error)
    numbers: dict[str, Number] = {"rows": samples.rows, "ece": float(error)}
    if samples.rows < SOME or dependent(ev):
        return Card("probabilities", "few" if samples.rows < SOME else "dependent", "ece", error, expected, numbers)
    try:
        direction, numbers = miscalibration(ev)
    except Unavailable:
        return None
    code = DIRECTIONS.get(direction, "calibrated" if float(numbers["p"]) > ALPHA else "undecided")
    if code == "undecided" and error.high <= HARM:
        code = "slight"
    if code == "calibrated" and error.low > max(HARM, expected):  # neither mean nor spread shows it
        code = "uneven"
    return Card("probabilities", code, "ece", error, expected, numbers)


def over_folds(validation: Mapping[str, Estimate], positive: str | None, classes: int) -> Iterator[Card]:
    """Ranking and decisions by means over folds; the rows of all folds are not one table, so nothing is counted."""
    card = ranked(validation, positive) if _name(positive) in validation else None
    if card is not None:
        yield card
    balanced = validation.get("balanced_accuracy")
    if balanced is not None and not math.isnan(balanced):
        code = against(balanced, 1 / classes)
        yield Card("decisions", "unknown" if code == "better" else code, "balanced_accuracy", balanced, 1 / classes)
