"""Help texts and the demo, as frozen in tests/golden. To accept a change: CALIPERS_GOLDEN=write pytest tests/cli."""

import os
from pathlib import Path

import pytest

from calipers.report.page import LIMIT
from calipers.report.terminal import width

GOLDEN = Path(__file__).parents[1] / "golden"
FROZEN = {
    "help": ["--help"],
    "help_evaluate": ["evaluate", "--help"],
    "help_calibrate": ["calibrate", "--help"],
    "help_compare": ["compare", "--help"],
    "help_gate": ["gate", "--help"],
    "help_trend": ["trend", "--help"],
    "help_rank": ["rank", "--help"],
    "help_clusters": ["clusters", "--help"],
    "help_topics": ["topics", "--help"],
    "help_recommendations": ["recommendations", "--help"],
    "help_validate": ["validate", "--help"],
    "help_show": ["show", "--help"],
    "help_counts": ["counts", "--help"],
    "help_metrics": ["metrics", "--help"],
    "help_explain": ["explain", "--help"],
    "help_power": ["power", "--help"],
    "help_demo": ["demo", "--help"],
    "help_completion": ["completion", "--help"],
    "demo": ["demo"],
    "demo_multiclass": ["demo", "multiclass"],
    "demo_ranking": ["demo", "ranking"],
    "demo_clusters": ["demo", "clusters"],
    "metrics_ndcg": ["metrics", "ndcg@10"],
    "demo_regression": ["demo", "regression"],
    "demo_topics": ["demo", "topics"],
    "demo_recommendations": ["demo", "recommendations"],
    "metrics_fbeta": ["metrics", "fbeta"],
    "demo_vi": ["demo", "--lang", "vi"],
    "explain_f1": ["explain", "f1"],
    "explain_mcc_zh": ["explain", "mcc", "--lang", "zh"],
}


@pytest.mark.parametrize("name", FROZEN)
def test_output_is_as_frozen(calipers, tmp_path, name):
    done = calipers(*FROZEN[name])
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(width, done.stdout.splitlines())) <= 80
    frozen = GOLDEN / f"{name}.txt"
    if os.environ.get("CALIPERS_GOLDEN") == "write":
        frozen.write_text(done.stdout, encoding="utf-8")
    assert done.stdout == frozen.read_text(encoding="utf-8")
    if FROZEN[name][0] == "demo" and "--help" not in FROZEN[name]:
        page = (tmp_path / done.stdout.split()[-1]).read_text(encoding="utf-8")
        assert f'<html lang="{"vi" if "vi" in FROZEN[name] else "en"}">' in page
        assert len(page.encode()) <= LIMIT


def test_the_demo_has_the_counts_of_the_lecture():
    assert "\nBAD     55    45    100\nGOOD    50   850    900\n" in (GOLDEN / "demo.txt").read_text(encoding="utf-8")
