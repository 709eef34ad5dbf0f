"""Regression at the public surface: what is taken, what is refused and in which words, and what is undefined."""
# ruff: noqa: E501

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import calipers as cal
from calipers.errors import InputError, UnknownName

RNG = np.random.default_rng(7)
Y = RNG.lognormal(3, 0.5, 400)
P = Y * RNG.lognormal(0, 0.2, 400)
GROUP = np.array(["north", "south"])[RNG.integers(0, 2, 400)]


def test_what_is_taken_for_regression():
    assert cal.evaluate([3, -0.5, 2, 7], [2.5, 0, 2, 8]).task == "regression"
    assert cal.evaluate([1.5, 2.5], [1, 3]).task == "regression"
    assert cal.evaluate([1.5, 2.5], score=[1.0, 3.0]).task == "regression"
    assert cal.evaluate([1, 2, 3], [1, 2, 3], task="regression").task == "regression"
    counts = cal.evaluate(np.arange(30), np.arange(30) + 0.25)
    assert counts.task == "regression"
    assert counts.notes == (
        "whole numbers are treated as measurements because the predictions have decimals; pass task= to change this",
    )
    assert cal.evaluate(np.arange(30) % 2, np.linspace(0, 1, 30)).task == "binary"
    assert cal.evaluate(np.arange(30), np.arange(30)).task == "multiclass"
    with pytest.raises(InputError, match='or task="regression" if they are measurements'):
        cal.evaluate([0, 1, 2], [0.1, 0.2, 0.3])


@pytest.mark.parametrize("frame", [
    pd.DataFrame, pl.DataFrame, pa.table, dict,
])  # fmt: skip
def test_frames_of_any_kind(frame):
    table = frame({"rent": Y, "guess": P, "where": GROUP, "w": np.ones(400)})
    ev = cal.evaluate(table, truth="rent", pred="guess", by=["where"], weights="w")
    assert ev.task == "regression"
    assert float(ev["mae"]) == pytest.approx(np.abs(P - Y).mean(), rel=1e-14)
    assert float(ev.by["where"]["north"]["r2"]) == pytest.approx(float(cal.metrics.r2(Y[GROUP == "north"], P[GROUP == "north"])))


