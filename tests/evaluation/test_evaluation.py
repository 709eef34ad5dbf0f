"""The result: a mapping of names to estimates, thresholds, restated prevalence, curves, costs and the document."""

import json
import math
import pickle
import re
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers as cal
from calipers.errors import InputError, UnknownName

RNG = np.random.default_rng(7)
TRUTH = RNG.integers(0, 2, 200)
SCORE = np.round(1 / (1 + np.exp(-RNG.normal(size=200) - TRUTH)), 2)
CLASSES = np.array(["bird", "cat", "dog"])[RNG.integers(0, 3, 90)]
SHARES = np.exp(RNG.normal(size=(90, 3)))
SHARES /= SHARES.sum(1, keepdims=True)


def counts_at(threshold, truth=TRUTH, score=SCORE):
    pred = score >= threshold
    return {
        "tp": (pred & (truth == 1)).sum(),
        "fp": (pred & (truth == 0)).sum(),
        "fn": (~pred & (truth == 1)).sum(),
        "tn": (~pred & (truth == 0)).sum(),
    }


def test_mapping():
    ev = cal.evaluate(TRUTH, SCORE)
    assert isinstance(ev, Mapping)
    assert len(ev) == len(list(ev)) == len(dict(ev))
    assert set(ev) >= {"accuracy", "precision", "recall", "f1", "roc_auc", "average_precision", "log_loss", "brier"}
    assert "f1" in ev
    assert "auc" in ev  # any spelling
    assert "no_such" not in ev
    assert ev.get("no_such") is None
    assert ev["auc"] is ev["roc_auc"] is ev["auroc"]
    assert all(isinstance(e, cal.Estimate) and math.isfinite(e) for e in ev.values())
    assert ev["kappa"].low < ev["kappa"] < ev["kappa"].high  # not listed: computed when asked for
    assert "kappa" not in list(ev)
    with pytest.raises(UnknownName, match=r"no metric is called 'presicion'; did you mean precision"):
        ev["presicion"]


def test_asked_metrics_are_what_is_listed():
    ev = cal.evaluate(TRUTH, SCORE, metrics=["f1", "auc", "fbeta(beta=2)"], level=0.9)
    assert list(ev) == ["f1", "roc_auc", "fbeta(beta=2)"]
    assert {e.level for e in ev.values()} == {0.9}
    assert list(cal.evaluate(TRUTH, SCORE, metrics="f1")) == ["f1"]
    assert list(cal.evaluate(TRUTH, SCORE, metrics=[cal.metric("f2")])) == ["fbeta(beta=2)"]


def test_a_bare_precision_of_three_classes_names_the_averages():
    ev = cal.evaluate(CLASSES, SHARES)
    averages = "precision(average=macro), precision(average=weighted), precision(average=micro)"
    text = f"precision is defined for one class, but there are several: request {averages}, or see ev.classes"
    with pytest.raises(KeyError, match=re.escape(text)):
        ev["precision"]
    with pytest.raises(KeyError, match="roc_auc is defined for one class, but there are"):
        ev["roc_auc"]
    assert ev.get("precision") is None
    assert list(ev.classes) == ["bird", "cat", "dog"]
    for name in ("precision", "roc_auc", "recall"):
        each = [float(ev.classes[c][name]) for c in ev.labels]
        assert ev[f"{name}_macro"] == pytest.approx(np.mean(each))


@pytest.mark.parametrize("threshold", [-1, 0, 0.3, 0.5, 0.77, 1, np.inf])
def test_at_threshold(threshold):
    ev, c = cal.evaluate(TRUTH, SCORE).at(threshold=threshold), counts_at(threshold)
    direct = cal.evaluate(TRUTH, (threshold <= SCORE).astype(int))
    assert [ev[name] for name in c] == list(c.values())
    for name in ("accuracy", "precision", "recall", "f1", "mcc", "specificity"):
        assert float(ev[name]) == pytest.approx(float(direct[name]), nan_ok=True)
        assert ev[name].low == pytest.approx(direct[name].low, nan_ok=True)
    assert ev["roc_auc"] == cal.evaluate(TRUTH, SCORE)["roc_auc"]
    assert ev.settings.threshold == threshold
    assert cal.loads(ev.to_json()).settings.threshold == threshold


