"""Maps that recalibrate, what they change on other rows, and calibration metrics on the worst inputs."""

import math

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers as cal
from calipers.cli import shell
from calipers.decisions.calibrate import folds
from calipers.decisions.maps import METHODS
from calipers.errors import InputError, UnknownName

rng = np.random.default_rng(3)
N = 1200
X = rng.normal(size=N)
TRUE = 1 / (1 + np.exp(1 - X))
Y = (rng.random(N) < TRUE).astype(int)
OVER = 1 / (1 + np.exp(2.5 - 3 * X))
SEEDS = st.integers(0, 2**32 - 1)
NEW = ("calibration_slope", "calibration_intercept", "calibration_in_the_large", "nagelkerke_r2", "ici")


@pytest.mark.parametrize("method", METHODS)
def test_item_1_a_map_is_applied_saved_and_loaded(method, tmp_path):
    result = cal.calibrate(Y, OVER, method=method)
    assert (result.method, result.rows, result.positive) == (method, N, 1)
    p = np.array([0.0, 0.01, 0.3, 0.5, 0.99, 1.0])
    mapped = result.apply(p)
    assert ((mapped >= 0) & (mapped <= 1)).all()
    assert (np.diff(mapped) >= 0).all()
    result.save(tmp_path / "map.json")
    back = cal.load(tmp_path / "map.json")
    assert isinstance(back, cal.Calibration)
    assert back.map == result.map
    assert (back.apply(p) == mapped).all()
    assert back.findings == result.findings
    two = result.apply(np.stack((1 - p, p), 1))
    assert (two[:, 1] == mapped).all()
    assert two.sum(1) == pytest.approx(1)


def test_item_1_changes_are_paired_and_cross_fitted():
    result = cal.calibrate(Y, OVER, method="platt")
    batch_folds = folds(cal_batch(), 0)
    after = np.empty(N)
    for k in range(10):
        mine = batch_folds == k
        fitted = METHODS["platt"].fit(Y[~mine].astype(float), OVER[~mine], np.ones((~mine).sum()))
        after[mine] = fitted.apply(OVER[mine])
    same = cal.compare(Y, {"as given": OVER, "calibrated": after}, metrics=["log_loss", "brier", "ece"])
    for name, change in result.items():
        d = same[name]
        assert (change.after, change.before) == d.measured
        assert (change.difference, change.low, change.high, change.pvalue) == (d.difference, d.low, d.high, d.pvalue)
    assert result["log_loss"].high < 0
    assert [finding.code for finding in result.findings] == ["recalibration_helps"]


def cal_batch():
    from calipers.data.reading import read
    from calipers.settings import Settings

    return read(Settings(), Y, None, OVER)


def test_what_is_calibrated_is_not_improved():
    result = cal.calibrate(Y, TRUE, method="isotonic")
    assert result["log_loss"].difference > 0  # the map fits noise
    assert result.findings[0].code in ("recalibration_open", "recalibration_harms")
    few = np.random.default_rng(0).permutation(N)[:60]
    assert cal.calibrate(Y[few], TRUE[few], method="isotonic").findings[0].code != "recalibration_helps"


def test_item_1_each_method_finds_what_it_is_for():
    logit = np.log(TRUE / (1 - TRUE))
    sharp = 1 / (1 + np.exp(-2 * logit))
    assert cal.calibrate(Y, sharp, method="temperature").map.temperature == pytest.approx(2, abs=0.4)
    assert cal.calibrate(Y, 1 / (1 + np.exp(-logit - 1)), method="shift").map.shift == pytest.approx(-1, abs=0.2)
    beta = cal.calibrate(Y, TRUE, method="beta").map
    assert (beta.a, beta.b, beta.c) == pytest.approx((1, 1, 0), abs=0.35)


