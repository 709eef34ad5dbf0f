"""Evaluations of parts, merged, are the evaluation of all rows; so are their bytes."""

import subprocess
import sys

import numpy as np
import pytest

import calipers as cal
from calipers.evaluation.merging import piled, whole

N = 240
rng = np.random.default_rng(5)
TRUTH = rng.integers(0, 2, N)
SCORE = np.clip(0.3 + 0.4 * TRUTH + rng.normal(0, 0.3, N), 0, 1).round(2)
WEIGHTS = rng.uniform(0.5, 3, N)
REGION = np.array(["north", "south", "west"])[rng.integers(0, 3, N)]
GROUPS = np.arange(N) // 4
CLASSES = np.array(["ant", "bee", "cat"])[rng.integers(0, 3, N)]
GUESSES = np.where(rng.random(N) < 0.7, CLASSES, "bee")
MATRIX = rng.dirichlet((1, 1, 1), N)
SETS = rng.integers(0, 2, (N, 3))
NUMBERS = rng.normal(10, 2, N)
SEVERAL = rng.normal(0, 1, (N, 2))
CASES = {
    "binary": (TRUTH, SCORE, {}),
    "threshold": (TRUTH, SCORE, {"threshold": 0.3}),
    "labels": (TRUTH, SCORE > 0.5, {}),
    "weights": (TRUTH, SCORE, {"weights": WEIGHTS}),
    "slices": (TRUTH, SCORE, {"by": {"region": REGION}}),
    "groups": (TRUTH, SCORE, {"groups": GROUPS}),
    "drawn": (TRUTH, SCORE, {"interval": "bca", "replicates": 40, "metrics": ["f1", "roc_auc"]}),
    "classes": (CLASSES, GUESSES, {}),
    "matrix": (CLASSES, MATRIX, {}),
    "logits": (CLASSES, np.log(MATRIX), {}),
    "drawn matrix": (CLASSES, MATRIX, {"interval": {"log_loss": "bca"}, "replicates": 40, "metrics": ["log_loss"]}),
    "label sets": (SETS, np.where(rng.random((N, 3)) < 0.8, SETS, 1 - SETS), {}),
    "label scores": (SETS, SETS * 0.4 + 0.5 * rng.random((N, 3)), {}),
    "numbers": (NUMBERS, NUMBERS + rng.normal(0, 1, N), {}),
    "numbers with weights": (NUMBERS, NUMBERS + rng.normal(0, 1, N), {"weights": WEIGHTS}),
    "one loss": (NUMBERS, NUMBERS + rng.normal(0, 1, N), {"metrics": ["mae", "r2"]}),
    "several numbers": (SEVERAL, SEVERAL + rng.normal(0, 1, (N, 2)), {}),
}
OF_ROWS = ("weights", "groups", "by")
OF_SCHEMA = ("threshold", "weights", "groups", "by")
CUTS = [(0, 100), (100, 101), (101, 101), (101, N)]


def options_of(options, rows, names=None):
    chosen = {k: v for k, v in options.items() if names is None or k in names}
    for name in OF_ROWS:
        if name in chosen:
            whole = chosen[name]
            chosen[name] = {k: v[rows] for k, v in whole.items()} if name == "by" else whole[rows]
    return chosen


def parts(name):
    truth, prediction, options = CASES[name]
    schema = cal.Schema.of(truth, prediction, **options_of(options, slice(None), OF_SCHEMA))
    for start, end in CUTS:
        rows = slice(start, end)
        if "groups" in options and end - start == 1:
            continue  # one group has no spread
        given = {k: v for k, v in options_of(options, rows).items() if k != "threshold"}
        yield cal.evaluate(truth[rows], prediction[rows], schema=schema, **given)


def same(first, second, digits=1e-9):
    assert (first.rows, first.labels, first.task, first.positive) == (
        second.rows, second.labels, second.task, second.positive,
    )  # fmt: skip
    assert list(first) == list(second)
    for name in second:
        for part in (float, lambda e: e.low, lambda e: e.high):
            assert part(first[name]) == pytest.approx(part(second[name]), rel=digits, abs=1e-12, nan_ok=True), name
        assert first[name].flags == second[name].flags
    assert first.by.keys() == second.by.keys()
    for column, slices in second.by.items():
        assert list(first.by[column]) == list(slices)
        for value, part in slices.items():
            same(first.by[column][value], part, digits)


@pytest.mark.parametrize("name", CASES)
def test_parts_merged_are_the_whole(name):
    truth, prediction, options = CASES[name]
    if name == "groups":
        options = {"groups": np.delete(GROUPS, 100)}
        truth, prediction = np.delete(truth, 100), np.delete(prediction, 100)
    whole = cal.evaluate(truth, prediction, **options)
    merged = cal.merge(parts(name))
    same(merged, whole)
    assert [f.code for f in merged.findings] == [f.code for f in whole.findings]


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("groups", "drawn", "drawn matrix")])
def test_a_stream_is_the_whole(name):
    truth, prediction, options = CASES[name]
    schema = cal.Schema.of(truth, prediction, **options_of(options, slice(None), OF_SCHEMA))
    stream = cal.Stream(schema, metrics=options.get("metrics"))
    for start, end in CUTS:
        columns = options_of(options, slice(start, end), OF_ROWS)
        stream.update(truth[start:end], prediction[start:end], **columns)
    same(stream.result(), cal.evaluate(truth, prediction, **options))
    assert stream.result().to_text() == cal.Stream.from_bytes(stream.to_bytes()).result().to_text()


