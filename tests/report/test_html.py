import re
from html.parser import HTMLParser

import calipers as cal
from calipers import datasets


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.scopes = [], [], []

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        if tag == "th":
            self.scopes.append(dict(attributes).get("scope"))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parsed(html):
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    return tags


def test_tables_are_well_formed_and_every_head_has_its_scope():
    html = cal.evaluate([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.1], by={"side": ["l", "r", "l", "r"]})._repr_html_()
    tags = parsed(html)
    assert tags.seen.count("table") == 3
    assert set(tags.scopes) == {"col", "row"}
    assert "<caption>by side</caption>" in html


def test_labels_are_escaped():
    names = ["<script>alert(1)</script>", '"><img onerror=x>', "a&b"]
    html = cal.evaluate(names, names, by={"<b>": names})._repr_html_()
    assert not {"script", "img", "b"} & set(parsed(html).seen)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "a&amp;b" in html


def test_only_verdicts_have_a_colour_of_their_own_in_both_themes():
    html = cal.evaluate_counts([[55, 45], [50, 850]], labels=["BAD", "GOOD"], positive="BAD")._repr_html_()
    assert len(re.findall("#[0-9a-f]{6}", html)) == 2 * html.count("light-dark(") == 6
    assert html.count("#") == 6
    assert "background" not in html
    assert "currentColor" in html
    assert len(html) < 7000


def test_the_answer_comes_first_with_cards_and_bars():
    html = cal.evaluate(datasets.load("bad_debt"), truth="truth", score="score", positive="BAD")._repr_html_()
    assert html.index("misses 45 of the 100 BAD rows") < html.index('class="card good"') < html.index("<li>")
    assert [html.count(f'class="card {tone}"') for tone in ("good", "open", "bad")] == [1, 1, 1]
    assert html.count("<svg") == 3
    assert html.count('aria-hidden="true"') == 3


def test_an_undefined_metric_has_its_footnote():
    html = cal.evaluate([0, 1, 0], [-3.0, 2, 1])._repr_html_()
    assert '<td class="count">-</td><td class="beside"> <sup>c</sup></td>' in html
    assert "c) scores are not probabilities (-3 to 2)" in html
