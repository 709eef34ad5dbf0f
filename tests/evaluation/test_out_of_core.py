"""Files that need more memory than they may take: the results are those of memory."""

import json

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import calipers as cal
from calipers import _native
from calipers.cli import main
from calipers.evaluation import memory
from calipers.evaluation.bucket import Tied
from calipers.evaluation.bucket_walk import BucketWalk, Totals
from calipers.evaluation.large_pass import LargePass
from calipers.metrics import plan
from calipers.metrics.base import CATALOGUE

SMALL = 64_000  # bytes: files of more than two thousand rows do not fit
ROWS = 12_000


def made(kind, rows=ROWS, seed=0, dtype=np.float64):
    """Labels and scores of a kind."""
    rng = np.random.default_rng(seed)
    y = (rng.random(rows) < 0.3).astype(np.int8)
    logit = rng.normal(size=rows) + 1.2 * y
    p = 1 / (1 + np.exp(-logit))
    score = {
        "probabilities": p, "margins": logit**3, "rounded": np.round(p, 2), "sorted": np.sort(p),
        "one value": np.full(rows, 0.25),
        "infinite": np.where(rng.random(rows) < 0.1, np.inf, logit), "zeros": np.where(p < 0.5, -0.0, 0.0),
        "one class": p, "separate": y + p / 2,
    }[kind].astype(dtype)  # fmt: skip
    return (y * 0 if kind == "one class" else y), score


def written(path, y, score, **more):
    """The path of a file with these columns, in the format that its name says."""
    columns = {"y": y, "p": score, **more}
    table = duckdb.from_arrow(__import__("pyarrow").table(columns))
    if path.suffix == ".arrow":
        import pyarrow as pa

        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, pa.table(columns).schema) as out:
            out.write_table(pa.table(columns))
    else:
        kind = {".parquet": "parquet", ".csv": "csv", ".jsonl": "json"}[path.suffix]
        table.query("rows", f"copy (select * from rows) to '{path}' (format {kind})")
    return path


def both(path, **options):
    """The evaluations of a file in memory and out of it."""
    names = {"truth": "y", "score": "p", **options}
    inside, outside = cal.evaluate(path, **names), cal.evaluate(path, **names, memory=SMALL)
    assert outside.views.sketch.walked
    return inside, outside


def same(a, b, size=0.0):
    """Whether two numbers differ by no more than rounding, of numbers of this size."""
    return a == b or (a != a and b != b) or abs(a - b) <= 1e-12 * max(abs(a), abs(b), size)


def same_bounds(one, other):
    """The same of the bounds of two estimates."""
    return same(one.low, other.low, abs(one.high)) and same(one.high, other.high, abs(one.low))


def assert_same(inside, outside, to_the_bit=True):
    """Every metric has the same value and bounds, or a bracket that contains it, or says why there is none."""
    assert outside["roc_auc"] == inside["roc_auc"] or inside["roc_auc"] != inside["roc_auc"] or not to_the_bit
    for metric in inside:
        assert same(inside[metric], outside[metric]), metric
        assert same_bounds(inside[metric], outside[metric]), metric
        assert inside[metric].method == outside[metric].method
    exact = 0
    for measure in map(str, plan._everything(inside.schema.facts, CATALOGUE.edition)):
        one, other = inside[measure], outside[measure]
        low, high = other.bracket
        if other == other and low == high:
            # A p-value of 1e-129 has fewer digits, and so has a weighted Gini coefficient of 0.
            assert same(one, other, 1e-6 if to_the_bit else 1.0), measure
            assert same_bounds(one, other), measure
            exact += 1
        elif other == other:
            assert low - 1e-12 <= one <= high + 1e-12, measure
        else:
            assert one != one or "summarised" in other.reason, measure
    return exact


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        *((kind, np.float64) for kind in ("probabilities", "margins", "sorted", "one value", "infinite", "one class")),
        *((kind, np.float32) for kind in ("rounded", "probabilities", "separate", "zeros")),
    ],
)
def test_values_and_bounds_are_those_of_memory(tmp_path, kind, dtype):
    inside, outside = both(written(tmp_path / "rows.parquet", *made(kind, dtype=dtype)), positive="1")
    assert inside.rows == outside.rows == ROWS
    assert inside.notes == outside.notes
    assert inside.predictions == outside.predictions
    assert inside.schema == outside.schema
    exact = assert_same(inside, outside)
    assert exact > 40 or kind in ("one class", "margins", "infinite", "separate")


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_scores_give_the_values_of_memory(tmp_path, data):
    pool = data.draw(st.lists(st.floats(allow_nan=False, width=32), min_size=1, max_size=60))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    score = rng.choice(pool, 2500) + (rng.normal(size=2500) if data.draw(st.booleans()) else 0.0)
    y = (rng.random(2500) < data.draw(st.sampled_from([0.001, 0.2, 0.9]))).astype(np.int8)
    order = data.draw(st.sampled_from([np.arange(2500), np.argsort(score, kind="stable"), np.argsort(y)]))
    path = written(tmp_path / "rows.parquet", y[order], score[order])
    assert_same(*both(path, positive="1"))


