"""The facts of every metric: sentence, range, direction, spellings; and that values and intervals keep to the range."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers as cal
from calipers.errors import InputError, UnknownName
from calipers.metrics import names
from calipers.metrics.base import AVERAGES, CATALOGUE

SEEDS = st.integers(0, 2**32 - 1)
METRICS = pytest.mark.parametrize("metric", list(cal.metrics.catalogue()), ids=lambda m: m.name)
EACH = {
    **dict.fromkeys(("binary labels", "probabilities", "margins"), (None,)),
    **dict.fromkeys(("matrix", "score matrix"), AVERAGES[:3]),
    **dict.fromkeys(("classes", "label sets"), AVERAGES),
    **dict.fromkeys(("numbers", "outputs", "clusters"), (None,)),
}


def sample_of(rows, kind, seed, weighted):
    return rows(kind, seed, weighted=weighted, infinite=False)


@METRICS
def test_every_metric_says_what_it_is(metric):
    assert re.fullmatch(r"[A-Z].*\.", metric.summary), metric.summary
    low, high = metric.bounds
    assert low < high
    assert metric.undefined
    assert not metric.undefined.endswith(".")
    assert metric.better in ("higher", "lower", "")
    assert metric.formula
    assert set(metric.headline) <= {"binary", "multiclass", "multilabel", "regression", "clustering", "topics"}
    assert {a for averages in metric.headline.values() for a in averages} <= {None, *AVERAGES}


@pytest.mark.parametrize("name", ["tp", "fp", "fn", "tn"])
def test_a_count_is_never_below_0(name):
    assert CATALOGUE[name].metric.bounds == (0, math.inf)


@METRICS
def test_every_spelling_leads_to_the_metric(metric):
    assert CATALOGUE[metric.name].metric is metric
    for alias in metric.aliases:
        assert CATALOGUE[alias] == CATALOGUE[metric.name]
    for short, full in metric.shorthands.items():
        assert CATALOGUE[short] == CATALOGUE[full]
        assert CATALOGUE[short].metric is metric
    for spelling in (metric.name, *metric.aliases, *metric.shorthands):
        canonical = str(CATALOGUE[spelling])
        assert str(CATALOGUE[canonical]) == canonical
        assert names.render(*names.parse(canonical)) == canonical
        assert spelling in CATALOGUE.names()
    if metric.averaged:
        for average in ("macro", "weighted", "micro"):
            full = CATALOGUE[f"{metric.name}(average={average})"]
            assert CATALOGUE[f"{metric.name}_{average}"] == CATALOGUE[f"{average}_{metric.name}"] == full
    else:
        with pytest.raises((InputError, UnknownName)):
            CATALOGUE[f"{metric.name}(average=macro)"]


def measures(kind, ev):
    for metric in cal.metrics.catalogue():
        averages = EACH[kind] if metric.averaged else [None]
        yield from (
            metric.with_parameters({"average": a} if a else {}) for a in averages if a != "means" or metric.of_means
        )


def check(name, estimate, bounds):
    low, high = bounds
    if math.isnan(estimate):
        assert estimate.reason, name
        assert math.isnan(estimate.low), name
        assert math.isnan(estimate.high), name
        return
    assert low - 1e-12 <= estimate <= high + 1e-12, (name, estimate)
    if math.isnan(estimate.low) or math.isnan(estimate.high):
        assert math.isnan(estimate.low), name
        assert math.isnan(estimate.high), name
        assert estimate.reason.startswith("no interval: "), name
        assert estimate.method == "", name
    else:
        assert low - 1e-12 <= estimate.low <= estimate + 1e-9, (name, estimate)
        assert estimate - 1e-9 <= estimate.high <= high + 1e-12, (name, estimate)
        assert estimate.method, name
        assert estimate.reason == "", name


@pytest.mark.parametrize("kind", EACH)
@settings(max_examples=25)
@given(seed=SEEDS, weighted=st.booleans())
def test_values_and_intervals_keep_to_the_range(rows, kind, seed, weighted):
    ev = sample_of(rows, kind, seed, weighted).evaluate(level=0.9)
    for measure in measures(kind, ev):
        try:
            estimate = ev[str(measure)]
        except UnknownName:  # a metric of one class, and there are several
            assert measure.average is None
            continue
        check(str(measure), estimate, measure.metric.bounds)
        assert estimate.level == 0.9
        assert estimate.n == ev.rows or math.isnan(estimate)
    for label in ev.labels:
        for name, estimate in ev.classes[label].items():
            check(name, estimate, CATALOGUE[name].metric.bounds)


@pytest.mark.parametrize("kind", EACH)
@settings(max_examples=10)
@given(seed=SEEDS)
def test_a_higher_level_is_wider(rows, kind, seed):
    sample = rows(kind, seed, n=60, whole=True, infinite=False)
    narrow, wide = sample.evaluate(level=0.5), sample.evaluate(level=0.99)
    for name in narrow:
        if not math.isnan(narrow[name].low):
            assert wide[name].low <= narrow[name].low + 1e-12, name
            assert narrow[name].high <= wide[name].high + 1e-12, name


@METRICS
def test_a_metric_that_cannot_be_had_is_an_error_when_asked_for_by_name(metric):
    """From labels no score metric, from margins no probability metric, from one label a row no metric of label sets."""
    measure = CATALOGUE[metric.name]
    if metric.view.of_clusters:  # a metric that is asked for by name decides the task
        if metric.from_labels:
            assert not math.isnan(measure([0, 1, 1, 0], [0, 1, 0, 0]))
        else:
            with pytest.raises(InputError, match=rf"{metric.name}: it needs the features: pass X"):
                measure([0, 1, 1, 0], [0, 1, 0, 0])
        return
    if metric.from_labels and metric.over.__name__ != "RowMean":
        assert not math.isnan(measure([0, 1, 1, 0], [0, 1, 0, 0], positive=1)) or measure.metric.name in (
            "lr_plus",
            "dor",
        )
        return
    if metric.of_numbers:  # a metric that is asked for by name decides the task
        result = measure([0, 1, 1, 0], [0, 1, 0, 0])
        assert not math.isnan(result) or result.reason
        return
    with pytest.raises(InputError, match=rf"{metric.name}: "):
        measure([0, 1, 1, 0], [0, 1, 0, 0], positive=1)
    if metric.probabilities:
        with pytest.raises(InputError, match="probabilities lie in"):
            measure([0, 1, 1, 0], [-3.0, 2.5, 0.1, 0.2])


def test_nothing_is_random():
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 2, 300), rng.random(300)
    assert cal.evaluate(truth, score).to_json() == cal.evaluate(truth, score).to_json()


@pytest.mark.parametrize(
    ("truth", "score", "weights", "name"),
    [
        ([1, 1, 1], [0.8, 0.8, 0.8], [0.1, 0.2, 0.7], "log_loss"),
        ([1, 1, 1, 1, 1], [0.3] * 5, [0.1, 0.2, 0.7, 0.3, 1.9], "exponential_loss"),
        ([1, 0], [0.2, 0.8], None, "brier"),
        ([1], [1.0], None, "ece"),
        ([1, 0, 1], [1.0, 0.0, 1.0], None, "ece"),
    ],
)
def test_rows_that_show_no_spread_are_not_certain(truth, score, weights, name):
    """No interval, or a wide one; not [x, x] because rounding left a spread of 1e-33."""
    estimate = cal.evaluate(truth, score=score, weights=weights)[name]
    assert math.isnan(estimate.low) or estimate.high - estimate.low > 0.1
