"""Damaged files, and a machine that is out of memory or room: one line and exit code 2, never a bug of ours."""

import subprocess
import sys
from random import Random

import damage
import pytest
from corpus import LABELS
from texts import shell

from calipers import cli
from calipers.errors import InputError
from calipers.files.table import Table
from calipers.report.atomic_write import write


@pytest.mark.parametrize("seed", range(4))
def test_item_9_damaged_files_are_refused_or_read(tmp_path, monkeypatch, seed):
    monkeypatch.chdir(tmp_path)
    rng = Random(seed)
    refused = 0
    for _ in range(40):
        name, data = damage.damaged(rng)
        (tmp_path / name).write_bytes(data)
        command = [part.replace("FILE", name) for part in rng.choice(damage.COMMANDS)]
        code, message = shell(command)
        assert code in (0, 2, 3, 4), (command, message)
        assert "Traceback" not in message, (command, message)
        refused += code == 2
    assert refused > 20


@pytest.mark.parametrize("kind", damage.KINDS)
def test_sound_files_are_read(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    (tmp_path / kind).write_bytes(damage.sound(kind))
    (tmp_path / "qrels.txt").write_bytes(damage.sound("qrels.txt"))
    (tmp_path / "run.txt").write_bytes(damage.sound("run.txt"))
    pair = {"qrels.txt": [kind, "run.txt"], "run.txt": ["qrels.txt", kind], "run.txt.gz": ["qrels.txt", kind]}
    code, message = shell(["rank", *pair.get(kind, [kind])])
    assert code == 0, message


def test_item_9_a_broken_gzip_file_says_so(calipers, file):
    import gzip

    packed = bytearray(gzip.compress(LABELS.encode() * 50))
    packed[30:40] = b"\xff" * 10
    done = calipers("evaluate", file(bytes(packed), "x.csv.gz"))
    assert done.returncode == 2
    assert done.stderr.startswith("calipers: x.csv.gz is damaged: it cannot be decompressed with gzip (")


DEEP, LONG = "[" * 100_000, '{"y_true": ' + "9" * 5000 + ', "y_pred": 1}\n'


@pytest.mark.parametrize("content", [DEEP, LONG], ids=["deep", "long"])
def test_item_9_json_beyond_the_limits_of_python(calipers, file, content):
    done = calipers("evaluate", file(content, "x.jsonl"))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("calipers: x.jsonl ")


def test_item_9_out_of_memory_is_said_as_such(tmp_path, monkeypatch, capsys):
    (tmp_path / "x.csv").write_text(LABELS)
    monkeypatch.chdir(tmp_path)

    def read(*args, **how):
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr(Table, "read", read)
    with pytest.raises(SystemExit) as done:
        cli.main(["evaluate", "x.csv"])
    assert done.value.code == 2
    assert capsys.readouterr().err == (
        "calipers: not enough memory (Unable to allocate 9 TiB): pass a smaller --memory (calipers evaluate, compare, "
        "gate, explain), give the process more memory, or evaluate fewer rows\n"
    )


def limited(code, folder):
    """Run Python code in a process that may write 4 kB to a file."""
    start = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); "
    return subprocess.run([sys.executable, "-c", start + code], cwd=folder, capture_output=True, text=True, check=False)


def test_item_9_a_full_disk_names_the_file(tmp_path):
    done = limited("from calipers.report.atomic_write import write; write({'page.html': b'x' * 10_000})", tmp_path)
    assert done.stderr.endswith("InputError: page.html cannot be written: File too large\n")
    assert list(tmp_path.iterdir()) == []


def test_item_9_a_full_temporary_folder_is_named(tmp_path):
    import gzip

    (tmp_path / "x.csv.gz").write_bytes(gzip.compress((LABELS * 1000).encode()))
    done = limited("import calipers.cli as c; c.main(['evaluate', 'x.csv.gz'])", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("calipers: a temporary file cannot be written in /")
    assert done.stderr.endswith("or set the environment variable TMPDIR to another folder\n")


def test_item_9_a_device_is_not_replaced_by_a_file(tmp_path):
    (tmp_path / "x.html").symlink_to("/dev/full")
    with pytest.raises(InputError, match=r"x\.html cannot be written: it is not a regular file"):
        write({str(tmp_path / "x.html"): b"x"})
