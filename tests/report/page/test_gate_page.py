"""The page of a gate: a traffic light, each requirement against its limit, and what is missing."""

import re

import pytest

import calipers as cal
from calipers.gating.checks import bar_of
from calipers.gating.requirements import Bar
from calipers.report.language import LANGUAGES
from calipers.report.page import LIMIT, render
from calipers.report.page.strips import Scale

HOSTILE = "</script><img src=x onerror=alert(1)> > \"'& + 3"
ROW = re.compile(r'<th scope="row"[^>]*><span title="([^"]*)">.*?</tr>', re.S)


@pytest.fixture(scope="module")
def counts():
    return cal.evaluate_counts(tp=90, fp=20, fn=10, tn=380)


def place(row, kind):
    """Where the line, the point or the ends of the interval of a row are, in percent."""
    pattern = {"ref": r'class="ref" x1="([\d.]+)%"', "point": r'<circle cx="([\d.]+)%" cy="50%" r="4.5"',
               "span": r'class="span" x1="([\d.]+)%" x2="([\d.]+)%"'}[kind]  # fmt: skip
    return tuple(map(float, re.search(pattern, row).groups()))


def rows_of(page):
    return {match[1].replace("&gt;", ">").replace("&lt;", "<"): match[0] for match in ROW.finditer(page)}


@pytest.mark.parametrize(("requirements", "tone", "sentence"), [
    (["recall >= 0.8"], "good", "Passed: 1 of 1 requirement met."),
    (["recall >= 0.8", "recall >= 0.88"], "open", "Inconclusive: not enough data to decide 1 of 2 requirements."),
    (["recall >= 0.8", "precision > 0.9"], "bad", "Failed: 1 of 2 requirements clearly not met."),
])  # fmt: skip
def test_item_4_the_light_says_the_answer(counts, requirements, tone, sentence):
    page = render(cal.gate(counts, requirements), lang="en")
    assert f'<div class="light {tone}">' in page
    assert sentence in page


def test_item_4_an_interval_is_right_of_its_limit_where_it_passes(counts):
    page = render(cal.gate(counts, ["recall >= 0.8", "precision > 0.9", "fpr <= 0.2", "fpr <= 0.01"]), lang="en")
    rows = rows_of(page)
    assert set(rows) == {"recall >= 0.8", "precision > 0.9", "fpr <= 0.2", "fpr <= 0.01"}
    for text, row in rows.items():
        (line,), (start, end) = place(row, "ref"), sorted(place(row, "span"))[0:2]
        passed = text in ("recall >= 0.8", "fpr <= 0.2")
        assert (start > line) == passed, text
        assert (end < line) == (not passed), text
        assert line == pytest.approx(50)


def test_item_4_what_is_missing_is_said_in_rows(counts):
    result = cal.gate(counts, ["recall >= 0.88"])
    page = render(result, lang="en")
    assert result.checks[0].more_rows is not None
    first, _, table = page.partition('id="requirements"')
    assert re.search(r"recall &gt;= 0\.88\. About [\d,]+ more rows are needed to decide", first)
    assert re.search(r"about [\d,]+ more rows needed to decide", table)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_gate_has_a_page_in_every_language(counts, lang):
    page = render(cal.gate(counts, ["recall >= 0.8"], inconclusive="fail"), lang=lang)
    assert re.findall(r'<section id="(\w+)">', page) == ["answer", "requirements", "definitions", "reproduction"]


def test_many_requirements_with_any_names_stay_small_and_are_text():
    truth, score = [0, 1] * 300, [0.2, 0.8, 0.6, 0.4] * 150
    by = {HOSTILE: [f"{HOSTILE}{i}" * 9 for i in range(300)] * 2}
    result = cal.gate(cal.evaluate(truth, score, by=by), [f"by {_quoted(HOSTILE)}: accuracy >= 0.5"])
    page = render(result, lang="en", title=HOSTILE)
    assert len(result.checks) == 300
    assert len(page.encode()) <= LIMIT
    assert "<img" not in page


def _quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def test_the_limit_of_a_loss_against_a_baseline_is_its_margin():
    truth = [0, 1] * 200
    old, new = [0.3, 0.7] * 200, [0.4, 0.6] * 199 + [0.6, 0.4]
    compared = cal.compare(truth, {HOSTILE: old, "new": new}, metrics=["accuracy", "log_loss"])
    asked = {"baseline": compared, "margin": 0.02, "metrics": ["accuracy", "log_loss"]}
    result = cal.gate(cal.evaluate(truth, new), [], **asked)
    assert [bar_of(check) for check in result.checks] == [Bar("accuracy", ">", -0.02), Bar("log_loss", "<", 0.02)]
    assert "<img" not in render(result, lang="en")


def test_a_scale_has_round_ticks_inside_it():
    for low, high in ((0.0, 1.0), (-3e-7, 2e-7), (1e8, 3e8), (0.4, 0.41)):
        scale = Scale(low, high)
        ticks = scale.ticks()
        assert 2 <= len(ticks) <= 6
        assert all(low <= tick <= high for tick in ticks)
    assert Scale.of([2.0, 2.0]).place(2.0) == 50
    assert Scale(0, 1, turned=True).place(0) > Scale(0, 1, turned=True).place(1)
