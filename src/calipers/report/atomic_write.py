"""Files that are written whole or not at all, under another name until they are whole."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from calipers.errors import InputError
from calipers.remarks import Remark


def refuse(path: str) -> None:
    """Refuse, before the work, a path that cannot be written: it is a folder, or its folder does not exist."""
    where = Path(path).resolve()
    if where.is_dir():
        raise InputError("report.cannot_be_written", path=path, why=Remark("report.is_a_directory"))
    if where.exists() and not where.is_file():  # a device would be replaced by a file
        raise InputError("report.cannot_be_written", path=path, why=Remark("report.not_a_regular_file"))
    if not where.parent.is_dir():
        raise InputError("report.cannot_be_written", path=path, why=Remark("report.no_such_folder"))
    if not os.access(where.parent, os.W_OK):
        raise InputError("report.cannot_be_written", path=path, why=Remark("report.permission_denied"))


def write(files: Mapping[str, bytes]) -> None:
    """Write every file, or none of them where one cannot be written."""
    spare: list[tuple[str, str]] = []
    try:
        for path, content in files.items():
            where = Path(path).resolve()
            refuse(path)
            with _named(path):
                number, name = tempfile.mkstemp(dir=where.parent, prefix=f".{where.name}.")
                spare.append((name, str(where)))
                with os.fdopen(number, "wb") as file:
                    file.write(content)
                os.chmod(name, 0o666 & ~_mask())
        for (name, final), path in zip(spare, files, strict=True):
            with _named(path):
                os.replace(name, final)
    finally:
        for name, _ in spare:
            Path(name).unlink(missing_ok=True)


@contextmanager
def _named(path: str) -> Iterator[None]:
    """An error of the system, as one about the file that the user named."""
    try:
        yield
    except OSError as error:
        raise InputError("report.cannot_be_written", path=path, why=error.strerror or error) from None


def _mask() -> int:
    """The permissions that new files of this process lack, which a temporary file does not ask."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
