import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

import calipers as cal
from calipers.inference.mean import hall, invert_cubic, long_tailed


def central(x):
    d = x - x.mean()
    return len(x), float(x.mean()), float((d**2).sum()), float((d**3).sum())


def test_without_skewness_it_is_the_t_interval():
    x = np.array([1.0, 2, 3, 4, 5, 6, 7])
    expected = stats.t.interval(0.95, 6, x.mean(), stats.sem(x))
    assert hall(*central(x), 0.95) == pytest.approx(expected)


def test_ends_are_where_halls_cubic_reaches_the_quantile():
    """Hall 1992: T + γ(T²/3 + 1/6)/√n + γ²T³/(27n), solved here by bracketing."""
    x = np.array([0.1, 0.2, 0.2, 0.4, 0.5, 0.9, 1.3, 2.8])
    n, mean, m2, m3 = central(x)
    skewness = stats.skew(x)
    step = math.sqrt(m2 / (n - 1) / n)
    for end, quantile in zip(hall(n, mean, m2, m3, 0.95), stats.t.ppf([0.975, 0.025], n - 1), strict=True):
        T = (mean - end) / step
        g = T + skewness * (T**2 / 3 + 1 / 6) / math.sqrt(n) + skewness**2 * T**3 / (27 * n)
        assert g == pytest.approx(quantile, rel=1e-9)


def test_a_long_right_tail_moves_both_ends_to_the_right():
    plain, skewed = hall(30, 1, 29, 0, 0.95), hall(30, 1, 29, 60, 0.95)
    assert skewed[0] > plain[0]
    assert skewed[1] > plain[1]


@given(st.floats(-40, 40), st.floats(-0.33, 0.33))
def test_cubic_is_inverted(y, a):
    T = invert_cubic(y, a)
    assert T + a * T**2 + a**2 * T**3 / 3 + a / 2 == pytest.approx(y, rel=1e-7, abs=1e-7)


samples = (
    st.lists(st.floats(0, 100), min_size=2, max_size=30).map(np.array).filter(lambda x: np.ptp(x) > 1e-3)
)


@given(samples, st.floats(0.5, 0.99))
def test_interval_holds_the_mean_inside_the_range_and_widens(x, level):
    moments = central(x)
    low, high = hall(*moments, level, (0, math.inf))
    wide = hall(*moments, (1 + level) / 2, (0, math.inf))
    assert 0 <= wide[0] <= low <= moments[1] <= high <= wide[1]


@given(samples)
def test_mirrored_data_mirror_the_interval(x):
    low, high = hall(*central(x), 0.95)
    n, mean, m2, m3 = central(x)
    assert hall(n, -mean, m2, -m3, 0.95) == pytest.approx((-high, -low))


@pytest.mark.parametrize("moments", [(1, 3.0, 0.0, 0.0), (0, math.nan, 0.0, 0.0), (9, 3.0, 0.0, 0.0)])
def test_one_row_or_no_spread_is_no_interval(moments):
    assert all(map(math.isnan, hall(*moments, 0.95)))


def test_a_restated_mean_varies_within_the_classes_only():
    rng = np.random.default_rng(6)
    truth = np.arange(4000) < 1000
    score = 1 / (1 + np.exp(-(rng.standard_normal(4000) + 2 * truth - 1)))
    loss = -np.log(np.where(truth, score, 1 - score))
    estimate = cal.evaluate(truth, score).at(prevalence=0.4)["log_loss"]
    parts = [(0.4, loss[truth]), (0.6, loss[~truth])]
    assert estimate == pytest.approx(sum(share * part.mean() for share, part in parts))
    error = np.sqrt(sum(share**2 * part.var(ddof=1) / len(part) for share, part in parts))
    assert (estimate.high - estimate.low) / 2 == pytest.approx(1.96 * error, rel=0.01)


def test_a_restated_mean_without_spread_within_a_class_has_no_interval():
    alone = cal.evaluate([1, 0, 0, 0], [0.9, 0.2, 0.3, 0.1]).at(prevalence=0.5)["log_loss"]
    assert alone.reason == "no interval: a class has fewer than two rows"


def test_averaged_areas_say_what_they_rest_on():
    rng = np.random.default_rng(7)
    truth = np.repeat([0, 1, 2], [300, 100, 20])
    score = 0.6 * rng.dirichlet([1, 1, 1], 420) + 0.4 * np.eye(3)[truth]
    ev = cal.evaluate(truth, score)
    assert ev["average_precision(average=macro)"].flags == ("the rarest class has only 20 positive rows",)
    (flag,) = ev["roc_auc(average=macro)"].flags
    wrong = min(
        min((truth == k).sum(), (truth != k).sum()) * (1 - roc_auc_score(truth == k, score[:, k])) for k in range(3)
    )
    assert wrong < 5
    assert flag == f"too few cases to be reliable ({wrong:.0f} of the rarest outcome)"
    assert flag.values["count"] == pytest.approx(wrong, rel=0.01)


@pytest.mark.parametrize(("df", "least"), [(4, 0.92), (3, 0.87)])
def test_item_11_long_tails_are_covered_better_by_narrower_intervals(df, least):
    """Squares of Student's t errors, 100 rows: Hall's interval held their mean in 90 and in 84% of the samples."""
    rng, samples = np.random.default_rng(4), 1500
    covered, width = np.zeros(2), np.zeros(2)
    for _ in range(samples):
        sums = central(rng.standard_t(df, 100) ** 2)
        ends = np.array([each(*sums, 0.95, (0.0, math.inf)) for each in (hall, long_tailed)])
        covered += (ends[:, 0] <= df / (df - 2)) & (df / (df - 2) <= ends[:, 1])
        width += ends[:, 1] - ends[:, 0]
    assert covered[1] / samples > least > covered[0] / samples
    assert width[1] < width[0]


@given(st.floats(0, 3), st.floats(0.5, 0.999))
def test_the_farther_end_of_a_long_tail_never_comes_nearer(skew, level):
    n = 50
    near, far = (long_tailed(n, 0.0, 1.0, 3 * by, level)[1] for by in (skew / 2, skew))
    assert far >= near - 1e-12
