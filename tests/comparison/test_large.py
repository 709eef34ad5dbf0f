"""Score columns of a file that does not fit into memory: every difference is that of memory."""

import json

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import calipers as cal
from calipers.cli import main

SMALL = 64_000  # bytes
ROWS = 24_000  # beyond 20,000, resamples of tables are drawn by cells in memory too


def made(rows=ROWS, models=2, kind="probabilities", seed=0):
    """The truth and the scores of some models."""
    rng = np.random.default_rng(seed)
    y = (rng.random(rows) < 0.3).astype(np.int8)
    common = rng.normal(size=rows)
    scores = {}
    for at in range(models):
        logit = 0.7 * common + 0.7 * rng.normal(size=rows) + (1.0 + 0.05 * at) * y
        p = 1 / (1 + np.exp(-logit))
        scores["abcdefghijk"[at]] = {"probabilities": p, "margins": logit**3, "rounded": np.round(p, 1)}[kind]
    return y, scores


def written(path, y, scores, **more):
    rows = pa.table({"y": y, **scores, **more})  # noqa: F841 - named in the query
    duckdb.sql(f"copy (select * from rows) to '{path}' (format {'parquet' if path.suffix == '.parquet' else 'csv'})")
    return path


def close(a, b, size=0.0):
    return a == b or (a != a and b != b) or abs(a - b) <= 1e-12 * max(abs(a), abs(b), size)


def assert_same(inside, outside):
    assert list(inside) == list(outside)
    for name in inside:
        for pair, one in inside[name].pairs.items():
            other = outside[name].pairs[pair]
            if "bootstrap" in one.method and inside.rows < 20_000 and name != "ece":  # drawn by row in memory
                assert close(one.difference, other.difference, 1.0)
                assert other.stderr == pytest.approx(one.stderr, rel=0.2)
                continue
            if name == "ece":
                assert_resampled(one, other, inside.rows)
                continue
            assert (one.method, one.outcome, one.winner, one.note) == (
                other.method, other.outcome, other.winner, other.note,
            ), (name, one, other)  # fmt: skip
            # A statistic is a difference of numbers of size 1, which have 15 digits, in standard errors.
            sizes = dict.fromkeys(("difference", "low", "high"), 1.0) | {"stderr": 1e-3, "df": 1.0}
            sizes["statistic"] = 1e-3 / one.stderr if one.stderr > 0 else 0.0
            for field, size in sizes.items():
                values = getattr(one, field), getattr(other, field)
                assert close(*values, size), (name, field, values)
            # A difference of 1e-13 in a statistic of 20 is one of 1e-12 in the logarithm of its p-value.
            assert other.pvalue == pytest.approx(one.pvalue, rel=1e-9, abs=1e-300, nan_ok=True), name
            assert other.adjusted == pytest.approx(one.adjusted, rel=1e-6, abs=1e-12, nan_ok=True), name
        assert (inside[name].overall is None) == (outside[name].overall is None), name
        if inside[name].overall is not None:
            assert outside[name].overall.pvalue == pytest.approx(inside[name].overall.pvalue, rel=1e-9, abs=1e-300)


def assert_resampled(one, other, rows, tolerance=0.1):
    """A calibration error: rows are drawn in memory, and sums over bins of a large file."""
    assert close(one.difference, other.difference, 1.0)
    if rows < 200 and one.method:
        assert "resampling needs the rows" in other.note
        return
    assert other.stderr == pytest.approx(one.stderr, rel=tolerance, nan_ok=True)
    assert close(one.df, other.df)
    assert (one.method == "") == (other.method == "")


def both(path, models, **options):
    names = {name: name for name in models}
    inside = cal.compare(path, names, truth="y", **options)
    outside = cal.compare(path, names, truth="y", memory=SMALL, **options)
    assert type(outside.pairing).__name__ == "LargePairs"
    assert type(inside.pairing).__name__ == "Pairing"
    assert inside.rows == outside.rows
    assert inside.notes == outside.notes
    return inside, outside


@pytest.mark.parametrize(
    ("kind", "models"), [("probabilities", 2), ("probabilities", 3), ("margins", 2), ("rounded", 3)]
)
def test_differences_are_those_of_memory(tmp_path, kind, models):
    y, scores = made(models=models, kind=kind)
    inside, outside = both(written(tmp_path / "rows.parquet", y, scores), scores)
    assert len(inside) > 5
    assert_same(inside, outside)
    pair = ("b", "a")
    assert inside["gini"][pair].low == pytest.approx(outside["gini"][pair].low, abs=1e-12)


def test_options_of_a_comparison(tmp_path):
    y, scores = made()
    words = np.where(y == 1, "bad", "good")
    path = written(tmp_path / "rows.csv", words, scores)
    for options in (
        {"positive": "bad", "margin": 0.01, "primary": "roc_auc", "baseline": "b"},
        {"positive": "good", "threshold": {"a": 0.4, "b": 0.6}, "level": 0.9},
        {"positive": "bad", "metrics": ["roc_auc", "gini", "log_loss"], "method": "delong-z"},
        {"positive": "bad", "metrics": ["log_loss"], "method": "paired-t"},
    ):
        assert_same(*both(path, scores, **options))


