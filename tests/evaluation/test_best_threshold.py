"""Thresholds under a condition, of the top rows and by costs per row, and what they reach on other rows."""

import math
import pickle
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers as cal
from calipers.errors import InputError, UnknownName
from calipers.evaluation.crossfit import Scored

rng = np.random.default_rng(5)
TRUTH = (rng.random(300) < 0.3).astype(int)
SCORE = np.round(1 / (1 + np.exp(1 - 1.5 * TRUTH - rng.normal(size=300))), 3)
SEEDS = st.integers(0, 2**32 - 1)


def rows_of(seed, n=25):
    random = np.random.default_rng(seed)
    return random.integers(0, 2, n), random.integers(0, 8, n) / 8, random.integers(1, 4, n).astype(float)


def brute(y, s, w, value, limit, least):
    """The best value over every threshold that meets the condition; None where none does."""
    best = None
    for t in [*np.unique(s)[::-1]]:
        flagged = s >= t
        tp, fp = w[flagged & (y == 1)].sum(), w[flagged & (y == 0)].sum()
        fn, tn = w[~flagged & (y == 1)].sum(), w[~flagged & (y == 0)].sum()
        if limit(tp, fp, fn, tn) >= least:
            found = value(tp, fp, fn, tn)
            best = found if best is None else max(best, found)
    return best


def precision(tp, fp, fn, tn):
    return tp / (tp + fp)


def recall(tp, fp, fn, tn):
    return tp / (tp + fn)


@settings(max_examples=60)
@given(seed=SEEDS, least=st.sampled_from([0.2, 0.5, 0.8, 1.0]), weighted=st.booleans())
def test_item_2_the_best_recall_at_a_precision_is_the_best_of_all_thresholds(seed, least, weighted):
    y, s, w = rows_of(seed)
    w = w if weighted else np.ones(len(y))
    ev = cal.evaluate(y, score=s, weights=w if weighted else None, positive=1, labels=[0, 1])
    found = ev[f"recall at precision >= {least}"]
    if y.min() == y.max():
        assert math.isnan(found)
        assert found.reason
        return
    expected = brute(y, s, w, recall, precision, least)
    if expected is None:
        assert found.reason == f"no threshold meets the condition on this data: precision >= {least:g}"
        with pytest.raises(InputError, match="no threshold meets the condition"):
            ev.best_threshold("recall", at=f"precision >= {least}")
        return
    assert found == pytest.approx(expected, rel=1e-12)
    best = ev.best_threshold("recall", at=f"precision >= {least}")
    assert best.value == pytest.approx(expected, rel=1e-12)
    at = ev.at(threshold=float(best))
    assert at["recall"] == pytest.approx(expected, rel=1e-12)
    assert at["precision"] >= least - 1e-12


def test_a_metric_that_is_better_low_is_minimised():
    ev = cal.evaluate(TRUTH, SCORE)
    best = ev.best_threshold("fpr", at="recall >= 0.8")
    table = ev.curve("sweep")
    assert best.value == table.fpr[table.recall >= 0.8].min() == ev["fpr at recall >= 0.8"]


CANONICAL = {
    "sensitivity  at ppv>=.5": "recall at precision >= 0.5",
    "f2 at recall > 0.9": "fbeta(beta=2) at recall > 0.9",
    "precision at top 5%": "top_precision",
    "gain at top 12.5 %": "top_recall(fraction=0.125)",
    "lift at top 33.3%": "top_lift(fraction=0.333)",
}


@pytest.mark.parametrize(("text", "canonical"), CANONICAL.items())
def test_names_with_a_condition_have_one_canonical_form(text, canonical):
    measure = cal.metric(text)
    assert str(measure) == canonical
    assert cal.metric(canonical) == measure == pickle.loads(pickle.dumps(measure))


