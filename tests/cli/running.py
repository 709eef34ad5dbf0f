"""A command in this process: ten times faster than one of its own, with the same streams, settings and exit code."""

import contextlib
import io
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from calipers.cli import main

# Processes need not ask again, one after the other, whether they are up to date.
BUILT = os.pathsep.join(map(str, (Path(__file__).parents[2] / "build").glob("*")))
SETTINGS = {"SKBUILD_EDITABLE_SKIP": BUILT, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "CALIPERS_DEBUG": ""}


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def run(arguments, folder, given=b"", *, terminal=False, **settings):
    """Run a command in a folder, with `given` as its standard input and these settings in its environment."""
    kind = Terminal if terminal else io.TextIOWrapper
    out, err = (kind(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    before = signal.getsignal(signal.SIGTERM)
    with pytest.MonkeyPatch.context() as here, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        here.chdir(folder)
        here.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), "utf-8"))
        for name, value in {**SETTINGS, **settings}.items():
            here.setenv(name, value)
        try:
            with pytest.raises(SystemExit) as left:
                main([str(argument) for argument in arguments])
        finally:
            signal.signal(signal.SIGTERM, before)
    for stream in (out, err):
        stream.flush()
    return Done(left.value.code, *(stream.buffer.getvalue().decode() for stream in (out, err)))
