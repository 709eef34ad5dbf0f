"""The benchmark of large files runs, on a small one."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import scale


def test_issue_24_the_benchmark_measures_a_file(tmp_path):
    rows = 20_000
    path = scale.made(tmp_path, rows)
    cost = scale.cost(path, "64kB")
    assert abs(cost.auc - 5 / 6) < 0.02
    assert cost.cpu > 0.1
    assert 50e6 < cost.memory < 2e9
    assert cost.spilled < 1e6
    text = scale.line(rows, path.stat().st_size, "256MB", "name", cost)
    assert re.fullmatch(r"\| 0\.02 M \| 0 MB \| 256 MB \| .* s \| .* s \| \d+ MB \| 0 MB \|\n", text)


def test_the_guide_has_the_marks_of_the_table():
    page = scale.PAGE.read_text(encoding="utf-8")
    table = page.partition(scale.BEGIN)[2].partition(scale.END)[0]
    assert table.startswith(scale.HEAD)
    assert scale.END in page
