"""Rows in: the only place where input is checked, cast, encoded and weighted. Nothing downstream validates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers import _native, beside, columns, indicators, labels, numbers
from calipers.batch import Batch, Scan
from calipers.errors import InputError, not_a_number
from calipers.labels import Encoded
from calipers.question import Label, Question

Array = npt.NDArray[Any]

# Pairs of classes of which nobody would ask which is the positive one; where only one of a pair occurs, the pair.
OBVIOUS: dict[tuple[Label, ...], tuple[Label, Label]] = {
    (0,): (0, 1),
    (1,): (0, 1),
    (-1,): (-1, 1),
    (0, 1): (0, 1),
    (-1, 1): (-1, 1),
}


def obvious(values: tuple[Label, ...]) -> tuple[Label, Label] | None:
    """The pair of classes, positive last, where that is beyond doubt.

    >>> obvious((False, True)), obvious((1,)), obvious(("no", "yes"))
    ((False, True), (0, 1), None)
    """
    pair = OBVIOUS.get(values)
    return (False, True) if pair is not None and isinstance(values[0], bool) else pair

GIVEN, GREATEST = "the labels given", "the class with the greatest score"
MOST_CLASSES = 10_000  # a confusion matrix of that many takes 800 MB


def read(
    question: Question,
    truth: Any,
    second: Any = None,
    score: Any = None,
    weights: Any = None,
    by: Mapping[str, Any] | None = None,
    clusters: Any = None,
) -> Batch:
    """Check the columns and take them as the table in docs/inputs.md says.

    >>> read(Question(), [0, 1, 1], [0.2, 0.7, 0.4]).task
    'binary'
    >>> read(Question(), ["a", "b", "c"], ["a", "b", "b"]).labels
    ('a', 'b', 'c')
    """
    if second is not None and score is not None and question.threshold is not None:
        raise InputError(
            "labels, scores and threshold= together contradict each other: the labels given were cut somewhere "
            "already; leave out the labels to cut the scores at the threshold, or leave out threshold="
        )
    if second is None and score is None:
        raise InputError("nothing to measure: pass predicted labels or scores beside y_true")
    if numbers.are(question, truth, second, score):
        batch = numbers.read(question, truth, second, score)
    elif indicators.are(truth, question.task):
        batch = _multilabel(question, truth, second, score)
    else:
        batch = _single(question, truth, second, score)
    if len(batch) == 0:
        raise InputError("y_true is empty: at least one row is needed")
    if weights is not None or by:
        batch = beside.weighed(beside.sliced(batch, by or {}), weights)
    if clusters is not None:
        batch = beside.clustered(batch, clusters)
    if weights is not None or question.missing == "drop":
        batch = _without_absent(question, batch)
    if batch.task == "regression":
        return batch
    return _scanned(question, batch) if batch.score is not None and batch.score.ndim == 2 else batch


def _single(q: Question, truth: Any, second: Any, score: Any) -> Batch:
    true = labels.encode(truth, "y_true")
    notes: tuple[str, ...] = ()
    said: Encoded | None = None
    if second is not None:
        floats = _is_float(second)
        if q.task != "multilabel" and _scores(second, floats, true):
            if score is not None:
                raise InputError("y_pred holds scores and score= is given too: pass one of them")
            second, score = None, second
        else:
            said = labels.encode(second, "y_pred")
            if floats:
                notes += (f"y_pred holds only {_listed(said.values)} as floats: taken as labels, not as scores",)
            beside.same_length(len(true.codes), len(said.codes), "y_pred")
            notes += _unseen(q, true, said)
    matrix = None if score is None else columns.numbers(score, "y_score")
    named = score is not None and type(score) is not np.ndarray and columns.is_frame(score)
    names = columns.names(score) if named else None
    if matrix is not None:
        if matrix.ndim > 2 or matrix.ndim == 0:
            raise InputError(f"y_score has shape {matrix.shape}: one score a row, or one column a class, is needed")
        beside.same_length(len(true.codes), len(matrix), "y_score")
        if matrix.dtype.kind != "f":
            matrix = matrix.astype(np.float64)
    if not len(true.codes):
        return Batch("binary", (), true.codes)
    if true.missing:
        _missing(q, true, "y_true")
    if said is not None and said.missing:
        _missing(q, said, "y_pred")
    values, positive = _classes(q, true, said, matrix)
    codes = labels.recode(true, values)
    pred = None if said is None else labels.recode(said, values)
    if len(values) > MOST_CLASSES:
        raise InputError(
            f"y_true and y_pred hold {len(values)} distinct labels ({_listed(values)}): that looks like an identifier "
            f"or a measurement, not a class; at most {MOST_CLASSES} classes can be confused with each other"
        )
    task = "binary" if positive is not None else "multiclass"
    if q.task is not None and q.task != task:
        raise InputError(_wrong_task(q.task, values, positive))
    if matrix is not None and matrix.ndim == 2 and matrix.shape[1] == len(values):
        if q.labels is not None:
            matrix = matrix[:, [q.labels.index(v) for v in values]]
        elif names is not None:
            order = _by_name(names, values)
            pairs = ", ".join(f"{v} = {names[i]}" for v, i in zip(values[:6], order, strict=False))
            notes += (f"score columns: {pairs}{', ...' if len(values) > 6 else ''}",)
            matrix = matrix[:, order]
    return Batch(task, values, codes, pred, matrix, None, positive, notes=notes, predicted=GIVEN if said else "")


def _classes(
    q: Question, true: Encoded, said: Encoded | None, matrix: Array | None
) -> tuple[tuple[Label, ...], int | None]:
    """The classes in order, and the positive one's index where the task is binary."""
    values = true.values
    if said is not None and (said.values != values or type(said.values[0]) is not type(values[0])):
        values = labels.union(values, said.values)  # also for True beside 1, which Python takes for equal
    if q.labels is not None:
        listed = labels.union(q.labels)
        unknown = [v for v in values if v not in listed]
        if unknown:
            raise InputError(
                f"{'y_true' if unknown[0] in true.values else 'y_pred'} has the label {unknown[0]!r}, "
                f"which labels={list(q.labels)!r} does not list"
            )
        values = listed
    elif q.positive is not None and q.positive not in values and len(values) < 2:
        values = labels.union(values, (q.positive,))
    pair = obvious(values)
    if q.positive is not None:
        if len(values) == 1:  # every row is of one class: the other one has no name
            other: Label = f"not {values[0]}" if isinstance(values[0], str) else int(not values[0])
            values = pair or labels.union(values, (other,))
        if q.positive not in values:
            raise InputError(f"positive={q.positive!r} is not among the labels {_listed(values)}")
        if len(values) > 2:
            raise InputError(
                f"positive= is for two classes and there are {len(values)} ({_listed(values)}): "
                "see ev.classes for each class against the rest"
            )
        return values, values.index(q.positive)
    if pair is not None and q.task != "multiclass" and (matrix is None or matrix.ndim == 1 or matrix.shape[1] == 2):
        return pair, 1
    if matrix is not None and matrix.ndim == 1:
        if len(values) > 2:
            raise InputError(
                f"y_score has one column and y_true has {len(values)} classes ({_listed(values)}): "
                f'pass one column of scores a class, in that order, or task="regression" if they are measurements'
            )
        either = " or ".join(f"positive={v!r}" for v in values)
        raise InputError(f"y_true has the classes {_listed(values)}: say which one the score is for, with {either}")
    return values, None


