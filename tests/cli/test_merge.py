"""`calipers merge`, and --save."""

import pytest

import calipers as cal

ROWS = "truth,score\nno,0.1\nyes,0.9\nno,0.6\nyes,0.7\n"
MORE = "truth,score\nyes,0.4\nno,0.2\n"


def test_parts_of_a_week(calipers, file, tmp_path):
    parts = [tmp_path / f"{day}.calipers" for day in ("monday", "tuesday")]
    for text, part in zip((ROWS, MORE), parts, strict=True):
        assert calipers("evaluate", file(text), "--save", str(part)).returncode == 0
    week = tmp_path / "week.calipers"
    done = calipers("merge", *map(str, parts), "-o", str(week), "--quiet")
    assert done.stdout.startswith("binary classification: 6 rows, 2 classes (no, yes)")
    whole = cal.evaluate(["no", "yes", "no", "yes", "yes", "no"], [0.1, 0.9, 0.6, 0.7, 0.4, 0.2])
    assert cal.load(week)["roc_auc"] == whole["roc_auc"]
    assert calipers("show", str(week), "--quiet").stdout == done.stdout


@pytest.mark.parametrize("ending", [".json", ".csv", ".md", ".tex", ".txt", ".html"])
def test_save_writes_what_the_ending_says(calipers, file, tmp_path, ending):
    saved = tmp_path / f"x{ending}"
    done = calipers("evaluate", file(ROWS), "--save", str(saved))
    assert f"written: {saved}" in done.stdout
    assert saved.stat().st_size > 100


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("power", "--accuracy", "0.9", "0.92", "--save", "x.calipers"),
            "a .calipers file contains the statistics of an"),
        (("evaluate", "FILE", "--save", "x.docx"), ".docx"),
        (("merge", "FILE"), "not JSON"),
        (("merge", "DOCUMENT", "DOCUMENT"), "has no statistics to merge"),
    ],
)
def test_what_cannot_be_saved_or_merged(calipers, file, tmp_path, command, message):
    document = tmp_path / "x.json"
    calipers("evaluate", file(ROWS), "--save", str(document))
    names = {"FILE": file(ROWS), "DOCUMENT": str(document)}
    done = calipers(*(names.get(word, word) for word in command))
    assert done.returncode == 2
    assert message in done.stderr


QUIET = "truth,score\nno,0.3\nno,0.5\n"
CLASSES = "truth,p_dog,p_cat,p_cow\ncat,0.1,0.8,0.1\ndog,0.7,0.2,0.1\ncow,0.2,0.1,0.7\n"
FEWER = "truth,p_cow,p_cat,p_dog\ncat,0.2,0.7,0.1\ndog,0.1,0.3,0.6\n"


def test_a_part_with_one_class_is_told_to_name_both(calipers, file):
    done = calipers("evaluate", file("truth,score\ncat,0.3\ncat,0.5\n"))
    assert done.returncode == 2
    assert "has only one class, 'cat': list both classes with --labels, and pass the class" in done.stderr
    assert "--positive" in done.stderr
    named = calipers("evaluate", file("truth,score\ncat,0.3\n"), "--labels", "cat,dog", "--positive", "dog")
    assert "2 classes (cat, dog)" in named.stdout


@pytest.mark.parametrize("how", [("--labels", "no,yes"), ("--schema", "monday.calipers")])
def test_a_quiet_day_is_merged_with_the_others(calipers, file, tmp_path, how):
    calipers("evaluate", file(ROWS), "--save", "monday.calipers")
    first = cal.load(tmp_path / "monday.calipers")
    if how[0] == "--labels":
        calipers("evaluate", file(ROWS), *how, "--save", "monday.calipers")
    done = calipers("evaluate", file(QUIET), *how, "--save", "quiet.calipers")
    assert done.returncode == 0, done.stderr
    merged = calipers("merge", "monday.calipers", "quiet.calipers", "-o", "both.calipers")
    assert merged.returncode == 0, merged.stderr
    whole = cal.evaluate(["no", "yes", "no", "yes", "no", "no"], [0.1, 0.9, 0.6, 0.7, 0.3, 0.5])
    assert cal.load(tmp_path / "both.calipers")["roc_auc"] == whole["roc_auc"]
    assert first.schema.columns.truth == "truth"


