"""Regression against certified values of NIST's StRD, and against fractions worked by hand."""

from fractions import Fraction

import numpy as np
import pytest

import calipers as cal

# NIST Statistical Reference Datasets, linear regression: Norris (y, x), lower difficulty.
NORRIS = """0.1 0.2 338.8 337.4 118.1 118.2 888.0 884.6 9.2 10.1 228.1 226.5 668.5 666.3 998.5 996.3 449.1 448.6
778.9 777.0 559.2 558.2 0.3 0.4 0.1 0.6 778.1 775.5 668.8 666.9 339.3 338.0 448.9 447.5 10.8 11.6 557.7 556.0
228.3 228.1
998.0 995.8 888.8 887.6 119.6 120.2 0.3 0.3 0.6 0.3 557.6 556.8 339.3 339.1 888.0 887.2 998.5 999.0 778.9 779.0
10.2 11.1 117.6 118.3 228.9 229.2 668.4 669.1 449.2 448.9 0.2 0.5"""
# Longley, higher difficulty: y, x1 ... x6.
LONGLEY = """60323 83.0 234289 2356 1590 107608 1947 61122 88.5 259426 2325 1456 108632 1948
60171 88.2 258054 3682 1616 109773 1949 61187 89.5 284599 3351 1650 110929 1950
63221 96.2 328975 2099 3099 112075 1951 63639 98.1 346999 1932 3594 113270 1952
64989 99.0 365385 1870 3547 115094 1953 63761 100.0 363112 3578 3350 116219 1954
66019 101.2 397469 2904 3048 117388 1955 67857 104.6 419180 2822 2857 118734 1956
68169 108.4 442769 2936 2798 120445 1957 66513 110.8 444546 4681 2637 121950 1958
68655 112.6 482704 3813 2552 123366 1959 69564 114.2 502601 3931 2514 125368 1960
69331 115.7 518173 4806 2572 127852 1961 70551 116.9 554894 4007 2827 130081 1962"""
CERTIFIED = {  # R², residual standard deviation
    "norris": (0.999993745883712, 0.884796396144373),
    "longley": (0.995479004577296, 304.854073561965),
}


def fitted(text, columns):
    """The truth and the predictions of a least-squares fit, solved by QR of centred, scaled columns."""
    table = np.array(text.split(), float).reshape(-1, columns)
    y, x = table[:, 0], table[:, 1:]
    middle, scale = x.mean(0), x.std(0)
    q, r = np.linalg.qr((x - middle) / scale)
    slopes = np.linalg.solve(r, q.T @ (y - y.mean()))
    return y, y.mean() + ((x - middle) / scale) @ slopes, x.shape[1]


@pytest.mark.parametrize(("name", "columns", "digits"), [("norris", 2, 12), ("longley", 7, 10)])
def test_nist_certified_values(name, columns, digits):
    text = {"norris": NORRIS, "longley": LONGLEY}[name]
    y, predicted, features = fitted(text, columns)
    ev = cal.evaluate(y, predicted, task="regression")
    r2, deviation = CERTIFIED[name]
    assert float(ev["r2"]) == pytest.approx(r2, rel=10.0**-digits)
    spare = len(y) - features - 1
    assert float(np.sqrt(ev["mse"] * len(y) / spare)) == pytest.approx(deviation, rel=10.0**-digits)
    adjusted = ev[f"adjusted_r2(features={features})"]
    assert float(adjusted) == pytest.approx(1 - (1 - r2) * (len(y) - 1) / spare, rel=1e-10)
    assert abs(ev["bias"]) < 1e-8 * y.mean()


def test_norris_by_its_certified_coefficients():
    table = np.array(NORRIS.split(), float).reshape(-1, 2)
    ev = cal.evaluate(table[:, 0], -0.262323073774029 + 1.00211681802045 * table[:, 1])
    assert float(ev["r2"]) == pytest.approx(CERTIFIED["norris"][0], abs=1e-14)


TRUTH, SAID = [3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0]  # errors -1/2, 1/2, 0, 1; squares 1/4, 1/4, 0, 1
FRACTIONS = {
    "mae": Fraction(1, 2),
    "mse": Fraction(3, 8),
    "median_ae": Fraction(1, 2),
    "max_error": Fraction(1),
    "bias": Fraction(1, 4),
    "mape": (Fraction(1, 6) + 1 + 0 + Fraction(1, 7)) / 4,
    "smape": (2 * Fraction(1, 2) / Fraction(11, 2) + 2 + 0 + Fraction(2, 15)) / 4,
    "wape": Fraction(2) / Fraction(25, 2),
    "r2": 1 - Fraction(3, 2) / Fraction(467, 16),
    "explained_variance": 1 - (Fraction(3, 2) - Fraction(1, 4)) / Fraction(467, 16),
    "pinball(alpha=0.9)": (Fraction(9, 20) + Fraction(1, 20) + 0 + Fraction(1, 10)) / 4,
    "huber(delta=0.5)": (Fraction(1, 8) + Fraction(1, 8) + 0 + Fraction(3, 8)) / 4,
    "d2_absolute": 1 - Fraction(2) / (Fraction(1, 2) + 3 + Fraction(1, 2) + Fraction(9, 2)),
    "concordance": 2 * (Fraction(467, 16) + Fraction(19, 8))
    / (Fraction(467, 16) + (Fraction(467, 16) + 2 * Fraction(19, 8) + Fraction(5, 4)) + 4 * Fraction(1, 16)),
    "adjusted_r2(features=1)": 1 - Fraction(3, 2) / Fraction(467, 16) * 3 / 2,
}  # fmt: skip


@pytest.mark.parametrize("name", FRACTIONS)
def test_by_hand(name):
    """Deviations of the truth: 1/8, -27/8, -7/8, 33/8, whose squares sum to 467/16; times the errors to 19/8."""
    assert float(cal.metric(name)(TRUTH, SAID)) == pytest.approx(float(FRACTIONS[name]), rel=1e-14)


def test_the_order_statistics_of_a_median_of_thirty():
    errors = np.arange(1.0, 31.0)
    estimate = cal.metrics.median_ae(np.full(30, 0.5), errors + 0.5)
    assert (float(estimate), estimate.low, estimate.high) == (15.5, 10.0, 21.0)  # Conover's table: ranks 10 and 21
    assert estimate.method == "order statistics 10 and 21"


def test_limits_of_agreement_of_bland_and_altman():
    """PEFR by large and by mini Wright meter, Bland and Altman 1986, first readings of 17 subjects: -79.7 and 75.5
    l/min there, of differences large less mini: mean -2.1, standard deviation 38.8, and 2 in the place of 1.96.
    """
    large = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
    mini = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]
    ev = cal.evaluate(mini, large, task="regression")
    assert round(float(ev["bias"]), 1) == -2.1
    low, high = ev["agreement_low"], ev["agreement_high"]
    deviation = (high - low) / 2 / 1.959964
    assert round(float(deviation), 1) == 38.8
    assert low.low < low < low.high
    share = f"share={2 * 0.9772498680518208 - 1}"  # two standard deviations, as the paper takes
    assert float(ev[f"agreement_low({share})"]) == pytest.approx(-79.7, abs=0.1)
    assert float(ev[f"agreement_high({share})"]) == pytest.approx(75.5, abs=0.1)
