"""What a reader does with the threshold workbench; every number shown is compared with Python's."""

import json
import math
import re
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest
from kinds import PHONE, weather

import calipers as cal
from calipers import datasets
from calipers.report.language import typeset
from calipers.report.layout import whole
from calipers.report.page.entries import METRICS, SHOWN, share

SHARES = ("precision", "f1", "f2", "share")


def entry_of(page, slice=0, label=0):
    data = json.loads(page.locator("#workbench-data").text_content())
    entry = data["views"][slice][label]
    entry["stops"] = entry["t"].split("|")
    return entry


def texts(page, column="now"):
    cells = page.locator(f"[data-{column}]").all()
    return {cell.get_attribute(f"data-{column}"): " ".join(cell.inner_text().split()) for cell in cells}


def number(text):
    return float(text.split(" ")[0].replace("−", "-").replace(",", "."))


def counts(page):
    cells = (page.locator(f"[data-cell={name}]").inner_text() for name in ("tp", "fp", "fn", "tn"))
    return [float(text.replace(",", "")) for text in cells]


def at(page):
    """The threshold that is shown, as a number; the page is asked, because Playwright learns of a new URL later."""
    return float(parse_qs(page.evaluate("location.hash")[1:])["t"][0])


def message(page):
    return page.locator("#wb-message").inner_text()


def same_numbers(page, ev, lang="en", column="now"):
    """Every number of a column is what Python says of an evaluation."""
    words, shown = typeset(lang), texts(page, column)
    expected = {**{name: ev[name] for name in METRICS}, "share": share(ev)}
    assert {name: shown[name] for name in SHOWN} == {
        name: whole(estimate, words) for name, estimate in expected.items()
    }


def type_in(page, **values):
    for name, text in values.items():
        page.locator(f"#wb-{name}").fill(text)
        page.locator(f"#wb-{name}").blur()


def press(page, want):
    page.locator(f"[data-want={want}]").click()


def test_every_stop_shows_what_python_says(visit, loans):
    page = visit("loans")
    stops = entry_of(page)["stops"]
    assert 100 < len(stops) <= 256
    same_numbers(page, loans, column="used")
    page.locator("#wb-slider").focus()
    page.keyboard.press("Home")
    for index, text in enumerate(stops):
        if index % 9 == 0 or index == len(stops) - 1:
            cut = loans.at(threshold=float(text))
            assert at(page) == float(text)
            same_numbers(page, cut)
            assert counts(page) == [cut[name] for name in ("tp", "fp", "fn", "tn")]
            assert page.locator("#wb-grip").inner_text() == ("predict none" if text == "inf" else text)
            changes = texts(page, "change")
            assert number(changes["recall"]) == pytest.approx(cut["recall"] - loans["recall"], abs=5.1e-4)
            if cut["precision"] == cut["precision"]:
                assert number(changes["precision"]) == pytest.approx(cut["precision"] - loans["precision"], abs=5.1e-4)
        page.keyboard.press("ArrowRight")


def test_drag_keys_and_focus_move_the_line(visit, loans):
    page = visit("loans")
    page.locator("#wb-stage").scroll_into_view_if_needed()
    box = page.locator("#wb-stage").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 70, steps=3)
    page.mouse.up()
    axis = json.loads(page.locator("#workbench-data").text_content())["axis"]
    wanted = (30 - axis["left"]) / (axis["right"] - axis["left"])
    stops = [float(text) for text in entry_of(page)["stops"]]
    assert at(page) == min(stops, key=lambda t: abs(t - wanted))
    same_numbers(page, loans.at(threshold=at(page)))
    assert page.evaluate("document.activeElement.id") == "wb-slider"
    before = stops.index(at(page))
    for key, index in {"ArrowRight": before + 1, "ArrowDown": before, "PageUp": before + 8, "End": len(stops) - 1,
                       "Home": 0}.items():  # fmt: skip
        page.keyboard.press(key)
        assert at(page) == stops[index]
        assert page.locator("#wb-slider").get_attribute("aria-valuenow") == str(index)
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 60)  # no button is held
    assert at(page) == stops[0]


