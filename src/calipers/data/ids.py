"""Columns of document IDs from any container, in the form that the native module compares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from calipers import _native
from calipers.data.containers import Numbers, Read, Text, read_arrow, source
from calipers.errors import InputError
from calipers.remarks import Remark

KINDS = {"text": Remark("data.text_ids"), "integers": Remark("data.integer_ids")}


class Identifiers(NamedTuple):
    """Ids, whether they are "text" or "integers", and the column, for messages."""

    ids: _native.Ids
    kind: str
    column: Any

    def quoted(self, row: int) -> str:
        """The id of a row, as a message quotes it."""
        return repr(self.ids.text(row)) if self.kind == "text" else self.text(row)

    def text(self, row: int) -> str:
        """The id of a row as text."""
        return self.ids.text(row) if self.kind == "text" else str(self.column[row])


def text_ids(column: Any, name: str) -> _native.Ids | None:
    """The ids of a column that holds text in a form that is read at once; None for every other."""
    letters = _letters(column)
    if letters is not None:
        return _native.ids_fixed(letters)
    return _streamed(column, name, _native.ids_arrow)


def _streamed(column: Any, name: str, read: Callable[[object], Read | None]) -> Read | None:
    if not hasattr(column, "__arrow_c_stream__") or isinstance(getattr(column, "dtype", None), np.dtype):
        return None
    try:
        return read_arrow(column, name, read)
    except TypeError:
        return None


def text_codes(column: Any, name: str) -> tuple[Any, list[str]] | None:
    """Codes and texts of such a column, in order of appearance: of queries, which are many times fewer than rows."""
    letters = _letters(column)
    if letters is not None:
        encoded = _native.fixed_codes(letters)
        if encoded is None:
            return None
        texts = np.asarray(column)[encoded[1]].tolist()
        return encoded[0], [text if isinstance(text, str) else text.decode() for text in texts]
    return _streamed(column, name, _native.arrow_codes)


def _letters(column: Any) -> Any:
    """NumPy's text of a fixed width, a number a letter."""
    dtype = getattr(column, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.kind not in "US" or not dtype.itemsize or len(column.shape) != 1:
        return None
    plain = np.ascontiguousarray(np.asarray(column).astype(dtype.newbyteorder("="), copy=False))
    return plain[:, None].view(np.uint32 if dtype.kind == "U" else np.uint8)


def identifiers(column: Any, name: str) -> Identifiers:
    """The ids of a column; a missing one is an error."""
    ids = text_ids(column, name)
    if ids is not None:
        return Identifiers(ids, "text", column)
    data = source(column, name)
    if isinstance(data, Text):
        if (data.codes == np.iinfo(data.codes.dtype).max).any():
            raise _missing(name, int((data.codes == np.iinfo(data.codes.dtype).max).argmax()))
        return _objects(tuple(np.array([*data.values, None], object)[data.codes].tolist()), data, name)
    if isinstance(data, Numbers):
        if data.missing is not None:
            raise _missing(name, int(data.missing.argmax()))
        data = data.array
    if isinstance(data, np.ndarray):
        return _array(data, name)
    return _objects(tuple(data), data, name)


def _array(array: Any, name: str) -> Identifiers:
    if array.ndim != 1:
        raise InputError("data.ids_shape", name=name, shape=array.shape)
    kind = array.dtype.kind
    if kind in "iu":
        return Identifiers(_native.ids_integers(array.astype(np.int64, copy=False)), "integers", array)
    if kind == "S":
        return _objects(tuple(map(_decoded, array.tolist())), array, name)
    if kind in "OTU":
        return _objects(tuple(array.tolist()), array, name)
    raise InputError("data.ids_of_other_type", name=name, dtype=str(array.dtype))


def _decoded(value: bytes) -> str:
    return value.decode(errors="backslashreplace")


def _objects(items: tuple[Any, ...], column: Any, name: str) -> Identifiers:
    if items and all(isinstance(item, (int, np.integer)) and not isinstance(item, bool) for item in items[:1]):
        try:
            return Identifiers(_native.ids_integers(np.array(items, np.int64)), "integers", column)
        except (TypeError, ValueError, OverflowError):
            pass  # mixed: the message below says which row
    try:
        return Identifiers(_native.ids_objects(items), "text", column)
    except IndexError as error:
        row = int(str(error))
        if items[row] is None or items[row] != items[row]:
            raise _missing(name, row) from None
        raise InputError("data.ids_mixed", name=name, value=items[row], row=row) from None


def _missing(name: str, row: int) -> InputError:
    return InputError("data.id_missing", name=name, row=row)
