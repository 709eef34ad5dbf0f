import io
import math
import re

import numpy as np
import pytest

import calipers as cal
from calipers.inference.estimate import Estimate, Interval
from calipers.report import rendering, terminal
from calipers.report.language import language
from calipers.report.terminal import escape_label, fitted, padded, width, wrapped
from calipers.report.validation import figure


def rows(names, n=600, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(names), n)
    predicted = np.where(rng.random(n) < 0.7, truth, rng.integers(0, len(names), n))
    return [names[i] for i in truth], [names[i] for i in predicted]


NAMES = {
    "plain": ["a", "b", "c"],
    "vietnamese": ["mèo", "chó", "đại bàng biển Steller rất dài"],
    "chinese": ["猫", "狗狗", "北京市朝阳区的一只老鹰", "鱼"],
    "decomposed": ["me\u0300o", "cho\u0301", "c"],
    "long": [f"a fairly long label {i}" for i in range(10)],
    "wide": [f"很长的中文标签第{i}号" for i in range(10)],
    "forty": [f"class {i}" for i in range(40)],
    "hostile": ["\x1b[31mred\x1b[0m", "a\nb\tc\r", "\u202eevil", "a" + "\u0301" * 300],
    "edges": ["", " x", "y "],
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_a_line_has_at_most_80_columns_and_no_control_characters(names):
    text = repr(cal.evaluate(*rows(names), by={"names": rows(names)[0]}))
    assert max(map(width, text.split("\n"))) <= 80
    assert all(c.isprintable() or c == "\n" for c in text)


def test_the_bad_debt_counts():
    text = repr(cal.evaluate_counts([[55, 45], [50, 850]], labels=["BAD", "GOOD"], positive="BAD"))
    assert text.startswith(
        "binary classification: 1000 rows, 2 classes (BAD, GOOD)\n\n"
        "The model misses 45 of the 100 BAD rows and raises 50 false alarms.\n\n"
        "! Accuracy is 90.5%. Always predicting"
    )
    assert "\nother findings (see .findings): class imbalance\n\nmetric               value 95% interval\n" in text
    assert "\nF1                   0.537 [0.454, 0.617]  ··┊····━●━······\n" in text
    matrix = "\ntruth  BAD  GOOD  total\nBAD     55    45    100\nGOOD    50   850    900\ntotal  105   895   1000\n"
    assert matrix in text
    assert "\npositive class: BAD\npredictions: the given counts\nintervals: 95% confidence" in text


def test_an_undefined_metric_is_a_dash_with_its_reason_once():
    text = repr(cal.evaluate([0, 1, 0, 1, 1], [-3.0, 2, 1, 4, -1]))
    assert "\nAccuracy                 -                c\n" in text
    assert text.count("pass threshold=") == 1
    assert "predictions: none, because there is no threshold" in text


def test_remarks_that_differ_in_a_number_are_one_footnote():
    text = repr(cal.evaluate_counts(tp=[10, 17, 25], fp=[5, 7, 1], fn=[3, 10, 0]))
    assert "b) too few cases to be reliable (0 to 1 of the rarer outcome)" in text
    assert "\nc) " not in text


def test_many_classes_show_their_most_frequent_confusions():
    text = repr(cal.evaluate(*rows(NAMES["forty"])))
    assert "most frequent errors\ntruth     predicted  rows\n" in text
    assert "rarer pairs not shown" in text
    assert "\n... 20 more classes\n" in text


def test_no_confusion_at_all():
    names = NAMES["forty"]
    assert "every row was predicted correctly" in repr(cal.evaluate(names, names).confusion)


def test_a_matrix_too_wide_for_80_columns_becomes_a_list():
    counts = np.full((10, 10), 10**9)
    assert repr(cal.evaluate_counts(counts).confusion).startswith("most frequent errors\n")


def test_the_transposed_matrix_names_its_sides():
    table = cal.evaluate_counts([[55, 45], [50, 850]], labels=["BAD", "GOOD"]).confusion.T
    assert repr(table).startswith(
        "confusion matrix: predicted in rows, truth in columns\npredicted  BAD  GOOD  total\nBAD         55    50"
    )


def test_the_largest_slices_are_shown_first_when_there_are_many():
    truth, predicted = rows(["a", "b"])
    by = [min(i, 30) for i in range(len(truth))]
    text = repr(cal.evaluate(truth, predicted, by={"shop": by}))
    assert "\nby shop\nshop  " in text
    assert re.search(r"\nshop  .*\n30    ", text)
    assert "\n... 11 smaller slices not shown\n" in text


def test_threshold_level_counts_and_dropped_rows_are_said():
    truth, score = [0, 1, 0, 1, 1, None], [0.3, 0.2, 0.1, 0.4, 0.1, 0.3]
    ev = cal.evaluate(truth, score, threshold=0.3, level=0.9, missing="drop", metrics=["tp", "f1"])
    text = repr(ev)
    assert re.search(r"metric +value 90% interval\n! Decisions at 0\.3: [a-z ]+\nTrue positives +1 +a\n", text)
    assert "predictions: score >= 0.3" in text
    assert "dropped" in text
    assert "no interval: it is a count, not a rate" in text


def test_a_document_shows_what_it_holds():
    ev = cal.evaluate([0, 1, 0, 1, 1], [0.3, 0.9, 0.6, 0.8, 0.1])
    read = cal.loads(ev.to_json())
    assert repr(read) == repr(ev)


@pytest.mark.parametrize(
    ("text", "columns", "short"),
    [
        ("abc", 3, "abc"),
        ("a_long_label_1", 9, "a_lo…el_1"),
        ("中文标签很长", 7, "中…长"),
        ("e\u0301" * 9, 5, "e\u0301e\u0301…e\u0301e\u0301"),
    ],
)
def test_shortening_keeps_both_ends(text, columns, short):
    assert fitted(text, columns) == short
    assert width(padded(short, columns)) == columns


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("a\x1b[31m", "a\\x1b[31m"),
        ("", "''"),
        (" a", "' a'"),
        ("\u202eb", "\\u202eb"),
        (True, "True"),
        ("\ud800", "\\ud800"),
        ("nước", "nước"),
        ("ก" + "\u0e31" * 5, "ก" + "\u0e31" * 3 + "\\u0e31" * 2),
        ("کتاب\u200cخانه", "کتاب\u200cخانه"),
        ("a\u200cb", "a\\u200cb"),
        ("\u200cخ", "\\u200cخ"),
    ],
)
def test_labels_are_harmless(label, text):
    assert escape_label(label) == text