@settings(max_examples=25)
@given(seed=SEEDS)
def test_fits_are_where_no_small_step_is_better(seed):
    random = np.random.default_rng(seed)
    y, p, w = random.integers(0, 2, 40).astype(float), random.uniform(0.02, 0.98, 40), random.uniform(0.5, 2, 40)
    if y.min() == y.max():
        return

    def loss(q):
        return float(w @ -(y * np.log(q) + (1 - y) * np.log(1 - q)))

    for method in ("shift", "temperature"):
        found = METHODS[method].fit(y, p, w)
        ((name, value),) = found.values().items()
        if method == "temperature" and not 0.01 < value < 100:  # the ends of the range: the scores say nothing
            continue
        least = loss(found.apply(p))
        for other in (value * 1.01 + 1e-3, value * 0.99 - 1e-3):
            assert least <= loss(METHODS[method].of_values({name: other}).apply(p)) + 1e-9


@settings(max_examples=25)
@given(seed=SEEDS)
def test_isotonic_is_the_best_rising_function(seed):
    """Brute force: the least squares of all ways to cut the scores into blocks that rise."""
    random = np.random.default_rng(seed)
    p, y = np.sort(random.uniform(size=7)), random.integers(0, 2, 7).astype(float)
    best = math.inf
    for cuts in range(64):
        blocks = np.cumsum([0, *(cuts >> i & 1 for i in range(6))])
        means = np.array([y[blocks == b].mean() for b in blocks])
        if (np.diff(means) >= 0).all():
            best = min(best, float(((y - means) ** 2).sum()))
    fitted = METHODS["isotonic"].fit(y, p, np.ones(7))
    plain = np.clip((np.array(fitted.apply(p)) - 0.5) * 1.0 + 0.5, 0, 1)
    assert float(((y - plain) ** 2).sum()) <= best + 7 * 0.25**2 + 1e-9


def test_several_classes_have_a_temperature():
    random = np.random.default_rng(1)
    p = random.dirichlet([1, 1, 1], 600)
    y = np.array([random.choice(3, p=row) for row in p])
    sharp = p**2 / (p**2).sum(1, keepdims=True)
    result = cal.calibrate(y, sharp, method="temperature")
    assert result.map.temperature == pytest.approx(2, abs=0.4)
    assert result.apply(sharp).sum(1) == pytest.approx(1)
    assert result["log_loss"].high < 0
    with pytest.raises(InputError, match='with several classes use method="temperature"'):
        cal.calibrate(y, sharp, method="platt")


