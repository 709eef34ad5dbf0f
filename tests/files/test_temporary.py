"""The folder of temporary files: private, removed in the end, and by the next process where one was killed."""

import gzip
import os
import signal
import subprocess
import sys
import tempfile
import threading

import pytest

from calipers.cli.address_space import LEAST
from calipers.errors import InputError
from calipers.files import parquet, table, temporary
from calipers.files.table import Table

ROWS = "truth,score\n" + "1,0.5\n0,0.25\n" * 2000
KILLED = "from calipers.files.table import Table; import os; t = Table(['x.csv.gz']); os.kill(os.getpid(), 9)"


@pytest.fixture
def spools(tmp_path, monkeypatch):
    """An empty folder for temporary files, of this process and of those that it starts."""
    spools = tmp_path / "spools"
    spools.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(spools))
    monkeypatch.setattr(tempfile, "tempdir", None)
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(ROWS.encode()))
    (tmp_path / "x.csv").write_text(ROWS)
    yield spools
    tempfile.tempdir = None


def test_issue_24_what_a_killed_process_left_is_removed_by_the_next_one(spools):
    done = subprocess.run([sys.executable, "-c", KILLED], check=False, env={**os.environ, "TMPDIR": str(spools)})
    assert done.returncode == -signal.SIGKILL
    (left,) = spools.iterdir()
    assert sum(path.stat().st_size for path in left.glob("tmp*")) == len(ROWS)
    with Table(["x.csv"]):
        (mine,) = spools.iterdir()
        assert mine != left
        assert mine.stat().st_mode & 0o777 == 0o700
    assert list(spools.iterdir()) == []


def test_issue_24_folders_in_use_and_of_others_stay(spools):
    other = spools / "calipers-of-somebody"
    other.mkdir()
    (spools / "calipers-notes.txt").write_text("mine")
    with Table(["x.csv.gz"]) as first, Table(["x.csv"]) as second:
        assert len(list(spools.glob("calipers-*/lock"))) == 2
        for rows in (first, second):
            assert len(rows.read(["truth"], ["score"])["number", "score"]) == 4000
    assert sorted(path.name for path in spools.iterdir()) == ["calipers-notes.txt", "calipers-of-somebody"]


def test_a_folder_that_cannot_be_made_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match=r"a temporary file cannot be written in .*nowhere"):
        temporary.private_folder().__enter__()


def test_issue_24_too_little_memory_for_duckdb_is_an_error_of_memory(spools, monkeypatch):
    import duckdb

    duckdb.sql("copy (select range % 2 as y, random() as p from range(1000000)) to 'x.parquet'")
    monkeypatch.setitem(table.SETTINGS, "memory_limit", "600KB")
    with Table(["x.parquet"]) as rows, pytest.raises(MemoryError, match="Out of Memory Error"):
        rows.read(["y"], ["p"])
    assert list(spools.iterdir()) == []


@pytest.mark.parametrize("where", ["open", "query", "sample"])
def test_issue_24_duckdb_can_run_out_of_memory_anywhere(spools, monkeypatch, where):
    import duckdb

    def short(*given, **named):
        raise duckdb.OutOfMemoryException("Out of Memory Error: Allocation failure")

    def evaluate():
        import calipers as cal

        return cal.evaluate("x.parquet", truth="truth", score="score")

    duckdb.sql("copy 'x.csv' to 'x.parquet'")
    assert evaluate().rows == 4000
    holder, name = {
        "open": (duckdb, "connect"),
        "query": (parquet, "top_names"),
        "sample": (duckdb, "sqltype"),
    }[where]
    monkeypatch.setattr(holder, name, short)
    text = r"^not enough memory \(Out of Memory Error: Allocation failure\): pass a smaller memory=, so that"
    with pytest.raises(MemoryError, match=text):
        evaluate()
    assert list(spools.iterdir()) == []


@pytest.mark.parametrize("text", ["failed to map segment from shared object", "cannot allocate memory in TLS block"])
def test_issue_24_a_library_that_finds_no_memory_is_an_error_of_memory(spools, monkeypatch, text, capsys):
    """Under a small `ulimit -v` modules that are there cannot be imported."""
    import duckdb

    import calipers as cal
    from calipers.cli import main

    def short(*given, **named):
        raise ImportError(f"_pcg64.so: {text}")

    monkeypatch.setattr(parquet, "top_names", short)
    duckdb.sql("copy 'x.csv' to 'x.parquet'")
    with pytest.raises(MemoryError, match=rf"not enough memory \(_pcg64.so: {text}\): pass a smaller memory="):
        cal.evaluate("x.parquet", truth="truth", score="score")
    with pytest.raises(SystemExit) as end:
        main(["evaluate", "x.parquet"])
    assert end.value.code == 2
    assert "pass a smaller --memory" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(cal.MissingExtra, match="needs DuckDB"):
        Table(["x.parquet"])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory by RLIMIT_AS")
@pytest.mark.parametrize("limit", [200_000, LEAST - 1000, LEAST, LEAST + 250_000])
def test_issue_24_a_limit_of_the_address_space_is_kept_or_refused(spools, limit):
    """Below what the libraries need, OpenBLAS would wait for ever, and others would end the process without a word."""
    import resource

    done = subprocess.run(
        [sys.executable, "-m", "calipers", "evaluate", "x.csv", "--json"], capture_output=True, encoding="utf-8",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit << 10, limit << 10)), timeout=60, check=False,
    )  # fmt: skip
    if limit < LEAST:
        text = f"calipers: the limit of {limit} kB of address space (ulimit -v) is too small: at least {LEAST} kB"
        assert done.returncode == 2
        assert done.stderr.startswith(text)
    else:
        assert (done.returncode, done.stderr) == (0, "columns: truth = truth, score = score\n")
    assert list(spools.iterdir()) == []


def _stopped(number, frame):
    raise SystemExit(128 + number)


@pytest.mark.parametrize(
    ("number", "handler"), [(signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, _stopped)]
)
def test_issue_24_a_signal_while_duckdb_is_at_work(spools, number, handler):
    """DuckDB stops at its next task, says that the query failed, and forgets what the handler of the signal raised."""
    query = "select distinct hash(range) % 2 as y, hash(range) % 3 / 4.0 as p from range(100000000)"
    before = signal.signal(number, handler)
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), number))
    try:
        with Table([], sql=query) as rows:
            timer.start()
            with pytest.raises(KeyboardInterrupt):
                rows.read(["y"], ["p"])
    finally:
        timer.cancel()
        signal.signal(number, before)
    assert list(spools.iterdir()) == []
