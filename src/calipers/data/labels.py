"""Class labels to dense codes: one dispatch for every container, one order of classes, one missing code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from calipers import _native
from calipers.data.containers import Array, Numbers, Text, source
from calipers.errors import InputError

Label: TypeAlias = bool | int | str
AT_A_TIME = 1 << 15  # rows


class Encoded(NamedTuple):
    """A column of labels as numbers: row i has the label values[codes[i]]."""

    codes: Array  # uint8, uint16 or uint32; the largest value of the type stands for a missing label
    values: tuple[Label, ...]  # sorted: integers by value, strings by code point, False before True
    missing: int
    first_missing: int  # -1 when none is


class Column:
    """A column whose labels are found when they are first needed, and once."""

    __slots__ = "_encoded", "_name", "_values"

    def __init__(self, values: Any, name: str) -> None:
        self._values, self._name = values, name
        self._encoded: Encoded | None = None

    def __call__(self) -> Encoded:
        """The labels."""
        if self._encoded is None:
            self._encoded = encode(self._values, self._name)
        return self._encoded


def encode(column: Any, name: str) -> Encoded:
    """The labels of a column from any container; `name` is for messages.

    >>> encode(["cat", "dog", None, "cat"], "y_true")
    Encoded(codes=array([  0,   1, 255,   0], dtype=uint8), values=('cat', 'dog'), missing=1, first_missing=2)
    """
    if type(column) is np.ndarray and column.ndim == 1:
        dtype = column.dtype
        if dtype.kind in "iub" and dtype.isnative:
            return _integers(column)
    data = source(column, name)
    if isinstance(data, Text):
        return _sorted(data.codes, data.values)
    if isinstance(data, Numbers):
        return _numbers(data.array, data.missing, name)
    if isinstance(data, np.ndarray):
        return _array(data, name)
    return _objects(data, name)


def union(*values: Iterable[Label]) -> tuple[Label, ...]:
    """All labels of several columns, sorted. Booleans beside 0 and 1 are those integers.

    >>> union((False, True), (0, 1)), union(("b",), ("a", "b"))
    ((0, 1), ('a', 'b'))
    """
    columns = [tuple(one) for one in values]
    kinds = {kind: one for one in columns for kind in set(map(type, one))}
    examples: dict[type, Label] = {k: next(label for label in one if type(label) is k) for k, one in kinds.items()}
    if str in examples and len(examples) > 1:
        text, other = examples[str], next(label for kind, label in examples.items() if kind is not str)
        raise InputError("data.labels_mixed_with_text", kind=type(other).__name__, other=other, text=text)
    merged: set[Any] = set().union(*columns)
    if bool in examples and int in examples:
        merged = {int(label) for label in merged}
        if not merged <= {0, 1}:
            other = next(label for label in sorted(merged) if label not in (0, 1))
            raise InputError("data.labels_mixed_with_bool", first=examples[bool], second=other)
    return tuple(sorted(merged))


def recode(encoded: Encoded, values: Sequence[Label]) -> Array:
    """The codes of the same rows where the classes are `values`, which hold all of the column's own."""
    if encoded.values == values:
        return encoded.codes
    place = {label: code for code, label in enumerate(values)}
    table = np.array([place[label] for label in encoded.values], dtype=_code_type(len(values)))
    return _native.recode(encoded.codes, table)


def _code_type(classes: int) -> type[np.unsignedinteger[Any]]:
    return np.uint8 if classes <= 0xFF else np.uint16 if classes <= 0xFFFF else np.uint32


def _integers(array: Array) -> Encoded:
    codes, first = _native.encode_integers(array)
    return Encoded(codes, tuple(array[first].tolist()), 0, -1)


def _sorted(codes: Array, values: Sequence[Label], missing: int | None = None) -> Encoded:
    none = np.iinfo(codes.dtype).max
    if missing is None:
        missing = int(np.count_nonzero(codes == none))
    first_missing = int((codes == none).argmax()) if missing else -1
    order = sorted(range(len(values)), key=values.__getitem__)
    ordered = tuple(values[i] for i in order)
    if ordered != tuple(values):
        table = np.empty(len(order), codes.dtype)
        table[order] = np.arange(len(order))
        codes = _native.recode(codes, table)
    return Encoded(codes, ordered, missing, first_missing)


def _with_missing(present: Encoded, missing: Array) -> Encoded:
    """Puts the rows that were left out back in, as missing."""
    codes = np.full(len(missing), np.iinfo(present.codes.dtype).max, present.codes.dtype)
    codes[~missing] = present.codes
    count = int(np.count_nonzero(missing))
    return Encoded(codes, present.values, count, int(missing.argmax()) if count else -1)


def _array(array: Array, name: str) -> Encoded:
    if array.ndim == 0 and hasattr(array.item(), "__iter__") and not isinstance(array.item(), (str, bytes)):
        raise InputError("data.not_a_column", name=name, kind=type(array.item()).__name__)
    if array.ndim != 1:
        raise InputError("data.labels_shape", name=name, shape=array.shape)
    kind = array.dtype.kind
    if kind in "iubf":
        return _numbers(array.astype(array.dtype.newbyteorder("="), copy=False), None, name)
    if kind in "US":
        return _fixed_width(array, name)
    if kind == "T":
        return _objects(array.astype(object), name)
    if kind == "O":
        return _objects(array, name)
    raise InputError("data.labels_of_other_type", name=name, dtype=str(array.dtype))


