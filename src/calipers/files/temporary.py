"""Temporary files, for what DuckDB cannot read as it lies."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from calipers.errors import InputError

GIGABYTE = 1 << 30
Watch = Callable[[str, int, int], object]  # what is counted (bytes, rows), how many so far, how many in all or 0


@dataclass(frozen=True)
class Spools:
    """Makes temporary files of at most `limit` bytes, which go when `resources` closes; `watch` gets their progress."""

    resources: ExitStack
    limit: int
    watch: Watch

    def new(self) -> Any:
        """An empty one."""
        with room_for_spools():
            return self.resources.enter_context(tempfile.NamedTemporaryFile(prefix="calipers-"))

    def of(self, chunks: Iterable[bytes], name: str) -> str:
        """The path of one with these bytes."""
        spool, size = self.new(), 0
        for chunk in chunks:
            size += len(chunk)
            if size > self.limit:
                raise InputError(
                    f"{name} holds more than {_size(self.limit)} once it is read or unpacked: if that is right, "
                    "raise the bound with --limit, such as --limit 20GB"
                )
            with room_for_spools():
                spool.write(chunk)
                spool.flush()
            self.watch("bytes", size, 0)
        return str(spool.name)


@contextmanager
def room_for_spools() -> Iterator[None]:
    """Says where temporary files could not be written, and what to do."""
    try:
        yield
    except OSError as error:
        where = tempfile.gettempdir()
        raise InputError(
            f"a temporary file cannot be written in {where}: {error.strerror or error}; "
            "make room there, or name another folder in the environment variable TMPDIR"
        ) from None


def _size(count: int) -> str:
    return f"{count / GIGABYTE:.3g} GB" if count >= GIGABYTE else f"{count / (1 << 20):.3g} MB"
