"""Type checkers refuse what the library refuses, and accept what it accepts: all lines in one run of each checker."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
START = """\
from typing import assert_type

import numpy as np

import calipers as cal
from calipers.metrics import metric

Y, P = np.array([0, 1, 1]), np.array([0.2, 0.7, 0.4])


@metric(over=None, better="higher", bounds=(0.0, 1.0), formula="1", undefined="never")
def mine(c: object, *, bonus: float = 1.0) -> float:
    return bonus


"""
RIGHT = """\
assert_type(cal.metrics.f1(Y, P), cal.Estimate)
assert_type(cal.metrics.f1(Y, P, interval="bca", average="macro"), cal.Estimate)
assert_type(cal.metrics.fbeta(Y, P, beta=2), cal.Estimate)
assert_type(cal.metrics.auc(Y, P), cal.Estimate)
assert_type(mine(Y, P, bonus=2), cal.Estimate)
assert_type(cal.metrics.f1, cal.Measure)
assert_type(cal.evaluate(Y, P), cal.Evaluation)
assert_type(cal.evaluate(Y, P).explain("f1"), cal.Explanation)
assert_type(cal.compare(Y, {"a": P, "b": P}), cal.Comparison)
assert_type(cal.gate(cal.evaluate(Y, P), "f1 > 0.5"), cal.GateResult)
assert_type(cal.cross_validate(None, Y, P), cal.Validation)
cal.evaluate(Y, P, interval={"f1": "delta", "recall": "wilson"})
""".splitlines()
WRONG = """\
cal.nonsense
cal.rank(Y, P)
cal.metrics.nonsense
cal.metrics.f1(Y, P, intervl="bca")
cal.metrics.f1(Y, P, interval="bcq")
cal.metrics.f1(Y, P, average="mean")
cal.metrics.f1(Y, P, sample_weight=Y)
cal.metrics.ndcg(Y, P, gain="log")
assert_type(cal.metrics.f1(Y, P), float)
cal.evaluate(Y, P, missing="ignore")
cal.evaluate(Y, P, task="ranking")
cal.evaluate(Y, P, interval={"f1": "wilsn"})
cal.evaluate(Y, P, clusters=Y)
cal.evaluate(Y, P).curve("rok")
cal.evaluate(Y, P).curve("roc", band="both")
cal.evaluate(Y, P).plot("pie")
cal.evaluate(Y, P).to_text("fr")
cal.evaluate_counts([[1, 2], [3, 4]], rows="columns")
cal.evaluate_ranking({}, {}, ties="random")
cal.evaluate_ranking({}, {}, missing_queries="drop")
cal.compare(Y, {"a": P, "b": P}, adjust="tukey")
cal.compare(Y, {"a": P, "b": P}, method="wilcoxon")
cal.compare_folds([0.1], [0.2], method="t")
cal.compare_folds([0.1], [0.2], alternative="larger")
cal.compare_datasets({"a": [0.1]}, better="more")
cal.gate(cal.evaluate(Y, P), "f1 > 0.5", inconclusive="skip")
cal.cross_validate(None, Y, P, interval="wilson")
cal.bootstrap_validate(None, Y, P, method="0.632")
cal.validation_curve(None, Y, P, "C", [1], simpler="left")
cal.bias_variance(None, Y, P, loss="hinge")
cal.select({}, Y, P, rule="worst")
cal.plot_confusion([[1, 2], [3, 4]], normalise="rows", theme="dark")
cal.plot_confusion([[1, 2], [3, 4]], theme="pink")
""".splitlines()


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    file = tmp_path_factory.mktemp("typed") / "lines.py"
    file.write_text(START + "\n".join([*RIGHT, *WRONG]) + "\n", encoding="utf-8")
    return file


def by_mypy(file):
    command = [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--no-error-summary", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    found = [re.fullmatch(r".*lines\.py:(\d+): error: (.*)", line) for line in done.stdout.splitlines()]
    return {int(match[1]): match[2] for match in found if match}


def by_pyright(file):
    settings = {"include": ["lines.py"], "extraPaths": [str(ROOT / "src")], "typeCheckingMode": "basic"}
    (file.parent / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "-p", str(file.parent), "--pythonpath", sys.executable, "--outputjson"]
    environment = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    report = json.loads(done.stdout[done.stdout.index("{") :])
    assert report["summary"]["filesAnalyzed"] == 1
    errors = [d for d in report["generalDiagnostics"] if d["severity"] == "error"]
    return {d["range"]["start"]["line"] + 1: d["message"] for d in errors}


@pytest.mark.parametrize("checker", [by_mypy, by_pyright])
def test_the_wrong_lines_are_errors_and_no_others(script, checker):
    lines = script.read_text(encoding="utf-8").splitlines()
    refused = checker(script)
    wrong = set(range(len(lines) - len(WRONG) + 1, len(lines) + 1))
    assert [lines[number - 1] for number in sorted(wrong - refused.keys())] == [], "accepted, and wrong"
    assert {lines[number - 1]: refused[number] for number in sorted(refused.keys() - wrong)} == {}, "refused, and right"
