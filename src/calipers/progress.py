"""A line on standard error that says how far long work is, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from itertools import count
from typing import TypeVar

T = TypeVar("T")
PATIENCE, CELLS = 2.0, 24  # seconds before the line, characters of the bar


def bar(share: float) -> str:
    """A share of the work as a bar.

    >>> bar(0.25)
    '[######                  ]'
    """
    return f"[{'#' * int(min(share, 1) * CELLS):{CELLS}}]"


def with_progress(
    work: Iterable[T], total: int, what: str = "resampling", *, step: int = 1, patience: float | None = None
) -> Iterator[T]:
    """The items, with how many are done shown on a terminal after `patience` seconds; each counts for `step`."""
    start, has_line, items = time.monotonic(), False, iter(work)
    try:
        for done in count(0, step):
            if time.monotonic() - start >= (PATIENCE if patience is None else patience) and sys.stderr.isatty():
                print(f"\r{bar(done / total)} {what}: {done} of {total}", end="", file=sys.stderr, flush=True)
                has_line = True
            try:
                item = next(items)
            except StopIteration:
                return
            yield item
    finally:
        if has_line:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