WRONG = {
    "recall at precision >": "'precision >' is not a condition: write a metric, a sign and a number",
    "recall at top": "'top' is not a condition: write a metric, a sign and a number",
    "recall at precision >= 1.5": "precision lies between 0 and 1",
    "roc_auc at precision >= 0.5": 'roc_auc has no best threshold; "at" is for metrics of one class',
    "recall at roc_auc >= 0.5": "roc_auc has no best threshold",
    "recall(average=macro) at precision >= 0.5": "has no best threshold",
    "prevalence at recall >= 0.5": "has no direction in which it is better, so no threshold is best for it",
    "f1 at top 5%": "f1 is not measured among the top rows; use precision, recall, gain or lift",
    "precision at top 0%": "must be greater than 0 and at most 1",
    "precision at top 200%": "must be greater than 0 and at most 1",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items())
def test_wrong_conditions(text, message):
    with pytest.raises((InputError, UnknownName), match=message):
        cal.evaluate(TRUTH, SCORE)[text]


def test_item_2_everywhere_a_name_is_allowed():
    name = "recall at precision >= 0.5"
    ev = cal.evaluate(TRUTH, SCORE, metrics=[name, "f1"])
    assert ev[name] == cal.metric(name)(TRUTH, SCORE) == cal.loads(ev.to_json())[name]
    assert ev[name].low < ev[name] < ev[name].high
    assert ev[name].method == "percentile, 1000 resamples"
    assert cal.loads(ev.to_bytes())[name] == ev[name]
    forms = "recall at precision >= 0.5 >= 0.3", "recall >= 0.3 at precision >= 0.5"
    one, other = (cal.gate(ev, form).checks[0] for form in forms)
    assert one == other
    assert (one.value, one.low, one.high) == (ev[name], ev[name].low, ev[name].high)
    assert cal.gate(ev, "precision at top 20% >= 0.2").verdict == "pass"
    other = np.sqrt(SCORE) - 0.1 * (np.arange(300) % 7)
    compared = cal.compare(TRUTH, {"a": SCORE, "b": other}, metrics=[name, "lift at top 10%"])
    assert list(compared) == [name, "top_lift(fraction=0.1)"]
    assert compared[name].difference == compared[name].measured[0] - compared[name].measured[1]
    assert compared[name].low < compared[name].difference < compared[name].high
    assert "chosen on this data" in ev.to_text()


@pytest.mark.parametrize(
    ("lang", "name", "meaning"),
    [
        ("en", "Recall at precision >= 0.5", "Best recall among"),
        ("vi", "độ phủ", "ngưỡng"),
        ("zh", "查准率 >= 0.5 时的查全率", "阈值"),
    ],
)
def test_a_condition_is_explained_in_each_language(lang, name, meaning):
    text = cal.evaluate(TRUTH, SCORE).explain("recall at precision >= 0.5", lang=lang).to_text(lang)
    assert name in text
    assert meaning in text


def test_several_classes_have_a_best_threshold_each():
    y = np.array(["a", "b", "c"] * 20)
    p = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
    ev = cal.evaluate(y, p)
    with pytest.raises(UnknownName, match=r"is defined for one class: read it from ev\.classes\[label\]"):
        ev["recall at precision >= 0.4"]
    each = ev.classes["b"]["recall at precision >= 0.2"]
    assert each == ev.best_threshold("recall", at="precision >= 0.2", label="b").value
    binary = cal.evaluate((y == "b").astype(int), p[:, 1], positive=1)
    assert each == binary["recall at precision >= 0.2"]
    assert ev.best_threshold("f1", label="b").cross_fitted == binary.best_threshold("f1").cross_fitted


def test_groups_are_drawn_and_cross_fitted_whole():
    groups = np.arange(300) // 5
    ev = cal.evaluate(TRUTH, SCORE, groups=groups)
    estimate = ev["recall at precision >= 0.5"]
    assert estimate.method == "percentile, 1000 resamples, grouped"
    best = ev.best_threshold("recall", at="precision >= 0.5")
    assert best.cross_fitted.method.endswith("grouped")
    folds = Scored.of(ev, None, rows=False).folds(0)
    assert all(len(set(folds[groups == g])) == 1 for g in range(60))


# The value on rows that the threshold was not chosen on


