"""Every row of docs/from-other-tools.md: our expression gives the number of the other tool."""

import math
import re
from pathlib import Path

import pytest

import calipers as cal

GUIDE = (Path(__file__).parents[2] / "docs" / "from-other-tools.md").read_text("utf-8")
LINES = [line.strip("| ") for line in GUIDE.splitlines() if line.startswith("| ")]
ROWS = [[cell.strip() for cell in line.split(" | ")] for line in LINES]
DATA: dict = {"cal": cal, "log": math.log}
for line in re.findall(r"^>>> (\w+(?:, \w+)? = .*)$", GUIDE, re.M):
    exec(line, DATA)


@pytest.mark.parametrize("row", ROWS[1:], ids=lambda row: f"{row[0]} {row[1]}"[:60])
def test_item_5_the_number_of_the_other_tool(row):
    _, _, ours, value, source = row
    assert source
    assert float(eval(ours.strip("`"), DATA)) == pytest.approx(float(value), rel=1e-9)


def test_every_tool_has_a_row():
    mapped = {"scikit-learn", "pROC", "caret", "yardstick", "mlxtend", "baycomp", "statsmodels", "PyCM", "trec_eval",
              "scikit-posthocs"}  # fmt: skip
    assert {row[0] for row in ROWS[1:]} == mapped
