"""Curves over thresholds, and the areas under them, under scikit-learn's names."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from calipers import _native
from calipers.data import containers
from calipers.data.containers import Array
from calipers.data.labels import Encoded
from calipers.errors import InputError, Unsupported
from calipers.metrics import classes as of_classes
from calipers.metrics import scores as of_scores
from calipers.metrics.values import number
from calipers.sklearn.averaging import AVERAGES, of_columns
from calipers.sklearn.inputs import (
    InvalidParameter,
    flag,
    flat,
    numbers,
    one_of,
    positional_for_now,
    positive_of,
    real,
    same_length,
    samples,
    warn,
    weigh,
)
from calipers.sklearn.targets import Matrix, among, target
from calipers.statistics.classes import ClassScores
from calipers.statistics.scores import ScoreSamples

Points = tuple[Array, Array, Array]


def auc(x: Any, y: Any) -> float:
    """Area under a curve by the trapezoidal rule; x may increase or decrease."""
    across, up = (flat(real(one, name), name).astype(np.float64, copy=False) for one, name in ((x, "x"), (y, "y")))
    if same_length(x=across, y=up) < 2:
        raise InputError("sklearn.few_points")
    area, least, most = _native.trapezoid(np.ascontiguousarray(across), np.ascontiguousarray(up))
    if least < 0 < most:
        raise InputError("sklearn.not_sorted")
    return -area if least < 0 else area


def _binary(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, both: bool = False) -> ScoreSamples:
    """The two sorted samples of a column of labels, of which one is positive; `both` labels may be needed."""
    truth = target(y_true, "y_true")
    if both and isinstance(truth, Encoded) and len(truth.values) != 2:
        raise InputError("sklearn.two_error_rates", count=len(truth.values))
    if isinstance(truth, Matrix) or (len(truth.values) > 2 and pos_label is None):
        raise InputError("sklearn.two_classes_or_positive")
    score = flat(real(y_score, "y_score"), "y_score")
    rows = same_length(y_true=truth.codes, y_score=score)
    if not rows:
        raise InputError("sklearn.no_rows")
    positive = positive_of(pos_label, truth.values)
    code = truth.values.index(positive) if positive in truth.values else len(truth.values)
    return samples(score, truth.codes, code, _weights(sample_weight, rows))


def _weights(sample_weight: Any, rows: int) -> Array | None:
    """Weights of scores may come as a matrix of one column."""
    if sample_weight is not None and not isinstance(sample_weight, Real):
        sample_weight = flat(containers.numbers(sample_weight, "sample_weight"), "sample_weight")
    return weigh(sample_weight, rows)[0]


@positional_for_now
def confusion_matrix_at_thresholds(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> tuple[Array, Array, Array, Array, Array]:
    """TN, FP, FN, TP and the thresholds: every distinct score, from the highest down."""
    thresholds, tp, fp = _sweep(_binary(y_true, y_score, pos_label, sample_weight))
    return fp[-1] - fp, fp, tp[-1] - tp, tp, _as_given(thresholds, y_score)


def _sweep(s: ScoreSamples) -> Points:
    """Thresholds from the highest down, with TP and FP."""
    thresholds, tp, fp = s.sweep(False, floats=True)
    return thresholds[1:], tp[1:], fp[1:]


def _as_given(thresholds: Array, y_score: Any) -> Array:
    """Thresholds in the type of the scores."""
    kind = getattr(y_score, "dtype", None)
    return thresholds.astype(kind, copy=False) if isinstance(kind, np.dtype) and kind.kind in "fiub" else thresholds


def roc_curve(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None, drop_intermediate: bool = True
) -> Points:
    """ROC curve: false and true positive rates at decreasing thresholds, from (0, 0) at +inf."""
    flag("drop_intermediate", drop_intermediate)
    s = _binary(y_true, y_score, pos_label, sample_weight)
    thresholds, tp, fp = s.sweep(bool(drop_intermediate))
    rates = []
    for count, code in ((fp, "sklearn.no_negative_rows"), (tp, "sklearn.no_positive_rows")):
        if count[-1] > 0:
            rates.append(count / count[-1])
        else:
            warn(code)
            rates.append(np.full(len(count), np.nan))
    return rates[0], rates[1], thresholds.astype(np.float64, copy=False)


def precision_recall_curve(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None, drop_intermediate: bool = False
) -> Points:
    """Precision-recall curve: precision and recall at increasing thresholds, ending in (1, 0)."""
    flag("drop_intermediate", drop_intermediate)
    s = _binary(y_true, y_score, pos_label, sample_weight)
    thresholds, recall, precision = s.precision_recall(rising=True)
    if drop_intermediate:
        turns = _turns(_sweep(s)[1][::-1])
        recall, precision = (np.append(x[:-1][turns], x[-1]) for x in (recall, precision))
        thresholds = thresholds[turns]
    if not s.positives:
        warn("sklearn.recall_without_positives", UserWarning)
        recall[:-1] = 1
    return precision, recall, _as_given(thresholds, y_score)


def _turns(tp: Array) -> Any:
    """Points where the true positives are not the same before and after; the first and the last stay."""
    if len(tp) < 3:
        return slice(None)
    changed = np.diff(tp) != 0
    return np.flatnonzero(np.concatenate(([True], changed[:-1] | changed[1:], [True])))


def det_curve(
    y_true: Any,
    y_score: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = False,
) -> Points:
    """DET curve: false positive and false negative rates at increasing thresholds, without the constant ends."""
    flag("drop_intermediate", drop_intermediate)
    thresholds, tp, fp = _binary(y_true, y_score, pos_label, sample_weight, both=True).sweep(False)
    if drop_intermediate:
        turns = _turns(tp)
        thresholds, tp, fp = thresholds[turns], tp[turns], fp[turns]
    first = int(np.searchsorted(fp, fp[0], "right")) - 1  # the last point without a false positive
    ends = slice(first, int(np.searchsorted(tp, tp[-1])) + 1)
    with np.errstate(invalid="ignore"):
        fpr, fnr = fp[ends][::-1] / fp[-1], (tp[-1] - tp[ends])[::-1] / tp[-1]
    return fpr, fnr, thresholds[ends][::-1].astype(np.float64, copy=False)


def metric_at_thresholds(
    y_true: Any,
    y_score: Any,
    metric_func: Callable[..., Any],
    *,
    sample_weight: Any = None,
    metric_params: dict[str, Any] | None = None,
) -> tuple[Array, Array]:
    """A metric of labels at every distinct score as the threshold: positive if score >= threshold."""
    if not callable(metric_func):
        raise InvalidParameter("sklearn.not_a_function", metric_func=metric_func)
    truth = _column(y_true)
    score = flat(numbers(y_score, "y_score"), "y_score")
    rows = same_length(y_true=truth, y_score=score)
    weights, parameters = _weights(sample_weight, rows), dict(metric_params or {})
    if weights is not None:
        mask = weights != 0
        truth, score = truth[mask], score[mask]
        parameters["sample_weight"] = weights[mask]
    thresholds = np.unique(score)[::-1]
    values = [metric_func(truth, (score >= at).astype(np.int32), **parameters) for at in thresholds]
    return np.asarray(values), _as_given(thresholds, y_score)


def _column(y: Any) -> Array:
    """The labels as they are, which only the caller's metric will look at."""
    array = np.asarray(y)
    array = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
    if array.ndim != 1 or not len(array) or (array.dtype.kind == "f" and not np.isfinite(array).all()):
        raise InputError("sklearn.not_one_finite_value")
    return array


