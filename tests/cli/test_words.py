"""What is said, and in which language: explain, --lang, --md, and the findings."""

import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from calipers.report.terminal import width

OPTIONS = ["--positive", "BAD"]


@pytest.fixture
def debts(tmp_path):
    shutil.copy(str(files("calipers.datasets") / "bad_debt.csv"), tmp_path)
    return str(tmp_path / "bad_debt.csv")


def test_explain_with_a_file(calipers, debts):
    done = calipers("explain", "f1", debts, *OPTIONS, "--lang", "zh")
    assert done.returncode == 0
    assert "代入您的数据  2*55 / (2*55 + 50 + 45) = 0.537" in done.stdout
    assert done.stderr == "列：truth = truth，pred = predicted，score = score\n"
    assert max(map(width, done.stdout.splitlines())) <= 80


def test_explain_names_the_definition_that_gives_a_number(calipers, debts):
    done = calipers("explain", "average_precision", debts, *OPTIONS, "--got", "0.605")
    assert done.stdout.endswith(
        "\n0.605 is: mean of the best precision at 11 recall levels (PASCAL VOC 2007)\n"
    )


def test_explain_refuses_before_it_reads(calipers):
    done = calipers("explain", "presicion", "no-such-file.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no metric is called 'presicion'; did you mean precision" in done.stderr
    done = calipers("explain", "f1", "--got", "0.5")
    assert done.stderr == "calipers: --got 0.5 needs data: the matching definition depends on it\n"


def test_a_report_in_vietnamese(calipers, debts):
    done = calipers("evaluate", debts, *OPTIONS, "--lang", "vi", "--quiet")
    assert done.stdout.startswith("phân loại nhị phân: 1000 mẫu, 2 lớp (BAD, GOOD)\n\nMô hình xếp hạng các mẫu BAD")
    assert "\nđộ đo F1                                           0,537 [0,454; 0,617]\n" in done.stdout
    assert max(map(width, done.stdout.splitlines())) <= 80


def test_the_variable_chooses_the_language_and_the_option_overrules_it(calipers, debts, monkeypatch):
    monkeypatch.setenv("CALIPERS_LANG", "zh")
    assert calipers("evaluate", debts, *OPTIONS, "--quiet").stdout.startswith("二分类：1000 个样本")
    english = calipers("evaluate", debts, *OPTIONS, "--quiet", "--lang", "en").stdout
    assert english.startswith("binary classification: 1000 rows")
    assert calipers("evaluate", "--help").stdout.startswith("Usage: calipers evaluate")


def test_an_unknown_language_is_refused_before_a_file_is_read(calipers):
    done = calipers("evaluate", "no-such-file.csv", "--lang", "fr")
    assert done.returncode == 2
    assert done.stderr == "calipers: --lang fr is not known: pass en (English), vi (Tiếng Việt) or zh (中文)\n"


def test_markdown_goes_alone_to_standard_output(calipers, debts):
    done = calipers("evaluate", debts, *OPTIONS, "--md")
    title = "### binary classification: 1000 rows, 2 classes (BAD, GOOD)"
    assert done.stdout.startswith(f"{title}\n\n**The model ranks BAD rows")
    assert done.stderr.startswith("columns: ")
    done = calipers("evaluate", debts, *OPTIONS, "--md", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "pass --json or --md, not both" in done.stderr


def test_a_file_with_doubled_rows_is_noticed(calipers, debts, tmp_path):
    head, *rows = Path(debts).read_text(encoding="utf-8").splitlines()
    twice = tmp_path / "twice.csv"
    twice.write_text("\n".join([head, *rows, *rows[:500]]) + "\n", encoding="utf-8")
    assert "the rows may be duplicates" in " ".join(calipers("evaluate", str(twice), *OPTIONS).stdout.split())
    assert "the rows may be duplicates" not in " ".join(calipers("evaluate", debts, *OPTIONS).stdout.split())


def test_the_demo_ends_with_what_a_reviewer_would_say(calipers):
    assert calipers("demo", "--no-html").stdout.endswith(
        "\n! Accuracy is 90.5%. Always predicting GOOD gives 90.0%, so accuracy does not\n"
        "  show that the model is useful (p = 0.31).\n"
        "  Do not report accuracy alone: look at recall, precision and balanced accuracy,\n"
        "  and choose a threshold based on what each kind of error costs.\n"
    )


def test_how_a_file_was_read_is_said_in_the_language_of_the_report(calipers, file):
    name = file("# from a sheet\ny_true;y_pred\n1,0;1,5\n2,5;2,0\n")
    assert calipers("evaluate", name, "--md", "--lang", "vi").stderr.splitlines() == [
        "cách đọc: các ô ngăn cách bằng dấu chấm phẩy, bỏ qua 1 dòng chú thích, dấu phẩy thập phân",
        "các cột: truth = y_true, pred = y_pred",
    ]
    assert calipers("evaluate", name, "--md", CALIPERS_LANG="zh").stderr.splitlines() == [
        "读取方式：单元格以分号分隔，跳过 1 行注释，小数点为逗号",
        "列：truth = y_true，pred = y_pred",
    ]


def test_wrong_options_are_refused_in_the_language_of_the_reader(calipers):
    done = calipers("evaluate", "x.csv", "--limit", "much", "--lang", "zh")
    assert done.stderr == (
        "calipers: '--limit' 的值无效：'much' 不是大小：请写 500MB、20GB 或 none (calipers evaluate --help)\n"
    )
    done = calipers("evaluate", "x.csv", "--json", "--md", "--lang=vi")
    assert done.stderr == "calipers: hãy dùng --json hoặc --md, không dùng cả hai (calipers evaluate --help)\n"
