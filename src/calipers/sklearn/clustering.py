"""Clusters against classes, under scikit-learn's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.data import containers, labels
from calipers.data.containers import Array
from calipers.data.labels import Encoded
from calipers.errors import InputError
from calipers.metrics.base import CATALOGUE
from calipers.metrics.clustering import MEANS
from calipers.metrics.overlaps import Overlaps
from calipers.sklearn.inputs import InvalidParameter, is_real, one_of, same_length, warn
from calipers.statistics.contingency import Contingency


def encoded(column: Any, name: str) -> Encoded:
    """One label per row; numbers with a fraction are labels too, with a warning."""
    if type(column) is np.ndarray and column.ndim == 1 and column.dtype.kind in "iubU":
        return labels.encode(column, name)
    if isinstance(column, str) or not hasattr(column, "__len__"):
        raise InvalidParameter("sklearn.not_an_array", name=name, kind=type(column).__name__)
    array = np.asarray(column)
    if array.ndim != 1:
        raise InputError("sklearn.not_labels", name=name, shape=array.shape)
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise InputError("sklearn.not_finite", name=name)
        if (array != np.floor(array)).any():
            warn("sklearn.continuous_clusters", UserWarning, name=name)
            array = np.unique(array, return_inverse=True)[1]
    elif array.dtype.kind == "O":
        try:
            return labels.encode(column, name)
        except InputError:
            array = np.unique(array.astype(str), return_inverse=True)[1]
    return labels.encode(containers.source(array, name), name)


def _table(labels_true: Any, labels_pred: Any) -> Contingency:
    truth, pred = encoded(labels_true, "labels_true"), encoded(labels_pred, "labels_pred")
    same_length(labels_true=truth.codes, labels_pred=pred.codes)
    for each, name in ((truth, "labels_true"), (pred, "labels_pred")):
        if each.missing:
            raise InputError("sklearn.missing_labels", name=name, count=each.missing, row=each.first_missing)
    return Contingency.of_codes(truth.values, pred.values, truth.codes, pred.codes)


def _agreement(name: str, labels_true: Any, labels_pred: Any, empty: float = 1.0) -> float:
    """A metric of the catalogue; where it is undefined, what scikit-learn has for it."""
    table = _table(labels_true, labels_pred)
    if not len(table.cells):
        return empty
    with np.errstate(all="ignore"):
        value = float(CATALOGUE[name].formula(Overlaps.of(table)))
    return empty if value != value else value


def _mean(average_method: Any) -> str:
    one_of("average_method", average_method, sorted(MEANS))
    return f"(mean={average_method})"


def _beta(beta: Any) -> float:
    if not is_real(beta) or not beta >= 0:
        raise InvalidParameter("sklearn.not_a_beta", value=beta)
    return float(beta)


def pair_confusion_matrix(labels_true: Any, labels_pred: Any) -> Array:
    """Ordered pairs of rows by whether the classes and the clusters put them together."""
    table = _table(labels_true, labels_pred)
    rows, squares = int(table.cells.sum()), int((table.cells**2).sum())
    classes, clusters = (
        int((np.bincount(codes, table.cells).astype(np.int64) ** 2).sum()) if rows else 0
        for codes in (table.rows_of, table.columns_of)
    )
    together = [[rows**2 - classes - clusters + squares, clusters - squares], [classes - squares, squares - rows]]
    return np.array(together, np.int64)


def rand_score(labels_true: Any, labels_pred: Any) -> float:
    """Share of pairs of rows on which classes and clusters agree."""
    return _agreement("rand", labels_true, labels_pred)


def adjusted_rand_score(labels_true: Any, labels_pred: Any) -> float:
    """Rand index corrected for chance."""
    return _agreement("adjusted_rand", labels_true, labels_pred)


def homogeneity_completeness_v_measure(
    labels_true: Any, labels_pred: Any, *, beta: float = 1.0
) -> tuple[float, float, float]:
    """Homogeneity, completeness and their weighted harmonic mean."""
    beta, table = _beta(beta), _table(labels_true, labels_pred)
    if not len(table.cells):
        return 1.0, 1.0, 1.0
    seen = Overlaps.of(table)
    names = ("homogeneity", "completeness", "v_measure")
    pure, whole, both = (CATALOGUE[name].metric.function for name in names)
    return float(pure(seen)), float(whole(seen)), float(both(seen, beta=beta))


def homogeneity_score(labels_true: Any, labels_pred: Any) -> float:
    """Whether each cluster has rows of one class only."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred)[0]


