"""Commands that measure write their tables between the markers of a page."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from markers import replaced


def test_what_lies_between_the_markers_is_replaced(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- speed: generated -->\nold\n<!-- speed: end -->\nafter\n", encoding="utf-8")
    replaced(page, "speed", r"| 5 µs | \1 |")
    assert page.read_text(encoding="utf-8") == (
        "before\n<!-- speed: generated -->\n\n| 5 µs | \\1 |\n\n<!-- speed: end -->\nafter\n"
    )


def test_a_page_without_markers_is_left_alone(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="has no markers for speed"):
        replaced(page, "speed", "new")
    assert page.read_text(encoding="utf-8") == "before\n"


def test_the_readme_claims_what_its_table_shows():
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    table = readme.partition("<!-- speed: generated -->")[2].partition("<!-- speed: end -->")[0]
    ratios = [float(cell) for cell in re.findall(r"\| (\d+\.\d)x \|", table)]
    assert len(ratios) == 10
    assert f"{min(ratios):.0f} to {max(ratios):.0f} times as fast as scikit-learn" in readme
