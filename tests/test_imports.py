"""`import calipers` loads NumPy and the native module, and nothing that is optional or slow."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import calipers
from calipers.metrics.base import CATALOGUE

ABSENT = ("scipy", "pandas", "polars", "pyarrow", "matplotlib", "rich", "duckdb", "sklearn", "click", "logging")
PRINT_LOADED = f"import sys; print([name for name in {ABSENT!r} if name in sys.modules])"


def loaded(code):
    done = subprocess.run([sys.executable, "-c", f"{code}\n{PRINT_LOADED}"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    "code",
    [
        "import calipers",
        "import calipers; ev = calipers.evaluate([0, 1, 1], [0.2, 0.7, 0.4]); [float(e) for e in ev.values()]",
        "import calipers; ev = calipers.evaluate([0, 1, 1] * 100, [0, 1, 0] * 100); [e.low for e in ev.values()]",
    ],
    ids=["import", "values", "bounds of counts"],
)
def test_nothing_optional_is_loaded(code):
    assert loaded(code) == "[]"


@pytest.mark.parametrize("arguments", [["--help"], ["evaluate", "--help"], ["evaluate", "x.csv", "--limit", "much"]])
def test_arguments_are_parsed_before_numpy_loads(arguments):
    code = f"from calipers.cli import main\ntry: main({arguments!r})\nexcept SystemExit: pass"
    ours = PRINT_LOADED.replace("'click'", "'numpy'")
    done = subprocess.run([sys.executable, "-c", f"{code}\n{ours}"], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", ["plan", "conditions"])
def test_an_import_of_a_module_searches_for_no_similar_metric(name, monkeypatch):
    """`from calipers.metrics import plan` asks for the attribute first, and a search takes as long as many modules."""
    monkeypatch.setattr(CATALOGUE, "_near", lambda word: pytest.fail(f"a metric called {word} was looked for"))
    with pytest.raises(AttributeError, match=f"^{name}$"):
        calipers.metrics.__getattr__(name)


def test_scikit_learn_and_joblib_are_imported_in_one_place():
    """By `validation/` alone, and inside functions: nobody pays for them who does not fit models."""
    source = Path(calipers.__file__).parent
    for path in source.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "sklearn" not in text and "joblib" not in text:
            continue
        tree = ast.parse(text)
        within = {id(node) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for node in ast.walk(f)}
        for node in ast.walk(tree):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            if {name.partition(".")[0] for name in names} & {"sklearn", "joblib"}:
                assert path.parent.name == "validation", path
                assert id(node) in within, path


SOURCE = Path(calipers.__file__).parent
IN_THE_ROOT = {
    "__init__", "__main__", "addresses", "arguments", "cached", "choices", "errors", "numerals", "progress", "remarks",
    "result", "settings",
}  # fmt: skip
ADAPTERS = {"dask", "mlflow", "spark", "spark_session"}  # modules named after the library that they connect to
LONGEST = 300
TESTS = Path(__file__).parent
# Tests that go across packages, and what they compare with; every other folder is named after its package.
ACROSS = {
    "adapters", "against", "benchmarks", "browser", "docs", "engines", "fuzz", "golden", "install", "known", "laws",
    "native", "snapshot", "typing",
}  # fmt: skip


def test_every_module_is_in_a_package():
    assert {file.stem for file in SOURCE.glob("*.py")} == IN_THE_ROOT | ADAPTERS


def test_tests_mirror_the_packages():
    packages = {file.parent.name for file in SOURCE.glob("*/__init__.py")}
    files = [file for file in TESTS.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    folders = {file.relative_to(TESTS).parts[0] for file in files if file.parent != TESTS}
    assert folders == packages | ACROSS
    assert packages <= {file.relative_to(TESTS).parts[0] for file in files if file.name.startswith("test_")}


@pytest.mark.parametrize("file", sorted(SOURCE.rglob("*.py")), ids=lambda file: str(file.relative_to(SOURCE)))
def test_a_file_is_short_or_says_why_not(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    docstring = ast.get_docstring(ast.parse("\n".join(lines))) or ""
    assert len(lines) <= LONGEST or "long" in docstring