def average_precision_score(
    y_true: Any, y_score: Any, *, average: str | None = "macro", pos_label: Any = 1, sample_weight: Any = None
) -> Any:
    """Average precision: the sum of precision times the increase in recall."""
    one_of("average", average, AVERAGES)
    truth = target(y_true, "y_true")
    if not isinstance(truth, Matrix) and len(truth.values) < 3:
        if len(truth.values) == 2 and pos_label not in truth.values:
            raise InputError("sklearn.positive_not_among", pos_label=pos_label, labels=list(truth.values))
        return _precision(_binary(y_true, y_score, pos_label, sample_weight))
    if pos_label != 1:
        raise InputError("sklearn.positive_of_several")
    return _over_columns(_precision, truth, y_score, average, sample_weight)


def _precision(s: ScoreSamples) -> float:
    if s.positives:
        return float(number(of_scores.average_precision.formula(s)))
    warn("sklearn.precision_without_positives", UserWarning)
    return 0.0


def _over_columns(
    measure: Callable[[ScoreSamples], float], truth: Encoded | Matrix, y_score: Any, average: Any, sample_weight: Any
) -> Any:
    score = numbers(y_score, "y_score")
    if isinstance(truth, Matrix) and truth.sparse:
        raise InvalidParameter("sklearn.sparse", name="y_true")
    codes = truth.cells if isinstance(truth, Matrix) else truth.codes
    width = codes.shape[1] if isinstance(truth, Matrix) else len(truth.values)
    if score.shape != (len(codes), width):
        raise InputError("sklearn.score_for_each_class", shape=score.shape, rows=len(codes), classes=width)
    weights = _weights(sample_weight, len(score))
    return of_columns(measure, ClassScores(tuple(range(width)), codes, score, weights), average)


