"""Commands that measure write their tables between the markers of a page."""

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
