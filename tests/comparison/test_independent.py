"""`compare_independent`: evaluations of different rows."""

import math

import numpy as np
import pytest

import calipers as cal
from calipers.inference.intervals import METHODS
from calipers.inference.unpaired import Bounded, Recovered, stretched
from calipers.inference.unpaired_shares import Ranked, Share, TwoShares, share_behind, two_areas

rng = np.random.default_rng(3)


def scores(n, share, shift, seed=0):
    r = np.random.default_rng(seed)
    y = (r.random(n) < share).astype(int)
    return y, 1 / (1 + np.exp(-(shift * (y - 0.5) + r.normal(size=n))))


def numbers(n, spread, seed=0):
    r = np.random.default_rng(seed)
    y = r.normal(0, 3, n)
    return y, y + spread * r.normal(size=n)


MARCH, APRIL = (cal.evaluate(*scores(n, 0.3, shift, n)) for n, shift in ((900, 3.0), (400, 2.0)))


def test_the_first_is_the_baseline_and_the_verdict_names_the_winner():
    comparison = cal.compare_independent(MARCH, APRIL, names=["March", "April"])
    assert (comparison.paired, comparison.baseline, list(comparison.models)) == (False, "March", ["March", "April"])
    assert comparison.rows == 1300
    assert [ev.rows for ev in comparison.models.values()] == [900, 400]
    d = comparison["roc_auc"]
    assert d.difference == pytest.approx(float(APRIL["roc_auc"]) - float(MARCH["roc_auc"]))
    assert d.difference < 0
    assert (d.outcome, d.winner, d.verdict) == ("better", "March", "March better")
    assert comparison["log_loss"].winner == "March"
    assert comparison["log_loss"].difference > 0
    turned = cal.compare_independent(APRIL, MARCH)["roc_auc"]
    assert (turned.difference, turned.low, turned.high) == pytest.approx((-d.difference, -d.high, -d.low))
    assert (turned.pvalue, turned.winner) == (pytest.approx(d.pvalue), "B")


@pytest.mark.parametrize("name", list(MARCH))
def test_interval_and_test_agree_for_every_metric(name):
    if not cal.metric(name).metric.better:
        return
    d = cal.compare_independent(MARCH, APRIL, metrics=[name])[name]
    if math.isnan(d.pvalue):
        assert (d.outcome, bool(d.note)) == ("not compared", True)
        return
    assert (d.low > 0 or d.high < 0) == (d.adjusted < 0.05)
    assert d.low <= d.difference <= d.high
    assert d.stderr > 0
    assert math.copysign(1, d.statistic) == math.copysign(1, d.difference)
    assert d.df > 0


def test_numbers_are_compared_by_means_and_their_maps():
    first, second = (cal.evaluate(*numbers(n, spread, n)) for n, spread in ((300, 1.0), (120, 1.5)))
    comparison = cal.compare_independent(first, second)
    for name in ("mse", "rmse", "mae", "r2"):
        d = comparison[name]
        assert d.winner == "A", name
        assert (d.low > 0 or d.high < 0) == (d.pvalue < 0.05)
    assert comparison["rmse"].statistic == pytest.approx(comparison["mse"].statistic)  # one test of the squared errors


def test_rankings_are_compared_over_their_queries():
    qrels = {q: {f"d{i}": int(i % 3 == 0) for i in range(9)} for q in "abcdefghij"}
    runs = [{q: {f"d{i}": float(r.random() + w * (i % 3 == 0)) for i in range(9)} for q in qrels}
            for r, w in ((np.random.default_rng(0), 2.0), (np.random.default_rng(1), 0.0))]  # fmt: skip
    first, second = (cal.evaluate_ranking(qrels, run) for run in runs)
    d = cal.compare_independent(first, second)["ndcg"]
    assert (d.winner, d.pvalue < 0.05) == ("A", True)
    assert "10 queries and 10 queries" in cal.compare_independent(first, second).to_text("en")