def _by_name(names: Sequence[str], values: tuple[Label, ...]) -> list[int]:
    """The score column of each class: by name, also after a prefix that all share (p_cat, p_dog); else in order."""
    for cut in range(min(map(len, names)) + 1):
        ends = [name[cut:] for name in names]
        if len({name[:cut] for name in names}) == 1 and sorted(ends) == sorted(map(str, values)):
            return [ends.index(str(v)) for v in values]
    return list(range(len(values)))


def _multilabel(q: Question, truth: Any, second: Any, score: Any) -> Batch:
    if q.positive is not None:
        raise InputError("positive= is for two classes; here a row may carry any number of labels")
    true, said, matrix, values = indicators.read(q.labels, truth, second, score)
    for other, name in ((said, "y_pred"), (matrix, "y_score")):
        if other is not None:
            beside.same_length(len(true), len(other), name)
    return Batch("multilabel", values, true, said, matrix, predicted="" if said is None else GIVEN)


def _scanned(q: Question, batch: Batch) -> Batch:
    """Look through a score matrix once: predicted classes, ranks of the true ones, and what may be wrong with it."""
    score = batch.score
    assert score is not None
    if score.shape[1] != len(batch.labels):
        raise InputError(
            f"y_score has {score.shape[1]} columns and there are {len(batch.labels)} classes "
            f"({_listed(batch.labels)}): pass one column a class, and labels= where a class does not occur"
        )
    scan = Scan(*_native.scan_rows(score, batch.truth if batch.task != "multilabel" else None))
    if scan.nans:
        raise not_a_number(scan.nans, scan.first_nan)
    batch = replace(batch, scan=scan)
    if batch.task == "multilabel":
        cut = q.threshold if q.threshold is not None else 0.5 if batch.probabilities else None
        if cut is None or batch.pred is not None:
            return batch
        return replace(batch, pred=score >= cut, predicted=f"score >= {cut:g}")
    if batch.positive is not None:  # two columns: the positive class's own says it all
        batch = replace(batch, score=score[:, batch.positive], scan=None)
        cut_by_rank = batch.pred is None and q.threshold is None
        return replace(batch, pred=scan.top, predicted=GREATEST) if cut_by_rank else batch
    if q.threshold is not None:
        raise InputError("threshold= is for one score a row: with a column a class, the greatest score wins")
    return batch if batch.pred is not None else replace(batch, pred=scan.top, predicted=GREATEST)


