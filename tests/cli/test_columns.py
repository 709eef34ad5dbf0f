"""How columns are found and named, and the options that say how a file is read."""

import json

import numpy as np
import pytest
from corpus import BITS, FULL, LABELS, SCORE, TRUTH, rows


def document(calipers, *arguments):
    done = calipers("evaluate", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refusal(calipers, *arguments):
    done = calipers("evaluate", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    return done.stderr.removeprefix("calipers: ").rstrip("\n")


def chosen(calipers, *arguments):
    done = calipers("evaluate", *arguments, "--metrics", "accuracy")
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("truth", "pred"),
    [("truth", "prediction"), ("Label", "PRED"), ("TARGET", "y-hat"), ("actual", "predicted"), ("class", "Dự đoán"),
     ("nhãn", "dự_đoán"), ("thực_tế", "du_doan"), ("Thực tế", "预测"), ("标签", "预测标签"), ("真实", "预测值")],
)  # fmt: skip
def test_the_usual_names_of_labels(calipers, file, truth, pred):
    name = file(LABELS.replace("y_true", truth).replace("y_pred", pred))
    assert chosen(calipers, name) == f"columns: truth = {truth}, pred = {pred}"


@pytest.mark.parametrize("score", ["prob", "proba", "p", "xác_suất", "得分", "概率", "Probability"])
def test_the_usual_names_of_scores(calipers, file, score):
    name = file(rows(TRUTH, SCORE, head=f"y_true,{score}"))
    assert chosen(calipers, name, "--positive", "yes") == f"columns: truth = y_true, score = {score}"


MATRIX = "truth,p_a,p_b,p_c\na,0.7,0.2,0.1\nb,0.1,0.8,0.1\nc,0.2,0.2,0.6\nc,0.5,0.3,0.2\n"


@pytest.mark.parametrize("prefix", ["p_", "P ", "prob_", "score.", "xác_suất_", "概率_"])
def test_a_score_column_for_each_class_is_found(calipers, file, prefix):
    result = document(calipers, file(MATRIX.replace("p_", prefix)), "--metrics", "accuracy")
    assert result["confusion"] == [[1, 0, 0], [0, 1, 0], [1, 0, 1]]


def test_score_columns_are_matched_by_name_and_not_by_place(calipers, file):
    turned = "\n".join(",".join(line.split(",")[i] for i in (3, 1, 0, 2)) for line in MATRIX.split())
    first, second = (document(calipers, file(text)) for text in (MATRIX, turned))
    assert first["metrics"]["log_loss"] == second["metrics"]["log_loss"]


def test_a_class_that_does_not_occur_may_have_a_column(calipers, file):
    result = document(calipers, file(MATRIX.replace("\nc,", "\nb,")), "--metrics", "accuracy")
    assert result["labels"]["values"] == ["a", "b", "c"]


def test_a_class_without_a_column_is_an_error(calipers, file):
    name = file(MATRIX.replace("p_c", "note"))
    expected = "there is no score column for the label 'c' of column 'truth'; available: p_a, p_b"
    assert refusal(calipers, name) == expected


def test_one_column_of_a_class_says_which_is_positive(calipers, file):
    result = document(calipers, file(rows(TRUTH, SCORE, head="y_true,p_yes")), "--metrics", "roc_auc")
    assert result["positive"]["values"] == ["yes"]


def test_two_kinds_of_score_are_an_error(calipers, file):
    name = file(rows(TRUTH, SCORE, SCORE, head="y_true,score,p_yes"))
    assert refusal(calipers, name) == "x.csv has the columns score and p_yes: choose with --score"


def test_columns_by_number_and_in_any_case(calipers, file):
    name = file(FULL.replace("y_true,y_pred,score", "Ground Truth X,B,C"))
    assert document(calipers, name, "--truth", "1", "--pred", "b", "--metrics", "f1", "--positive", "yes")["rows"] == 6
    assert document(calipers, name, "--truth", "ground_truth_x", "--pred", "2", "--metrics", "accuracy")["rows"] == 6
    assert refusal(calipers, name, "--truth", "grond truth x").endswith("did you mean Ground Truth X?")
    assert refusal(calipers, name, "--truth", "4").startswith("x.csv has no column '4'; available: ")


def test_columns_by_number_are_told(calipers, file):
    name = file("cat,dog\ndog,cat\nbird,bird\n")
    assert chosen(calipers, name, "--truth", "1", "--pred", "2") == "columns: truth = cat, pred = dog"


def test_parquet_names_that_differ_in_case_only(calipers, tmp_path):
    import pyarrow as pa
    from pyarrow import feather, parquet

    table = pa.table({"Label": ["a", "b"], "label": ["b", "b"], "pred": ["a", "b"]})
    parquet.write_table(table, tmp_path / "x.parquet")
    feather.write_feather(table, tmp_path / "x.feather")
    for name in ("x.parquet", "x.feather"):
        assert refusal(calipers, name) == f"{name} has the columns Label and label: choose one with --truth"
        result = document(calipers, name, "--truth", "label", "--pred", "pred", "--metrics", "accuracy")
        assert result["confusion"] == [[0, 0], [1, 1]]


def test_labels_of_options_are_matched_as_the_file_writes_them(calipers, file):
    truth = ["Việt" if v == "yes" else "Hoa" for v in TRUTH]
    name = file(rows(truth, SCORE, head="y_true,score"))
    for written in ("Việt", "việt", "Vie\u0323\u0302t"):
        assert document(calipers, name, "--positive", written, "--metrics", "f1")["positive"]["values"] == ["Việt"]
    message = refusal(calipers, name, "--positive", "Anh")
    assert message == "--positive Anh is not among the labels 'Hoa' and 'Việt'"


def test_booleans_and_numbers_need_no_positive(calipers, file):
    for one, zero in (("True", "False"), ("TRUE", "FALSE"), ("true", "false"), ("1", "0"), ("1", "-1")):
        truth = [one if v == "yes" else zero for v in TRUTH]
        result = document(calipers, file(rows(truth, SCORE, head="y_true,score")), "--metrics", "f1")
        assert (result["task"], result["positive"]["values"]) == ("binary", [{"1": 1}.get(one, True)])


def test_booleans_beside_bits(calipers, file):
    truth, pred = ["True" if v == "yes" else "False" for v in TRUTH], [BITS[v] for v in TRUTH]
    result = document(calipers, file(rows(truth, pred, head="y_true,y_pred")), "--metrics", "accuracy")
    assert result["confusion"] == [[3, 0], [0, 3]]


def test_slices_of_dates_fractions_and_gaps(calipers, tmp_path):
    import datetime

    import pyarrow as pa
    from pyarrow import parquet

    day = datetime.date(2026, 1, 2)
    columns = {
        "y_true": [1, 0, 1, 0], "score": [0.9, 0.1, 0.4, 0.2],
        "day": [day, day, None, datetime.date(2026, 1, 3)], "dose": [0.5, 0.5, 1.0, 1.5], "at": [3, 3, 4, 4],
    }  # fmt: skip
    parquet.write_table(pa.table(columns), tmp_path / "x.parquet")
    result = document(calipers, "x.parquet", "--by", "day", "--by", "dose", "--by", "at", "--metrics", "accuracy")
    values = {name: part["values"]["values"] for name, part in result["by"].items()}
    assert values == {"day": ["2026-01-02", "2026-01-03", "(missing)"], "dose": ["0.5", "1.0", "1.5"], "at": [3, 4]}


def test_a_column_may_serve_twice(calipers, file):
    result = document(calipers, file(FULL), "--positive", "yes", "--by", "y_true", "--by", "score", "--metrics", "tp")
    assert [len(part["evaluations"]) for part in result["by"].values()] == [2, 6]


def test_the_task_may_be_overruled(calipers, file):
    name = file(LABELS.replace("yes", "1").replace("no", "0"))
    assert document(calipers, name, "--task", "multiclass", "--metrics", "accuracy")["task"] == "multiclass"
    pets = file(LABELS.replace("yes", "dog").replace("no", "cat"))
    assert "--task binary needs a positive class: pass" in refusal(calipers, pets, "--task", "binary")


def test_messages_speak_of_columns_lines_and_options(calipers, file):
    heavy = file(rows(TRUTH, SCORE, [*SCORE[:4], "-1", "1"], head="y_true,score,w"))
    assert refusal(calipers, heavy, "--positive", "yes", "--weights", "w") == (
        "column 'w' (line 6) is -1.0: weights are finite numbers, 0 or more"
    )
    assert refusal(calipers, file(LABELS), "--labels", "yes,maybe") == (
        "column 'y_true' contains the label 'no', which is not in --labels yes,maybe"
    )
    assert refusal(calipers, file(MATRIX), "--threshold", "0.5") == (
        "--threshold is for one score per row: with one column per class, the highest score wins; "
        "pass --positive to apply a threshold to one of two classes"
    )
    off = calipers("evaluate", file(MATRIX.replace("0.6\n", "0.7\n"))).stdout
    assert "line 4 sums to 1.1" in " ".join(off.split())
    found = document(calipers, file(MATRIX.replace("0.6\n", "0.7\n")))["metrics"]["log_loss"]
    assert found["reason"] == "line 4 sums to 1.1, but the probabilities of a row must sum to 1"
    assert found["codes"]["reason"] == {"code": "data.row_sum", "row": 2, "sum": 1.1}


def test_messages_are_in_the_language_of_the_reader(calipers, file, monkeypatch):
    name = file(LABELS)
    assert refusal(calipers, name, "--labels", "yes,maybe", "--lang", "vi") == (
        "cột 'y_true' có nhãn 'no' không nằm trong --labels yes,maybe"
    )
    monkeypatch.setenv("CALIPERS_LANG", "zh")
    assert refusal(calipers, "none.csv") == "none.csv 不存在：您是不是想写 x.csv？"
    assert refusal(calipers, name, "--truth", "z") == f"{name} 没有列 'z'；可用的有：y_pred、y_true"


def test_quiet_says_nothing_about_the_reading(calipers, file):
    done = calipers("evaluate", file(LABELS.replace(",", ";")), "--quiet")
    assert done.stdout.startswith("binary classification: 6 rows, 2 classes (no, yes)\n")
    assert calipers("evaluate", file(LABELS), "--quiet", "--json").stderr == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--limit", "much"], "Invalid value for '--limit': 'much' is not a size: write 500MB, 20GB or none"),
        (["--delimiter", "||"], "Invalid value for '--delimiter': '||' is not one character"),
        (["--treshold", "1"], "No such option '--treshold'"),
        (["--level", "x"], "Invalid value for '--level': 'x' is not a valid float"),
        (["--level", "95"], "--level 95.0 is not a confidence level"),
        (["--metrics", "f7"], "no metric is called 'f7'"),
    ],
)
def test_what_is_wrong_with_the_options_is_said_before_a_file_is_read(calipers, arguments, message):
    assert message in refusal(calipers, "nowhere.csv", *arguments)


