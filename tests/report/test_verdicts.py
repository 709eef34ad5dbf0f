"""Comparisons as text and Markdown, in three languages."""

import re
import tomllib
from importlib.resources import files

import numpy as np
import pytest

import calipers as cal
from calipers import datasets
from calipers.comparison.differences import BETTER, HIGHER, NOT_COMPARED, OPEN
from calipers.comparison.folds_and_datasets import FOLD_TESTS
from calipers.errors import InputError
from calipers.report.language import LANGUAGES, Language
from calipers.report.terminal import width

OTHERS = [code for code in LANGUAGES if code != "en"]
RNG = np.random.default_rng(1)
Y = np.arange(240) % 2
STRENGTHS = {"A": 3, "B": 2, "C": 2}
SCORES = {name: 1 / (1 + np.exp(-(m * (Y - 0.5) + RNG.normal(size=240)))) for name, m in STRENGTHS.items()}
TWO = {name: SCORES[name] for name in "AB"}
RUNS = {name: datasets.path(f"{name}.run") for name in ("search", "search_new")}


def every_comparison():
    """Comparisons that between them use every method, and say every kind of note."""
    rng, who, heavy = np.random.default_rng(2), np.arange(240) // 4, 1.0 + Y
    number = rng.normal(size=240)
    guesses = {name: number + s * rng.normal(size=240) for name, s in (("A", 0.5), ("B", 1.0))}
    perfect = {"A": Y + 0.5 * rng.random(240), "B": np.where(np.arange(240) == 1, 0.5, Y + 0.4 * rng.random(240))}
    yield cal.compare(Y, TWO)
    yield cal.compare(Y, TWO, weights=heavy)
    yield cal.compare(Y, TWO, groups=who, margin=0.02)
    yield cal.compare(Y, SCORES, metrics=["accuracy", "roc_auc", "f1", "lr_plus"])
    yield cal.compare(Y, perfect, metrics=["roc_auc"])
    yield cal.compare(Y, {"A": Y * 0, "B": Y}, metrics=["precision", "accuracy", "lr_plus"])
    yield cal.compare([0, 1, 1], {"A": [0.1, 0.8, 0.4], "B": [0.3, 0.2, 0.7]}, metrics=["roc_auc"], adjust="none")
    yield cal.compare(number, guesses)
    yield cal.compare(number, guesses, groups=who)
    skewed = np.exp(rng.normal(size=12))
    open_ended = {name: skewed * (1 + rng.normal(size=12)) for name in "AB"}
    yield cal.compare(skewed, open_ended, metrics=["r2", "rmse", "concordance"])
    for method in ("delong-z", "paired-t", "mcnemar-exact", "mcnemar-corrected", "mcnemar-asymptotic"):
        yield cal.compare(Y, TWO, metrics=["accuracy", "roc_auc", "brier"], method=method)
    yield cal.compare(Y, SCORES, metrics=["roc_auc", "f1"], adjust="holm", primary="f1")
    yield cal.compare(datasets.path("search.qrels"), RUNS)
    holes = {"A": np.where(np.arange(240) < 3, np.nan, TWO["A"]), "B": TWO["B"]}
    yield cal.compare(Y, holes, missing="drop", metrics=["brier"])


EVERY = list(every_comparison())


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("comparison", EVERY, ids=range(len(EVERY)))
def test_text_fits_and_tables_have_as_many_cells_as_their_heads(comparison, lang):
    text = comparison.to_text(lang)
    assert max(map(width, text.splitlines())) <= 80, text
    for table in re.findall(r"(?:^\|.*\n)+", comparison.to_markdown(lang), re.MULTILINE):
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(cells) == 1, table


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize("comparison", EVERY, ids=range(len(EVERY)))
def test_every_method_and_note_is_said_in_every_language(comparison, code):
    texts = {text for name in comparison for d in comparison[name].values() for text in (d.method, d.note) if text}
    texts |= set(comparison.notes)
    texts |= {comparison[name].overall.method for name in comparison if comparison[name].overall}
    lacking = sorted(text for text in texts if Language(code).remark(text) == text)
    assert not lacking, f"src/calipers/report/i18n/{code}/remarks.toml lacks {lacking}"