@pytest.mark.parametrize("prevalence", [0.001, 0.1, 0.5, 0.9])
def test_at_prevalence(prevalence):
    """Against Bayes' rule, and for scores against rows weighted to that prevalence."""
    ev, plain = cal.evaluate(TRUTH, SCORE).at(prevalence=prevalence), cal.evaluate(TRUTH, SCORE)
    tpr, fpr, p = float(plain["recall"]), float(plain["fpr"]), prevalence
    expected = {
        "recall": tpr, "fpr": fpr, "prevalence": p, "precision": tpr * p / (tpr * p + fpr * (1 - p)),
        "npv": (1 - fpr) * (1 - p) / ((1 - fpr) * (1 - p) + (1 - tpr) * p), "accuracy": tpr * p + (1 - fpr) * (1 - p),
        "roc_auc": float(plain["roc_auc"]), "balanced_accuracy": float(plain["balanced_accuracy"]),
        "youden_j": tpr - fpr,
    }  # fmt: skip
    assert {name: float(ev[name]) for name in expected} == pytest.approx(expected)
    share = TRUTH.mean()
    heavy = cal.evaluate(TRUTH, SCORE, weights=np.where(TRUTH == 1, p / share, (1 - p) / (1 - share)))
    for name in ("average_precision", "log_loss", "brier", "ece", "mcc", "f1"):
        assert ev[name] == pytest.approx(heavy[name]), name
    for name in ("precision", "npv", "accuracy", "f1", "mcc"):
        assert ev[name].low < ev[name] < ev[name].high, name
    assert ev.notes[-1] == f"restated for a prevalence of {prevalence:g}"
    counted = cal.evaluate_counts(**counts_at(0.5)).at(prevalence=prevalence)
    assert counted["precision"] == pytest.approx(expected["precision"])
    assert counted["precision"].low == pytest.approx(ev["precision"].low)


def test_at_what_cannot_be():
    with pytest.raises(InputError, match=r"at\(threshold=\) needs scores, but only labels were given"):
        cal.evaluate(TRUTH, TRUTH).at(threshold=0.3)
    with pytest.raises(InputError, match=r"at\(\) is for two classes with a positive class"):
        cal.evaluate(CLASSES, SHARES).at(threshold=0.3)
    with pytest.raises(InputError, match=r"prevalence=1\.5: must be a number between 0 and 1"):
        cal.evaluate(TRUTH, SCORE).at(prevalence=1.5)
    single = cal.evaluate([1, 1, 1], [0.2, 0.7, 0.9])
    with pytest.raises(InputError):
        single.at(prevalence=0.3)


def brute(criterion):
    """The highest of the thresholds that are worth most."""
    thresholds = np.append(np.inf, np.unique(SCORE)[::-1])
    with np.errstate(all="ignore"):
        values = np.array([criterion(**{k: float(v) for k, v in counts_at(t).items()}) for t in thresholds])
    return thresholds[np.nanargmax(values)]


RULES = {
    "f1": ("f1", lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn)),
    "youden": ("youden", lambda tp, fp, fn, tn: tp / (tp + fn) - fp / (fp + tn)),
    "corner": ("corner", lambda tp, fp, fn, tn: -np.hypot(fn / (tp + fn), fp / (fp + tn))),
    "fpr": ("fpr", lambda tp, fp, fn, tn: -fp / (fp + tn)),
    "fbeta(beta=2)": ("fbeta(beta=2)", lambda tp, fp, fn, tn: 5 * tp / (5 * tp + 4 * fn + fp)),
    "vectorised": (lambda c: 3 * c.tp - 2 * c.fp, lambda tp, fp, fn, tn: 3 * tp - 2 * fp),
    "scalar": (
        lambda c: 5 * c.tp if c.fp > 3 else 2 * c.tp - c.fp,
        lambda tp, fp, fn, tn: 5 * tp if fp > 3 else 2 * tp - fp,
    ),
}


@pytest.mark.parametrize(("rule", "criterion"), RULES.values(), ids=RULES)
def test_best_threshold(rule, criterion):
    best = cal.evaluate(TRUTH, SCORE).best_threshold(rule)
    assert best == brute(criterion)
    counts = counts_at(float(best))
    assert [float(x) for x in best.counts.counts] == [counts[k] for k in ("tp", "fp", "fn", "tn")]
    assert best.value == pytest.approx(abs(criterion(**counts)))


