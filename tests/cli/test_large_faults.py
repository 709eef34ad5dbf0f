"""Signals, a full disk and a killed process while the score columns of a large file are joined by row."""

import os
import resource
import signal
import subprocess
import time

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from calipers.cli import main
from calipers.cli.progress import Progress
from conftest import EXECUTABLE, SETTINGS

ROWS = 300_000
MEMORY = ("--memory", "1 MB")
COMMANDS = {
    "evaluate": ["evaluate", "classes.parquet", "--truth", "y", "--score", "a,b,c", *MEMORY],
    "compare": ["compare", "models.parquet", "--truth", "y", "--score", "old,new", *MEMORY],
}
COLUMNS = {"evaluate": 3, "compare": 2}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a file of scores of three classes, and one of the scores of two models."""
    folder, rng = tmp_path_factory.mktemp("large"), np.random.default_rng(0)
    y = rng.integers(0, 3, ROWS)
    p = rng.random((ROWS, 3)) + np.eye(3)[y]
    p /= p.sum(1, keepdims=True)
    classes = pa.table({"y": np.array(["a", "b", "c"])[y], **{name: p[:, k] for k, name in enumerate("abc")}})
    models = pa.table({"y": (y > 0).astype(int), "old": p[:, 1], "new": p[:, 2]})
    for name, rows in (("classes", classes), ("models", models)):
        duckdb.from_arrow(rows).write_parquet(str(folder / f"{name}.parquet"))
    return folder


def started(command, folder, spools, **how):
    spools.mkdir(exist_ok=True)
    environment = {**os.environ, **SETTINGS, "TMPDIR": str(spools)}
    return subprocess.Popen([EXECUTABLE, *COMMANDS[command]], cwd=folder, env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **how)  # fmt: skip


def spilled(process, spools):
    """How many temporary files without a name a process has open."""
    count = 0
    for entry in os.listdir(f"/proc/{process.pid}/fd"):
        try:
            target = os.readlink(f"/proc/{process.pid}/fd/{entry}")
        except OSError:  # closed meanwhile
            continue
        count += target.startswith(str(spools)) and target.endswith("(deleted)")
    return count


def until(process, spools, command, step):
    """Wait until a process puts the rows of all columns in their places, or joins them."""
    at_most, columns = 0, COLUMNS[command]
    while True:
        assert process.poll() is None, process.communicate()
        count = spilled(process, spools)
        at_most = max(at_most, count)
        placing = at_most > columns + (command == "evaluate")  # the scores of the top class are beside the columns
        if placing and (step == "placing" or count == columns):
            return
        time.sleep(0.002)


@pytest.mark.parametrize(
    ("number", "command", "step"),
    [
        (signal.SIGINT, "evaluate", "joining"), (signal.SIGTERM, "evaluate", "joining"),
        (signal.SIGHUP, "evaluate", "placing"), (signal.SIGINT, "compare", "placing"),
        (signal.SIGTERM, "compare", "joining"), (signal.SIGHUP, "compare", "joining"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("hangup")
def test_a_signal(folder, tmp_path, number, command, step):
    spools = tmp_path / "spools"
    process = started(command, folder, spools)
    until(process, spools, command, step)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    why = "interrupted" if number == signal.SIGINT else f"stopped by {number.name}"
    assert (process.returncode, out) == (128 + number, b"")
    assert err.decode() == f"calipers: {why}: nothing was written\n"
    assert list(spools.iterdir()) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_killed_process_leaves_nothing_to_the_next(folder, tmp_path, command):
    spools = tmp_path / "spools"
    process = started(command, folder, spools)
    until(process, spools, command, "joining")
    process.kill()
    process.communicate(timeout=60)
    left = [path for path in spools.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in left) == 0  # a lock
    done = started(command, folder, spools)
    out, err = done.communicate(timeout=60)
    assert done.returncode == 0, err
    assert out
    assert list(spools.iterdir()) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk(folder, tmp_path, command):
    spools = tmp_path / "spools"
    limit = 20 * ROWS  # scores with the numbers of rows take 16 bytes per row, influences 24
    process = started(command, folder, spools,
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))  # fmt: skip
    until(process, spools, command, "placing")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert err.decode() == (
        f"calipers: a temporary file cannot be written in {spools}: File too large; free some space, or set the "
        "environment variable TMPDIR to another folder\n"
    )
    assert list(spools.iterdir()) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_step_shows_its_progress(folder, monkeypatch, command):
    monkeypatch.chdir(folder)
    seen = []
    monkeypatch.setattr(Progress, "__call__", lambda self, *step: seen.append(step))
    with pytest.raises(SystemExit) as end:
        main(COMMANDS[command])
    assert not end.value.code
    assert list(dict.fromkeys(what for what, _, _ in seen)) == ["rows", "sorted rows", "joined rows"]
    for what in ("sorted rows", "joined rows"):
        done, totals = zip(*(step[1:] for step in seen if step[0] == what), strict=True)
        assert len(done) > 20
        assert done == tuple(sorted(done))
        assert {done[-1]} == set(totals)
