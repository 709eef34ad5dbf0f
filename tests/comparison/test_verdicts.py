"""What a comparison says: who wins, by which test, and over how many tests it was adjusted."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import calipers as cal
from calipers.errors import InputError, UnknownName
from calipers.inference.contrast import Discordant
from calipers.inference.delong import covariance, placements
from calipers.inference.paired import mcnemar, newcombe_paired, tango

ASAH = np.genfromtxt(Path(__file__).parents[1] / "known/r/asah.csv", delimiter=",", names=True)


def models(rng, n=120, share=0.4, count=3, strength=1.2):
    """Equally good models that share half of their noise."""
    y = (rng.random(n) < share).astype(int)
    common = rng.normal(size=n)
    scores = [strength * y + 0.7 * common + 0.7 * rng.normal(size=n) for _ in range(count)]
    return y, {name: 1 / (1 + np.exp(0.6 - s)) for name, s in zip("ABCDEF", scores, strict=False)}


def test_item_sign_differences_are_candidate_minus_baseline():
    y, scores = models(np.random.default_rng(1))
    comparison = cal.compare(y, scores, metrics=["roc_auc", "log_loss"])
    assert comparison.baseline == "A"
    assert list(comparison["roc_auc"]) == [("B", "A"), ("C", "A"), ("C", "B")]
    values = {name: float(ev["roc_auc"]) for name, ev in comparison.models.items()}
    for (candidate, baseline), d in comparison["roc_auc"].items():
        assert (d.candidate, d.baseline) == (candidate, baseline)
        assert d.difference == pytest.approx(values[candidate] - values[baseline])
        assert d.measured == (values[candidate], values[baseline])
    chosen = cal.compare(y, scores, metrics=["roc_auc"], baseline="B")
    assert list(chosen["roc_auc"]) == [("A", "B"), ("C", "B"), ("C", "A")]
    assert (chosen.baseline, list(chosen.models)) == ("B", ["B", "A", "C"])
    assert chosen.to_dict()["baseline"] == "B"
    with pytest.raises(UnknownName, match="no model is called 'D'"):
        cal.compare(y, scores, baseline="D")


def test_item_verdict_names_the_winner_either_way_round():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 400)
    models = {"old": y + rng.normal(size=400), "new": 3 * y + rng.normal(size=400)}
    models = {name: 1 / (1 + np.exp(1.0 - s)) for name, s in models.items()}
    comparison = cal.compare(y, models)
    for name in ("roc_auc", "log_loss", "accuracy", "f1"):
        d = comparison[name]
        assert (d.verdict, d.winner, d.outcome) == ("new better", "new", "better")
        assert d["old", "new"].verdict == "new better"
        assert (d.difference > 0) == (name != "log_loss")
    pair = json.loads(comparison.to_json())["metrics"]["roc_auc"]["pairs"][0]
    assert (pair["verdict"], pair["winner"], pair["candidate"], pair["baseline"]) == ("new better", "new", "new", "old")


@pytest.mark.parametrize("adjust", ["max-t", "bonferroni", "none"])
def test_item_family_zero_lies_outside_exactly_where_the_adjusted_test_rejects(adjust):
    rng = np.random.default_rng(3)
    outcomes = set()
    for _ in range(40):
        y, scores = models(rng, 80)
        scores["C"] = np.clip(scores["C"] + 0.25 * (y - 0.5), 0.01, 0.99)
        comparison = cal.compare(y, scores, metrics=["roc_auc", "accuracy", "f1", "brier"], adjust=adjust)
        for name in comparison:
            for d in comparison[name].values():
                outside = d.low > 0 or d.high < 0
                assert outside == (d.adjusted < 0.05), (name, d)
                assert outside == (d.winner is not None)
                assert d.adjusted >= d.pvalue
                assert d.interval_adjusted
                outcomes.add(outside)
    assert outcomes == {True, False}


def test_item_family_max_t_is_tukeys_for_independent_equal_models():
    """Three means with equal variances and no correlation: their pairs have the studentized range."""
    rng = np.random.default_rng(4)
    y = rng.normal(size=20_000)
    models = {name: y + rng.normal(size=20_000) for name in "ABC"}
    differences = cal.compare(y, models, metrics=["bias"])["bias"]
    for d in differences.values():
        z = abs(stats.norm.isf(d.pvalue / 2))
        assert d.adjusted == pytest.approx(stats.studentized_range.sf(z * math.sqrt(2), 3, 1e6), abs=0.01)
        assert d.adjustment == "max-t"


def test_item_family_holm_and_bh_say_that_the_interval_is_not_adjusted():
    y, scores = models(np.random.default_rng(5))
    for adjust in ("holm", "bh"):
        comparison = cal.compare(y, scores, metrics=["roc_auc"], adjust=adjust)
        plain = cal.compare(y, scores, metrics=["roc_auc"], adjust="none")
        for pair, d in comparison["roc_auc"].items():
            assert not d.interval_adjusted
            assert (d.low, d.high) == (plain["roc_auc"][pair].low, plain["roc_auc"][pair].high)
            assert "(not adjusted)" in repr(d)
        assert "intervals marked * are not adjusted" in " ".join(repr(comparison).split())
        assert comparison.to_markdown().count("\\]\\*") == 3
    assert cal.compare(y, scores, metrics=["roc_auc"])["roc_auc"]["C", "B"].adjustment == "max-t"
    with pytest.raises(InputError, match="adjust='hochberg' is not known: pass max-t, holm, bonferroni"):
        cal.compare(y, scores, adjust="hochberg")


def test_item_family_some_pair_of_equal_models_differs_in_at_most_six_per_cent():
    rng = np.random.default_rng(6)
    names = ["roc_auc", "brier", "accuracy"]
    any_pair = dict.fromkeys(names, 0)
    for _ in range(300):
        y, scores = models(rng, 100, count=4)
        comparison = cal.compare(y, scores, metrics=names)
        for name in names:
            any_pair[name] += any(d.winner for d in comparison[name].values())
    assert max(any_pair.values()) <= 300 * 0.06 + 3 * math.sqrt(300 * 0.06 * 0.94), any_pair


def test_item_primary_decides_and_the_table_says_what_is_not_adjusted():
    y, scores = models(np.random.default_rng(7), count=2)
    comparison = cal.compare(y, scores, primary="average_precision")
    assert next(iter(comparison)) == comparison.primary == "average_precision"
    assert comparison.to_dict()["settings"]["primary"] == "average_precision"
    text = " ".join(repr(comparison).split())
    assert (
        "primary metric: average precision; the p-values of the other metrics are not adjusted for testing several"
    ) in text
    several = " ".join(repr(cal.compare(y, scores)).split())
    assert "p-values: each of the 12 metrics on its own, not adjusted for testing several metrics" in several
    for lang, word in (("vi", "độ đo chính"), ("zh", "主要指标")):
        assert word in comparison.to_text(lang)
        assert word in comparison.to_markdown(lang)
    assert "primary metric" not in repr(cal.compare(y, scores, metrics=["roc_auc"]))
    added = cal.compare(y, scores, metrics=["roc_auc"], primary="kappa")
    assert list(added) == ["kappa", "roc_auc"]
    with pytest.raises(UnknownName, match="no metric is called 'acurracy'"):
        cal.compare(y, scores, primary="acurracy")


def test_item_methods_paired_delong_is_procs():
    """pROC 1.18.0, ?roc.test: aSAH, wfns against s100b: Z = 2.209, p-value = 0.02718, areas 0.8236789 and 0.7313686."""
    y, models = ASAH["poor"].astype(int), {"s100b": ASAH["s100b"], "wfns": ASAH["wfns"]}
    d = cal.compare(y, models, metrics=["roc_auc"], method="delong-z")["roc_auc"]
    assert [round(x, 7) for x in d.measured] == [0.8236789, 0.7313686]
    assert round(d.statistic, 3) == 2.209
    assert round(d.pvalue, 5) == 0.02718
    assert (d.df, d.method, d.winner) == (math.inf, "paired DeLong test (z)", "wfns")
    assert d.stderr == pytest.approx(d.difference / d.statistic)
    default = cal.compare(y, models, metrics=["roc_auc"])["roc_auc"]
    assert round(default.pvalue, 3) == 0.041
    assert default.statistic == pytest.approx(d.statistic)
    assert default.pvalue == pytest.approx(2 * stats.t.sf(default.statistic, default.df))


def test_item_methods_mcnemar_by_name():
    y, scores = models(np.random.default_rng(8), 60, count=2)
    labels = {name: (p > 0.5).astype(int) for name, p in scores.items()}
    right = [p == y for p in labels.values()]
    b, c = int((right[1] & ~right[0]).sum()), int((right[0] & ~right[1]).sum())
    for way in ("mid-p", "exact", "asymptotic", "corrected"):
        d = cal.compare(y, labels, metrics=["accuracy"], method=f"mcnemar-{way}")["accuracy"]
        assert (d.statistic, d.pvalue) == mcnemar(b, c, way)[:2]
        assert d.stderr == pytest.approx(math.sqrt(((b + c) / 60 - ((b - c) / 60) ** 2) / 60))
        assert math.isnan(d.df) if way in ("mid-p", "exact") else d.df == 1
    asymptotic = cal.compare(y, labels, metrics=["accuracy"], method={"accuracy": "mcnemar-asymptotic"})["accuracy"]
    assert (asymptotic.low, asymptotic.high) == tango(b, c, 60, 0.95)


def test_item_methods_that_do_not_fit_are_refused():
    y, scores = models(np.random.default_rng(9), count=2)
    with pytest.raises(InputError, match="method='delong' is not known; did you mean delong-z"):
        cal.compare(y, scores, method="delong")
    why = "method='delong-z' is not available for f1, whose test is: paired bootstrap t-test"
    with pytest.raises(InputError, match=why):
        cal.compare(y, scores, method={"f1": "delong-z"})
    with pytest.raises(InputError, match="method='delong-z' is not available for any of"):
        cal.compare(y, scores, metrics=["brier", "f1"], method="delong-z")


def test_item_methods_every_difference_has_a_statistic_degrees_of_freedom_and_a_standard_error():
    y, scores = models(np.random.default_rng(10), count=2)
    comparison = cal.compare(y, scores)
    for name in comparison:
        d = comparison[name]
        assert d.stderr > 0, name
        assert math.isfinite(d.statistic), name
        if not d.method.startswith("McNemar"):
            assert d.statistic == pytest.approx(d.difference / d.stderr), name
            assert d.df >= 1, name
        assert {"statistic", "df", "stderr"} <= d["B", "A"].to_dict().keys()


def test_item_methods_every_estimate_has_a_standard_error():
    y, scores = models(np.random.default_rng(11), count=1)
    p = scores["A"]
    ev = cal.evaluate(y, p)
    losses, right = (y - p) ** 2, (p >= 0.5) == y
    assert ev["accuracy"].stderr == pytest.approx(math.sqrt(right.mean() * (1 - right.mean()) / len(y)))
    assert ev["brier"].stderr == pytest.approx(losses.std(ddof=1) / math.sqrt(len(y)))
    v10, v01 = placements(p[y == 1], p[y == 0])
    assert ev["roc_auc"].stderr == pytest.approx(math.sqrt(covariance(v10[None], v01[None])[0, 0]))
    for name in ("balanced_accuracy", "f1", "mcc", "average_precision", "precision"):
        assert 0 < ev[name].stderr < ev[name].high - ev[name].low, name
    draws = np.random.default_rng(12).integers(0, len(y), (400, len(y)))
    for name in ("mcc", "f1", "balanced_accuracy"):
        again = np.std([float(cal.evaluate(y[at], p[at])[name]) for at in draws])
        assert ev[name].stderr == pytest.approx(again, rel=0.2), name
    number = np.random.default_rng(13).normal(size=80)
    errors = np.random.default_rng(14).normal(size=80)
    numbers = cal.evaluate(number, number + errors)
    assert numbers["rmse"].stderr == pytest.approx(numbers["mse"].stderr / (2 * float(numbers["rmse"])))
    grouped = cal.evaluate(y, p, groups=np.arange(len(y)) // 2)
    assert grouped["accuracy"].stderr > 0
    assert math.isnan(numbers["median_ae"].stderr)


def test_the_test_decides_whether_zero_lies_inside_an_interval_of_shares():
    """Newcombe's interval and McNemar's mid-p disagree in some tables of 30 rows."""
    adjusted = set()
    for b in range(13):
        for c in range(13):
            for both in (0, 5, 30 - b - c):
                neither = 30 - b - c - both
                if neither < 0:
                    continue
                contrast = Discordant.of(both, b, c, neither)
                low, high = contrast.interval(0.95)
                assert (low > 0 or high < 0) == (contrast.pvalue() < 0.05)
                assert low <= contrast.value <= high
                plain = newcombe_paired(both, b, c, neither, 0.95)
                adjusted |= {x for x, y in zip((low, high), plain, strict=True) if x != y}
    assert adjusted
    assert max(map(abs, adjusted)) <= 0.5 / 30
