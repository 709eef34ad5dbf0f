"""Streams: the results of `evaluate` while the rows fit, brackets after that, and a state that survives."""

import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import calipers as cal
from calipers.evaluation.summary import size_of, summarised, within

N = 20_000
rng = np.random.default_rng(8)
TRUTH = np.where(rng.random(N) < 0.3, "bad", "good")
SCORE = 1 / (1 + np.exp(-rng.normal(size=N) - (TRUTH == "bad")))
REGION = np.array(["north", "south"])[rng.integers(0, 2, N)]
CLASSES = np.array(["ant", "bee", "cat"])[rng.integers(0, 3, N)]
MATRIX = np.exp(rng.normal(size=(N, 3)) + (CLASSES[:, None] == np.array(["ant", "bee", "cat"])))
MATRIX /= MATRIX.sum(1, keepdims=True)
SETS = rng.integers(0, 2, (N, 3))
SET_SCORES = np.clip(SETS * 0.3 + 0.6 * rng.random((N, 3)), 0, 1)
NUMBERS = rng.normal(10, 2, N)
PREDICTED = NUMBERS + rng.normal(0, 1, N)
SEVERAL = rng.normal(size=(N, 2))
SEVERAL_PREDICTED = SEVERAL + rng.normal(0, 1, (N, 2))
ROWS = {
    "binary": (TRUTH, SCORE, {"positive": "bad"}, "500 kB"),
    "small": (TRUTH, SCORE, {"positive": "bad"}, "64 kB"),
    "threshold": (TRUTH, SCORE, {"positive": "bad", "threshold": 0.37}, "500 kB"),
    "margins": (TRUTH, np.log(SCORE / (1 - SCORE)), {"positive": "bad"}, "200 kB"),
    "single precision": (TRUTH, SCORE.astype(np.float32), {"positive": "bad"}, "100 kB"),
    "classes": (CLASSES, MATRIX, {}, "6 MB"),
    "label sets": (SETS, SET_SCORES, {}, "5 MB"),
    "numbers": (NUMBERS, PREDICTED, {"task": "regression"}, "200 kB"),
    "several numbers": (SEVERAL, SEVERAL_PREDICTED, {"task": "regression"}, "300 kB"),
}


def filled(truth, prediction, step=1500, **options):
    stream = cal.Stream(**options)
    for start in range(0, len(truth), step):
        stream.update(truth[start : start + step], prediction[start : start + step])
    return stream


@pytest.mark.parametrize("kind", ROWS)
def test_beyond_the_memory_values_are_exact_or_have_a_bracket(kind):
    truth, prediction, options, memory = ROWS[kind]
    stream = filled(truth, prediction, memory=memory, **options)
    whole, exact = stream.result(), cal.evaluate(truth, prediction, **options)
    assert size_of(whole) <= stream.memory / 4
    assert (whole.rows, list(whole), whole.labels) == (N, list(exact), exact.labels)
    bracketed = 0
    averages = ("roc_auc(average=weighted)", "average_precision(average=micro)")
    more = ("ks", "eer", "gini") if exact.positive else averages
    for name in (*exact, *(() if exact.task == "regression" else more)):
        mine, theirs = whole[name], exact[name]
        if np.isnan(theirs):
            assert np.isnan(mine)
            continue
        if np.isnan(mine):
            assert mine.reason.startswith(("the scores are summarised", "this needs every row")), name
            continue
        low, high = mine.bracket
        assert low <= mine <= high
        assert low - 1e-12 <= float(theirs) <= high + 1e-12, name
        bracketed += low < high
        if low == high:
            assert float(mine) == pytest.approx(float(theirs), rel=1e-9), name
        elif not np.isnan(mine.low):
            assert mine.low <= theirs.low + 1e-9, name
            assert mine.high >= theirs.high - 1e-9, name
        if low < high:
            assert any("the exact value differs by at most" in note for note in mine.notes), name
    assert bracketed


def test_counts_at_another_threshold_have_a_bracket():
    whole, exact = (
        filled(TRUTH, SCORE, positive="bad", memory="100 kB").result(), cal.evaluate(TRUTH, SCORE, positive="bad"),
    )  # fmt: skip
    for threshold in (0.2, 0.371, 0.9):
        for name in ("accuracy", "f1", "precision", "recall", "mcc", "balanced_accuracy", "kappa"):
            low, high = whole.at(threshold)[name].bracket
            assert low - 1e-12 <= float(exact.at(threshold)[name]) <= high + 1e-12
    assert whole.at(0.371)["recall"].bracket[0] < whole.at(0.371)["recall"].bracket[1]