def test_equal_models_rare_positives_and_missing_rows(tmp_path):
    y, scores = made()
    y[40:] = 0
    scores["b"] = scores["a"]
    assert_same(*both(written(tmp_path / "rows.parquet", y, scores), scores))
    y, scores = made()
    scores["b"] = scores["a"].copy()
    scores["b"][:7] += 0.01
    assert_same(*both(written(tmp_path / "few.parquet", y, scores), scores))
    scores["a"][5000], scores["b"][17_000:17_004] = np.nan, np.nan
    path = written(tmp_path / "holes.parquet", y, scores)
    assert_same(*both(path, scores, missing="drop"))
    with pytest.raises(cal.InputError, match="NaN"):
        cal.compare(path, {"a": "a", "b": "b"}, truth="y", memory=SMALL)


def test_what_needs_all_rows_is_refused_above_the_limit(tmp_path):
    y, scores = made()
    path = written(tmp_path / "rows.parquet", y, scores, c=np.arange(ROWS) % 3, many=np.arange(ROWS) % 600)
    names = {"a": "a", "b": "b"}
    for options, why in (
        ({"groups": "c"}, "groups, keys"),
        ({"by": ["many"]}, "more than 500 values"),
        ({"models": {"a": "a", "c": "c"}}, "score columns of two classes"),
    ):
        models = options.pop("models", names)
        with pytest.raises(cal.InputError, match=why):
            cal.compare(path, models, truth="y", memory=SMALL, **options)
    unbinned = cal.compare(path, names, truth="y", memory=SMALL)["partial_auc"]
    assert unbinned.outcome == "not compared"
    assert "resampling needs the rows" in unbinned.note
    with pytest.raises(cal.InputError, match="names of columns"):
        cal.compare(path, {"a": scores["a"], "b": scores["b"]}, truth="y")


