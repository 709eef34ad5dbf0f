"""Models on the same rows: what is compared how, and what is said about it."""

import json
import math
import re

import numpy as np
import pytest

import calipers as cal
from calipers.errors import InputError, UnknownName
from calipers.inference import area, paired
from calipers.inference.delong import covariance, delong_test, placements
from calipers.inference.multiple import adjusted


def rows(n=400, seed=1, strength=(2.0, 1.2, 1.2), share=0.3):
    """Truth and the probabilities of models that share half of their noise."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    common = rng.normal(size=n)
    scores = [m * (y - 0.5) + 0.7 * common + 0.7 * rng.normal(size=n) - 0.6 for m in strength]
    return y, {name: 1 / (1 + np.exp(-s)) for name, s in zip("ABC", scores, strict=False)}


Y, MODELS = rows()
TWO = {name: MODELS[name] for name in "AB"}


def test_accuracy_and_its_kin_are_mcnemars():
    comparison = cal.compare(Y, TWO)
    predicted = {name: (p >= 0.5).astype(int) for name, p in TWO.items()}
    right = {name: s == Y for name, s in predicted.items()}
    for name, picked in (("accuracy", Y >= 0), ("recall", Y == 1), ("specificity", Y == 0)):
        b = int((right["A"] & ~right["B"] & picked).sum())
        c = int((right["B"] & ~right["A"] & picked).sum())
        d = comparison[name]
        assert d.difference == pytest.approx((c - b) / picked.sum())
        assert d.pvalue == paired.mcnemar(b, c).pvalue
        both = int((right["A"] & right["B"] & picked).sum())
        neither = int(picked.sum()) - both - b - c
        assert (d.low, d.high) == paired.newcombe_paired(both, c, b, neither, 0.95)
        assert d.method == "McNemar test (mid-p), Newcombe interval"
    assert comparison["error_rate"].difference == -comparison["accuracy"].difference
    assert comparison["error_rate"].pvalue == comparison["accuracy"].pvalue
    assert comparison["error_rate"].verdict == comparison["accuracy"].verdict == "A better"
    assert comparison["fnr"].difference == pytest.approx(-comparison["recall"].difference)
    assert comparison["precision"].method.startswith("paired bootstrap")  # its denominator is what was predicted


def test_areas_are_delongs():
    comparison = cal.compare(Y, TWO, metrics=["roc_auc", "gini"])
    each = [placements(s[Y == 1], s[Y == 0]) for s in TWO.values()]
    v10, v01 = (np.array(part) for part in zip(*each, strict=True))
    spread = covariance(v10, v01)
    error = math.sqrt(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1])
    d = comparison["roc_auc"]
    gap = v10[1].mean() - v10[0].mean()
    assert d.difference == pytest.approx(gap, rel=1e-12)
    _, df = area.delong(np.diff(v10, axis=0).var() * len(v10[0]), np.diff(v01, axis=0).var() * len(v01[0]),
                        len(v10[0]), len(v01[0]))  # fmt: skip
    from scipy.stats import t

    near, far = sorted((d.difference - d.low, d.high - d.difference))
    assert near == pytest.approx(t.ppf(0.975, df) * error, rel=1e-9)
    assert near <= far < 1.1 * near  # the guard against skewness
    assert d.pvalue == pytest.approx(2 * t.sf(abs(gap) / error, df), rel=1e-9)
    assert delong_test(gap, error).pvalue < d.pvalue  # few degrees of freedom make it larger
    assert comparison["gini"].difference == pytest.approx(2 * gap)
    assert comparison["gini"].pvalue == pytest.approx(d.pvalue, rel=1e-9)


def test_losses_are_paired_t():
    """Student's t, with as many degrees of freedom as the smaller class decides, guarded against skewness."""
    from scipy.stats import skew, t, ttest_rel

    fewer = min(Y.sum(), len(Y) - Y.sum()) - 1
    for name, losses in (
        ("brier", [(Y - p) ** 2 for p in TWO.values()]),
        ("log_loss", [-np.log(np.where(Y == 1, p, 1 - p)) for p in TWO.values()]),
    ):
        d = cal.compare(Y, TWO, metrics=[name])[name]
        peer = ttest_rel(*losses)
        assert d.pvalue >= 2 * t.sf(abs(peer.statistic), fewer) * (1 - 1e-9)
        apart = losses[1] - losses[0]
        error = apart.std(ddof=1) / np.sqrt(len(Y))
        near, far = sorted((d.difference - d.low, d.high - d.difference))
        # Errors that were not drawn would cost the surer model, A, more, which adds a little on its side.
        assert near == pytest.approx(t.ppf(0.975, fewer) * error, rel=1e-4)
        assert near < far < 1.5 * near
        assert (d.difference - d.low > d.high - d.difference) == (skew(apart) < 0)  # towards the long tail
        assert d.verdict == "A better"
        plain = cal.compare(Y, TWO, metrics=[name], method="paired-t")[name]["A", "B"]
        assert plain.pvalue == pytest.approx(peer.pvalue)
        assert (plain.low, plain.high) == pytest.approx(tuple(peer.confidence_interval()))
        assert (plain.statistic, plain.df, plain.stderr) == pytest.approx((peer.statistic, peer.df, error))


