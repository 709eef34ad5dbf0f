"""A line on standard error that says how far the reading is, when that takes more than a second on a terminal."""

from __future__ import annotations

import sys
import time

import click

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
        sys.stderr.write(f"\r{share}{_line(what, done, total, now - self._start)}\x1b[K")
        sys.stderr.flush()

    def close(self) -> None:
        """Wipe the line."""
        if self._has_line:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _line(what: str, done: int, total: int, seconds: float) -> str:
    """How much is done, how fast, and the time that is left if the total is known, in the language of the reader."""
    from calipers.report.messages import local, reader, text

    context = click.get_current_context(silent=True)
    lang = reader(None if context is None else context.params.get("lang"))
    rate = done / seconds
    left = max(0, round((total - done) / rate)) if done else 0
    values = {"done": f"{done / 1e6:.1f}", "rate": f"{rate / 1e6:.1f}", "left": f"{left // 60}:{left % 60:02}"}
    of_rows = "progress.rows_left" if total and done else "progress.rows"
    return local(text("progress.bytes" if what == "bytes" else of_rows, values, lang), lang)
