"""Temporary files, for what DuckDB cannot read as it lies. They are in a folder that is removed when its process ends,
and by the next process where that one was killed."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calipers.errors import InputError

try:
    import fcntl
except ImportError:  # Windows, which has no such locks: there the folder of a killed process stays
    fcntl = None  # type: ignore[assignment]

GIGABYTE = 1 << 30
PREFIX, LOCK = "calipers-", "lock"
Watch = Callable[[str, int, int], object]  # what is counted (bytes, rows), how many so far, how many in all or 0


@dataclass(frozen=True)
class Spools:
    """Makes temporary files of at most `limit` bytes in a folder, which go when `resources` closes; `watch` gets their
    progress."""

    resources: ExitStack
    folder: str
    limit: int
    watch: Watch

    def new(self) -> Any:
        """An empty one."""
        with room_for_spools():
            return self.resources.enter_context(tempfile.NamedTemporaryFile(dir=self.folder))

    def of(self, chunks: Iterable[bytes], name: str) -> str:
        """The path of one with these bytes."""
        spool, size = self.new(), 0
        for chunk in chunks:
            size += len(chunk)
            if size > self.limit:
                raise InputError("files.too_large", file=name, size=_size(self.limit))
            with room_for_spools():
                spool.write(chunk)
                spool.flush()
            self.watch("bytes", size, 0)
        return str(spool.name)


@contextmanager
def private_folder() -> Iterator[str]:
    """A new folder for the temporary files of this process, which is removed in the end; folders that killed processes
    left are removed first."""
    with room_for_spools():
        _remove_abandoned(Path(tempfile.gettempdir()))
        folder = tempfile.mkdtemp(prefix=PREFIX)
    try:
        with room_for_spools():
            lock = open(os.path.join(folder, "new"), "wb")  # noqa: SIM115 - held until the folder goes
        with lock:
            if fcntl is not None:
                fcntl.flock(lock, fcntl.LOCK_EX)
            # Only a lock that is held gets the name by which other processes look for it.
            os.replace(lock.name, os.path.join(folder, LOCK))
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned(where: Path) -> None:
    """Remove folders of this user whose lock no process holds: the system releases it when a process ends."""
    if fcntl is None:
        return
    for folder in where.glob(f"{PREFIX}*"):
        try:
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
                continue
            with open(folder / LOCK, "rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # in use, already removed, or not one of ours
            continue


@contextmanager
def room_for_spools() -> Iterator[None]:
    """Says where temporary files could not be written, and what to do."""
    try:
        yield
    except OSError as error:
        where = tempfile.gettempdir()
        raise InputError("files.no_room", folder=where, why=error.strerror or str(error)) from None


def _size(count: int) -> str:
    return f"{count / GIGABYTE:.3g} GB" if count >= GIGABYTE else f"{count / (1 << 20):.3g} MB"