def test_every_verdict_has_words():
    words = tomllib.loads((files("calipers.report") / "i18n/en/compare.toml").read_text("utf-8"))["verdicts"]
    every = [d for comparison in EVERY for name in comparison for d in comparison[name].values()]
    for d in every:
        key = {OPEN: "either_way", NOT_COMPARED: "not_compared"}.get(d.outcome, d.outcome)
        assert words[key].format(winner=d.winner) == d.verdict.partition(" (")[0]
        assert (d.winner is None) == (d.outcome not in (BETTER, HIGHER))
    assert {d.outcome for d in every} >= {BETTER, OPEN, NOT_COMPARED}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_report_says_better_without_a_name(lang):
    word = Language(lang).say("compare.verdicts.better", winner="").strip()
    two, three = cal.compare(Y, TWO), cal.compare(Y, SCORES, metrics=["accuracy", "roc_auc"])
    for comparison in (two, three):
        # after the title, the sentence and, in Markdown, the table of its cards, all of which name the models
        lines = comparison.to_text(lang).split("\n\n", 2)[-1]
        tables = comparison.to_markdown(lang).split("\n\n", 3)[-1]
        for text in (lines, tables, comparison.to_json()):
            for at in re.finditer(word, text):
                assert re.search(r"[ABC] $|\"outcome\": \"$", text[: at.start()]), text[at.start() - 20 : at.end()]


def test_a_row_of_each_language():
    comparison = cal.compare(Y, TWO, metrics=["accuracy", "roc_auc"])
    d = comparison["roc_auc"]
    assert d.verdict == "A better"
    assert comparison.to_text("vi").startswith("phân loại nhị phân: so sánh 2 mô hình trên cùng 240 mẫu: A, B\n")
    assert comparison.to_text("zh").startswith("二分类：在相同的 240 个样本上比较 2 个模型：A、B\n")
    gap, low, high = (f"{x:+.3f}" for x in (d.difference, d.low, d.high))
    comma = [x.replace(".", ",") for x in (gap, low, high)]
    row = rf"\nROC AUC +\d,\d+ +\d,\d+ +\{comma[0]}  \[\{comma[1]}; \{comma[2]}\] .*  A tốt hơn\n"
    assert re.search(row, comparison.to_text("vi"))
    assert f"{gap}  [{low}, {high}]" in comparison.to_text("zh")
    assert "  A 更好\n" in comparison.to_text("zh")


def test_markdown_says_how_many_rows_would_settle_it():
    mixed = 0.9 * SCORES["B"] + 0.1 * SCORES["A"].round(1)
    comparison = cal.compare(Y[:60], {"B": SCORES["B"][:60], "mixed": mixed[:60]}, metrics=["roc_auc"])
    d = comparison["roc_auc"]
    settles = re.search(r"about (\d+) more rows needed to decide", d.verdict)[1]
    assert f"| {d.verdict} |" in comparison.to_markdown()
    assert f"(cần thêm khoảng {settles} mẫu) |" in comparison.to_markdown("vi")
    assert f"（约需再增加 {settles} 个样本） |" in comparison.to_markdown("zh")
    runs = cal.compare(datasets.path("search.qrels"), RUNS, metrics=["success@1"])
    assert "no evidence either way (about 79 more queries needed to decide)" in runs.to_markdown()
    assert "证据不足，无法判断优劣（约需再增加 79 个查询）" in runs.to_markdown("zh")


def test_three_models_have_a_table_a_metric():
    text = cal.compare(Y, SCORES, metrics=["accuracy", "f1"]).to_markdown()
    assert text.count("| pair | difference \\[95% interval\\] | p | verdict |") == 2
    assert re.search(
        r"\*\*Accuracy: A 0\.\d+, B 0\.\d+, C 0\.\d+; Are all models equal\? Cochran's Q test, p = \S+\*\*\n", text)
    assert re.search(r"\*\*F1: A 0\.\d+, B 0\.\d+, C 0\.\d+\*\*\n", text)


def test_lists_of_names_and_numbers_with_commas_can_be_told_apart():
    predictions = {name: (score > 0.5).astype(int) for name, score in SCORES.items()}
    text = cal.compare(Y, predictions, metrics=["accuracy", "f1(average=macro)"]).to_text("vi")
    assert re.search(r"\nđộ đo F1, trung bình macro: A 0,\d+; B 0,\d+; C 0,\d+\n", text)


def test_the_variable_and_the_locale_choose_as_they_do_for_evaluations(monkeypatch):
    comparison = cal.compare(Y, TWO, metrics=["accuracy", "roc_auc"])
    monkeypatch.setenv("CALIPERS_LANG", "vi")
    assert repr(comparison) == comparison.to_text("vi")
    assert repr(comparison.curves()) == comparison.curves().say("vi")
    monkeypatch.delenv("CALIPERS_LANG")
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert repr(comparison) == comparison.to_text("zh") != comparison.to_text("en")
    # Documents stay English.
    assert comparison.to_json() == cal.compare(Y, TWO, metrics=["accuracy", "roc_auc"]).to_json()
    assert '"better"' in comparison.to_json()
    with pytest.raises(InputError, match="lang='fr'"):
        comparison.to_markdown("fr")