def weights_of(kind, rows=ROWS):
    rng = np.random.default_rng(5)
    return {
        "importance": rng.lognormal(0, 1.5, rows), "ones": np.ones(rows), "whole": rng.integers(0, 4, rows) * 1.0,
        "tiny": rng.lognormal(0, 1, rows) * 1e-30,
    }[kind]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "weights", "dtype"),
    [
        ("probabilities", "importance", np.float64),
        ("probabilities", "whole", np.float32),
        ("rounded", "ones", np.float64),
        ("margins", "importance", np.float64),
        ("one value", "importance", np.float64),
        ("one class", "whole", np.float64),
        ("separate", "tiny", np.float64),
        ("sorted", "importance", np.float32),
    ],
)
def test_weights_are_those_of_memory(tmp_path, kind, weights, dtype):
    y, score = made(kind, dtype=dtype)
    path = written(tmp_path / "rows.parquet", y, score, w=weights_of(weights))
    inside, outside = both(path, positive="1", weights="w", threshold=0.37)
    assert inside.rows == outside.rows
    assert inside.notes == outside.notes
    assert inside.schema == outside.schema
    assert_same(inside, outside, to_the_bit=weights == "ones")
    if kind in ("one class", "one value"):
        return
    assert [f.code for f in inside.findings] == [f.code for f in outside.findings]
    for rule in ("f1", "youden", "corner", "ks", "eer", "break_even"):
        one, other = inside.best_threshold(rule), outside.best_threshold(rule)
        assert one == other, rule
        assert same(one.value, other.value), rule
        for cell in ("recall", "precision"):
            assert same(inside.at(one)[cell], outside.at(one)[cell], 1e-3), rule
            assert same_bounds(inside.at(one)[cell], outside.at(one)[cell]), rule


def test_weights_with_slices_brackets_and_bytes(tmp_path):
    y, score = made("probabilities")
    score[:3000] = 0.5
    region = np.random.default_rng(1).choice(["north", "south", "rare"], ROWS, p=[0.6, 0.399, 0.001])
    path = written(tmp_path / "rows.parquet", y, score, w=weights_of("importance"), region=region)
    inside, outside = both(path, weights="w", by="region")
    assert_same_slices(inside, outside)
    cells, widths = outside.views.sketch, []
    widest = int(np.argmax((cells.pos + cells.neg) * (cells.low < cells.high)))
    between = float(cells.low[widest] + cells.high[widest]) / 2
    for metric in ("recall", "specificity", "precision"):
        low, high = outside.at(between)[metric].bracket
        assert low - 1e-12 <= inside.at(between)[metric] <= high + 1e-12
        widths.append(high - low)
    assert max(widths) > 0
    one, other = inside.curve("calibration"), outside.curve("calibration")
    assert np.allclose(one["outcome"], other["outcome"], rtol=1e-12)
    again = cal.loads(outside.to_bytes())
    assert again["roc_auc"] == outside["roc_auc"]
    assert same_bounds(again["recall"], inside["recall"])
    outside.save(tmp_path / "page.html")


