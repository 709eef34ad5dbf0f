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
    assert done.stdout.startswith("binary: 6 rows, 2 classes (no, yes)")
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
        (("power", "--accuracy", "0.9", "0.92", "--save", "x.calipers"), "a .calipers file contains the statistics of an"),  # noqa: E501
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
