"""The wheel with its own dependencies and nothing else: what `pip install calipers` gives."""

import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from calipers import _native

ROOT = Path(__file__).resolve().parents[2]
ROWS = "truth,score\n" + "".join(f"{i % 2},{(i * 7 % 20) / 20}\n" for i in range(40))


def needed(of: Distribution, found: dict[str, Distribution]) -> dict[str, Distribution]:
    """The distributions that one requires without its extras, and those that these require."""
    for requirement in map(Requirement, of.requires or ()):
        if requirement.name not in found and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            found[requirement.name] = distribution(requirement.name)
            needed(found[requirement.name], found)
    return found


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A folder of packages: the wheel, and links to what it requires.

    The wheel is built without its native module, which would be compiled a second time: a minute or more. The module
    is the one that the tests use.
    """
    folder = tmp_path_factory.mktemp("install")
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    build = ["--no-deps", "--no-build-isolation", "--no-index", "-Cwheel.cmake=false", "-Cwheel.py-api=py3"]
    tools = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run([*pip, "wheel", *build, "-w", folder, ROOT], check=True, env={**os.environ, **tools})
    (wheel,) = folder.glob("calipers-*.whl")
    packages = folder / "packages"
    subprocess.run([*pip, "install", "--no-deps", "--no-index", "--target", packages, wheel], check=True)
    shutil.copy(_native.__file__, packages / "calipers")
    (metadata,) = packages.glob("calipers-*.dist-info")
    for package in needed(PathDistribution(metadata), {}).values():
        for top in {file.parts[0] for file in package.files or () if not file.parts[0].startswith("..")}:
            if not (packages / top).exists() and top != "__pycache__":
                (packages / top).symlink_to(package.locate_file(top))
    return packages


@pytest.fixture
def run(environment, tmp_path):
    """Python that finds only the standard library and these packages."""

    def run(*arguments):
        command = [sys.executable, "-S", *arguments]
        alone = {"PYTHONPATH": str(environment), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        return subprocess.run(command, cwd=tmp_path, env=alone, capture_output=True, encoding="utf-8", check=False)

    return run


def test_issue_24_the_base_install_evaluates_csv_and_parquet(run, tmp_path):
    (tmp_path / "rows.csv").write_text(ROWS)
    made = run("-c", "import duckdb; duckdb.sql(\"copy 'rows.csv' to 'rows.parquet'\")")
    assert (made.returncode, made.stderr) == (0, "")
    values = []
    for file in ("rows.csv", "rows.parquet"):
        done = run("-m", "calipers", "evaluate", file, "--json")
        assert done.returncode == 0, done.stderr
        values.append(json.loads(done.stdout)["metrics"])
    assert values[0] == values[1]
    assert values[0]["roc_auc"]["low"] is not None


def test_issue_24_without_the_report_extra_text_files_are_written_and_a_page_names_the_extra(run, tmp_path):
    (tmp_path / "rows.csv").write_text(ROWS)
    for package in ("jinja2", "matplotlib", "pyarrow", "sklearn", "pandas"):
        assert run("-c", f"import {package}").returncode == 1, package
    for option in ("--json", "--md", "--csv"):
        done = run("-m", "calipers", "evaluate", "rows.csv", option)
        assert done.returncode == 0, done.stderr
        assert len(done.stdout) > 500, option
    page = run("-m", "calipers", "evaluate", "rows.csv", "--html", "out.html")
    assert page.returncode == 2
    assert 'pip install "calipers[report]"' in page.stderr
    assert not (tmp_path / "out.html").exists()
