"""Precision, recall, F and Jaccard of classes, with scikit-learn's averages and `zero_division`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from calipers.data.containers import Array
from calipers.metrics import counts as of_counts
from calipers.metrics.base import Measure
from calipers.sklearn import averaging
from calipers.sklearn.averaging import Formula, each, formula_of, instead_of_nan
from calipers.sklearn.inputs import InvalidParameter, is_real
from calipers.sklearn.targets import Targets, targets
from calipers.statistics.confusion import OneVsRest

WARNINGS = ("precision", "recall", "f-score")


def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = None,
    warn_for: Any = WARNINGS,
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall and F-beta of each class, or averaged, and how many rows each class has."""
    instead_of_nan(zero_division)
    t = targets(y_true, y_pred, sample_weight)
    c = averaging.counts(t, averaging.picked(t, labels, pos_label, average), average)
    values = three(c.pooled() if average == "micro" else c, beta, warn_for, zero_division)
    precision, recall, f = (averaging.averaged(value, c, t, average) for value in values)
    return precision, recall, f, support(t, c) if average is None else None


def support(t: Targets, c: OneVsRest) -> Array:
    """How many rows each class has; integers when no weights were given."""
    true = c.tp + c.fn
    return true.astype(np.int64) if t.weights is None else true


def three(c: OneVsRest, beta: float = 1.0, warn_for: Any = WARNINGS, zero_division: Any = "warn") -> list[Any]:
    """Precision, recall and F-beta of the counts."""
    instead, may_warn = instead_of_nan(zero_division), isinstance(zero_division, str)
    formulas = (of_counts.precision.formula, of_counts.recall.formula, f_beta(beta))
    codes = (_UNDEFINED[name] if may_warn and name in warn_for else "" for name in WARNINGS)
    return each(c, instead, *zip(formulas, codes, strict=True))


def f_beta(beta: Any) -> Formula:
    """The formula of F-beta; without weight on recall it is precision, with all of it recall."""
    if not is_real(beta) or not beta >= 0:
        raise InvalidParameter("sklearn.not_0_or_more", name="beta", value=beta)
    if beta == 0:
        return of_counts.precision.formula
    return of_counts.recall.formula if beta == np.inf else formula_of(of_counts.fbeta, beta=float(beta))


_UNDEFINED = {
    "precision": "sklearn.undefined_precision",
    "recall": "sklearn.undefined_recall",
    "f-score": "sklearn.undefined_fscore",
    "jaccard": "sklearn.undefined_jaccard",
}


def _score(name: str, measure: Measure, kind: str, nan: bool = True) -> Callable[..., Any]:
    """One metric of counts with scikit-learn's averages: a line of the table below."""

    def score(
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        pos_label: Any = 1,
        average: str | None = "binary",
        sample_weight: Any = None,
        zero_division: Any = "warn",
    ) -> Any:
        options = (labels, pos_label, average, sample_weight, zero_division)
        return _one(measure.formula, kind, nan, y_true, y_pred, *options)

    score.__name__ = score.__qualname__ = name
    score.__doc__ = measure.metric.summary
    return score


def _one(
    formula: Formula,
    kind: str,
    nan: bool,
    y_true: Any,
    y_pred: Any,
    labels: Any,
    pos_label: Any,
    average: str | None,
    sample_weight: Any,
    zero_division: Any,
) -> Any:
    instead = instead_of_nan(zero_division, nan)
    t = targets(y_true, y_pred, sample_weight)
    c = averaging.counts(t, averaging.picked(t, labels, pos_label, average), average)
    code = _UNDEFINED[kind] if kind and isinstance(zero_division, str) else ""
    (values,) = each(c.pooled() if average == "micro" else c, instead, (formula, code))
    return averaging.averaged(values, c, t, average)


precision_score = _score("precision_score", of_counts.precision, "precision")
recall_score = _score("recall_score", of_counts.recall, "recall")
f1_score = _score("f1_score", of_counts.f1, "f-score")
jaccard_score = _score("jaccard_score", of_counts.jaccard, "jaccard", nan=False)


def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float,
    labels: Any = None,
    pos_label: Any = 1,
    average: str | None = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """F-beta: the weighted harmonic mean of precision and recall, with weight beta squared on recall."""
    formula, kind = f_beta(beta), "f-score" if 0 < beta < np.inf else ""
    return _one(formula, kind, True, y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)
