"""Where rows come from: several files, patterns, standard input, pipes, queries; and what cannot be read."""

import gzip
import json
import os
import threading
import time

import pytest
from corpus import AUC, FULL, LABELS, MATRIX, arrow

OPTIONS = ("--metrics", "accuracy", "--json")


def document(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def refusal(done):
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("calipers: ")
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("calipers: ").rstrip("\n")


def test_several_files_are_read_as_one(calipers, file):
    turned = "\n".join(",".join(reversed(line.split(","))) for line in LABELS.split())
    names = [file(LABELS, "a.csv"), file(turned, "b.csv"), file(gzip.compress(LABELS.encode()), "c.csv.gz")]
    done = calipers("evaluate", *names, *OPTIONS)
    assert document(done)["confusion"] == [[3 * n for n in row] for row in MATRIX]
    assert "read as: 3 files, gzip\n" in done.stderr


def test_a_quoted_pattern(calipers, file):
    for name in ("part-1.csv", "part-2.csv", "other.csv"):
        file(LABELS, name)
    assert document(calipers("evaluate", "part-*.csv", *OPTIONS))["rows"] == 12
    assert refusal(calipers("evaluate", "port-*.csv")) == "no file matches port-*.csv"


def test_a_line_is_named_with_its_file(calipers, file):
    names = [file(LABELS, "a.csv"), file(LABELS + ",yes\n", "b.csv")]
    assert "(first at line 8 of b.csv)" in refusal(calipers("evaluate", *names))


def test_parquet_has_rows_and_no_lines(calipers, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table({"y_true": ["a", None], "y_pred": ["a", "b"]}), tmp_path / "x.parquet")
    assert "(first at row 2)" in refusal(calipers("evaluate", "x.parquet"))


def test_a_file_that_lacks_a_column_of_the_first(calipers, file):
    names = [file(LABELS, "a.csv"), file(LABELS.replace("y_pred", "said"), "b.csv")]
    assert refusal(calipers("evaluate", *names)) == "b.csv has no column 'y_pred', but a.csv has one"


def test_csv_beside_parquet(calipers, file):
    names = [file("y_true,y_pred\n1,0\n", "a.csv"), file(LABELS, "b.csv"), file(arrow("parquet"), "c.parquet")]
    result = document(calipers("evaluate", *names, *OPTIONS))
    assert (result["rows"], result["labels"]["values"]) == (13, ["0", "1", "no", "yes"])


def test_json_beside_csv_is_refused(calipers, file):
    names = [file(LABELS, "a.csv"), file('{"y_true": "yes", "y_pred": "no"}\n', "b.jsonl")]
    assert refusal(calipers("evaluate", *names)).startswith(
        "JSON and other files cannot be read together, because their")


@pytest.mark.parametrize(
    "content",
    [LABELS.encode(), gzip.compress(LABELS.encode()), LABELS.encode("utf-16")],
    ids=["plain", "gzip", "utf-16"],
)
def test_standard_input(calipers, content):
    assert document(calipers("evaluate", "-", *OPTIONS, stdin=content))["confusion"] == MATRIX


def test_lines_of_standard_input(calipers):
    done = calipers("evaluate", "-", stdin=(LABELS + ",no\n").encode())
    assert "(first at line 8)" in refusal(done)
    assert refusal(calipers("evaluate", "-", stdin=b"")) == "standard input is empty"


def test_a_named_pipe(calipers, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    threading.Thread(target=(tmp_path / "pipe").write_text, args=[LABELS], daemon=True).start()
    assert document(calipers("evaluate", "pipe", *OPTIONS))["confusion"] == MATRIX


def test_a_directory_and_what_may_not_be_read(calipers, file, tmp_path):
    (tmp_path / "folder").mkdir()
    assert refusal(calipers("evaluate", "folder")).startswith("folder is a directory: pass the files in it, such as ")
    assert refusal(calipers("evaluate", "plian.csv")) == "plian.csv does not exist"
    file(LABELS, "plain.csv")
    assert refusal(calipers("evaluate", "plian.csv")) == "plian.csv does not exist: did you mean plain.csv?"
    if os.getuid() != 0:
        (tmp_path / "plain.csv").chmod(0)
        assert refusal(calipers("evaluate", "plain.csv")) == "plain.csv cannot be read: Permission denied"


def test_a_query(calipers, file):
    file(arrow("parquet"), "x.parquet")
    query = "select y_true as truth, score * 2 as s from 'x.parquet' where score > 0.2"
    result = document(calipers("evaluate", "--sql", query, "--score", "s", "--positive", "yes", "--json"))
    assert result["rows"] == 5
    whole = document(calipers("evaluate", "--sql", "from 'x.parquet'", "--positive", "yes", "--json"))
    assert whole["metrics"]["roc_auc"]["value"] == pytest.approx(AUC, rel=1e-12)


@pytest.mark.parametrize(
    "query",
    [
        "copy (select 1) to 'evil.csv'",
        "select 1; copy (select 1) to 'evil.csv'",
        "install httpfs",
        "load httpfs",
        "attach 'evil.db'",
        "set lock_configuration = false",
        "pragma enable_object_cache",
        "create table t as select 1",
        "export database 'evil'",
    ],
)
def test_a_query_writes_and_loads_nothing(calipers, tmp_path, query):
    assert refusal(calipers("evaluate", "--sql", query)) == (
        "--sql allows a single SELECT, and no statement that writes, loads or sets"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("selec 1", "the query cannot be run: Parser Error: "),
        ("select x from 'nowhere.parquet'", "the query cannot be run: IO Error: No files found"),
        ("select * from 'https://localhost/x.parquet'", "requires the extension httpfs"),
        ("select * from table_", "the query cannot be run: Catalog Error: Table with name table_ does not exist"),
        ("select 1 as y_true, 'a' as y_pred where false", "the query contains no rows"),
    ],
)
def test_a_query_that_fails_says_why(calipers, query, message):
    assert message in refusal(calipers("evaluate", "--sql", query))


def test_files_and_a_query_exclude_each_other(calipers, file):
    assert "pass files or --sql, not both: a query" in refusal(calipers("evaluate", file(LABELS), "--sql", "select 1"))
    assert "no input: pass a FILE, - for standard input, or --sql" in refusal(calipers("evaluate"))


def test_a_small_file_that_unpacks_to_a_large_one(calipers, file):
    bomb = file(gzip.compress(LABELS.encode() + b"yes,no\n" * 3_000_000), "bomb.csv.gz")
    assert refusal(calipers("evaluate", bomb, "--limit", "10MB")) == (
        "bomb.csv.gz has more than 10 MB when read or decompressed: if that is right, raise the limit with "
        "--limit, such as --limit 20GB"
    )
    assert document(calipers("evaluate", bomb, *OPTIONS, "--limit", "100MB"))["rows"] == 3_000_006


def test_a_pipe_that_never_ends(calipers):
    assert "has more than 1 MB" in refusal(calipers("evaluate", "/dev/zero", "--limit", "1MB"))


def test_two_gigabytes_in_one_line(calipers, tmp_path):
    with (tmp_path / "line.csv").open("wb") as out:
        out.write(b"y_true,y_pred," * 100_000)
        out.truncate(2 << 30)
    assert refusal(calipers("evaluate", "line.csv")) == (
        "the first line of line.csv has more than 1 MB: it is not a table"
    )
    with (tmp_path / "second.csv").open("wb") as out:
        out.write(LABELS.encode() + b"yes," + b"x" * (3 << 20))
        out.truncate(2 << 30)
    assert refusal(calipers("evaluate", "second.csv")) == (
        "second.csv has a line of more than 2 MB: it is not a row of a table"
    )


def test_a_file_that_grows_while_it_is_read(calipers, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(LABELS + "yes,no\n" * 200_000)
    stop = threading.Event()

    def grow():
        while not stop.is_set():
            with path.open("a") as out:
                out.write("yes,no\n")
            time.sleep(0.001)

    writer = threading.Thread(target=grow)
    writer.start()
    done = calipers("evaluate", "x.csv")
    stop.set()
    writer.join()
    assert refusal(done) == "x.csv changed while it was read: run again when it is complete"


def test_no_spool_is_left_behind(calipers, file, tmp_path):
    spools = tmp_path / "spools"
    spools.mkdir()
    packed = file(gzip.compress(FULL.encode("utf-16")), "x.csv.gz")
    assert calipers("evaluate", packed, "--positive", "yes", TMPDIR=str(spools)).returncode == 0
    assert calipers("evaluate", packed, "--truth", "nothing", TMPDIR=str(spools)).returncode == 2
    assert list(spools.iterdir()) == []


@pytest.mark.parametrize(
    "query",
    [
        "select content::int as y_true, 1 as y_pred from read_text('secret.txt')",
        "select error(content) as y_true, 1 as y_pred from read_text('secret.txt')",
        "select 1 as y_true, json(content) as y_pred from read_text('secret.txt')",
        "select strptime(content, '%d') as y_true, 1 as y_pred from read_text('secret.txt')",
        "select * from read_csv('secret.txt', columns={'y_true': 'int', 'y_pred': 'int'}, header=false)",
        "select z from read_csv('secret.txt', header=true)",
        "select 1 as y_true, content as score from read_text('secret.txt')",
    ],
)
def test_item_12_an_error_of_a_query_does_not_quote_the_files_that_it_reads(calipers, file, query):
    file("hidden:x:0,hidden\n", "secret.txt")
    assert "hidden" not in refusal(calipers("evaluate", "--sql", query, "--task", "regression"))
