"""What a file is, by its first bytes and never by its name: kind, packing and encoding. What DuckDB cannot read as it
lies (standard input, a pipe, packed or other than UTF-8) is spooled: unpacked and decoded into a temporary file."""

from __future__ import annotations

import codecs
import hashlib
import os
import re
import stat
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from calipers.errors import InputError, MissingExtra
from calipers.files.temporary import Spools

CHUNK = 1 << 20
# What a table cannot be read from, by how it starts, and what to do instead.
REFUSED = {
    b"PK\x03\x04": "files.zip",
    b"\xd0\xcf\x11\xe0": "files.old_excel",
    b"BZh": "files.bzip2",
    b"\xfd7zXZ\x00": "files.xz",
    b"FEA1": "files.old_feather",
    b"%PDF": "files.pdf",
    b"SQLite format 3\x00": "files.sqlite",
    b"\x93NUMPY": "files.numpy",
    b"\x80\x04\x95": "files.pickle",
    b"\x80\x05\x95": "files.pickle",
    b"\x89HDF": "files.hdf5",
    b"ORC": "files.orc",
    b"Obj\x01": "files.avro",
    b"\xca\xfe\xba\xbe": "files.program",
    b"\x7fELF": "files.program",
    b"\x89PNG": "files.picture",
    b"\xff\xd8\xff": "files.picture",
}
BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
NOT_OF_FILES = ("undefined", "idna", "punycode", "unicode_escape", "unicode-escape", "raw-unicode-escape",
                "raw_unicode_escape")  # Python's codecs of names and of source code
VIETNAMESE = set("àáảãạăằắẳẵặâầấẩẫậèéẻẽẹêềếểễệìíỉĩịòóỏõọôồốổỗộơờớởỡợùúủũụưừứửữựỳýỷỹỵđ")


@dataclass(frozen=True)
class SourceFile:
    """A file as it can be read: `name` as the user gave it, `path` of that file or of its spool."""

    name: str
    path: str
    kind: str  # delimited, json, parquet, arrow or arrow stream
    steps: tuple[str, ...] = ()  # what was done to it: "gzip", "utf-16"
    stamp: tuple[int, ...] = ()  # of the file itself, to see whether it changed meanwhile

    def fingerprint(self) -> str:
        """A hash of the content: the same for a copy under another name."""
        with open(self.path, "rb") as file:
            return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()[:32]}"

    def check_unchanged(self) -> None:
        """Refuse a file that was written to while it was read."""
        try:
            changed = self.stamp and self.stamp != _stamp(Path(self.name))
        except OSError:
            changed = True
        if changed:
            raise InputError("files.changed", file=self.name)


def find(name: str, encoding: str | None, spools: Spools) -> SourceFile:
    """Look at a file (or "-", standard input) and spool it where it must be."""
    known = encoding and _codec(encoding)
    if name == "-":
        if sys.stdin is None:
            raise InputError("files.stdin_closed")
        if sys.stdin.isatty():
            raise InputError("files.stdin_terminal")
        path, title = spools.of(_read(sys.stdin.buffer), "standard input"), "standard input"
        stamp: tuple[int, ...] = ()
    else:
        title, file = name, Path(name)
        mode = _mode(file, name)
        if stat.S_ISREG(mode):
            path, stamp = name, _stamp(file)
        else:
            with _opened(name, name) as pipe:
                path, stamp = spools.of(_read(pipe), name), ()
    steps: tuple[str, ...] = ()
    start = _start(path, title)
    packing = "gzip" if start[:2] == b"\x1f\x8b" else "zstd" if start[:4] == b"\x28\xb5\x2f\xfd" else ""
    if packing:
        path = spools.of(_unpacked(path, packing, title), title)
        steps += (packing,)
        start = _start(path, title)
    kind = _binary(start, title)
    if kind:
        if known:
            raise InputError("files.no_encoding", file=title, kind=kind.capitalize())
        return SourceFile(title, path, kind, steps, stamp)
    decoded = _encoding(start, title) if not known else "utf-8-sig" if known == "utf-8" else known
    if decoded not in ("utf-8", "utf-8-sig"):
        path = spools.of(_decoded(path, decoded, title), title)
        steps += (decoded,)
        start = _start(path, title)
    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    if text[:9].lower() == b"<!doctype" or text[:5].lower() == b"<html":
        raise InputError("files.web_page", file=title)
    if text[:1] not in (b"{", b"["):
        return SourceFile(title, path, "delimited", steps, stamp)
    if start.startswith(codecs.BOM_UTF8):  # DuckDB takes the mark from CSV and not from JSON
        path = spools.of(_decoded(path, "utf-8-sig", title), title)
    return SourceFile(title, path, "json", steps, stamp)


def _mode(path: Path, name: str) -> int:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        near = _similar(path)
        if near is None:
            raise InputError("files.does_not_exist", file=name) from None
        raise InputError("files.does_not_exist_but", file=name, near=near) from None
    except OSError as error:
        raise InputError("files.cannot_be_read", file=name, why=error.strerror) from None
    if stat.S_ISDIR(mode):
        raise InputError("files.directory", file=name, example=str(path / "*.csv"))
    return mode


