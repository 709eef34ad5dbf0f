"""Net benefit: by counting rows, paired differences, where a model is best, and the worst inputs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers as cal
from calipers.errors import InputError, UnknownName
from calipers.inference.net_benefit import bounds, pvalues

rng = np.random.default_rng(4)
N = 500
X = rng.normal(size=N)
P = np.round(1 / (1 + np.exp(1 - X)), 3)
Y = (rng.random(N) < P).astype(int)
OTHER = np.clip(np.round(P + rng.normal(0, 0.15, N), 3), 0, 1)
SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=25)
@given(seed=SEEDS, weighted=st.booleans())
def test_item_3_net_benefit_counts_rows(seed, weighted):
    random = np.random.default_rng(seed)
    y, p = random.integers(0, 2, 30), random.integers(0, 11, 30) / 10
    w = random.integers(1, 4, 30).astype(float) if weighted else np.ones(30)
    if y.min() == y.max():
        return
    curve = cal.decision_curve(y, p, positive=1, weights=w if weighted else None, thresholds=[0.1, 0.3, 0.5, 0.9])
    for at, t in enumerate(curve.thresholds):
        flagged = p >= t
        expected = (w[flagged & (y == 1)].sum() - w[flagged & (y == 0)].sum() * t / (1 - t)) / w.sum()
        assert curve["model"].value[at] == pytest.approx(expected, abs=1e-12)
        assert curve["model"].low[at] < expected < curve["model"].high[at]
    assert curve["none"].value.tolist() == [0] * 4


def test_item_3_differences_are_paired():
    curve = cal.decision_curve(Y, {"p": P, "other": OTHER})
    d = curve.difference("other", "p")
    assert d.value == pytest.approx(curve["other"].value - curve["p"].value, abs=1e-12)
    turned = curve.difference("p", "other")
    assert (turned.value == -d.value).all()
    assert (turned.low == -d.high).all()
    wide = (curve["p"].high - curve["p"].low + curve["other"].high - curve["other"].low) / math.sqrt(2)
    middle = slice(20, 50)
    assert ((d.high - d.low)[middle] < wide[middle]).all()  # models that agree on most rows differ by little noise
    against = curve.difference("p", "default")
    assert against.value == pytest.approx(curve["p"].value - np.maximum(curve.treat_all, 0), abs=1e-12)
    inside = (d.low <= 0) & (d.high >= 0)
    assert ((d.pvalue >= 0.05 - 1e-9) == inside).all()


def test_equal_models_do_not_differ():
    d = cal.decision_curve(Y, {"a": P, "b": P}).difference("b", "a")
    assert not d.value.any()
    assert not d.high.any()
    assert (d.pvalue == 1).all()


def test_item_3_the_ranges_where_a_model_is_best():
    curve = cal.decision_curve(Y, {"p": P, "other": OTHER})
    seen = {}
    for name in curve:
        for low, high in curve.ranges(name):
            for t in curve.thresholds[(curve.thresholds >= low) & (curve.thresholds <= high)]:
                assert t not in seen
                seen[t] = name
    assert len(seen) == 99
    for t, name in seen.items():
        at = int(np.flatnonzero(curve.thresholds == t)[0])
        assert curve[name].value[at] == pytest.approx(max(curve[each].value[at] for each in curve), abs=1e-7)
        assert curve.best(t) == name
    for low, high in curve.clear_ranges("p"):
        assert 0 < low <= high < 1
    assert "p has the greatest net benefit" in " ".join(curve.to_text().split())


@settings(max_examples=30)
@given(seed=SEEDS)
def test_bounds_of_independent_shares_that_are_small_are_those_of_mover(seed):
    from calipers.inference.proportion import wilson

    random = np.random.default_rng(seed)
    shares, factors = random.uniform(0, 1e-3, (1, 3)), random.normal(size=(1, 3))
    low, high = bounds(shares, factors, 5000.0, np.array([1.959964]))
    ends = [[float(x) for x in wilson(p * 5000, 5000, 0.95)] for p in shares[0]]
    down = [c * (p - e[0] if c > 0 else e[1] - p) for c, p, e in zip(factors[0], shares[0], ends, strict=True)]
    up = [c * (e[1] - p if c > 0 else p - e[0]) for c, p, e in zip(factors[0], shares[0], ends, strict=True)]
    value = float((shares * factors).sum())
    assert value - float(low[0]) == pytest.approx(math.hypot(*down), rel=2e-3)
    assert float(high[0]) - value == pytest.approx(math.hypot(*up), rel=2e-3)
    p = pvalues(shares, factors, 5000.0)
    assert (p[0] < 0.05) == (low[0] > 0 or high[0] < 0)


def test_the_curve_of_an_evaluation_is_the_same():
    ev = cal.evaluate(Y, P)
    curve, same = ev.curve("decision", band="pointwise"), cal.decision_curve(Y, P)
    assert curve.net_benefit == pytest.approx(same["model"].value, abs=1e-12)
    assert curve.low == pytest.approx(same["model"].low, abs=1e-12)
    assert curve.treat_all == pytest.approx(same.treat_all)
    with pytest.raises(InputError, match="needs probabilities"):
        cal.evaluate(Y, 3 * P, threshold=1).curve("decision")


def test_groups_widen_the_band():
    y, p = np.repeat(Y[:100], 5), np.repeat(P[:100], 5)
    plain = cal.decision_curve(y, {"a": p, "b": np.repeat(OTHER[:100], 5)})
    grouped = cal.decision_curve(y, {"a": p, "b": np.repeat(OTHER[:100], 5)}, groups=np.repeat(np.arange(100), 5))
    at = 20
    assert grouped["a"].high[at] - grouped["a"].low[at] > 1.5 * (plain["a"].high[at] - plain["a"].low[at])
    d, e = grouped.difference("b", "a"), plain.difference("b", "a")
    assert d.high[at] - d.low[at] > 1.3 * (e.high[at] - e.low[at])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cal.decision_curve(Y, {}), "models is empty"),
        (lambda: cal.decision_curve(Y, {"all": P}), "a model cannot be called 'all'"),
        (lambda: cal.decision_curve(Y, P, thresholds=[0.5, 1.0]), "pass probabilities above 0 and below 1"),
        (lambda: cal.decision_curve(Y, 4 * P), "pass probabilities between 0 and 1"),
        (lambda: cal.decision_curve([[1, 0], [0, 1]], {"m": [[0.5, 0.2], [0.1, 0.9]]}), "takes two classes"),
        (lambda: cal.decision_curve(Y[:3], [0.5, np.nan, 0.1]), "NaN"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_unknown_names_are_refused():
    curve = cal.decision_curve(Y, {"p": P, "other": OTHER})
    with pytest.raises(UnknownName, match="'q' is not one of the curves"):
        curve["q"]
    with pytest.raises(UnknownName, match="there is no difference of 'q' and 'p'"):
        curve.difference("q", "p")


def test_scores_of_0_and_1_and_one_class():
    curve = cal.decision_curve([0, 1, 1, 0] * 5, {"hard": [0, 1, 1, 1] * 5}, positive=1)
    assert np.isfinite(curve["hard"].low).all()
    alone = cal.decision_curve([1] * 10, {"a": [0.4] * 10}, positive=1, labels=[0, 1])
    assert alone["a"].value[10] == 1.0


def test_models_that_agree_on_these_rows_could_differ_on_others():
    y, p = [0, 1] * 50, np.linspace(0.3, 0.6, 100)
    d = cal.decision_curve(y, {"a": p, "b": p[::-1]}, thresholds=[0.1, 0.9], positive=1).difference("b", "a")
    assert not d.value.any()
    assert (d.low < 0).all()
    assert (d.high > 0).all()
    assert (d.pvalue == 1).all()
