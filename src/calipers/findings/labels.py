"""What predicted labels give away."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.findings.base import Number, at_level, rule
from calipers.inference.outcome import normal_p
from calipers.inference.paired import mcnemar
from calipers.inference.quantiles import z
from calipers.metrics.views import Unavailable
from calipers.statistics.scores import ScoreSamples

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.metrics.views import Views

Array = npt.NDArray[Any]

Findings = Iterator[Mapping[str, Number]]
ALPHA, RARE, WIDE, REACH, SHOWN = 0.05, 0.8, 0.3, 0.05, 5
SOME = 10  # rows of a class below which its absence from the predictions may be chance


@rule("warning", "binary", "multiclass", tests=False)
def only_one_class(ev: Evaluation) -> Findings:
    """All {rows} rows are {label:class}: the true labels contain no other class, so the metrics say nothing about
    errors on other classes.

    Check that the right column and the right rows were read, and add rows of the other classes. Accuracy and balanced
    accuracy only show how often the model predicts {label:class}; ROC AUC and other ranking metrics are undefined.
    """
    truth = _true_rows(ev.views)
    if np.count_nonzero(truth) == 1:
        yield {"rows": ev.views.rows, "label": str(ev.views.labels[int(truth.argmax())])}


def _true_rows(views: Views) -> Array:
    """The weight of each true class, from predicted labels or from scores that were not cut."""
    samples = views.evidence.get(ScoreSamples)
    if samples is None or views.positive is None:
        return views.confusion.margins.truth
    both = np.array([samples.negatives, samples.positives])
    return both if views.positive == 1 else both[::-1]


def against_majority(ev: Evaluation) -> tuple[dict[str, Number], float, float]:
    """Accuracy beside the share of the commonest class, and one-sided p-values that it is better, or worse."""
    table = ev.views.confusion
    if np.count_nonzero(table.margins.truth) < 2:
        raise Unavailable("one class only")
    k = int(table.margins.truth.argmax())
    hits, majority_row = table.cells.diagonal(), table.cells[k]
    # Rows that only one of the two gets right.
    won, lost = float(hits.sum() - hits[k]), float(majority_row.sum() - hits[k])
    if table.squares is None:
        better, worse = (mcnemar(won, lost, alternative=side).pvalue for side in ("greater", "less"))
    else:
        squares = table.squares
        spread = squares.diagonal().sum() - squares[k, k] + squares[k].sum() - squares[k, k]
        sides = [normal_p((won - lost) / math.sqrt(spread), s) if spread else 1.0 for s in ("greater", "less")]
        better, worse = sides
    share = float(table.margins.truth[k] / table.margins.total)
    return {"accuracy": float(ev["accuracy"]), "majority": str(table.labels[k]), "base": share}, better, worse


@rule("warning", "binary", "multiclass", about=("accuracy", "error_rate"))
def accuracy_worse_than_majority(ev: Evaluation) -> Findings:
    """Accuracy is {accuracy:percent}. Always predicting {majority:class} gives {base:percent}: the model is worse than
    that ({p:p}).

    Do not report accuracy alone: look at recall, precision and balanced accuracy. If the model is meant to find a rare
    class, this can be acceptable; choose the threshold based on what each kind of error costs. If not, check that
    labels and predictions belong to the same rows.
    """
    numbers, _, worse = against_majority(ev)
    if worse <= ALPHA:
        yield {**numbers, "p": worse}


@rule("warning", "binary", "multiclass", about=("accuracy", "error_rate"))
def accuracy_no_better_than_majority(ev: Evaluation) -> Findings:
    """Accuracy is {accuracy:percent}. Always predicting {majority:class} gives {base:percent}, so accuracy does not
    show that the model is useful ({p:p}).

    Do not report accuracy alone: look at recall, precision and balanced accuracy, and choose a threshold based on
    what each kind of error costs.
    """
    numbers, better, worse = against_majority(ev)
    if better > ALPHA and worse > ALPHA:
        yield {**numbers, "p": better}


@rule("note", "binary", "multiclass")
def imbalance(ev: Evaluation) -> Findings:
    """Classes are imbalanced: {share:percent} are {majority:class}. Accuracy can look good even for a useless model,
    and so can specificity and NPV if the positive class is rare; ROC AUC can be high although most predicted positives
    are false alarms.

    Look at precision, recall and average precision of the rare class, with their intervals. A model that guesses has
    an average precision equal to the share of the class; compare with that.
    """
    margins = ev.views.confusion.margins
    if at_level(ev, "no_information_rate", 0.95).low > RARE and np.count_nonzero(margins.truth) > 1:
        k = int(margins.truth.argmax())
        yield {"share": float(margins.truth[k] / margins.total), "majority": str(ev.views.labels[k])}


@rule("warning", "binary", "multiclass")
def too_few_rows_of_a_class(ev: Evaluation) -> Findings:
    """Only {rows} {rows:example|examples} of {label:class}: its recall could be anywhere between {low:percent} and
    {high:percent}.

    About {needed} examples of {label:class} would narrow that to ±5 percentage points. Until then, do not compare
    models on it.
    """
    views = ev.views
    truth = views.confusion.effective
    k = views.positive if views.positive is not None else int(np.where(truth > 0, truth, np.inf).argmin())
    recall = at_level(ev, "recall", 0.95, k)
    if recall.high - recall.low > WIDE:
        share = min(max(float(recall), 0.1), 0.9)
        needed = math.ceil(z(0.95) ** 2 * share * (1 - share) / REACH**2)
        rows, label = round(float(truth[k])), str(views.labels[k])
        yield {"rows": rows, "label": label, "low": recall.low, "high": recall.high, "needed": needed}


@rule("warning", "binary", "multiclass", tests=False)
def class_never_predicted(ev: Evaluation) -> Findings:
    """The model never predicts {labels:classes}, so it misses {rows} rows ({share:percent}).

    Lower the threshold, use class weights in training, or document that the model cannot predict this class.
    """
    table = ev.views.confusion
    margins, rows = table.margins, table.effective
    lacking = np.flatnonzero((margins.predicted == 0) & (rows >= SOME))
    if len(lacking):
        names = [str(ev.views.labels[k]) for k in lacking[:SHOWN]] + (["..."] if len(lacking) > SHOWN else [])
        share = float(margins.truth[lacking].sum() / margins.total)
        yield {"labels": "\n".join(names), "rows": round(float(rows[lacking].sum())), "share": share}


@rule("note", "multiclass")
def most_confused_pair(ev: Evaluation) -> Findings:
    """{truth:Class} is most often confused with {predicted:class}: {rows} of its {errors} errors, where {expected:.0f}
    would be expected by chance ({p:p}, adjusted over all pairs).

    Look at these rows first: the two classes may overlap, be labelled inconsistently, or lack a feature that separates
    them.
    """
    from scipy.special import bdtrc

    table = ev.views.confusion
    if len(table.labels) < 3 or table.squares is not None:
        return
    wrong = table.cells - np.diag(table.cells.diagonal())
    errors, predicted, k = wrong.sum(1, keepdims=True), table.cells.sum(0), len(table.labels)
    share = np.where(np.eye(k, dtype=bool), 0.0, predicted / np.maximum(predicted.sum() - predicted, 1)[:, None])
    p = np.where(wrong > 0, bdtrc(np.maximum(wrong - 1, 0), errors, share), 1.0) * k * (k - 1)
    pairs = np.where(p < 0.01, wrong, 0)
    if pairs.any():
        i, j = np.unravel_index(int(pairs.argmax()), pairs.shape)
        yield {
            "truth": str(table.labels[i]), "predicted": str(table.labels[j]), "rows": int(wrong[i, j]),
            "errors": int(errors[i, 0]), "expected": float(errors[i, 0] * share[i, j]), "p": float(p[i, j]),
        }  # fmt: skip
