import base64
import hashlib
import html
import json
import os
import re
import sys
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

import calipers as cal
from calipers import datasets
from calipers.errors import InputError, MissingExtra
from calipers.findings import RULES
from calipers.findings.sweeps import LEARNING, PARTS, TUNING
from calipers.metrics.base import CATALOGUE
from calipers.report.language import LANGUAGES, language
from calipers.report.page import _fingerprint as fingerprint
from calipers.report.page import render
from calipers.report.page.elements import isolated
from calipers.report.page.evaluation import EVIDENCE, LINKED
from calipers.tasks import TASKS

GOLDEN = Path(__file__).parents[2] / "golden" / "page.txt"
PART = re.compile(
    r'<(section|figure|details|table)\b[^>]*? (?:id|class|aria-label)="([^"]*)"|<(h[123])\b[^>]*>(.*?)</h'
)
HOSTILE = "</script><img src=x onerror=alert(1)>\"'&"


class Outline(HTMLParser):
    """Ids, links, headings and attributes of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.tags, self.inline, self.alone = [], [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append(tag)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if "href" in attributes else []
        self.inline += [f"{tag} {key}" for key in attributes if key == "style" or key.startswith("on")]
        if tag == "svg" and "aria-label" not in attributes and attributes.get("aria-hidden") != "true":
            self.alone.append(attributes)


@pytest.fixture(scope="module")
def loans():
    columns = {"truth": "truth", "score": "score", "positive": "BAD", "by": ["region"]}
    return cal.evaluate(datasets.load("bad_debt"), **columns)


@pytest.fixture(scope="module")
def page(loans):
    return render(loans, lang="en", command="calipers evaluate loans.csv --html <x>")


def test_sections_stand_in_order_and_every_link_leads_somewhere(page):
    outline = Outline(page)
    sections = re.findall(r'<section id="(\w+)">', page)
    assert sections == ["answer", "findings", "numbers", "workbench", "charts", "slices", "definitions", "reproduction"]
    assert len(outline.ids) == len(set(outline.ids))
    assert {link for link in outline.links if not link.startswith("#")} == set()
    assert {link[1:] for link in outline.links} <= set(outline.ids)
    assert outline.alone == []
    for landmark in ("header", "nav", "main", "footer"):
        assert outline.tags.count(landmark) == 1


def test_the_skeleton_is_as_frozen(page):
    """To accept a change: CALIPERS_GOLDEN=write pytest tests/report/page."""
    parts = PART.findall(page)
    skeleton = "".join(f"{tag or heading} {name or text}".rstrip() + "\n" for tag, name, heading, text in parts)
    if os.environ.get("CALIPERS_GOLDEN") == "write":
        GOLDEN.write_text(skeleton, encoding="utf-8")
    assert skeleton == GOLDEN.read_text(encoding="utf-8")


def test_the_policy_allows_this_style_and_this_script_only(page):
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])
    style, script = (re.search(rf"<{tag}>(.*?)</{tag}>", page, re.S)[1] for tag in ("style", "script"))
    hashed = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{hashed[0]}'; script-src 'sha256-{hashed[1]}'; base-uri 'none'; "
        "form-action 'none'"
    )
    assert Outline(page).inline == []
    assert not re.search(r"\beval\(|innerHTML|new Function", script)


def test_the_policy_allows_images_only_where_one_is_drawn():
    flats = cal.evaluate(datasets.load("flats"), truth="truth", pred="predicted")
    assert "img-src data:;" in render(flats, lang="en")


def test_numbers_stand_with_their_intervals_and_workings(page, loans):
    assert '<span class="val">0.862</span><span class="ci">[0.813, 0.899]</span>' in page
    assert "<code>2*55 / (2*55 + 50 + 45) = 0.537</code>" in page
    assert "calipers evaluate loans.csv --html &lt;x&gt;" in page
    text = html.unescape(page).replace("\N{NO-BREAK SPACE}", " ")
    assert [finding.sentence for finding in loans.findings if finding.sentence not in text] == []


def test_the_same_rows_make_the_same_page(loans, page):
    debts = datasets.load("bad_debt")
    again = cal.evaluate({name: column[::-1] for name, column in debts.items()}, truth="truth", score="score",
                         positive="BAD", by=["region"])  # fmt: skip
    assert re.search("sha256:[0-9a-f]{32}", page)[0] == fingerprint(again)


def test_a_page_speaks_one_language(loans, page):
    pages = {"en": page, "vi": render(loans, lang="vi"), "zh": render(loans, lang="zh")}
    assert pages.keys() == LANGUAGES.keys()
    for lang, text in pages.items():
        assert f'<html lang="{lang}">' in text
        assert ("Findings" in text) == (lang == "en")


def test_every_finding_has_a_place_where_it_is_seen():
    # Results whose pages have no such links.
    without = {LEARNING, TUNING, PARTS, cal.Calibration.kind, cal.Trend.kind, cal.ClusterSelection.kind}
    assert EVIDENCE.keys() == {code for code, entry in RULES.items() if without.isdisjoint(entry.tasks)}


def test_every_place_where_a_finding_is_seen_is_on_some_page():
    """Sections, numbers and charts: a link to what no page has would never be drawn."""
    charts = {kind for task in TASKS.values() for kind in (*task.page_charts, *LINKED)}
    for code, places in EVIDENCE.items():
        for place in places:
            number = place.removeprefix("number-")
            assert place in charts or language("en").knows(f"page.section.{place}") or (
                place != number and CATALOGUE[number]
            ), (code, place)


def test_item_b9_numbers_stand_right_and_their_bounds_beside_them():
    page = render(cal.cross_validate(DummyClassifier(), [[0], [1]] * 30, [0, 1, 1] * 20, seed=0), lang="en")
    table = re.search(r'<table aria-label="Mean over folds.*?</table>', page, re.S)[0]
    heads, row = re.findall(r"<th scope=\"col\"[^>]*>", table), re.search(r"<tbody>\s*<tr>(.*?)</tr>", table, re.S)[1]
    assert '<th scope="col" colspan="2">' in heads
    cells = re.findall(r'<td class="(\w+)"', row)
    assert cells[:2] == ["num", "ci"]
    assert len(re.findall("<td", row)) == len(cells)


def test_what_a_user_wrote_is_escaped_everywhere():
    random = np.random.default_rng(0)
    truth = np.where(random.random(300) < 0.4, HOSTILE, "b").tolist()
    by = {HOSTILE: random.choice([HOSTILE, "x"], 300).tolist()}
    ev = cal.evaluate(truth, random.random(300), positive=HOSTILE, by=by)
    page = render(ev, lang="en", title=HOSTILE, command=HOSTILE)
    assert "<img" not in page
    assert page.count("</script>") == 2
    assert "img" not in Outline(page).tags
    json.loads(re.search(r'id="workbench-data">(.*?)</script>', page, re.S)[1])


def test_a_document_is_a_page_without_charts(loans):
    page = render(cal.loads(loans.to_json()), lang="en")
    assert "<figure" not in page
    assert '<span class="val">0.862</span>' in page
    assert "misses 45 of the 100 BAD rows" in page


def test_bootstrap_intervals_are_not_drawn_again_at_every_threshold():
    debts = datasets.load("bad_debt")
    ev = cal.evaluate(debts, truth="truth", score="score", positive="BAD", metrics=["f1", "roc_auc"], interval="bca")
    assert "number-f1" in render(ev, lang="en")


HALF = [0, 1] * 20
KINDS = {
    "labels": lambda: cal.evaluate(["a", "b"] * 20, ["a", "b", "b", "b"] * 10, positive="a"),
    "one metric": lambda: cal.evaluate(HALF, np.linspace(0, 1, 40), metrics=["f1"]),
    "counts": lambda: cal.evaluate_counts([[10, 0, 0], [0, 7, 5], [0, 3, 5]]),
    "label sets": lambda: cal.evaluate([{"a"}, {"a", "b"}, set()] * 9, [{"a"}, {"b"}, {"b"}] * 9),
    "many classes of labels": lambda: cal.evaluate([*"abcdefghijklmnopqrstuvwxyz"], [*"zyxwvutsrqponmlkjihgfedcba"]),
    "constant scores": lambda: cal.evaluate(HALF, [0.5] * 40),
    "two rows": lambda: cal.evaluate([0, 1], [0.2, 0.7]),
    "one class": lambda: cal.evaluate([1] * 9, [0.5, 0.2, 0.9] * 3, positive=1),
    "margins": lambda: cal.evaluate(HALF, np.linspace(-5, 9, 40), threshold=0.0),
    "infinite scores": lambda: cal.evaluate(HALF, [-np.inf, np.inf] * 10 + [0.0, 1.0] * 10, threshold=0.5),
    "groups": lambda: cal.evaluate(HALF * 5, np.tile(np.linspace(0, 1, 40), 5), groups=list(range(50)) * 4),
    "restated": lambda: cal.evaluate(HALF, np.linspace(0, 1, 40)).at(prevalence=0.1),
    "two outputs": lambda: cal.evaluate(np.eye(12)[:, :2] + 0.5, np.eye(12)[:, 1:3] + 0.25),
}


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_was_measured_makes_a_page(kind):
    outline = Outline(render(KINDS[kind](), lang="zh"))
    assert {"numbers", "definitions", "reproduction"} <= set(outline.ids)
    assert {link[1:] for link in outline.links} <= set(outline.ids)
    assert len(outline.ids) == len(set(outline.ids))


def test_a_comparison_shows_verdicts_pairs_and_crossings():
    debts = datasets.load("bad_debt")
    wary = [0.9 * score + 0.1 * (row * 0.618 % 1) for row, score in enumerate(debts["score"])]
    two = render(cal.compare(debts["truth"], {"new": debts["score"], "old": wary}, positive="BAD"), lang="en")
    assert "new is better on log loss" in two
    cross = "(they cross 15 times); new is above on 46.8% of the axis, old on 34.0%."
    assert f"Neither curve is better everywhere {cross}" in two
    three = {"new": debts["score"], "old": wary, "worst": [1 - x for x in debts["score"]]}
    many = render(cal.compare(debts["truth"], three, positive="BAD", metrics=["roc_auc", "accuracy"]), lang="zh")
    assert "worst − new" in many
    assert Outline(many).alone == []


def test_a_file_is_written_whole_or_not_at_all(tmp_path, loans):
    with pytest.raises(InputError, match=r"cannot be written: No such file or directory"):
        loans.save(tmp_path / "nowhere" / "report.html")
    assert list(tmp_path.iterdir()) == []
    loans.save(tmp_path / "report.html", lang="en")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_without_jinja_a_page_says_which_extra_to_install(monkeypatch, loans):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtra, match=r'^a page needs Jinja2 and matplotlib: pip install "calipers\[report\]"$'):
        loans.save("report.html")


def test_the_parts_of_the_page_are_in_the_package():
    names = {path.name for path in (files("calipers.report") / "page").iterdir()}
    assert {"page.html", "macros.html", "evaluation.html", "comparison.html", "page.css", "page.js"} <= names


def test_shortened_labels_stay_different():
    names = [f"class number {i} of eighteen" for i in range(18)]
    page = render(cal.evaluate(names * 3, (names[1:] + names[:1]) + names * 2), lang="en")
    heat = re.search(r'<table class="heat tight dense"[^>]*>(.*?)</table>', page, re.S)[1]
    heads, rows = (re.findall(rf'<th scope="{scope}"[^>]*>(.*?)</th>', heat) for scope in ("col", "row"))
    assert len(set(heads)) == len(set(rows)) == 19


def test_words_from_right_to_left_do_not_turn_what_is_between_them():
    comparison = cal.compare([0, 1] * 30, {"نموذج جديد": [0, 1] * 30, "אחר": [1, 1] * 30}, metrics=["accuracy"])
    assert "\u2068אחר\u2069 minus \u2068نموذج جديد\u2069 (baseline)" in render(comparison, lang="en")
    assert isolated("中文, tiếng Việt") == "中文, tiếng Việt"


def test_numbers_below_zero_have_a_sign_as_wide_as_a_digit():
    page = render(cal.evaluate([1.5, 2.5, 3.0, 4.0], [0.5, 2.0, 2.5, 3.0], task="regression"), lang="en")
    assert '<span class="val">−0.750' in page
