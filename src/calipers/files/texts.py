"""Documents of tokens, and topics, from files: one per line, as words separated by spaces or as JSON; packed or not."""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import Any

from calipers.data.texts import Document
from calipers.errors import InputError
from calipers.files.trec import opened
from calipers.remarks import Remark

KEYS = ("tokens", "text")  # of a JSON object: a list of words, or words separated by spaces
LIKELIHOOD = "log_likelihood"


def documents(path: str | os.PathLike[str]) -> Iterator[Document]:
    """The documents of a file, one per line: words separated by spaces, or JSON: a list of words, or an object with
    "tokens" or "text" and, optionally, "log_likelihood". Blank lines are skipped.
    """
    for line, value in _lines(path, _texts(path)):
        for each in value if _is_table(value) else (value,):
            yield _document(each, path, line)


def topics(path: str | os.PathLike[str]) -> Any:
    """The topics of a file: one per line, words separated by spaces or a JSON list; or one JSON list or object of
    all."""
    lines = list(_texts(path))
    try:
        found = json.loads("".join(text for _, text in lines))
    except (ValueError, RecursionError):
        return [value for _, value in _lines(path, lines)]
    return found if isinstance(found, dict) or _is_table(found) else [found]


def _document(value: Any, path: str | os.PathLike[str], line: int) -> Document:
    if not isinstance(value, dict):
        return Document(value)
    key = next((key for key in KEYS if key in value), None)
    if key is None:
        place = Remark("files.line_of", file=os.fspath(path), line=line)
        raise InputError("topics.no_tokens_in_object", place=place, keys=list(value)[:10])
    words = value[key]
    return Document(words.split() if isinstance(words, str) else words, value.get(LIKELIHOOD))


def _lines(path: str | os.PathLike[str], lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, Any]]:
    """The lines that are not blank: words, or what their JSON says, as the first line decides."""
    is_json: bool | None = None
    for line, text in lines:
        if not text.strip():
            continue
        if is_json is None:
            is_json = _parses(text)
        if not is_json:
            yield line, text.split()
            continue
        try:
            yield line, json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError("files.not_json", file=os.fspath(path), line=line, why=str(error)) from None


def _parses(text: str) -> bool:
    try:
        return isinstance(json.loads(text), (list, dict))
    except (ValueError, RecursionError):
        return False


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, (list, dict)) for each in value)


def _texts(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    name = os.fspath(path)
    try:
        with nullcontext(sys.stdin.buffer) if name == "-" else opened(name) as file:
            for line, data in enumerate(file, 1):
                yield line, data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise InputError("topics.not_utf8", file=name, why=str(error)) from None
    except (EOFError, OSError, zlib.error) as error:
        raise InputError("files.damaged", file=name, why=str(error)) from None
