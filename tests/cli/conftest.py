import os
import signal
import sysconfig
from pathlib import Path

import pytest
import warm

EXECUTABLE = Path(sysconfig.get_path("scripts")) / "calipers"
SETTINGS = {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8", "CALIPERS_DEBUG": ""}


@pytest.fixture
def calipers(tmp_path):
    """Run the command in an empty folder: calipers("evaluate", "x.csv") has .returncode, .stdout and .stderr."""

    def run(*arguments, stdin=b"", absent=None, **settings):
        return warm.run([*map(str, arguments)], tmp_path, {**os.environ, **SETTINGS, **settings}, stdin, absent)

    return run


@pytest.fixture
def file(tmp_path):
    """Write a file into that folder and give its name."""

    def write(text, name="x.csv"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    return write


@pytest.fixture
def hangup():
    """SIGHUP stops a command that is started here, also where `nohup` started the tests, which commands respect."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)