def test_weights_of_zero_and_weights_that_are_none(tmp_path):
    y, score = made("probabilities")
    w = weights_of("importance")
    w[:9000] = 0
    inside, outside = both(written(tmp_path / "rows.parquet", y, score, w=w), weights="w")
    assert inside.rows == outside.rows == 3000
    assert inside["roc_auc"] == pytest.approx(outside["roc_auc"], abs=1e-13)
    messages = []
    for row, bad in ((9500, -1.0), (0, 0.0)):
        w[row:] = bad
        path = written(tmp_path / "bad.parquet", y, score, w=w)
        for limit in (None, SMALL):
            with pytest.raises(cal.InputError) as error:
                cal.evaluate(path, truth="y", score="p", weights="w", memory=limit)
            messages.append(str(error.value))
    assert messages[0] == messages[1]
    assert "weights[9500]" in messages[0]
    assert messages[2] == messages[3]


def test_every_format_and_several_files(tmp_path):
    y, score = made("probabilities")
    words = np.where(y == 1, "yes", "no")
    first = cal.evaluate(words, score)
    for name in ("rows.csv", "rows.jsonl", "rows.arrow", "rows.parquet"):
        outside = cal.evaluate(written(tmp_path / name, words, score), truth="y", score="p", memory=SMALL)
        assert outside.views.sketch.walked
        assert outside["roc_auc"] == first["roc_auc"]
        assert same(outside["log_loss"], first["log_loss"])
    for part in range(3):
        rows = slice(part * 4000, part * 4000 + 4000)
        written(tmp_path / f"part{part}.csv", words[rows], score[rows])
    outside = cal.evaluate(f"{tmp_path}/part*.csv", truth="y", score="p", memory=SMALL)
    assert outside["roc_auc"] == first["roc_auc"]


def test_predicted_labels_beside_the_score(tmp_path):
    y, score = made("probabilities")
    path = written(tmp_path / "rows.parquet", y, score, label=(score > 0.7).astype(np.int8))
    inside, outside = both(path, pred="label")
    assert np.array_equal(inside.confusion, outside.confusion)
    assert_same(inside, outside)


@pytest.mark.parametrize("weighted", [False, True])
def test_labels_of_several_classes_are_counted(tmp_path, weighted):
    rng = np.random.default_rng(2)
    y, label, part = rng.choice(list("abcd"), ROWS), rng.choice(list("abcd"), ROWS), rng.integers(0, 3, ROWS)
    path = written(tmp_path / "rows.parquet", y, np.zeros(ROWS), label=label, part=part, w=rng.random(ROWS))
    options = {"truth": "y", "pred": "label", "by": "part", "weights": "w" if weighted else None}
    inside, outside = cal.evaluate(path, **options), cal.evaluate(path, **options, memory=SMALL)
    assert outside.kept is None
    assert inside.kept is not None
    for one, other in ((inside, outside), *((inside.by["part"][k], outside.by["part"][k]) for k in inside.by["part"])):
        assert np.allclose(one.confusion, other.confusion, rtol=1e-13)
        for metric in one:
            assert same(one[metric], other[metric]), metric
            assert same_bounds(one[metric], other[metric]), metric


def assert_same_slices(inside, outside, size=0.0):
    """Every slice has the same rows, values (of numbers of this size) and bounds."""
    assert {name: list(parts) for name, parts in inside.by.items()} == {k: list(v) for k, v in outside.by.items()}
    for name, parts in inside.by.items():
        for value, part in parts.items():
            other = outside.by[name][value]
            assert part.rows == other.rows
            for metric in part:
                assert same(part[metric], other[metric], size), (value, metric)
                assert same_bounds(part[metric], other[metric]), (value, metric)