def test_markers_on_both_charts_follow(visit, loans):
    page = visit("loans", "#t=0.2127")
    cut = loans.at(threshold=0.2127)
    for kind, x, y in (("roc", "fpr", "recall"), ("pr", "recall", "precision")):
        left, right, bottom, top = map(float, page.locator(f"#{kind}").get_attribute("data-axes").split())
        circle = page.locator(f".marker[data-kind={kind}] circle")
        assert float(circle.get_attribute("cx")) == pytest.approx(left + cut[x] * (right - left), abs=0.02)
        assert float(circle.get_attribute("cy")) == pytest.approx(bottom + cut[y] * (top - bottom), abs=0.02)
    left, right, bottom, top = map(float, page.locator("#thresholds").get_attribute("data-axes").split())
    line = page.locator(".marker[data-kind=thresholds] .cross").get_attribute("d")
    assert float(line[1:].split()[0]) == pytest.approx(left + 0.2127 * (right - left), abs=0.02)


def test_the_sentence_says_what_changes(visit, loans):
    page = visit("loans", "#t=0.2127")
    assert page.locator("#wb-sentence").inner_text().startswith(
        "Catches 32 more rows of class BAD (87 of 100) and raises 218 more false alarms (268 of 900 other rows)."
    )
    assert page.locator("#wb-title").inner_text() == "0.2127 instead of 0.5"
    page.locator("#wb-reset").click()
    assert page.locator("#wb-title").inner_text() == "0.5: the threshold in use"
    assert "Catches 55 of 100 rows of class BAD. False alarms: 50 of" in page.locator("#wb-sentence").inner_text()
    assert texts(page, "used") == texts(page, "now")


@pytest.mark.parametrize(("fp", "fn"), [(1, 1), (1, 10), (3, 7), (1000, 1), (0, 1), (1, 0), (0.3, 2.5)])
def test_the_lowest_cost_is_that_of_python(visit, loans, fp, fn):
    page = visit("loans")
    type_in(page, fp=str(fp), fn=str(fn))
    press(page, "cost")
    best = loans.best_threshold(cost={"fp": fp, "fn": fn})
    assert counts(page) == [float(x) for x in best.counts.counts]
    assert number(texts(page)["cost"]) == pytest.approx(best.value, abs=5.1e-4)
    assert best.value == pytest.approx(loans.at(threshold=at(page)).expected_cost([[0, fn], [fp, 0]]), rel=1e-12)
    assert page.locator("[data-want=cost]").get_attribute("aria-pressed") == "true"


def test_page_a1_predicting_nobody_can_be_the_cheapest(visit, nobody):
    page = visit("nobody")
    type_in(page, fp="1000", fn="1")
    press(page, "cost")
    assert math.isinf(nobody.best_threshold(cost={"fp": 1000, "fn": 1}))
    assert page.locator("#wb-grip").inner_text() == "predict none"
    assert "t=inf" in page.url
    assert texts(page)["cost"].startswith("0.202 [")
    assert texts(page)["precision"] == "-"
    again = visit("nobody", "#t=inf")
    assert again.locator("#wb-grip").inner_text() == "predict none"


def test_targets_are_reached_as_closely_as_the_scores_allow(visit, loans):
    page, sweep = visit("loans"), loans.curve("sweep")
    flagged = (sweep.tp + sweep.fp) / loans.rows
    for text, wanted in {"0.8": 0.8, "95%": 0.95, "0.99": 0.99}.items():
        type_in(page, recall=text)
        first = int(np.flatnonzero(sweep.recall >= wanted)[0])
        assert counts(page)[:2] == [sweep.tp[first], sweep.fp[first]]
    for wanted in (0.05, 0.1, 0.3):
        type_in(page, flag=str(wanted))
        last = int(np.flatnonzero(flagged <= wanted)[-1])
        assert counts(page)[:2] == [sweep.tp[last], sweep.fp[last]]
    type_in(page, recall="0.83")  # has no stop of its own: the target is kept, if not as tightly
    assert number(texts(page)["recall"]) >= 0.83
    press(page, "f1")
    assert counts(page) == [float(x) for x in loans.best_threshold("f1").counts.counts]
    assert 'ev.best_threshold("f1")' in page.locator("#wb-python").text_content()


