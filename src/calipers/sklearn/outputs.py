"""True and predicted numbers of one or several outputs, and averages over outputs, as scikit-learn takes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calipers import _native
from calipers.data.containers import Array
from calipers.errors import InputError
from calipers.sklearn.inputs import InvalidParameter, numbers, one_of, same_length, weigh
from calipers.statistics.moments import JointMoments
from calipers.statistics.rows import Rows

AVERAGES = ("raw_values", "uniform_average")
Outputs = str | Array | None


@dataclass(frozen=True, eq=False)
class Numbers:
    """Columns of true and predicted numbers, weights, and how the outputs are averaged."""

    truth: list[Array]
    predicted: list[Array]
    weights: Array | None
    multioutput: Outputs

    @property
    def rows(self) -> int:
        """How many."""
        return len(self.truth[0])

    def means(self, kind: str, parameter: float = 0.0) -> list[float]:
        """The mean loss of each output."""
        moments = (_native.regression(y, p, self.weights, [(kind, parameter)], False)[2][0] for y, p in self)
        return [each[3] for each in moments]

    def joint(self) -> list[JointMoments]:
        """The joint moments of truth and error of each output."""
        return [JointMoments.of_kernel(_native.regression(y, p, self.weights, [], True)[0]) for y, p in self]

    def rows_by_output(self) -> list[Rows]:
        """The rows of each output; those of weight 0 are none."""
        if self.weights is None:
            return [Rows(y, p, None) for y, p in self]
        mask = self.weights != 0
        return [Rows(y[mask], p[mask], self.weights[mask]) for y, p in self]

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        return zip(self.truth, self.predicted, strict=True)


def read(
    y_true: Any,
    y_pred: Any,
    sample_weight: Any,
    multioutput: Any,
    also: Sequence[Any] = (),
    alone: bool = False,
) -> Numbers:
    """Columns or matrices, as scikit-learn takes them; `alone`: weights of outputs are taken for one output too."""
    if isinstance(multioutput, str) or multioutput is None:
        one_of("multioutput", multioutput, (*AVERAGES, *also))
    same_length(y_true=_sized(y_true, "y_true"), y_pred=_sized(y_pred, "y_pred"))
    truth, predicted = (numbers(y, name) for y, name in ((y_true, "y_true"), (y_pred, "y_pred")))
    if not len(truth):
        raise InputError("sklearn.empty")
    columns = [[y] if y.ndim == 1 else list(y.T) for y in (truth, predicted)]
    if len(columns[0]) != len(columns[1]):
        raise InputError("sklearn.columns_differ", truth=len(columns[0]), predicted=len(columns[1]))
    weights = weigh(sample_weight, len(truth))[0]
    if multioutput is not None and not isinstance(multioutput, str):
        multioutput = np.asarray(multioutput, np.float64)
        if len(columns[0]) == 1 and not alone:
            raise InputError("sklearn.weights_of_one_output")
        if multioutput.shape != (len(columns[0]),):
            raise InputError("sklearn.weights_of_outputs", shape=multioutput.shape, outputs=len(columns[0]))
    return Numbers(columns[0], columns[1], weights, multioutput)


def _sized(y: Any, name: str) -> Any:
    if isinstance(y, str) or not hasattr(y, "__len__") or (hasattr(y, "shape") and not len(y.shape)):
        raise InvalidParameter("sklearn.not_an_array", name=name, kind=type(y).__name__)
    if hasattr(y, "tocsr"):
        raise InvalidParameter("sklearn.sparse", name=name)
    return y


def averaged(values: Any, multioutput: Outputs) -> Any:
    """One number, or one for each output where `multioutput` is "raw_values"."""
    if isinstance(multioutput, str) and multioutput == "raw_values":
        return np.array(values)
    weights = multioutput if isinstance(multioutput, np.ndarray) else None
    return float(values[0]) if len(values) == 1 else float(np.average(values, weights=weights))