def test_item_2_cross_fitting_predicts_each_row_by_a_threshold_chosen_on_others():
    ev = cal.evaluate(TRUTH, SCORE)
    rows = Scored.of(ev, None, rows=False)
    folds = rows.folds(0)
    tp = fp = fn = 0
    for k in range(10):
        mine = folds == k
        t = cal.evaluate(rows.is_true[~mine].astype(int), rows.score[~mine]).best_threshold("f1")
        flagged, true = rows.score[mine] >= float(t), rows.is_true[mine]
        tp, fp, fn = tp + (flagged & true).sum(), fp + (flagged & ~true).sum(), fn + (~flagged & true).sum()
    estimate = ev.best_threshold("f1").cross_fitted
    assert estimate == pytest.approx(2 * tp / (2 * tp + fp + fn), rel=1e-12)
    assert estimate.method == "wilson, effective rows"
    assert estimate.low < estimate < estimate.high
    assert estimate.n == 300


def test_parts_have_the_same_share_of_either_class():
    rows = Scored.of(cal.evaluate(TRUTH, SCORE), None, rows=False)
    folds = rows.folds(0)
    for mask in (rows.is_true, ~rows.is_true):
        counts = np.bincount(folds[mask], minlength=10)
        assert counts.max() - counts.min() <= 1


def test_what_chance_chooses_is_worth_less_on_other_rows():
    random = np.random.default_rng(1)
    gaps = []
    for _ in range(20):
        y, s = random.integers(0, 2, 60), random.random(60)
        best = cal.evaluate(y, s, positive=1).best_threshold("youden")
        gaps.append(best.value - best.cross_fitted)
    assert np.mean(gaps) > 0.15  # J of noise is 0, and the best of sixty thresholds is far above


def test_the_condition_is_measured_on_other_rows_too():
    best = cal.evaluate(TRUTH, SCORE).best_threshold("recall", at="precision >= 0.5")
    assert best.condition.low < best.condition < best.condition.high
    assert cal.evaluate(TRUTH, SCORE).best_threshold("f1").condition is None


def test_rules_that_have_no_value_at_one_threshold_say_so():
    ev = cal.evaluate(TRUTH, SCORE)
    assert ev.best_threshold("ks").cross_fitted == ev.best_threshold("youden").cross_fitted
    for rule in ("eer", "break_even"):
        with pytest.raises(InputError, match="is not a metric of one threshold"):
            _ = ev.best_threshold(rule).cross_fitted
    own = ev.best_threshold(lambda c: c.tp - c.fp).cross_fitted
    assert own.reason == "no interval: a function of the counts has no interval; name a metric instead"
    assert ev.best_threshold("corner").cross_fitted > 0


def test_too_few_rows_to_choose_on_a_part():
    with pytest.raises(InputError, match="cannot be chosen on a part of the rows: only 1"):
        _ = cal.evaluate([0, 0, 1], [0.1, 0.4, 0.8]).best_threshold("f1").cross_fitted


def test_a_best_threshold_can_be_pickled():
    best = cal.evaluate(TRUTH, SCORE).best_threshold("f1")
    back = pickle.loads(pickle.dumps(best))
    assert (back, back.value, back.counts, back.rule) == (best, best.value, best.counts, best.rule)


# Costs of each row


@settings(max_examples=40)
@given(seed=SEEDS)
def test_item_2_costs_per_row_are_added_up_for_every_threshold(seed):
    y, s, _ = rows_of(seed)
    if y.min() == y.max():
        return
    random = np.random.default_rng(seed)
    fp, fn = random.exponential(1, len(y)), random.exponential(3, len(y))
    best = cal.evaluate(y, score=s, positive=1).best_threshold(cost={"fp": fp, "fn": fn})
    totals = {t: np.where(s >= t, fp * (y == 0), fn * (y == 1)).mean() for t in [np.inf, *np.unique(s)]}
    assert best.value == pytest.approx(min(totals.values()), rel=1e-12)
    assert totals[float(best)] == pytest.approx(best.value, rel=1e-12)


def test_equal_costs_per_row_are_one_cost():
    ev = cal.evaluate(TRUTH, SCORE)
    one = ev.best_threshold(cost={"fp": 1, "fn": 10})
    each = ev.best_threshold(cost={"fp": np.ones(300), "fn": [10] * 300})
    assert (one, one.counts) == (each, each.counts)
    assert one.value == pytest.approx(each.value, rel=1e-12)
    # The parts are random, and rows are numbered by class without costs per row, so the estimates are not equal.
    assert each.cross_fitted.low < one.cross_fitted < each.cross_fitted.high


