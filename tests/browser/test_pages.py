"""What a reader does with a page: opens the working, prints, reads it without scripts."""

import re
from html.parser import HTMLParser

import pytest
from kinds import HOSTILE, KINDS, PHONE, violations


def test_the_theme_is_the_readers_and_switches(visit):
    paper = "getComputedStyle(document.body).backgroundColor"
    page = visit("loans", scheme="dark")
    assert page.evaluate(paper) == "rgb(21, 24, 29)"
    page.locator("#theme").click()
    assert page.evaluate(paper) == "rgb(255, 255, 254)"
    page.locator("#theme").click()
    assert page.evaluate(paper) == "rgb(21, 24, 29)"


def test_every_number_opens_to_its_working(visit, loans):
    page = visit("loans")
    workings = page.locator("details.number")
    assert workings.count() == len(loans)
    for index in range(workings.count()):
        workings.nth(index).locator("summary").click()
        assert workings.nth(index).locator("dl.facts").is_visible()
    tp, fp, fn = (int(loans[name]) for name in ("tp", "fp", "fn"))
    assert f"2*{tp} / (2*{tp} + {fp} + {fn})" in page.locator("#number-f1").inner_text()


def test_item_c15_arrow_keys_read_the_values_of_a_curve(visit):
    page = visit("loans")
    chart, said = page.locator("#calibration > svg"), page.locator("#calibration .readout")
    titles = page.locator("#calibration .points circle title").all_text_contents()
    assert len(titles) > 5
    chart.focus()
    assert said.inner_text() == titles[0]
    for key, index in (("ArrowRight", 1), ("End", len(titles) - 1), ("ArrowLeft", len(titles) - 2), ("Home", 0)):
        page.keyboard.press(key)
        assert said.inner_text() == chart.get_attribute("aria-valuetext") == titles[index]
    page.keyboard.press("Tab")
    assert said.inner_text() == ""


def test_tables_sort(visit):
    page = visit("weather")
    heads, first = page.locator("#slices thead th"), "#slices tbody tr:first-child td:nth-child(3)"
    heads.nth(2).locator("button").click()
    assert heads.nth(2).get_attribute("aria-sort") == "descending"
    highest = page.locator(first).get_attribute("data-v")
    heads.nth(2).locator("button").click()
    assert float(page.locator(first).get_attribute("data-v")) < float(highest)


@pytest.mark.parametrize("name", KINDS)
def test_pages_are_complete_without_scripts(visit, name):
    page = visit(name, scripts=False)
    assert page.locator("html").get_attribute("lang") == KINDS[name]
    assert page.locator("h2").count() >= 3
    assert page.locator("figure>svg, .forest>svg").count() == page.locator("figure").count()
    assert not page.locator("#theme").is_visible()
    if name == "loans":
        assert page.locator(".live:visible, .scripted:visible").count() == 0
        assert page.locator("#workbench table").count() >= 3


@pytest.mark.parametrize("name", KINDS)
def test_pages_are_for_everybody(visit, name):
    """Axe finds nothing in light and dark; paper holds it; with everything open a phone does.

    Each kind in one language: axe_everywhere.py runs the others.
    """
    axe = pytest.importorskip("axe_core_python.sync_playwright", reason="no axe-core: pip install axe-core-python")
    page = visit(name)
    assert violations(axe.Axe(), page) == []
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = false; })")
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    assert 1 <= pdf.count(b"/Type /Page\n") <= 12
    page.set_viewport_size(PHONE)
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


class Words(HTMLParser):
    """The texts of a page, but for code."""

    def __init__(self, text):
        super().__init__()
        self.texts, self.inside = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.inside = [*self.inside, tag] if tag in ("style", "script", "code") else self.inside

    def handle_endtag(self, tag):
        self.inside = self.inside[:-1] if tag in self.inside else self.inside

    def handle_data(self, data):
        self.texts += [] if self.inside else [data.strip()]


@pytest.mark.parametrize("name", [name for name, lang in KINDS.items() if lang != "en"])
def test_no_english_is_left(pages, name):
    """Names, symbols and citations are the same everywhere; sentences are not."""
    english = re.compile(r"\b(the|of|is|are|was|were|with|which|than|from|that|this|by|not|rows|each|resamples)\b")
    found = Words((pages / f"{name}.html").read_text(encoding="utf-8")).texts
    assert len(found) > 100
    assert [text for text in found if english.search(re.sub(r"^\w+(：|: )", "", text))] == []


def test_what_a_user_wrote_stays_text(visit):
    for name, scripts in (("models", 1), ("hostile", 2)):
        page = visit(name)
        assert page.locator("img").count() == 0
        assert page.evaluate("document.scripts.length") == scripts
        assert page.title() != "owned"
        if name == "models":
            assert HOSTILE[:20] in page.locator("#verdicts").inner_text()
    assert page.locator("h1").inner_text() == HOSTILE
    assert page.locator("#workbench").inner_text().count("</script>") >= 2
