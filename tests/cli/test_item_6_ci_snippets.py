"""The CI snippets of docs/gate.md run: their shell lines are executed as they stand, on data of the names they use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from calipers import datasets

GUIDE = Path(__file__).parents[2] / "docs" / "gate.md"


def snippet(heading):
    text = GUIDE.read_text("utf-8").split(f"## {heading}\n")[1]
    return yaml.safe_load(text.split("```yaml\n")[1].split("```")[0])


def commands():
    steps = snippet("GitHub Actions")["jobs"]["gate"]["steps"]
    runs = [step["run"] for step in steps if "run" in step]
    script = snippet("GitLab CI")["gate"]["script"]
    return {"GitHub Actions": runs, "GitLab CI": script}


@pytest.mark.parametrize("where", ["GitHub Actions", "GitLab CI"])
def test_the_shell_lines_run(where, tmp_path):
    install, gate = commands()[where]
    assert install == "pip install calipers"
    loans = datasets.load("bad_debt")
    for name, noise in (("predictions.csv", 0.0), ("last.csv", 0.05)):
        rows = zip(range(1000), loans["truth"], loans["score"], strict=True)
        lines = [f"{i},{y},{(1 - noise) * s + noise * (i * 0.618 % 1):.6f}" for i, y, s in rows]
        (tmp_path / name).write_text("\n".join(["id,truth,score", *lines]))
    summary = tmp_path / "summary.md"
    here = {"GITHUB_STEP_SUMMARY": str(summary), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    shell = ["bash", "-eo", "pipefail", "-c", gate]
    done = subprocess.run(shell, cwd=tmp_path, env={**os.environ, **here}, capture_output=True, text=True, check=False)
    assert done.returncode == 4, done.stderr  # recall >= 0.6 is inconclusive on these rows
    assert "<testsuite" in (tmp_path / "gate.xml").read_text()
    if where == "GitHub Actions":
        assert summary.read_text("utf-8").startswith("### gate: inconclusive")
    else:
        assert snippet(where)["gate"]["allow_failure"]["exit_codes"] == 4