def test_slices_are_those_of_memory(tmp_path):
    y, score = made("probabilities")
    score[:3000] = 0.5  # a bucket of one value
    rng = np.random.default_rng(1)
    region = rng.choice(["north", "south", "east", "rare"], ROWS, p=[0.5, 0.3, 0.199, 0.001])
    old = rng.integers(0, 2, ROWS)
    predicted = (score > 0.6).astype(np.int8)
    path = written(tmp_path / "rows.parquet", y, score, region=region, old=old, label=predicted)
    for options in ({}, {"pred": "label"}):
        inside, outside = both(path, by=["region", "old"], **options)
        assert_same(inside, outside)
        assert_same_slices(inside, outside)
        for name, parts in inside.by.items():
            assert all(outside.by[name][value]["roc_auc"] == part["roc_auc"] for value, part in parts.items())
        assert [f.code for f in inside.findings] == [f.code for f in outside.findings]


def test_a_full_disk_is_named(tmp_path, monkeypatch):
    path = written(tmp_path / "rows.parquet", *made("probabilities"))
    monkeypatch.setattr("tempfile.TemporaryFile", lambda dir: open("/dev/full", "w+b"))  # noqa: SIM115
    with pytest.raises(cal.InputError, match=r"No space left on device"):
        cal.evaluate(path, truth="y", score="p", memory=SMALL)


def test_thresholds_and_curves(tmp_path):
    path = written(tmp_path / "rows.parquet", *made("probabilities"))
    inside, outside = both(path, threshold=0.37)
    for rule in ("f1", "youden", "corner", "ks", "eer", "break_even"):
        one, other = inside.best_threshold(rule), outside.best_threshold(rule)
        assert (one, other.bracket) == (other, (other.value, other.value))
        assert same(one.value, other.value)
        assert one.counts == other.counts
        assert inside.at(one)["f1"] == outside.at(one)["f1"]
    assert outside["f1"].bracket == (inside["f1"], inside["f1"])
    between = float(np.mean(inside.views.samples.neg[4000:4010]))
    low, high = outside.at(between)["specificity"].bracket
    assert low <= inside.at(between)["specificity"] <= high
    assert low < high
    every = inside.curve("sweep")
    for kind, names in (("roc", ("threshold", "fpr", "recall")), ("pr", ("threshold", "recall", "precision"))):
        known = {tuple(row) for row in np.column_stack([every[name] for name in names])}
        points = [tuple(row) for row in np.column_stack(list(outside.curve(kind).values()))]
        assert len(points) > 1000
        assert known.issuperset(points)
    one, other = inside.curve("calibration"), outside.curve("calibration")
    for name in one:
        assert np.allclose(one[name], other[name], rtol=1e-12, atol=0)


def test_it_can_be_merged_saved_and_shown(tmp_path):
    y, score = made("probabilities")
    path = written(tmp_path / "rows.parquet", y, score)
    inside, outside = both(path)
    again = cal.loads(outside.to_bytes())
    assert again["roc_auc"] == inside["roc_auc"]
    assert again.best_threshold("f1") == inside.best_threshold("f1")
    twice = outside.merge(cal.loads(outside.to_bytes()))
    low, high = twice["roc_auc"].bracket
    assert low <= inside["roc_auc"] <= high
    assert low < high
    more = outside.merge(cal.evaluate(y[:500], score[:500], schema=outside.schema))
    assert more.rows == ROWS + 500
    assert more["recall"].bracket[0] == more["recall"].bracket[1]
    assert "roc_auc" in outside.to_json()
    outside.save(tmp_path / "page.html")
    assert "<html" in (tmp_path / "page.html").read_text()
    assert [f.code for f in inside.findings] == [f.code for f in outside.findings]


def test_missing_values_are_counted_over_all_chunks(tmp_path):
    y, score = made("probabilities")
    holes = score.copy()
    holes[[5000, 9000, 9001]] = np.nan
    path = written(tmp_path / "holes.parquet", y, holes)
    messages = []
    for limit in (None, SMALL):
        with pytest.raises(cal.InputError) as error:
            cal.evaluate(path, truth="y", score="p", memory=limit)
        messages.append(str(error.value))
    assert messages[0] == messages[1]
    assert "3 NaN" in messages[0]
    inside, outside = both(path, missing="drop")
    assert inside.notes == outside.notes
    assert_same(inside, outside)


