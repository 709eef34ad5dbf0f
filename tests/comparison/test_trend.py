"""`trend`: metrics over periods."""

import datetime as dt
import json
import math
import re

import numpy as np
import pytest

import calipers as cal
from calipers.comparison.dates import read_dates
from calipers.inference.trend import TrendTest


def counts(tp, n=100, **options):
    return cal.evaluate_counts(tp=tp, fn=n - tp, fp=20, tn=180, **options)


def week(*hits, start=dt.date(2026, 3, 2)):
    return {start + dt.timedelta(days): counts(n) for days, n in enumerate(hits)}


def rows(n, shift, seed, **options):
    r = np.random.default_rng(seed)
    y = (r.random(n) < 0.4).astype(int)
    p = 1 / (1 + np.exp(-(shift * (y - 0.5) + r.normal(size=n))))
    region = np.where(r.random(n) < 0.5, "north", "south")
    return cal.evaluate(y, p, by={"region": region}, **options)


def test_a_falling_metric_is_found_and_named():
    trend = cal.trend(week(95, 90, 84, 77, 71), metrics=["recall"])
    line = trend["recall"]
    assert (line.direction, line.is_worse) == ("falling", True)
    assert line.low < line.change < line.high < 0
    assert line.adjusted < 0.01
    assert line.fitted[1] - line.fitted[0] == pytest.approx(line.change)
    last = line.against["2026-03-06"]
    assert (last.difference, last.winner) == (pytest.approx(-0.24), "2026-03-02")
    assert [f.code for f in trend.findings] == ["period_worse", "trend_worse"]
    start = "In period 2026-03-06, recall was lower than in 2026-03-02: 0.710 [0.615, 0.790] against 0.950 ["
    assert trend.findings[0].sentence.startswith(start)


def test_periods_that_are_alike_claim_nothing():
    trend = cal.trend(week(90, 87, 91, 88, 92, 89, 90), metrics=["recall"])
    assert trend.findings == ()
    assert trend["recall"].direction == "no evidence either way"
    assert all(d.outcome == "no evidence either way" for d in trend["recall"].against.values())


def test_order_of_the_dates_does_not_matter_and_any_form_is_read():
    hits = dict(zip(["2026-03-02", "2026-03-03", "2026-03-04"], (90, 80, 75), strict=True))
    forward = cal.trend({day: counts(n) for day, n in hits.items()}, metrics=["recall"])
    backward = cal.trend({day: counts(n) for day, n in reversed(hits.items())}, metrics=["recall"])
    assert forward.to_dict() == backward.to_dict()
    forms = [lambda d: d, dt.date.fromisoformat, dt.datetime.fromisoformat, np.datetime64]
    for form in forms:
        again = cal.trend({form(day): counts(n) for day, n in hits.items()}, metrics=["recall"])
        assert again["recall"].change == pytest.approx(forward["recall"].change)
        assert [p.label for p in again.periods] == list(hits)


@pytest.mark.parametrize(
    ("text", "day"),
    [("2026-03", "2026-03-01"), ("2026", "2026-01-01"), ("2026-W10", "2026-03-02"), ("2026-Q2", "2026-04-01"),
     ("20260301", "2026-03-01"), ("2026-03-01T00:00:00+00:00", "2026-03-01")],
)  # fmt: skip
def test_months_weeks_and_quarters_are_their_first_day(text, day):
    assert read_dates([text])[0].time == dt.date.fromisoformat(day).toordinal()
    assert read_dates([text])[0].label == text


def test_uneven_dates_count_as_they_are():
    even = cal.trend({1: counts(90), 2: counts(80), 3: counts(70)}, metrics=["recall"])["recall"]
    late = cal.trend({1: counts(90), 2: counts(80), 30: counts(70)}, metrics=["recall"])["recall"]
    assert even.fitted != pytest.approx(late.fitted)