def test_text_without_spaces_is_broken_too():
    lines = wrapped("中" * 50, 80)
    assert [width(line) for line in lines] == [80, 22]


@pytest.mark.parametrize("columns", range(16, 60))
def test_chinese_lines_begin_with_no_closing_punctuation_and_cut_no_latin_word(columns):
    text = "真实类别与预测类别之间的相关系数（Matthews），“相关”取值为 -1～1，约0.954。F1（macro）、“召回率”；占95％！"
    lines = wrapped(text, columns)
    assert max(map(width, lines)) <= columns
    assert "".join(line.strip() for line in lines).replace(" ", "") == text.replace(" ", "")
    for line in lines:
        assert line.strip()[0] not in "，。、；：！％）”～"
        assert line[-1] not in "（“"
    for word in ("Matthews", "0.954", "F1", "95％"):
        assert any(word in line for line in lines), word


def test_a_word_longer_than_a_line_is_cut_but_not_before_its_full_stop():
    assert wrapped("x" * 10 + "。。", 12) == ["x" * 9, "  x。。"]
    assert wrapped(")" * 12, 6, "") == [")" * 6, ")" * 6]


@pytest.mark.parametrize(("gap", "of", "shown"), [(-3.7e-17, 0.892, "0.000"), (-3.7e-17, 1e-16, "-3.70e-17"),
                                                  (0.0001, 0.9, "0.000"), (math.nan, 0.9, "-")])  # fmt: skip
def test_a_gap_of_rounding_errors_is_0(gap, of, shown):
    estimate = Estimate(gap, n=10, level=0.95, interval=lambda: Interval(math.nan, math.nan, "none"))
    assert str(figure(estimate, language("en"), of)) == shown


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_item_c14_text_is_as_wide_as_the_terminal(columns, lang):
    truth, predicted = rows(NAMES["vietnamese"])
    score = np.random.default_rng(1).random(600)
    binary = [name == truth[0] for name in truth]
    results = [
        cal.evaluate(truth, predicted, by={"a long name of a column": truth}),
        cal.gate(cal.evaluate(binary, score), ["roc_auc >= 0.3", "recall >= 0.999", "log_loss < 0.4"]),
        cal.compare(binary, {"a model with a long name": score, "another one": score**2}),
    ]
    texts = [rendering.to_text(result, lang, columns=columns) for result in results]
    for result, text in zip(results, texts, strict=True):
        least = 80 if result is results[-1] else columns  # numbers of a comparison need so many
        assert max(map(width, text.split("\n"))) <= max(least, columns)
    assert (texts == [result.to_text(lang) for result in results]) == (columns == 80)


def test_item_c14_a_terminal_tells_how_wide_it_is(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    assert terminal.columns() == 80  # no terminal
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO()))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert terminal.columns() == 100
    ev = cal.evaluate([0, 1] * 40, [0.2, 0.8, 0.7, 0.4] * 20)
    assert repr(ev) == rendering.to_text(ev, columns=100) != ev.to_text()
    monkeypatch.setenv("COLUMNS", "500")
    assert terminal.columns() == 120


def test_item_b9_numbers_of_a_column_end_in_one_place():
    found = cal.compare([0, 1] * 60, {"a": [0.2, 0.8, 0.7, 0.4] * 30, "b": [0.3, 0.9, 0.2, 0.1] * 30})
    lines = [line for line in found.to_text().split("\n") if "[+" in line or "[-" in line]
    assert len(lines) > 5
    assert len({line.index("  [") for line in lines}) == 1
    assert len({re.match(r"[\w\- ]+?\d\.\d{3}", line).end() for line in lines if line[0] != " "}) == 1
    table = found.to_markdown().split("\n\n")[3].splitlines()
    assert table[1] == "| --- | --: | --: | --: | --: | --- |"
