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
    """Every row has the same score, {score}: the model ranks nothing, and ROC AUC is 0.5 by definition.

    Check that the right column was read and that the model was fitted.
    """
    s = ev.views.samples
    if s.rows > 1 and s.walk.distinct == 1:
        yield {"score": s.range[0]}


@rule("warning", "binary", tests=False)
def two_valued_scores(ev: Evaluation) -> Findings:
    """The scores take only two values, {low} and {high}: they look like predicted labels, and ROC AUC is then simply
    the balanced accuracy of these labels.

    Pass the output of the model before thresholding, such as predict_proba(X)[:, 1] or decision_function(X), and pass
    labels as {@pred}.
    """
    s = ev.views.samples
    if s.rows >= SOME and s.walk.distinct == 2:
        yield {"low": s.range[0], "high": s.range[1]}


@rule("warning", "binary")
def scores_inverted(ev: Evaluation) -> Findings:
    """ROC AUC is {auc}, at most {high} with 99% confidence: the scores rank {positive:class} below the other rows.

    Do the scores belong to the other class? Then pass the other column, or set {@positive} to the other label. Do not
    simply flip the scores: find out why first.
    """
    auc = at_level(ev, "roc_auc", 0.99)
    if auc < INVERTED and auc.high < 0.5:
        yield {"auc": float(auc), "high": auc.high, "positive": str(ev.positive)}


@rule("warning", "binary", tests=False)
def perfect_ranking(ev: Evaluation) -> Findings:
    """Every {positive:class} row has a higher score than every other row: ROC AUC is 1 on {rows} rows.

    Check for data leakage: a feature that contains the answer, training rows in the test set, or the label itself among
    the features.
    """
    s = ev.views.samples
    if min(s.class_rows) >= SOME and s.pos[0] > s.neg[-1]:
        yield {"positive": str(ev.positive), "rows": s.rows}


@rule("warning", "binary", tests=False)
def ties_carry_the_roc_area(ev: Evaluation) -> Findings:
    """{share:percent} of the pairs that ROC AUC compares have tied scores: it is {auc} if ties count as half, and
    between {low} and {high} if ties are broken.

    Pass scores with more digits, or use a model with more distinct scores. Other tools may break ties differently and
    print a different number.
    """
    s = ev.views.samples
    spare = s.rows - s.walk.distinct + 1  # rows that ties can join; they make at most its square over 4 tied pairs
    pos, neg = s.class_rows
    if s.walk.distinct < 3 or not s.positives or not s.negatives or spare**2 < 4 * TIED * pos * neg:
        return
    _, tp, fp = s.sweep(False)
    share = float(np.diff(tp) @ np.diff(fp)) / (s.positives * s.negatives)
    auc = float(ev["roc_auc"])
    if share > TIED:
        yield {"share": share, "auc": auc, "low": auc - share / 2, "high": auc + share / 2}


@rule("note", "binary", about=("f1",))
def threshold_far_from_best(ev: Evaluation) -> Findings:
    """F1 is {f1} at the threshold {threshold:.3g} and {best} at {best_threshold:.3g} ({p:p}, adjusted for choosing the
    threshold); on data not used to choose it, about {held_out}.

    If F1 matters most, choose the threshold on validation data, not on this data: a threshold looks better on the data
    it was chosen on. If errors have different costs, use best_threshold(cost=...).
    """
    s, threshold = ev.views.samples, ev.views.decision_threshold
    if ev.views.counted or min(s.class_rows) < SOME:
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
    """{values} pairs of true class and score occur exactly {times} times each, more often than in independent rows
    ({p:p}): the rows may be duplicates.

    Remove duplicate rows before evaluating, or pass {@groups} if rows repeat because they belong together; otherwise
    the intervals are too narrow.
    """
    samples = ev.views.samples if ev.views.facts.one_score else ev.views.top
    copies = copied(samples.occurring.tolist())
    if copies.pvalue < COPIES:
        yield {"values": int(copies.values), "times": copies.times, "p": copies.pvalue}