def completeness_score(labels_true: Any, labels_pred: Any) -> float:
    """Whether all rows of a class are in one cluster."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred)[1]


def v_measure_score(labels_true: Any, labels_pred: Any, *, beta: float = 1.0) -> float:
    """Weighted harmonic mean of homogeneity and completeness."""
    return homogeneity_completeness_v_measure(labels_true, labels_pred, beta=beta)[2]


def mutual_info_score(labels_true: Any, labels_pred: Any, *, contingency: Any = None) -> float:
    """Mutual information of classes and clusters, in nats."""
    if contingency is None:
        return _agreement("mutual_information", labels_true, labels_pred, 0.0)
    dense = np.asarray(contingency.toarray() if hasattr(contingency, "toarray") else contingency)
    if dense.ndim != 2 or dense.dtype.kind not in "iuf":
        raise InputError("sklearn.not_a_contingency", shape=dense.shape)
    down, across = np.nonzero(dense)
    if not len(down):
        return 0.0
    table = Contingency(tuple(range(dense.shape[0])), tuple(range(dense.shape[1])), down, across, dense[down, across])
    return float(Overlaps.of(table).information)


def normalized_mutual_info_score(labels_true: Any, labels_pred: Any, *, average_method: str = "arithmetic") -> float:
    """Mutual information as a share of the mean entropy."""
    return _agreement(f"normalised_mutual_information{_mean(average_method)}", labels_true, labels_pred)


def adjusted_mutual_info_score(labels_true: Any, labels_pred: Any, *, average_method: str = "arithmetic") -> float:
    """Mutual information corrected for chance."""
    return _agreement(f"adjusted_mutual_information{_mean(average_method)}", labels_true, labels_pred)


def fowlkes_mallows_score(labels_true: Any, labels_pred: Any) -> float:
    """Geometric mean of the precision and the recall of pairs."""
    return _agreement("fowlkes_mallows", labels_true, labels_pred, 0.0)


def consensus_score(a: Any, b: Any, *, similarity: Any = "jaccard") -> float:
    """Similarity of two sets of biclusters, matched as well as possible."""
    from scipy.optimize import linear_sum_assignment

    if not (isinstance(a, tuple) and isinstance(b, tuple)):
        raise InvalidParameter("sklearn.not_biclusters")
    if not callable(similarity):
        one_of("similarity", similarity, ["jaccard"])
    alike = _jaccard if similarity == "jaccard" else similarity
    (a_rows, a_columns), (b_rows, b_columns) = (_indicators(each) for each in (a, b))
    pairs = [[alike(*one, *other) for other in zip(b_rows, b_columns, strict=True)]
             for one in zip(a_rows, a_columns, strict=True)]  # fmt: skip
    matrix = np.array(pairs)
    where = linear_sum_assignment(1.0 - matrix)
    return float(matrix[where].sum() / max(len(a[0]), len(b[0])))


def _indicators(pair: Any) -> tuple[Array, Array]:
    rows, columns = (np.atleast_2d(np.asarray(part)) for part in pair)
    same_length(rows=rows, columns=columns)
    return rows, columns


def _jaccard(a_rows: Array, a_columns: Array, b_rows: Array, b_columns: Array) -> float:
    """The cells that both have over the cells that either has."""
    both = (a_rows * b_rows).sum() * (a_columns * b_columns).sum()
    sizes = a_rows.sum() * a_columns.sum() + b_rows.sum() * b_columns.sum()
    return float(both / (sizes - both))