def test_a_baseline_is_a_date_or_an_evaluation_of_its_own():
    days = week(90, 80, 70)
    by_date = cal.trend(days, baseline="2026-03-04", metrics=["recall"])
    assert (by_date.baseline, by_date.inside) == ("2026-03-04", True)
    assert list(by_date["recall"].against) == ["2026-03-02", "2026-03-03"]
    march = counts(900, 1000)
    own = cal.trend(days, baseline=march, metrics=["recall"])
    assert (own.baseline, own.inside) == ("baseline", False)
    right = cal.compare_independent(march, days[dt.date(2026, 3, 4)], metrics=["recall"])["recall"]
    assert own["recall"].against["2026-03-04"].pvalue == right.pvalue
    assert "(0.900 [0.880, 0.917])" in own.to_text("en")


def test_p_values_are_adjusted_over_periods_metrics_and_slices():
    days = {f"2026-03-0{i}": rows(300, 3 - 0.3 * i, i) for i in range(1, 6)}
    trend = cal.trend(days, metrics=["recall", "roc_auc"])
    lines = trend.every_line
    assert len(lines) == 2 * 3
    assert trend.tests == 4 * len(lines)
    from calipers.inference.multiple import holm

    tests = [d for line in lines for d in line.against.values()]
    assert [d.adjusted for d in tests] == holm([d.pvalue for d in tests])
    assert [line.adjusted for line in lines] == holm([line.pvalue for line in lines])
    alone = cal.trend(days, metrics=["recall", "roc_auc"], adjust="none")
    assert [d.adjusted for line in alone.every_line for d in line.against.values()] == [d.pvalue for d in tests]
    assert list(trend.by["region"]) == ["north", "south"]
    assert trend.by["region"]["north"]["recall"].part == "north"


def test_a_slice_that_a_period_lacks_is_not_followed():
    whole = rows(300, 2.0, 1)
    r = np.random.default_rng(2)
    y = r.integers(0, 2, 100)
    lacking = cal.evaluate(y, r.random(100), by={"region": np.full(100, "north")})
    trend = cal.trend({1: whole, 2: lacking}, metrics=["recall"])
    assert list(trend.by["region"]) == ["north"]


def test_periods_without_a_value_are_left_out_and_two_are_too_few():
    days = {1: counts(90), 2: cal.evaluate_counts(tp=0, fn=0, fp=5, tn=95), 3: counts(80), 4: counts(70)}
    line = cal.trend(days, metrics=["recall"])["recall"]
    assert "1 period without a value" in line.note
    assert line.against["2"].outcome == "not compared"
    assert line.change < 0
    two = cal.trend({1: counts(90), 2: counts(60)}, metrics=["recall"])
    assert (two["recall"].direction, math.isnan(two["recall"].pvalue)) == ("not tested", True)
    assert "at least 3 are needed" in two["recall"].note
    assert two["recall"].against["2"].verdict == "1 better"
    assert "no test for a trend: 2 periods" in two.to_text("en")


def test_scatter_around_the_line_hides_a_trend_that_sampling_errors_would_show():
    times, values = range(8), [0.9, 0.6, 0.88, 0.55, 0.85, 0.5, 0.8, 0.5]
    found = TrendTest.of(times, values, [0.0001] * 8)
    assert abs(found.slope / found.sampling) > 1.5
    assert found.between > 0.1
    assert found.pvalue() > 0.05
    assert found.excess < 1e-6


def test_a_lucky_fit_claims_no_more_than_the_rows_show():
    found = TrendTest.of(range(4), [0.800, 0.801, 0.802, 0.803], [0.0004] * 4)
    assert found.slope / found.scatter > 100
    assert found.pvalue() > 0.5
    assert found.interval(0.95)[0] < 0


