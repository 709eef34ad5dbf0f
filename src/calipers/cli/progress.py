"""A line on standard error that says how far the reading is, when that takes more than a second on a terminal."""

from __future__ import annotations

import sys
import time

from calipers.progress import bar

AFTER, EVERY = 1.0, 0.1  # seconds


class Progress:
    """Call it with what is counted (rows, bytes), how many there are so far, and how many are expected or 0."""

    def __init__(self, *, visible: bool) -> None:
        self._visible = visible and sys.stderr.isatty()
        self._what, self._has_line = "", False
        self._start = self._last = time.monotonic()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Draw the line anew, now and then."""
        now = time.monotonic()
        if what != self._what:
            self._what, self._start = what, now
        if not self._visible or now - self._start < AFTER or now - self._last < EVERY:
            return
        self._last, self._has_line = now, True
        share = f"{bar(done / total)} " if total else ""
        rate = done / (now - self._start) / 1e6
        sys.stderr.write(f"\r{share}{done / 1e6:.1f} million {what}, {rate:.1f} million a second\x1b[K")
        sys.stderr.flush()

    def close(self) -> None:
        """Wipe the line."""
        if self._has_line:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
