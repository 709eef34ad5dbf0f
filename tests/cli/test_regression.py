"""`calipers evaluate` and `compare` of files of numbers, and what they refuse."""

import json

import pytest

ROWS = [(1.5, 1.0), (2.0, 2.5), (4.0, 4.0), (8.5, 7.5)]
PLAIN = "y_true,y_pred\n" + "".join(f"{a},{b}\n" for a, b in ROWS)


def evaluated(calipers, tmp_path, text, *options):
    (tmp_path / "x.csv").write_text(text, encoding="utf-8")
    return calipers("evaluate", str(tmp_path / "x.csv"), "--json", "--quiet", *options)


@pytest.mark.parametrize(("text", "options"), [
    (PLAIN, ()),
    (PLAIN.replace(",", ";").replace(".", ","), ()),
    (PLAIN.replace("y_true,y_pred", "price,guess"), ("--truth", "price", "--pred", "guess")),
    (PLAIN.replace("y_true,y_pred", "price,guess"), ("--truth", "price", "--score", "guess")),
    ("".join(f'{{"y": {a}, "yhat": {b}}}\n' for a, b in ROWS), ()),
])  # fmt: skip
def test_files_of_numbers(calipers, tmp_path, text, options):
    done = evaluated(calipers, tmp_path, text, *options)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["task"] == "regression"
    assert document["metrics"]["mae"]["value"] == 0.5


def test_fractions_far_down_the_file(calipers, tmp_path):
    rows = "".join(f"{k % 50},{k % 50}\n" for k in range(30_000))
    done = evaluated(calipers, tmp_path, "y_true,y_pred\n" + rows + "1.5,1.0\n", "--metrics", "mae")
    document = json.loads(done.stdout)
    assert (document["task"], document["rows"]) == ("regression", 30_001)
    assert document["metrics"]["mae"]["value"] == pytest.approx(0.5 / 30_001)


def test_whole_numbers_are_measured_when_asked(calipers, tmp_path):
    text = "y_true,y_pred\n1,2\n2,2\n3,5\n"
    assert json.loads(evaluated(calipers, tmp_path, text).stdout)["task"] == "multiclass"
    document = json.loads(evaluated(calipers, tmp_path, text, "--task", "regression").stdout)
    assert document["metrics"]["mae"]["value"] == 1.0


@pytest.mark.parametrize(("text", "options", "words"), [
    (PLAIN + "3.5,x\n", (), "column 'y_pred' contains 'x' (line 6), which is not a number"),
    (PLAIN + "3.5,\n", (), "column 'y_pred' contains 1 NaN (first at line 6): remove this row or pass --missing drop"),
    (PLAIN, ("--metrics", "f1"),
        "column 'y_true' contains numbers and column 'y_pred' predicts them, so the task is regression, but the "
        "metrics are for classes: use metrics such as mae, rmse or r2"),
    (PLAIN, ("--interval", "wilson"),
        "--interval wilson is not available for mae: use long-tailed, hall, t, normal, bca, percentile or basic"),
    ("y_true,p_a,p_b\n1.5,1,2\n", ("--task", "regression", "--score", "p_a,p_b"),
        "for regression, the predictions must be in one"),
])  # fmt: skip
def test_refused_in_one_line(calipers, tmp_path, text, options, words):
    done = evaluated(calipers, tmp_path, text, *options)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_compare(calipers, tmp_path):
    for name, shift in (("a", 0.0), ("b", 2.0)):
        rows = "".join(f"{k},{k + 0.5},{k + 0.5 + shift + 0.1 * (k % 3)}\n" for k in range(40))
        (tmp_path / f"{name}.csv").write_text("id,y_true,y_pred\n" + rows, encoding="utf-8")
    done = calipers("compare", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "--key", "id", "--quiet")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("regression: 2 models compared on the same 40 rows: a, b\n")
    assert "better" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
