"""The site is complete: every page is in a toctree, and every code has an address that leads to its text."""

import re

import pages
import pytest

import calipers as cal
from calipers import addresses
from calipers.errors import InputError
from calipers.metrics.base import CATALOGUE
from calipers.report import codes
from calipers.report.explain import explain


@pytest.fixture(scope="module")
def texts():
    return pages.texts()


def test_every_page_is_in_a_toctree_and_every_entry_is_a_page(texts):
    reached = pages.reached(texts)
    assert not texts.keys() - reached, "in no toctree: add a line to docs/how-to.md or another page of a section"
    assert not reached - texts.keys(), "toctrees list pages that do not exist"


def test_every_code_has_one_address_and_the_page_there_has_its_heading(texts):
    headings = {name: set(re.findall(r"^##+ (\S+)$", text, re.M)) for name, text in texts.items()}
    for code, kind in codes.known().items():
        name, _, anchor = addresses.of_code(code, kind).removeprefix(f"{addresses.SITE}/").partition("#")
        assert code in headings[name.replace(".html", ".md")], f"{name} has no heading {code}"
        assert re.fullmatch(r"[a-z0-9-]+", anchor), anchor  # as docutils makes the anchor of the heading
    assert len({(kind, addresses.anchor(code)) for code, kind in codes.known().items()}) == len(codes.known())


def test_thousands_have_commas_in_the_guides():
    files = [path for name, path in pages.guides().items() if not name.startswith("coverage")]
    for file in (pages.ROOT / "README.md", *files):
        prose = pages.FENCED.sub("", file.read_text(encoding="utf-8"))
        assert not re.findall(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?![\d.,]?\d)", prose), file


def test_no_code_is_the_name_of_a_metric():
    assert not set(CATALOGUE.names()) & codes.known().keys()


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_explain_shows_the_text_of_a_code_and_its_address(lang, monkeypatch):
    monkeypatch.setattr(addresses, "SITE", "https://docs.test")
    text = explain("scores_too_high", lang=lang).to_text()
    assert "<score>" in text
    assert "https://docs.test/codes/findings.html#scores-too-high" in text
    assert text != explain("scores_too_high", lang="vi" if lang != "vi" else "en").to_text()


@pytest.mark.parametrize("site", ["https://docs.test", "https://calipers.example/docs"])
def test_views_link_to_the_address_of_a_code_and_never_to_the_placeholder(site, monkeypatch, tmp_path):
    monkeypatch.setattr(addresses, "SITE", site)
    published = site == "https://docs.test"
    error = InputError("common.not_a_number", name="score", count=3, row=17)
    assert error.link == (f"{site}/codes/errors.html#common-not-a-number" if published else None)
    ev = cal.evaluate([0] * 90 + [1] * 10, [0] * 95 + [1] * 5)
    address = f"{site}/codes/findings.html#{addresses.anchor(ev.findings[0].code)}"
    ev.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    explained = explain(ev.findings[0].code).to_text()
    for text in (page, ev.to_markdown(), ev.to_json(), explained):
        assert (address in text) is published
        assert published or site not in text


def test_links_to_files_that_are_no_pages_lead_to_the_repository():
    text = pages.linked("[a](../ARCHITECTURE.md) [b](../src/calipers/__init__.py) [c](page.md#x)", "inputs.md")
    assert text == (
        f"[a](architecture.md) [b]({addresses.REPOSITORY}/blob/main/src/calipers/__init__.py) [c](page.md#x)"
    )