@pytest.mark.parametrize("cost", [{"fp": 1, "fn": 10}, {"fp": 10, "fn": 1}, {"fp": 1, "fn": 1, "tp": -2}])
def test_best_threshold_for_costs(cost):
    best = cal.evaluate(TRUTH, SCORE).best_threshold(cost=cost)
    assert best == brute(lambda **c: -sum(price * c[name] for name, price in cost.items()))
    c = counts_at(float(best))
    assert best.value == pytest.approx(sum(price * c[name] for name, price in cost.items()) / 200)


def test_best_threshold_keeps_the_sign_of_a_value():
    """A best value below zero is no improvement, and must not be shown as one."""
    best = cal.evaluate(TRUTH, SCORE).best_threshold(lambda c: -1.0 - c.fp - c.fn)
    assert best.value < 0


@pytest.mark.parametrize(
    ("rule", "options", "text"),
    [
        (None, {}, 'best_threshold needs a rule, such as "f1" or "corner", or cost={"fp": 1, "fn": 10}'),
        ("f1", {"cost": {"fp": 1}}, "best_threshold needs a rule"),
        (None, {"cost": {"fpr": 1}}, "cost has the keys ['fpr']: allowed are tp, fp, fn and tn"),
        ("roc_auc", {}, "roc_auc has no best threshold: pass a metric of one class, such as f1 or youden_j"),
        ("prevalence", {}, "prevalence has no best threshold"),
        (lambda c: [1, 2], {}, "the value function returned shape"),
    ],
)
def test_best_threshold_of_what_has_none(rule, options, text):
    with pytest.raises(InputError, match=re.escape(text)):
        cal.evaluate(TRUTH, SCORE).best_threshold(rule, **options)
    with pytest.raises(InputError, match="a best threshold needs rows of both classes"):
        cal.evaluate([1, 1], [0.2, 0.7]).best_threshold("f1")


LABELS = {"bool": [False, True, True], "int": [0, 1, 1], "str": ["0", "1", "1"], "far": [-5, 2**40, 2**40]}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_document_round_trip(labels):
    ev = cal.evaluate(labels, labels[::-1], by={"g": labels})
    text = ev.to_json()
    back = cal.loads(text)
    assert back.to_json() == text
    assert json.loads(text)["format"] == 2
    for one in (ev, back):
        assert one.labels == tuple(sorted(set(labels)))
        assert {type(v) for v in (*one.labels, *one.classes, *one.by["g"])} == {type(labels[0])}
        assert one.positive is None or type(one.positive) is type(labels[0])
    assert back.confusion.counts.tolist() == ev.confusion.counts.tolist()
    assert list(back) == list(ev)
    assert back.by["g"][labels[1]]["accuracy"] == ev.by["g"][labels[1]]["accuracy"]


@pytest.mark.parametrize(
    "ev",
    [
        lambda: cal.evaluate(TRUTH, SCORE, weights=SCORE + 0.1, level=0.8, threshold=0.3),
        lambda: cal.evaluate(CLASSES, SHARES, labels=["dog", "cat", "bird"]),
        lambda: cal.evaluate(np.eye(3, dtype=int), np.eye(3), score=np.eye(3)),
        lambda: cal.evaluate([1, 1], [0.2, 0.8]),
        lambda: cal.evaluate_counts(tp=[3, 4], fp=[1, 0], fn=[2, 2]),
        lambda: cal.evaluate_counts(tp=3, fp=0, fn=2, tn=5, metrics=["lr_plus", "dor", "f1"]),
        lambda: cal.evaluate(TRUTH, SCORE).at(prevalence=0.2),
        lambda: cal.evaluate([0, 1, 1], [0, 1, 1], labels=np.array([0, 1]), positive=np.int64(1)),
        lambda: cal.evaluate(["a", "b"], ["a", "b"], labels=np.array(["a", "b"])),
    ],
    ids=["binary", "classes", "label sets", "one class", "parts", "infinite", "restated", "NumPy labels", "NumPy text"],
)
def test_documents_of_every_kind(ev):
    ev = ev()
    text = ev.to_json()
    back = cal.loads(text)
    assert back.to_json() == text
    for name, estimate in ev.items():
        assert float(back[name]) == pytest.approx(float(estimate), nan_ok=True, abs=0, rel=0)
        assert back[name].low == pytest.approx(estimate.low, nan_ok=True, abs=0, rel=0)
        assert (back[name].reason, back[name].flags, back[name].method) == (
            estimate.reason,
            estimate.flags,
            estimate.method,
        )
        if math.isnan(estimate):
            assert json.loads(text)["metrics"][name]["value"] is None
    assert "NaN" not in text
    assert "Infinity" not in text


