"""Files that are written whole or not at all, under another name until they are whole."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from calipers.errors import InputError


def refuse(path: str) -> None:
    """Say what can be said before the work: a folder stands in the place of the file, or there is none to hold it."""
    where = Path(path).resolve()
    if where.is_dir():
        raise InputError(f"{path} cannot be written: Is a directory")
    if not where.parent.is_dir():
        raise InputError(f"{path} cannot be written: No such file or directory")
    if not os.access(where.parent, os.W_OK):
        raise InputError(f"{path} cannot be written: Permission denied")


def write(files: Mapping[str, bytes]) -> None:
    """Write every file, or none of them where one cannot be written."""
    spare: list[tuple[str, str]] = []
    try:
        for path, content in files.items():
            where = Path(path).resolve()
            refuse(path)
            try:
                number, name = tempfile.mkstemp(dir=where.parent, prefix=f".{where.name}.")
            except OSError as error:
                raise InputError(f"{path} cannot be written: {error.strerror or error}") from None
            spare.append((name, str(where)))
            with os.fdopen(number, "wb") as file:
                file.write(content)
            os.chmod(name, 0o666 & ~_mask())
        for name, final in spare:
            os.replace(name, final)
    except OSError as error:
        raise InputError(f"{error.filename2 or error.filename} cannot be written: {error.strerror or error}") from None
    finally:
        for name, _ in spare:
            Path(name).unlink(missing_ok=True)


def _mask() -> int:
    """The permissions that new files of this process lack, which a temporary file does not ask."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