def test_page_a4_a_prevalence_restates_everything_it_changes(visit, loans):
    page = visit("loans", "#t=0.2127")
    type_in(page, fp="1", fn="10", prevalence="0.02")
    for column, threshold in (("now", 0.2127), ("used", 0.5)):
        cut, shown = loans.at(threshold=threshold, prevalence=0.02), texts(page, column)
        for name in METRICS:
            assert number(shown[name]) == pytest.approx(cut[name], abs=5.1e-4), name
        flagged = float(cut.confusion["BAD", "BAD"] + cut.confusion["GOOD", "BAD"]) / 1000
        assert number(shown["share"]) == pytest.approx(flagged, abs=5.1e-4)
        assert number(shown["cost"]) == pytest.approx(cut.expected_cost([[0, 10], [1, 0]]), abs=5.1e-4)
    now = loans.at(threshold=0.2127, prevalence=0.02)
    cells = [page.locator(f"[data-cell={name}]").inner_text() for name in ("tp", "fp", "fn", "tn")]
    assert cells == [typeset("en").count(round(float(now[name]), 9)) for name in ("tp", "fp", "fn", "tn")]
    assert "prevalence of 0.02" in page.locator("#wb-restated").inner_text()
    assert ".at(prevalence=0.02)" in page.locator("#wb-python").text_content()
    for rule, want in (({"cost": {"fp": 1, "fn": 10}}, "cost"), ({"rule": "f1"}, "f1")):
        press(page, want)
        best = loans.at(prevalence=0.02).best_threshold(**rule)
        cut = loans.at(threshold=at(page), prevalence=0.02)
        value = cut["f1"] if want == "f1" else cut.expected_cost([[0, 10], [1, 0]])
        assert float(value) == pytest.approx(best.value, rel=1e-9 if want == "cost" else 0.05)
    type_in(page, prevalence="")
    same_numbers(page, loans.at(threshold=at(page)))


def test_the_interval_of_the_cost_combines_those_of_both_rates(visit, loans):
    page = visit("loans", "#t=0.2127&fp=1&fn=10&prevalence=0.02")
    cut, miss, alarm = loans.at(threshold=0.2127), 10 * 0.02, 0.98
    value = miss * (1 - cut["recall"]) + alarm * cut["fpr"]
    low = value - math.hypot(miss * (cut["recall"].high - cut["recall"]), alarm * (cut["fpr"] - cut["fpr"].low))
    high = value + math.hypot(miss * (cut["recall"] - cut["recall"].low), alarm * (cut["fpr"].high - cut["fpr"]))
    assert texts(page)["cost"] == f"{value:.3f} [{low:.3f}, {high:.3f}]"


def test_a_slice_has_its_own_numbers(visit, loans):
    page = visit("loans", "#t=0.2127")
    options = page.locator("#wb-slice option").all_inner_texts()
    assert sorted(options[1:]) == sorted(f"region = {name}" for name in loans.by["region"])
    for number_of, option in enumerate(options[1:], 1):
        page.locator("#wb-slice").select_option(str(number_of))
        part = loans.by["region"][option.partition(" = ")[2]]
        same_numbers(page, part.at(threshold=at(page)))
        same_numbers(page, part, column="used")
        assert len(entry_of(page, number_of)["stops"]) <= 64
        press(page, "cost")
        assert counts(page) == [float(x) for x in part.best_threshold(cost={"fp": 1, "fn": 1}).counts.counts]
        assert f"ev.by['region']['{option.partition(' = ')[2]}'].at(threshold=" in page.locator(
            "#wb-python"
        ).text_content()