def test_a_document_without_its_statistics_says_so():
    back = cal.loads(cal.evaluate(TRUTH, SCORE).to_json())
    for call in (lambda: back.curve("roc"), lambda: back.at(threshold=0.2), lambda: back.best_threshold("f1")):
        with pytest.raises(
            InputError, match=r"this evaluation was read from a \.json result, which contains no rows: evaluate"
        ):
            call()
    with pytest.raises(UnknownName, match=r"'kappa' is not in this \.json result, which contains no rows"):
        back["kappa"]
    with pytest.raises(InputError, match=r"this \.json result has format 99 of a newer version of Calipers"):
        cal.loads('{"calipers": 99}')
    with pytest.raises(
        InputError, match="a result is a JSON object, but this has type list: pass the output of to_json"
    ):
        cal.loads("[]")


def test_evaluations_pickle():
    """What a worker of a group sends back; the numbers at least must survive."""
    ev = pickle.loads(pickle.dumps(cal.evaluate(TRUTH, SCORE)))
    assert ev["f1"] == cal.evaluate(TRUTH, SCORE)["f1"]


def test_expected_cost():
    costs = np.array([[0, 2, 5], [1, 0, 1], [10, 3, -1]])
    pred = SHARES.argmax(1)
    true = np.searchsorted(["bird", "cat", "dog"], CLASSES)
    cost = cal.evaluate(CLASSES, SHARES).expected_cost(costs)
    each = costs[true, pred].astype(float)
    assert cost == pytest.approx(each.mean())
    assert cost.low < cost < cost.high
    assert cost.high - cost.low == pytest.approx(2 * 1.987 * each.std(ddof=1) / np.sqrt(90), rel=0.1)
    turned = cal.evaluate(CLASSES, SHARES[:, ::-1], labels=["dog", "cat", "bird"]).expected_cost(costs[::-1, ::-1])
    assert turned == pytest.approx(cost)
    for bad in (np.eye(2), np.full((3, 3), np.nan)):
        with pytest.raises(
            InputError, match=re.escape(f"the cost matrix has shape {bad.shape}: (3, 3) finite numbers are needed")
        ):
            cal.evaluate(CLASSES, SHARES).expected_cost(bad)


def test_confusion():
    ev = cal.evaluate(["a", "b", "b", "c"], ["a", "b", "a", "b"], labels=["c", "b", "a"])
    assert ev.confusion.labels == ("c", "b", "a")
    assert ev.confusion.counts.tolist() == [[0, 1, 0], [0, 1, 1], [0, 0, 1]]
    assert ev.confusion["b", "a"] == ev.confusion.T["b", "a"] == 1
    assert np.asarray(ev.confusion).tolist() == ev.confusion.counts.tolist()
    assert ev.confusion.normalised("truth").tolist() == [[0, 1, 0], [0, 0.5, 0.5], [0, 0, 1]]
    assert ev.confusion.normalised("all").sum() == 1
    assert np.isnan(ev.confusion.normalised("prediction")[:, 0]).all()
    assert [x.tolist() for x in ev.confusion.margins] == [[1, 2, 1], [0, 2, 2]]
    assert ev.confusion.T.normalised("truth").T.tolist() == ev.confusion.normalised("truth").tolist()
    with pytest.raises(InputError, match="by='rows' is not known: pass truth, prediction or all"):
        ev.confusion.normalised("rows")
    with pytest.raises(InputError, match="no confusion matrix: a single confusion matrix needs one label per row"):
        _ = cal.evaluate(np.eye(2), np.eye(2)).confusion


def test_sweep_and_gain():
    ev = cal.evaluate(TRUTH, SCORE)
    sweep = ev.curve("sweep")
    assert sweep.threshold[0] == np.inf
    for at in (0, 1, 17, -1):
        c = counts_at(sweep.threshold[at])
        assert {name: sweep[name][at] for name in c} == c
    gain, lift = ev.curve("gain"), ev.curve("lift")
    assert (gain.share[0], gain.gain[0], gain.share[-1], gain.gain[-1]) == (0, 0, 1, 1)
    assert lift.lift[-1] == 1
    assert lift.lift == pytest.approx(lift.gain / lift.share)
    assert set(sweep) == {"threshold", "tp", "fp", "fn", "tn", "precision", "recall", "fpr"}
    with pytest.raises(AttributeError, match="the roc curve has no column 'precision'"):
        _ = ev.curve("roc").precision
    with pytest.raises(UnknownName, match="no curve is called 'rok'; did you mean roc"):
        ev.curve("rok")