def test_the_best_threshold_has_a_bracket():
    whole, exact = (
        filled(TRUTH, SCORE, positive="bad", memory="100 kB").result(), cal.evaluate(TRUTH, SCORE, positive="bad"),
    )  # fmt: skip
    for rule in ("f1", "youden", "corner", "ks", "eer", "fbeta(beta=2)"):
        low, high = whole.best_threshold(rule).bracket
        assert low - 1e-12 <= exact.best_threshold(rule).value <= high + 1e-12, rule
        assert low < high
        assert exact.best_threshold(rule).bracket == (exact.best_threshold(rule).value,) * 2
    low, high = whole.best_threshold(cost={"fp": 1, "fn": 5}).bracket
    assert low < exact.best_threshold(cost={"fp": 1, "fn": 5}).value < high
    low, high = whole.best_threshold("recall", at="precision >= 0.5").bracket
    assert low <= exact.best_threshold("recall", at="precision >= 0.5").value <= high
    assert np.isnan(whole.best_threshold(lambda c: c.tp - c.fp).bracket).all()
    with pytest.raises(cal.InputError, match="the rows of the stream were summarised"):
        whole.best_threshold("f1").cross_fitted  # noqa: B018


def test_curves_and_charts_of_a_summary():
    whole, exact = (
        filled(TRUTH, SCORE, positive="bad", memory="1 MB").result(), cal.evaluate(TRUTH, SCORE, positive="bad"),
    )  # fmt: skip
    for kind in ("roc", "pr", "gain"):
        mine, theirs = whole.curve(kind), exact.curve(kind)
        grid = np.linspace(0.01, 0.99, 50)
        assert np.abs(np.interp(grid, mine.x, mine.y) - np.interp(grid, theirs.x, theirs.y)).max() < 0.01
    assert whole.curve("calibration").rows.tolist() == pytest.approx(exact.curve("calibration").rows.tolist(), abs=60)
    numbers = filled(NUMBERS, PREDICTED, task="regression", memory="200 kB").result()
    with pytest.raises(cal.InputError, match="the rows of the stream were summarised"):
        numbers.curve("residuals")