def test_the_shell_and_the_page(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, scores = made()
    written(tmp_path / "rows.csv", y, scores)
    documents = []
    for limit in ((), ("--memory", "64 kB", "--html", "page.html")):
        with pytest.raises(SystemExit) as end:
            main(["compare", "rows.csv", "--truth", "y", "--score", "a,b", "--json", *limit])
        assert not end.value.code
        documents.append(json.loads(capsys.readouterr().out))
    assert documents[0].keys() == documents[1].keys()
    assert "<html" in (tmp_path / "page.html").read_text()
    with pytest.raises(SystemExit) as end:
        main(["compare", "rows.csv", "rows.csv", "--key", "y", "--truth", "y", "--score", "a", "--memory", "1GB"])
    assert end.value.code == 2
    assert "--memory is for score columns of one file" in capsys.readouterr().err


def weights(kind, rows=ROWS):
    rng = np.random.default_rng(5)
    return {
        "importance": rng.lognormal(0, 1.0, rows), "whole": rng.integers(0, 4, rows) * 1.0, "ones": np.ones(rows),
    }[kind]  # fmt: skip


def assert_same_weighted(inside, outside):
    """The same of rows with weights; how many differences were tested."""
    tested = 0
    for name in inside:
        for pair, one in inside[name].pairs.items():
            other = outside[name].pairs[pair]
            assert close(one.difference, other.difference, 1.0), name
            if name == "ece":
                assert_resampled(one, other, inside.rows)
                continue
            if "bootstrap" in one.method:
                assert other.method == "influence-function t-test"
                assert other.stderr == pytest.approx(one.stderr, rel=0.15), name
                continue
            tested += 1
            assert (one.method, one.outcome, one.winner, one.note) == (
                other.method, other.outcome, other.winner, other.note,
            ), (name, one, other)  # fmt: skip
            sizes = {"low": 1.0, "high": 1.0, "stderr": 1e-3, "df": 1.0}
            for field, size in sizes.items():
                assert close(getattr(one, field), getattr(other, field), size), (name, field, one, other)
            assert other.pvalue == pytest.approx(one.pvalue, rel=1e-9, abs=1e-300, nan_ok=True), name
    return tested


@pytest.mark.parametrize(
    ("kind", "models", "weight"),
    [
        ("probabilities", 2, "importance"), ("probabilities", 3, "whole"), ("rounded", 3, "importance"),
        ("margins", 2, "importance"), ("probabilities", 2, "ones"),
    ],
)  # fmt: skip
def test_weights_are_those_of_memory(tmp_path, kind, models, weight):
    y, scores = made(models=models, kind=kind)
    path = written(tmp_path / "rows.parquet", y, scores, w=weights(weight))
    names = {name: name for name in scores}
    inside = cal.compare(path, names, truth="y", weights="w")
    outside = cal.compare(path, names, truth="y", weights="w", memory=SMALL)
    assert type(outside.pairing).__name__ == "WeightedLargePairs"
    assert inside.rows == outside.rows
    assert inside.notes == outside.notes
    tested = assert_same_weighted(inside, outside)
    assert tested >= 4
    assert all(outside[name].overall is None for name in outside)


@pytest.mark.parametrize(("models", "weighted"), [(2, False), (3, False), (2, True)])
def test_slices_are_those_of_memory(tmp_path, models, weighted):
    y, scores = made(models=models)
    for score in scores.values():
        score[:4000] = np.round(score[:4000], 2)
    rng = np.random.default_rng(2)
    region = rng.choice(["north", "south", "rare"], ROWS, p=[0.6, 0.399, 0.001])
    w = weights("importance") if weighted else np.ones(ROWS)
    path = written(tmp_path / "rows.parquet", y, scores, region=region, old=np.arange(ROWS) % 2, w=w)
    names, options = {name: name for name in scores}, {"by": ["region", "old"], "weights": "w" if weighted else None}
    inside = cal.compare(path, names, truth="y", **options)
    outside = cal.compare(path, names, truth="y", memory=SMALL, **options)
    assert {name: list(parts) for name, parts in inside.by.items()} == {k: list(v) for k, v in outside.by.items()}
    everything = [(inside, outside)]
    for name, parts in inside.by.items():
        everything += [(part, outside.by[name][value]) for value, part in parts.items()]
    for one, other in everything:
        assert one.rows == other.rows
        if weighted:
            assert_same_weighted(one, other)
        else:
            assert_same(one, other)
    for model in names:
        assert outside.models[model].by["region"]["north"]["roc_auc"] == pytest.approx(
            inside.models[model].by["region"]["north"]["roc_auc"], rel=1e-14
        )


@pytest.mark.filterwarnings("error")
def test_slices_of_one_class_and_weights_of_zero(tmp_path):
    y, scores = made()
    path = written(tmp_path / "rows.parquet", y, scores, w=weights("importance"), zero=np.zeros(ROWS), kind=y)
    names = {name: name for name in scores}
    for weight in (None, "w"):
        outside = cal.compare(path, names, truth="y", by="kind", weights=weight, memory=SMALL)
        inside = cal.compare(path, names, truth="y", by="kind", weights=weight)
        for value, part in inside.by["kind"].items():
            for name in ("roc_auc", "average_precision", "log_loss"):
                one, other = part[name], outside.by["kind"][value][name]
                assert one.outcome == other.outcome, (value, name)
    for limit in (None, SMALL):
        with pytest.raises(cal.InputError, match="all weights are 0: no data is left"):
            cal.compare(path, names, truth="y", weights="zero", memory=limit)


def test_slices_from_the_shell(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, scores = made()
    written(tmp_path / "rows.csv", y, scores, region=np.where(np.arange(ROWS) % 3, "north", "south"))
    shown = []
    for limit in ((), ("--memory", "64 kB", "--html", "page.html")):
        with pytest.raises(SystemExit) as end:
            main(["compare", "rows.csv", "--truth", "y", "--score", "a,b", "--by", "region", *limit])
        assert not end.value.code
        lines = capsys.readouterr().out.splitlines()
        shown.append([line for line in lines if line.startswith(("north", "south", "region"))])
    assert shown[0] == shown[1]
    assert len(shown[0]) >= 3


@pytest.mark.parametrize("weighted", [False, True])
def test_calibration_errors_are_resampled_by_bins(tmp_path, weighted):
    y, scores = made(models=3)
    scores["c"] = scores["b"] ** 1.3  # calibrated otherwise
    path = written(tmp_path / "rows.parquet", y, scores, w=weights("importance"), part=np.arange(ROWS) % 2)
    names = {name: name for name in scores}
    options = {"weights": "w" if weighted else None, "by": "part", "metrics": ["ece(bins=10)", "brier"]}
    options["primary"] = "mce"
    inside, outside = (cal.compare(path, names, truth="y", memory=limit, **options) for limit in (None, SMALL))
    for one, other in ((inside, outside), *((inside.by["part"][v], outside.by["part"][v]) for v in (0, 1))):
        for name in ("ece(bins=10)", "mce"):
            for pair, of_rows in one[name].pairs.items():
                # Sums of heavy weights in a bin whose gap is near 0 are not quite normal.
                assert_resampled(of_rows, other[name].pairs[pair], one.rows, 0.2 if weighted else 0.1)
                assert other[name].pairs[pair].adjusted == pytest.approx(of_rows.adjusted, abs=0.1)
    assert outside["ece(bins=10)"]["c", "a"].outcome == inside["ece(bins=10)"]["c", "a"].outcome == "better"
    again = cal.compare(path, names, truth="y", memory=SMALL, **options)
    assert again["mce"]["c", "a"].stderr == outside["mce"]["c", "a"].stderr  # drawn by a seed
    assert "resampling needs the rows" in outside["reliability"]["b", "a"].note  # it was not asked for