def test_costs_per_row_follow_rows_that_were_dropped_and_slices():
    y, s = np.array([0, 1, 1, 0, 1, 0] * 10), np.array([0.2, 0.9, np.nan, 0.6, 0.3, 0.1] * 10)
    fn = np.arange(60.0)
    region = np.array(["n", "s"] * 30)
    ev = cal.evaluate(y, score=s, missing="drop", positive=1, by={"region": region})
    kept = ~np.isnan(s)
    same = cal.evaluate(y[kept], score=s[kept], positive=1)
    assert ev.best_threshold(cost={"fp": 20, "fn": fn}) == same.best_threshold(cost={"fp": 20, "fn": fn[kept]})
    south = kept & (region == "s")
    part = cal.evaluate(y[south], score=s[south], positive=1)
    assert ev.by["region"]["s"].best_threshold(cost={"fp": 20, "fn": fn}).value == pytest.approx(
        part.best_threshold(cost={"fp": 20, "fn": fn[south]}).value
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cost": {"fp": 1, "fn": [1, 2]}}, r'cost\["fn"\] has shape \(2,\): pass one finite number per row, 300'),
        ({"cost": {"fp": 1, "gain": [1] * 300}}, "gain"),
        ({"rule": "f1", "cost": {"fn": [1] * 300}}, "best_threshold needs a rule"),
        ({"cost": {"fp": 1}, "at": "recall >= 0.5"}, "takes cost= or at=, not both"),
        ({"rule": lambda c: c.tp, "at": "recall >= 0.5"}, "pass the name of a metric first"),
        ({"rule": "f1", "at": "recall"}, "'recall' is not a condition"),
    ],
)
def test_what_cannot_be_asked(arguments, message):
    with pytest.raises(InputError, match=message):
        cal.evaluate(TRUTH, SCORE).best_threshold(arguments.pop("rule", None), **arguments)


def test_costs_per_row_need_the_rows():
    saved = cal.loads(cal.evaluate(TRUTH, SCORE).to_bytes())
    with pytest.raises(InputError, match="rows"):
        saved.best_threshold(cost={"fp": 1, "fn": [1] * 300})


# The rows with the highest scores


@settings(max_examples=30)
@given(seed=SEEDS, k=st.integers(1, 6))
def test_item_2_ties_at_the_cut_count_as_if_broken_at_random(seed, k):
    random = np.random.default_rng(seed)
    y, s = random.integers(0, 2, 6), random.integers(0, 3, 6) / 4
    ev = cal.evaluate(y, score=s, positive=1, labels=[0, 1])
    every = [np.array(order) for order in permutations(range(6))]
    found = np.mean([y[order[np.argsort(-s[order], kind="stable")][:k]].sum() for order in every])
    name = f"fraction={k / 6}"
    assert ev[f"top_precision({name})"] == pytest.approx(found / k)
    if y.sum():
        assert ev[f"top_recall({name})"] == pytest.approx(found / y.sum())
        assert ev[f"top_lift({name})"] == pytest.approx(found / k / y.mean())
    else:
        assert ev[f"top_recall({name})"].reason


def test_weights_equal_repetition_among_the_top_rows():
    y, s, w = rows_of(3, 40)
    weighted = cal.evaluate(y, score=s, weights=w, positive=1)
    repeated = cal.evaluate(np.repeat(y, w.astype(int)), score=np.repeat(s, w.astype(int)), positive=1)
    for name in ("top_precision", "top_recall(fraction=0.2)", "top_lift(fraction=0.3)"):
        assert weighted[name] == pytest.approx(repeated[name], rel=1e-12)


def test_all_scores_equal_and_all_rows_flagged():
    ev = cal.evaluate([0, 1, 1, 0], [0.5] * 4, positive=1)
    assert (ev["top_precision"], ev["top_recall"], ev["top_lift"]) == (0.5, 0.05, 1.0)
    everything = ev["top_recall(fraction=1)"]
    assert (everything, ev["top_lift(fraction=1)"]) == (1.0, 1.0)
    assert ev["recall at precision >= 0.5"] == 1.0
