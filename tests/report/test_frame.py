import sys

import pytest

import calipers as cal


def test_one_row_a_metric_then_one_a_class_and_metric():
    ev = cal.evaluate_counts([[55, 45], [50, 850]], labels=["BAD", "GOOD"], positive="BAD")
    frame = ev.to_frame()
    assert list(frame.columns) == ["metric", "class", "value", "low", "high", "level", "method", "n", "reason", "flags"]
    overall = frame[[c is None for c in frame["class"]]].set_index("metric")
    assert list(overall.index) == list(ev)
    assert overall.loc["f1", ["value", "low", "high"]].tolist() == [ev["f1"], ev["f1"].low, ev["f1"].high]
    good = frame[frame["class"] == "GOOD"].set_index("metric")
    assert good.loc["recall", "value"] == 850 / 900
    assert set(good["n"]) == {1000}


def test_labels_keep_their_type_and_reasons_are_there():
    frame = cal.evaluate([0, 1, 0], [-3.0, 2, 1]).to_frame()
    assert {type(c) for c in frame["class"]} == {type(None), int}
    assert frame["reason"][0].startswith("scores are not probabilities (-3 to 2)")


def test_without_pandas_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(cal.MissingExtra, match=r"^to_frame\(\) needs pandas: pip install pandas$"):
        cal.evaluate([0, 1], [0, 1]).to_frame()


def test_slices_are_rows_of_the_table(tmp_path):
    ev = cal.evaluate([0, 1, 1, 0], [0.2, 0.7, 0.4, 0.6], by={"site": ["a", "b", "a", "b"]}, metrics=["accuracy", "f1"])
    frame = ev.to_frame()
    assert list(frame.columns)[:4] == ["metric", "class", "slice", "value"]
    sliced = frame[frame["slice"] == "site=b"].set_index("metric")
    assert sliced.loc["accuracy", "value"] == ev.by["site"]["b"]["accuracy"] == 0.5
    assert frame["slice"].isna().sum() == len(frame) - 4
    ev.save(tmp_path / "x.csv")
    assert "accuracy,,site=b,0.5," in (tmp_path / "x.csv").read_text("utf-8")
    assert "slice" not in cal.evaluate([0, 1], [0, 1]).to_frame()


def test_latex_has_the_findings():
    ev = cal.evaluate([0] * 50 + [1] * 3, [0.1] * 49 + [0.9, 0.2, 0.8, 0.3])
    assert ev.findings
    for lang in ("en", "vi", "zh"):
        latex = ev.to_latex(lang)
        assert latex.count("\\item ") >= len(ev.findings)
    assert f"\\item {ev.findings[0].severity}: " in ev.to_latex("en")
