"""Frames: objects with named columns, recognised by their methods; no package is named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from calipers import _native
from calipers.data.containers import arrow_entry
from calipers.errors import InputError, UnknownName, nearest


def is_frame(x: object) -> bool:
    """Whether x has named columns: a frame, an Arrow table, a DuckDB relation, a dataset of Hugging Face or a dict.

    >>> is_frame({"y": [0, 1]}), is_frame([0, 1])
    (True, False)
    """
    if isinstance(x, Mapping):
        return True
    kind = type(x)  # not x itself: attributes of a pandas Series can be labels of its index
    arrow = hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")
    return (arrow and (hasattr(kind, "columns") or hasattr(kind, "column_names"))) or is_lazy(x) or is_dataset(x)


def is_lazy(x: object) -> bool:
    """Whether x is a query of polars, which runs when it is collected."""
    return hasattr(type(x), "collect") and hasattr(type(x), "collect_schema")


def is_dataset(x: object) -> bool:
    """Whether x is a dataset of Hugging Face."""
    return hasattr(type(x), "select_columns") and hasattr(type(x), "with_format") and hasattr(type(x), "__getitem__")


ENGINES = ("pyspark", "dask")  # packages whose data frames are in partitions, each with an adapter of its name


def package_of_engine(x: object) -> str | None:
    """The package of a data frame that is in partitions on an engine; None for anything else.

    >>> package_of_engine({"y": [0, 1]}) is None
    True
    """
    package = type(x).__module__.partition(".")[0]
    return package.removeprefix("py") if package in ENGINES else None


def refuse_results(values: Iterable[Any], call: str) -> None:
    """Raise an error if a result of Calipers, which is a mapping too, was passed instead of rows."""
    for x in values:
        if isinstance(x, Mapping) and hasattr(x, "to_text"):
            raise InputError("data.a_result", kind=type(x).__name__, call=call)


def alone(x: Any) -> Any:
    """The column of a frame that has only one; anything else as it is."""
    if x is None or type(x) in (np.ndarray, list, tuple) or not is_frame(x) or len(names(x)) != 1:
        return x
    return column(x, names(x)[0])


def flat(x: Any) -> Any:
    """A table with one column as that column, since many networks predict (n, 1); anything else as it is.

    >>> flat(np.array([[0.2], [0.7]])), flat([0, 1])
    (array([0.2, 0.7]), [0, 1])
    """
    if x is None:
        return None
    if type(x) is not np.ndarray and is_frame(x):
        return alone(x)
    shape: tuple[int, ...] = getattr(x, "shape", ())
    return x[:, 0] if len(shape) == 2 and shape[1] == 1 else x


def names(frame: Any) -> list[str]:
    """The names of the columns, in order.

    >>> names({"y": [0, 1], "p": [0.2, 0.7]})
    ['y', 'p']
    """
    if isinstance(frame, Mapping):
        return [str(name) for name in frame]
    if is_lazy(frame):
        return [str(name) for name in frame.collect_schema().names()]
    if hasattr(type(frame), "column_names"):  # pyarrow, whose .columns are the data
        return [str(name) for name in frame.column_names]
    return [str(name) for name in frame.columns]


def column(frame: Any, name: str) -> Any:
    """The column of that name, as `calipers.data.labels.encode` and `numbers` take it."""
    return columns(frame, [name])[0]


def columns(frame: Any, requested: Sequence[str]) -> list[Any]:
    """Several columns at once. A query runs once for all: a second run may give its rows in another order."""
    known = names(frame)
    for name in requested:
        if name not in known:
            raise UnknownName("data.no_column", name=name, nearest=nearest(name, known))
        if known.count(name) > 1:
            raise InputError("data.columns_alike", count=known.count(name), name=name)
    positions = [known.index(name) for name in requested]
    if isinstance(frame, Mapping):
        data = list(frame.values())
        return [data[i] for i in positions]
    unique = list(dict.fromkeys(requested))
    if is_lazy(frame):
        return columns(frame.select(unique).collect(), requested)
    if is_dataset(frame):  # with_format takes its selection of rows into account
        return columns(frame.select_columns(unique).with_format("arrow")[:], requested)
    if hasattr(frame, "iloc"):  # by position, as pandas names need not be strings
        return [frame.iloc[:, i] for i in positions]
    if hasattr(frame, "get_column"):
        return [frame.get_column(name) for name in requested]
    if hasattr(type(frame), "column_names"):
        return [frame.column(i) for i in positions]
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in unique)
    try:
        read = _native.read_arrow(frame.project(quoted).__arrow_c_stream__(), unique)
    except TypeError as error:
        raise InputError("data.columns_unreadable", names=unique, why=str(error)) from None
    entries = {name: arrow_entry(one) for name, one in zip(unique, read, strict=True)}
    return [entries[name] for name in requested]
