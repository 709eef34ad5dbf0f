"""How well scores rank the true labels of a row above the others, under scikit-learn's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from calipers import _native
from calipers.data.containers import Array
from calipers.data.labels import Encoded
from calipers.errors import InputError
from calipers.sklearn.averaging import mean
from calipers.sklearn.inputs import InvalidParameter, numbers, weigh
from calipers.sklearn.targets import Matrix, target


def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """How many of the ranked labels are needed, on average, to include all true labels."""
    return _mean(_native.coverage, y_true, y_score, sample_weight, sparse=False)


def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Ranking loss: the average fraction of (true, false) label pairs of a row in the wrong order or tied."""
    return _mean(lambda *rows: _native.label_ranking(*rows)[0], y_true, y_score, sample_weight)


def label_ranking_average_precision_score(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """Label ranking average precision: for each true label, the fraction of true labels among those ranked as high."""
    return _mean(lambda *rows: _native.label_ranking(*rows)[1], y_true, y_score, sample_weight, one_label=True)


def _mean(
    measure: Callable[[Array, Array], Array],
    y_true: Any,
    y_score: Any,
    sample_weight: Any,
    sparse: bool = True,
    one_label: bool = False,
) -> float:
    """The mean over rows of a measure of their true labels and scores; some functions take a sparse truth."""
    score, truth = numbers(y_score, "y_score"), target(y_true, "y_true")
    if one_label and isinstance(truth, Encoded) and score.ndim == 2 and np.ndim(y_true) == 2:
        truth = Matrix((truth.codes == 1)[:, None])  # one column: every row is perfect
    if not isinstance(truth, Matrix):
        raise InputError("sklearn.not_a_matrix_of_labels")
    if truth.sparse and not sparse:
        raise InvalidParameter("sklearn.sparse", name="y_true")
    cells = truth.dense()
    if cells.shape != score.shape:
        raise InputError("sklearn.shapes_differ", shape=cells.shape, name="y_score", other=score.shape)
    return mean(measure(cells, score), weigh(sample_weight, len(score))[0])
