"""The site is complete: every page is in a toctree, and every code has an address that leads to its text."""

import re

import pages
import pytest

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


def test_no_code_is_the_name_of_a_metric():
    assert not set(CATALOGUE.names()) & codes.known().keys()


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_explain_shows_the_text_of_a_code_and_its_address(lang):
    text = explain("scores_too_high", lang=lang).to_text()
    assert "<score>" in text
    assert addresses.SITE in text
    assert text != explain("scores_too_high", lang="vi" if lang != "vi" else "en").to_text()


def test_an_error_knows_its_address():
    error = InputError("common.not_a_number", name="score", count=3, row=17)
    assert error.link == f"{addresses.SITE}/codes/errors.html#common-not-a-number"


def test_links_to_files_that_are_no_pages_lead_to_the_repository():
    text = pages.linked("[a](../ARCHITECTURE.md) [b](../src/calipers/__init__.py) [c](page.md#x)", "inputs.md")
    assert text == (
        f"[a](architecture.md) [b]({addresses.REPOSITORY}/blob/main/src/calipers/__init__.py) [c](page.md#x)"
    )