def test_curves_in_words():
    early, late = [0.5, 0.4, 0.3, 0.9, 0.2, 0.1], [0.9, 0.2, 0.1, 0.8, 0.7, 0.6]
    once = cal.compare([0, 0, 0, 1, 1, 1], {"early": early, "late": late}).curves("roc")
    assert once.say("vi") == "early nằm trên cho đến FPR 0,333, sau đó là late (ROC)"
    assert once.say("zh") == "在 FPR 0.333 之前 early 在上，之后 late 在上（ROC）"
    same = cal.compare(Y, {"A": TWO["A"], "B": TWO["A"]}).curves("pr")
    assert same.say("en") == "PR curves: A and B have the same curve"
    assert same.say("zh") == "A 与 B 的 PR 曲线相同"
    above = cal.compare([0, 0, 1, 1], {"A": [0.1, 0.2, 0.8, 0.9], "B": [0.1, 0.8, 0.2, 0.9]}).curves()
    assert above.say("vi") == "A không bao giờ thấp hơn B (ROC)"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_names_of_models_do_no_harm(lang):
    names = ["a|b\n| c |", "\x1b[31m<b>" + "x" * 90]
    comparison = cal.compare(Y, dict(zip(names, TWO.values(), strict=True)), metrics=["accuracy"])
    text, table = comparison.to_text(lang), comparison.to_markdown(lang)
    assert "\x1b" not in text + table
    assert max(map(width, text.splitlines())) <= 80
    assert "<b>" not in table
    assert "a\\|b\\\\n\\| c \\|" in table


SVM = [0.81, 0.78, 0.84, 0.80, 0.79, 0.82, 0.77, 0.83, 0.80, 0.81]
TREE = [0.79, 0.77, 0.81, 0.80, 0.76, 0.80, 0.78, 0.80, 0.79, 0.80]


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize("method", FOLD_TESTS)
def test_every_test_over_folds_is_said_in_every_language(method, code):
    for other in (TREE, [x - 0.25 for x in SVM]):
        comparison = cal.compare_folds(other, SVM, method=method, test_share=0.1, rope=0.01)
        for text in filter(None, (comparison.method, comparison.test.note)):
            assert Language(code).remark(text) != text, text
        assert max(map(width, comparison.to_text(code).splitlines())) <= 80
    many = cal.compare_folds(RNG.random(60), RNG.random(60), method="wilcoxon")
    assert Language(code).remark(many.method) != many.method


def test_folds_and_data_sets_in_other_languages(monkeypatch):
    comparison = cal.compare_folds(TREE, SVM, test_share=0.1, rope=0.01)
    assert comparison.to_text("vi").splitlines() == [
        "+0,015 [+0,001; +0,029], p = 0,039: mô hình mới cao hơn",
        "kiểm định t lấy mẫu lại có hiệu chỉnh, 10 lần chạy",
        "chênh lệch: mô hình mới trừ mô hình cơ sở; khoảng tin cậy 95%",
        "P(mô hình mới cao hơn) = 0,779; P(ngang nhau) = 0,220; P(cơ sở cao hơn) = 0,002",
    ]
    assert cal.compare_folds(SVM, SVM[::-1], method="paired-t").to_text("zh").splitlines()[0].endswith(
        "：证据不足，无法判断优劣"
    )
    sets = cal.compare_datasets({"svm": SVM, "tree": TREE, "k\nn" + "x" * 80: [x - 0.02 for x in SVM]})
    text = sets.to_text("zh")
    assert text.startswith("3 个模型，10 个数据集；Iman-Davenport F 检验：统计量 14.62，p < 0.001\n  1.150  svm\n")
    assert "\n  svm - tree：p = 0.037，svm 更好\n" in text
    assert max(map(width, text.splitlines())) <= 80
    assert "mọi cặp" in cal.compare_datasets({"a": SVM, "b": TREE}, ties=False).to_text("vi")
    monkeypatch.setenv("CALIPERS_LANG", "zh")
    assert (repr(comparison), repr(sets)) == (comparison.to_text("zh"), text)
    assert comparison.to_dict()["verdict"] == "candidate higher"