WRONG = [
    (lambda: cal.calibrate(Y, OVER * 3), "pass probabilities between 0 and 1"),
    (lambda: cal.calibrate([1] * 30, [0.5] * 30), "class"),
    (lambda: cal.calibrate([0, 0, 0, 1], [0.2, 0.8, 0.3, 0.9], method="shift"), "a class has too few rows"),
    (lambda: cal.calibrate([0, 1] * 30, [0.5] * 60, method="beta"), "could not be fitted"),
    (lambda: cal.calibrate([0, 1] * 30, [0.5, np.nan] * 30), "NaN"),
    (lambda: cal.calibrate([1.5, 2.5, 3.5] * 9, [0.5, 0.2, 0.1] * 9), "calibrate takes true classes"),
    (lambda: cal.calibrate(Y, OVER).apply([0.5, 1.5]), "pass probabilities between 0 and 1"),
    (lambda: cal.calibrate(Y, OVER).apply([[0.5, 0.2, 0.3]]), r"shape \(1, 3\)"),
    (lambda: cal.calibrate(Y, OVER).apply([np.nan]), "without missing values"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_what_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_unknown_methods_and_metrics_are_named():
    with pytest.raises(UnknownName, match="method='plat' is not known; did you mean platt"):
        cal.calibrate(Y, OVER, method="plat")
    with pytest.raises(UnknownName, match="no change of 'f1' was measured"):
        cal.calibrate(Y, OVER, method="shift")["f1"]


def test_groups_stay_together_and_widen_the_interval():
    groups = np.repeat(np.arange(N // 10), 10)
    result = cal.calibrate(np.repeat(Y[:120], 10), np.repeat(OVER[:120], 10), groups=groups)
    plain = cal.calibrate(np.repeat(Y[:120], 10), np.repeat(OVER[:120], 10))
    assert result["brier"].high - result["brier"].low > 1.5 * (plain["brier"].high - plain["brier"].low)


def test_a_damaged_map_is_refused():
    import json

    document = cal.calibrate(Y, OVER, method="isotonic").to_dict()
    for change in ({"map": {"score": [0.1], "outcome": []}}, {"map": {"shift": 1}}, {"changes": {}}):
        with pytest.raises(InputError):
            cal.loads(json.dumps(document | change))


def test_item_1_the_shell_saves_a_map(tmp_path):
    data = tmp_path / "x.csv"
    data.write_text("truth,score\n" + "\n".join(f"{y},{p:.6f}" for y, p in zip(Y, OVER, strict=True)))
    saved = tmp_path / "map.json"
    arguments = ["calibrate", str(data), "--method", "beta", "--save", str(saved)]
    out = CliRunner().invoke(shell, arguments, env={"LANG": "C"})
    assert out.exit_code == 0, out.output
    assert "Recalibration is worth it" in " ".join(out.output.split())
    expected = cal.calibrate(Y, np.round(OVER, 6), method="beta")
    assert cal.load(saved).map == expected.map


# The metrics


@pytest.mark.parametrize("name", NEW)
def test_item_1_the_metrics_on_the_worst_inputs(name):
    for y, p, reason in (
        ([1, 1, 1], [0.2, 0.5, 0.7], "one_class"),
        ([0, 1, 0, 1], [0.5] * 4, "constant"),
        ([0, 0, 1, 1], [0.0, 0.0, 1.0, 1.0], "separated"),
        ([0, 1, 0, 1] * 5, [0.0, 0.0, 1.0, 1.0] * 5, ""),
    ):
        estimate = cal.evaluate(y, score=p, positive=1, labels=[0, 1])[name]
        if math.isnan(estimate):
            assert estimate.reason, (name, reason)
        else:
            assert estimate.low <= estimate <= estimate.high or estimate.reason, (name, reason, estimate)


@settings(max_examples=20)
@given(seed=SEEDS)
def test_weights_equal_repetition(seed):
    random = np.random.default_rng(seed)
    y, p, w = random.integers(0, 2, 30), np.round(random.uniform(0.05, 0.95, 30), 2), random.integers(1, 4, 30)
    weighted = cal.evaluate(y, score=p, weights=w.astype(float), positive=1, labels=[0, 1])
    repeated = cal.evaluate(np.repeat(y, w), score=np.repeat(p, w), positive=1, labels=[0, 1])
    for name in (*NEW, "ece(closed=right)"):
        assert weighted[name] == pytest.approx(repeated[name], rel=1e-7, abs=1e-9, nan_ok=True), name


def test_the_class_wise_error_is_the_mean_over_classes_with_an_interval():
    random = np.random.default_rng(0)
    p = random.dirichlet([2, 1, 1], 400)
    y = np.array([random.choice(3, p=row) for row in p])
    ev = cal.evaluate(y, p)
    each = [cal.evaluate((y == k).astype(int), p[:, k], positive=1)["ece"] for k in range(3)]
    found = ev["classwise_ece"]
    assert found == pytest.approx(np.mean(each))
    assert (found.low, found.high) == pytest.approx((np.mean([e.low for e in each]), np.mean([e.high for e in each])))


def test_many_scores_are_gathered_without_changing_the_index_much():
    from calipers.metrics import smoothing

    ev = cal.evaluate(Y, OVER)
    gathered = float(ev["ici"])
    cells, smoothing.CELLS = smoothing.CELLS, 10_000
    try:
        assert cal.evaluate(Y, OVER)["ici"] == pytest.approx(gathered, abs=2e-4)
    finally:
        smoothing.CELLS = cells


def test_item_1_scores_on_an_edge_fall_below_it_where_bins_are_closed_on_the_right():
    y, p = np.array([0, 1, 1, 0]), np.array([0.2, 0.2, 0.4, 0.3])
    left = cal.evaluate(y, p).curve("calibration", bins=5)
    right = cal.evaluate(y, p).curve("calibration", bins=5, closed="right")
    assert left.begin.tolist() == pytest.approx([0.2, 0.4])
    assert right.begin.tolist() == pytest.approx([0.0, 0.2])
    drawn = cal.evaluate(y, p, metrics=["ece(bins=5, closed=right)"], interval="percentile", replicates=50)
    assert drawn["ece"].low <= drawn["ece"]