@pytest.mark.parametrize("rows", ["1.0,1\n2.0,2\n1.0,2\n", "1.0,1\n2.0,2\n1.0,2\n1,1.0\n", "1,1.\n2,2.00\n1,2\n"])
def test_item_1_numbers_are_numbers_however_they_are_written(calipers, file, rows):
    document = json.loads(calipers("evaluate", file("y_true,y_pred\n" + rows), "--json").stdout)
    assert document["labels"]["values"] == [1, 2]
    assert document["metrics"]["accuracy"]["value"] == pytest.approx(1 - 1 / rows.count("\n"))


def test_item_1_what_was_done_is_said(calipers, file):
    done = calipers("evaluate", file("y_true,y_pred\n1.0,1\n2.0,2\n"))
    assert done.stdout.startswith("read as: labels such as 1.0 are whole numbers\n")


def test_item_1_a_positive_label_is_found_however_it_is_written(calipers, file):
    done = calipers("evaluate", file("y_true,y_pred\n1,1.0\n2,2.0\n"), "--positive", "2.0", "--json")
    assert json.loads(done.stdout)["positive"]["values"] == [2]


def test_item_1_files_of_one_comparison_may_write_the_truth_differently(calipers, file):
    first = file("id,y_true,y_pred\na,1,1\nb,2,2\nc,1,2\nd,2,2\n", "first.csv")
    second = file("id,y_true,y_pred\na,1.0,1\nb,2.0,1\nc,1.0,1\nd,2.0,2\n", "second.csv")
    done = calipers("compare", first, second, "--key", "id", "--metrics", "accuracy", "--json")
    assert json.loads(done.stdout)["metrics"]["accuracy"]["values"] == {"first": 0.75, "second": 0.75}


WHOLE, GUESSED = np.random.default_rng(5).integers(0, 400, (2, 300))


def test_item_2_in_a_shell(calipers, file):
    text = "y_true,y_pred\n" + "".join(f"{a},{b}\n" for a, b in zip(WHOLE, GUESSED, strict=True))
    document = json.loads(calipers("evaluate", file(text), "--metrics", "mae", "--json").stdout)
    assert (document["task"], document["metrics"]["mae"]["value"]) == ("regression", np.abs(WHOLE - GUESSED).mean())
    assert calipers("gate", file(text), "--require", "mae <= 500").returncode == 0
    value = f"{np.abs(WHOLE - GUESSED).mean():.4g}"
    assert value[:4] in calipers("explain", "mae", file(text)).stdout
    both = "y_true,a,b\n" + "".join(f"{a},{b},{b}\n" for a, b in zip(WHOLE, GUESSED, strict=True))
    document = json.loads(calipers("compare", file(both), "--pred", "a,b", "--metrics", "mae", "--json").stdout)
    assert document["metrics"]["mae"]["values"]["a"] == np.abs(WHOLE - GUESSED).mean()
