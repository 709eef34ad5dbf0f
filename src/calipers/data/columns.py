"""The columns that an evaluation reads: arrays as they are, or picked from a frame by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from calipers.data import frames
from calipers.data.schema import NAMES, Columns, Names, Schema
from calipers.errors import InputError


class Inputs(NamedTuple):
    """Columns by what they hold, what messages call them, their names in a frame, and what has their index."""

    truth: Any
    pred: Any
    score: Any
    weights: Any
    by: Mapping[str, Any]
    groups: Any
    names: Names = NAMES
    columns: Columns | None = None
    origin: Any = None

    @property
    def values(self) -> tuple[Any, ...]:
        """The columns, in the order in which rows are read."""
        return self[:6]

    @classmethod
    def of(cls, y_true: Any, y_pred: Any, score: Any, columns: Columns, by: Any, schema: Schema | None = None) -> Self:
        """The columns of arrays, or of a frame with names for its columns; a schema may hold the names."""
        truth, pred, weights, groups = columns.truth, columns.pred, columns.weights, columns.groups
        if schema is not None and schema.columns is not None and y_pred is None and frames.is_frame(y_true):
            if any(x is not None for x in (truth, pred, score, weights, groups, by)):
                raise InputError("data.schema_and_columns")
            truth, pred, score, weights, groups = schema.columns
            by = list(schema.by) or None
        if truth is not None or pred is not None:
            if not frames.is_frame(y_true):
                raise InputError("data.names_without_frame")
            if y_pred is not None:
                raise InputError("data.frame_without_names")
        if not (frames.is_frame(y_true) and (truth is not None or (y_pred is None and _are_names(score)))):
            sliced = slices(by, {})
            true, predicted = frames.alone(y_true), frames.alone(y_pred)
            indexed = true if hasattr(true, "iloc") else None
            return cls(true, predicted, score, weights, sliced, groups, origin=indexed)
        if truth is None:
            raise InputError("data.frame_without_truth", names=list(frames.names(y_true)[:8]))
        together = groups if isinstance(groups, str) else None  # a list of text is the groups themselves
        slicing = [x for x in by.values() if isinstance(x, str)] if isinstance(by, Mapping) else by
        data = columns_of(y_true, truth, pred, score, weights, together, slicing)
        called = Names(*map(_called, (truth, pred, score), ("truth", "pred", "score"), NAMES))
        grouped = groups if together is None else data[together]
        columns, frame = Columns(truth, pred, score, weights, groups), y_true
        y_true, y_pred, score, weights = (picked(data, x) for x in (truth, pred, score, weights))
        return cls(y_true, y_pred, score, weights, slices(by, data), grouped, called, columns, frame)


def _are_names(score: Any) -> bool:
    """Whether scores are names of columns of the frame of true labels, and not the scores themselves."""
    listed = score if isinstance(score, (list, tuple)) else (score,)
    return all(name is None or isinstance(name, str) for name in listed)


def _called(value: Any, argument: str, otherwise: str) -> str:
    """How messages name what was given: by the column of the frame where that is one."""
    if isinstance(value, str):
        return f"column {value!r}"
    return f"{argument}={list(value)!r}" if isinstance(value, (list, tuple)) else otherwise


def slices(by: Any, data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Slicing columns by name: names of columns of a frame, a mapping of names to columns, or one column."""
    if by is None or isinstance(by, Mapping):
        return {str(n): data[x] if data and isinstance(x, str) else x for n, x in (by or {}).items()}
    if frames.is_frame(by):
        return {name: frames.column(by, name) for name in frames.names(by)}
    names = [by] if isinstance(by, str) else list(by) if isinstance(by, (list, tuple)) else []
    if data and names and all(isinstance(name, str) for name in names):
        return {name: data[name] for name in names}
    if isinstance(by, str):
        raise InputError("data.by_without_frame", by=by)
    return {str(getattr(by, "name", None) or "by"): by}


def columns_of(frame: Any, *requested: Any) -> dict[str, Any]:
    """Every column that is named, read at once: a query then runs once."""
    names = [n for x in requested for n in ([x] if isinstance(x, str) else x if isinstance(x, (list, tuple)) else ())]
    unique = list(dict.fromkeys(n for n in names if isinstance(n, str)))
    return dict(zip(unique, frames.columns(frame, unique), strict=True))


def picked(data: Mapping[str, Any], names: Any) -> Any:
    """A column by name, several columns as a frame, or the given value if it is not a name."""
    if isinstance(names, str):
        return data[names]
    if isinstance(names, (list, tuple)) and names and all(isinstance(n, str) for n in names):
        return {n: data[n] for n in names}
    return names
