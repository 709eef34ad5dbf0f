"""Every sample in README.md and docs/ is run: Python blocks as doctests, console blocks as commands."""

import gc
import os
import shlex
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from pathlib import Path

import pytest
import warm
from sybil import Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

gc.disable()  # until all tests are collected: a million objects that stay would be looked through time and again


def pytest_collection_finish():
    """What was collected stays until the end, so that the search for garbage may leave it out."""
    gc.collect()
    gc.freeze()
    gc.enable()


def run_console(example):
    """Run the `$ calipers ...` lines of a block; what follows each must be what it prints.

    CALIPERS_GOLDEN=write: put what it prints into the page instead.
    """
    block = example.parsed.replace("\\\n", " ")  # as a shell goes on after a backslash
    for part in ("\n" + block).split("\n$ ")[1:]:
        command, _, expected = part.partition("\n")
        words = shlex.split(command)
        if words[0] != "calipers":
            raise AssertionError(f"only calipers commands are run in console blocks, not {words[0]!r}")
        environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "CALIPERS_LANG": "en"}
        done = warm.run(words[1:], example.namespace["folder"], environment)
        shown = (done.stdout + done.stderr).strip()
        shown = "\n".join(line.rstrip() for line in shown.splitlines())
        if shown != expected.strip() and os.environ.get("CALIPERS_GOLDEN") == "write":
            page = Path(example.path)
            page.write_text(page.read_text(encoding="utf-8").replace(expected.strip(), shown), encoding="utf-8")
        elif shown != expected.strip():
            raise AssertionError(f"$ {command}\nprinted:\n{shown}\n\nthe page says:\n{expected.strip()}")


def setup(namespace):
    """Give the samples a folder of their own with the example file in it, as we and as a German office write it."""
    import shutil
    import tempfile
    from importlib.resources import files

    namespace["folder"] = tempfile.mkdtemp()
    for name in ("bad_debt.csv", "flats.csv", "search.qrels", "search.run"):
        shutil.copy(str(files("calipers.datasets") / name), namespace["folder"])
    text = (files("calipers.datasets") / "bad_debt.csv").read_text(encoding="utf-8")
    german = "# Kredite\n" + text.replace(",", ";").replace(".", ",")
    with open(os.path.join(namespace["folder"], "bad_debt_de.csv"), "w", encoding="utf-8") as file:
        file.write(german)
    os.environ["CALIPERS_LANG"] = "en"
    namespace["__old"] = os.getcwd()
    os.chdir(namespace["folder"])


def teardown(namespace):
    """Take the folder away again."""
    import shutil

    os.chdir(namespace["__old"])
    shutil.rmtree(namespace["folder"])


pytest_collect_file = Sybil(
    parsers=[
        PythonCodeBlockParser(doctest_optionflags=ELLIPSIS | NORMALIZE_WHITESPACE),
        CodeBlockParser(language="console", evaluator=run_console),
    ],
    patterns=["*.md"],
    setup=setup,
    teardown=teardown,
).pytest()


@pytest.fixture(autouse=True)
def _plain(monkeypatch):
    """Whoever runs the tests, reports come without colours and in English."""
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("CALIPERS_LANG", "en")
