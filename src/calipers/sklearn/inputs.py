"""scikit-learn's rules for scores, weights and options: what is accepted, and the types of errors."""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from numbers import Real
from typing import Any

import numpy as np

from calipers.data import containers, frames
from calipers.data.containers import Array
from calipers.errors import InputError
from calipers.remarks import Remark, rendered
from calipers.statistics.scores import ScoreSamples
from calipers.statistics.sorting import sorted_samples

_PACKAGE = os.path.dirname(__file__)


class InvalidParameter(InputError, TypeError):
    """An argument of the wrong kind: a ValueError and a TypeError, as in scikit-learn."""


class UndefinedMetricWarning(UserWarning):
    """A metric is undefined for these rows. scikit-learn's class is used instead if it is loaded."""


def warn(code: str, category: type[Warning] | None = None, /, **values: Any) -> None:
    """Warn the line that called the package; an undefined metric when no category is given."""
    if category is None:
        theirs = sys.modules.get("sklearn.exceptions")
        category = UndefinedMetricWarning if theirs is None else theirs.UndefinedMetricWarning
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(rendered(code, values), category, stacklevel=level)


def one_of(name: str, value: Any, allowed: Iterable[Any]) -> None:
    """Raise an error for an argument that is none of these."""
    if not any(value is known or (type(value) is type(known) and value == known) for known in allowed):
        raise InvalidParameter("sklearn.not_one_of", name=name, value=value, allowed=list(map(repr, allowed)))


def flag(name: str, value: Any) -> None:
    """Refuse an argument that is neither true nor false."""
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidParameter("sklearn.not_a_flag", name=name, value=value)


def is_real(value: Any) -> bool:
    """Whether an argument is a number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def positional_for_now(function: Callable[..., Any]) -> Callable[..., Any]:
    """Take keyword-only arguments by position too, with the FutureWarning that scikit-learn gives until its 1.11."""
    names = list(inspect.signature(function).parameters)
    free = function.__code__.co_argcount

    @wraps(function)
    def wrapper(*arguments: Any, **named: Any) -> Any:
        if len(arguments) > free:
            warn("sklearn.pass_by_name", FutureWarning, names=names[free : len(arguments)])
        return function(*arguments[:free], **dict(zip(names[free:], arguments[free:], strict=False)), **named)

    return wrapper


def same_length(**columns: Any) -> int:
    """The number of rows that all of these have; None has none."""
    rows = {name: len(column) for name, column in columns.items() if column is not None}
    if len(set(rows.values())) > 1:
        listed = [Remark("sklearn.column_has", name=name, rows=count) for name, count in rows.items()]
        raise InputError("sklearn.rows_differ", columns=listed)
    return next(iter(rows.values()))


def weigh(sample_weight: Any, rows: int) -> tuple[Array | None, Array | None]:
    """Weights as float64, and unchanged if they are integers."""
    if sample_weight is None:
        return None, None
    if isinstance(sample_weight, Real):
        weights: Array = np.full(rows, sample_weight)
    else:
        listed = isinstance(sample_weight, (list, tuple))
        weights = containers.numbers(np.asarray(sample_weight) if listed else sample_weight, "sample_weight")
    if weights.shape != (rows,):
        raise InputError("sklearn.weight_for_each_row", shape=weights.shape, rows=rows)
    w = np.ascontiguousarray(weights, np.float64)
    if not np.isfinite(w).all():
        raise InputError("sklearn.not_finite", name="sample_weight")
    if not w.any():
        raise InputError("sklearn.no_weight")
    return w, weights if weights.dtype.kind in "iub" else None


def labels_of(value: Any, name: str = "labels") -> list[Any]:
    """The labels of an argument, as Python values."""
    array = np.asarray(value)
    if array.ndim != 1:
        raise InputError("sklearn.not_a_list_of_labels", name=name, shape=array.shape)
    labels: list[Any] = array.tolist()
    return labels


def numbers(y: Any, name: str) -> Array:
    """Finite scores as float32 or float64, one number per row or a matrix."""
    a = real(y, name)
    # If a value is not finite, neither is the sum; but a sum can also overflow.
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite(a.sum()) and not np.isfinite(a).all():
            raise InputError("sklearn.not_finite", name=name)
    return a


def real(y: Any, name: str) -> Array:
    """Scores as float32 or float64, of which NaN and infinity are still to be refused."""
    if hasattr(y, "tocsr"):
        raise InvalidParameter("sklearn.sparse", name=name)
    if isinstance(y, str) or not (isinstance(y, Sequence) or hasattr(y, "__array__") or hasattr(y, "__dlpack__")):
        if not frames.is_frame(y):
            raise InvalidParameter("sklearn.not_an_array", name=name, kind=type(y).__name__)
        y = np.asarray(y)
    a = containers.numbers(y, name)
    if a.ndim not in (1, 2):
        raise InputError("sklearn.many_dimensions", name=name, count=a.ndim)
    return a if a.dtype.kind == "f" else a.astype(np.float64)


def flat(a: Array, name: str) -> Array:
    """One number per row; a matrix of one column is accepted."""
    if a.ndim == 2 and a.shape[1] == 1:
        a = a[:, 0]
    if a.ndim != 1:
        raise InputError("sklearn.not_a_column", name=name, shape=a.shape)
    return a


def positive_of(pos_label: Any, values: tuple[Any, ...]) -> Any:
    """The positive label: the one named, or 1 where that is obvious."""
    if pos_label is not None:
        return pos_label
    if values not in ((0, 1), (-1, 1), (0,), (-1,), (1,)):
        raise InputError("sklearn.which_is_positive", labels=list(map(repr, values[:10])))
    return 1


def samples(scores: Array, codes: Array, positive: int, weights: Array | None, name: str = "y_score") -> ScoreSamples:
    """The two sorted samples; NaN and infinity are found by the sort."""
    got = sorted_samples(scores, codes, positive, weights)
    if got.nans or not (got.low > -np.inf and got.high < np.inf):
        raise InputError("sklearn.not_finite", name=name)
    return ScoreSamples(got.pos, got.neg, got.pos_weights, got.neg_weights, groups=got.groups)