def test_equal_sampling_errors_and_large_scatter_are_ordinary_regression():
    from scipy.stats import linregress

    x, y = np.arange(9.0), np.array([5.0, 4.1, 6.3, 3.3, 4.4, 2.0, 3.8, 2.5, 1.0])
    right, found = linregress(x, y), TrendTest.of(x, y, [0.01] * 9)
    assert (found.slope, found.scatter, found.pvalue()) == pytest.approx((right.slope, right.stderr, right.pvalue))


def test_without_scatter_the_test_of_shares_is_that_of_cochran_and_armitage():
    hits, n, x = np.array([88, 85, 84, 80, 78]), 100, np.arange(5.0)
    p = hits.sum() / 500
    statistic = (hits @ (x - 2)) / math.sqrt(p * (1 - p) * n * ((x - 2) ** 2).sum())
    line = cal.trend(dict(enumerate(map(counts, hits.tolist()))), metrics=["recall"])["recall"]
    assert line.statistic == pytest.approx(statistic)
    assert line.df == math.inf


def test_documents_of_periods_are_followed_as_well(tmp_path):
    live = {f"2026-03-0{i}": rows(200, 3 - 0.4 * i, i) for i in range(1, 6)}
    loaded = {day: cal.loads(ev.to_json()) for day, ev in live.items()}
    names = ["recall", "roc_auc", "log_loss"]
    right, again = cal.trend(live, metrics=names), cal.trend(loaded, metrics=names)
    assert again["recall"].pvalue == pytest.approx(right["recall"].pvalue)
    for name in names:
        assert again[name].direction == right[name].direction
        assert again[name].change == pytest.approx(right[name].change, abs=0.02)


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_a_trend_comes_back_from_its_document(lang, tmp_path):
    trend = cal.trend({f"2026-0{i}": rows(150, 3 - 0.5 * i, i) for i in range(1, 5)})
    trend.save(tmp_path / "t.json")
    back = cal.load(tmp_path / "t.json")
    assert back.to_dict() == trend.to_dict()
    for method in ("to_text", "to_markdown", "to_html", "to_latex"):
        assert getattr(back, method)(lang) == getattr(trend, method)(lang)
    assert max(map(len, trend.to_text("en").splitlines())) <= 80


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d["periods"].reverse(), "times in ascending order"),
        (lambda d: d["periods"].pop(), "estimates"),
        (lambda d: d["metrics"]["recall"]["against"].pop(), "against"),
        (lambda d: d["metrics"]["recall"].update(direction="up"), "direction"),
        (lambda d: d["metrics"]["recall"].update(pvalue=3), "pvalue"),
    ],
)
def test_a_damaged_document_is_refused(change, message):
    document = json.loads(cal.trend(week(90, 80, 70), metrics=["recall"]).to_json())
    change(document)
    with pytest.raises(cal.InputError, match=message):
        cal.loads(json.dumps(document))


