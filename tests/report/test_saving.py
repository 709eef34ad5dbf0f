"""`result.save(path)`: the ending decides, for every kind of result."""

import csv
import json

import pytest

import calipers as cal

TRUTH, SCORE = [0, 0, 1, 1, 0, 1], [0.1, 0.6, 0.4, 0.9, 0.2, 0.7]


def validation():
    sklearn = pytest.importorskip("sklearn.naive_bayes")
    return cal.cross_validate(sklearn.GaussianNB(), [[x, 1.0] for x in SCORE * 3], TRUTH * 3, cv=3, seed=0)


RESULTS = {
    "evaluation": lambda: cal.evaluate(TRUTH, score=SCORE, positive=1),
    "comparison": lambda: cal.compare(TRUTH, {"a": SCORE, "b": SCORE[::-1]}, positive=1, metrics=["roc_auc", "f1"]),
    "validation": validation,
}


@pytest.mark.parametrize("kind", RESULTS)
def test_item_11_the_ending_decides(kind, tmp_path):
    result = RESULTS[kind]()
    for ending in ("html", "JSON", "csv", "md"):
        result.save(tmp_path / f"x.{ending}")
    assert (tmp_path / "x.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads((tmp_path / "x.JSON").read_text(encoding="utf-8")) == json.loads(result.to_json())
    assert (tmp_path / "x.md").read_text(encoding="utf-8") == result.to_markdown()
    with (tmp_path / "x.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(dict.fromkeys(row["metric"] for row in rows)) == list(result)


@pytest.mark.parametrize("kind", RESULTS)
@pytest.mark.parametrize(
    ("name", "message"), [("x.doc", "ends in .doc"), ("x", "has no extension: the extension"), ("x.html.bak", ".bak")]
)
def test_item_11_another_ending_is_refused(kind, name, message, tmp_path):
    with pytest.raises(cal.InputError, match=rf"{message}.*one of \.html, \.htm, \.json, \.csv, \.md"):
        RESULTS[kind]().save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_item_11_what_cannot_be_used_is_refused(tmp_path):
    ev = RESULTS["evaluation"]()
    with pytest.raises(cal.InputError, match="title= is the title of a page"):
        ev.save(tmp_path / "x.csv", title="March")
    with pytest.raises(cal.InputError, match=r"path=5 has type int: pass the name of a file"):
        ev.save(5)


def test_a_saved_document_is_read_again(tmp_path):
    ev = RESULTS["evaluation"]()
    ev.save(tmp_path / "x.json")
    again = cal.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert again.to_text() == ev.to_text()


def test_the_table_of_a_comparison_has_both_values(tmp_path):
    RESULTS["comparison"]().save(tmp_path / "x.csv")
    head = (tmp_path / "x.csv").read_text(encoding="utf-8").splitlines()[0]
    assert head.startswith("metric,candidate,baseline,value_of_candidate,value_of_baseline,difference,low,high")


def test_a_cell_of_csv_without_a_value_is_empty(tmp_path):
    cal.gate(cal.evaluate_counts(tp=90, fp=20, fn=10, tn=380), "recall >= 0.8").save(tmp_path / "x.csv")
    head, row = (line.split(",") for line in (tmp_path / "x.csv").read_text("utf-8").splitlines())
    assert dict(zip(head, row, strict=True))["pvalue"] == ""
