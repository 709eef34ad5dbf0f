"""Damaged files of every kind that the shell reads: `damaged(random)` gives the name of one and its bytes.

Each is a sound file of one kind, cut short, with flipped bits, with parts lost, doubled, zeroed or overwritten, or
with the start of another kind. The same generator state gives the same file.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import numpy as np

ROWS = 60
STARTS = (b"PAR1", b"ARROW1\x00\x00", b"\xff\xff\xff\xff", b"\x1f\x8b\x08\x00", b"\x28\xb5\x2f\xfd", b"\xff\xfe",
          b"\xfe\xff", b"\xef\xbb\xbf", b"{", b"[", b"sep=;\n", b"#", b'"', b"\x00" * 8)  # fmt: skip
TEXTS = (b"\x00", b"\xff", b"\xc3", b'"', b"\r", b"\n\n", b",,,", b"\xf0\x9f", b"nan", b"-inf", b"1e999",
         b"\xe2\x80\xae", b"9" * 5000, b"{", b"]", b"\\u", b"\t", b"[" * 100_000)  # fmt: skip


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


def _span(rng: Random, size: int, most: int) -> tuple[int, int]:
    begin = rng.randrange(size)
    return begin, min(size, begin + 1 + rng.randrange(most))


def _cut(rng: Random, data: bytearray) -> bytearray:
    return data[: rng.randrange(len(data))]


def _flip(rng: Random, data: bytearray) -> bytearray:
    for _ in range(rng.randint(1, 8)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return data


def _noise(rng: Random, data: bytearray) -> bytearray:
    begin, end = _span(rng, len(data), 32)
    data[begin:end] = rng.randbytes(end - begin)
    return data


def _zeros(rng: Random, data: bytearray) -> bytearray:
    begin, end = _span(rng, len(data), 64)
    data[begin:end] = bytes(end - begin)
    return data


def _lose(rng: Random, data: bytearray) -> bytearray:
    begin, end = _span(rng, len(data), 200)
    del data[begin:end]
    return data


def _double(rng: Random, data: bytearray) -> bytearray:
    begin, end = _span(rng, len(data), 200)
    data[end:end] = data[begin:end]
    return data


def _insert(rng: Random, data: bytearray) -> bytearray:
    at = rng.randrange(len(data))
    data[at:at] = rng.choice(TEXTS)
    return data


def _start(rng: Random, data: bytearray) -> bytearray:
    start = rng.choice(STARTS)
    data[: len(start) if rng.random() < 0.5 else 0] = start
    return data


def _append(rng: Random, data: bytearray) -> bytearray:
    other = sound(rng.choice(list(KINDS)))
    return data + (other if rng.random() < 0.5 else rng.randbytes(20))


def _big(rng: Random, data: bytearray) -> bytearray:
    """A number of the header, or of anywhere, made large or negative."""
    at = rng.randrange(max(1, len(data) - 8))
    value = rng.choice((2**31 - 1, -1, -(2**31), 10**9, 255))
    data[at : at + 4] = value.to_bytes(4, "little", signed=True)
    return data


# What the shell is asked to do with FILE.
COMMANDS = (
    ("evaluate", "FILE", "--by", "site", "--quiet"),
    ("evaluate", "FILE", "--positive", "yes", "--score", "score"),
    ("evaluate", "FILE", "--truth", "y_true", "--pred", "y_pred", "--json"),
    ("evaluate", "FILE", "FILE"),
    ("evaluate", "FILE", "--truth", "score", "--pred", "relevance", "--task", "regression"),
    ("evaluate", "FILE", "--truth", "y_true", "--pred", "y_pred", "--groups", "query", "--weights", "score"),
    ("compare", "FILE", "--pred", "y_pred,site", "--truth", "y_true"),
    ("compare", "FILE", "FILE", "--key", "doc", "--truth", "y_true", "--pred", "y_pred"),
    ("gate", "FILE", "--require", "accuracy > 0.1", "--truth", "y_true", "--pred", "y_pred"),
    ("gate", "FILE", "--require", "accuracy > 0.1", "--baseline", "FILE"),
    ("rank", "FILE"),
    ("rank", "FILE", "FILE"),
    ("evaluate", "--sql", "select * from 'FILE'"),
    ("validate", "FILE", "--truth", "y_true", "--model", "sklearn.naive_bayes:GaussianNB", "--drop", "doc",
     "--cv", "2"),
)  # fmt: skip

DAMAGES = (_cut, _flip, _noise, _zeros, _lose, _double, _insert, _start, _append, _big)


def damaged(rng: Random) -> tuple[str, bytes]:
    """The name and the bytes of a damaged file."""
    name = rng.choice(list(KINDS))
    data = bytearray(sound(name))
    for _ in range(rng.choice((1, 1, 1, 2))):
        if data:
            data = bytearray(rng.choice(DAMAGES)(rng, data))
    return name, bytes(data)
