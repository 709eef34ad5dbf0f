import json
import subprocess
import sys

import pytest
from corpus import arrow, zstd

from calipers.addresses import REPOSITORY, published

PUBLISHED = published()  # before the tests take the address away
ROWS = "y_true,y_pred,score\nyes,yes,0.9\nno,yes,0.6\nno,no,0.2\nyes,no,0.4\n"


def document(calipers, *arguments):
    done = calipers("evaluate", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refusal(calipers, *arguments):
    done = calipers("evaluate", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("calipers: ")
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("calipers: ").rstrip("\n")


def test_columns_are_found_and_said(calipers, file):
    output = calipers("evaluate", file(ROWS), "--positive", "yes").stdout
    columns = "columns: truth = y_true, pred = y_pred, score = score\n"
    assert output.startswith(columns + "binary classification: 4 rows, 2 classes (no, yes)\n")


def test_json_is_alone_on_stdout(calipers, file):
    done = calipers("evaluate", file(ROWS), "--positive", "yes", "--json")
    assert json.loads(done.stdout)["confusion"] == [[1, 1], [1, 1]]
    assert done.stderr == "columns: truth = y_true, pred = y_pred, score = score\n"


def test_named_columns_are_not_announced(calipers, file):
    done = calipers("evaluate", file(ROWS), "--truth", "y_true", "--pred", "y_pred")
    assert done.stdout.startswith("binary classification: 4 rows")


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["001", "NA", "1"], ["001", "1", "NA"]),
        (["0", "1", "1"], [0, 1]),
        (["10", "2", "-1"], [-1, 2, 10]),
        (["01", "2", "3"], ["01", "2", "3"]),
        (["yes", "no", "null"], ["no", "null", "yes"]),
        (["1.0", "2.0", "2."], [1, 2]),
        (["1.0", "1", "x"], ["1", "x"]),
        (["nước", "猫", "a b"], ["a b", "nước", "猫"]),
    ],
)
def test_labels_stay_as_written_unless_all_are_integers(calipers, file, cells, labels):
    lines = "".join(f"{cell},{cell}\n" for cell in cells)
    assert document(calipers, file("y_true,y_pred\n" + lines))["labels"]["values"] == labels


def test_0_and_1_meet_their_floats(calipers, file):
    result = document(calipers, file("y_true,y_pred\n0,0.0\n1,1.0\n1,0.0\n"))
    assert (result["task"], result["confusion"]) == ("binary", [[1, 0], [1, 1]])


def test_numbers_under_the_name_of_labels_are_scores(calipers, file):
    done = calipers("evaluate", file("y_true,y_pred\n0,0.13\n1,0.7\n1,0.4\n0,0.2\n"))
    assert done.stdout.startswith("columns: truth = y_true, score = y_pred\nbinary classification: 4 rows")
    assert "predictions: score >= 0.5\n" in done.stdout


@pytest.mark.parametrize("text", ["x", "recall at x >= 0.5", "f1 at"])
def test_a_threshold_that_is_no_number_and_no_metric(calipers, file, text):
    done = calipers("evaluate", file("y_true,score\n0,0.1\n1,0.8\n"), "--threshold", text)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(
        f"calipers: --threshold {text} is neither a number nor a metric: pass a number such as 0.5, a metric such as f1"
    )


def test_a_threshold_near_the_corner_has_no_interval(calipers, file):
    rows = "".join(f"{i % 2},{(i * 7 % 40 + 9 * (i % 2)) / 50}\n" for i in range(80))
    done = calipers("evaluate", file("y_true,score\n" + rows), "--threshold", "corner")
    assert done.returncode == 0
    assert "chosen on this data for the best distance to the corner" in " ".join(done.stdout.split())
    assert "nan" not in done.stdout


def test_threshold_metrics_slices_and_weights(calipers, file):
    name = file("y_true,score,w,side\n1,0.9,2,left\n0,0.6,1,left\n0,0.2,1,right\n1,0.4,1,right\n")
    result = document(
        calipers, name, "--threshold", 0.3, "--metrics", "fbeta(beta=2, average=macro),tp", "--metrics", "recall",
        "--by", "side", "--weights", "w",
    )  # fmt: skip
    assert list(result["metrics"]) == ["fbeta(beta=2, average=macro)", "tp", "recall"]
    assert result["metrics"]["tp"]["value"] == 3
    assert result["by"]["side"]["values"]["values"] == ["left", "right"]


