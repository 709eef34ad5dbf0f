"""Metrics of predicted labels under scikit-learn's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calipers import _native
from calipers.data.containers import Array
from calipers.errors import InputError
from calipers.metrics import confusion as of_table
from calipers.metrics import counts as of_counts
from calipers.metrics.values import number
from calipers.sklearn import averaging
from calipers.sklearn.averaging import each
from calipers.sklearn.inputs import InvalidParameter, flag, is_real, labels_of, one_of, warn
from calipers.sklearn.targets import Targets, targets
from calipers.statistics.confusion import Margins, OneVsRest


def accuracy_score(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> float:
    """Accuracy: the fraction of correct predictions; their number or weight with normalize=False."""
    return _of_rows(of_table.accuracy, targets(y_true, y_pred, sample_weight), normalize)


def zero_one_loss(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> float:
    """Zero-one loss: the fraction of wrong predictions; their number or weight with normalize=False."""
    return _of_rows(of_table.error_rate, targets(y_true, y_pred, sample_weight), normalize)


def _of_rows(measure: Any, t: Targets, normalize: bool) -> float:
    flag("normalize", normalize)
    share = measure.formula(Margins(t.hits(), None, None, t.total, None))  # type: ignore[arg-type]
    return float(share.value if normalize else share.hits)


def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Hamming loss: the fraction of wrong labels."""
    t = targets(y_true, y_pred, sample_weight)
    if not t.task.label_sets:
        return _of_rows(of_table.error_rate, t, True)
    rows = t.of_rows()
    return averaging.mean((rows.fp + rows.fn) / len(t.values), t.weights)


def confusion_matrix(
    y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None, normalize: str | None = None
) -> Array:
    """Confusion matrix: rows are the true labels, columns the predicted ones."""
    one_of("normalize", normalize, ("true", "pred", "all", None))
    cells = _cells(targets(y_true, y_pred, sample_weight), labels)
    if normalize is not None:
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        with np.errstate(all="ignore"):
            cells = np.nan_to_num(cells / cells.sum(axis, keepdims=True))
    return cells


_EXACT = 2.0**53  # below, sums of integers are exact in floating point


def _cells(t: Targets, labels: Any = None) -> Array:
    if t.task.label_sets:
        raise InputError("sklearn.one_confusion")
    truth, pred, k = t.truth, t.pred, len(t.values)
    if labels is not None:
        chosen = labels_of(labels)
        if not chosen:
            raise InputError("sklearn.no_label_named")
        place = {label: i for i, label in enumerate(chosen)}
        k = len(chosen)
        table = np.array([place.get(value, k) for value in t.values], np.uint32)
        truth, pred = _native.recode(truth, table), _native.recode(pred, table)
        if not (truth < k).any():
            raise InputError("sklearn.no_label_in_truth", labels=chosen)
    if k == 1:
        warn("sklearn.one_label", UserWarning)
    if t.whole is None or t.total < _EXACT:
        cells = _native.confusion(truth, pred, k, t.weights)
        return cells if t.whole is None else cells.astype(np.int64)
    cells = np.zeros((k, k), np.int64)
    inside = (truth < k) & (pred < k)
    np.add.at(cells, (truth[inside], pred[inside]), t.whole[inside].astype(np.int64))
    return cells


def multilabel_confusion_matrix(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, labels: Any = None, samplewise: bool = False
) -> Array:
    """A 2 x 2 matrix [[TN, FP], [FN, TP]] for each class or label, or for each row."""
    flag("samplewise", samplewise)
    t = targets(y_true, y_pred, sample_weight)
    c = averaging.counts(t, None if labels is None else labels_of(labels), "samples" if samplewise else None)
    out = np.stack([c.tn, c.fp, c.fn, c.tp], -1).reshape(-1, 2, 2)
    if samplewise and t.weights is not None:
        out *= t.weights[:, None, None]
    whole = t.weights is None or (samplewise and t.whole is not None)
    return out.astype(np.int64) if whole else out


