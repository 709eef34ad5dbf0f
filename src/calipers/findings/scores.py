"""What scores give away: ranking, ties, copies and thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from calipers.evaluation.thresholds import best_threshold, f1_gain, held_out
from calipers.findings.base import Number, at_level, rule
from calipers.inference.repeats import copied
from calipers.inference.selected import selected_p

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

Findings = Iterator[Mapping[str, Number]]
SOME, INVERTED, TIED, GAIN, COPIES, ALPHA = 10, 0.45, 0.1, 0.02, 0.001, 0.01


@rule("warning", "binary", tests=False)
def constant_scores(ev: Evaluation) -> Findings:
    """Every row has the same score, {score}: nothing is ranked, and the ROC area is 0.5 by definition.

    Check that the right column was read, and that the model was fitted.
    """
    s = ev.views.samples
    if s.rows > 1 and s.walk.distinct == 1:
        yield {"score": s.range[0]}


@rule("warning", "binary", tests=False)
def two_valued_scores(ev: Evaluation) -> Findings:
    """The scores take only two values, {low} and {high}: these look like predicted labels, and the ROC area is then
    nothing but the balanced accuracy of those labels.

    Pass what the model gives before it is cut, such as predict_proba(X)[:, 1] or decision_function(X), and labels as
    predictions.
    """
    s = ev.views.samples
    if s.rows >= SOME and s.walk.distinct == 2:
        yield {"low": s.range[0], "high": s.range[1]}


@rule("warning", "binary")
def scores_inverted(ev: Evaluation) -> Findings:
    """The ROC area is {auc}, at most {high} with 99% confidence: the scores rank {positive} below the other rows.

    Is the score that of the other class? Then pass the other column, or positive= the other label. A model is not
    mended by turning its scores round before it is known why.
    """
    auc = at_level(ev, "roc_auc", 0.99)
    if auc < INVERTED and auc.high < 0.5:
        yield {"auc": float(auc), "high": auc.high, "positive": str(ev.positive)}


@rule("warning", "binary", tests=False)
def perfect_ranking(ev: Evaluation) -> Findings:
    """Every row that is {positive} outscores every row that is not: a ROC area of 1 on {rows} rows.

    Look for a leak before you celebrate: a feature that knows the answer, rows of the training set, or the label
    itself.
    """
    s = ev.views.samples
    if min(len(s.pos), len(s.neg)) >= SOME and s.pos[0] > s.neg[-1]:
        yield {"positive": str(ev.positive), "rows": s.rows}


@rule("warning", "binary", tests=False)
def ties_carry_the_roc_area(ev: Evaluation) -> Findings:
    """{share:percent} of the pairs that the ROC area compares are tied: it is {auc} with ties counted one half, and
    between {low} and {high} depending on how they are broken.

    Pass scores with more digits, or with more values than this model gives; with rules that break ties otherwise, the
    number is another one.
    """
    s = ev.views.samples
    spare = s.rows - s.walk.distinct + 1  # rows that ties can join; they make at most its square over 4 tied pairs
    if s.walk.distinct < 3 or not s.positives or not s.negatives or spare**2 < 4 * TIED * len(s.pos) * len(s.neg):
        return
    _, tp, fp = s.sweep(False)
    share = float(np.diff(tp) @ np.diff(fp)) / (s.positives * s.negatives)
    auc = float(ev["roc_auc"])
    if share > TIED:
        yield {"share": share, "auc": auc, "low": auc - share / 2, "high": auc + share / 2}


@rule("note", "binary", about=("f1",))
def threshold_far_from_best(ev: Evaluation) -> Findings:
    """At the threshold {threshold:.3g} F1 is {f1}; at {best_threshold:.3g} it is {best} ({p:p}, allowing for the
    choice), and {held_out} on rows from which the threshold was not chosen.

    If F1 is what matters, choose the threshold on validation rows, not on these: the best value of the rows it was
    chosen from is too good. If errors have a price, use best_threshold(cost=...).
    """
    s, threshold = ev.views.samples, ev.views.decision_threshold
    if ev.views.counted or min(len(s.pos), len(s.neg)) < SOME:
        return
    best = best_threshold(s, "f1", None)
    f1, gain, error = f1_gain(s, threshold, float(best))
    p = selected_p(gain / error) if error > 0 else 1.0
    if gain > GAIN and p < ALPHA:
        yield {
            "threshold": float(threshold), "f1": f1, "best_threshold": float(best), "best": best.value, "p": p,
            "held_out": held_out(s, "f1"),
        }  # fmt: skip


@rule("warning", "binary", "multiclass")
def rows_look_copied(ev: Evaluation) -> Findings:
    """{values} pairs of true class and score occur exactly {times} times, more than independent rows would show
    ({p:p}): rows look copied.

    Remove duplicated rows before measuring, or pass groups= when rows repeat because they belong together: intervals
    are too narrow otherwise.
    """
    samples = ev.views.samples if ev.views.facts.one_score else ev.views.top
    copies = copied(samples.occurring.tolist())
    if copies.pvalue < COPIES:
        yield {"values": int(copies.values), "times": copies.times, "p": copies.pvalue}
