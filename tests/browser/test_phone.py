"""On a phone: nothing scrolls sideways, text of charts can be read, and what is tapped is large enough."""

import numpy as np
import pytest
from kinds import KINDS, PHONE

import calipers as cal

SMALL_TEXT = """() => [...document.querySelectorAll('figure svg, svg.axis, .map svg')].flatMap(svg => {
  const box = svg.viewBox.baseVal, scale = box && box.width ? svg.getBoundingClientRect().width / box.width : 1;
  return [...svg.querySelectorAll('text')].map(text => [parseFloat(getComputedStyle(text).fontSize) * scale,
    text.textContent]);
}).filter(([size]) => size < 11)"""
SMALL_TARGETS = """() => [...document.querySelectorAll('nav a, button, summary, input, select')]
  .map(one => [one.getBoundingClientRect(), one.textContent || one.id]).filter(([box]) => box.height && box.height < 24)
  .map(([box, text]) => [box.height, text])"""
WIDE = """() => [...document.querySelectorAll('.scroll')].filter(one => one.scrollWidth > one.clientWidth + 1
  && one.querySelector('table.strips, table.heat, table.glance'))
  .map(one => [one.scrollWidth, one.textContent.slice(0, 60)])"""

ANSWER_ENDS = "() => Math.max(...[...document.querySelectorAll('.answers')].map(e => e.getBoundingClientRect().bottom))"


@pytest.mark.parametrize("name", KINDS)
def test_item_b7_a_phone_shows_every_kind_of_page(visit, name):
    page = visit(name, viewport=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate(SMALL_TEXT) == []
    assert page.evaluate(SMALL_TARGETS) == []
    assert page.evaluate(WIDE) == []
    assert page.evaluate(ANSWER_ENDS) <= PHONE["height"]


def test_item_b10_the_box_finds_classes(visit):
    page = visit("sixty")
    rows = page.locator("#each-class tbody tr")
    assert rows.count() == 60
    page.locator("[data-filter]").fill("CLASS_07")
    assert [row.inner_text().split()[0] for row in rows.all() if row.is_visible()] == ["class_07"]


def test_item_a2_a_metric_opens_its_pairs(visit):
    page = visit("five")
    second = page.locator("#glance tbody a").nth(1)
    target = page.locator(second.get_attribute("href"))
    assert target.get_attribute("open") is None
    second.click()
    assert target.get_attribute("open") is not None


def test_item_b11_heads_of_tables_repeat_on_paper(visit):
    page = visit("sixty")
    page.emulate_media(media="print")
    head = "getComputedStyle(document.querySelector('#each-class thead')).display"
    assert page.evaluate(head) == "table-header-group"
    assert page.evaluate("getComputedStyle(document.querySelector('.scroll')).overflowX") == "visible"


def test_models_are_sorted_by_the_metric_that_the_reader_chooses(visit):
    page = visit("five")
    boards = page.locator(".board")
    assert [board.is_visible() for board in boards.all()] == [True] + [False] * (boards.count() - 1)
    box = page.locator("[data-boards]")
    box.select_option(index=2)
    assert [board.is_visible() for board in boards.all()].index(True) == 2
    assert box.locator("option").nth(2).inner_text() in boards.nth(2).locator("thead").inner_text()


def test_a_long_description_of_a_model_is_broken(browser, tmp_path):
    pipeline = pytest.importorskip("sklearn.pipeline")
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    model = pipeline.make_pipeline(*(StandardScaler() for _ in range(3)), LogisticRegression())
    cal.cross_validate(model, rng.normal(size=(80, 2)) + 2 * y[:, None], y, cv=2).save(tmp_path / "x.html")
    page = browser.new_page(viewport=PHONE)
    page.goto((tmp_path / "x.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.locator(".answer").first.inner_text().startswith("LogisticRegression ranks")
    page.close()
