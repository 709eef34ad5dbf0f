"""What a reader does with a page: moves the slider, opens the working, prints, reads it without scripts."""

import json
import math
import re
from html.parser import HTMLParser

import pytest
from kinds import HOSTILE, KINDS, PHONE

from calipers.report.language import language
from calipers.report.layout import whole
from calipers.report.page.explorer import METRICS, at

ONE_OF_MANY = {"exclude": [[".number:nth-child(n+9)"]]}  # of lines that are all made alike, the first


def told(page):
    cells = page.locator("[data-told]").all()
    return {cell.get_attribute("data-told"): cell.inner_text() for cell in cells}


def data_of(page):
    return json.loads(page.locator("#data").text_content())


def move(page, index):
    page.locator("#slider").evaluate(
        "(slider, index) => { slider.value = index; slider.dispatchEvent(new Event('input')); }", index
    )


def test_the_slider_shows_what_python_says_at_ten_thresholds(visit, loans):
    page, english = visit("loans"), language("en")
    data = data_of(page)
    assert len(data["thresholds"]) > 200
    for index in range(0, len(data["thresholds"]), len(data["thresholds"]) // 10):
        move(page, index)
        value = data["values"][index]
        cut = loans.at(threshold=math.inf if value is None else value)
        shown = told(page)
        assert {name: shown[name] for name in METRICS} == {name: whole(cut[name], english) for name in METRICS}
        counts = [int(page.locator(f"[data-count='{i}']").inner_text()) for i in range(4)]
        assert counts == [cut[name] for name in ("tp", "fp", "fn", "tn")]
        assert shown["share"].startswith(f"{(counts[0] + counts[1]) / 1000:.3f} [")
        assert page.locator("#threshold").inner_text() == data["thresholds"][index]


def test_the_marker_is_where_the_charts_have_the_threshold(visit, loans):
    page = visit("loans")
    data = data_of(page)
    move(page, index := 150)
    cut = loans.at(threshold=data["values"][index])
    for kind, x, y in (("roc", "fpr", "recall"), ("pr", "recall", "precision")):
        left, right, bottom, top = map(float, page.locator(f"#{kind}").get_attribute("data-axes").split())
        circle = page.locator(f".marker[data-kind={kind}] circle")
        assert float(circle.get_attribute("cx")) == pytest.approx(left + cut[x] * (right - left), abs=0.02)
        assert float(circle.get_attribute("cy")) == pytest.approx(bottom + cut[y] * (top - bottom), abs=0.02)


def test_the_expected_cost_follows_costs_and_prevalence(visit, loans):
    page = visit("loans")
    data = data_of(page)
    move(page, index := 120)
    for name, value in {"cost-fp": "1", "cost-fn": "10", "prevalence": "0.02"}.items():
        page.locator(f"#{name}").fill(value)
    cut, share = loans.at(threshold=data["values"][index]), 0.02
    expected = 10 * share * (1 - cut["recall"]) + (1 - share) * cut["fpr"]
    restated = cut.at(prevalence=share).expected_cost([[0, 10], [1, 0]])
    assert expected == pytest.approx(restated, rel=1e-9)
    miss, alarm = 10 * share, 1 - share
    low = expected - math.hypot(miss * (cut["recall"].high - cut["recall"]), alarm * (cut["fpr"] - cut["fpr"].low))
    value, bound = page.locator("#cost").inner_text().replace("[", "").replace(",", "").split()[:2]
    assert (float(value), float(bound)) == (pytest.approx(expected, abs=5e-4), pytest.approx(low, abs=5e-4))
    page.locator("#cheapest").click()
    best = int(page.locator("#slider").input_value())
    costs = []
    for threshold in data["values"]:
        found, _ = at(loans, math.inf if threshold is None else threshold)
        costs.append(miss * (1 - found["recall"]) + alarm * found["fpr"])
    assert costs[best] == pytest.approx(min(costs), abs=2e-5)


def test_item_verdicts_the_last_stop_predicts_none(visit):
    page = visit("loans")
    for name, value in {"cost-fp": "100", "cost-fn": "1", "prevalence": "0.02"}.items():
        page.locator(f"#{name}").fill(value)
    move(page, len(data_of(page)["thresholds"]) - 1)
    assert page.locator("#threshold").inner_text() == "predict no row as positive"
    assert page.locator("#cost").inner_text().startswith("0.020 [")
    assert [page.locator(f"[data-count='{i}']").inner_text() for i in range(4)] == ["0", "0", "100", "900"]
    assert page.url.endswith("#t=none")
    again = visit("loans", "#t=none")
    assert again.locator("#threshold").inner_text() == "predict no row as positive"
    label = again.locator("label", has=again.locator("#prevalence"))
    assert label.inner_text().strip() == "Prevalence used for the cost"


def test_a_link_keeps_the_threshold_and_the_keyboard_moves_it(visit):
    page = visit("loans")
    move(page, 40)
    fragment = "#" + page.url.partition("#")[2]
    assert fragment.startswith("#t=")
    again = visit("loans", fragment)
    assert again.locator("#slider").input_value() == "40"
    again.locator("#slider").focus()
    again.keyboard.press("ArrowRight")
    assert again.locator("#slider").input_value() == "41"
    assert again.locator("#slider").get_attribute("aria-valuetext") == data_of(again)["thresholds"][41]


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
        assert not page.locator(".live").is_visible()
        assert page.locator("#explorer table").count() >= 3


@pytest.mark.parametrize("name", KINDS)
def test_pages_are_for_everybody(visit, name):
    """Axe finds nothing to mend in light and dark; paper holds it; with everything open a phone does."""
    axe = pytest.importorskip("axe_core_python.sync_playwright", reason="no axe-core: pip install axe-core-python")
    page, found = visit(name), []
    page.evaluate("document.querySelectorAll('details').forEach((part, at) => { part.open = at % 7 === 0; })")
    asked = {"resultTypes": ["violations"]}
    for scheme, rules in (("light", {}), ("dark", {"runOnly": {"type": "rule", "values": ["color-contrast"]}})):
        page.emulate_media(color_scheme=scheme)
        found += axe.Axe().run(page, ONE_OF_MANY, {**asked, **rules})["violations"]
    assert [(v["id"], [n["target"] for n in v["nodes"]][:3]) for v in found] == []
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
    assert page.locator("#confusion").inner_text().count("</script>") >= 2
