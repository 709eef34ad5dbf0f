"""Item 8: the rows behind an evaluation, for every task; shown when asked for, and never without."""

import json
import pickle

import numpy as np
import pytest

import calipers as cal

rng = np.random.default_rng(3)
TRUTH = rng.integers(0, 2, 60)
SCORE = np.clip(0.3 + 0.4 * TRUTH + rng.normal(0, 0.3, 60), 0, 1)
CLASSES = ["ant", "bee", "cat"]
NAMES = rng.choice(CLASSES, 60)
MATRIX = rng.dirichlet([1, 1, 1], 60)
HOSTILE = ["<script>alert(1)</script>", "a|b", "\x1b[31mred", "x" * 500, "${x}", "50% & #1_{}"]


def brute(losses, n):
    """The n largest losses above 0, ties in row order, by Python's stable sort."""
    order = sorted(range(len(losses)), key=lambda i: -losses[i])
    return [i for i in order if losses[i] > 0][:n]


def test_item_8_probabilities_by_log_loss():
    ev = cal.evaluate(TRUTH, SCORE)
    worst = ev.worst_rows(7)
    p = np.clip(np.where(TRUTH == 1, SCORE, 1 - SCORE), np.finfo(float).eps, 1 - np.finfo(float).eps)
    assert list(worst["row"]) == brute((-np.log(p)).tolist(), 7)
    assert worst["truth"] == tuple(TRUTH[list(worst["row"])].tolist())
    assert worst["predicted"] == tuple((SCORE[list(worst["row"])] >= 0.5).astype(int).tolist())
    assert np.mean(ev.worst_rows(60)["loss"]) == pytest.approx(ev["log_loss"], abs=1e-12)
    assert (worst.n, worst.total, worst.loss) == (7, 60, "log_loss")


def test_item_8_scores_that_are_no_probabilities_by_their_ranking():
    score = np.round(6 * SCORE - 3)  # with ties
    ev = cal.evaluate(TRUTH, score, threshold=0.0)
    worst = ev.worst_rows(60)
    losses = np.zeros(60)
    losses[list(worst["row"])] = worst["loss"]
    for row in range(60):
        other = score[TRUTH[row] != TRUTH]
        sign = 1 if TRUTH[row] else -1
        expected = np.mean(sign * other > sign * score[row]) + np.mean(other == score[row]) / 2
        assert losses[row] == pytest.approx(expected, abs=1e-12)
    assert losses[TRUTH == 1].mean() == pytest.approx(1 - ev["roc_auc"])
    assert worst["predicted"] == tuple((score[list(worst["row"])] >= 0).astype(int).tolist())


def test_item_8_weights_count_in_the_ranking_and_are_shown_but_do_not_order():
    score, weights = 6 * SCORE - 3, rng.integers(1, 4, 60)
    ev = cal.evaluate(TRUTH, score, weights=weights)
    repeated = cal.evaluate(np.repeat(TRUTH, weights), np.repeat(score, weights)).worst_rows(1000)
    rows = np.repeat(np.arange(60), weights)[list(repeated["row"])].tolist()
    of_rows = dict(zip(rows, repeated["loss"], strict=True))
    worst = ev.worst_rows(60)
    assert dict(zip(worst["row"], worst["loss"], strict=True)) == pytest.approx(of_rows)
    assert worst["weight"] == tuple(weights[list(worst["row"])].tolist())
    assert "weights do not change the order" in " ".join(worst.to_text().split())


@pytest.mark.parametrize("scale", [1.0, 7.0])
def test_item_8_several_classes(scale):
    ev = cal.evaluate(NAMES, score=MATRIX * scale, labels=CLASSES)
    own = MATRIX[np.arange(60), [CLASSES.index(v) for v in NAMES]] * scale
    losses = -np.log(own) if scale == 1 else MATRIX.max(1) * scale - own
    worst = ev.worst_rows(9)
    assert list(worst["row"]) == brute(losses.tolist(), 9)
    assert worst["loss"] == pytest.approx(losses[list(worst["row"])])
    assert worst["score_of_truth"] == pytest.approx(own[list(worst["row"])])
    assert worst["predicted"] == tuple(CLASSES[i] for i in MATRIX[list(worst["row"])].argmax(1))