def test_each_class_against_the_rest_is_as_python_has_it(visit):
    page, ev, days = visit("weather"), weather(), datasets.load("weather")
    truth, season = np.array(days["truth"]), np.array(days["season"])
    assert page.locator("#wb-class option").all_inner_texts() == ["rain", "snow", "sun"]
    slices = page.locator("#wb-slice option").all_inner_texts()
    assert len(slices) == 1 + len(ev.by["season"])
    for index, name in enumerate(("rain", "snow", "sun")):
        page.locator("#wb-class").select_option(str(index))
        page.locator("#wb-slice").select_option("0")
        two = cal.evaluate(truth == name, np.array(days[f"p_{name}"]))
        same_numbers(page, two.at(threshold=at(page)), "vi")
        given = cal.evaluate(truth == name, np.argmax([days[f"p_{c}"] for c in ("rain", "snow", "sun")], 0) == index)
        assert texts(page, "used")["f1"] == whole(given["f1"], typeset("vi"))
        assert texts(page, "used")["recall"] == whole(ev.classes[name]["recall"], typeset("vi"))
        press(page, "f1")
        assert counts(page) == [float(x) for x in ev.best_threshold("f1", label=name).counts.counts]
        page.locator("#wb-slice").select_option("1")
        rows = season == slices[1].partition(" = ")[2]
        part = cal.evaluate(truth[rows] == name, np.array(days[f"p_{name}"])[rows])
        same_numbers(page, part.at(threshold=at(page)), "vi")


def test_a_link_keeps_everything(visit, loans):
    page = visit("loans")
    page.locator("#wb-slice").select_option("2")
    type_in(page, fp="2", fn="7", prevalence="0.03", recall="0.75")
    press(page, "cost")
    fragment, shown = "#" + page.url.partition("#")[2], texts(page)
    assert page.locator("#wb-link").text_content() == page.url
    again = visit("loans", fragment)
    assert texts(again) == shown
    assert again.locator("#wb-slice").input_value() == "2"
    assert [again.locator(f"#wb-{key}").input_value() for key in ("fp", "fn", "prevalence", "recall")] == [
        "2", "7", "0.03", "0.75",
    ]  # fmt: skip
    assert again.locator("[data-want=cost]").get_attribute("aria-pressed") == "true"
    assert message(again) == ""
    assert parse_qs(fragment[1:])["slice"][0].startswith("region = ")


def test_a_threshold_without_a_stop_is_said(visit, loans):
    page = visit("loans", "#t=0.3701")
    assert at(page) != 0.3701
    assert message(page).startswith(f"This page has no numbers for 0.3701; it shows {at(page)}, the nearest threshold.")
    assert "ev.at(threshold=0.3701)" in message(page)
    same_numbers(page, loans.at(threshold=at(page)))
    type_in(page, t="0.5")
    assert (at(page), message(page)) == (0.5, "")


def test_few_scores_have_a_stop_each(visit, few):
    page = visit("few", "#t=0.33")
    assert message(page) == "0.33 gives the same predictions as 0.35, which is shown."
    assert counts(page) == [few.at(threshold=0.33)[name] for name in ("tp", "fp", "fn", "tn")]


@pytest.mark.parametrize(("field", "text", "said"), [
    ("prevalence", "abc", "Prevalence of BAD: “abc” is not possible."),
    ("prevalence", "1", "Prevalence of BAD: “1” is not possible."),
    ("fp", "-3", "A false alarm costs: “-3” is not a cost."),
    ("fn", "", "A miss costs: “” is not a cost."),
    ("recall", "80", "Recall at least: “80” is not a share."),
    ("flag", "five", "Flag at most: “five” is not a share."),
    ("t", "half", "Threshold: “half” is not a number."),
])  # fmt: skip
def test_bad_input_gets_a_message(visit, field, text, said):
    page = visit("loans")
    before = texts(page)
    type_in(page, **{field: text})
    assert message(page).startswith(said)
    assert page.locator(f"#wb-{field}").get_attribute("aria-invalid") == "true"
    assert texts(page) == before
    linked = visit("loans", "#" + urlencode({field: text}))
    assert message(linked).startswith(said)
    assert texts(linked) == before


def test_a_link_to_what_is_not_there_is_said(visit):
    page = visit("loans", "#t=0.5&slice=region+%3D+moon")
    assert message(page) == "The link names “region = moon”, which is not on this page."
    assert visit("loans", "#%E0%A4%A").locator("#wb-grip").inner_text() == "0.5"


