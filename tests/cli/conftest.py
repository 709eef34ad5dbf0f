import contextlib
import io
import os
import signal
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

import calipers._native
from calipers.cli import main

EXECUTABLE = Path(sysconfig.get_path("scripts")) / "calipers"
# The import above has brought an editable install up to date; the processes need not ask again, one after the other.
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


@pytest.fixture
def calipers(tmp_path, monkeypatch):
    """Run a command in an empty folder: calipers("evaluate", "x.csv") has .returncode, .stdout and .stderr.

    It runs in this process, which is ten times faster; what a terminal and a process of its own see is in
    test_terminal.py, and the console blocks of the documentation run the executable.
    """

    def run(*arguments, given=b"", terminal=False, **settings):
        kind = Terminal if terminal else io.TextIOWrapper
        out, err = (kind(io.BytesIO(), "utf-8", newline="") for _ in range(2))
        before = signal.getsignal(signal.SIGTERM)
        with monkeypatch.context() as here, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            here.chdir(tmp_path)
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

    return run


@pytest.fixture
def file(tmp_path):
    """Write a file into that folder and give its name."""

    def write(text, name="x.csv"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    return write
