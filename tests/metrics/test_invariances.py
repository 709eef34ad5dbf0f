"""What must not change a number: the order of rows, names of labels, repetition for weights, monotone maps, threads."""

import hashlib
import math
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers as cal
from calipers.errors import UnknownName
from calipers.metrics.base import AVERAGES

SEEDS = st.integers(0, 2**32 - 1)
KINDS = ("binary labels", "probabilities", "margins", "classes", "matrix", "score matrix", "label sets")
RANKING = [
    "roc_auc",
    "gini",
    "partial_auc",
    "average_precision",
    "ks",
    "eer",
    "break_even",
    "mean_precision_over_thresholds",
]
GROWING = {
    "accuracy_p",
    "krippendorff_alpha",
    "tp",
    "fp",
    "fn",
    "tn",
    "hosmer_lemeshow",
    "hosmer_lemeshow_p",
    "spiegelhalter_z",
    "spiegelhalter_p",
}  # with the weights
COMPLEMENTS = [("precision", "fdr"), ("recall", "fnr"), ("specificity", "fpr"), ("npv", "for")]


def values(ev):
    """Every number that an evaluation can give, by name."""
    results = {}
    for metric in cal.metrics.catalogue():
        if metric.name == "roc_auc_ovo" and ev.task == "multilabel":
            continue
        for average in (None, *AVERAGES[:3]) if metric.averaged and ev.task != "binary" else (None,):
            name = str(metric.with_parameters({"average": average} if average else {}))
            try:
                results[name] = ev[name]
            except UnknownName:
                continue
    return results


def same(ours, theirs, rel=1e-9):
    assert ours.keys() == theirs.keys()
    for name, value in ours.items():
        assert float(value) == pytest.approx(float(theirs[name]), rel=rel, abs=1e-9, nan_ok=True), name


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8)
@given(seed=SEEDS)
def test_order_of_rows(rows, kind, seed):
    sample = rows(kind, seed)
    mixed = sample.take(np.random.default_rng(seed).permutation(len(sample)))
    ours, theirs = values(sample.evaluate()), values(mixed.evaluate())
    same(ours, theirs)
    for name, value in ours.items():
        assert value.high == pytest.approx(theirs[name].high, rel=1e-6, abs=1e-9, nan_ok=True), name


@pytest.mark.parametrize("kind", ["classes", "matrix"])
@settings(max_examples=8)
@given(seed=SEEDS)
def test_names_of_labels(rows, kind, seed):
    """Names that keep the order of the classes change nothing; integers, strings and negative numbers alike."""
    sample = rows(kind, seed, names="int", classes=4)
    names = np.array(["ant", "bee", "cat", "dog"])
    renamed = replace(sample, truth=names[sample.truth], pred=None if sample.pred is None else names[sample.pred])
    options = {**sample.options, **({"labels": tuple(names.tolist())} if "labels" in sample.options else {})}
    same(values(sample.evaluate()), values(replace(renamed, options=options).evaluate()), rel=1e-14)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8)
@given(seed=SEEDS)
def test_whole_weights_are_repetitions(rows, kind, seed):
    sample = rows(kind, seed, weighted=False)
    weights = np.random.default_rng(seed).integers(0, 4, len(sample))
    weights[0] += 1
    heavy = replace(sample, weights=weights.astype(float)).evaluate()
    repeated = sample.take(np.repeat(np.arange(len(sample)), weights)).evaluate()
    if heavy.labels == repeated.labels:  # a label may be gone with its rows
        same(values(heavy), values(repeated))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8)
@given(seed=SEEDS, factor=st.sampled_from([1.0, 0.25, 1e6]))
def test_equal_weights_are_no_weights(rows, kind, seed, factor):
    """Neither the value nor the interval: the effective number of rows is the number of rows."""
    sample = rows(kind, seed, weighted=False)
    plain, heavy = (values(replace(sample, weights=w).evaluate()) for w in (None, np.full(len(sample), factor)))
    for name, value in plain.items():
        if name.split("(")[0] in GROWING and factor != 1:
            continue
        assert float(heavy[name]) == pytest.approx(float(value), rel=1e-9, abs=1e-12, nan_ok=True), name
        assert heavy[name].low == pytest.approx(value.low, rel=1e-6, abs=1e-9, nan_ok=True), name
        assert heavy[name].high == pytest.approx(value.high, rel=1e-6, abs=1e-9, nan_ok=True), name


