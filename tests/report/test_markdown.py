import re

import numpy as np
import pytest

import calipers as cal
from calipers.report.language import LANGUAGES


def debts():
    return cal.evaluate_counts([[55, 45], [50, 850]], labels=["BAD", "GOOD"], positive="BAD")


def test_findings_come_first_then_the_tables():
    text = debts().to_markdown()
    order = ["### binary classification: 1000 rows",
             "> **warning** (`accuracy_no_better_than_majority`): Accuracy is 90.5%",
             "> **note** (`imbalance`): ", "| metric | value \\[95% interval\\] |", "| F1 | 0.537 \\[0.454, 0.617\\] |",
             "**confusion matrix: truth in rows, predicted in columns**", "| BAD | 55 | 45 | 100 |",
             "- positive class: BAD"]  # fmt: skip
    places = [text.index(part) for part in order]
    assert places == sorted(places)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_row_of_a_table_has_as_many_cells_as_its_head(lang):
    rng = np.random.default_rng(0)
    truth = rng.choice(["a|b", "c_d*", "<i>"], 200)
    text = cal.evaluate(truth, rng.permutation(truth), by={"x|y": rng.choice(["1|2", "3"], 200)}).to_markdown(lang)
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(cells) == 1, table
    assert "<i>" not in text
    assert r"\<i\>" in text


def test_other_languages():
    vi, zh = debts().to_markdown("vi"), debts().to_markdown("zh")
    assert "| độ đo F1 | 0,537 \\[0,454; 0,617\\] |" in vi
    assert "> **警告** (`accuracy_no_better_than_majority`)：准确率为 90.5%" in zh


def test_footnotes_keep_their_letters():
    text = cal.evaluate_counts(tp=[10, 17, 25], fp=[5, 7, 2], fn=[3, 10, 4]).to_markdown()
    assert "<sup>" in text
    assert "\n- a) " in text