@pytest.mark.parametrize("name", ["f1", "mcc", "balanced_accuracy", "precision", "ece", "ks", "kappa"])
def test_the_rest_is_resampled_on_the_same_rows(name):
    """The bootstrap's error is that of drawing rows by hand and evaluating each draw."""
    d = cal.compare(Y, TWO, metrics=[name])[name]
    rng = np.random.default_rng(5)
    gaps = []
    for _ in range(300):
        at = rng.integers(0, len(Y), len(Y))
        ev = [cal.evaluate(Y[at], p[at]) for p in TWO.values()]
        gaps.append(ev[1][name] - ev[0][name])
    from scipy.stats import t

    fewer = min(Y.sum(), len(Y) - Y.sum()) - 1
    assert (d.high - d.low) / 2 / t.ppf(0.975, fewer) == pytest.approx(np.std(gaps), rel=0.15)
    assert d.difference == pytest.approx(cal.evaluate(Y, TWO["B"])[name] - cal.evaluate(Y, TWO["A"])[name])
    again = cal.compare(Y, TWO, metrics=[name])[name]
    assert (again.low, again.pvalue) == (d.low, d.pvalue)
    assert cal.compare(Y, TWO, metrics=[name], seed=1)[name].low != d.low


def test_identical_models_do_not_differ():
    comparison = cal.compare(Y, {"A": TWO["A"], "B": TWO["A"].copy()})
    for name in comparison:
        assert (comparison[name].difference, comparison[name].pvalue) == (0, 1), name
        assert comparison[name].verdict == "no evidence either way"
    assert repr(comparison.curves()) == "ROC curves: A and B have the same curve"


def test_two_perfect_models_are_not_certain():
    y = np.repeat([0, 1], 20)
    differences = cal.compare(y, {"A": np.arange(40.0), "B": np.arange(40.0) ** 2}, metrics=["roc_auc"])["roc_auc"]
    assert (differences.difference, differences.pvalue) == (0, 1)
    assert differences.low < -0.1 < 0.1 < differences.high
    apart = cal.compare(y, {"A": np.arange(40.0), "B": np.full(40, 0.3)}, metrics=["roc_auc"])["roc_auc"]
    assert apart.difference == -0.5
    assert -1 < apart.low < -0.5 < apart.high < 0


def test_many_models_pair_by_pair():
    comparison = cal.compare(Y, MODELS, metrics=["accuracy", "roc_auc", "f1"])
    auc = comparison["roc_auc"]
    assert list(auc) == [("B", "A"), ("C", "A"), ("C", "B")]
    assert auc["B", "A"].difference == -auc["A", "B"].difference
    assert auc["B", "A"].verdict == auc["A", "B"].verdict == "A better"
    assert auc["B", "A"].statistic == -auc["A", "B"].statistic < 0
    assert auc["B", "A"].low == -auc["A", "B"].high
    raw = [d.pvalue for d in auc.values()]
    stepwise = cal.compare(Y, MODELS, metrics=["roc_auc"], adjust="holm")["roc_auc"]
    assert [d.adjusted for d in stepwise.values()] == pytest.approx(adjusted(raw))
    predicted = np.stack([(p >= 0.5) == Y for p in MODELS.values()], 1)
    assert comparison["accuracy"].overall == paired.cochran_q(predicted)
    assert auc.overall.method == "DeLong test of all areas"
    assert auc.overall.pvalue < 0.01
    assert comparison["f1"].overall is None
    with pytest.raises(AttributeError, match="several pairs: name one, as in"):
        _ = auc.difference
    with pytest.raises(UnknownName, match=r"no pair .*: name two of A, B, C"):
        _ = auc["A", "D"]
    plain = cal.compare(Y, MODELS, metrics=["roc_auc"], adjust="none")["roc_auc"]
    assert [d.adjusted for d in plain.values()] == raw


