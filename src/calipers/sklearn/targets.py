"""scikit-learn's rules for targets: one label per row, or a matrix of labels; everything else raises an error here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from calipers import _native
from calipers.data import containers, labels
from calipers.data.containers import Array
from calipers.data.labels import Encoded
from calipers.errors import InputError
from calipers.sklearn.inputs import InvalidParameter, labels_of, same_length, weigh
from calipers.statistics.confusion import ConfusionCounts, OneVsRest
from calipers.tasks import BINARY, MULTICLASS, MULTILABEL, Task

_TABLE_CELLS = 1 << 20  # a confusion matrix up to this size is the fastest way to count


class Matrix(NamedTuple):
    """Rows that carry any number of labels, as booleans or as a sparse matrix by rows."""

    cells: Any

    @property
    def sparse(self) -> bool:
        """Whether only the ones are held."""
        return not isinstance(self.cells, np.ndarray)

    def dense(self) -> Array:
        """All cells."""
        cells: Array = self.cells.toarray().astype(bool) if self.sparse else self.cells
        return cells


def target(y: Any, name: str) -> Encoded | Matrix:
    """A column of class labels, or a matrix of labels; what scikit-learn calls continuous or unknown is an error."""
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "iubU":
        return labels.encode(y, name)
    if hasattr(y, "tocsr"):
        return _sparse(y, name)
    if isinstance(y, str) or not (isinstance(y, Sequence) or hasattr(y, "__array__") or hasattr(y, "__dlpack__")):
        raise InvalidParameter("sklearn.not_an_array", name=name, kind=type(y).__name__)
    data: Any = containers.source(y, name)
    if type(data) in (list, tuple):
        if data and isinstance(data[0], str):
            return _encoded(data, name)
        data = _rectangular(data, name)
    if isinstance(data, np.ndarray):
        return _array(data, name)
    return _encoded(data, name)


def _rectangular(rows: Sequence[Any], name: str) -> Array:
    try:
        return np.asarray(rows)
    except ValueError:
        raise InputError("sklearn.lengths_differ", name=name) from None


def _encoded(column: Any, name: str) -> Encoded:
    encoded = labels.encode(column, name)
    if encoded.missing:
        raise InputError("sklearn.missing_labels", name=name, count=encoded.missing, row=encoded.first_missing)
    return encoded


def _array(a: Array, name: str) -> Encoded | Matrix:
    if a.ndim == 2 and a.shape[1] == 1:
        a = a[:, 0]
    if a.ndim == 2 and a.shape[1] and a.dtype.kind in "iubf":
        return Matrix(_zero_one(a, name))
    if a.ndim != 1:
        raise InputError("sklearn.not_labels", name=name, shape=a.shape)
    kind = a.dtype.kind
    if kind == "S" or (kind == "O" and len(a) and isinstance(a[0], bytes)):
        raise InvalidParameter("sklearn.bytes", name=name)
    if kind == "O" and len(a) and not isinstance(a[0], str):
        raise InvalidParameter("sklearn.objects", name=name, kind=type(a[0]).__name__)
    if kind == "f":
        if not np.isfinite(a).all():
            raise InputError("sklearn.not_finite", name=name)
        encoded = labels.encode(a, name)
        values: tuple[Any, ...] = tuple(map(float, encoded.values))
        return encoded._replace(values=values)
    return _encoded(a, name)


def _zero_one(a: Array, name: str) -> Array:
    """The matrix as booleans, where it holds two whole values at most."""
    if a.dtype.kind == "b":
        return a
    marked, odd = _native.marks(containers.numbers(a, name))
    if odd and (not np.isfinite(a).all() or len(np.unique(a)) > 2 or (np.mod(a, 1) != 0).any()):
        raise InputError("sklearn.not_marks", name=name)
    return marked


def _sparse(y: Any, name: str) -> Matrix:
    if y.ndim != 2 or y.shape[1] < 2:
        raise InvalidParameter("sklearn.sparse_column", name=name)
    y = y.tocsr()
    if not y.has_canonical_format or not y.data.all():
        y = y.copy()
        y.sum_duplicates()
        y.eliminate_zeros()
    if len(np.unique(y.data)) > 1 or (np.mod(y.data, 1) != 0).any():
        raise InputError("sklearn.not_sparse_marks", name=name)
    return Matrix(y)


@dataclass(slots=True)
class Targets:
    """Truth and prediction of the same rows: codes into `values`, or two matrices of labels."""

    task: Task
    values: tuple[Any, ...]
    truth: Any
    pred: Any
    rows: int
    weights: Array | None
    whole: Array | None  # the original weights, if they are integers

    @property
    def kind(self) -> str:
        """What scikit-learn calls the type of such targets."""
        return "multilabel-indicator" if self.task.label_sets else self.task.name

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.rows if self.weights is None else self.weights.sum())

    def hits(self) -> float:
        """The weight of the rows whose prediction is right, to the last label."""
        if self.task.label_sets:
            _, fp, fn, _ = self._row_counts()
            right = fp + fn == 0
        else:
            right = self.truth == self.pred
        return float(np.count_nonzero(right) if self.weights is None else right @ self.weights)

    def of_classes(self) -> OneVsRest:
        """The four counts of each class, or label."""
        k, w = len(self.values), self.weights
        if self.task.label_sets:
            if _is_sparse(self.truth):
                return self._sparse_counts(0)
            return OneVsRest(*_native.label_counts(self.truth, self.pred, w).astype(np.float64, copy=False))
        if k * k <= _TABLE_CELLS:
            return ConfusionCounts(self.values, _native.confusion(self.truth, self.pred, k, w), None, 0).one_vs_rest
        right = self.truth == self.pred
        tp = _native.bincount(self.truth[right], k, None if w is None else w[right])
        true, predicted = _native.bincount(self.truth, k, w), _native.bincount(self.pred, k, w)
        return _from_sums(tp.astype(np.float64), predicted, true, self.total)

    def of_rows(self) -> OneVsRest:
        """The four counts of each row over its labels."""
        tp, fp, fn, tn = (x.astype(np.float64, copy=False) for x in self._row_counts())
        return OneVsRest(tp, fp, fn, tn)

    def _row_counts(self) -> Any:
        sparse = _is_sparse(self.truth)
        return self._sparse_counts(1).counts if sparse else _native.row_counts(self.truth, self.pred)

    def _sparse_counts(self, axis: int) -> OneVsRest:
        k, w = len(self.values), self.weights
        sums: list[Array] = []
        for m in (self.truth.multiply(self.pred).tocsr(), self.pred, self.truth):
            by_row = np.diff(m.indptr)
            cells = None if w is None or axis == 1 else np.repeat(w, by_row)
            sums.append((by_row if axis == 1 else np.bincount(m.indices, cells, k)).astype(np.float64))
        tp, predicted, true = sums
        return _from_sums(tp, predicted, true, self.total if axis == 0 else float(k))


def targets(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Targets:
    """Truth and prediction of the same rows, and their weights."""
    truth, pred = target(y_true, "y_true"), target(y_pred, "y_pred")
    if isinstance(truth, Matrix) and isinstance(pred, Matrix):
        task, values, true, predicted = _matrices(truth, pred)
    elif isinstance(truth, Matrix) or isinstance(pred, Matrix):
        raise InputError("sklearn.column_and_matrix")
    else:
        task, values, true, predicted = _columns(truth, pred)
    rows = int(true.shape[0])
    if not rows:
        raise InputError("sklearn.no_rows_in_both")
    return Targets(task, values, true, predicted, rows, *weigh(sample_weight, rows))


def _columns(truth: Encoded, pred: Encoded) -> tuple[Task, tuple[Any, ...], Array, Array]:
    same_length(y_true=truth.codes, y_pred=pred.codes)
    values = truth.values if truth.values == pred.values else union(truth.values, pred.values)
    true, predicted = labels.recode(truth, values), labels.recode(pred, values)
    return BINARY if len(values) < 3 else MULTICLASS, values, true, predicted


def _matrices(truth: Matrix, pred: Matrix) -> tuple[Task, tuple[Any, ...], Any, Any]:
    if truth.cells.shape != pred.cells.shape:
        raise InputError("sklearn.shapes_differ", shape=truth.cells.shape, name="y_pred", other=pred.cells.shape)
    sparse = truth.sparse and pred.sparse
    true, predicted = (truth.cells, pred.cells) if sparse else (truth.dense(), pred.dense())
    return MULTILABEL, tuple(range(truth.cells.shape[1])), true, predicted


def _is_sparse(matrix: Any) -> bool:
    return not isinstance(matrix, np.ndarray)


def _from_sums(tp: Array, predicted: Array, true: Array, total: float) -> OneVsRest:
    return OneVsRest(tp, predicted - tp, true - tp, total - predicted - true + tp)


def union(*values: Sequence[Any]) -> tuple[Any, ...]:
    """All labels, sorted; text beside numbers is an error."""
    merged = set().union(*values)
    if len({isinstance(value, str) for value in merged}) > 1:
        raise InputError("sklearn.text_and_numbers")
    ordered: list[Any] = sorted(merged)
    kinds = {type(value) for value in ordered}
    if len(kinds) > 1:  # of one type, as an array would have them: booleans beside integers are integers
        ordered = [float(value) if float in kinds else int(value) for value in ordered]
    return tuple(ordered)


def among(truth: Encoded, named: Any, width: int) -> Encoded:
    """The truth as codes into the columns of a score matrix: the sorted labels, or those that are named."""
    values = truth.values
    if named is not None:
        values = tuple(labels_of(named))
        if len(set(values)) != len(values) or list(values) != sorted(values):
            raise InputError("sklearn.labels_not_sorted", labels=list(values))
        if not set(truth.values) <= set(values):
            raise InputError("sklearn.labels_lack", labels=list(values))
    if len(values) != width:
        code = "sklearn.columns_of_truth" if named is None else "sklearn.columns_of_labels"
        raise InputError(code, width=width, classes=len(values))
    return Encoded(labels.recode(truth, values), values, 0, -1)
