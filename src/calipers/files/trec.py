"""TREC's qrels and run files, packed or not, as columns: query, document, and relevance or score."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from calipers.data.reading_rankings import Table
from calipers.errors import InputError
from calipers.remarks import Remark

CHUNK = 1 << 24


class Format(NamedTuple):
    """How many fields a line has, which of them is the number, and a line as it should be."""

    fields: int
    number: int
    what: str
    example: str


QRELS = Format(4, 3, "relevance", "query 0 document relevance")
RUN = Format(6, 4, "score", "query Q0 document rank score tag")
BOTH = (QRELS, RUN)


def is_trec(path: str | Path, form: Format) -> bool:
    """Whether the first line has the fields of such a file, the number among them."""
    with opened(path) as file:
        fields = _read(path, file, 1).partition(b"\n")[0].removeprefix(b"\xef\xbb\xbf").split()
    return len(fields) == form.fields and _is_number(fields[form.number])


def read(path: str | Path, form: Format) -> Table:
    """Queries and documents as text, and the numbers; places are lines of the file."""
    parts: tuple[list[Any], ...] = ([], [], [])
    where, rows = partial(_place, path), 0
    for tokens in _chunks(path, form):
        numbers = tokens[form.number :: form.fields]
        try:
            parts[2].append(np.array(numbers).astype(np.float64))
        except ValueError:
            at = next(i for i, text in enumerate(numbers) if not _is_number(text))
            text = numbers[at].decode(errors="replace")
            place = where(rows + at)
            raise InputError("files.trec_not_a_number", place=place, what=form.what, text=text) from None
        rows += len(numbers)
        parts[0].append(np.array(tokens[0 :: form.fields]))
        parts[1].append(np.array(tokens[2 :: form.fields]))
    if not parts[0]:
        raise InputError("files.trec_empty", file=str(path), example=form.example)
    query, document, number = map(np.concatenate, parts)
    return Table(query, document, number, where)


def _place(path: str | Path, row: int) -> str:
    """The line of a row in its file; empty lines are not rows."""
    with opened(path) as file:
        lines = (line for line, text in enumerate(file, 1) if text.split())
        line = next(line for place, line in enumerate(lines) if place == row)
        return Remark("files.line_of", file=str(path), line=line)


def _chunks(path: str | Path, form: Format) -> Iterator[list[bytes]]:
    """The fields of many lines at once."""
    line = 1
    with opened(path) as file:
        while data := _read(path, file):
            data = data.removeprefix(b"\xef\xbb\xbf" if line == 1 else b"")
            tokens = data.split()
            lines = data.count(b"\n") + (not data.endswith(b"\n"))
            # The number of fields can be right although fields are on the wrong lines. Then the second field, a
            # constant, varies.
            constant = len(set(tokens[1 :: form.fields])) <= 1
            if len(tokens) != lines * form.fields or not constant:
                tokens = _line_by_line(path, form, data, line)
            if tokens:
                yield tokens
            line += lines


def _read(path: str | Path, file: Any, size: int = CHUNK) -> bytes:
    """The next lines, whole."""
    try:
        data: bytes = file.read(size)
        return data + file.readline() if data else data
    except (EOFError, OSError, zlib.error) as error:
        raise InputError("files.damaged", file=str(path), why=str(error)) from None


def _line_by_line(path: str | Path, form: Format, data: bytes, first: int) -> list[bytes]:
    tokens: list[bytes] = []
    for at, text in enumerate(data.split(b"\n"), first):
        fields = text.split()
        if fields and len(fields) != form.fields:
            place = Remark("files.line_of", file=str(path), line=at)
            needed = {"needed": form.fields, "example": form.example}
            raise InputError("files.trec_fields", place=place, count=len(fields), **needed)
        tokens += fields
    return tokens


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def opened(path: str | Path) -> BinaryIO | gzip.GzipFile:
    """The bytes of a file, unpacked."""
    try:
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        return gzip.open(path) if packed else open(path, "rb")
    except OSError as error:
        raise InputError("files.cannot_be_read", file=str(path), why=error.strerror) from None
    except ValueError as error:  # a name that no file system allows
        raise InputError("files.not_a_file_name", name=str(path), why=str(error)) from None