def test_metrics_and_cost_at_every_score():
    ev = cal.evaluate(TRUTH, SCORE)
    curve = ev.curve("thresholds", metrics=["precision", "recall", "fbeta(beta=2)"], cost={"fp": 1, "fn": 10})
    assert list(curve) == ["threshold", "precision", "recall", "fbeta(beta=2)", "cost"]
    assert curve.threshold.tolist() == np.unique(SCORE)[::-1].tolist()
    for at in (0, 5, -1):
        c = counts_at(curve.threshold[at])
        assert curve.precision[at] == c["tp"] / (c["tp"] + c["fp"])
        assert curve.cost[at] == pytest.approx((c["fp"] + 10 * c["fn"]) / len(TRUTH))
        assert curve["fbeta(beta=2)"][at] == pytest.approx(5 * c["tp"] / (5 * c["tp"] + c["fp"] + 4 * c["fn"]))
    assert curve.cost.min() == ev.best_threshold(cost={"fp": 1, "fn": 10}).value
    with pytest.raises(InputError, match="roc_auc has no threshold: pass metrics of one class"):
        ev.curve("thresholds", metrics=["roc_auc"])
    with pytest.raises(InputError, match="there is nothing to show at the thresholds"):
        ev.curve("thresholds", metrics=())
    with pytest.raises(InputError, match=r"cost has the keys \['fpp'\]: allowed are tp, fp, fn and tn"):
        ev.curve("thresholds", cost={"fpp": 1})


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_spread_of_the_scores(weighted, dtype):
    weights = RNG.uniform(0.1, 2, len(TRUTH)) if weighted else None
    for scores in (SCORE.astype(dtype), (10 * SCORE - 3).astype(dtype)):
        curve = cal.evaluate(TRUTH, scores, weights=weights, threshold=0.5).curve("scores", bins=20)
        span = (0, 1) if scores.min() >= 0 else (scores.min(), scores.max())
        assert (curve.begin[0], curve.end[-1]) == pytest.approx(span)
        edges = np.append(curve.begin, curve.end[-1]).astype(dtype)
        for name, code in (("positive", 1), ("negative", 0)):
            mask = code == TRUTH
            expected = np.histogram(scores[mask], edges, weights=None if weights is None else weights[mask])[0]
            assert curve[f"{name}s"] == pytest.approx(expected)
            assert curve[f"{name}_share"].sum() == pytest.approx(1)


def test_scores_on_an_edge_are_in_the_bin_that_begins_there():
    ev = cal.evaluate([0, 1, 1, 0], [0.0, 0.6, 0.7, 1.0])
    assert ev.curve("scores", bins=10).positives.tolist() == [0, 0, 0, 0, 0, 0, 1, 1, 0, 0]


def test_spread_of_odd_scores():
    ev = cal.evaluate([0, 1, 1, 0], [-np.inf, 2.0, np.inf, 0.0], threshold=1)
    assert ev.curve("scores", bins=2).positives.tolist() == [0, 2]
    assert ev.curve("scores", bins=2).negatives.tolist() == [2, 0]
    same = cal.evaluate([0, 1], [7.0, 7.0], threshold=1).curve("scores", bins=4)
    assert (same.begin[0], same.end[-1], same.positives.sum()) == (6.5, 7.5, 1)
    with pytest.raises(InputError, match="bins=0: must be a whole number from 1 to 1000"):
        ev.curve("scores", bins=0)


@pytest.mark.parametrize("kind", ["roc", "pr", "gain", "lift", "det", "thresholds"])
def test_thinned_curves_are_the_same_picture(kind):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 20_000)
    whole = cal.evaluate(truth, 1 / (1 + np.exp(-rng.normal(size=20_000) - truth))).curve(kind)
    few = whole.thinned(300)
    assert len(whole.x) > 1000 >= len(whole.thinned().x) > 500
    assert 150 < len(few.x) <= 300
    assert list(few) == list(whole)
    assert [few.x[i] for i in (0, -1)] == [whole.x[i] for i in (0, -1)]
    order = np.argsort(few.x, kind="stable")
    middle = (whole.x > np.quantile(whole.x, 0.05)) & (whole.x < np.quantile(whole.x, 0.95))
    drawn = np.interp(whole.x[middle], few.x[order], few.y[order])
    assert np.abs(drawn - whole.y[middle]).max() < 0.03 * np.ptp(whole.y[middle])
    assert whole.thinned(len(whole.x)) is whole


