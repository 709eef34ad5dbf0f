"""`assert cal.gate(...)` in a test of a user."""

import os
import subprocess
import sys

import pytest

TEST = """
import calipers as cal

ev = cal.evaluate_counts(tp=90, fp=20, fn=10, tn=380)

def test_called():
    assert cal.gate(ev, ["recall >= 0.99", "precision > 0.1"])

def test_named():
    result = cal.gate(ev, "recall >= 0.99")
    assert result

def test_passes():
    assert cal.gate(ev, "recall >= 0.5")

def test_checked():
    cal.gate(ev, "specificity >= 0.999").check()

def test_fixture(calipers_gate):
    calipers_gate(ev, "precision >= 0.99")

def test_fixture_passes(calipers_gate):
    assert calipers_gate(ev, "npv >= 0.5").verdict == "pass"
"""


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    folder = tmp_path_factory.mktemp("user")
    (folder / "test_model.py").write_text(TEST)
    # The entry point of an installed package loads the plugin; here it is named, since the metadata may be older.
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    plugins = ["-p", "calipers.gating.pytest_plugin", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *plugins, "-q", "-rA"]
    return subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, check=False).stdout


def test_item_11_a_failed_assertion_shows_the_whole_table(output):
    import calipers as cal

    ev = cal.evaluate_counts(tp=90, fp=20, fn=10, tn=380)
    assert cal.gate(ev, ["recall >= 0.99", "precision > 0.1"]).to_text(lang="en") in output
    assert cal.gate(ev, "recall >= 0.99").to_text(lang="en") in output
    assert output.count("calipers gate -") == 2
    assert "4 failed, 2 passed" in output


@pytest.mark.parametrize("requirement", ["specificity >= 0.999", "precision >= 0.99", "npv >= 0.5"])
def test_item_6_check_and_the_fixture_show_the_whole_table(output, requirement):
    import calipers as cal

    ev = cal.evaluate_counts(tp=90, fp=20, fn=10, tn=380)
    lines = cal.gate(ev, requirement).to_text(lang="en").splitlines()
    assert all(line in output for line in lines)