def cohen_kappa_score(
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    weights: str | None = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
) -> float:
    """Cohen's kappa: agreement beyond chance between two columns of labels."""
    one_of("weights", weights, ("linear", "quadratic", None))
    if not is_real(replace_undefined_by) or abs(replace_undefined_by) > 1:
        raise InvalidParameter("sklearn.not_instead_of_kappa", value=replace_undefined_by)
    cells = _cells(targets(y1, y2, sample_weight), labels).astype(np.float64)
    far = np.abs(np.subtract.outer(np.arange(len(cells)), np.arange(len(cells))))
    apart = far > 0 if weights is None else far if weights == "linear" else far**2
    with np.errstate(all="ignore"):
        value = float(1 - (apart * cells).sum() * cells.sum() / (cells.sum(1) @ apart @ cells.sum(0)))
    if value == value:
        return value
    warn("sklearn.undefined_kappa", value=replace_undefined_by)
    return replace_undefined_by


def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Matthews correlation coefficient; 0 if the true or the predicted class does not vary."""
    t = targets(y_true, y_pred, sample_weight)
    if t.task.label_sets:
        raise InputError("sklearn.matthews_of_labels")
    margins = Margins.of(_of_classes(t))
    with np.errstate(all="ignore"):
        value = float(number(of_table.mcc.formula(margins)))
    return value if np.isfinite(value) else 0.0


def balanced_accuracy_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: bool = False) -> float:
    """Balanced accuracy: the average recall of the classes that occur; with adjusted=True, 0 for guessing."""
    t = targets(y_true, y_pred, sample_weight)
    if t.task.label_sets:
        raise InputError("sklearn.balanced_accuracy_of_labels")
    (recalls,) = each(_of_classes(t), np.nan, (of_counts.recall.formula, ""))
    count = int(np.count_nonzero(~np.isnan(recalls)))
    if count < len(recalls):
        warn("sklearn.classes_left_out", UserWarning)
    score = averaging.mean(recalls, None)
    with np.errstate(all="ignore"):
        chance = np.float64(1) / count
        return float((score - chance) / (1 - chance)) if adjusted else score


def _of_classes(t: Targets) -> OneVsRest:
    if len(t.values) == 1:
        warn("sklearn.one_label", UserWarning)
    return t.of_classes()


def class_likelihood_ratios(
    y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None, replace_undefined_by: Any = np.nan
) -> tuple[float, float]:
    """Positive and negative likelihood ratio of the second of two classes."""
    instead = _ratios_instead(replace_undefined_by)
    t = targets(y_true, y_pred, sample_weight)
    if not t.task.has_positive:
        raise InputError("sklearn.ratios_of_others", kind=t.kind)
    cells = _cells(t, labels).astype(np.float64)
    if cells.shape != (2, 2):
        raise InputError("sklearn.ratios_of_one_class")
    tn, fp, fn, tp = cells.reshape(4, 1)
    c = OneVsRest(tp, fp, fn, tn)
    if tp + fn == 0:
        warn("sklearn.undefined_ratios")
    out = []
    for measure, below, name in ((of_counts.lr_plus, fp, "LR+"), (of_counts.lr_minus, tn, "LR-")):
        with np.errstate(all="ignore"):
            ratio = float(number(measure.formula(c))[0])
        if below == 0:
            warn("sklearn.undefined_ratio", name=name)
            ratio = instead[name]
        out.append(ratio)
    return out[0], out[1]


def _ratios_instead(value: Any) -> Mapping[str, float]:
    if isinstance(value, dict):
        plus: Any = value.get("LR+")
        minus: Any = value.get("LR-")
        if not (is_real(plus) and is_real(minus)) or plus < 1 or minus < 0 or minus > 1:
            raise InputError("sklearn.not_instead_of_ratios", value=value)
        return value
    if is_real(value) and (value == 1 or value != value):
        return {"LR+": float(value), "LR-": float(value)}
    raise InvalidParameter("sklearn.not_a_dict_of_ratios", value=value)
