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
                raise InputError("files.too_large", file=name, size=_size(self.limit))
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
        raise InputError("files.no_room", folder=where, why=error.strerror or str(error)) from None


def _size(count: int) -> str:
    return f"{count / GIGABYTE:.3g} GB" if count >= GIGABYTE else f"{count / (1 << 20):.3g} MB"
