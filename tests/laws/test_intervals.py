"""Laws of intervals, over every metric and every method that fits it: in range, around the estimate, for any rows."""

import math
from itertools import pairwise

import numpy as np
import pytest

import calipers as cal
from calipers.inference.intervals import every_method, fitting
from calipers.inference.resampled import RESAMPLED
from calipers.metrics.base import CATALOGUE
from calipers.metrics.resolve import resolve

RNG = np.random.default_rng(2)
ROWS = {
    "one row": ([1], [0.7]),
    "one row, wrong": ([1], [0.2]),
    "all right": ([0, 1, 0, 1, 1, 0], [0.1, 0.9, 0.2, 0.8, 0.7, 0.3]),
    "all wrong": ([0, 1, 0, 1, 1, 0], [0.9, 0.1, 0.8, 0.2, 0.3, 0.7]),
    "one positive": ([0, 0, 0, 0, 1, 0], [0.1, 0.6, 0.3, 0.2, 0.5, 0.4]),
    "one class": ([1, 1, 1, 1], [0.6, 0.9, 0.2, 0.8]),
    "one score": ([0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5]),
    "certain scores": ([0, 1, 0, 1, 1], [0.0, 1.0, 1.0, 1.0, 0.0]),
    "usual": ((RNG.random(60) < 0.4).astype(int), RNG.random(60).round(2)),
}
LEVELS = (0.01, 0.95, 0.9999)
SAME = (  # one of these flags an interval of no width
    "no variation in the data", "not reliable: every bootstrap sample gave the same value",
    "not reliable: both bounds are equal",
)  # fmt: skip
MEASURES = [m.with_parameters({}) for m in CATALOGUE] + [CATALOGUE["fbeta(beta=2)"], CATALOGUE["f1(average=macro)"]]


def evaluated(kind, **options):
    truth, score = ROWS[kind]
    return cal.evaluate(truth, score, labels=(0, 1), positive=1, **options)


@pytest.mark.parametrize("kind", ROWS)
def test_bounds_keep_to_the_range_and_hold_the_estimate(kind):
    plain = evaluated(kind)
    checked = set()
    for measure in MEASURES:
        answer = resolve(measure, plain.views)
        if answer.point != answer.point:
            continue
        low, high = measure.metric.bounds
        for method in fitting(answer.value):
            levels = LEVELS if method not in RESAMPLED else (0.95,)
            for level in levels:
                estimate = evaluated(kind, level=level, interval={measure.name: method}, replicates=60)[measure.name]
                where = f"{measure} by {method} at {level}: {estimate} {estimate.flags}"
                if math.isnan(estimate.low):
                    assert estimate.reason.startswith("no interval: "), where
                    assert math.isnan(estimate.high), where
                    continue
                assert low <= estimate.low <= estimate.high <= high, where
                if method in RESAMPLED:  # by definition they may miss it, and say so
                    outside = not estimate.low <= estimate <= estimate.high
                    assert outside == any("lies outside" in flag for flag in estimate.flags), where
                else:
                    assert estimate.low <= estimate <= estimate.high, where
                if estimate.low == estimate.high and measure.metric.name != "integrated_calibration_index":
                    assert any(same in flag for flag in estimate.flags for same in SAME), where
                checked.add(method)
    assert checked >= {"wilson", "clopper-pearson", "jeffreys", "agresti-coull", "normal", "delta", *RESAMPLED}


def test_every_method_is_met_by_some_metric():
    met = set()
    for kind in ROWS:
        for measure in MEASURES:
            answer = resolve(measure, evaluated(kind).views)
            met |= set(fitting(answer.value)) if answer.point == answer.point else set()
    ranked = cal.evaluate_ranking(relevances=[[1, 0, 2], [0, 1], [0, 0, 3, 1]])
    met |= {method for name in ranked for method in fitting(resolve(CATALOGUE[name], ranked.views).value)}
    numbers = cal.evaluate(RNG.random(30), RNG.random(30), task="regression")
    for name in ("mae", "r2", "median_ae", "pearson"):
        met |= set(fitting(resolve(CATALOGUE[name], numbers.views).value))
    points = cal.evaluate_clusters([0, 0, 1, 1, 1], X=[[0], [1], [5], [6], [8]], sample=3)
    met |= set(fitting(resolve(CATALOGUE["silhouette"], points.views).value))
    assert met | {"grouped"} == set(every_method())


@pytest.mark.parametrize("method", [m for m in every_method() if m not in (*RESAMPLED, "grouped")])
def test_a_higher_level_is_a_wider_interval(method):
    for measure in MEASURES:
        answer = resolve(measure, evaluated("usual").views)
        if answer.point != answer.point or method not in fitting(answer.value):
            continue
        name = measure.name
        estimates = [evaluated("usual", level=x, interval={name: method})[name] for x in (0.5, 0.9, 0.99)]
        for narrow, wide in pairwise(estimates):
            assert wide.low <= narrow.low, measure
            assert narrow.high <= wide.high, measure


@pytest.mark.parametrize("kind", ["all right", "one positive", "usual", "certain scores"])
def test_clustered_bounds_keep_to_the_range_and_hold_the_estimate(kind):
    truth, _ = ROWS[kind]
    ev = evaluated(kind, groups=np.arange(len(truth)) // 2, replicates=60)
    for measure in MEASURES:
        result, (low, high) = ev[measure.name], measure.metric.bounds
        if math.isnan(result.low):
            assert result.reason, measure
            continue
        assert low <= result.low <= result.high <= high, measure
        assert result.method.endswith("grouped"), measure
        if "bca" not in result.method:
            assert result.low <= result <= result.high, measure