def test_what_needs_all_rows_is_refused_above_the_limit(tmp_path):
    y, score = made("probabilities")
    path = written(tmp_path / "rows.parquet", y, score, w=np.ones(ROWS), g=np.arange(ROWS))
    for options, why in (
        ({"interval": "bca"}, "resamples the rows"),
        ({"groups": "g"}, "groups"),
    ):
        with pytest.raises(cal.InputError, match=why):
            cal.evaluate(path, truth="y", score="p", memory=SMALL, **options)
    with pytest.raises(cal.InputError, match="is for files"):
        cal.evaluate(y, score, memory=SMALL)
    three = written(tmp_path / "three.parquet", np.arange(ROWS, dtype=np.int8) % 3, score)
    with pytest.raises(cal.InputError):
        cal.evaluate(three, truth="y", score="p", memory=SMALL)


def test_a_stream_takes_a_file_that_does_not_fit(tmp_path, monkeypatch):
    y, score = made("probabilities")
    path = written(tmp_path / "rows.parquet", y, score)
    monkeypatch.setattr("calipers.evaluation.evaluate_file.machine_share", lambda: SMALL)
    stream = cal.Stream()
    stream.update(y[:500], score[:500])
    stream.update(path, truth="y", score="p", by=None)
    stream.update(y[:500], score[:500])
    found = stream.result()
    exact = cal.evaluate(np.concatenate((y[:500], y, y[:500])), np.concatenate((score[:500], score, score[:500])))
    low, high = found["roc_auc"].bracket
    assert low <= exact["roc_auc"] <= high
    assert found["recall"] == exact["recall"]


@pytest.mark.parametrize("kind", ["probabilities", "rounded", "one value", "margins"])
def test_more_pairs_than_integers_hold_are_added_as_weights(tmp_path, monkeypatch, kind):
    path = written(tmp_path / "rows.parquet", *made(kind))
    inside = cal.evaluate(path, truth="y", score="p", by=None)
    monkeypatch.setattr("calipers.evaluation.bucket_walk.MOST_PAIRS", 1000)
    outside = cal.evaluate(path, truth="y", score="p", memory=SMALL)
    assert type(outside.views.sketch.walked.numbers.pairs2) is float
    assert_same(inside, outside, to_the_bit=False)
    for rule in ("f1", "youden", "corner", "ks", "eer", "break_even"):
        one, other = inside.best_threshold(rule), outside.best_threshold(rule)
        assert same(one.value, other.value), rule