def test_item_8_labels_alone_are_wrong_or_right_in_row_order():
    predicted = rng.choice(CLASSES, 60)
    worst = cal.evaluate(NAMES, predicted).worst_rows(1000)
    assert list(worst["row"]) == np.flatnonzero(predicted != NAMES).tolist()
    assert set(worst["loss"]) == {1.0}
    assert worst.with_loss == worst.n
    right = cal.evaluate(["a", "b"], ["a", "b"]).worst_rows()
    assert (right.n, right["row"]) == (0, ())
    assert "no row has a loss" in right.to_text()
    assert "no row has a loss" in cal.evaluate(["a", "b"], ["a", "b"]).to_text(rows=3)


def test_item_8_sets_of_labels():
    truth = rng.integers(0, 2, (40, 3))
    score = np.clip(truth * 0.5 + rng.uniform(0, 0.5, (40, 3)), 0.01, 0.99)
    worst = cal.evaluate(truth, score=score, labels=CLASSES, task="multilabel").worst_rows(5)
    each = -np.log(np.where(truth == 1, score, 1 - score))
    assert list(worst["row"]) == brute(each.mean(1).tolist(), 5)
    assert worst["label"] == tuple(CLASSES[i] for i in each[list(worst["row"])].argmax(1))
    ranked = cal.evaluate(truth, score=score * 9, labels=CLASSES, task="multilabel").worst_rows(5)
    assert ranked.loss == "label_ranking"
    flipped = truth.copy()
    flipped[4, 1] ^= 1
    sets = cal.evaluate(truth, flipped, labels=CLASSES, task="multilabel").worst_rows()
    assert (sets["row"], sets["loss"]) == ((4,), pytest.approx((1 / 3,)))
    assert sets["truth"] == (tuple(CLASSES[i] for i in np.flatnonzero(truth[4])),)


def test_item_8_numbers():
    truth = rng.normal(size=50)
    predicted = truth + rng.normal(size=50)
    ev = cal.evaluate(truth, predicted)
    worst = ev.worst_rows(6)
    assert list(worst["row"]) == brute(np.abs(predicted - truth).tolist(), 6)
    assert worst["error"] == pytest.approx((predicted - truth)[list(worst["row"])])
    assert np.mean(ev.worst_rows(50)["loss"]) == pytest.approx(ev["mae"])
    both = cal.evaluate(np.c_[truth, truth], np.c_[predicted, truth]).worst_rows(4)
    assert list(both["row"]) == list(worst["row"])[:4]
    assert both["truth[1]"] == both["predicted[1]"]


def test_item_8_queries():
    qrels = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": 1}, "q3": {"a": 1}, "q4": {"z": 1}}
    run = {"q1": {"a": 0.1, "b": 0.8}, "q2": {"a": 3.0, "c": 2.0}, "q3": {"b": 2.0, "a": 1.0}, "q4": {"a": 1.0}}
    ev = cal.evaluate_ranking(qrels, run)
    worst = ev.worst_rows()
    assert worst["query"] == ("q4", "q1", "q3")
    assert worst["loss"][0] == 1
    assert worst["first_relevant"] == (None, 2, 2)
    assert worst["top"] == ("?", "0 1", "? 1")
    assert worst.total == 4
    assert cal.loads(ev.to_bytes()).worst_rows()["query"] == worst["query"]
    with pytest.raises(cal.InputError, match=r"none of the metrics .* has 1 as its best value"):
        cal.evaluate_ranking(qrels, run, ["dcg@10"]).worst_rows()


def test_item_8_dropped_rows_keep_their_original_places():
    score = SCORE.copy()
    score[[0, 5, 20]] = np.nan
    weights = np.ones(60)
    weights[7] = 0
    worst = cal.evaluate(TRUTH, score, weights=weights, missing="drop").worst_rows(60)
    rows = list(worst["row"])
    assert sorted(rows) == [i for i in range(60) if i not in (0, 5, 7, 20)]
    assert worst["score"] == tuple(SCORE[rows].tolist())
    assert worst["truth"] == tuple(TRUTH[rows].tolist())


