"""What a terminal sees: colours, progress, Ctrl-C, closed pipes, completion; and what it must never see."""

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import pytest
import warm
from corpus import FULL, LABELS, ZH_TABLE

from conftest import EXECUTABLE, SETTINGS

PLAIN = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(arguments, cwd, stream, **settings):
    """Run with one of the streams on a terminal of 80 columns, and give what it showed there and the exit code."""
    ours, theirs = pty.openpty()
    with open(os.devnull, "r+b") as nothing:
        streams = [theirs if name == stream else nothing.fileno() for name in ("stdin", "stdout", "stderr")]
        warm.start(arguments, cwd, {**PLAIN, **SETTINGS, "TERM": "xterm", **settings}, streams)
    os.close(theirs)
    output = b""
    with contextlib.suppress(OSError):  # the other side was closed
        while chunk := os.read(ours, 1 << 16):
            output += chunk
    os.close(ours)
    return output.decode().replace("\r\n", "\n"), warm.wait()


def test_colours_on_a_terminal_only(calipers, file, tmp_path):
    name = file(LABELS)
    plain = calipers("evaluate", name).stdout
    output, code = on_terminal(["evaluate", name], tmp_path, "stdout")
    assert code == 0
    assert ESCAPE.search(output)
    assert ESCAPE.sub("", output) == plain
    assert on_terminal(["evaluate", name, "--no-color"], tmp_path, "stdout")[0] == plain
    assert on_terminal(["evaluate", name], tmp_path, "stdout", NO_COLOR="1")[0] == plain
    assert on_terminal(["evaluate", name], tmp_path, "stdout", TERM="dumb")[0] == plain
    assert not ESCAPE.search(on_terminal(["evaluate", name, "--json"], tmp_path, "stdout")[0])


def test_progress_with_rows_a_second(file, tmp_path):
    name = file("# a comment, so that lines are read one by one\n" + LABELS + "yes,no\n" * 1_300_000)
    output, code = on_terminal(["evaluate", name, "--metrics", "accuracy"], tmp_path, "stderr")
    assert code == 0
    assert re.search(r"\r\[#+ *\] \d\.\d million rows, \d+\.\d million per second, about \d:\d\d left\x1b\[K", output)
    assert output.endswith("\r\x1b[K")
    assert on_terminal(["evaluate", name, "--metrics", "accuracy", "--quiet"], tmp_path, "stderr")[0] == ""


def test_a_quick_file_shows_no_progress(file, tmp_path):
    assert on_terminal(["evaluate", file(LABELS)], tmp_path, "stderr") == ("", 0)


def test_an_error_on_a_terminal_names_the_command_that_explains_it(calipers, tmp_path):
    output, code = on_terminal(["evaluate", "nope.csv"], tmp_path, "stderr")
    command = re.search(r"\(calipers (explain \S+)\)\n$", output)
    assert code == 2
    assert command is not None, output
    assert "explain" not in calipers("evaluate", "nope.csv").stderr
    assert calipers(*command[1].split()).returncode == 0


def test_chinese_fills_two_columns_a_character(calipers, file):
    lines = calipers("evaluate", file(ZH_TABLE)).stdout.splitlines()
    table = lines[lines.index("confusion matrix: truth in rows, predicted in columns") + 1 :][:4]
    assert table == ["truth  否  是  total", "否      2   1      3", "是      1   2      3", "total   3   3      6"]


@pytest.mark.parametrize(
    ("number", "code", "message"),
    [
        (signal.SIGINT, 130, "calipers: interrupted: nothing was written"),
        (signal.SIGTERM, 143, "calipers: stopped by SIGTERM: nothing was written"),
        (signal.SIGHUP, 129, "calipers: stopped by SIGHUP: nothing was written"),
    ],
)
@pytest.mark.usefixtures("hangup")
def test_item_9_interrupted(tmp_path, number, code, message):
    spools = tmp_path / "spools"
    spools.mkdir()
    process = subprocess.Popen(
        [EXECUTABLE, "evaluate", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=tmp_path, env={**os.environ, **SETTINGS, "TMPDIR": str(spools)},
    )  # fmt: skip
    process.stdin.write(LABELS.encode() * 100_000)
    process.stdin.flush()
    while not list(spools.glob("*/tmp*")):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.decode().strip()) == (code, b"", message)
    assert list(spools.iterdir()) == []


def test_a_reader_that_has_had_enough(tmp_path):
    process = subprocess.Popen(
        [EXECUTABLE, "metrics"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **SETTINGS}
    )
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait() == 0