Y = [0, 1] * 10
REFUSED = {
    "trend needs evaluations by date .got list.": lambda: cal.trend([counts(9)]),
    "2026-03-01. is not an evaluation .got float.": lambda: cal.trend({"2026-03-01": 0.9, "2026-03-02": 1}),
    "1 period: at least two are needed": lambda: cal.trend({"2026-03-01": counts(90)}),
    "0 periods: at least two are needed": lambda: cal.trend({}),
    "cannot read 'monday' as a date": lambda: cal.trend({"monday": counts(90), "2026-03-02": counts(80)}),
    "cannot read '2026-13-01' as a date": lambda: cal.trend({"2026-13-01": counts(90), "2026-03-02": counts(80)}),
    "cannot read nan as a date": lambda: cal.trend({float("nan"): counts(90), 1: counts(80)}),
    "cannot read None as a date": lambda: cal.trend({None: counts(90), "2026-03-02": counts(80)}),
    "1 and '2026-03-02' cannot be put in order": lambda: cal.trend({1: counts(90), "2026-03-02": counts(80)}),
    "2026-03 and 2026-03-01 are the same date": lambda: cal.trend({"2026-03": counts(90), "2026-03-01": counts(80)}),
    "their tasks differ: binary and regression": lambda: cal.trend(
        {1: counts(90), 2: cal.evaluate([1.5, 2.5, 3.5], [1.0, 2.5, 4.0])}
    ),
    "their labels differ": lambda: cal.trend(
        {1: counts(90), 2: cal.evaluate(["a", "b"] * 9, ["b", "a"] * 9, positive="b")}
    ),
    "source 'x' is in both evaluations": lambda: cal.trend(
        {1: cal.evaluate(Y, Y), 2: cal.evaluate(Y, Y, source="x"), 3: cal.evaluate(Y, Y, source="x")}
    ),
    "the two evaluations are the same": lambda: cal.trend(dict.fromkeys((1, 2), counts(90))),
    "the confidence levels differ": lambda: cal.trend({1: cal.evaluate(Y, Y), 2: cal.evaluate(Y, Y, level=0.9)}),
    "baseline=9 is not one of the periods: 1, 2": lambda: cal.trend({1: counts(90), 2: counts(80)}, baseline=9),
    "has no argument reference=: use baseline= instead": lambda: cal.trend({}, reference=1),
    "adjust='max-t' is not known": lambda: cal.trend({1: counts(90), 2: counts(80)}, adjust="max-t"),
    "no metric is called 'recal'": lambda: cal.trend({1: counts(90), 2: counts(80)}, metrics=["recal"]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_followed_is_refused_with_the_reason(message):
    with pytest.raises(cal.CalipersError, match=message):
        REFUSED[message]()


def test_a_metric_that_was_not_followed_is_named():
    with pytest.raises(cal.UnknownName, match="there is no trend of 'f1'"):
        cal.trend(week(90, 80), metrics=["recall"])["f1"]


def test_perfect_and_constant_periods_do_not_break_the_tests():
    perfect = cal.trend(week(100, 100, 100, 100), metrics=["recall"])["recall"]
    assert perfect.direction in ("not tested", "no evidence either way")
    assert all(d.pvalue == 1 for d in perfect.against.values())
    y = np.repeat([0, 1], 15)
    apart = {i: cal.evaluate(y, y + 0.001 * np.arange(30) * i, threshold=0.5) for i in range(1, 5)}
    line = cal.trend(apart, metrics=["roc_auc"])["roc_auc"]
    assert line.direction == "no evidence either way"
    assert line.pvalue == 1


def test_many_periods_hold_in_text_chart_and_document():
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(0)
    trend = cal.trend({i: counts(int(rng.binomial(100, 0.9))) for i in range(200)}, metrics=["recall"])
    assert len(trend.to_text().splitlines()) < 230
    assert trend.plot().figure is not None
    assert len(trend.to_json()) < 400_000


def test_the_chart_of_a_metric_in_every_language_and_theme():
    plt = pytest.importorskip("matplotlib.pyplot")
    trend = cal.trend(week(95, 90, 84, 77, 71), metrics=["recall", "accuracy"])
    for lang, theme in (("en", "light"), ("vi", "dark"), ("zh", "print")):
        ax = trend.plot(lang=lang, theme=theme, metric="accuracy")
        assert len(ax.get_lines()) >= 3
        plt.close("all")
    with pytest.raises(cal.InputError, match="metrics"):
        trend.plot(metrics="recall")


def test_the_points_of_the_chart_on_a_page_name_their_periods(tmp_path):
    """Matplotlib keeps a date as a number of days, which says nothing to a reader."""
    trend = cal.trend({f"2026-03-0{day}": counts(90 - day) for day in range(1, 7)})
    trend.save(tmp_path / "trend.html", lang="en")
    points = re.findall(r"<title>(periods[^<]*)</title>", (tmp_path / "trend.html").read_text("utf-8"))
    assert any("date 2026-03-04, " in point for point in points), points