def test_a_margin_asks_for_equivalence():
    y, models = rows(3000, 3, (1.5, 1.5))
    comparison = cal.compare(y, models, metrics=["accuracy", "log_loss"], margin=0.05)
    for name in comparison:
        d = comparison[name]
        assert d.verdict == "equivalent"
        assert d.equivalence < 0.05
        inside = cal.compare(y, models, metrics=[name], level=0.9)[name]
        assert -0.05 < inside.low < inside.high < 0.05  # two one-sided tests at .05 are the 90% interval
    strict = cal.compare(y, models, metrics=["accuracy"], margin=0.001)["accuracy"]
    assert strict.verdict.startswith("no evidence either way (about ")
    assert strict.equivalence > 0.05


def test_not_worse_has_the_side_of_the_metric():
    comparison = cal.compare(Y, TWO, metrics=["roc_auc", "log_loss"], margin=0.02)
    for name in comparison:
        forward, backward = comparison[name]["A", "B"], comparison[name]["B", "A"]
        assert forward.noninferiority < 0.05 < backward.noninferiority, name  # A is better on both


def test_the_verdict_counts_the_rows_that_it_lacks():
    y, models = rows(300, 4, (1.5, 1.3))
    d = cal.compare(y, models, metrics=["brier"])["brier"]
    assert d.verdict == f"no evidence either way (about {round(d.more_rows, -2)} more rows needed to decide)"
    apart = np.diff([(y - p) ** 2 for p in models.values()], axis=0)
    needed = 300 * ((1.96 + 0.8416) * apart.std(ddof=1) / np.sqrt(300) / d.difference) ** 2
    assert d.more_rows + 300 == pytest.approx(needed, rel=0.01)


def test_weights_of_1_and_clusters_of_one_row_change_little():
    plain = cal.compare(Y, TWO, metrics=["accuracy", "roc_auc", "average_precision", "brier", "f1"])
    for extra in ({"weights": np.ones(len(Y))}, {"groups": np.arange(len(Y))}):
        comparison = cal.compare(Y, TWO, metrics=list(plain), **extra)
        for name in plain:
            assert comparison[name].difference == pytest.approx(plain[name].difference, abs=1e-12)
            width, right = comparison[name].high - comparison[name].low, plain[name].high - plain[name].low
            assert width == pytest.approx(right, rel=0.06), (name, extra.keys())


def test_repeated_rows_in_clusters_are_no_new_rows():
    many = {name: np.repeat(p, 5) for name, p in TWO.items()}
    names = ["accuracy", "roc_auc", "brier", "f1"]
    once = cal.compare(Y, TWO, metrics=names)
    naive = cal.compare(np.repeat(Y, 5), many, metrics=names)
    right = cal.compare(np.repeat(Y, 5), many, metrics=names, groups=np.repeat(np.arange(len(Y)), 5))
    for name in names:
        widths = [c[name].high - c[name].low for c in (once, naive, right)]
        assert widths[1] < 0.6 * widths[0]
        assert widths[2] == pytest.approx(widths[0], rel=0.08)
        assert right[name].method.endswith("grouped")


def test_labels_and_several_classes():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 300)
    a, b = (np.where(rng.random(300) < p, y, rng.integers(0, 4 if p < 0.6 else 3, 300)) for p in (0.7, 0.5))
    comparison = cal.compare(y, {"A": a, "B": b}, metrics=["accuracy", "f1(average=macro)", "kappa"])
    # B predicts a class that A does not.
    assert comparison.models["A"].labels == comparison.models["B"].labels == (0, 1, 2, 3)
    alone = [int(((one == y) & (other != y)).sum()) for one, other in ((a, b), (b, a))]
    assert comparison["accuracy"].pvalue == paired.mcnemar(*alone).pvalue
    assert comparison["f1(average=macro)"].verdict == "A better"
    p = rng.dirichlet(np.ones(3), 300)
    q = np.eye(3)[y] * 0.3 + 0.7 * p
    scored = cal.compare(y, {"noise": p, "signal": q}, metrics=["roc_auc(average=macro)", "log_loss", "accuracy"])
    assert {d.verdict for d in (scored[name] for name in scored)} == {"signal better"}
    assert scored["log_loss"].method == "paired t-test"