def test_item_8_slices_and_thresholds():
    sites = np.where(np.arange(60) % 3, "north", "south")
    ev = cal.evaluate(TRUTH, SCORE, by={"site": sites, "loss": sites})
    whole = ev.worst_rows(60)
    assert whole["site"] == tuple(sites[list(whole["row"])].tolist())
    assert whole["loss_2"] == whole["site"]  # a column of the data does not hide one of ours
    south = ev.by["site"]["south"].worst_rows(4)
    assert list(south["row"]) == [row for row in whole["row"] if sites[row] == "south"][:4]
    assert south.total == 20
    assert set(ev.at(0.01).worst_rows(60)["predicted"]) == set((SCORE >= 0.01).astype(int).tolist())


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "dict"])
def test_item_8_frames_show_their_other_columns(kind):
    data = {"y": TRUTH.tolist(), "p": SCORE.tolist(), "site": ["a", "b"] * 30, "amount": list(range(60))}
    frame = data
    if kind == "pandas":
        frame = pytest.importorskip("pandas").DataFrame(data, index=[f"id{i}" for i in range(60)])
    elif kind == "polars":
        frame = pytest.importorskip("polars").DataFrame(data)
    elif kind == "pyarrow":
        frame = pytest.importorskip("pyarrow").table(data)
    worst = cal.evaluate(frame, truth="y", score="p", by="site").worst_rows(3)
    index = ["index"] if kind == "pandas" else []
    assert list(worst) == ["row", *index, "truth", "predicted", "score", "loss", "site", "amount"]
    assert worst["amount"] == worst["row"]
    if kind == "pandas":
        assert worst["index"] == tuple(f"id{i}" for i in worst["row"])


def test_item_8_cells_of_any_kind(tmp_path):
    pd = pytest.importorskip("pandas")
    odd = {
        "array": [np.arange(3)] * 4, "list": [[1, 2]] * 4, "missing": pd.array([1, None, 2, None], "Int64"),
        "when": pd.to_datetime(["2024-01-01", None, "2024-01-02", None]), "nothing": [None] * 4, "nan": [np.nan] * 4,
        "big": [10**30] * 4, "infinite": [np.inf] * 4,
    }  # fmt: skip
    frame = pd.DataFrame({"y": [0, 1, 0, 1], "p": [0.6, 0.4, 0.3, 0.8], **odd})
    ev = cal.evaluate(frame, truth="y", score="p")
    worst = ev.worst_rows(4)
    assert worst["row"] == (0, 1, 2, 3)
    assert worst["missing"] == (1, None, 2, None)
    assert worst["list"] == ("[1, 2]",) * 4
    assert worst["when"][1] is None
    for ending in (".html", ".json", ".csv", ".md", ".tex", ".txt"):
        worst.save(tmp_path / f"x{ending}")
    assert cal.load(tmp_path / "x.json").to_text() == worst.to_text()
    assert ev.to_markdown(rows=4).count("2024-01-01") == 1


def test_item_8_the_index_of_a_series():
    pd = pytest.importorskip("pandas")
    index = [f"r{i}" for i in range(60)]
    worst = cal.evaluate(pd.Series(TRUTH, index), pd.Series(SCORE, index)).worst_rows(2)
    assert worst["index"] == tuple(f"r{i}" for i in worst["row"])