def test_classes_that_differ_name_the_way_out(calipers, file):
    calipers("evaluate", file("y_true,y_pred\na,a\nb,a\nc,c\n"), "-o", "a.calipers")
    calipers("evaluate", file("y_true,y_pred\na,a\nd,d\ne,e\n"), "-o", "b.calipers")
    done = calipers("merge", "a.calipers", "b.calipers")
    assert done.returncode == 2
    assert "different classes (a, b, c and a, d, e): name all classes with --labels" in done.stderr
    assert "pass the same --schema" in done.stderr


def test_score_columns_in_another_order_keep_their_classes(calipers, file, tmp_path):
    calipers("evaluate", file(CLASSES), "-o", "a.calipers")
    done = calipers("evaluate", file(FEWER), "--schema", "a.calipers", "-o", "b.calipers")
    assert done.returncode == 0, done.stderr
    part = cal.load(tmp_path / "b.calipers")
    assert (part["accuracy"], len(part.labels)) == (1, 3)
    assert cal.evaluate(str(tmp_path / "x.csv"), schema=cal.load(tmp_path / "a.calipers").schema)["accuracy"] == 1


def test_the_same_rows_are_counted_once(calipers, file, tmp_path):
    calipers("evaluate", file(ROWS), "-o", "a.calipers")
    calipers("evaluate", file(ROWS, "copy.csv"), "-o", "b.calipers")
    twice = calipers("merge", "a.calipers", "b.calipers")
    assert twice.returncode == 2
    assert "a.calipers and b.calipers both contain the rows of sha256:" in twice.stderr
    assert "--source NAME" in twice.stderr
    calipers("evaluate", file(ROWS, "copy.csv"), "--source", "tuesday", "-o", "b.calipers")
    assert calipers("merge", "a.calipers", "b.calipers").returncode == 0
    both = calipers("evaluate", "x.csv", file(MORE, "y.csv"), "-o", "c.calipers")
    assert both.returncode == 0
    assert len(cal.load(tmp_path / "c.calipers").sources) == 2
    assert calipers("merge", "a.calipers", "c.calipers").returncode == 2
    piped = calipers("evaluate", "-", "-o", "d.calipers", stdin=ROWS.encode())
    assert piped.returncode == 0
    assert cal.load(tmp_path / "d.calipers").sources == cal.load(tmp_path / "a.calipers").sources


def test_models_are_not_mixed(calipers, file, tmp_path):
    calipers("evaluate", file(ROWS), "--model", "v1", "-o", "a.calipers")
    calipers("evaluate", file(MORE), "--model", "v2", "-o", "b.calipers")
    assert cal.load(tmp_path / "a.calipers").model == "v1"
    done = calipers("merge", "a.calipers", "b.calipers")
    assert done.returncode == 2
    assert "different models ('v1' and 'v2')" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--schema", "x.json"), "x.json contains no schema: pass a .calipers file"),
        (("--schema", "nowhere.calipers"), "nowhere.calipers does not exist"),
        (("--schema", "a.calipers", "--truth", "truth"), "--schema already names the columns"),
        (("--schema", "a.calipers", "--positive", "no"), "--positive is already set by --schema"),
    ],
)
def test_schemas_that_cannot_be_used(calipers, file, options, message):
    calipers("evaluate", file(ROWS), "-o", "a.calipers")
    calipers("evaluate", file(ROWS), "-o", "x.json")
    done = calipers("evaluate", file(MORE), *options)
    assert done.returncode == 2
    assert message in done.stderr