def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: str | None = "macro",
    sample_weight: Any = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
) -> Any:
    """ROC AUC: the probability that a random positive has a higher score than a random negative."""
    one_of("average", average, AVERAGES)
    one_of("multi_class", multi_class, ("raise", "ovr", "ovo"))
    if max_fpr is not None and (not isinstance(max_fpr, Real) or not 0 < max_fpr <= 1):
        raise InvalidParameter("sklearn.not_max_fpr", max_fpr=max_fpr)
    measure = _area(max_fpr)
    truth = target(y_true, "y_true")
    if isinstance(truth, Matrix):
        return _over_columns(measure, truth, y_score, average, sample_weight)
    score = real(y_score, "y_score")
    if not len(truth.codes):
        raise InputError("sklearn.no_rows")
    if len(truth.values) > 2 or (score.ndim == 2 and score.shape[1] > 2):
        if max_fpr is not None and max_fpr != 1:
            raise InputError("sklearn.max_fpr_of_several")
        return _of_many(truth, numbers(score, "y_score"), labels, multi_class, average, sample_weight)
    rows = same_length(y_true=truth.codes, y_score=score)
    weights = _weights(sample_weight, rows)
    return measure(samples(flat(score, "y_score"), truth.codes, len(truth.values) - 1, weights))


def _area(max_fpr: float | None) -> Callable[[ScoreSamples], float]:
    """The area, or its part up to a false positive rate; NaN and a warning when a class has no rows."""
    whole = max_fpr is None or max_fpr == 1
    formula = of_scores.roc_auc.formula if whole else partial(of_scores.partial_auc.metric.function, max_fpr=max_fpr)

    def area(s: ScoreSamples) -> float:
        if s.positives and s.negatives:
            return float(number(formula(s)))
        warn("sklearn.area_of_one_class")
        return float("nan")

    return area


def _of_many(truth: Encoded, score: Array, labels: Any, multi_class: str, average: Any, sample_weight: Any) -> Any:
    """Several classes: each against the rest, or each pair."""
    if multi_class == "raise":
        raise InputError("sklearn.choose_multi_class")
    if score.ndim != 2:
        raise InputError("sklearn.column_for_each_class", name="y_score", shape=score.shape)
    if np.abs(score.sum(1) - 1).max() > 1.001e-5:
        raise InputError("sklearn.rows_not_summing_to_1")
    one_of("average", average, ("macro", "weighted", None, *(("micro",) if multi_class == "ovr" else ())))
    if average is None and multi_class == "ovo":
        raise Unsupported("sklearn.each_of_ovr")
    truth = among(truth, labels, score.shape[1])
    same_length(y_true=truth.codes, y_score=score)
    if multi_class == "ovr":
        return _over_columns(_area(None), truth, score, average, sample_weight)
    if sample_weight is not None:
        raise InputError("sklearn.weights_of_ovr")
    areas, weights = of_classes.pair_areas(ClassScores(truth.values, truth.codes, score, None), average == "weighted")
    return float((weights * np.nan_to_num(areas)).sum() / weights.sum()) if weights.any() else float("nan")
