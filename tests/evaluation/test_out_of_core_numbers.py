"""Predicted numbers in files that need more memory than they may take: moments and losses are those of memory."""

import json

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from tests.evaluation.test_out_of_core import same, same_bounds

import calipers as cal
from calipers.cli import main
from calipers.metrics.base import CATALOGUE

SMALL = 64_000  # bytes
ROWS = 45_000  # two slices of more than 20,000: with fewer, memory leaves out each row in turn
NEED_ROWS = {"d2_absolute", "d2_pinball", "d2_tweedie", "spearman", "kendall", "relative_absolute_error"}


def made(seed=0):
    rng = np.random.default_rng(seed)
    truth = 50 + 3 * rng.normal(size=ROWS)
    return truth, truth + rng.standard_t(5, size=ROWS)


def written(path, truth, predicted, **more):
    rows = pa.table({"y": truth, "p": predicted, **more})  # noqa: F841 - named in the query
    kind = {".parquet": "parquet", ".csv": "csv", ".jsonl": "json"}[path.suffix]
    duckdb.sql(f"copy (select * from rows) to '{path}' (format {kind})")
    return path


def both(path, **options):
    names = {"truth": "y", "pred": "p", **options}
    inside, outside = cal.evaluate(path, **names), cal.evaluate(path, **names, memory=SMALL)
    assert inside.kept is not None
    assert outside.kept is None
    assert inside.task == outside.task == "regression"
    assert inside.rows == outside.rows
    assert inside.notes == outside.notes
    return inside, outside


def assert_same(one, other, weighted):
    for name in (metric.name for metric in CATALOGUE if metric.of_numbers):
        mine, theirs = one[name], other[name]
        if name in NEED_ROWS or (weighted and name == "median_ae"):
            assert "did not fit in memory" in theirs.reason, name
        elif name == "median_ae":
            low, high = theirs.bracket
            assert low <= mine <= high
            assert high - low < 0.01
        else:
            assert same(mine, theirs, 1e-3), name
            assert same_bounds(mine, theirs), name
            assert mine.method == theirs.method, name


@pytest.mark.parametrize("weighted", [False, True])
def test_values_and_bounds_are_those_of_memory(tmp_path, weighted):
    part = np.random.default_rng(1).choice(["a", "b"], ROWS)
    w = np.random.default_rng(2).lognormal(size=ROWS)
    path = written(tmp_path / "rows.parquet", *made(), part=part, w=w)
    inside, outside = both(path, by="part", weights="w" if weighted else None)
    assert_same(inside, outside, weighted)
    for value, slice_ in inside.by["part"].items():
        assert_same(slice_, outside.by["part"][value], weighted)
    again = cal.loads(outside.to_bytes())
    assert again["r2"] == outside["r2"]
    outside.save(tmp_path / "page.html")
    twice = outside.merge(again)
    assert twice["mae"] == pytest.approx(inside["mae"], rel=1e-12)


def test_numbers_that_look_like_labels_at_first(tmp_path):
    """The sample has few whole numbers; fractions come further down."""
    truth, predicted = made()
    truth[:30_000] = np.round(truth[:30_000] / 10)
    predicted[:30_000] = np.round(predicted[:30_000] / 10)
    inside, outside = both(written(tmp_path / "rows.csv", truth, predicted))
    assert same_bounds(inside["r2"], outside["r2"])


def test_formats_missing_values_and_the_shell(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    truth, predicted = made()
    first = cal.evaluate(truth, predicted)
    for name in ("rows.csv", "rows.jsonl"):
        outside = cal.evaluate(written(tmp_path / name, truth, predicted), truth="y", pred="p", memory=SMALL)
        assert same_bounds(outside["mae"], first["mae"])
    documents = []
    for limit in ((), ("--memory", "64 kB")):
        with pytest.raises(SystemExit) as end:
            main(["evaluate", "rows.csv", "--truth", "y", "--pred", "p", "--json", *limit])
        assert not end.value.code
        documents.append(json.loads(capsys.readouterr().out)["metrics"])
    assert same(documents[0]["rmse"]["high"], documents[1]["rmse"]["high"])
    predicted[[5, 40_000]] = np.nan
    path = written(tmp_path / "holes.parquet", truth, predicted)
    inside, outside = both(path, missing="drop")
    assert same_bounds(inside["rmse"], outside["rmse"])
    for limit in (None, SMALL):
        with pytest.raises(cal.InputError, match=r"p.*(NaN|missing)"):
            cal.evaluate(path, truth="y", pred="p", memory=limit)


@pytest.mark.parametrize("weighted", [False, True])
def test_slices_of_few_rows_have_all_that_memory_has(tmp_path, weighted):
    """Intervals that leave out each row in turn, medians and rank correlations."""
    rng = np.random.default_rng(3)
    part = rng.choice(["most", "few", "fewer"], ROWS, p=[0.8, 0.15, 0.05])
    path = written(tmp_path / "rows.parquet", *made(), part=part, w=rng.lognormal(size=ROWS))
    named = {"truth": "y", "pred": "p", "by": "part", "weights": "w" if weighted else None}
    inside, outside = cal.evaluate(path, **named), cal.evaluate(path, **named, memory="2 MB")
    assert outside.kept is None
    for value in ("few", "fewer"):
        one, other = inside.by["part"][value], outside.by["part"][value]
        for name in (metric.name for metric in CATALOGUE if metric.of_numbers):
            assert same(one[name], other[name], 1e-3), name
            assert same_bounds(one[name], other[name]), name
            assert one[name].method == other[name].method, name
    assert "did not fit in memory" in outside.by["part"]["most"]["spearman"].reason
    assert "did not fit in memory" in outside["spearman"].reason
    twice = outside.merge(cal.loads(outside.to_bytes()))
    assert twice.by["part"]["few"]["mae"] == pytest.approx(inside.by["part"]["few"]["mae"], rel=1e-12)
    with_less = cal.evaluate(path, **named, memory="800 kB")  # room for 200 kB: the smallest slices keep their rows
    assert [value for value, ev in with_less.by["part"].items() if ev["spearman"] == ev["spearman"]] == (
        ["fewer"] if weighted else ["few", "fewer"]
    )
    smallest = cal.evaluate(path, **named, memory=SMALL)
    assert all("did not fit in memory" in ev["spearman"].reason for ev in smallest.by["part"].values())
    assert smallest.by["part"]["few"]["r2"].low == pytest.approx(inside.by["part"]["few"]["r2"].low, abs=0.01)