def _similar(path: Path) -> str | None:
    import difflib

    try:
        near = difflib.get_close_matches(path.name, os.listdir(path.parent), 1)
    except OSError:
        return None
    return str(path.parent / near[0]) if near else None


def _stamp(path: Path) -> tuple[int, ...]:
    status = path.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


def _opened(path: str, name: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except OSError as error:
        raise InputError("files.cannot_be_read", file=name, why=error.strerror) from None


def _start(path: str, name: str) -> bytes:
    with _opened(path, name) as file:
        start = file.read(CHUNK)
    if not start.strip():
        raise InputError("files.empty", file=name)
    return start


def _read(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def _unpacked(path: str, packing: str, name: str) -> Iterator[bytes]:
    if packing == "gzip":
        import gzip
        import zlib

        failures: tuple[type[Exception], ...] = (EOFError, OSError, ValueError, zlib.error)
        opened: Any = gzip.open
    else:
        try:
            if sys.version_info >= (3, 14):
                from compression import zstd
            else:
                from backports import zstd
        except ImportError:
            raise MissingExtra("files.needs_zstd", file=name) from None
        failures = (EOFError, OSError, ValueError, zstd.ZstdError)
        opened = zstd.open
    with opened(path, "rb") as file:
        try:
            yield from _read(file)
        except failures as error:
            raise InputError("files.broken_packing", file=name, packing=packing, why=str(error)) from None


def _decoded(path: str, encoding: str, name: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    # cp1258 has no letters with two marks: they come apart, and only composed ones match what people type.
    compose = encoding == "cp1258"
    carried, lines = "", 1
    with _opened(path, name) as file:
        for chunk in chain(_read(file), [b""]):
            try:
                text = carried + decoder.decode(chunk, final=not chunk)
            except UnicodeError as error:
                before = error.object[: error.start] if isinstance(error, UnicodeDecodeError) else b""
                line = lines + before.count(b"\n")
                raise InputError("files.not_this_encoding", file=name, encoding=encoding, line=line) from None
            lines += chunk.count(b"\n")
            if compose:
                end = len(text) if not chunk else max(text.rfind("\n"), 0)
                text, carried = unicodedata.normalize("NFC", text[:end]), text[end:]
            yield text.encode("utf-8", "surrogatepass")


def _codec(encoding: str) -> str:
    try:
        "a".encode(encoding)  # codecs that are not of text refuse
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        name = NOT_OF_FILES[0]
    if name in NOT_OF_FILES:
        raise InputError("files.unknown_encoding", name=encoding)
    return name


def _binary(start: bytes, name: str) -> str:
    for magic, code in REFUSED.items():
        if start.startswith(magic):
            raise InputError(code, file=name)
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"ARROW1"):
        return "arrow"
    return "arrow stream" if start.startswith(b"\xff\xff\xff\xff") else ""


def _encoding(start: bytes, name: str) -> str:
    """The encoding of text; an encoding that only the letters reveal raises an error with a suggestion."""
    for mark, encoding in BOMS:
        if start.startswith(mark):
            return encoding
    if b"\x00" in start:
        even, odd = start[::2].count(0), start[1::2].count(0)  # ASCII in UTF-16 has a zero in every second byte
        if max(even, odd) > len(start) // 8 and max(even, odd) > 8 * min(even, odd):
            wide = "utf-16-be" if even > odd else "utf-16-le"
            raise InputError("files.utf16_without_mark", file=name, encoding=wide)
        raise InputError("files.not_text", file=name)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)  # the chunk may end inside a letter
    except UnicodeDecodeError as error:
        raise not_utf8(name, start, error.start) from None
    return "utf-8"


def not_utf8(name: str, sample: bytes, at: int, first: int = 1) -> InputError:
    """The error for text that is not UTF-8, with the encoding in which the line at fault makes sense.

    `first` is the number of the first line of the sample.
    """
    number = sample[:at].count(b"\n") + first
    begin = sample.rfind(b"\n", 0, at) + 1
    end = sample.find(b"\n", at)
    line = sample[begin : end if end >= 0 else len(sample)].rstrip(b"\r")
    encoding = _plausible(sample)
    text = line.decode(encoding, "replace")
    text = unicodedata.normalize("NFC", text if len(text) <= 40 else text[:40] + "...")
    return InputError("files.not_utf8", file=name, line=number, encoding=encoding, text=text)


def _plausible(sample: bytes) -> str:
    """The encoding whose letters make sense: Vietnamese, Chinese, else Western European."""
    composed = unicodedata.normalize("NFC", sample.decode("cp1258", "replace")).casefold()
    letters = {c for c in composed if ord(c) > 127}
    if letters <= VIETNAMESE and letters - set("àáâãèéêìíòóôõùúý"):
        return "cp1258"
    try:
        chinese = codecs.getincrementaldecoder("gb18030")().decode(sample)
    except UnicodeDecodeError:
        return "cp1252"
    return "gb18030" if re.fullmatch(r"[\x00-\x7f\u3000-\u303f\u4e00-\u9fff\uff01-\uff5e]*", chinese) else "cp1252"
