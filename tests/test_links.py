"""Every link between the documents leads to a file that exists, and to a heading of it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CHANGES = ROOT / "changes"  # its files become parts of CHANGELOG.md
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *CHANGES.glob("*.md")]
FENCED = re.compile(r"^```.*?^```$", re.M | re.S)


def prose(page):
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def anchors(page):
    """The headings, as GitHub makes anchors of them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_page_lead_somewhere(page):
    folder = ROOT if page.parent == CHANGES else page.parent
    links = re.findall(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"", prose(page))
    for link in (a or b for a, b in links):
        name, _, anchor = link.partition("#")
        if "://" in name:
            continue
        target = (folder / name).resolve() if name else page
        assert target.exists(), f"{link}: no such file"
        if anchor:
            assert anchor in anchors(target), f"{link}: no such heading"
