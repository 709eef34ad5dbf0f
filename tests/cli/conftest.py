import sysconfig
from pathlib import Path

import pytest
from running import run

EXECUTABLE = Path(sysconfig.get_path("scripts")) / "calipers"


@pytest.fixture
def calipers(tmp_path):
    """Run a command in an empty folder: calipers("evaluate", "x.csv") has .returncode, .stdout and .stderr.

    What a terminal and a process of its own see is in test_terminal.py.
    """
    return lambda *arguments, **how: run(arguments, tmp_path, **how)


@pytest.fixture
def file(tmp_path):
    """Write a file into that folder and give its name."""

    def write(text, name="x.csv"):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    return write
