"""Damaged files of every kind that the shell reads: `damaged(rng)` gives the name of one and its bytes.

Each is a sound file of one kind, cut short, with flipped bits, with parts lost, doubled, zeroed or taken from elsewhere,
or with the start of another kind. The same generator state gives the same file.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

ROWS = 60
STARTS = (b"PAR1", b"ARROW1\x00\x00", b"\xff\xff\xff\xff", b"\x1f\x8b\x08\x00", b"\x28\xb5\x2f\xfd", b"\xff\xfe",
          b"\xfe\xff", b"\xef\xbb\xbf", b"{", b"[", b"sep=;\n", b"#", b'"', b"\x00" * 8)  # fmt: skip
TEXTS = (b"\x00", b"\xff", b"\xc3", b'"', b"\r", b"\n\n", b",,,", b"\xf0\x9f", b"nan", b"-inf", b"1e999", b"\xe2\x80\xae",
         b"9" * 400, b"{", b"]", b"\\u", b"\t")  # fmt: skip


def _table() -> dict[str, list[Any]]:
    rng = np.random.default_rng(7)
    return {
        "y_true": rng.choice(["no", "yes"], ROWS).tolist(),
        "y_pred": rng.choice(["no", "yes"], ROWS).tolist(),
        "score": rng.random(ROWS).round(4).tolist(),
        "site": rng.choice(["north", "sud", "hà nội", "北京"], ROWS).tolist(),
        "query": [f"q{i // 6}" for i in range(ROWS)],
        "doc": [f"document-number-{i}" for i in range(ROWS)],
        "relevance": rng.integers(0, 3, ROWS).tolist(),
    }


def _lines(mark: str = ",") -> str:
    held = _table()
    return "\n".join(mark.join(map(str, line)) for line in [tuple(held), *zip(*held.values(), strict=True)]) + "\n"


def _objects() -> list[dict[str, Any]]:
    held = _table()
    return [dict(zip(held, line, strict=True)) for line in zip(*held.values(), strict=True)]


def _trec(score: bool) -> bytes:
    held = _table()
    rows = zip(held["query"], held["doc"], held["score"], held["relevance"], strict=True)
    lines = [f"{q} Q0 {d} {i + 1} {s} tag" if score else f"{q} 0 {d} {r}" for i, (q, d, s, r) in enumerate(rows)]
    return ("\n".join(lines) + "\n").encode()


def _parquet(compression: str) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    held = io.BytesIO()
    parquet.write_table(pa.table(_table()), held, compression=compression, row_group_size=25)
    return held.getvalue()


def _arrow(form: str, **how: Any) -> bytes:
    import pyarrow as pa
    from pyarrow import ipc

    held, table = io.BytesIO(), pa.table(_table())
    if how.pop("dictionary", False):
        table = table.set_column(0, "y_true", table["y_true"].combine_chunks().dictionary_encode())
    new = ipc.new_file if form == "file" else ipc.new_stream
    with new(held, table.schema, options=ipc.IpcWriteOptions(**how)) as out:
        for batch in table.to_batches(25):
            out.write_batch(batch)
    return held.getvalue()


def _zstd(content: bytes) -> bytes:
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    return bytes(zstd.compress(content))


KINDS: dict[str, Callable[[], bytes]] = {
    "x.csv": lambda: _lines().encode(),
    "x.tsv": lambda: _lines("\t").encode(),
    "utf16.csv": lambda: _lines().encode("utf-16"),
    "x.csv.gz": lambda: gzip.compress(_lines().encode(), mtime=0),
    "x.csv.zst": lambda: _zstd(_lines().encode()),
    "x.jsonl": lambda: "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in _objects()).encode(),
    "x.json": lambda: json.dumps(_objects()).encode(),
    "x.jsonl.gz": lambda: gzip.compress(KINDS["x.jsonl"](), mtime=0),
    "plain.parquet": lambda: _parquet("none"),
    "snappy.parquet": lambda: _parquet("snappy"),
    "zstd.parquet": lambda: _parquet("zstd"),
    "x.arrow": lambda: _arrow("file"),
    "dictionary.arrow": lambda: _arrow("file", dictionary=True),
    "packed.arrow": lambda: _arrow("file", compression="zstd"),
    "x.arrows": lambda: _arrow("stream"),
    "x.parquet.gz": lambda: gzip.compress(_parquet("snappy"), mtime=0),
    "qrels.txt": lambda: _trec(score=False),
    "run.txt": lambda: _trec(score=True),
    "run.txt.gz": lambda: gzip.compress(_trec(score=True), mtime=0),
}


@cache
def sound(kind: str) -> bytes:
    """The file of this kind before it is damaged."""
    return KINDS[kind]()


def _span(rng: Any, size: int, most: int) -> tuple[int, int]:
    begin = int(rng.integers(0, size))
    return begin, min(size, begin + 1 + int(rng.integers(0, most)))


def _cut(rng: Any, data: bytearray) -> bytearray:
    return data[: int(rng.integers(0, len(data)))]


def _flip(rng: Any, data: bytearray) -> bytearray:
    for at in rng.integers(0, len(data), int(rng.integers(1, 9))):
        data[int(at)] ^= 1 << int(rng.integers(0, 8))
    return data


def _noise(rng: Any, data: bytearray) -> bytearray:
    begin, end = _span(rng, len(data), 32)
    data[begin:end] = rng.bytes(end - begin)
    return data


def _zeros(rng: Any, data: bytearray) -> bytearray:
    begin, end = _span(rng, len(data), 64)
    data[begin:end] = bytes(end - begin)
    return data


def _lose(rng: Any, data: bytearray) -> bytearray:
    begin, end = _span(rng, len(data), 200)
    del data[begin:end]
    return data


def _double(rng: Any, data: bytearray) -> bytearray:
    begin, end = _span(rng, len(data), 200)
    data[end:end] = data[begin:end]
    return data


def _insert(rng: Any, data: bytearray) -> bytearray:
    at = int(rng.integers(0, len(data)))
    data[at:at] = TEXTS[int(rng.integers(len(TEXTS)))]
    return data


def _start(rng: Any, data: bytearray) -> bytearray:
    start = STARTS[int(rng.integers(len(STARTS)))]
    data[: len(start) if rng.random() < 0.5 else 0] = start
    return data


def _append(rng: Any, data: bytearray) -> bytearray:
    other = sound(list(KINDS)[int(rng.integers(len(KINDS)))])
    return data + (other if rng.random() < 0.5 else rng.bytes(20))


def _big(rng: Any, data: bytearray) -> bytearray:
    """A number of the header, or of anywhere, made large or negative."""
    at = int(rng.integers(0, max(1, len(data) - 8)))
    value = int(rng.choice([2**31 - 1, -1, -(2**31), 10**9, 255]))
    data[at : at + 4] = value.to_bytes(4, "little", signed=True)
    return data


DAMAGES = (_cut, _flip, _noise, _zeros, _lose, _double, _insert, _start, _append, _big)


def damaged(rng: np.random.Generator) -> tuple[str, bytes]:
    """The name and the bytes of a damaged file; `rng` is a NumPy generator."""
    name = list(KINDS)[int(rng.integers(len(KINDS)))]
    data = bytearray(sound(name))
    for _ in range(1 + int(rng.random() < 0.3)):
        if data:
            data = bytearray(DAMAGES[int(rng.integers(len(DAMAGES)))](rng, data))
    return name, bytes(data)
