"""Numbers from any container, recognised by its methods; no package is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from calipers import _native
from calipers.errors import InputError

Array: TypeAlias = NDArray[Any]
Read = TypeVar("Read")


class Text(NamedTuple):
    """A column of strings read from Arrow data."""

    codes: Array
    values: list[Any]  # in order of first appearance: text, or the labels that it stands for
    unused: list[str]  # entries of a categorical that occur in no row


class Numbers(NamedTuple):
    """A column of numbers read from Arrow data."""

    array: Array
    missing: Array | None  # True where there is no value


Source: TypeAlias = Text | Numbers | Array | Sequence[Any]


def source(x: Any, name: str) -> Source:
    """What holds the values of x: Arrow data that was read, an array, or a list or tuple as it is."""
    if isinstance(x, (Text, Numbers)) or type(x) in (list, tuple):
        as_it_is: Source = x
        return as_it_is
    if isinstance(x, np.ndarray):
        return _unmasked(x)
    if isinstance(getattr(x, "dtype", None), np.dtype):
        return np.asarray(x)  # pandas over NumPy: a view, where Arrow would be a copy
    if len(getattr(x, "shape", (0,))) == 1 and not _has_mixed_categories(x):
        try:
            if hasattr(x, "__arrow_c_stream__") or hasattr(x, "__arrow_c_array__"):
                return arrow_entry(read_arrow(x, name, _read_one)[0])
        except TypeError:  # a type that NumPy reads and we or pyarrow do not, such as decimals
            return _array(x, name)
    return _array(x, name)


def _has_mixed_categories(x: Any) -> bool:
    """Whether pandas categories are objects of several types, over some of which pyarrow ends the process."""
    categories: Any = getattr(getattr(x, "dtype", None), "categories", None)
    return getattr(getattr(categories, "dtype", None), "kind", "") == "O" and categories.inferred_type != "string"


def read_arrow(x: Any, name: str, read: Callable[..., Read]) -> Read:
    """What `read` makes of Arrow data, which is checked first: reading beyond a buffer would end the process.

    The interface does not give the length of a buffer, so pyarrow is asked whether its buffers are long enough. The
    native module checks what lies inside them: offsets, and entries of dictionaries. TypeError where x cannot be had as
    Arrow data, as in pandas without pyarrow.
    """
    pandas: Any = getattr(x, "array", None)
    try:
        exporter = pandas.__arrow_array__() if hasattr(pandas, "__arrow_array__") else x
        if not hasattr(exporter, "__arrow_c_stream__"):  # pandas made an array now, from values that it holds itself
            exporter = x
        streams = hasattr(exporter, "__arrow_c_stream__")
        capsules = (exporter.__arrow_c_stream__(),) if streams else exporter.__arrow_c_array__()
    except (ImportError, ValueError, NotImplementedError, OverflowError) as error:
        raise TypeError(str(error)) from None
    try:
        if hasattr(exporter, "validate"):
            exporter.validate()
        return read(*capsules)
    except ValueError as error:
        raise InputError("data.broken_arrow", name=name, why=str(error)) from None


def _read_one(stream_or_schema: object, array: object = None) -> list[tuple[Any, ...]]:
    """The column of a stream, or of a schema and an array."""
    if array is None:
        return _native.read_arrow(stream_or_schema, None)
    return _native.read_arrow_array(stream_or_schema, array, None)


def numbers(x: Any, name: str) -> Array:
    """X as float32, float64, integers or bool, without a copy where that can be. A missing value is NaN.

    >>> numbers([1, None, 2.5], "y_score")
    array([1. , nan, 2.5])
    """
    if type(x) is not np.ndarray and isinstance(x, Mapping):
        parts = [numbers(part, str(key)) for key, part in x.items()]
        for key, part in zip(x, parts, strict=True):
            if part.ndim > 1:
                raise InputError("data.element_is_a_table", name=name, key=key)
        lengths = {str(key): len(part) if part.ndim else 1 for key, part in zip(x, parts, strict=True)}
        if len(set(lengths.values())) != 1:
            listed = [f"{key} {length}" for key, length in lengths.items()]
            if not listed:
                raise InputError("data.no_columns", name=name)
            raise InputError("data.columns_of_one_length", name=name, lengths=listed)
        return np.column_stack(parts)
    data = x if type(x) is np.ndarray else source(x, name)
    if isinstance(data, Text):
        present = np.flatnonzero(data.codes != np.iinfo(data.codes.dtype).max)
        if len(present) == 0:
            return np.full(len(data.codes), np.nan)
        raise _not_a_number(data.values[data.codes[present[0]]], int(present[0]), name)
    if isinstance(data, Numbers):
        if data.missing is None:
            return _real(data.array, name)
        array = data.array.astype(np.float64)
        array[data.missing] = np.nan
        return array
    if isinstance(data, (list, tuple)):
        try:
            array = np.asarray(data)
        except ValueError:
            raise InputError("data.rows_of_other_lengths", name=name) from None
        except Exception as error:  # the code of an object in the list can raise anything
            raise InputError("data.objects_unreadable", name=name, why=str(error)) from error
        if array.dtype.kind == "U":  # NumPy made strings of everything; show what was given
            array = np.array(data, dtype=object)
        array = _real(array, name)
        return array.astype(np.float64, copy=False)
    return _real(np.asarray(data), name)


def _real(array: Array, name: str) -> Array:
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind in "iub" or (kind == "f" and size in (4, 8)):
        return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    if kind == "f":
        with np.errstate(over="ignore"):  # a long double beyond the range is infinite, and refused as such
            return array.astype(np.float32 if size == 2 else np.float64)
    if array.dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):  # of ml_dtypes, which NumPy calls raw bytes
        return array.astype(np.float32)
    if kind in "OUST":
        values = [_number(value, row, name) for row, value in enumerate(array.ravel().tolist())]
        return np.array(values, dtype=np.float64).reshape(array.shape)
    raise InputError("data.not_real", name=name, dtype=str(array.dtype))


def _number(value: Any, row: int, name: str) -> float:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return float("nan")
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise _not_a_number(value, row, name)
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        raise _not_a_number(value, row, name) from None


def _not_a_number(value: object, row: int, name: str) -> InputError:
    return InputError("data.not_a_number", name=name, value=value, row=row)


def arrow_entry(read: tuple[Any, ...]) -> Text | Numbers:
    """A column that was read from Arrow data."""
    return Text(*read[1:]) if read[0] == "labels" else Numbers(*read[1:])


def _unmasked(array: Array) -> Array:
    data = np.asarray(array)
    mask = getattr(array, "mask", None)
    if mask is not None:
        data = data.astype(object)
        data[np.broadcast_to(mask, data.shape)] = None
    return data


def typed(x: Any, name: str) -> Any:
    """X as it is, or as an array where it has values and no type that could be asked for, as some DLPack objects."""
    if type(x) is np.ndarray or not hasattr(x, "__dlpack__") or hasattr(x, "dtype") or hasattr(x, "__arrow_c_array__"):
        return x  # Arrow data is checked where it is read
    return _array(x, name)


def objects(data: Source) -> Array:
    """The values of a source as an array, of Python's own objects where NumPy has no type for them."""
    if isinstance(data, np.ndarray):
        return data
    if isinstance(data, Text):
        return np.array([*data.values, None], object)[np.minimum(data.codes, len(data.values))]
    items = data.array if isinstance(data, Numbers) else data
    array = np.empty(len(items), object)
    array[:] = items
    if isinstance(data, Numbers) and data.missing is not None:
        array[data.missing] = None
    return array


def _array(x: Any, name: str) -> Array:
    try:
        if hasattr(x, "detach") and hasattr(x, "cpu"):  # a torch tensor: without gradients, and on the CPU
            x = x.detach().cpu()
            x = x.float() if "bfloat16" in str(x.dtype) else x  # NumPy has no bfloat16
        return _converted(x)
    except Exception as error:  # the code of another library can raise anything
        raise InputError("data.not_an_array", name=name, kind=type(x).__name__, why=str(error)) from error


def _converted(x: Any) -> Array:
    if not hasattr(x, "__dlpack__"):
        return np.asarray(x)
    try:
        return np.asarray(x) if hasattr(x, "__array__") else np.from_dlpack(x)
    except (BufferError, TypeError, RuntimeError, ValueError):
        pass
    try:
        return np.from_dlpack(x)  # some objects with __dlpack__ refuse __array__
    except (BufferError, RuntimeError):
        return np.from_dlpack(x, device="cpu")  # of another device; since NumPy 2.1