def test_a_score_column_for_each_class(calipers, file):
    name = file("truth,pa,pb,pc\na,0.7,0.2,0.1\nb,0.1,0.8,0.1\nc,0.2,0.2,0.6\nc,0.5,0.3,0.2\n")
    result = document(calipers, name, "--score", "pa,pb,pc")
    assert result["confusion"] == [[1, 0, 0], [0, 1, 0], [1, 0, 1]]
    turned = document(calipers, name, *["--score", "pc", "--score", "pa", "--score", "pb", "--labels", "c,a,b"])
    assert turned["metrics"]["log_loss"] == result["metrics"]["log_loss"]


def test_parquet_keeps_its_types(calipers, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    scores = pa.array([0.9, 0.2, 0.4, 0.5], pa.float32())
    columns = {"label": [True, False, True, None], "p": scores, "code": ["a", "b", "a", "b"]}
    parquet.write_table(pa.table(columns), tmp_path / "x.parquet")
    result = document(calipers, "x.parquet", "--missing", "drop", "--by", "code")
    assert (result["rows"], result["positive"]["values"], result["confusion"]) == (3, [1], [[1, 0], [1, 1]])


@pytest.mark.parametrize("name", ["we[1]rd *?.csv", "it's; drop table x--.csv", "dữ liệu 数据.csv"])
def test_any_file_name(calipers, file, name):
    assert document(calipers, file(ROWS, name), "--positive", "yes")["rows"] == 4


def test_any_column_name(calipers, file):
    name = file('"a""b; --",y_pred,"x,y"\n1,1,l\n0,1,r\n')
    result = document(calipers, name, "--truth", 'a"b; --', "--pred", "y_pred", "--by", "x,y")
    assert result["confusion"] == [[0, 1], [0, 1]]


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("a,b\n1,2\n", [], "x.csv has the columns a, b: choose one with --truth, or pass --no-header if they are data"),
        ("truth,b\n1,2\n", [], "x.csv has the columns truth, b: choose one with --pred or --score"),
        ("truth,label,pred\n1,2,1\n", [], "x.csv has the columns truth and label: choose one with --truth"),
        (ROWS, ["--truth", "y_tru"], "x.csv has no column 'y_tru'; did you mean y_true or y_pred?"),
        ("y_true,score\n1,0.5\n0,abc\n", [], "column 'score' contains 'abc' (line 3), which is not a number"),
        (
            ROWS.replace("no", "cat").replace("yes", "dog"),
            [],
            "column 'y_true' has the classes 'cat' and 'dog': pass --positive cat or --positive dog "
            "to say which class the score is for",
        ),
        (
            "y,p\n1,0.5\n1\n1,2,3\n",
            [],
            "x.csv line 3 has 1 cell, but line 1 has 2: put cells that contain the delimiter in quotes",
        ),
        ("y_true,y_pred\n", [], "x.csv contains no rows"),
        (
            "y_true,y_pred\n1,1\n,0\n",
            [],
            "column 'y_true' has 1 missing label (first at line 3): remove this row or pass --missing drop",
        ),
        (b"PAR1 and then nothing", [], "x.csv cannot be read: "),
        (ROWS, ["--positive", "yes", "--metrics", "f"], "no metric is called 'f'; "),
    ],
)
def test_refusals(calipers, file, text, arguments, message):
    error = refusal(calipers, file(text), *arguments)
    assert error == message if not message.endswith(" ") else error.startswith(message)


def test_a_file_that_is_not_there(calipers):
    assert refusal(calipers, "nowhere.csv") == "nowhere.csv does not exist"


@pytest.mark.parametrize(
    ("package", "content", "message"),
    [
        ("duckdb", ROWS.encode(), 'reading files needs DuckDB: pip install duckdb'),
        ("pyarrow", arrow("feather", "lz4"), 'x.csv is an Arrow file: pip install "calipers[arrow]"'),
        ("backports.zstd", zstd(ROWS.encode()), 'x.csv is compressed with zstd: pip install backports.zstd'),
    ],
    ids=["duckdb", "pyarrow", "zstd"],
)
def test_a_missing_package_is_named_with_its_install_command(calipers, file, package, content, message):
    done = calipers("evaluate", file(content), absent=package)
    assert (done.returncode, done.stderr) == (2, f"calipers: {message}\n")


@pytest.mark.parametrize(("debug", "traceback"), [("", False), ("1", True)])
def test_a_defect_asks_to_be_reported(debug, traceback, tmp_path):
    code = (
        "import click, calipers.cli as c\n@c.shell.command()\ndef broken():\n    1 / 0\nc.main(['broken'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False,
        env={"CALIPERS_DEBUG": debug, "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 1
    assert ("Traceback" in done.stderr) is traceback
    if not traceback:
        assert done.stderr.startswith("calipers: ZeroDivisionError: division by zero. This is a bug in Calipers")
        place = f" at {REPOSITORY}/issues" if PUBLISHED else ""  # never a placeholder
        assert f"please report it{place}, with what" in done.stderr