@settings(max_examples=15)
@given(seed=SEEDS)
def test_scores_turned_round(rows, seed):
    sample = rows("margins", seed)
    ours, turned = sample.evaluate(), replace(sample, score=-sample.score).evaluate()
    other = replace(sample, truth=1 - sample.truth).evaluate()
    for flipped in (turned, other):
        assert flipped["roc_auc"] == pytest.approx(1 - ours["roc_auc"], nan_ok=True, abs=1e-12)
        assert flipped["roc_auc"].low == pytest.approx(1 - ours["roc_auc"].high, nan_ok=True, abs=1e-9)
    both = replace(sample, truth=1 - sample.truth, score=-sample.score).evaluate()
    assert both["roc_auc"] == pytest.approx(ours["roc_auc"], nan_ok=True, abs=1e-12)
    assert both["ks"] == pytest.approx(ours["ks"], nan_ok=True, abs=1e-12)
    assert both["eer"] == pytest.approx(ours["eer"], nan_ok=True, abs=1e-9)


@pytest.mark.parametrize("function", [np.cbrt, lambda x: 5 * x - 3, np.arctan, lambda x: np.exp(x / 4)])
@settings(max_examples=8)
@given(seed=SEEDS)
def test_monotone_maps_leave_rankings_alone(rows, function, seed):
    sample = rows("margins", seed, dtype=np.float64, digits=2, infinite=False)
    mapped = replace(sample, score=function(sample.score))
    for name in RANKING:
        ours, theirs = sample.evaluate()[name], mapped.evaluate()[name]
        assert float(ours) == pytest.approx(float(theirs), nan_ok=True, abs=1e-14), name
        assert ours.low == pytest.approx(theirs.low, nan_ok=True, abs=1e-12), name


@pytest.mark.parametrize(("name", "complement"), COMPLEMENTS)
@settings(max_examples=15)
@given(seed=SEEDS)
def test_complements_add_up_to_one(rows, name, complement, seed):
    """Also in averages with classes where both are undefined, and their intervals mirror each other."""
    ev = rows("classes", seed).evaluate()
    for average in ("macro", "weighted", "micro"):
        a, b = ev[f"{name}_{average}"], ev[f"{complement}(average={average})"]
        assert math.isnan(a) == math.isnan(b), average
        assert math.isnan(a) or a + b == pytest.approx(1, abs=1e-12), average
        if not math.isnan(a.low):
            assert (a.low + b.high, a.high + b.low) == pytest.approx((1, 1), abs=1e-9), average


def test_balanced_accuracy_is_the_area_of_hard_labels_and_macro_recall(rows):
    sample = rows("binary labels", 5, n=50, whole=True, weighted=True)
    ev, hard = (
        sample.evaluate(),
        replace(sample, pred=None, score=sample.pred.astype(float), options={"positive": 1}).evaluate(),
    )
    assert ev["balanced_accuracy"] == pytest.approx(hard["roc_auc"])
    assert ev["balanced_accuracy"] == pytest.approx(ev["recall_macro"])


BIG = """
import hashlib, sys
import numpy as np
import calipers as cal
rng = np.random.default_rng(0)
n = 200_000
y = rng.integers(0, 2, n)
digest = hashlib.sha256()
for dtype, digits, weights in (("f8", 17, None), ("f4", 3, None), ("f8", 2, rng.random(n))):
    p = np.round(1 / (1 + np.exp(-rng.normal(size=n) - y)), digits).astype(dtype)
    ev = cal.evaluate(y, p, weights=weights)
    for metric in cal.metrics.catalogue():
        e = ev[metric.name]
        digest.update(np.array([e, e.low, e.high]).tobytes())
    for kind in ("roc", "pr", "calibration"):
        for column in ev.curve(kind).values():
            digest.update(np.ascontiguousarray(column).tobytes())
k = 5
c = rng.integers(0, k, n)
s = np.exp(rng.normal(size=(n, k)) + np.eye(k)[c])
for weights in (None, rng.random(n)):
    ev = cal.evaluate(c, s / s.sum(1, keepdims=True), weights=weights)
    digest.update(ev.to_json().encode())
    digest.update(repr(float(ev["roc_auc_ovo"])).encode())
print(digest.hexdigest())
"""


def test_the_same_bits_whatever_the_number_of_threads():
    results = set()
    for threads in ("1", "2", "3"):
        env = {**os.environ, "CALIPERS_THREADS": threads, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", BIG], env=env, capture_output=True, text=True, check=True
        )
        results.add(done.stdout.splitlines()[-1])
    assert len(results) == 1
    assert len(results.pop()) == len(hashlib.sha256().hexdigest())