def _fixed_width(array: Array, name: str) -> Encoded:
    if array.dtype.itemsize == 0:
        array = array.astype(f"{array.dtype.kind}1")
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    words = array[:, None].view(np.uint32 if array.dtype.kind == "U" else np.uint8)
    codes, first = _native.encode_fixed(words)
    values = array[first].tolist()
    if array.dtype.kind == "S":
        try:
            values = [value.decode() for value in values]
        except UnicodeDecodeError as error:
            raise InputError("data.bytes_not_text", name=name, value=error.object) from None
    return _sorted(codes, values, 0)


def _numbers(array: Array, missing: Array | None, name: str) -> Encoded:
    if array.dtype.kind == "f":
        if np.isnan(array.min(initial=0)):  # which is NaN where one is
            missing = np.isnan(array) if missing is None else missing | np.isnan(array)
        present = array if missing is None else array[~missing]
        whole, wrong = _whole(present, np.int8)  # which most labels fit: an eighth of the memory
        if wrong is not None:
            whole, wrong = _whole(present, np.int64)
        if wrong is not None:
            row = wrong if missing is None else np.flatnonzero(~missing)[wrong]
            raise InputError("data.not_a_label", name=name, value=present[wrong].item(), row=int(row))
        encoded = _integers(whole)
    else:
        encoded = _integers(array if missing is None else array[~missing])
    return encoded if missing is None else _with_missing(encoded, missing)


def _whole(numbers: Array, kind: type[np.signedinteger[Any]]) -> tuple[Array, int | None]:
    """Numbers as integers, and the first row whose number is none of them. Some rows at a time, so that what is
    compared stays in the cache."""
    whole = np.empty(len(numbers), kind)
    with np.errstate(invalid="ignore"):  # what does not fit will differ from it
        for begin in range(0, len(numbers), AT_A_TIME):
            rows = slice(begin, begin + AT_A_TIME)
            whole[rows] = numbers[rows]
            if (whole[rows] != numbers[rows]).any():
                return whole, begin + int((whole[rows] != numbers[rows]).argmax())
    return whole, None


def _objects(column: Array | Sequence[Any], name: str) -> Encoded:
    codes, first, missing, odd = _native.encode_objects(column)
    if odd < 0:
        # str.__str__ and not str(): an enum of strings prints as its name
        return _sorted(codes, [str.__str__(cast(str, column[i])) for i in first.tolist()], missing)
    items: list[Any] = column.tolist() if isinstance(column, np.ndarray) else list(column)
    kinds = {kind: _kind(kind) for kind in set(map(type, items))}
    if set(kinds.values()) == {"bool"}:
        return _integers(np.array(items, dtype=np.bool_))
    if set(kinds.values()) == {"int"}:
        return _python_integers(items)
    return _scalars(items, kinds, name)


def _kind(kind: type) -> str:
    for name, types in _KINDS.items():
        if issubclass(kind, types):
            return name
    return "other"


_KINDS: dict[str, tuple[type, ...]] = {
    "bool": (bool, np.bool_),
    "int": (int, np.integer),
    "str": (str,),
    "float": (float, np.floating),
    "missing": (type(None),),
}


def _scalars(items: list[Any], kinds: dict[type, str], name: str) -> Encoded:
    """Mixed types: what is missing is set aside, and the rest must be of one kind."""
    firsts: dict[str, int] = {}
    missing = np.zeros(len(items), dtype=np.bool_)
    for row, item in enumerate(items):
        kind = kinds[type(item)]
        if kind == "missing" or (kind in ("float", "other") and is_missing(item)):
            missing[row] = True
            continue
        if kind == "other":
            if _is_nested(item):
                raise InputError("data.several_labels", name=name, kind=type(item).__name__, row=row)
            raise InputError("data.object_not_a_label", name=name, value=item, row=row, kind=type(item).__name__)
        if kind == "float":
            if not float(item).is_integer():
                raise InputError("data.not_a_label", name=name, value=float(item), row=row)
            kind = "int"
        firsts.setdefault(kind, row)
    if len(firsts) > 1:
        (one, here), (other, there) = list(firsts.items())[:2]
        raise InputError("data.kinds_mixed", name=name, one=one, other=other, first=here, second=there)
    present = [item for item, absent in zip(items, missing.tolist(), strict=True) if not absent]
    if "bool" in firsts:
        return _with_missing(_integers(np.array(present, dtype=np.bool_)), missing)
    return _with_missing(_python_integers(present), missing)


def is_missing(item: Any) -> bool:
    """Whether a value stands for none: NaN, NaT or pandas.NA."""
    if type(item).__name__ == "NAType":  # pandas.NA: every comparison gives NA, and bool(NA) raises
        return True
    try:
        return bool(np.ndim(item) == 0 and item != item)
    except Exception:  # the code of an object can raise anything; the object exists, so it is not missing
        return False


def _is_nested(item: Any) -> bool:
    """Whether an item of a column contains items."""
    try:
        return np.ndim(item) > 0
    except Exception:  # lists of different lengths; the code of an object can raise anything
        return True


def _python_integers(items: list[Any]) -> Encoded:
    try:
        return _integers(np.array(items, dtype=np.int64))
    except OverflowError:  # beyond 64 bits: labels all the same
        values = tuple(sorted({int(item) for item in items}))
        place = {value: code for code, value in enumerate(values)}
        codes = np.array([place[int(item)] for item in items], dtype=_code_type(len(values)))
        return Encoded(codes, values, 0, -1)
