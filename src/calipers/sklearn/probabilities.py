"""Losses of probabilities and margins under scikit-learn's names, and top-k accuracy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from calipers import _native
from calipers.data.batch import Batch, Scan
from calipers.data.containers import Array
from calipers.data.labels import Encoded, recode
from calipers.data.schema import Schema
from calipers.errors import InputError
from calipers.metrics.losses import hinge_of_rows
from calipers.metrics.probabilities import brier_of_rows, log_loss_of_rows
from calipers.sklearn.averaging import mean
from calipers.sklearn.inputs import (
    InvalidParameter,
    flag,
    flat,
    labels_of,
    numbers,
    one_of,
    positive_of,
    real,
    same_length,
    warn,
    weigh,
)
from calipers.sklearn.targets import Matrix, among, target
from calipers.statistics.moments import RowMeasure


def log_loss(
    y_true: Any,
    y_proba: Any = None,
    *,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
    y_pred: Any = "deprecated",
) -> float:
    """Log loss: minus the mean log probability of the true class; the sum with normalize=False."""
    flag("normalize", normalize)
    batch = _of_classes(y_true, _renamed(y_proba, y_pred), sample_weight, labels)
    loss = _mean(log_loss_of_rows, batch)
    return loss if normalize else loss * float(len(batch) if batch.weights is None else batch.weights.sum())


def d2_log_loss_score(
    y_true: Any, y_proba: Any = None, *, sample_weight: Any = None, labels: Any = None, y_pred: Any = "deprecated"
) -> float:
    """D² of the log loss: the fraction avoided, relative to always predicting the class proportions."""
    y_proba = _renamed(y_proba, y_pred)
    if _too_few(y_true, y_proba, sample_weight):
        return float("nan")
    return _skill(log_loss_of_rows, _of_classes(y_true, y_proba, sample_weight, labels))


def brier_score_loss(
    y_true: Any,
    y_proba: Any,
    *,
    sample_weight: Any = None,
    pos_label: Any = None,
    labels: Any = None,
    scale_by_half: Any = "auto",
) -> float:
    """Brier score: the mean squared difference between probabilities and truth; halved by default for two classes."""
    one_of("scale_by_half", scale_by_half, (True, False, "auto"))
    batch = _of_either(y_true, y_proba, sample_weight, pos_label, labels)
    two = len(batch.labels) == 2
    half = two if scale_by_half == "auto" else scale_by_half
    return _mean(brier_of_rows, batch) * (1.0 if half == two else 2.0 if two else 0.5)


def d2_brier_score(
    y_true: Any, y_proba: Any, *, sample_weight: Any = None, pos_label: Any = None, labels: Any = None
) -> float:
    """D² of the Brier score: the fraction avoided, relative to always predicting the class proportions."""
    if _too_few(y_true, y_proba, sample_weight):
        return float("nan")
    return _skill(brier_of_rows, _of_either(y_true, y_proba, sample_weight, pos_label, labels))


def _renamed(y_proba: Any, y_pred: Any) -> Any:
    if isinstance(y_pred, str) and y_pred == "deprecated":
        return y_proba
    if y_proba is not None:
        raise InputError("sklearn.old_name")
    warn("sklearn.renamed", FutureWarning)
    return y_pred


def _too_few(y_true: Any, y_proba: Any, sample_weight: Any) -> bool:
    if same_length(y_true=y_true, y_proba=y_proba, sample_weight=sample_weight) >= 2:
        return False
    warn("sklearn.two_rows_of_explained")
    return True


def _mean(measure: RowMeasure, batch: Batch) -> float:
    rows = _OF_SETS[measure](batch) if batch.facts.label_sets else measure(batch)
    return mean(rows, batch.weights) if isinstance(rows, np.ndarray) else rows.mean


def _skill(measure: RowMeasure, batch: Batch) -> float:
    """The loss relative to that of always predicting the class proportions."""
    assert batch.score is not None
    if batch.facts.label_sets:
        rates = np.average(batch.truth, 0, batch.weights)
        base = replace(batch, score=np.tile(rates, (len(batch), 1)))
    else:  # one row for each class, with the weight of the class
        k = len(batch.labels)
        shares = _native.bincount(batch.truth, k, batch.weights).astype(np.float64)
        shares /= shares.sum()
        base = _batch(batch.labels, np.arange(k, dtype=np.uint32), np.broadcast_to(shares, (k, k)), shares)
    with np.errstate(all="ignore"):  # with a single class, the loss of the base rate is 0
        return float(1 - np.float64(_mean(measure, batch)) / _mean(measure, base))


def _log_loss_of_sets(batch: Batch) -> Array:
    """Summed over the labels that a row carries."""
    assert batch.score is not None
    eps = np.finfo(batch.score.dtype).eps
    losses: Array = -np.where(batch.truth, np.log(np.clip(batch.score, eps, 1 - eps)), 0).sum(1)
    return losses


def _brier_of_sets(batch: Batch) -> Array:
    """Summed over all labels."""
    assert batch.score is not None
    losses: Array = ((batch.truth - batch.score) ** 2).sum(1) / (2 if len(batch.labels) == 2 else 1)
    return losses


_OF_SETS: dict[RowMeasure, Callable[[Batch], Array]] = {
    log_loss_of_rows: _log_loss_of_sets,
    brier_of_rows: _brier_of_sets,
}


def _of_either(y_true: Any, y_proba: Any, sample_weight: Any, pos_label: Any, labels: Any) -> Batch:
    """One column is the probability of the positive class, several are one for each class."""
    p = real(y_proba, "y_proba")
    if p.ndim == 2 and p.shape[1] > 1:
        return _of_classes(y_true, p, sample_weight, labels)
    p, truth = flat(p, "y_proba"), target(y_true, "y_true")
    if isinstance(truth, Matrix) or len(truth.values) > 2:
        raise InputError("sklearn.one_column_of_two_classes")
    rows = same_length(y_true=truth.codes, y_proba=p)
    values = truth.values
    if pos_label is None and values and not isinstance(values[0], str):
        pos_label = 1 if values in ((0,), (-1,)) else values[-1]  # the greater of two numbers
    positive = positive_of(pos_label, values)
    code = values.index(positive) if positive in values else len(values)
    codes = truth.codes if code == 1 else (truth.codes == code).view(np.uint8)
    return _batch(("rest", positive), codes, p, weigh(sample_weight, rows)[0])


def _of_classes(y_true: Any, y_proba: Any, sample_weight: Any, labels: Any) -> Batch:
    """Probabilities of all classes, the sorted labels; one column is the probability of the second of two."""
    p, truth = real(y_proba, "y_proba"), target(y_true, "y_true")
    if isinstance(truth, Matrix) and truth.sparse:
        raise InvalidParameter("sklearn.sparse", name="y_true")
    rows = same_length(y_true=truth[0], y_proba=p) if isinstance(truth, Encoded) else truth.cells.shape[0]
    if not rows or rows != len(p):
        raise InputError("sklearn.rows_of_probabilities", rows=rows, probabilities=len(p))
    values = truth.values if isinstance(truth, Encoded) else tuple(range(truth.cells.shape[1]))
    if labels is not None:
        named = labels_of(labels)
        if list(values) != named and not set(values) <= set(named):
            raise InputError("sklearn.labels_lack", labels=named)
        values = tuple(sorted(set(named)))
        if list(values) != named:
            warn("sklearn.order_of_columns", UserWarning, labels=list(values))
    p = flat(p, "y_proba") if p.ndim == 2 and p.shape[1] == 1 else p
    width = 2 if p.ndim == 1 else p.shape[1]
    if len(values) < 2 or len(values) != width:
        code = "sklearn.classes_of_truth" if labels is None else "sklearn.classes_of_labels"
        raise InputError(code, classes=len(values), width=width)
    weights = weigh(sample_weight, rows)[0]
    if isinstance(truth, Encoded):
        return _batch(values, recode(truth, values), p, weights)
    cells = truth.dense()
    several = (cells.sum(1) != 1).any()
    batch = _batch(values, cells.argmax(1).astype(np.uint32), p if p.ndim == 2 else np.stack((1 - p, p), 1), weights)
    return replace(batch.meaning(task="multilabel"), truth=cells) if several else batch


def _batch(values: tuple[Any, ...], codes: Array, p: Array, weights: Array | None) -> Batch:
    """Checked probabilities: of the second of two classes, or of each class."""
    if p.ndim == 1:
        if weights is not None:  # rows of weight 0 are checked too; without weights the loss looks at every row
            _inside(np.isnan(p).any(), p.min(), p.max())
        return Batch(Schema("binary", values, values[1], scored=True), codes, None, p, weights)
    scan = Scan(*_native.scan_rows(p, codes, False))
    _inside(scan.nans, scan.low, scan.high)
    if abs(scan.worst_sum - 1) > np.sqrt(np.finfo(p.dtype).eps):
        warn("sklearn.sum_of_row", UserWarning, row=scan.worst_row, sum=scan.worst_sum)
    return Batch(Schema("multiclass", values, scored=True), codes, None, p, weights, scan)


def _inside(nan: Any, low: float, high: float) -> None:
    if nan or low < 0 or high > 1:
        raise InputError("sklearn.not_probabilities", low=low, high=high)


def hinge_loss(y_true: Any, pred_decision: Any, *, labels: Any = None, sample_weight: Any = None) -> float:
    """Average hinge loss: how far margins are below 1; with several classes, the margin over the best other class."""
    truth, margin = target(y_true, "y_true"), real(pred_decision, "pred_decision")
    if isinstance(truth, Matrix):
        raise InputError("sklearn.hinge_of_labels")
    rows = same_length(y_true=truth.codes, pred_decision=margin)
    weights = weigh(sample_weight, rows)[0]
    values = truth.values if labels is None else tuple(sorted(set(labels_of(labels))))
    margin = numbers(margin, "pred_decision")
    if len(values) > 2:
        if margin.ndim != 2:
            raise InputError("sklearn.column_for_each_class", name="pred_decision", shape=margin.shape)
        batch = Batch(Schema("multiclass", values), among(truth, values, margin.shape[1]).codes, score=margin)
    else:
        batch = Batch(Schema("binary", (0, 1), 1), truth.codes, score=flat(margin, "pred_decision"))
    return mean(np.asarray(hinge_of_rows(batch), np.float64), weights)


def top_k_accuracy_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
) -> float:
    """Top-k accuracy: the fraction of rows whose true class has one of the k highest scores (ties: last column)."""
    if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or k < 1:
        raise InvalidParameter("sklearn.not_a_whole_number", name="k", value=k, least=1)
    flag("normalize", normalize)
    truth, score = target(y_true, "y_true"), numbers(y_score, "y_score")
    if isinstance(truth, Matrix):
        raise InputError("sklearn.top_k_of_labels")
    binary = len(truth.values) < 3 and (labels is None or len(labels_of(labels)) < 3)
    if not binary and score.ndim != 2:
        raise InputError("sklearn.column_for_each_class", name="y_score", shape=score.shape)
    score = flat(score, "y_score") if binary else score
    width = 2 if binary else score.shape[1]
    truth = among(truth, labels, width)
    rows = same_length(y_true=truth.codes, y_score=score)
    if k >= width:
        warn("sklearn.every_row_right", k=int(k), classes=width)
    if not binary:
        hits = _native.own_rank(score, truth.codes) <= k
    elif k == 1:
        inside = score.min() >= 0 and score.max() <= 1
        hits = (score > (0.5 if inside else 0.0)) == truth.codes
    else:
        hits = np.ones(rows, bool)
    weights = weigh(sample_weight, rows)[0]
    total = float(np.count_nonzero(hits) if weights is None else hits @ weights)
    return total / float(rows if weights is None else weights.sum()) if normalize else total