def test_many_classes():
    """Three hundred classes: McNemar as ever, resampled tables in blocks, ranks of the true class by rows."""
    rng = np.random.default_rng(4)
    y = np.concatenate([np.arange(300), rng.integers(0, 300, 900)])
    a, b = (np.where(rng.random(1200) < p, y, rng.integers(0, 300, 1200)) for p in (0.8, 0.6))
    comparison = cal.compare(y, {"A": a, "B": b}, metrics=["accuracy", "recall(average=micro)", "kappa"])
    alone = [int(((one == y) & (other != y)).sum()) for one, other in ((a, b), (b, a))]
    for name in ("accuracy", "recall(average=micro)"):
        assert comparison[name].pvalue == paired.mcnemar(*alone).pvalue
    assert comparison["kappa"].verdict == "A better"
    assert comparison["kappa"].difference == pytest.approx(comparison["accuracy"].difference, abs=0.01)
    width, right = (comparison[name].high - comparison[name].low for name in ("kappa", "accuracy"))
    assert width == pytest.approx(right, rel=0.1)
    y, p = y[:60] % 5, rng.dirichlet(np.ones(5), 60)
    top = cal.compare(y, {"A": np.eye(5)[y] * 0.4 + 0.6 * p, "B": p}, metrics=["top_k_accuracy(k=2)"])
    assert next(iter(top.values())).verdict == "A better"


def test_label_sets():
    rng = np.random.default_rng(3)
    truth = rng.random((200, 4)) < 0.4
    near, far = (truth ^ (rng.random(truth.shape) < p) for p in (0.1, 0.3))
    comparison = cal.compare(truth.astype(int), {"near": near.astype(int), "far": far.astype(int)},
                        metrics=["hamming_loss", "f1(average=macro)"])  # fmt: skip
    assert comparison["hamming_loss"].verdict == comparison["f1(average=macro)"].verdict == "near better"
    assert comparison["hamming_loss"].method == "paired t-test"


def test_frames_and_thresholds():
    import pandas as pd

    frame = pd.DataFrame({"y": np.where(Y == 1, "yes", "no"), "a": TWO["A"], "b": TWO["B"], "w": 1.0 + Y, "who": Y * 0})
    comparison = cal.compare(frame, {"A": "a", "B": "b"}, truth="y", positive="yes", weights="w", threshold=0.3,
                        metrics=["recall", "roc_auc"])  # fmt: skip
    assert comparison.models["A"].predictions == "score >= 0.3"
    assert comparison["recall"].measured[1] == pytest.approx(np.mean(TWO["A"][Y == 1] >= 0.3))
    with pytest.raises(InputError, match="all rows are in one group"):
        cal.compare(frame, {"A": "a", "B": "b"}, truth="y", positive="yes", groups="who")


def test_the_text_fits_and_the_document_is_json():
    for models in (TWO, MODELS, {"a model with a very long name": TWO["A"], "短い名前": TWO["B"]}):
        comparison = cal.compare(
            Y, models, metrics=["accuracy", "f1", "average_precision", "balanced_accuracy", "f1_macro"]
        )
        from calipers.report.terminal import width

        assert max(map(width, repr(comparison).splitlines())) <= 80
        document = json.loads(comparison.to_json())
        assert list(document["evaluations"]) == list(models)
        first = document["metrics"]["accuracy"]["pairs"][0]
        assert first["difference"] == comparison["accuracy"][next(iter(comparison["accuracy"]))].difference
        assert set(first) >= {"low", "high", "pvalue", "adjusted", "verdict", "method"}


def test_what_cannot_be_compared_is_said():
    with pytest.raises(InputError, match="at least two models are needed"):
        cal.compare(Y, {"A": TWO["A"]})
    with pytest.raises(InputError, match=r"y_true has 400 rows and models\['B'\] has 399"):
        cal.compare(Y, {"A": TWO["A"], "B": TWO["B"][:-1]})
    with pytest.raises(InputError, match="margin=-1: must be a number greater than 0"):
        cal.compare(Y, TWO, margin=-1)
    with pytest.raises(InputError, match="adjust='hochberg' is not known"):
        cal.compare(Y, TWO, adjust="hochberg")
    never = cal.compare(Y, {"A": np.zeros(len(Y), int), "B": (TWO["B"] > 0.5).astype(int)}, metrics=["precision"])
    assert never["precision"].verdict == "not compared"
    assert math.isnan(never["precision"].difference)
    assert never["precision"].note == "no row was predicted as this class"
    assert "no row was predicted as this class" in repr(never)
    one = cal.compare([0, 1, 1], {"A": [0.1, 0.8, 0.4], "B": [0.3, 0.2, 0.7]}, metrics=["roc_auc"])["roc_auc"]
    assert math.isnan(one.pvalue)
    assert one.note == "a class has fewer than two rows"


