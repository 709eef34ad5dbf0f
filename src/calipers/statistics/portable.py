"""Values that turn into bytes and back, in any fresh process: magic, format, checksum, JSON header, then arrays."""

from __future__ import annotations

import json
import re
import struct
import zlib
from dataclasses import Field, fields
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, ClassVar

import numpy as np

from calipers.errors import CalipersError, InputError, OtherVersion
from calipers.remarks import Remark, coded, decoded

MAGIC = b"CALIPERS"
FORMAT = 1
START = 20  # where the header begins: after the magic, the format, the header's length and the checksum
ALIGNED = 8  # arrays begin at a multiple of so many bytes, so that numbers can be read where they are
# Marks a field for what was found of the state on the way: bytes and pickles leave it out. `replace` carries it along.
FOUND = {"found": True}
NUMBERS = re.compile(r"[<|][biuf]\d+")  # the only arrays that statistics hold


class Portable:
    """A frozen dataclass whose fields are the state, but for those marked FOUND. Arrays are never written to."""

    registry: ClassVar[dict[str, type[Portable]]] = {}
    version: ClassVar[int] = 1
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]  # the decorator of each subclass sets it

    def __init_subclass__(cls, abstract: bool = False) -> None:
        if not abstract:
            Portable.registry[cls.__name__] = cls

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), self.state())

    def state(self) -> dict[str, Any]:
        """The fields by name, without what was found of them."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.metadata != FOUND}

    def to_bytes(self) -> bytes:
        """A self-describing form: magic, format, checksum, JSON header, then the arrays one after another."""
        arrays: list[memoryview] = []
        header = json.dumps(_describe(self, arrays), ensure_ascii=False).encode()
        header += b" " * (-(START + len(header)) % ALIGNED)
        checksum = zlib.crc32(header)
        for array in arrays:
            checksum = zlib.crc32(array, checksum)
        return b"".join((MAGIC, struct.pack("<III", FORMAT, len(header), checksum), header, *arrays))  # one copy

    @staticmethod
    def from_bytes(data: bytes | memoryview) -> Portable:
        """The statistic that `to_bytes` wrote. Its arrays are views of the bytes."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise InputError("statistics.not_bytes", kind=type(data).__name__)
        data = data if isinstance(data, memoryview) and data.readonly else memoryview(bytes(data))
        if data[:8] != MAGIC or len(data) < START:
            raise InputError("statistics.not_a_statistic")
        form, length, checksum = struct.unpack_from("<III", data, 8)
        if form != FORMAT:
            raise OtherVersion("statistics.other_format", form=form, ours=FORMAT)
        if zlib.crc32(data[START:]) != checksum:
            raise InputError("statistics.wrong_checksum")
        try:
            described = json.loads(bytes(data[START : START + length]))
            statistic, end = _restore(described, data, START + length)
        except CalipersError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise InputError("statistics.damaged", error=error) from error
        if end != len(data) or not isinstance(statistic, Portable):
            raise InputError("statistics.wrong_length", length=len(data), expected=end)
        return statistic


def _made(kind: type[Portable], state: dict[str, Any]) -> Portable:
    return kind(**{name: _aligned(value) if isinstance(value, np.ndarray) else value for name, value in state.items()})


def _aligned(array: Any) -> Any:
    """The array, at an address where numbers can be read: a message may hold it at any byte."""
    return array if array.flags.aligned else array.copy()


def _describe(value: Any, arrays: list[memoryview]) -> Any:
    if isinstance(value, Portable):
        state = {name: _describe(each, arrays) for name, each in value.state().items()}
        return {"statistic": type(value).__name__, "version": value.version, "state": state}
    if isinstance(value, np.ndarray):
        plain = np.ascontiguousarray(value, value.dtype.newbyteorder("<"))
        arrays.append(plain.reshape(-1).view(np.uint8).data)
        return {"array": plain.dtype.str, "shape": value.shape}
    if isinstance(value, dict):  # keys are labels, which JSON would turn into strings
        return {"items": [[_describe(k, arrays), _describe(v, arrays)] for k, v in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [_describe(v, arrays) for v in value]}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Remark):
        return {"text": str(value), "remark": coded({"remark": value})["remark"]}
    return value


def _restore(described: Any, data: memoryview, at: int) -> tuple[Any, int]:
    if not isinstance(described, dict):
        return described, at
    if "array" in described:
        if not NUMBERS.fullmatch(described["array"]):
            raise InputError("statistics.damaged_array", kind=described["array"])
        dtype, shape = np.dtype(described["array"]), tuple(described["shape"])
        size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        array = _aligned(np.frombuffer(data, dtype, size // dtype.itemsize, at).reshape(shape))
        return array.astype(dtype.newbyteorder("="), copy=False), at + size
    if "remark" in described:
        return decoded(str(described["text"]), described["remark"]), at
    if "tuple" in described:
        values = []
        for item in described["tuple"]:
            value, at = _restore(item, data, at)
            values.append(value)
        return tuple(values), at
    if "items" in described:
        pairs = []
        for item in described["items"]:
            pair, at = _restore({"tuple": item}, data, at)
            pairs.append(pair)
        return dict(pairs), at
    kind = _kind(str(described["statistic"]))
    if described["version"] != kind.version:
        raise OtherVersion(
            "statistics.other_version", kind=kind.__name__, version=described["version"], ours=kind.version
        )
    state = {}
    for name, item in described["state"].items():
        state[name], at = _restore(item, data, at)
    return kind(**state), at


def _kind(name: str) -> type[Portable]:
    """The statistic of that name, whose module may not have been imported."""
    if name not in Portable.registry:
        package = import_module("calipers.statistics")
        for module in iter_modules(package.__path__):
            import_module(f"{package.__name__}.{module.name}")
        import_module("calipers.evaluation.stream")
    if name not in Portable.registry:
        raise OtherVersion("statistics.unknown_statistic", name=name[:60])
    return Portable.registry[name]