def test_code_and_command_are_copied(visit, loans):
    page = visit("loans", "#t=0.2127")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".copies summary").click()
    for name in ("link", "python", "shell"):
        page.evaluate("by('copied').textContent = ''")
        page.locator(f"[data-copy=wb-{name}]").click()
        page.locator("#wb-copied:not(:empty)").wait_for()  # the clipboard answers later
        assert page.locator("#wb-copied").inner_text() == "Copied."
        assert page.evaluate("navigator.clipboard.readText()") == page.locator(f"#wb-{name}").text_content()
    assert page.locator("#wb-shell").text_content() == "calipers evaluate FILE --positive BAD --threshold 0.2127"
    again = eval(page.locator("#wb-python").text_content(), {"ev": loans})
    same_numbers(page, again)


def test_decimal_commas_are_read_and_written(visit):
    page = visit("weather")
    type_in(page, prevalence="0,25")
    assert "prevalence=0.25" in page.url
    assert "0,25" in page.locator("#wb-restated").inner_text()
    assert re.fullmatch(r"0,\d{3}", texts(page)["precision"])
    assert page.locator("#wb-prevalence").get_attribute("aria-invalid") == "false"


def test_without_scripts_the_numbers_stand_in_tables(visit, loans):
    page = visit("loans", scripts=False)
    same_numbers(page, loans, column="used")
    assert counts(page) == [loans[name] for name in ("tp", "fp", "fn", "tn")]
    page.locator("#workbench > details summary").last.click()
    rows = {}
    for row in page.locator("#workbench > details table tbody tr").all():
        head, *cells = (" ".join(cell.inner_text().split()) for cell in row.locator("th, td").all())
        rows[head] = cells
    for threshold, cells in rows.items():
        cut = loans.at(threshold=math.inf if threshold == "predict none" else float(threshold))
        assert cells[1:5] == [f"{int(cut[name])}" for name in ("tp", "fp", "fn", "tn")]
        assert cells[5:10] == [whole(cut[name], typeset("en")) for name in METRICS]
    reasons = {reason: head for head, cells in rows.items() for reason in cells[0].split("; ")}
    best = loans.best_threshold(cost={"fp": 1, "fn": 10})
    cheapest = float(reasons["lowest cost if a miss costs 10 times a false alarm"])
    assert loans.at(threshold=cheapest)["tp"] == best.counts.tp
    assert reasons["in use"] == "0.5"
    assert float(reasons["Best F1"]) == loans.best_threshold("f1")


def test_paper_shows_the_state(visit):
    page = visit("loans", "#t=0.2127")
    page.emulate_media(media="print")
    for shown in ("#wb-title", "#wb-sentence", "[data-now=recall]", "#wb-grip", ".heat.two", "#wb-curve"):
        assert page.locator(shown).first.is_visible(), shown
    assert not page.locator("#wb-reset").is_visible()


@pytest.mark.parametrize("name", ["loans", "weather"])
def test_fingers_and_eyes_have_enough_on_a_phone(visit, name):
    page = visit(name, viewport=PHONE)
    page.locator(".copies summary").click()
    small = page.evaluate("""() => Array.from(document.querySelectorAll(
        "#workbench button, #workbench input, #workbench select, #wb-slider, #workbench summary"))
        .filter(e => e.offsetParent && Math.min(e.offsetWidth, e.offsetHeight) < 24)
        .map(e => e.outerHTML.slice(0, 80))""")
    assert small == []
    tiny = page.evaluate("""() => Array.from(document.querySelectorAll(".bench *"))
        .filter(e => e.textContent.trim() && !e.children.length && parseFloat(getComputedStyle(e).fontSize) < 11)
        .map(e => e.outerHTML.slice(0, 80))""")
    assert tiny == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_chinese_has_no_space_between_its_own_characters(browser, tmp_path):
    weather().save(file := tmp_path / "weather.html", lang="zh")
    page = browser.new_page()
    page.goto(file.as_uri())
    type_in(page, t="0.6")
    shown = [page.locator(f"#wb-{name}").inner_text() for name in ("title", "sentence")]
    shown += [head.inner_text() for head in page.locator("[data-says], [data-is]").all()]
    assert "预测为其他" in shown
    assert not [text for text in shown if re.search(r"[，。；：）\u4e00-\u9fff] [（\u4e00-\u9fff]", text)]
    page.close()
