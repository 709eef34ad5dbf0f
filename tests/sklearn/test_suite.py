"""scikit-learn's own tests pass with our functions, but for those that docs/sklearn.md lists."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import sklearn

HERE = Path(__file__).parent
THEIRS = str(Path(sklearn.__file__).parents[1])
PAGE = HERE.parents[1] / "docs" / "sklearn.md"
MODULES = [f"sklearn.metrics.tests.test_{name}" for name in ("classification", "ranking", "regression", "common")]
MODULES += [f"sklearn.metrics.cluster.tests.test_{name}" for name in ("supervised", "unsupervised", "bicluster")]


def test_scikit_learn_s_own_tests(tmp_path):
    report = tmp_path / "outcomes.json"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "swap", "-p", "no:cacheprovider", "-p", "no:xdist",
               "--tb=no", "-W", "ignore", "--rootdir", str(tmp_path), "--confcutdir", THEIRS,
               "--pyargs", *MODULES]  # fmt: skip
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": str(HERE), "CALIPERS_SWAP_REPORT": str(report)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert report.exists(), done.stdout[-2000:] + done.stderr[-2000:]
    outcomes = json.loads(report.read_text())
    page = PAGE.read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(test_\w+(?:\[.*?\])?)` \|", page, re.MULTILINE))
    passed, failed = len(outcomes["passed"]), set(outcomes["failed"])
    assert failed == listed
    assert passed > 1500
    assert passed / (passed + len(failed)) >= 0.99
    assert f"{passed:,} of {passed + len(failed):,}" in page