def _unseen(q: Question, true: Encoded, said: Encoded) -> tuple[str, ...]:
    """A note about predicted labels that never are the truth; so many that they must be scores are an error."""
    if q.labels is not None or said.values == true.values:
        return ()
    unseen = [v for v in said.values if v not in true.values]
    if len(unseen) > 8 + 2 * len(true.values):
        raise InputError(
            f"y_pred holds {len(unseen)} labels that y_true lacks ({_listed(unseen)}): if they are scores, pass them "
            "as score=; if they are classes, name all classes with labels="
        )
    known = obvious(true.values)
    hidden = [v for v in unseen if known is None or v not in known]
    return (f"y_pred holds labels that y_true lacks: {_listed(hidden)}",) if hidden else ()


def _missing(q: Question, encoded: Encoded, name: str) -> None:
    if encoded.missing == len(encoded.codes):
        raise InputError(f"every label of {name} is missing: nothing is left to measure")
    if q.missing == "error":
        raise InputError(
            f"{name} has {encoded.missing} missing labels (first at row {encoded.first_missing}): "
            'drop those rows or pass missing="drop"'
        )


def _without_absent(q: Question, batch: Batch) -> Batch:
    """Leave out the rows with something missing, where asked to, and the rows of weight 0, which are no rows."""
    complete = numbers.complete(batch) if batch.task == "regression" else np.ones(len(batch), bool)
    if batch.task not in ("multilabel", "regression"):
        complete &= batch.truth < len(batch.labels)
        complete &= True if batch.pred is None else batch.pred < len(batch.labels)
    if batch.score is not None and batch.task != "regression":
        missing = np.isnan(batch.score)
        complete &= ~(missing.any(1) if missing.ndim == 2 else missing)
    present = np.ones(len(batch), bool) if batch.weights is None else batch.weights > 0
    if q.missing == "error" and (present & ~complete).any():  # now, while rows have the numbers that the caller knows
        raise not_a_number(int((present & ~complete).sum()), int((present & ~complete).argmax()))
    keep = complete & present
    if keep.all():
        return batch
    if not keep.any():
        what = "every row has something missing" if not complete.any() else "all weights are 0"
        raise InputError(f"{what}: nothing is left to measure")
    return replace(batch.take(keep), dropped=int(np.count_nonzero(~complete)), kept=np.flatnonzero(keep))


def _scores(second: Any, floats: bool, true: Encoded) -> bool:
    """Whether a second argument is scores rather than labels: a matrix, or floats that are not all labels."""
    if len(getattr(second, "shape", ())) == 2 or _nested(second):
        return True
    if not floats:
        return False
    given = columns.numbers(second, "y_pred")
    known = {0.0, 1.0, *(float(v) for v in true.values if not isinstance(v, str))}
    if any(v == v and v not in known for v in given[:16].tolist()):  # the usual case, at no cost
        return True
    return not np.isin(given[~np.isnan(given)], list(known)).all()


def _is_float(column: Any) -> bool:
    if type(column) is list or type(column) is tuple:
        if any(isinstance(v, str) for v in column[:16]):  # the usual case, at no cost
            return False
        return any(isinstance(v, float) for v in column) and not any(isinstance(v, str) for v in column)
    if isinstance(column, columns.Numbers):
        column = column.array
    dtype = getattr(column, "dtype", None)
    kind = getattr(dtype, "kind", None)
    if kind == "O":
        return not any(isinstance(v, str) for v in column[:16].tolist()) and _is_float(column.tolist())
    if kind is not None:
        return bool(kind == "f")
    text = str(getattr(column, "type", None) if dtype is None else dtype).lower()
    return "float" in text or "double" in text


def _nested(column: Any) -> bool:
    return type(column) in (list, tuple) and len(column) > 0 and isinstance(column[0], (list, tuple, np.ndarray))


def _listed(values: Sequence[Label]) -> str:
    shown = [repr(v) for v in values[:6]] + (["..."] if len(values) > 6 else []) or ["none"]
    return ", ".join(shown[:-1]) + " and " + shown[-1] if len(shown) > 1 else shown[0]


def _wrong_task(task: str, values: tuple[Label, ...], positive: int | None) -> str:
    if task == "binary" and len(values) == 2:
        either = " or ".join(f"positive={v!r}" for v in values)
        return f'task="binary" needs to know which class is positive: pass {either}'
    if task == "multilabel":
        return 'task="multilabel" needs an n x K matrix of 0 and 1, or a list of label sets; y_true is one label a row'
    return f"task={task!r} does not fit: y_true and y_pred hold the classes {_listed(values)}"
