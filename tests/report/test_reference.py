from pathlib import Path

from calipers.metrics import catalogue
from calipers.report.reference import reference

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_the_page_is_what_the_catalogue_says():
    assert PAGE.read_text(encoding="utf-8") == reference(), "run: python -m calipers.report.reference > docs/metrics.md"


def test_every_metric_has_its_entry():
    page = reference()
    assert [m.name for m in catalogue() if f"### {m.name}\n" not in page] == []
