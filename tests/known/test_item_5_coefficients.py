"""Coefficients of agreement and association, losses and measures of rankings: PyCM 4.6, and counted by hand."""

import json
import math
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest

import calipers as cal

TABLES = json.loads((Path(__file__).parent / "pycm/frozen.json").read_text())
BITS = 1 / math.log(2)  # PyCM's entropies are in bits, ours in nats
OURS = {
    "PI": ("scott_pi", 1), "KappaUnbiased": ("unbiased_kappa", 1), "Alpha": ("krippendorff_alpha", 1),
    "AC1": ("gwet_ac1", 1), "S": ("bennett_s", 1), "B": ("bangdiwala_b", 1), "V": ("cramer_v", 1),
    "C": ("contingency_coefficient", 1), "LambdaA": ("goodman_kruskal_lambda", 1),
    "LambdaB": ("goodman_kruskal_lambda(given=classes)", 1), "ReferenceEntropy": ("class_entropy", BITS),
    "ResponseEntropy": ("cluster_entropy", BITS), "JointEntropy": ("joint_entropy", BITS),
    "ConditionalEntropy": ("conditional_entropy", BITS), "MutualInformation": ("mutual_information", BITS),
    "RCI": ("homogeneity", 1), "Kappa": ("kappa", 1), "Overall_ACC": ("accuracy", 1), "NIR": ("no_information_rate", 1),
    "Overall_MCC": ("mcc", 1), "ARI": ("adjusted_rand", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", OURS)
def test_item_5_pycm(name):
    ours, unit = OURS[name]
    for frozen in TABLES:
        table = np.array(frozen["table"])
        truth, pred = (np.repeat(codes.ravel(), table.ravel()) for codes in np.indices(table.shape))
        e = cal.metric(ours)(truth, pred)
        assert e * unit == pytest.approx(frozen["pycm"][name], rel=1e-12)
        assert e.low <= e <= e.high
        assert e.low < e.high


def test_item_5_coefficients_of_published_counts():
    """Gwet 2008, table 1 (a paradox of kappa): 118 and 2 agreements, 5 and 0 disagreements."""
    ev = cal.evaluate_counts([[118, 5], [2, 0]], metrics=["gwet_ac1", "kappa", "bennett_s"])
    agreed, one = F(118, 125), F(123 + 120, 250)
    chance = 2 * one * (1 - one)
    assert ev["gwet_ac1"] == pytest.approx(float((agreed - chance) / (1 - chance)))
    assert ev["kappa"] < 0 < 0.88 < ev["bennett_s"] < ev["gwet_ac1"]


def test_item_5_weights_of_the_coefficients():
    """A row of weight 2 is two rows; B is of squares, so that only its interval changes with equal weights."""
    y, p = np.array([0, 1, 1, 2, 2, 2, 0]), np.array([0, 1, 2, 2, 2, 1, 1])
    for name in ("scott_pi", "krippendorff_alpha", "gwet_ac1", "bennett_s", "bangdiwala_b"):
        metric = cal.metric(name)
        repeated = metric(np.repeat(y, 2), np.repeat(p, 2))
        assert metric(y, p, weights=[2.0] * 7) == pytest.approx(repeated)
    tiny = cal.metrics.krippendorff_alpha(y, p, weights=[1e-3] * 7)
    assert -1 <= tiny <= 1


def test_item_5_labels_may_be_renamed():
    y, p = np.array([0, 1, 1, 2, 2, 2, 0, 1]), np.array([0, 1, 2, 2, 2, 1, 0, 1])
    for name in ("cramer_v", "contingency_coefficient", "goodman_kruskal_lambda", "joint_entropy"):
        assert cal.metric(name)(y, p) == pytest.approx(cal.metric(name)(y, np.array([2, 0, 1])[p]))
    assert math.isnan(cal.metrics.cramer_v(y, np.zeros(8, int)))
    with pytest.raises(cal.InputError, match="given=rows is not known; use clusters or classes"):
        cal.metrics.goodman_kruskal_lambda(y, p, given="rows")


def test_item_5_independent_labels_are_inside_the_interval_of_v():
    """Where chi-squared is not significant; and a clear association is not."""
    y, p = np.repeat([0, 1, 2], 30), np.tile([0, 1, 2, 0, 1], 18)
    for metric in (cal.metrics.cramer_v, cal.metrics.contingency_coefficient):
        assert metric(y, p).low == 0 < metric(y, p).high
        assert metric(y, np.where(np.arange(90) % 3, y, p)).low > 0.2


def test_item_5_no_false_certainty_of_lambda_and_entropies():
    """Equally common classes, and a lambda of 0, show no first-order variation: there is a width all the same."""
    y = np.repeat([0, 1], 50)
    entropy = cal.metrics.class_entropy(y, y)
    assert entropy == pytest.approx(math.log(2))
    assert entropy.low < math.log(2) - 0.01
    p = np.concatenate((np.repeat([0, 1], [45, 5]), np.repeat([0, 1], [40, 10])))
    none = cal.metrics.goodman_kruskal_lambda(y, p, given="classes")
    assert (float(none), none.low) == (0, 0)
    assert none.high > 0.1
    some = cal.metrics.goodman_kruskal_lambda([0] * 40 + [1] * 30, [0] * 30 + [1] * 10 + [0] * 8 + [1] * 22)
    # Goodman and Kruskal 1963, eq. 2.8: (n - A)(A + M - 2B)/(n - M)^3, B: of A, what is in the most common class.
    assert some.stderr == pytest.approx(math.sqrt((70 - 52) * (52 + 40 - 2 * 30) / 30**3))


def test_item_5_relative_absolute_error_and_log_cosh():
    y, p = [3.0, 5.0, 2.5, 7.0], [2.5, 5.0, 4.0, 8.0]
    rae = cal.metrics.rae(y, p)
    assert rae == pytest.approx(float((F(1, 2) + F(3, 2) + 1) / (F(11, 8) + F(5, 8) + F(15, 8) + F(21, 8))))
    assert cal.metrics.log_cosh(y, p) == pytest.approx(np.log(np.cosh([0.5, 0.0, 1.5, 1.0])).mean(), rel=1e-14)
    far = cal.metrics.log_cosh([0.0, 0.0], [1e6, 1e-9])
    assert far == pytest.approx((1e6 - math.log(2) + 1e-18 / 2) / 2, rel=1e-15)
    assert cal.metrics.log_cosh([0.0], [1e-9]) == pytest.approx(5e-19, rel=1e-12)
    assert math.isnan(cal.metrics.rae([1.0, 1.0], [1.0, 2.0]))


def test_item_5_the_interval_of_rae_is_that_of_the_bootstrap():
    rng = np.random.default_rng(0)
    y = rng.gamma(2.0, size=400)
    p = y + rng.normal(0, 0.6, 400)
    e, drawn = cal.metrics.rae(y, p), cal.metrics.rae(y, p, interval="percentile")
    assert (e.low, e.high) == pytest.approx((drawn.low, drawn.high), abs=0.01)
    value = lambda keep: np.abs(y - p)[keep].sum() / np.abs(y[keep] - y[keep].mean()).sum()  # noqa: E731
    left = np.array([value(np.arange(400) != row) for row in range(400)])
    assert e.stderr == pytest.approx(math.sqrt(399 / 400 * ((left - left.mean()) ** 2).sum()), rel=1e-9)
    halves = cal.compare(y, {"a": p, "b": y + rng.normal(0, 0.6, 400)}, metrics=["rae"])
    assert halves["rae"].low < 0 < halves["rae"].high


def test_item_5_geometric_map_of_two_systems():
    """Paired by queries: the difference of the geometric means, with the jackknife over queries."""
    rng = np.random.default_rng(1)
    qrels = {f"q{i}": {f"d{j}": int(rng.random() < 0.3) for j in range(10)} for i in range(30)}
    for query in qrels:
        qrels[query]["d0"] = 1
    first, second = ({q: {f"d{j}": rng.random() + gain * qrels[q][f"d{j}"] for j in range(10)} for q in qrels}
                     for gain in (0.2, 0.6))  # fmt: skip
    found = cal.compare(qrels, {"a": first, "b": second}, metrics=["gm_map", "map"])
    precisions = [cal.evaluate_ranking(qrels, run, ["map"]).per_query["map"] for run in (first, second)]
    means = [math.exp(np.log(each).mean()) for each in precisions]
    assert found["gm_map"].difference == pytest.approx(means[1] - means[0])
    assert found["gm_map"].low < found["gm_map"].difference < found["gm_map"].high
    assert found["gm_map"].pvalue < 0.05
    ev = cal.evaluate_ranking(qrels, first, ["gm_map"])
    logs = np.log(precisions[0])
    left = np.exp((logs.sum() - logs) / 29)
    assert ev["gm_map"].stderr == pytest.approx(math.sqrt(29 / 30 * ((left - left.mean()) ** 2).sum()))
    assert "log" in cal.explain("gm_map", ev).to_text()


def test_item_5_residual_of_rbp():
    """Moffat and Zobel 2008: judged 1, not judged, judged 0; then nothing is known."""
    qrels, run = {"q": {"a": 1, "c": 0}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    ev = cal.evaluate_ranking(qrels, run, ["rbp(p=0.5)", "rbp_residual(p=0.5)", "rbp_residual(p=0.5)@1"])
    assert ev["rbp(p=0.5)"] == F(1, 2)
    assert ev["rbp_residual(p=0.5)"] == F(1, 4) + F(1, 8)
    assert ev["rbp_residual(p=0.5)@1"] == F(1, 2)


def test_item_5_no_mean_over_orders():
    """Tied documents without ids: other measures are means over their orders, interpolated ones have none."""
    lists = [[1, 0, 1]], [[0.5, 0.5, 0.1]]
    assert cal.evaluate_ranking(*lists, metrics=["map"])["map"] == pytest.approx(17 / 24)
    with pytest.raises(cal.InputError, match=r'eleven_point_precision cannot be averaged .* pass ties="order"'):
        cal.evaluate_ranking(*lists, metrics=["11pt_avg"])
    plain = cal.evaluate_ranking(*lists, metrics=["11pt_avg"], ties="order")
    assert plain["11pt_avg"] == pytest.approx((6 + 5 * 2 / 3) / 11)