REFUSED = {
    "lengths": (([1.5, 2.5], [1.0]), {}, "y_true has 2 rows and y_pred has 1: they must have the same rows"),
    "nan": (([1.5, math.nan], [1.0, 2.0]), {}, 'y_true contains 1 NaN (first at row 1): remove this row or pass missing="drop"'),
    "nan said": (([1.5, 2.5], [math.nan, 2.0]), {}, "y_pred contains 1 NaN (first at row 0): remove"),
    "infinite": (([1.5, 2.5], [1.0, math.inf]), {}, "y_pred contains 1 infinite value (first at row 1): errors must be finite"),
    "infinite, dropping": (([1.5, math.inf], [1.0, 2.0]), {"missing": "drop"}, "y_true contains 1 infinite value (first at row 1): errors"),
    "text": (([1.5, 2.5], [1.0, "x"]), {}, "y_pred contains 'x' (row 1), which is not a number"),
    "text as truth": ((["1.5", "x"], [1.0, 2.0]), {"task": "regression"}, "y_true contains '1.5' (row 0), which is not a number"),
    "nothing": (([], []), {"task": "regression"}, "y_true is empty: at least one row is needed"),
    "shapes": ((np.ones((3, 2)) * 0.5, np.ones(3)), {}, "y_true has shape (3, 2) and y_pred has shape (3,): pass one prediction per value"),
    "both": (([1.5], [1.5]), {"score": [1.0], "task": "regression"}, "y_pred and score= are both given, but regression uses one prediction: pass"),
    "positive": (([1.5], [1.5]), {"positive": 1, "task": "regression"}, "positive= is for classes, but y_true contains numbers; pass"),
    "threshold": (([1.5], [1.5]), {"threshold": 1, "task": "regression"}, "threshold= is for classes, but y_true contains numbers; pass"),
    "another task's metric": (([1.5, 2.5], [1.0, 2.0]), {"metrics": ["f1"]}, "y_true contains 1.5 (row 0): class labels must be integers, strings or booleans"),
    "weights": (([1.5, 2.5], [1.0, 2.0]), {"weights": [1.0, -1.0]}, "weights[1] is -1.0: weights are finite numbers, 0 or more"),
    "interval": (([1.5, 2.5], [1.0, 2.0]), {"interval": {"mae": "wilson"}}, "interval='wilson' is not available for mae: use long-tailed, hall, t, normal, bca, percentile or basic"),
    "average": (([1.5, 2.5], [1.0, 2.0]), {"metrics": ["mae(average=macro)"]}, "average=macro is not known; use uniform or variance"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    arguments, options, words = REFUSED[name]
    with pytest.raises(cal.CalipersError) as error:
        cal.evaluate(*arguments, **options)
    assert words in str(error.value)


def test_rows_with_gaps_are_dropped_when_asked():
    ev = cal.evaluate([1.5, math.nan, 3.5, 4.0], [1.0, 2.0, math.nan, 4.5], missing="drop")
    assert (ev.rows, float(ev["mae"])) == (2, 0.5)
    assert ev.notes == ("2 rows with missing values were dropped",)


UNDEFINED = {
    "r2 of a constant": ("r2", [2.5, 2.5, 2.5], [1, 2, 3], "all true values are equal, or there is only one row"),
    "r2 of one row": ("r2", [2.5], [1.0], "all true values are equal, or there is only one row"),
    "explained variance": ("explained_variance", [2.5, 2.5], [1, 2], "all true values are equal, or there is only one row"),
    "negative truth in msle": ("msle", [-0.5, 2.5], [1, 2], "the smallest true value is -0.5, but all values must be at least 0"),
    "negative prediction": ("rmsle", [0.5, 2.5], [1, -2], "the smallest predicted value is -2, but all values must be at least 0"),
    "poisson of 0 said": ("poisson_deviance", [0.5, 2.5], [1, 0], "the smallest predicted value is 0, but all values must be greater than 0"),
    "gamma of 0": ("gamma_deviance", [0.0, 2.5], [1, 1], "the smallest true value is 0, but all values must be greater than 0"),
    "tweedie": ("tweedie_deviance(power=0.5)", [1.0, 2.5], [1, 1], "no distribution has power 0.5"),
    "mape of zeros": ("mape", [0.0, 0.0], [1, 1.5], "every true value is 0"),
    "wape of zeros": ("wape", [0.0, 0.0], [1, 1.5], "every true value is 0"),
    "adjusted without features": ("adjusted_r2", [1.5, 2, 3], [1, 2, 3], "the number of features is not given (as in adjusted_r2(features=3)), all true"),
    "adjusted with too many": ("adjusted_r2(features=2)", [1.5, 2, 3], [1, 2, 3], "no more rows than features"),
    "alpha": ("pinball(alpha=2)", [1.5, 2, 3], [1, 2, 3], "alpha is outside [0, 1], or there are"),
    "d2": ("d2_absolute", [1.5, 1.5], [1, 2], "all true values are equal, or there is"),
    "concordance": ("concordance", [1.5, 1.5], [1.5, 1.5], "all true and predicted values are the same number"),
}  # fmt: skip


@pytest.mark.parametrize("case", UNDEFINED)
def test_undefined_is_nan_with_its_reason(case):
    name, y, p, words = UNDEFINED[case]
    estimate = cal.evaluate(y, p, task="regression")[name]
    assert math.isnan(estimate)
    assert words in estimate.reason
    assert math.isnan(estimate.low)


def test_zeros_in_mape_are_left_out_and_flagged():
    """Edge case 50: scikit-learn gives 2e14 here."""
    ev = cal.evaluate([0.0, 2.0, 4.0, 0.0], [1.5, 3.0, 4.0, 0.0], task="regression")
    assert float(ev["mape"]) == 0.25
    assert ev["mape"].flags[0] == "2 rows with a true value of 0 were left out"
    assert float(ev["smape"]) == pytest.approx((2 + 0.4 + 0 + 0) / 4)
    assert float(cal.evaluate([0.0, 2.0, 4.5], [1.5, 3.0, 4.5])["mape"]) == 0.25


def test_rmse_of_several_outputs_is_rooted_before_it_is_averaged():
    """Edge case 50: the root of the mean MSE would be sqrt(2.5)."""
    y = np.array([[0.5, 1.0], [1.0, 2.0]])
    assert float(cal.metrics.rmse(y, y + np.array([1.0, 2.0]))) == 1.5


def test_several_outputs():
    y, p = np.stack([Y, RNG.normal(size=400)], 1), np.stack([P, RNG.normal(size=400)], 1)
    ev = cal.evaluate({"a": y[:, 0], "b": y[:, 1], "pa": p[:, 0], "pb": p[:, 1]}, truth=["a", "b"], pred=["pa", "pb"])
    each = [cal.metrics.r2(y[:, k], p[:, k]) for k in (0, 1)]
    assert ev.labels == ("a", "b")
    for k, name in enumerate("ab"):
        one = ev.classes[name]["r2"]
        assert (float(one), one.low, one.high) == (float(each[k]), each[k].low, each[k].high)
    spread = y.var(0)
    assert float(ev["r2"]) == pytest.approx(np.mean([float(e) for e in each]))
    assert float(ev["r2(average=variance)"]) == pytest.approx(spread @ [float(e) for e in each] / spread.sum())
    for name in ("r2", "r2(average=variance)", "mae", "rmse"):
        mine, drawn = ev[name], cal.evaluate(y, p, interval="bca", metrics=[name])[name]
        assert drawn.high - drawn.low == pytest.approx(mine.high - mine.low, rel=0.35), name
    assert ev["median_ae"].reason.startswith("no interval: the values of one row depend on each other")
    assert "per output\noutput  MAE" in repr(ev)
    with pytest.raises(InputError, match="there are several outputs: name one of a, b"):
        ev.curve("residuals")
    assert len(ev.curve("residuals", "a").x) == 20
    with pytest.raises(UnknownName, match="no output is called 'c'"):
        ev.curve("residuals", "c")


def test_an_output_that_does_not_vary_is_left_out_of_r2():
    y = np.stack([Y, np.full(400, 2.5)], 1)
    estimate = cal.evaluate(y, y + RNG.normal(size=(400, 2)))["r2"]
    assert estimate.flags[0] == "1 of 2 outputs left out: all true values are equal, or there is only one row"


@pytest.mark.parametrize("name", ["mae", "rmse", "mape", "median_ae", "r2", "concordance", "wape", "d2_absolute", "bias"])
def test_weights_are_repetition_in_value_and_importance_in_width(name):
    w = RNG.integers(1, 4, 400).astype(float)
    weighed, repeated = cal.evaluate(Y, P, weights=w)[name], cal.evaluate(np.repeat(Y, w.astype(int)), np.repeat(P, w.astype(int)))[name]
    assert float(weighed) == pytest.approx(float(repeated), rel=1e-12)
    assert weighed.high - weighed.low > 0.95 * (repeated.high - repeated.low)


@pytest.mark.parametrize("name", ["mae", "rmse", "mape", "r2", "concordance", "wape", "d2_absolute", "d2_tweedie", "bias"])
def test_clusters_of_one_row_are_rows_and_copies_are_not(name):
    plain = cal.evaluate(Y, P, interval={name: "delta" if name in ("r2", "concordance", "wape", "d2_absolute", "d2_tweedie") else "t"})[name]
    alone = cal.evaluate(Y, P, groups=np.arange(400))[name]
    assert alone.high - alone.low == pytest.approx(plain.high - plain.low, rel=0.06)
    twice, four = (
        cal.evaluate(np.tile(Y, copies), np.tile(P, copies), groups=np.tile(np.arange(400), copies))[name] for copies in (2, 4)
    )
    assert four.high - four.low == pytest.approx(twice.high - twice.low, rel=1e-6)
    ends = (alone, plain) if plain.method == "t" else (alone,)  # of means, the farther of long tails and Student's
    width = max(end.high for end in ends) - min(end.low for end in ends)
    assert four.high - four.low == pytest.approx(width, rel=0.06)


@pytest.mark.parametrize("name", ["mae", "rmse", "median_ae", "r2", "concordance", "mape", "d2_pinball(alpha=0.9)"])
@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_bootstraps(name, method):
    default, drawn = (cal.evaluate(Y, P, metrics=[name], interval=m)[name] for m in (None, method))
    assert drawn.method == f"{method}, 1000 resamples"
    assert drawn.low < drawn < drawn.high
    assert drawn.high - drawn.low == pytest.approx(default.high - default.low, rel=0.45)
    assert drawn.low == cal.evaluate(Y, P, metrics=[name], interval=method)[name].low


def test_the_document_comes_back():
    ev = cal.evaluate(Y, P, by={"where": GROUP})
    back = cal.loads(ev.to_json())
    assert repr(back) == repr(ev)
    assert json.loads(ev.to_json())["task"] == "regression"
    frame = ev.to_frame()
    assert list(frame["metric"][frame["slice"].isna()]) == list(ev)
    assert list(frame["metric"]) == [*ev] * 3
    assert list(frame["slice"].dropna()) == ["where=north"] * len(ev) + ["where=south"] * len(ev)
    assert "<strong>regression: 400 rows</strong>" in ev._repr_html_()


def test_a_metric_with_other_parameters_can_be_asked_for_later():
    ev = cal.evaluate(Y, P)
    assert float(ev["pinball(alpha=0.9)"]) == pytest.approx(np.maximum(0.9 * (Y - P), 0.1 * (P - Y)).mean())
    with pytest.raises(InputError, match="no curve: the requested metrics did not need the rows"):
        cal.evaluate(Y, P, metrics=["mae"]).curve("residuals")


def test_comparison():
    worse = Y + RNG.normal(0, Y.std(), 400)
    comparison = cal.compare(Y, {"A": P, "B": worse}, metrics=["mae", "mse", "rmse", "r2", "median_ae", "concordance", "mape"])
    assert {name: comparison[name].verdict for name in comparison} == dict.fromkeys(comparison, "A better")
    assert comparison["mae"].method == "paired t-test"
    assert comparison["r2"].method == comparison["rmse"].method == "paired t-test of the losses"
    assert comparison["concordance"].method == "paired jackknife t-test"
    assert comparison["mape"].method == "influence-function t-test"
    assert comparison["median_ae"].method.startswith("paired bootstrap")
    from scipy.stats import ttest_rel

    assert comparison["mae"].pvalue == pytest.approx(ttest_rel(np.abs(P - Y), np.abs(worse - Y)).pvalue, rel=1e-6, abs=1e-9)
    same = cal.compare(Y, {"A": P, "B": P.copy()}, metrics=["mae", "r2"])
    assert [same[name].pvalue for name in same] == [1.0, 1.0]
    assert cal.compare(Y, {"A": P, "B": worse})["max_error"].verdict == "not compared"


class TestCurves:
    ev = cal.evaluate(Y, P)

    def test_residuals(self):
        c = self.ev.curve("residuals", bins=8, band="pointwise")
        assert c.rows.tolist() == [50.0] * 8
        first = c.end[0] >= P
        assert c.error[0] == pytest.approx((P - Y)[first].mean())
        assert ((c.low < c.error) & (c.error < c.high)).all()
        assert c.note == "95% band: t interval of the mean error in each bin"
        from scipy.stats import ttest_1samp

        low, high = ttest_1samp((P - Y)[first], 0).confidence_interval()
        assert (c.low[0], c.high[0]) == pytest.approx((low, high))

    def test_predictions_and_bland_altman(self):
        grid = self.ev.curve("predictions", bins=10)
        assert grid.rows.sum() == 400
        assert len(grid.x) <= 100
        c = self.ev.curve("bland_altman")
        assert (c.rows @ c.difference) / 400 == pytest.approx(float(self.ev["bias"]))

    def test_size_is_bounded(self):
        y = RNG.normal(size=50_000)
        ev = cal.evaluate(y, y + RNG.normal(size=50_000))
        assert [len(ev.curve(kind, bins=200).x) <= 200**2 for kind in ("residuals", "bland_altman", "predictions")] == [True] * 3

    @pytest.mark.parametrize(("kind", "how", "words"), [
        ("roc", {}, "no regression curve is called 'roc'; available"),
        ("residuals", {"bins": 0}, "bins=0: must be a whole number from 1 to 200"),
        ("residuals", {"rule": "mass"}, "a regression curve has the option"),
        ("predictions", {"band": "pointwise"}, "band='pointwise' is not available for the predictions"),
        ("residuals", {"average": "macro"}, "average= is for curves of classes: name one of the"),
    ])  # fmt: skip
    def test_refused(self, kind, how, words):
        with pytest.raises((InputError, UnknownName)) as error:
            self.ev.curve(kind, **how)
        assert words in str(error.value)

    def test_equal_numbers(self):
        ev = cal.evaluate(np.full(9, 1.5), np.full(9, 1.0))
        assert ev.curve("residuals").error.tolist() == [-0.5]
        assert ev.curve("predictions").rows.tolist() == [9.0]


def test_an_output_without_a_value_is_left_out_of_the_average():
    """Negative numbers have no logarithm: the average of msle is then of the other outputs, with their interval."""
    rng = np.random.default_rng(8)
    truth = rng.lognormal(size=(50, 2))
    pred = truth * rng.lognormal(0, 0.2, (50, 2))
    truth[0, 0] = -3.0
    both = cal.evaluate(truth, pred, task="regression", metrics=["msle"])["msle"]
    other = cal.evaluate(truth[:, 1], pred[:, 1], task="regression", metrics=["msle"])["msle"]
    assert float(both) == pytest.approx(float(other))
    assert both.low < both < both.high
    assert any("1 of 2 outputs left out" in flag for flag in both.flags)


def test_a_spread_that_few_rows_decide_is_flagged():
    rng = np.random.default_rng(0)
    y = 60 + 2 * rng.normal(size=300)
    e = rng.normal(size=300)
    plain = cal.evaluate(y, y + e)
    assert not any("decide" in flag for name in ("mae", "mse", "rmse", "r2", "msle") for flag in plain[name].flags)
    e[[7, 70]] = 40
    ev = cal.evaluate(y, y + e)
    for name in ("mse", "rmse"):
        assert ev[name].flags == ("the spread depends on very few rows (about 2)",)
    assert any("the spread depends on very few rows" in flag for flag in ev["r2"].flags)
    assert cal.evaluate(y[:9], (y + e)[:9])["mse"].flags == ("based on very few rows (9)",)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1000, 60_000])
def test_what_is_written_into_the_arrays_afterwards_changes_nothing(n, dtype):
    rng = np.random.default_rng(0)
    y = rng.lognormal(size=n).astype(dtype)
    p = (y * rng.lognormal(0, 0.3, n)).astype(dtype)
    names = ("median_ae", "d2_absolute", "d2_pinball(alpha=0.2)", "d2_tweedie", "r2", "mae")
    expected = [(e, e.low, e.high) for e in map(cal.evaluate(y, p, task="regression").__getitem__, names)]
    ev = cal.evaluate(y, p, task="regression")
    y[:], p[:] = 1, 2
    assert [(e, e.low, e.high) for e in map(ev.__getitem__, names)] == expected


@pytest.mark.parametrize(("late", "task"), [(1, "binary"), (np.arange(2, 40), "regression")])
def test_whole_numbers_are_classes_or_measurements_by_all_rows(late, task):
    """More than 20 values are measurements, also where the first rows hold two of them."""
    truth = np.arange(20_000) % 2
    truth[15_000 : 15_000 + np.size(late)] = late
    assert cal.evaluate(truth, np.linspace(0.001, 0.999, len(truth))).task == task