def test_slices_share_the_memory():
    stream = cal.Stream(positive="bad", by="region", memory="2 MB")
    for start in range(0, N, 2500):
        rows = slice(start, start + 2500)
        stream.update(TRUTH[rows], SCORE[rows], by={"region": REGION[rows]})
    whole, exact = stream.result(), cal.evaluate(TRUTH, SCORE, positive="bad", by={"region": REGION})
    assert size_of(whole) < 2_000_000 / 4
    for value, part in exact.by["region"].items():
        low, high = whole.by["region"][value]["roc_auc"].bracket
        assert low <= float(part["roc_auc"]) <= high
        assert whole.by["region"][value]["f1"] == pytest.approx(float(part["f1"]))
    many = cal.Stream(positive="bad", by="id", memory="64 kB")
    with pytest.raises(cal.InputError, match="increase memory=, or use fewer slices in by="):
        many.update(TRUTH, SCORE, by={"id": np.arange(N) // 10})
    assert many.rows == 0


def test_classes_without_1000_cells_each_have_counts_and_losses_only():
    stream, exact = filled(CLASSES, MATRIX, memory="300 kB"), cal.evaluate(CLASSES, MATRIX)
    whole = stream.result()
    for name in ("accuracy", "f1(average=macro)", "log_loss", "brier"):
        assert whole[name] == pytest.approx(float(exact[name]), rel=1e-9)
    assert "the memory is too small for the scores of all classes" in whole["roc_auc(average=macro)"].reason


def test_medians_have_a_bracket_and_moments_are_exact():
    whole = filled(NUMBERS, PREDICTED, task="regression", memory="200 kB").result()
    exact = cal.evaluate(NUMBERS, PREDICTED, task="regression")
    low, high = whole["median_ae"].bracket
    assert low < high
    assert low <= float(exact["median_ae"]) <= high
    for name in ("mae", "rmse", "r2", "bias", "max_error"):
        assert whole[name] == pytest.approx(float(exact[name]), rel=1e-9)
        assert whole[name].bracket == (float(whole[name]), float(whole[name]))
    assert "needs every row" in whole["d2_absolute_error_score"].reason


def test_any_order_of_batches_and_merges_encloses():
    exact = float(cal.evaluate(TRUTH, SCORE, positive="bad")["roc_auc"])
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(N) if seed else np.argsort(SCORE)
        cuts = np.array_split(order, 7)
        streams = [filled(TRUTH[rows], SCORE[rows], 700, positive="bad", memory="100 kB") for rows in cuts]
        first = streams[3]
        for other in streams[:3] + streams[4:]:
            first.merge(other)
        low, high = first.result()["roc_auc"].bracket
        assert low <= exact <= high
        assert first.rows == N


def test_a_refused_batch_changes_nothing():
    stream = filled(TRUTH[:3000], SCORE[:3000], positive="bad")
    before = stream.to_bytes()
    for batch in (
        (["bad", "good"], [0.1, np.nan]),
        (["bad", "ugly"], [0.1, 0.2]),
        (["bad"], [0.1, 0.2]),
        ([], []),
    ):
        if len(batch[0]):
            with pytest.raises(cal.CalipersError):
                stream.update(*batch)
        else:
            stream.update(*batch)
        assert stream.to_bytes() == before
    with pytest.raises(cal.CalipersError, match="use weights= instead"):
        stream.update(["bad"], [0.2], sample_weight=[1])
    assert stream.to_bytes() == before


def test_the_first_batch_decides_and_frames_need_their_columns_once():
    frame = pd.DataFrame({"y": TRUTH, "p": SCORE, "region": REGION})
    stream = cal.Stream(positive="bad", by=["region"])
    stream.update(frame[:4000], truth="y", score="p")
    stream.update(frame[4000:9000])
    stream.update(frame[9000:], truth="y", score="p", by=["region"])
    exact = cal.evaluate(frame, truth="y", score="p", by=["region"], positive="bad")
    assert stream.result().to_text() == exact.to_text()
    with pytest.raises(cal.InputError, match="pass the same columns in by="):
        cal.Stream(positive="bad", by="region").update(TRUTH, SCORE)


def test_weights_are_exact_while_rows_fit_and_refused_after_that():
    weights = rng.uniform(0.5, 2, N)
    stream = cal.Stream(positive="bad", memory="2 MB")
    stream.update(TRUTH[:5000], SCORE[:5000], weights=weights[:5000])
    exact = cal.evaluate(TRUTH[:5000], SCORE[:5000], weights=weights[:5000], positive="bad")
    assert stream.result()["roc_auc"] == exact["roc_auc"]
    with pytest.raises(cal.InputError, match="rows with weights cannot be summarised"):
        stream.update(TRUTH[5000:], SCORE[5000:], weights=weights[5000:])
    assert stream.rows == 5000
    labels = cal.Stream(positive="bad", memory="64 kB")  # counts of labels have weights and never grow
    for _ in range(20):
        labels.update(TRUTH, np.where(SCORE > 0.5, "bad", "good"), weights=weights)
    assert labels.rows == 20 * N


def test_threads_and_pickles():
    stream = cal.Stream(cal.Schema.of(TRUTH, SCORE, positive="bad"), memory="200 kB")
    parts = np.array_split(np.arange(N), 16)
    threads = [threading.Thread(target=lambda rows=rows: stream.update(TRUTH[rows], SCORE[rows])) for rows in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stream.rows == N
    back = pickle.loads(pickle.dumps(stream))
    assert back.result().to_text() == stream.result().to_text()
    back.update(TRUTH[:10], SCORE[:10])
    assert (back.rows, stream.rows) == (N + 10, N)
    stream.reset()
    assert stream.rows == 0
    assert stream.result().rows == 0


def test_labels_and_queries_accumulate():
    labels = filled(TRUTH, np.where(SCORE > 0.5, "bad", "good"), positive="bad", memory="64 kB")
    exact = cal.evaluate(TRUTH, np.where(SCORE > 0.5, "bad", "good"), positive="bad")
    assert labels.result().to_text() == exact.to_text()
    ranked = cal.Stream(task="ranking", metrics=["mrr"], memory="500 kB")
    for _ in range(3):
        ranked.update(ranks=list(range(1, 101)))
    assert ranked.rows == 300
    with pytest.raises(cal.InputError, match="no longer fit in memory='500 kB', and queries cannot be summarised"):
        ranked.update(ranks=[1] * 10_000)
    assert ranked.rows == 300


@pytest.mark.parametrize("format", ["text", "markdown", "html", "json", "frame"])
@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_brackets_are_shown(format, lang):
    whole = filled(TRUTH, SCORE, positive="bad", memory="100 kB").result()
    words = {"en": "the exact value differs by at most", "vi": "chênh lệch nhiều", "zh": "与确切值最多相差"}[lang]
    low, high = whole["roc_auc"].bracket
    if format == "text":
        assert words in whole.to_text(lang).replace("\n   ", " ")
    elif format == "markdown":
        assert words in whole.to_markdown(lang)
    elif format == "html":
        assert words in whole.to_html(lang)
    elif format == "json":
        back = cal.loads(whole.to_json())
        assert back["roc_auc"].bracket == (low, high)
        assert back["roc_auc"].notes == whole["roc_auc"].notes
    else:
        frame = whole.to_frame().set_index("metric")
        assert (frame.bracket_low["roc_auc"], frame.bracket_high["roc_auc"]) == (low, high)


def test_the_page_shows_brackets(tmp_path):
    whole = filled(TRUTH, SCORE, positive="bad", memory="100 kB").result()
    whole.save(tmp_path / "x.html")
    assert "the exact value differs by at most" in (tmp_path / "x.html").read_text()


def test_what_a_stream_refuses():
    with pytest.raises(cal.InputError, match="such as memory="):
        cal.Stream(memory="lots")
    with pytest.raises(cal.InputError, match="such as memory="):
        cal.Stream(memory=1000)
    with pytest.raises(cal.InputError, match="a stream takes a Schema"):
        cal.Stream("binary")
    with pytest.raises(cal.InputError, match="no rows yet"):
        cal.Stream().result()
    stream = filled(TRUTH[:100], SCORE[:100], positive="bad")
    with pytest.raises(cal.InputError, match="with itself"):
        stream.merge(stream)
    with pytest.raises(cal.InputError, match="not with Evaluation"):
        stream.merge(stream.result())
    with pytest.raises(cal.InputError, match=r"use Stream\.from_bytes"):
        cal.loads(stream.to_bytes())
    with pytest.raises(cal.InputError, match="not the state of a stream"):
        cal.Stream.from_bytes(stream.result().to_bytes())
    with pytest.raises(cal.InputError, match=r"threshold is None in one and 0\.3 in the other"):
        stream.merge(filled(TRUTH[:100], SCORE[:100], positive="bad", threshold=0.3))
    with pytest.raises(cal.InputError, match="cannot be restated"):
        within(summarised([stream.result()], 32), 32).at(prevalence=0.5)


WRITER = """
import os, sys
import numpy as np
import calipers as cal
rng = np.random.default_rng(0)
stream = cal.Stream(labels=(0, 1), positive=1, memory="200 kB")
while True:
    truth = rng.integers(0, 2, 500)
    stream.update(truth, rng.random(500) + truth)
    with open("state.new", "wb") as file:
        file.write(stream.to_bytes())
        file.flush()
        os.fsync(file.fileno())
    os.replace("state.new", "state")
    print(stream.rows, flush=True)
"""


def test_the_state_survives_a_killed_process(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", WRITER], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    written = 0
    for line in process.stdout:
        written = int(line)
        if written >= 20_000:
            break
    os.kill(process.pid, 9)
    process.wait()
    process.stdout.close()
    stream = cal.Stream.from_bytes(Path(tmp_path / "state").read_bytes())
    assert stream.rows >= written
    assert stream.rows % 500 == 0
    stream.update([0, 1], [0.2, 0.9])
    low, high = stream.result()["roc_auc"].bracket
    assert 0.5 < low < high < 1


def test_slices_that_do_not_fit_are_refused_before_their_rows_are_added():
    stream = cal.Stream(positive="bad", by="id", memory="100 kB")
    stream.update(TRUTH[:10_000], SCORE[:10_000], by={"id": np.zeros(10_000, int)})
    stream.update(TRUTH[:1000], SCORE[:1000], by={"id": np.zeros(1000, int)})
    with pytest.raises(cal.InputError, match="increase memory=, or use fewer slices in by="):
        stream.update(TRUTH[:1000], SCORE[:1000], by={"id": np.arange(1000)})
    assert stream.rows == stream.result().rows == 11_000
    low, high = stream.result()["roc_auc"].bracket
    rows = np.r_[:10_000, :1000]
    assert low <= float(cal.metrics.roc_auc(TRUTH[rows], SCORE[rows], positive="bad")) <= high


def test_rows_after_a_summary_wait_for_others_before_they_are_summarised():
    stream = filled(TRUTH, SCORE, positive="bad", memory="400 kB")
    assert stream._summary.rows + sum(part.rows for part in stream._parts) == N
    assert stream._parts, "the last rows are kept until they are enough, or a result is needed"
    assert sum(map(size_of, stream._parts)) <= stream.memory // 20
    stream.result()
    assert stream._parts == ()
