"""The contract of a statistic, and its bytes.

A statistic is a commutative monoid with replication: `empty()` is the identity, `merge` is associative and
commutative, `scale(k)` equals k repetitions. What can be merged can be streamed, run on a group, and kept for a
day and added to tomorrow's. There is no subtraction, because floating sums do not have one.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from dataclasses import Field, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from calipers.errors import CalipersError, InputError, OtherVersion

if TYPE_CHECKING:
    from calipers.data.batch import Batch

Array = npt.NDArray[Any]

MAGIC = b"CALIPERS"
FORMAT = 1
START = 20  # where the header begins: after the magic, the format, the header's length and the checksum
HOMES = {  # the modules of the statistics by name, so that bytes can be read before anything was measured
    "BySlice": "combine", "ClassScores": "classes", "ConfusionCounts": "confusion", "Errors": "errors",
    "Evidence": "combine", "JointMoments": "moments", "LabelCounts": "labels", "LabelPairs": "labels",
    "Losses": "moments",
    "Moments": "moments", "QueryGains": "queries", "RankCounts": "ranks", "Rows": "rows", "ScoreSamples": "scores",
}  # fmt: skip
NUMBERS = re.compile(r"[<|][biuf]\d+")  # the only arrays that statistics hold


class Statistic:
    """An immutable value made from rows, merged with others like it.

    Subclasses are frozen dataclasses; their fields are the state and all of it. Arrays in them are never written to.
    """

    registry: ClassVar[dict[str, type[Statistic]]] = {}
    version: ClassVar[int] = 1
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]  # the decorator of each subclass sets it

    def __init_subclass__(cls, abstract: bool = False) -> None:
        if not abstract:
            Statistic.registry[cls.__name__] = cls

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """The statistic of these rows."""
        raise NotImplementedError

    @classmethod
    def empty(cls) -> Self:
        """The statistic of no rows: the identity of merge."""
        raise NotImplementedError

    def merge(self, other: Self) -> Self:
        """The statistic of both sets of rows."""
        raise NotImplementedError

    def scale(self, factor: int) -> Self:
        """The statistic of the rows repeated `factor` times."""
        raise NotImplementedError

    def to_bytes(self) -> bytes:
        """A self-describing form: magic, format, checksum, JSON header, then the arrays one after another."""
        arrays: list[bytes] = []
        header = json.dumps(_describe(self, arrays), ensure_ascii=False).encode()
        body = header + b"".join(arrays)
        return MAGIC + struct.pack("<III", FORMAT, len(header), zlib.crc32(body)) + body

    @staticmethod
    def from_bytes(data: bytes) -> Statistic:
        """The statistic that `to_bytes` wrote."""
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise InputError("statistics.not_bytes", kind=type(data).__name__)
        data = bytes(data)
        if data[:8] != MAGIC or len(data) < START:
            raise InputError("statistics.not_a_statistic")
        form, length, checksum = struct.unpack_from("<III", data, 8)
        if form != FORMAT:
            raise OtherVersion("statistics.other_format", form=form, ours=FORMAT)
        if zlib.crc32(data[START:]) != checksum:
            raise InputError("statistics.wrong_checksum")
        try:
            described = json.loads(data[START : START + length])
            statistic, end = _restore(described, data, START + length)
        except CalipersError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise InputError("statistics.damaged", error=error) from error
        if end != len(data) or not isinstance(statistic, Statistic):
            raise InputError("statistics.wrong_length", length=len(data), expected=end)
        return statistic


def _describe(value: Any, arrays: list[bytes]) -> Any:
    if isinstance(value, Statistic):
        state = {f.name: _describe(getattr(value, f.name), arrays) for f in fields(value)}
        return {"statistic": type(value).__name__, "version": value.version, "state": state}
    if isinstance(value, np.ndarray):
        plain = np.ascontiguousarray(value, value.dtype.newbyteorder("<"))
        arrays.append(plain.tobytes())
        return {"array": plain.dtype.str, "shape": value.shape}
    if isinstance(value, dict):  # keys are labels, which JSON would turn into strings
        return {"items": [[_describe(k, arrays), _describe(v, arrays)] for k, v in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [_describe(v, arrays) for v in value]}
    if isinstance(value, np.generic):
        return value.item()
    return value


def _restore(described: Any, data: bytes, at: int) -> tuple[Any, int]:
    if not isinstance(described, dict):
        return described, at
    if "array" in described:
        if not NUMBERS.fullmatch(described["array"]):
            raise InputError("statistics.damaged_array", kind=described["array"])
        dtype, shape = np.dtype(described["array"]), tuple(described["shape"])
        size = dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        array = np.frombuffer(data[at : at + size], dtype).reshape(shape)
        return array.astype(dtype.newbyteorder("="), copy=False), at + size
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


def _kind(name: str) -> type[Statistic]:
    """The statistic of that name, whose module may not have been imported."""
    if name not in Statistic.registry and name in HOMES:
        import_module(f"calipers.statistics.{HOMES[name]}")
    if name not in Statistic.registry:
        raise OtherVersion("statistics.unknown_statistic", name=name[:60])
    return Statistic.registry[name]


def joined(mine: Array | None, theirs: Array | None, my_ones: int, their_ones: int) -> Array | None:
    """Weights of two sets of rows one after the other, where None stands for ones."""
    if mine is None and theirs is None:
        return None
    return np.concatenate(
        (np.ones(my_ones) if mine is None else mine, np.ones(their_ones) if theirs is None else theirs)
    )
