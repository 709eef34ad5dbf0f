"""What predicted labels give away."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from calipers.findings.base import Number, at_level, rule
from calipers.inference.outcome import normal_p
from calipers.inference.paired import mcnemar
from calipers.inference.quantiles import z

if TYPE_CHECKING:
    from calipers.evaluation import Evaluation

Found = Iterator[Mapping[str, Number]]
SURE, RARE, WIDE, REACH, SHOWN = 0.05, 0.8, 0.3, 0.05, 5
SOME = 10  # rows of a class below which its absence from the predictions may be chance


@rule("warning", "binary", "multiclass", about=("accuracy", "error_rate"))
def accuracy_no_better_than_majority(ev: Evaluation) -> Found:
    """Accuracy is {accuracy:percent}, and always answering {majority} would give {base:percent}: no evidence that the
    model does better ({p:p}).

    Do not report accuracy alone here: look at recall, precision and balanced accuracy, and choose a threshold for what
    errors cost.
    """
    assert ev.views is not None
    table = ev.views.confusion
    if np.count_nonzero(table.margins.truth) < 2:
        return
    k = int(table.margins.truth.argmax())
    hits, held = table.cells.diagonal(), table.cells[k]
    won, lost = float(hits.sum() - hits[k]), float(held.sum() - hits[k])  # rows that only one of the two gets right
    if table.squares is None:
        p = mcnemar(won, lost, alternative="greater").pvalue
    else:
        squares = table.squares
        spread = squares.diagonal().sum() - squares[k, k] + squares[k].sum() - squares[k, k]
        p = normal_p((won - lost) / math.sqrt(spread), "greater") if spread else 1.0
    if p > SURE:
        share = float(table.margins.truth[k] / table.margins.total)
        yield {"accuracy": float(ev["accuracy"]), "majority": str(table.labels[k]), "base": share, "p": p}


@rule("note", "binary", "multiclass")
def imbalance(ev: Evaluation) -> Found:
    """{share:percent} of the rows are {majority}: accuracy, and for a rare positive class also specificity, NPV and the
    ROC area, look good whatever the model does.

    Read precision, recall and average precision of the rare class, with their intervals, and compare average precision
    with the prevalence.
    """
    assert ev.views is not None
    margins = ev.views.confusion.margins
    if at_level(ev, "no_information_rate", 0.95).low > RARE and np.count_nonzero(margins.truth) > 1:
        k = int(margins.truth.argmax())
        yield {"share": float(margins.truth[k] / margins.total), "majority": str(ev.views.labels[k])}


@rule("warning", "binary", "multiclass")
def too_few_rows_of_a_class(ev: Evaluation) -> Found:
    """Only {rows} rows are {label}: its recall may be anything from {low:percent} to {high:percent}.

    Collect more rows of {label}: about {needed} would give its recall to within 5 percentage points. Until then, do not
    rank models by metrics that rest on it.
    """
    assert ev.views is not None
    views = ev.views
    truth = views.confusion.margins.truth
    k = views.positive if views.positive is not None else int(np.where(truth > 0, truth, np.inf).argmin())
    recall = at_level(ev, "recall", 0.95, k)
    if recall.high - recall.low > WIDE:
        share = min(max(float(recall), 0.1), 0.9)
        needed = math.ceil(z(0.95) ** 2 * share * (1 - share) / REACH**2)
        rows, label = round(float(truth[k])), str(views.labels[k])
        yield {"rows": rows, "label": label, "low": recall.low, "high": recall.high, "needed": needed}


@rule("warning", "binary", "multiclass", tests=False)
def class_never_predicted(ev: Evaluation) -> Found:
    """{labels} is never predicted, though {rows} rows ({share:percent}) have this label.

    Lower the threshold, weigh the classes in training, or say that the model does not know this class.
    """
    assert ev.views is not None
    margins = ev.views.confusion.margins
    lacking = np.flatnonzero((margins.predicted == 0) & (margins.truth >= SOME))
    if len(lacking):
        rows = float(margins.truth[lacking].sum())
        names = [str(ev.views.labels[k]) for k in lacking[:SHOWN]] + (["..."] if len(lacking) > SHOWN else [])
        yield {"labels": ", ".join(names), "rows": round(rows), "share": rows / float(margins.total)}


@rule("note", "multiclass")
def most_confused_pair(ev: Evaluation) -> Found:
    """{truth} is most often taken for {predicted}: {rows} of its {errors} errors, where its errors spread over the
    classes as predictions do would give {expected:.0f} ({p:p}, adjusted over all pairs).

    Look at these rows first: the two classes may overlap, be labelled inconsistently, or lack a feature that tells them
    apart.
    """
    from scipy.special import bdtrc

    assert ev.views is not None
    table = ev.views.confusion
    if len(table.labels) < 3 or table.squares is not None:
        return
    wrong = table.cells - np.diag(table.cells.diagonal())
    errors, said = wrong.sum(1, keepdims=True), table.cells.sum(0)
    share = np.where(np.eye(len(said), dtype=bool), 0.0, said / np.maximum(said.sum() - said, 1)[:, None])
    p = np.where(wrong > 0, bdtrc(np.maximum(wrong - 1, 0), errors, share), 1.0) * len(said) * (len(said) - 1)
    pairs = np.where(p < 0.01, wrong, 0)
    if pairs.any():
        i, j = np.unravel_index(int(pairs.argmax()), pairs.shape)
        yield {
            "truth": str(table.labels[i]), "predicted": str(table.labels[j]), "rows": int(wrong[i, j]),
            "errors": int(errors[i, 0]), "expected": float(errors[i, 0] * share[i, j]), "p": float(p[i, j]),
        }  # fmt: skip