def test_groups_and_weights_widen_the_interval():
    y, p = scores(600, 0.4, 2.0)
    groups = np.arange(600) // 10
    plain, grouped = cal.evaluate(y, p), cal.evaluate(y, p, groups=groups)
    wide, narrow = (cal.compare_independent(ev, APRIL)["accuracy"] for ev in (grouped, plain))
    assert wide.method != narrow.method
    weighted = cal.evaluate(y, p, weights=np.where(np.arange(600) % 10 == 0, 20.0, 1.0))
    heavy = cal.compare_independent(weighted, APRIL)["accuracy"]
    assert heavy.high - heavy.low > 1.2 * (narrow.high - narrow.low)


def test_group_names_in_both_evaluations_are_pointed_out():
    y, p = scores(200, 0.4, 2.0)
    ids = np.repeat(np.arange(40), 5)
    evs = [cal.evaluate(y, p, groups=ids + shift) for shift in (0, 30)]
    comparison = cal.compare_independent(*evs)
    assert any(note.startswith("10 group names occur in both evaluations") for note in comparison.notes)
    assert comparison["ece"].pvalue > 0.5  # of which only a bootstrap knows the bounds


def test_a_merged_and_a_loaded_evaluation_serve_as_well(tmp_path):
    schema = cal.Schema.of(*scores(50, 0.3, 3.0))
    y, p = scores(900, 0.3, 3.0, 900)
    merged = cal.merge(cal.evaluate(y[i::3], p[i::3], schema=schema) for i in range(3))
    right = cal.compare_independent(MARCH, APRIL)
    APRIL.save(tmp_path / "april.calipers")
    again = cal.compare_independent(merged, cal.load(tmp_path / "april.calipers"))
    for name in right:
        assert again[name].pvalue == pytest.approx(right[name].pvalue, nan_ok=True), name


def test_a_document_serves_as_far_as_its_bounds_say():
    document = cal.loads(MARCH.to_json())
    right, by_bounds = cal.compare_independent(MARCH, APRIL), cal.compare_independent(document, APRIL)
    assert list(right) == list(by_bounds)
    for name in ("accuracy", "recall", "precision", "specificity"):  # Wilson's interval tells the counts
        assert by_bounds[name].pvalue == pytest.approx(right[name].pvalue), name
        assert (by_bounds[name].low, by_bounds[name].high) == pytest.approx((right[name].low, right[name].high))
    for name in ("roc_auc", "f1", "log_loss", "mcc"):
        assert by_bounds[name].outcome == right[name].outcome
        assert by_bounds[name].high - by_bounds[name].low == pytest.approx(right[name].high - right[name].low, rel=0.15)
    with pytest.raises(cal.UnknownName, match="'kappa' is not in this"):
        cal.compare_independent(document, APRIL, metrics=["kappa"])
    with pytest.raises(cal.InputError, match=r"result have the level 0\.95: pass level=0\.95"):
        cal.compare_independent(document, APRIL, level=0.9)


def test_levels_and_margins():
    wide, narrow = (cal.compare_independent(MARCH, APRIL, level=level)["recall"] for level in (0.99, 0.9))
    assert wide.high - wide.low > narrow.high - narrow.low
    assert (wide.level, narrow.level) == (0.99, 0.9)
    d = cal.compare_independent(MARCH, MARCH.at(threshold=0.5), margin=0.2)["recall"]
    assert (d.outcome, d.noninferiority < 0.01) == ("equivalent", True)
    other = cal.evaluate(*scores(400, 0.3, 2.0), level=0.9)
    with pytest.raises(cal.InputError, match=r"the confidence levels differ: 0\.95 and 0\.9; pass level="):
        cal.compare_independent(MARCH, other)
    assert cal.compare_independent(MARCH, other, level=0.9).settings.level == 0.9


