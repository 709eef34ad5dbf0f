"""A line on standard error that says how far the reading is, when that takes more than a second on a terminal."""

from __future__ import annotations

import sys
import time

AFTER, EVERY, CELLS = 1.0, 0.1, 24  # seconds, seconds, characters of the bar


class Progress:
    """Call it with the rows so far. `total` is what is expected, 0 when nobody knows."""

    def __init__(self, total: int, *, shown: bool) -> None:
        self._total, self._shown = total, shown and sys.stderr.isatty()
        self._start = self._last = time.monotonic()
        self._drawn = False

    def __call__(self, rows: int) -> None:
        """Draw the line anew, now and then."""
        now = time.monotonic()
        if not self._shown or now - self._start < AFTER or now - self._last < EVERY:
            return
        self._last, self._drawn = now, True
        share = min(rows / self._total, 1) if self._total else 0
        bar = f"[{'#' * int(share * CELLS):{CELLS}}] " if self._total else ""
        rate = rows / (now - self._start) / 1e6
        sys.stderr.write(f"\r{bar}{rows / 1e6:.1f} million rows, {rate:.1f} million a second\x1b[K")
        sys.stderr.flush()

    def close(self) -> None:
        """Wipe the line."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
