"""Files of charts: whole or not there, and what is missing is named."""

import subprocess
import sys

import pytest

from calipers.errors import InputError
from calipers.report.atomic_write import write
from calipers.report.plots.files import format_of, rendered


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_formats_are_what_they_say_and_the_same_every_time(loans, suffix, start):
    first, second = (rendered(loans, "roc", suffix, lang="en") for _ in range(2))
    assert first.startswith(start)
    assert first == second


def test_a_name_says_the_format():
    assert format_of("a.b/Roc.PNG") == ".png"
    with pytest.raises(InputError, match=r"roc\.jpg: a chart can be written as \.png, \.svg, \.pdf; use one of these"):
        format_of("roc.jpg")


def test_all_files_are_written_or_none(tmp_path):
    write({str(tmp_path / "a.png"): b"1", str(tmp_path / "b.png"): b"2"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.png": b"1", "b.png": b"2"}
    assert (tmp_path / "a.png").stat().st_mode & 0o077
    with pytest.raises(InputError, match=r"missing/c.png cannot be written: No such file or directory"):
        write({str(tmp_path / "a.png"): b"new", str(tmp_path / "missing" / "c.png"): b"3"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"a.png": b"1", "b.png": b"2"}
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(InputError, match=r"folder.png cannot be written: Is a directory"):
        write({str(tmp_path / "a.png"): b"new", str(tmp_path / "folder.png"): b"1"})
    assert (tmp_path / "a.png").read_bytes() == b"1"
    assert len(list(tmp_path.iterdir())) == 3


def test_without_matplotlib_the_extra_is_named():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import calipers as cal\n"
        "ev = cal.evaluate([0, 1], [0.2, 0.7])\n"
        "for call in (lambda: ev.plot('roc'), lambda: cal.plot_confusion([[1, 0], [0, 1]])):\n"
        "    try: call()\n"
        "    except cal.MissingExtra as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == 2 * 'charts need matplotlib: pip install "calipers[plot]"\n'
