"""True and predicted numbers: what makes rows regression, and how they are read."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.data import containers, frames, side_columns
from calipers.data.batch import MEANS, Batch
from calipers.data.labels import Column, encode, union
from calipers.data.schema import NAMES, Names, found
from calipers.errors import InputError
from calipers.remarks import Remark
from calipers.settings import Settings

Array = npt.NDArray[Any]
MANY = 20  # whole numbers with more distinct values than this beside fractions are measurements, not classes
GUESSED = Remark("data.guessed_numbers")


def are(
    q: Settings, truth: Any, second: Any, score: Any, encoded: Column | None = None, *, of_classes: bool = False
) -> bool:
    """Whether rows are numbers predicted for numbers: requested, or a truth of floats that are not class labels.

    Whole numbers are measurements if more than 20 of them occur together with predictions that are not whole. Where
    metrics of classes were asked for (`of_classes`), rows are not numbers unless task= says so. `encoded` gives the
    labels of the truth, which the caller may need too.

    >>> are(Settings(), [1.5, 2.0], [1.0, 2.5], None), are(Settings(), [0, 1, 1], [0.2, 0.7, 0.4], None)
    (True, False)
    """
    if q.task is not None:
        return q.facts.of_numbers
    if of_classes:
        return False
    predicted = second if second is not None else score
    with_classes = any(x is not None for x in (q.labels, q.positive, q.threshold))
    if with_classes or (second is not None and score is not None):
        return False
    if _whole(truth) and (_whole(predicted) or (truth.ndim == 1 and _few(truth, encoded))):
        return False
    true = _as_numbers(truth)
    if true is None or true.dtype.kind not in "fiu":
        return False
    if _fractions(true) or _beyond_labels(true):
        return true.ndim == 1 or not np.isin(true, (0, 1)).all()
    guess = _as_numbers(predicted)
    if true.ndim == 2:
        fits = guess is not None and guess.shape == true.shape and _fractions(guess)
        return fits and not np.isin(true, (0, 1)).all()
    if guess is None or guess.ndim != 1 or guess.dtype.kind != "f" or not _fractions(guess):
        return False
    return not _few(true)


def _whole(x: Any) -> bool:
    return type(x) is np.ndarray and x.dtype.kind in "iub"


def _few(x: Array, encoded: Column | None = None) -> bool:
    """Whether no more than 20 values occur: as the first rows say, or else all of them."""
    if x.dtype.kind == "f":
        return bool(x.size and x.min() >= 0 and x.max() < MANY) or len(np.unique(x[np.isfinite(x)])) <= MANY
    if x.dtype.kind == "b":
        return True
    x = x.ravel()
    head = x[:4096]
    unsigned = head.view(f"{x.dtype.byteorder}u{x.itemsize}")  # negative numbers become large ones
    narrow = head.size > 0 and np.maximum.reduce(unsigned) < MANY
    if not narrow and len(np.unique(head)) > MANY:
        return False
    if len(head) == len(x):
        return True
    return len((encode(x, "y_true") if encoded is None else encoded()).values) <= MANY


def _fractions(x: Array) -> bool:
    """Whether a number is finite and not whole."""
    if x.dtype.kind != "f":
        return False
    head = x.ravel()[:16]
    return bool((np.floor(head) < head).any() or (np.floor(x) < x).any())


def _beyond_labels(x: Array) -> bool:
    """Whether a number is finite and larger than any integer label."""
    return bool(x.dtype.kind == "f" and x.size and np.abs(x[np.isfinite(x)]).max(initial=0.0) >= 2.0**63)


def _as_numbers(x: Any) -> Array | None:
    """Numbers, or None where there is text or anything else."""
    if isinstance(x, containers.Text) or x is None:
        return None
    if isinstance(x, (list, tuple)):
        flat = x[0] if len(x) and isinstance(x[0], (list, tuple)) else x
        if not all(v is None or (isinstance(v, (int, float, np.number)) and not isinstance(v, bool)) for v in flat):
            return None
    elif getattr(getattr(x, "dtype", None), "kind", None) in ("O", "U", "S", "T", "b"):
        return None
    try:
        return containers.numbers(x, "y_true")
    except (InputError, TypeError, ValueError):
        return None


def read(q: Settings, truth: Any, second: Any, score: Any, names: Names = NAMES) -> Batch:
    """The batch of true and predicted numbers; predictions may be given as y_pred or as score=."""
    for name in ("positive", "labels", "threshold"):
        if getattr(q, name) is not None:
            raise InputError("data.of_classes", name=name, truth=names.truth)
    if second is not None and score is not None:
        raise InputError("data.two_predictions", pred=names.pred)
    prediction, name = (second, names.pred) if second is not None else (score, names.score)
    true, predicted = _column(truth, names.truth), _column(prediction, name)
    side_columns.same_length(len(true), len(predicted), name, names.truth)
    if true.shape != predicted.shape:
        shapes = {"shape": true.shape, "other": predicted.shape}
        raise InputError("data.shapes_differ", truth=names.truth, name=name, **shapes)
    outputs = _names(truth, true)
    if true.ndim == 2 and true.shape[1] == 1:
        true, predicted, outputs = true[:, 0], predicted[:, 0], ()
    notes = (GUESSED,) if q.task is None and true.ndim == 1 and not _fractions(true) else ()
    called = names if name == names.pred else names._replace(pred=name)
    schema = found("regression", outputs, scored=True, names=called)
    batch = Batch(schema, true, None, predicted, notes=notes)
    if true.ndim == 1:
        batch.cache[MEANS] = means = _native.means(true, predicted)
        if all(map(math.isfinite, means)):  # then every number is finite too
            return batch
    if q.missing == "error":
        for column, of in ((true, names.truth), (predicted, name)):
            refuse_gaps(column, of)
    return batch


def _column(x: Any, name: str) -> Array:
    array = containers.numbers(x, name)
    if array.ndim not in (1, 2) or (array.ndim == 2 and not array.shape[1]):
        raise InputError("data.numbers_shape", name=name, shape=array.shape)
    return array.astype(np.float64) if array.dtype.kind == "b" else array


def _names(truth: Any, true: Array) -> tuple[Any, ...]:
    if true.ndim == 1:
        return ()
    named = type(truth) is not np.ndarray and frames.is_frame(truth)
    outputs: tuple[Any, ...] = tuple(frames.names(truth)) if named else tuple(range(true.shape[1]))
    return outputs if len(union(outputs)) == len(outputs) else tuple(range(true.shape[1]))


def refuse_gaps(column: Array, name: str) -> None:
    """An error where a number is NaN or infinite."""
    if column.dtype.kind != "f":
        return
    absent = np.isnan(column)
    if absent.any():
        raise InputError("data.numbers_missing", name=name, count=int(absent.sum()), row=_first(absent))
    refuse_infinite(column, name)


def refuse_infinite(column: Array, name: str) -> None:
    """An error where a number is infinite."""
    wrong = np.isinf(column)
    if wrong.any():
        raise InputError("data.numbers_infinite", name=name, count=int(wrong.sum()), row=_first(wrong))


def _first(wrong: Array) -> int:
    rows = wrong.any(1) if wrong.ndim == 2 else wrong
    return int(np.argmax(rows))


def complete(batch: Batch) -> Array:
    """Which rows have every number; infinite ones are refused."""
    assert batch.score is not None
    for column, name in ((batch.truth, batch.names.truth), (batch.score, batch.names.pred)):
        refuse_infinite(column, name)
    missing: Array = np.isnan(batch.truth) | np.isnan(batch.score)
    return np.asarray(~(missing.any(1) if missing.ndim == 2 else missing))