def test_a_walk_over_2_to_the_64_pairs():
    rows = 2**33
    with pytest.raises(OverflowError):
        _native.Walker(rows, rows)
    walk = BucketWalk(Totals((rows, rows)), np.dtype(np.float64), (), 4096)
    walk.add(Tied(0.25, rows // 4, rows // 2))
    walk.add(Tied(0.75, 3 * rows // 4, rows // 2))
    middle = walk.sketch().middle
    assert middle.rows == 2**34
    # A positive at 0.75 beats half of the negatives and ties with the others; one at 0.25 ties with half of them.
    assert middle.areas.pairs2 / (2 * rows * rows) == pytest.approx(3 / 4 * 3 / 4 + 1 / 4 * 1 / 4, rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_findings_count_rows_and_not_cells(tmp_path, weighted):
    """Two dozen distinct scores make few cells of thousands of rows; F1 is far better at another threshold."""
    y, score = made("rounded")
    score = np.round(score, 1) * 0.4
    path = written(tmp_path / "rows.parquet", y, score, w=weights_of("importance"))
    inside, outside = both(path, weights="w" if weighted else None)
    found = [{f.code: f for f in ev.findings}["threshold_far_from_best"] for ev in (inside, outside)]
    first, last = (finding.numbers for finding in found)
    assert last["best_threshold"] == first["best_threshold"]
    assert last["held_out"] == pytest.approx(first["held_out"], abs=0.01)
    y, score = made("separate")
    inside, outside = both(written(tmp_path / "apart.parquet", y, y * 0.5 + 0.2))
    assert [f.code for f in inside.findings] == [f.code for f in outside.findings]
    assert "perfect_ranking" in [f.code for f in outside.findings]


def test_without_a_limit_they_are_read(tmp_path, monkeypatch):
    y, score = made("probabilities")
    path = written(tmp_path / "rows.parquet", y, score, g=np.arange(ROWS))
    monkeypatch.setattr("calipers.evaluation.evaluate_file.machine_share", lambda: SMALL)
    outside = cal.evaluate(path, truth="y", score="p")
    assert outside.views.sketch.walked
    inside = cal.evaluate(path, truth="y", score="p", groups="g")
    assert inside["roc_auc"] == outside["roc_auc"]


def test_the_shell_has_the_same_numbers(tmp_path, capsys):
    path = written(tmp_path / "rows.csv", *made("probabilities"))
    documents = []
    for limit in ((), ("--memory", "64 kB")):
        with pytest.raises(SystemExit) as end:
            main(["evaluate", str(path), "--truth", "y", "--score", "p", "--json", *limit])
        assert not end.value.code
        documents.append(json.loads(capsys.readouterr().out))
    for name, one in documents[0]["metrics"].items():
        assert same(one["value"], documents[1]["metrics"][name]["value"]), name


def test_gate_explain_and_save_from_the_shell(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, score = made("probabilities")
    written(tmp_path / "rows.parquet", y, score, w=weights_of("importance"))
    file = ["rows.parquet", "--truth", "y", "--score", "p", "--weights", "w"]
    texts = []
    for limit in ((), ("--memory", "64 kB")):
        for command in (
            ["gate", *file, "--require", "roc_auc >= 0.7", "--require", "recall.high >= 0.2", "--json"],
            ["explain", "roc_auc", *file],
            ["evaluate", *file, "--save", "rows.calipers"],
            ["show", "rows.calipers", "--json"],
        ):
            with pytest.raises(SystemExit) as end:
                main([*command, *(limit if command[0] != "show" else ())])
            assert not end.value.code, capsys.readouterr().err
            texts.append(capsys.readouterr().out)
    gates = [json.loads(text)["checks"] for text in (texts[0], texts[4])]
    assert [check["answer"] for check in gates[0]] == [check["answer"] for check in gates[1]] == ["pass", "pass"]
    assert texts[1].splitlines()[0] == texts[5].splitlines()[0]
    first, last = (json.loads(text)["metrics"] for text in (texts[3], texts[7]))
    for name, one in first.items():
        assert same(one["value"], last[name]["value"]), name


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    y, score = made("probabilities")
    path = written(tmp_path / "rows.csv", y, score)
    take = LargePass.take

    def grow(self, cells):
        with path.open("a") as file:
            file.write("1,0.5\n")
        take(self, cells)

    monkeypatch.setattr(LargePass, "take", grow)
    with pytest.raises(cal.InputError, match="changed while it was read: run again"):
        cal.evaluate(path, truth="y", score="p", memory=SMALL)


def test_the_share_of_the_machine(monkeypatch, tmp_path):
    limit = tmp_path / "memory.max"
    limit.write_text("4000000\n")
    monkeypatch.setattr(memory, "CGROUPS", (str(limit),))
    assert memory.machine_share() == 4_000_000 // memory.SHARE
    limit.write_text("max\n")
    assert memory.machine_share() > 4_000_000


def test_the_share_of_an_address_space(monkeypatch):
    """Of `ulimit -v`, what is mapped already cannot be had."""
    resource = pytest.importorskip("resource")
    mapped = memory._mapped()
    assert mapped > 10_000_000
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (mapped + 400_000_000, -1))
    assert memory.machine_share() == pytest.approx(100_000_000, rel=0.1)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (mapped // 2, -1))
    assert memory.machine_share() == memory.LEAST
