"""SVG for a page: text as text, no styles, colours as variables, nothing of a user's that is not text."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import calipers as cal
from calipers.report.plots.files import figure, rendered
from calipers.report.plots.svg import svg
from calipers.report.plots.theme import THEMES

ATTACK = "</script><img src=x onerror=alert(1)>"
COLOR = re.compile(r"#[0-9a-f]{6}\b")


class Parser(HTMLParser):
    """Tags and texts, as a browser reads them."""

    def __init__(self):
        super().__init__()
        self.tags, self.text = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    handle_startendtag = handle_starttag

    def handle_data(self, data):
        self.text.append(data)


def parse(text):
    parser = Parser()
    parser.feed(text)
    return parser


@pytest.fixture(scope="module")
def pictures(loans, weather, forty, models, ranks, over_folds, learnt, tuned, apart):
    cases = {"confusion": (loans, "confusion"), "roc": (loans, "roc"), "pr": (weather, "pr"),
             "forty": (forty, "confusion"), "scores": (loans, "scores"), "calibration": (loans, "calibration"),
             "thresholds": (loans, "thresholds"), "difference": (models[0], "difference"), "det": (loans, "det"),
             "ranks": (ranks, "critical_difference"), "folds": (over_folds, "folds"), "mean": (over_folds, "roc"),
             "learning": (learnt, "learning"), "values": (tuned, "validation"), "parts": (apart, "parts")}  # fmt: skip
    return {name: figure(*of, lang="en") for name, of in cases.items()}


def test_no_style_no_script_and_text_as_text(pictures):
    for name, fig in pictures.items():
        text = svg(fig)
        parsed = parse(text)
        names = {tag for tag, _ in parsed.tags}
        assert names <= {"svg", "g", "defs", "clippath", "path", "use", "text", "rect", "image"}, name
        attributes = {key for _, own in parsed.tags for key in own}
        assert not {"style", "class", "xlink:href"} & attributes
        assert not any(key.startswith("on") for key in attributes)
        assert "<!--" not in text
        title = fig.axes[0].get_title("left")
        assert title in parsed.text
        assert parsed.tags[0][1]["aria-label"] == title
        assert parsed.tags[0][1]["role"] == "img"


def test_every_colour_is_a_variable_with_its_light_value(pictures):
    roles = THEMES["light"].roles()
    for name, fig in pictures.items():
        text = svg(fig)
        for variable, color in re.findall(r"var\((--cal-\w+),(#\w+)\)", text):
            assert roles[color] == variable
        plain = COLOR.findall(re.sub(r"var\([^)]*\)", "", text))
        assert not plain, f"{name} has colours that dark pages cannot change: {set(plain)}"
        assert "--cal-ink" in text


def test_the_same_text_every_time_and_ids_that_do_not_meet(loans):
    first, second = (svg(figure(loans, "roc", lang="en"), prefix="a") for _ in range(2))
    assert first == second
    other = svg(figure(loans, "roc", lang="en"), prefix="b")
    ids = [set(re.findall(r'\bid="([^"]+)"', text)) for text in (first, other)]
    assert ids[0]
    assert not ids[0] & ids[1]
    used = set(re.findall(r"url\(#([^)]+)\)", first)) | set(re.findall(r'href="#([^"]+)"', first))
    assert used == ids[0]


def test_what_a_user_wrote_stays_text():
    names = [ATTACK, "$\\frac{", 'x" onload="alert(1)', "<style>*{}</style>", "url(#p)"]
    rng = np.random.default_rng(0)
    truth, score = np.array(names, object)[rng.integers(0, 5, 90)], rng.dirichlet(np.ones(5), 90)
    ev = cal.evaluate(truth, score, labels=names, task="multiclass")
    for kind, how in (("roc", {}), ("confusion", {}), ("gain", {"label": ATTACK}), ("intervals", {"of": "classes"})):
        text = svg(figure(ev, kind, lang="en", **how))
        tags = parse(text).tags
        assert not {"img", "script", "style"} & {tag for tag, _ in tags}
        assert not any(key.startswith("on") for _, attributes in tags for key in attributes)
        assert "</script" not in text
        ElementTree.fromstring(text)
    assert parse(svg(figure(ev, "roc", label=ATTACK))).tags[0][1]["aria-label"] == "ROC curve: </script><i…=alert(1)>"
    named = svg(figure(ev, "roc", label=ATTACK), name=f'"{ATTACK}"')
    assert parse(named).tags[0][1]["aria-label"] == f'"{ATTACK}"'


def test_chinese_needs_no_font_here(loans, recwarn):
    text = svg(figure(loans, "confusion", lang="zh", text_as_text=True))
    assert "混淆矩阵" in parse(text).text
    assert not recwarn.list


def test_a_file_stands_alone(loans):
    text = rendered(loans, "roc", ".svg", lang="en").decode()
    assert text.startswith("<?xml")
    assert "var(" not in text
    assert THEMES["light"].paper in text
    dark = rendered(loans, "roc", ".svg", lang="en", theme="dark").decode()
    assert THEMES["dark"].paper in dark


def test_charts_are_light_whatever_the_rows():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60_000)
    ev = cal.evaluate(truth, 1 / (1 + np.exp(-rng.normal(size=60_000) - truth)))
    for kind, most in (("roc", 25_000), ("pr", 45_000), ("thresholds", 20_000), ("gain", 15_000)):
        assert len(svg(figure(ev, kind))) < most
    many = cal.evaluate([f"c{i}" for i in rng.integers(0, 100, 9000)], [f"c{i}" for i in rng.integers(0, 100, 9000)])
    assert len(svg(figure(many, "confusion"))) < 60_000