def test_item_8_rows_are_shown_when_asked_for_and_never_without(tmp_path):
    pytest.importorskip("pandas")
    secret = ["secret-7"] * 60
    ev = cal.evaluate({"y": TRUTH, "p": SCORE, "who": secret}, truth="y", score="p")
    for ending in (".html", ".json", ".md", ".tex", ".txt", ".csv", ".calipers"):
        ev.save(tmp_path / f"x{ending}")
        assert b"secret-7" not in (tmp_path / f"x{ending}").read_bytes(), ending
    for ending in (".html", ".json", ".md", ".tex", ".txt"):
        ev.save(tmp_path / f"x{ending}", rows=5)
        text = (tmp_path / f"x{ending}").read_text("utf-8")
        assert text.count("secret-7") == 5, ending
    assert "secret-7" not in ev.to_json() + ev.to_text() + ev._repr_html_()
    assert ev.to_html(rows=4).count("secret-7") == 4
    for ending in (".csv", ".calipers"):
        with pytest.raises(cal.InputError, match="no place for rows; save them on their own"):
            ev.save(tmp_path / f"y{ending}", rows=5)
        assert not (tmp_path / f"y{ending}").exists()
    ev.worst_rows(5).save(tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text("utf-8").count("secret-7") == 5


def test_item_8_hostile_cells_are_text(tmp_path):
    pytest.importorskip("jinja2")
    truth, score = [0] * 6 + [1, 1], [0.9] * 6 + [0.8, 0.9]
    ev = cal.evaluate({"y": truth, "p": score, HOSTILE[0]: [*HOSTILE, "a", "b"]}, truth="y", score="p")
    ev.save(tmp_path / "x.html", rows=8)
    page = (tmp_path / "x.html").read_text("utf-8")
    assert "alert(1)</script>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "x" * 100 not in page
    assert "<script>" not in ev.to_html(rows=8)
    assert "\x1b" not in ev.to_text(rows=8)
    assert all(len(line) <= 80 for line in ev.to_text(rows=8).splitlines())
    lines = [line for line in ev.to_markdown(rows=8).splitlines() if "alert" in line or "red" in line]
    assert all("\\<script\\>" in line or "alert" not in line for line in lines)
    assert "a\\|b" in ev.to_markdown(rows=8)
    assert r"50\% \& \#1\_\{\}" in ev.to_latex(rows=8)


def test_item_8_a_page_is_bounded_whatever_is_asked_for(tmp_path):
    pytest.importorskip("jinja2")
    wide = {f"column {i}": ["界" * 300] * 5000 for i in range(30)}
    y, p = rng.integers(0, 2, 5000), rng.uniform(size=5000)
    ev = cal.evaluate({"y": y, "p": p, **wide}, truth="y", score="p")
    ev.save(tmp_path / "x.html", rows=5000)
    page = (tmp_path / "x.html").read_text("utf-8")
    assert len(page.encode()) <= 300_000
    assert 'id="worst_rows"' in page


def test_item_8_documents_have_the_rows_that_were_asked_for():
    ev = cal.evaluate({"y": TRUTH, "p": SCORE, "when": [None, 2.5] * 30}, truth="y", score="p")
    again = cal.loads(ev.to_json(rows=6))
    assert again.worst_rows(6).to_dict() == ev.worst_rows(6).to_dict()
    assert again.worst_rows(2)["row"] == ev.worst_rows(2)["row"]
    with pytest.raises(cal.InputError, match=r"the \.json result contains only 6 rows: save it with more \(rows=7\)"):
        again.worst_rows(7)
    worst = cal.loads(ev.worst_rows(3).to_json())
    assert worst.to_text() == ev.worst_rows(3).to_text()
    damaged = json.loads(ev.to_json(rows=6))
    damaged["worst_rows"]["measured"]["row"].pop()
    with pytest.raises(cal.InputError, match="columns of one length, among them loss"):
        cal.loads(json.dumps(damaged))


def test_item_8_without_rows_the_way_out_is_said():
    ev = cal.evaluate(TRUTH, SCORE)
    with pytest.raises(cal.InputError, match=r"from a \.json result, which contains no rows: .* save it with rows=20"):
        cal.loads(ev.to_json()).worst_rows()
    counts = cal.evaluate_counts(tp=5, fp=1, fn=2, tn=9)
    for without in (counts, cal.loads(ev.to_bytes()), pickle.loads(pickle.dumps(ev)), ev.merge(ev)):
        with pytest.raises(cal.InputError, match=r"no longer has its rows: .* call worst_rows on the evaluation that"):
            without.worst_rows()
        with pytest.raises(cal.InputError, match="no longer has its rows"):
            without.to_html(rows=3)
    for n in (0, -1, 2.5, "3", True):
        with pytest.raises(cal.InputError, match="is not a number of rows: pass a whole number, 1 or more"):
            ev.worst_rows(n)
    with pytest.raises(cal.InputError, match="one class only, so no row can be called worse"):
        cal.evaluate([1, 1], score=[-2.0, 3.0], positive=1, labels=[0, 1]).worst_rows()


def test_item_8_models_of_a_comparison_have_their_rows():
    comparison = cal.compare(TRUTH, {"a": SCORE, "b": 1 - SCORE}, metrics=["roc_auc"])
    assert comparison.models["a"].worst_rows(3)["row"] == cal.evaluate(TRUTH, SCORE).worst_rows(3)["row"]


def test_merging_many_parts_does_not_hold_their_rows():
    import gc
    import weakref

    parts, schema = [], cal.Schema.of(TRUTH, SCORE)

    def evaluations():
        for _ in range(4):
            gc.collect()
            assert sum(ref() is not None for ref in parts) <= 1
            ev = cal.evaluate(TRUTH, SCORE.copy(), schema=schema)
            parts.append(weakref.ref(ev.kept))
            yield ev

    assert cal.merge(evaluations()).rows == 240