def test_names_come_from_models_and_sources():
    y, p = scores(100, 0.4, 2.0)
    by_model = [cal.evaluate(y, p, model=name) for name in ("old", "new")]
    assert list(cal.compare_independent(*by_model).models) == ["old", "new"]
    by_day = [cal.evaluate(y, p, model="m", source=name) for name in ("Monday", "Tuesday")]
    assert list(cal.compare_independent(*by_day).models) == ["Monday", "Tuesday"]
    assert list(cal.compare_independent(MARCH, APRIL).models) == ["A", "B"]
    back = [cal.loads(ev.to_json()) for ev in by_day]  # documents keep model and source
    assert [(ev.model, ev.sources) for ev in back] == [("m", ("Monday",)), ("m", ("Tuesday",))]


Y, P = scores(60, 0.5, 2.0)
REFUSED = {
    "compare_independent needs two evaluations \\(got list\\)": lambda: cal.compare_independent([1], MARCH),
    "the two evaluations are the same": lambda: cal.compare_independent(MARCH, MARCH),
    "their tasks differ: binary and regression": lambda: cal.compare_independent(
        MARCH, cal.evaluate(*numbers(30, 1.0))
    ),
    r"their positive differ: 1 and 0; evaluate both with the same schema=": lambda: cal.compare_independent(
        MARCH, cal.evaluate(Y, P, positive=0)
    ),
    r"their labels differ: \(0, 1\) and \('no', 'yes'\)": lambda: cal.compare_independent(
        MARCH, cal.evaluate(np.where(Y == 1, "yes", "no"), P, positive="yes")
    ),
    "source 'monday' is in both evaluations": lambda: cal.compare_independent(
        cal.evaluate(Y, P, source=["monday", "tuesday"]), cal.evaluate(Y, P, source="monday")
    ),
    "margin=-1: must be a number greater than 0": lambda: cal.compare_independent(MARCH, APRIL, margin=-1),
    "pass two different names, the baseline first": lambda: cal.compare_independent(MARCH, APRIL, names=["a", "a"]),
    r"has no argument reference=": lambda: cal.compare_independent(MARCH, APRIL, reference="a"),
    "no metric in common: recall; precision": lambda: cal.compare_independent(
        cal.evaluate(Y, P, metrics=["recall"]), cal.evaluate(1 - Y, P, metrics=["precision"])
    ),
    "must be an Evaluation, or the result of compare": lambda: cal.gate(
        APRIL, baseline=cal.compare_independent(MARCH, APRIL), margin=0.1, metrics="recall"
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_compared_is_refused_with_the_reason(message):
    with pytest.raises(cal.InputError, match=message):
        REFUSED[message]()


def test_an_undefined_metric_is_not_compared_and_says_why():
    empty = cal.evaluate_counts(tp=0, fp=3, fn=0, tn=20)
    d = cal.compare_independent(empty, cal.evaluate_counts(tp=5, fp=3, fn=2, tn=20), metrics=["recall"])["recall"]
    assert (d.outcome, math.isnan(d.difference)) == ("not compared", True)
    assert d.note


def test_perfect_and_worthless_evaluations_are_told_apart():
    good, bad = cal.evaluate_counts(tp=20, fp=0, fn=0, tn=20), cal.evaluate_counts(tp=0, fp=20, fn=20, tn=0)
    comparison = cal.compare_independent(bad, good)
    assert all(comparison[name].winner == "B" for name in ("accuracy", "recall", "specificity"))
    y = np.repeat([0, 1], 12)
    same = [cal.evaluate(y, y + 0.01 * np.arange(24) * shift, threshold=0.5) for shift in (1, 2)]
    d = cal.compare_independent(*same)["roc_auc"]
    assert (d.difference, d.pvalue, d.outcome) == (0.0, 1.0, "no evidence either way")
    assert d.low < -0.05
    assert d.high > 0.05


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_documents_keep_that_rows_differ(lang):
    comparison = cal.compare_independent(MARCH, APRIL, names=["March", "April"])
    back = cal.loads(comparison.to_json())
    assert (back.paired, back.rows, [ev.rows for ev in back.models.values()]) == (False, 1300, [900, 400])
    assert back.to_text(lang) == comparison.to_text(lang)
    assert cal.loads(cal.compare(Y, {"a": P, "b": P[::-1]}, metrics=["recall"]).to_json()).paired


def test_text_and_page_say_that_rows_differ():
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    from calipers.report.page import render

    comparison = cal.compare_independent(MARCH, APRIL, names=["March", "April"])
    text = comparison.to_text("en")
    assert text.startswith("binary classification: March, April, compared on different rows (900 rows and 400 rows)")
    assert "treated as independent" in text
    page = render(comparison, lang="en")
    assert "2 evaluations of different rows (900 rows and 400 rows)" in page
    text = page.partition("<script>")[0].replace("not paired", "").replace("unpaired", "")
    assert "paired" not in text
    assert "same rows" not in text


# Parts of the methods.


@pytest.mark.parametrize(("hits", "trials"), [(0, 7), (3, 7), (7, 7), (81, 263), (999, 1000)])
def test_a_wilson_interval_tells_its_counts(hits, trials):
    method = next(iter(METHODS[type(_proportion(hits, trials))].values()))
    found = method(_proportion(hits, trials), 0.95, (0.0, 1.0))
    share = share_behind(hits / trials, found.low, found.high, 0.95)
    assert share is not None
    assert share.trials == pytest.approx(trials)
    if 0 < hits < trials:
        assert share_behind(hits / trials, found.low, found.high + 1e-4 * (1 - found.high), 0.95) is None


def _proportion(hits, trials):
    from calipers.metrics.values import Proportion

    return Proportion(hits, trials)


def test_bounds_that_are_stretched_give_the_same_test_at_their_own_level():
    known = (0.9, 0.85, 0.92), (0.8, 0.76, 0.83)
    sides = [Bounded(v, stretched(v, low, high, 0.95), math.nan) for v, low, high in known]
    found = Recovered.of(*sides, "mover")
    low, high = found.interval(0.95)
    assert found.pvalue(low) == pytest.approx(0.05)
    assert found.pvalue(high) == pytest.approx(0.05)
    assert found.pvalue(found.value) == 1.0
    assert found.statistic(-30.0) > 40  # beyond the levels that floats can tell from 1


@pytest.mark.parametrize("slope", [1.0, 2.0, -1.0])
def test_a_linear_map_of_an_area_has_the_same_test(slope):
    both = Ranked(0.82, 0.0009, 60, 140), Ranked(0.74, 0.0012, 55, 160)
    plain, mapped = two_areas(*both), two_areas(*both, slope)
    assert mapped.pvalue() == plain.pvalue()
    assert mapped.statistic() == math.copysign(1, slope) * plain.statistic()
    assert sorted(slope * end for end in plain.interval(0.95)) == pytest.approx(list(mapped.interval(0.95)))
    assert mapped.pvalue(slope * 0.05) == pytest.approx(plain.pvalue(0.05))


@pytest.mark.parametrize("counts", [(0, 9, 0, 9), (9, 9, 9, 9), (0, 1, 1, 1), (0, 40, 3, 3), (1, 2, 0, 90)])
def test_the_score_interval_of_extreme_counts_is_what_the_test_does_not_reject(counts):
    x, n, y, m = counts
    found = TwoShares.of(Share(x / n, n), Share(y / m, m))
    low, high = found.interval(0.95)
    assert -1 <= low <= found.value <= high <= 1
    assert low < high
    for inside in np.linspace(low, high, 9)[1:-1]:
        assert found.pvalue(inside) >= 0.05
    if low > -1:
        assert found.pvalue(low - 1e-6) < 0.05
