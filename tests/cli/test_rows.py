"""Item 8 in the shell: --rows."""

import json

import pytest

ROWS = 'truth,score,site,note\nno,0.1,a,"<b>two\nlines"\nyes,0.9,b,\nno,0.6,a, padded \nyes,0.2,b,x\n'
QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 a 1\n"
RUN = "q1 Q0 b 1 9 x\nq1 Q0 a 2 8 x\nq2 Q0 a 1 5 x\n"


def test_item_8_rows_are_lines_of_the_file_with_its_other_columns(calipers, file):
    done = calipers("evaluate", file(ROWS), "--rows", "2", "--by", "site", "--quiet")
    table = done.stdout.partition("rows with the largest loss")[2].splitlines()
    assert table[2].split() == ["row", "truth", "predicted", "score", "loss", "site", "note"]
    assert table[3].split() == ["line", "6", "yes", "no", "0.200", "1.609", "b", "x"]
    assert table[4].split() == ["line", "5", "no", "yes", "0.600", "0.916", "a", "padded"]
    assert "padded" not in calipers("evaluate", file(ROWS), "--by", "site", "--quiet").stdout


def test_item_8_rows_of_a_pipe_and_of_several_files(calipers, file):
    piped = calipers("evaluate", "-", "--rows", "1", "--quiet", stdin=ROWS.encode())
    assert "line 6  yes" in piped.stdout
    both = calipers("evaluate", file(ROWS), file(ROWS, "y.csv"), "--rows", "2", "--quiet")
    assert "line 6 of x.csv" in both.stdout
    assert "line 6 of y.csv" in both.stdout


def test_item_8_rows_of_a_query_are_those_that_it_measured(calipers, file):
    file(ROWS)
    query = "select truth, score, note from 'x.csv'"
    done = calipers("evaluate", "--sql", query, "--truth", "truth", "--score", "score", "--rows", "1")
    assert done.returncode == 0
    assert "note" not in done.stdout.partition("largest loss")[2]


def test_item_8_rows_in_documents_and_pages(calipers, file, tmp_path):
    done = calipers("evaluate", file(ROWS), "--rows", "4", "--json", "--html", "x.html", "--save", "x.md", "--quiet")
    document = json.loads(done.stdout)
    assert document["worst_rows"]["measured"]["row"] == [3, 2, 0, 1]
    assert document["worst_rows"]["data"]["note"] == ["x", "padded", "<b>two\nlines", None]
    page = (tmp_path / "x.html").read_text("utf-8")
    assert "&lt;b&gt;two" in page
    assert "<b>two" not in page
    assert "padded" in page
    assert "padded" in (tmp_path / "x.md").read_text("utf-8")
    without = calipers("evaluate", file(ROWS), "--json", "--html", "x.html", "--quiet").stdout
    assert "worst_rows" not in without
    assert "padded" not in without + (tmp_path / "x.html").read_text("utf-8")


def test_item_8_worst_queries(calipers, file):
    done = calipers("rank", file(QRELS, "qrels.txt"), file(RUN, "run.txt"), "--rows", "3")
    assert "queries with the largest loss (1 − nDCG@10)" in done.stdout
    assert done.stdout.partition("largest loss")[2].splitlines()[2].split()[:3] == ["q1", "0.631", "0.369"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("--rows", "3", "--csv"), "--rows cannot be used with --csv"),
        (("--rows", "0"), "--rows"),
        (("--rows", "many"), "--rows"),
    ],
)
def test_item_8_what_cannot_be_listed(calipers, file, command, message):
    done = calipers("evaluate", file(ROWS), *command)
    assert done.returncode == 2
    assert message in done.stderr


def test_item_8_several_runs_are_compared_and_have_no_rows(calipers, file):
    files = file(QRELS, "qrels.txt"), file(RUN, "run.txt"), file(RUN, "other.txt")
    done = calipers("rank", *files, "--rows", "3")
    assert done.returncode == 2
    assert "--rows is for one run" in done.stderr
