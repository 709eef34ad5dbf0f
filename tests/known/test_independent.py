"""Differences between evaluations of different rows: against R, SciPy, published intervals and the definition."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq, minimize_scalar
from scipy.special import xlogy

import calipers as cal
from calipers.inference.unpaired_shares import Share, TwoShares

R = json.loads((Path(__file__).parent / "r" / "independent.json").read_text("utf-8"))


def of_counts(x, n, y, m):
    return TwoShares.of(Share(x / n, n), Share(y / m, m))


@pytest.fixture(scope="module")
def halves():
    import calipers.datasets

    lines = (Path(calipers.datasets.__file__).parent / "bad_debt.csv").read_text("utf-8").splitlines()
    names = lines[0].split(",")
    rows = [dict(zip(names, line.split(","), strict=True)) for line in lines[1:]]
    y, p = np.array([r["truth"] for r in rows]), np.array([float(r["score"]) for r in rows])
    return [cal.evaluate(y[part], p[part], positive="BAD") for part in (slice(0, 400), slice(400, None))]


def test_areas_have_the_variances_of_proc(halves):
    known = R["areas"]
    assert [float(ev["roc_auc"]) for ev in halves] == pytest.approx(known["values"], abs=1e-13)
    d = cal.compare_independent(*halves, metrics=["roc_auc", "gini"])["roc_auc"]
    assert d.stderr == pytest.approx(math.sqrt(sum(known["variances"])), rel=1e-10)
    assert -d.difference / d.stderr == pytest.approx(known["D"], rel=1e-10)
    assert d.pvalue == pytest.approx(known["p"], abs=0.02)  # the score form differs a little


def test_means_have_the_statistic_of_welch(halves):
    d, known = cal.compare_independent(*halves, metrics=["brier"])["brier"], R["brier"]
    assert (d.difference, d.stderr) == pytest.approx((known["difference"], known["stderr"]))
    assert (d.statistic, d.df) == pytest.approx((known["t"], known["df"]))


def test_symmetric_means_have_the_p_value_of_scipy():
    # Errors that mirror each other have no skewness, so that nothing is corrected.
    a, b = (np.r_[e, -e] + shift for e, shift in ((np.arange(1.0, 26), 0.3), (np.arange(2.0, 42), 4.0)))
    first, second = (cal.evaluate(np.zeros(len(e)), e, task="regression", metrics=["bias"]) for e in (a, b))
    d = cal.compare_independent(first, second, metrics=["bias"])["bias"]
    right = stats.ttest_ind(b, a, equal_var=False)
    assert (d.statistic, d.df) == pytest.approx((right.statistic, right.df))
    assert d.pvalue == pytest.approx(right.pvalue, rel=0.02)
    ends = right.confidence_interval(0.95)
    assert (d.low, d.high) == pytest.approx((ends.low, ends.high), abs=0.01 * (ends.high - ends.low))  # a df each


@pytest.mark.parametrize("known", R["shares"], ids=lambda known: str(known["counts"]))
def test_shares_have_the_statistic_of_prop_test_with_one_row_less(known):
    x, n, y, m = known["counts"]
    statistic = of_counts(x, n, y, m).statistic() ** 2
    assert statistic == pytest.approx(known["X2"] * (n + m - 1) / (n + m), rel=1e-12)


@pytest.mark.parametrize(
    ("counts", "ends"),
    [((56, 70, 48, 80), (0.0528, 0.3382)), ((9, 10, 3, 10), (0.1700, 0.8406))],
    ids=["a", "b"],
)
def test_intervals_of_newcombe_1998_table_2_method_6(counts, ends):
    assert of_counts(*counts).interval(0.95) == pytest.approx(ends, abs=5e-5)


@pytest.mark.parametrize("counts", [(56, 70, 48, 80), (9, 10, 3, 10), (5, 56, 0, 29), (0, 12, 4, 20), (30, 30, 1, 4)])
def test_the_score_interval_by_its_definition(counts):
    """Miettinen and Nurminen: the most likely shares with a difference, found by a search and not by a formula."""
    x, n, y, m = counts

    def statistic(d):
        def loss(q):
            return -(xlogy(x, q + d) + xlogy(n - x, 1 - q - d) + xlogy(y, q) + xlogy(m - y, 1 - q))

        bounds = max(0.0, -d) + 1e-12, min(1.0, 1 - d) - 1e-12
        q = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-13}).x
        variance = ((q + d) * (1 - q - d) / n + q * (1 - q) / m) * (n + m) / (n + m - 1)
        return (x / n - y / m - d) / math.sqrt(variance)

    found = of_counts(*counts)
    far, gap = stats.norm.ppf(0.975), x / n - y / m
    low, high = found.interval(0.95)
    if low > -0.999:
        assert low == pytest.approx(brentq(lambda d: statistic(d) - far, -0.9999, gap - 1e-9), abs=1e-5)
    if high < 0.999:
        assert high == pytest.approx(brentq(lambda d: statistic(d) + far, gap + 1e-9, 0.9999), abs=1e-5)
    assert found.statistic(0.2) == pytest.approx(statistic(0.2), abs=1e-4)