@pytest.mark.parametrize("name", CASES)
def test_bytes_come_back(name):
    truth, prediction, options = CASES[name]
    whole = cal.evaluate(truth, prediction, model="m", source="s", **options)
    back = cal.loads(whole.to_bytes())
    assert (back.schema, back.settings, back.model, back.sources) == (whole.schema, whole.settings, "m", ("s",))
    for lang in ("en", "vi", "zh"):
        assert back.to_text(lang) == whole.to_text(lang)
    assert back.to_json() == whole.to_json()
    assert back.to_bytes() == whole.to_bytes()


def test_what_came_back_is_alive():
    back = cal.loads(cal.evaluate(TRUTH, SCORE).to_bytes())
    assert back.is_live
    whole = cal.evaluate(TRUTH, SCORE)
    assert back.at(0.3)["recall"] == whole.at(0.3)["recall"]
    assert back.curve("roc").tpr.tolist() == whole.curve("roc").tpr.tolist()
    assert back.best_threshold("f1") == whole.best_threshold("f1")
    assert back["fbeta(beta=3)"] == whole["fbeta(beta=3)"]


RUN = {f"q{i}": {f"d{j}": float(rng.random()) for j in range(8)} for i in range(12)}
QRELS = {q: {d: int(rng.random() < 0.4) for d in docs} for q, docs in RUN.items()}


def rankings(queries, **options):
    return cal.evaluate_ranking({q: QRELS[q] for q in queries}, {q: RUN[q] for q in queries if q in RUN}, **options)


def test_rankings_merge_query_by_query():
    names = list(RUN)
    whole, merged = rankings(names), cal.merge([rankings(names[:5]), rankings(names[5:])])
    same(merged, whole)
    assert merged["ndcg@3"] == pytest.approx(whole["ndcg@3"])  # not asked for before
    assert sorted(merged.per_query["map"].tolist()) == sorted(whole.per_query["map"].tolist())
    assert cal.loads(merged.to_bytes()).to_text() == merged.to_text()
    with pytest.raises(cal.InputError, match="the query 'q4' is in both parts"):
        cal.merge([rankings(names[:5]), rankings(names[4:])])


def test_a_stream_of_rankings_is_the_whole():
    names = list(RUN)
    stream = cal.Stream(task="ranking")
    for query in names:
        stream.update({query: QRELS[query]}, {query: RUN[query]})
    same(stream.result(), rankings(names))


def test_counts_merge():
    first = cal.evaluate_counts([[5, 1], [2, 9]], labels=["no", "yes"])
    second = cal.evaluate_counts([[7, 0], [1, 4]], labels=["no", "yes"])
    same(first.merge(second), cal.evaluate_counts([[12, 1], [3, 13]], labels=["no", "yes"]))


def test_notes_are_added_up():
    truth, score = [0, 1, 1, 0, 1], [0.1, 0.9, None, 0.4, 0.6]
    schema = cal.Schema.of(truth, score, missing="drop")
    part = cal.evaluate(truth, score, schema=schema, missing="drop", source="a")
    both = part.merge(cal.evaluate(truth, score, schema=schema, missing="drop", source="b"))
    assert both.rows == 8
    assert "2 rows" in " ".join(both.notes)


def ev(**options):
    return cal.evaluate(TRUTH, SCORE, **options)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (ev(model="a"), ev(model="b"), r"for different models \('a' and 'b'\): compare them instead"),
        (ev(source="monday"), ev(source=["sunday", "monday"]), "the source 'monday' is in both"),
        (ev(), ev(threshold=0.3), "threshold is None in one and 0.3 in the other"),
        (ev(), cal.evaluate(CLASSES, GUESSES), "task is 'binary' in one and 'multiclass' in the other"),
        (ev(), cal.evaluate(TRUTH.astype(bool), SCORE), r"different classes \(0, 1 and False, True\): name all"),
        (ev(), ev(level=0.9), "level is 0.95 in one and 0.9"),
        (ev(), ev(weights=WEIGHTS), "weighted is False in one and True"),
        (ev(), ev().at(prevalence=0.1), "restated for another prevalence"),
        (ev(), cal.loads(ev().to_json()), r"an evaluation loaded from \.json has no"),
        (ev(), "x", "merge takes evaluations: pass a list of them"),
    ],
)
def test_what_does_not_fit_together_is_refused(first, second, message):
    with pytest.raises(cal.InputError, match=message):
        cal.merge([first, second])


def test_nothing_cannot_be_merged():
    with pytest.raises(cal.InputError, match="merge takes evaluations"):
        cal.merge([])


def test_each_row_of_many_parts_is_merged_few_times():
    rows = []

    def merge(*parts):
        rows.append(sum(parts))
        return sum(parts)

    parts = []
    for _ in range(1000):
        parts = piled([*parts, 1], merge, int)
    assert whole(parts, merge) == 1000
    assert sum(rows) <= 1000 * 4  # log8(1000), and the last merge


def test_a_source_that_occurs_twice_among_many_is_refused():
    parts = [ev(source=str(number % 37)) for number in range(38)]
    with pytest.raises(cal.InputError, match="source"):
        cal.merge(parts)
    assert cal.merge(parts[:37]).sources == tuple(map(str, range(37)))


def test_a_fresh_process_reads_a_file(tmp_path):
    ev(by={"region": REGION}).save(tmp_path / "x.calipers")
    code = "import calipers as cal; print(cal.load('x.calipers').by['region']['west']['f1'])"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(ev(by={"region": REGION}).by["region"]["west"]["f1"]), done.stderr


def test_only_evaluations_are_saved_as_bytes(tmp_path):
    with pytest.raises(
        cal.InputError, match=r"a \.calipers file contains the statistics of an evaluation, but this result is of type"
    ):
        cal.power(accuracy=(0.9, 0.92)).save(tmp_path / "x.calipers")
    with pytest.raises(cal.InputError, match=r"not an evaluation"):
        cal.loads(ev().views.evidence.to_bytes())