def test_four_rows_do_not_decide():
    """Models that agree on all but four rows differ by no more than those four say: 2 of 16 sign patterns."""
    y = np.arange(400) % 2
    a = np.where(np.arange(400) % 5 == 0, 1 - y, y)
    b = a.copy()
    wrong = np.flatnonzero((a != y) & (y == 1))[:4]
    b[wrong] = 1
    comparison = cal.compare(y, {"A": a, "B": b}, metrics=["accuracy", "f1", "mcc", "balanced_accuracy", "kappa"])
    assert comparison["accuracy"].pvalue == 2 / 16 - 1 / 16  # mid-p
    for name in ("f1", "mcc", "balanced_accuracy", "kappa"):
        assert 0.06 < comparison[name].pvalue < 0.2, name
    p = np.random.default_rng(1).random(400) * 0.4 + 0.3 * y
    q = p.copy()
    q[wrong] += 0.1
    losses = cal.compare(y, {"A": p, "B": q}, metrics=["brier", "log_loss"])
    for name in losses:
        assert losses[name].pvalue > 0.06, name


def test_a_query_runs_once_for_all_columns():
    """A second run may give its rows in another order, and then truth and scores would not be of the same rows."""
    import duckdb

    connection = duckdb.connect()
    columns = "i % 2 as y, (i % 2 * 0.6 + 0.2)::double as a, (i % 2 * 0.5 + 0.1)::double as b"
    query = connection.sql(f"select {columns} from range(500) t(i) order by random()")
    assert float(cal.compare(query, {"A": "a", "B": "b"}, truth="y").models["A"]["roc_auc"]) == 1.0


def test_rows_missing_for_one_model_are_dropped_for_all():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 60)
    a, b = (np.clip(0.5 + 0.2 * (y - 0.5) + 0.2 * rng.normal(size=60), 0, 1) for _ in "ab")
    holes, truth = (x.astype(float) for x in (a, y))
    holes[[3, 9]], other, truth[20] = np.nan, b.copy(), np.nan
    other[[9, 11]] = np.nan
    kept = np.setdiff1d(np.arange(60), [3, 9, 11, 20])
    with pytest.raises(InputError, match=r"model A: .*missing"):
        cal.compare(truth, {"A": holes, "B": other})
    comparison = cal.compare(truth, {"A": holes, "B": other}, missing="drop", groups=np.arange(60) // 2)
    plain = cal.compare(y[kept], {"A": a[kept], "B": b[kept]}, groups=kept // 2)
    assert comparison.rows == 56
    for name in plain:
        one, two = ((d.difference, d.low, d.pvalue) for d in (comparison[name]["A", "B"], plain[name]["A", "B"]))
        assert one == pytest.approx(two, nan_ok=True)
    assert comparison.notes[-1] == "4 rows with missing values were dropped"
    assert "note: 4 rows with missing values were dropped" in repr(comparison)
    assert comparison.to_dict()["notes"] == list(comparison.notes)
    nothing = np.where(np.arange(60) % 2, np.nan, a), np.where(np.arange(60) % 2, b, np.nan)
    with pytest.raises(InputError, match="every row has a missing value for one of the models: no data is left to"):
        cal.compare(y, dict(zip("AB", nothing, strict=True)), missing="drop")


def test_a_difference_that_is_the_same_in_every_resample_is_as_sure_as_the_rows_are_many():
    for rows, verdict in ((2, "no evidence"), (8, "no evidence"), (200, "right better")):
        truth = np.arange(rows) % 2
        comparison = cal.compare(truth, {"right": truth, "wrong": 1 - truth}, positive=1)
        assert comparison["balanced_accuracy"].difference == -1
        assert comparison["balanced_accuracy"].verdict.startswith(verdict), rows


def test_item_4_the_comparison_keeps_what_was_asked():
    comparison = cal.compare([0, 1] * 10, {"a": [0.2, 0.7] * 10, "b": [0.6, 0.4] * 10}, seed=7, threshold=0.3)
    assert (comparison.settings.seed, comparison.pairing.seed) == (7, 7)
    document = comparison.to_dict()
    assert [document["settings"][name] for name in ("seed", "threshold")] == [7, 0.3]
    assert document["positive"]["values"] == [1]
    runs = {"a": {"q": {"d": 2.0}}, "b": {"q": {"d": 1.0}}}
    assert cal.compare({"q": {"d": 1}}, runs, seed=5).settings.seed == 5


def test_item_4_an_evaluation_is_not_a_frame():
    ev = cal.evaluate([0, 1], [0.2, 0.7])
    text = "Evaluation is a result and no longer contains the rows: pass the rows, compare(y_true, {"
    for args in ((ev, ev), ([0, 1], {"a": ev, "b": ev})):
        with pytest.raises(InputError, match=re.escape(text)):
            cal.compare(*args)
    with pytest.raises(InputError, match="Evaluation is a result"):
        cal.evaluate(ev)
