"""Evaluations of files that need more memory than they may take, merged: values are those of all rows, or lie in a
bracket."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.evaluation import test_out_of_core as of_two
from tests.evaluation import test_out_of_core_classes as of_classes
from tests.evaluation.test_out_of_core import SMALL, same

import calipers as cal
from calipers.cli import main
from calipers.metrics import plan
from calipers.metrics.base import CATALOGUE

PARTS = (0, 2900, 5200, 6000)  # where the parts begin and end; the last one fits the memory
KINDS = ("probabilities", "rounded", "one value", "sorted", "one class")
AVERAGES = ("macro", "weighted", "micro")
COLUMNS = {1: "p", 3: of_classes.COLUMNS}


def made(classes, kind="probabilities", weighted=True, dtype=np.float64):
    """Labels, scores and the other columns of all rows."""
    rng = np.random.default_rng(4)
    y, p = (of_two if classes == 1 else of_classes).made(kind, rows=PARTS[-1], dtype=dtype)
    more = {"region": rng.choice(["north", "south"], PARTS[-1]), "w": rng.exponential(size=PARTS[-1])}
    return y, p, more if weighted else {"region": more["region"]}


def split(folder, classes, **how):
    """A file of all rows, and files of parts of them."""
    y, p, more = made(classes, **how)
    written = (of_two if classes == 1 else of_classes).written
    paths = [written(folder / "all.parquet", y, p, **more)]
    for number, (a, b) in enumerate(pairwise(PARTS)):
        columns = {name: column[a:b] for name, column in more.items()}
        paths.append(written(folder / f"part-{number}.parquet", y[a:b], p[a:b], **columns))
    return paths


def evaluated(folder, classes, weighted=True, by="region", **how):
    """The evaluation of all rows in memory, and those of the parts."""
    whole, *parts = split(folder, classes, weighted=weighted, **how)
    names = {"truth": "y", "score": COLUMNS[classes], "by": by, "weights": "w" if weighted else None}
    names["labels"] = [0, 1] if classes == 1 else of_classes.NAMES
    inside = cal.evaluate(whole, **names)
    return inside, [cal.evaluate(part, **names, memory=SMALL) for part in parts]


def assert_brackets(inside, merged):
    """Every metric has the value of all rows, in a bracket that contains it, or says why there is none."""
    found = []
    for name in measured(inside):
        one, other = inside[name], merged[name]
        if other != other:
            assert one != one or other.reason, name
            continue
        low, high = other.bracket
        size = 1e-12 * max(abs(low), abs(high), 1.0)
        assert same(one, other) or low - size <= one <= high + size, (name, float(one), low, high)
        found += [name] if low < high else []
    assert merged.rows == inside.rows
    return found


def measured(ev):
    """The names of all metrics of an evaluation, with all averages over classes."""
    names = list(map(str, plan._everything(ev.schema.facts, CATALOGUE.edition)))
    for name in names if ev.positive is not None else [f"{n}(average={a})" for n in names for a in AVERAGES]:
        try:
            ev[name]
        except (cal.UnknownName, cal.InputError):
            continue
        yield name


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("classes", "kind"),
    [(1, "margins"), *((count, kind) for count in (1, 3) for kind in KINDS)],
)
def test_values_of_all_rows_are_in_the_brackets(tmp_path, classes, kind, weighted, dtype):
    inside, parts = evaluated(tmp_path, classes, weighted, by=None, kind=kind, dtype=dtype)
    merged = cal.merge(parts)
    brackets = assert_brackets(inside, merged)
    assert not brackets or kind != "one value", brackets
    name = "roc_auc" if classes == 1 else "roc_auc(average=macro)"
    if kind == "probabilities":
        assert brackets
        low, high = merged[name].bracket
        assert high - low < 0.01
        if classes == 1:
            assert merged[name].low == pytest.approx(inside[name].low, abs=0.005)
            assert merged[name].high == pytest.approx(inside[name].high, abs=0.005)


@pytest.mark.parametrize("weighted", [False, True])
def test_intervals_of_few_distinct_scores_are_those_of_all_rows(tmp_path, weighted):
    inside, parts = evaluated(tmp_path, 1, weighted, kind="rounded")
    merged = cal.merge(parts)
    for name in ("roc_auc", "average_precision", "log_loss", "brier", "ece", "f1", "accuracy"):
        assert same(inside[name], merged[name]), name
        assert of_two.same_bounds(inside[name], merged[name]) or name == "ece", name
    for value, part in inside.by["region"].items():
        assert of_two.same_bounds(part["roc_auc"], merged.by["region"][value]["roc_auc"])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("classes", [1, 3])
def test_bytes_slices_and_pages(tmp_path, classes, weighted):
    inside, parts = evaluated(tmp_path, classes, weighted)
    paths = [tmp_path / f"{number}.calipers" for number in range(len(parts))]
    for part, path in zip(parts, paths, strict=True):
        part.save(path)
    merged = cal.merge(map(cal.load, paths))
    merged.save(tmp_path / "all.calipers")
    again = cal.load(tmp_path / "all.calipers")
    for name in merged:
        assert all(map(same, merged[name].bracket, again[name].bracket)), name
        assert of_two.same_bounds(merged[name], again[name]), name
    assert assert_brackets(inside, again)
    assert list(again.by["region"]) == ["north", "south"]
    for value, part in inside.by["region"].items():
        assert_brackets(part, again.by["region"][value])
    for name in ("page.html", "page.md", "page.csv", "page.json"):
        again.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 500
    label = None if classes == 1 else "dog"
    every, few = inside.curve("roc", label), again.curve("roc", label)
    assert np.abs(np.interp(few["fpr"], every["fpr"], every["tpr"]) - few["tpr"]).max() < 0.05
    one, other = inside.best_threshold("f1", label=label), again.best_threshold("f1", label=label)
    low, high = other.bracket
    assert low <= one.value <= high


def test_the_order_of_parts_does_not_matter(tmp_path):
    inside, parts = evaluated(tmp_path, 3)
    left, right = cal.merge(parts), parts[2].merge(parts[0]).merge(parts[1])
    for merged in (left, right):
        low, high = merged["average_precision(average=macro)"].bracket
        assert low <= inside["average_precision(average=macro)"] <= high
    assert same(left["log_loss"], right["log_loss"])


def test_parts_with_and_without_weights(tmp_path):
    with pytest.raises(cal.InputError, match="weight"):
        cal.merge([evaluated(tmp_path, 1, weighted)[1][0] for weighted in (True, False)])


@pytest.mark.parametrize("classes", [1, 3])
def test_the_shell(tmp_path, classes, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    split(tmp_path, classes)
    names = ",".join(COLUMNS[classes]) if classes == 3 else "p"
    for number in range(3):
        with pytest.raises(SystemExit) as end:
            main(["evaluate", f"part-{number}.parquet", "--truth", "y", "--score", names, "--weights", "w",
                  "--memory", "64 kB", "-o", f"{number}.calipers"])  # fmt: skip
        assert not end.value.code, capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        main(["merge", "0.calipers", "1.calipers", "2.calipers", "-o", "all.calipers"])
    assert not end.value.code, capsys.readouterr().err
    assert cal.load("all.calipers").rows == PARTS[-1]


@pytest.mark.parametrize("weighted", [False, True])
def test_numbers(tmp_path, weighted):
    rng = np.random.default_rng(7)
    y = rng.normal(size=PARTS[-1])
    columns = {"y": y, "p": y + rng.normal(size=len(y)), "w": rng.exponential(size=len(y))}
    paths = []
    for a, b in ((0, None), *pairwise(PARTS)):
        paths.append(tmp_path / f"{a}-{b}.parquet")
        pq.write_table(pa.table({name: column[a:b] for name, column in columns.items()}), paths[-1])
    names = {"truth": "y", "pred": "p", "weights": "w" if weighted else None, "task": "regression"}
    inside = cal.evaluate(paths[0], **names)
    parts = [cal.evaluate(path, **names, memory=SMALL) for path in paths[1:]]
    for merged in (cal.merge(parts), cal.merge(parts[::-1])):
        for name in ("mae", "rmse", "r2", "bias"):
            assert same(inside[name], merged[name], 1.0), name
        median = merged["median_absolute_error"]
        if weighted:
            assert median != median
            assert median.reason
        else:
            low, high = median.bracket
            assert low <= inside["median_absolute_error"] <= high
