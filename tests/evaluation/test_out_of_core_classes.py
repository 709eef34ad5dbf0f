"""Score columns of several classes in files that need more memory than they may take: results are those of memory."""

import json
import subprocess
import sys

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.evaluation.test_out_of_core import assert_same_slices, same, same_bounds

import calipers as cal
from calipers.cli import main
from calipers.metrics import plan
from calipers.metrics.base import CATALOGUE

SMALL = 64_000  # bytes
ROWS = 6000
NAMES = ("cat", "dog", "eel")
COLUMNS = [f"p_{name}" for name in NAMES]


def made(kind="probabilities", rows=ROWS, seed=0, dtype=np.float64):
    """The classes of rows and a matrix of scores."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, rows, p=[0.5, 0.4, 0.1])
    z = rng.normal(size=(rows, 3))
    z[np.arange(rows), y] += 1
    if kind == "sharp":
        z *= 30
    p = np.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    if kind == "rounded":
        p = np.round(p, 1)
        p[:, 2] = np.round(1 - p[:, 0] - p[:, 1], 1)
        p = p.clip(0, 1)
    if kind == "one value":
        p[:] = 1 / 3
    if kind == "sorted":
        p = p[np.argsort(p[:, 0])]
    if kind == "one class":
        y[:] = 1
    return y, (z if kind == "margins" else p).astype(dtype)


def written(path, y, p, columns=COLUMNS, **more):
    rows = pa.table({"y": np.array(NAMES)[y], **dict(zip(columns, p.T, strict=True)), **more})
    if path.suffix == ".arrow":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, rows.schema) as out:
            out.write_table(rows)
    else:
        kind = {".parquet": "parquet", ".csv": "csv", ".jsonl": "json"}[path.suffix]
        duckdb.sql(f"copy (select * from rows) to '{path}' (format {kind})")
    return path


def both(path, **options):
    names = {"truth": "y", "score": COLUMNS, "labels": NAMES, **options}
    inside, outside = cal.evaluate(path, **names), cal.evaluate(path, **names, memory=SMALL)
    assert inside.kept is not None
    assert outside.kept is None
    assert inside.rows == outside.rows
    assert inside.notes == outside.notes
    assert inside.schema == outside.schema
    assert inside.schema.why_not_probabilities == outside.schema.why_not_probabilities
    return inside, outside


def assert_same(one, other):
    """Every listed metric has the same value and bounds; others too, or a bracket, or a reason."""
    for metric in one:
        assert same(one[metric], other[metric], 1e-3), (metric, one[metric].value, other[metric].value)
        assert same_bounds(one[metric], other[metric]), (metric, one[metric], other[metric])
        assert one[metric].method == other[metric].method, metric
    for measure in map(str, plan._everything(one.schema.facts, CATALOGUE.edition)):
        try:
            mine = one[measure]
        except cal.UnknownName:
            continue
        theirs = other[measure]
        low, high = theirs.bracket
        if theirs != theirs:
            assert mine != mine or "memory" in theirs.reason or "summarised" in theirs.reason, (measure, theirs.reason)
        elif low == high:
            # A weighted Gini coefficient of 0 has no digits.
            assert same(mine, theirs, 1.0), (measure, float(mine), float(theirs))
        else:
            assert low - 1e-12 <= mine <= high + 1e-12, measure


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        ("probabilities", np.float64), ("probabilities", np.float32), ("rounded", np.float64), ("sharp", np.float64),
        ("one value", np.float64), ("one class", np.float64), ("margins", np.float64), ("sorted", np.float32),
    ],
)  # fmt: skip
def test_values_and_bounds_are_those_of_memory(tmp_path, kind, dtype, weighted):
    y, p = made(kind, dtype=dtype)
    w = np.random.default_rng(5).lognormal(0, 1.5, ROWS)
    path = written(tmp_path / "rows.parquet", y, p, w=w)
    inside, outside = both(path, weights="w" if weighted else None)
    assert_same(inside, outside)
    for label in NAMES if kind not in ("margins", "one class") else ():
        mine, theirs = inside.classes[label], outside.classes[label]
        for name in ("roc_auc", "average_precision", "log_loss", "brier", "ece", "ks", "f1"):
            assert same(mine[name], theirs[name]), (label, name)
            assert same_bounds(mine[name], theirs[name]), (label, name)
        assert weighted or mine["roc_auc"] == theirs["roc_auc"]
    if kind in ("probabilities", "rounded"):
        assert same_bounds(inside["roc_auc(average=weighted)"], outside["roc_auc(average=weighted)"])
        assert outside["roc_auc(average=macro)"].low < outside["roc_auc(average=macro)"]
        assert [f.code for f in inside.findings] == [f.code for f in outside.findings]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["probabilities", "rounded", "one value", "one class"])
def test_micro_averages_that_were_asked_for_are_those_of_memory(tmp_path, kind, weighted):
    y, p = made(kind)
    w = np.random.default_rng(1).exponential(size=ROWS) + 0.1
    path = written(tmp_path / "rows.parquet", y, p, w=w, region=np.arange(ROWS) % 3)
    names = [f"{name}(average=micro)" for name in ("roc_auc", "average_precision", "gini")]
    names += [] if kind == "one class" else ["roc_auc(average=macro)"]
    inside, outside = both(path, weights="w" if weighted else None, by="region", metrics=names)
    regions = [(part, outside.by["region"][value]) for value, part in inside.by["region"].items()]
    for one, other in [(inside, outside), *regions]:
        for name in names:
            assert same(one[name], other[name], 1.0), name
            assert same_bounds(one[name], other[name]), name
            assert (one[name].method, one[name].flags) == (other[name].method, other[name].flags)
            assert other[name].bracket == (other[name], other[name])
    again = cal.loads(outside.to_bytes())
    assert again[names[0]].low == outside[names[0]].low
    low, high = outside.merge(again)[names[0]].bracket
    assert low - 1e-12 <= inside[names[0]] <= high + 1e-12
    assert len(outside.curve("roc", average="micro")["fpr"]) > 1


def test_columns_that_are_no_probabilities_in_one_late_row(tmp_path):
    y, p = made()
    p[5500] = [0.9, 0.9, 0.1]
    path = written(tmp_path / "rows.parquet", y, p)
    inside, outside = both(path)
    assert "5500" in outside["log_loss"].reason
    assert inside["log_loss"].reason == outside["log_loss"].reason
    assert same_bounds(inside["accuracy"], outside["accuracy"])
    schema = cal.evaluate(written(tmp_path / "good.parquet", *made()), truth="y", score=COLUMNS).schema
    messages = []
    for limit in (None, SMALL):
        with pytest.raises(cal.InputError) as error:
            cal.evaluate(path, schema=schema, memory=limit)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("kind", ["probabilities", "margins"])
def test_two_columns_of_two_classes(tmp_path, kind):
    y, p = made(kind)
    two = y < 2
    p = p[two][:, :2]
    if kind == "probabilities":
        p /= p.sum(1, keepdims=True)
    path = written(tmp_path / "rows.parquet", y[two], p, COLUMNS[:2])
    for positive in ("dog", None):
        inside, outside = both(path, score=COLUMNS[:2], labels=NAMES[:2], positive=positive)
        assert inside.task == outside.task
        assert_same(inside, outside)


@pytest.mark.parametrize("weighted", [False, True])
def test_slices(tmp_path, weighted):
    y, p = made()
    p[:2000] = np.round(p[:2000], 2)
    p[:2000, 2] = 1 - p[:2000, 0] - p[:2000, 1]
    p = p.clip(0, 1)
    rng = np.random.default_rng(1)
    region = rng.choice(["north", "south", "rare"], ROWS, p=[0.6, 0.398, 0.002])
    old, w = rng.integers(0, 2, ROWS), rng.random(ROWS) + 0.1
    path = written(tmp_path / "rows.parquet", y, p, region=region, old=old, w=w)
    inside, outside = both(path, by=["region", "old"], weights="w" if weighted else None)
    assert_same(inside, outside)
    assert_same_slices(inside, outside, 1e-3)
    many = written(tmp_path / "many.parquet", y, p, region=np.arange(ROWS) % 400)
    with pytest.raises(cal.InputError, match="more than 250 values"):
        cal.evaluate(many, truth="y", score=COLUMNS, by="region", memory=SMALL)


def test_formats_predicted_labels_and_missing_rows(tmp_path):
    y, p = made()
    first = cal.evaluate(np.array(NAMES)[y], p, labels=NAMES)
    for name in ("rows.csv", "rows.jsonl", "rows.arrow", "rows.parquet"):
        outside = cal.evaluate(written(tmp_path / name, y, p), truth="y", score=COLUMNS, memory=SMALL)
        assert outside["roc_auc(average=macro)"] == pytest.approx(first["roc_auc(average=macro)"], rel=1e-14)
        assert same_bounds(outside["roc_auc(average=macro)"], first["roc_auc(average=macro)"])
    label = np.array(NAMES)[(y + (np.arange(ROWS) % 7 == 0)) % 3]
    assert_same(*both(written(tmp_path / "labels.parquet", y, p, label=label), pred="label"))
    p[[100, 5000], [0, 2]] = np.nan
    path = written(tmp_path / "holes.parquet", y, p)
    assert_same(*both(path, missing="drop"))
    messages = []
    for limit in (None, SMALL):
        with pytest.raises(cal.InputError) as error:
            cal.evaluate(path, truth="y", score=COLUMNS, memory=limit)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("weighted", [False, True])
def test_curves_bytes_merge_and_pages(tmp_path, weighted):
    y, p = made()
    path = written(tmp_path / "rows.parquet", y, p, w=np.random.default_rng(1).random(ROWS) + 0.1)
    inside, outside = both(path, weights="w" if weighted else None)
    every = inside.curve("sweep", "dog")
    for kind, names in (("roc", ("threshold", "fpr", "recall")), ("pr", ("threshold", "recall", "precision"))):
        known = {tuple(row) for row in np.column_stack([every[name] for name in names]).round(9)}
        points = [tuple(row) for row in np.column_stack(list(outside.curve(kind, "dog").values())).round(9)]
        assert len(points) > 1000
        assert known.issuperset(points)
    one, other = inside.curve("calibration"), outside.curve("calibration")
    assert all(np.allclose(one[name], other[name], rtol=1e-12, atol=0) for name in one)
    assert np.array_equal(inside.curve("top_k")["accuracy"], outside.curve("top_k")["accuracy"]) or weighted
    again = cal.loads(outside.to_bytes())
    assert again["roc_auc(average=macro)"].low == outside["roc_auc(average=macro)"].low
    outside.save(tmp_path / "page.html")
    assert "<html" in (tmp_path / "page.html").read_text()
    twice = outside.merge(cal.loads(outside.to_bytes()))
    low, high = twice["roc_auc(average=macro)"].bracket
    assert low <= inside["roc_auc(average=macro)"] <= high
    low, high = outside["roc_auc(average=micro)"].bracket
    assert low <= inside["roc_auc(average=micro)"] <= high


def test_the_shell(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "rows.csv", *made())
    documents = []
    for limit in ((), ("--memory", "64 kB")):
        with pytest.raises(SystemExit) as end:
            main(["evaluate", "rows.csv", "--truth", "y", "--score", ",".join(COLUMNS), "--json", *limit])
        assert not end.value.code
        documents.append(json.loads(capsys.readouterr().out))
    for name, one in documents[0]["metrics"].items():
        assert same(one["value"], documents[1]["metrics"][name]["value"]), name


MEASURED = """
import re, sys
import calipers as cal

def most():  # ru_maxrss would begin with that of the parent
    return int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])

columns, few, many = ["p_cat", "p_dog", "p_eel"], *sys.argv[1:]
cal.evaluate(few, truth="y", score=columns, memory=64_000)  # what the first call imports
before = most()
cal.evaluate(many, truth="y", score=columns, memory="20 MB")
print(most() - before)
"""


def test_memory_is_bounded_also_with_large_row_groups(tmp_path):
    few, many = tmp_path / "few.parquet", tmp_path / "many.parquet"
    written(few, *made())
    y, p = made(rows=3_000_000)
    rows = pa.table({"y": np.array(NAMES)[y], **dict(zip(COLUMNS, p.T, strict=True))})
    pq.write_table(rows, many, row_group_size=1_000_000)
    done = subprocess.run([sys.executable, "-c", MEASURED, few, many], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 90_000  # kB, of which a batch of DuckDB has about 40,000
