"""Discounted gains of ranked columns, one query per row, under scikit-learn's names."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np

from calipers import _native
from calipers.data.containers import Array
from calipers.errors import InputError
from calipers.sklearn.averaging import mean
from calipers.sklearn.inputs import InvalidParameter, flag, is_real, numbers, weigh


def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: Any = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """Discounted cumulative gain of the columns of each row by descending score, averaged over rows."""
    if not is_real(log_base) or not log_base > 0:
        raise InvalidParameter("sklearn.not_above_0", name="log_base", value=log_base)
    truth, score = _tables(y_true, y_score, k, ignore_ties)
    gains = _measured("dcg", truth, score, k, ignore_ties) * math.log2(log_base)
    return mean(gains, weigh(sample_weight, len(truth))[0])


def ndcg_score(
    y_true: Any, y_score: Any, *, k: Any = None, sample_weight: Any = None, ignore_ties: bool = False
) -> float:
    """Discounted cumulative gain of each row divided by that of the ideal order, averaged over rows."""
    truth, score = _tables(y_true, y_score, k, ignore_ties)
    if truth.min() < 0:
        raise InputError("sklearn.negative_gains")
    return mean(_measured("ndcg", truth, score, k, ignore_ties), weigh(sample_weight, len(truth))[0])


def _tables(y_true: Any, y_score: Any, k: Any, ignore_ties: bool) -> tuple[Array, Array]:
    flag("ignore_ties", ignore_ties)
    if k is not None and (not isinstance(k, Integral) or isinstance(k, bool) or k < 1):
        raise InvalidParameter("sklearn.not_k_or_none", k=k)
    truth, score = numbers(y_true, "y_true"), numbers(y_score, "y_score")
    if truth.ndim != 2 or truth.shape[1] < 2:
        raise InputError("sklearn.row_for_each_query", shape=truth.shape)
    if truth.shape != score.shape or not len(truth):
        raise InputError("sklearn.shapes_differ_or_empty", shape=truth.shape, other=score.shape)
    return truth.astype(np.float64, copy=False), score


def _measured(name: str, truth: Array, score: Array, k: Any, ignore_ties: bool) -> Array:
    rows, width = truth.shape
    starts = np.arange(rows + 1, dtype=np.int64) * width
    tied = None
    if ignore_ties:  # their order is NumPy's, as in scikit-learn
        gains = np.take_along_axis(truth, np.argsort(score)[:, ::-1], 1).ravel()
    else:
        queries = np.repeat(np.arange(rows, dtype=np.uint32), width)
        scores, grades = (np.ascontiguousarray(x, np.float64).ravel() for x in (score, truth))
        _, gains, tied, *_ = _native.rank_rows(queries, rows, scores, None, False, grades, None)
    step = (name, math.inf if k is None else float(k), 1.0, 0.0)
    pool = np.ascontiguousarray(truth).ravel()
    values, _ = _native.rank_measures(starts, np.ascontiguousarray(gains), tied, starts, pool, [step], False)
    return np.asarray(values[:, 0])
