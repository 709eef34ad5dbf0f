"""The snippets for pipelines in docs/gate.md, run as a pipeline runs them."""

import os
import re
import shlex
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml

from calipers import datasets
from conftest import EXECUTABLE, SETTINGS

PAGE = Path(__file__).parents[2] / "docs" / "gate.md"


def snippet(heading):
    """The YAML below a heading, as a pipeline reads it."""
    text = PAGE.read_text(encoding="utf-8")
    return yaml.safe_load(re.search(rf"## {heading}\n\n```yaml\n(.*?)```", text, re.S)[1])


@pytest.fixture
def folder(tmp_path):
    """The predictions of a model and of the last one."""
    debts = datasets.load("bad_debt")
    for name, shift in (("predictions.csv", 0.0), ("last.csv", 0.1)):
        rows = zip(debts["truth"], debts["score"], strict=True)
        lines = (f"{i},{y},{(1 - shift) * s + shift * (i * 0.618 % 1):.6f}\n" for i, (y, s) in enumerate(rows))
        (tmp_path / name).write_text("id,truth,score\n" + "".join(lines))
    return tmp_path


def run(command, folder, **settings):
    path = f"{EXECUTABLE.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(command, cwd=folder, env={**os.environ, **SETTINGS, "PATH": path, **settings},
                          capture_output=True, text=True, check=False)  # fmt: skip


def judged(folder):
    """The requirements and how many of them were not met."""
    suite = ET.parse(folder / "gate.xml").getroot().find("testsuite")
    return [case.get("name") for case in suite], int(suite.get("errors"))


def test_github_actions(folder):
    steps = snippet("GitHub Actions")["jobs"]["gate"]["steps"]
    step = next(step for step in steps if "calipers gate" in step.get("run", ""))
    assert step["shell"] == "bash"  # for which GitHub runs bash --noprofile --norc -eo pipefail
    summary = folder / "summary.md"
    done = run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], folder,
               GITHUB_STEP_SUMMARY=str(summary))  # fmt: skip
    assert (done.returncode, done.stderr) == (4, "")
    assert summary.read_text() == done.stdout
    assert done.stdout.startswith("### gate: inconclusive")
    upload = next(step for step in steps if step.get("uses", "").startswith("actions/upload-artifact"))
    assert (folder / upload["with"]["path"]).is_file()
    required, errors = judged(folder)
    assert required[:2] == ["roc_auc.low >= 0.8", "recall >= 0.6"]
    assert errors > 0


def test_gitlab(folder):
    job = snippet("GitLab CI")["gate"]
    install, gate = job["script"]
    assert shlex.split(install) == ["pip", "install", "calipers"]
    done = run(["bash", "-eo", "pipefail", "-c", gate], folder)
    assert (done.returncode, done.stderr) == (job["allow_failure"]["exit_codes"], "")
    assert (folder / job["artifacts"]["reports"]["junit"]).is_file()
    assert judged(folder)[0][2:] == ["roc_auc > baseline - 0.01", "recall > baseline - 0.01"]