def run_with_streams(streams, tmp_path):
    """The exit code and what standard error showed of `calipers metrics` with its streams as a shell would set them."""
    line = f'exec "{EXECUTABLE}" metrics {streams}'
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, env={**os.environ, **SETTINGS}, capture_output=True,
                          check=False)  # fmt: skip
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize(
    ("streams", "code", "message"),
    [
        (">/dev/full", 2, "calipers: standard output: No space left on device\n"),
        (">&-", 2, "calipers: standard output is closed: redirect it to a file, or to /dev/null\n"),
        ("2>&- >/dev/null", 0, ""),
        (">/dev/full 2>/dev/full", 2, ""),
        ("<&- >/dev/null", 0, ""),
    ],
)
def test_item_9_streams_that_are_full_or_closed(tmp_path, streams, code, message):
    assert run_with_streams(streams, tmp_path) == (code, message)


def test_item_9_nohup_is_respected(tmp_path):
    code = (
        "import signal, calipers.cli as c; signal.signal(signal.SIGHUP, signal.SIG_IGN); "
        "c._run = lambda given: print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN) or 0; c.main([])"
    )
    environment = {**os.environ, **SETTINGS}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"True\n")


HOSTILE = "\x1b[31mred\x1b]0;title\x07"
MARKUP = "[bold red]x[/bold red]"
INJECTED = "x\"); drop table t; copy (select 1) to 'evil.csv' --"


@pytest.mark.parametrize("label", [HOSTILE, MARKUP, INJECTED, "a\u202eb", "'; select 1; --", "=1+1"])
def test_a_hostile_label_is_shown_harmless_and_kept_whole(calipers, file, tmp_path, label):
    quoted = '"' + label.replace('"', '""') + '"'
    name = file(f"y_true,y_pred\n{quoted},a\na,a\n")
    done = calipers("evaluate", name, "--by", "y_true")
    assert done.returncode == 0, done.stderr
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", done.stdout + done.stderr)
    if label.isprintable():
        assert label[:4] in done.stdout
    document = json.loads(calipers("evaluate", name, "--json", "--metrics", "accuracy").stdout)
    assert document["labels"]["values"] == sorted([label, "a"])
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


@pytest.mark.parametrize("column", [HOSTILE, MARKUP, INJECTED, "c0", "", 'a"b', "select"])
def test_a_hostile_header(calipers, file, tmp_path, column):
    quoted = '"' + column.replace('"', '""') + '"'
    name = file(FULL.replace("score", quoted))
    done = calipers("evaluate", name, "--score", "3", "--by", "3", "--positive", "yes", "--truth", "y_true")
    assert done.returncode == 0, done.stderr
    refused = calipers("evaluate", file(FULL.replace("y_true", quoted), "y.csv"))
    assert refused.returncode == 2
    for output in (done.stdout, done.stderr, refused.stderr):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", output)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.csv", "y.csv"]


def test_a_folder_that_looks_like_a_partition_adds_no_column(calipers, tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    (tmp_path / "label=9").mkdir()
    table = pa.table({"y_pred": ["a", "b"], "actual": ["a", "a"]})
    parquet.write_table(table, tmp_path / "label=9" / "x.parquet")
    output = calipers("evaluate", "label=9/x.parquet", "--metrics", "accuracy").stdout
    assert output.startswith("columns: truth = actual, pred = y_pred\n")


@pytest.mark.parametrize(
    ("shell", "mark"),
    [("bash", "complete -o nosort -F"), ("zsh", "#compdef calipers"), ("fish", "complete --no-files")],
)
def test_completion_scripts(calipers, shell, mark):
    done = calipers("completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    assert mark in done.stdout
    assert f"_CALIPERS_COMPLETE={shell}_complete" in done.stdout


def test_completion_completes(calipers):
    words = {"_CALIPERS_COMPLETE": "bash_complete", "COMP_WORDS": "calipers evaluate --enc", "COMP_CWORD": "2"}
    assert calipers(**words).stdout == "plain,--encoding\n"
    assert "plain,evaluate\n" in calipers(**{**words, "COMP_WORDS": "calipers e", "COMP_CWORD": "1"}).stdout


def test_no_command_shows_help(calipers):
    done = calipers()
    assert done.returncode == 2
    assert "calipers evaluate predictions.csv" in done.stdout


def test_an_unknown_command_is_one_line(calipers):
    done = calipers("compar", "x.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "calipers: No such command 'compar'. Did you mean 'compare'? (calipers --help)\n"