def test_bands_of_thinned_curves_lie_where_the_whole_ones_do():
    rng = np.random.default_rng(3)
    truth = (rng.random(20_000) < 0.1).astype(int)
    ev = cal.evaluate(truth, 1 / (1 + np.exp(-rng.normal(size=20_000) - truth)))
    for kind in ("roc", "pr"):
        whole, few = ev.curve(kind, band="pointwise"), ev.curve(kind, band="pointwise", points=400)
        at = np.searchsorted(-whole.threshold, -few.threshold)
        assert len(few.x) <= 400
        assert few.y.tolist() == whole.y[at].tolist()
        wide = few.x > 0.05  # a few rows at the left end make the curve jump
        for end in ("low", "high"):
            assert np.abs(few[end] - whole[end][at])[wide].max() < 0.02
    with pytest.raises(InputError, match="points=2: must be a whole number, 3 or more"):
        ev.curve("roc", points=2)


def test_averaged_curves():
    ev = cal.evaluate(CLASSES, SHARES)
    micro, macro = ev.curve("roc", average="micro"), ev.curve("roc", average="macro")
    assert np.trapezoid(micro.tpr, micro.fpr) == pytest.approx(ev["roc_auc_micro"])
    assert np.trapezoid(macro.tpr, macro.fpr) == pytest.approx(ev["roc_auc_macro"])
    assert (macro.fpr[0], macro.tpr[0], macro.fpr[-1], macro.tpr[-1]) == (0, 0, 1, 1)
    pr = ev.curve("pr", average="macro")
    assert np.diff(pr.recall, prepend=0) @ pr.precision == pytest.approx(ev["average_precision_macro"])
    dog = ev.curve("roc", "dog")
    assert np.trapezoid(dog.tpr, dog.fpr) == pytest.approx(ev.classes["dog"]["roc_auc"])
    with pytest.raises(
        InputError,
        match=re.escape('several classes: name one, as in curve("roc", "a"), or pass average="macro" or "micro"'),
    ):
        ev.curve("roc")
    with pytest.raises(UnknownName, match="no class is called 'cow'"):
        ev.curve("roc", "cow")
    with pytest.raises(InputError, match='average= must be "micro" for any curve, or "macro" for roc and pr'):
        ev.curve("det", average="macro")
    for other in (cal.evaluate(TRUTH, SCORE), cal.evaluate(CLASSES, CLASSES)):
        with pytest.raises(InputError, match="no curve: there is no score matrix"):
            other.curve("roc", average="macro")


def test_curves_of_labels_say_what_is_missing():
    with pytest.raises(InputError, match="no curve: there are no scores"):
        cal.evaluate(TRUTH, TRUTH).curve("roc")
    assert np.isnan(cal.evaluate([0, 0], [0.1, 0.2]).curve("roc").tpr).all()


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1))
def test_slices_are_evaluations_of_their_rows(rows, seed):
    sample = rows("probabilities", seed, grouped=True)
    for value, part in sample.evaluate().by["group"].items():
        mine = sample.take(sample.group == value)
        direct = type(mine)(mine.truth, mine.pred, mine.score, mine.weights, None, mine.options).evaluate()
        assert part.to_json() == direct.to_json()


def test_item_4_a_bare_name_has_the_prices_that_were_asked_for():
    truth, pred = [0, 0, 1, 1, 1], [0, 1, 1, 0, 0]
    ev = cal.evaluate(truth, pred, metrics=["cost(fp_cost=2, fn_cost=10)"])
    assert ev["cost"] == (2 + 20) / 5
    assert cal.loads(ev.to_json())["cost"] == (2 + 20) / 5
    assert cal.evaluate(truth, pred, metrics=["cost", "cost(fn_cost=10)"])["cost"] == 3 / 5
    with pytest.raises(UnknownName, match=re.escape(
        "cost was requested in several variants: use cost(fn_cost=10) or cost(fn_cost=5)")):
        cal.evaluate(truth, pred, metrics=["cost(fn_cost=10)", "cost(fn_cost=5)"])["cost"]
