"""Tests at 5% find a difference in about 5% of samples where there is none: small and fixed.

The full trials are `make coverage AREA=compare`; here the bounds are wide enough for a few hundred samples (a true rate
of 5% stays below them in 999 of 1000 seeds), and the plain t-test over repeated folds shows that a bad one is caught.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

import calipers as cal
from calipers.inference import folds, friedman
from calipers.inference.paired_losses import paired_t

SAMPLES = 250
MOST = binom.ppf(0.999, SAMPLES, 0.05) / SAMPLES


@pytest.mark.parametrize("rare", [False, True], ids=["balanced", "rare"])
def test_models_on_the_same_rows(rare):
    rng = np.random.default_rng(20)
    names = ["accuracy", "recall", "f1", "mcc", "roc_auc", "average_precision", "log_loss", "brier"]
    rejections = dict.fromkeys(names, 0)
    for _ in range(SAMPLES):
        y = np.arange(150) < (20 if rare else 75)
        common = rng.normal(size=150)
        models = {m: 1 / (1 + np.exp(-(2 * y - 1 + common + rng.normal(size=150)))) for m in "AB"}
        cmp = cal.compare(y.astype(int), models, metrics=names)
        for name in names:
            rejections[name] += cmp[name].pvalue < 0.05
    rates = {name: hits / SAMPLES for name, hits in rejections.items()}
    assert max(rates.values()) <= MOST, rates


def test_item_6_errors_not_seen():
    """Two models of equal log loss, one of them surer: most samples hold no error, which would cost that one more."""
    rng = np.random.default_rng(23)
    allowed = textbook = noted = 0
    for _ in range(SAMPLES):
        y = rng.integers(0, 2, 50)
        labels, side = np.where(rng.random(50) < 0.01, 1 - y, y), 2 * y - 1
        surely = {"sure": 6.0, "less": 3.6297}  # log-odds: 0.99 log(1 + exp(-a)) + 0.01 log(1 + exp(a)) is 0.06248
        models = {name: 1 / (1 + np.exp(-side * a * rng.normal(1, 1e-3, 50))) for name, a in surely.items()}
        differences = cal.compare(labels, models, metrics=["log_loss"])["log_loss"]
        allowed, noted = allowed + (differences.pvalue < 0.05), noted + (
            "errors that were not observed" in differences.note)
        textbook += cal.compare(labels, models, metrics=["log_loss"], method="paired-t")["log_loss"].pvalue < 0.05
    assert allowed / SAMPLES <= MOST < textbook / SAMPLES
    assert noted / SAMPLES > 0.5  # 0.605 of the samples hold no error


@pytest.mark.parametrize(("kind", "rows"), [("laplace", 100), ("laplace", 40), ("t5", 100)])
def test_item_5_unlike_errors(kind, rows):
    """Errors of equal mean square and unlike tails: the textbook's test finds a difference in more than 6%."""
    rng, samples = np.random.default_rng(24), 16 * SAMPLES
    rejections = textbook = 0
    for _ in range(samples):
        if kind == "laplace":
            d = rng.uniform(-np.sqrt(3), np.sqrt(3), rows) ** 2 - rng.laplace(0, np.sqrt(0.5), rows) ** 2
        else:
            d = rng.normal(size=rows) ** 2 - rng.standard_t(5, rows) ** 2 / (5 / 3)
        contrast = paired_t(d, None, np.ones(rows), bounded=False)
        rejections += contrast.pvalue() < 0.05
        textbook += replace(contrast, skew=0.0, skew_error=0.0).pvalue() < 0.05
    assert rejections / samples <= 0.06 < textbook / samples


def test_item_5_several_models_by_concordance():
    """Four equally good models with proportional errors: six pairs are tested, and far tails decide."""
    rng, hits, samples = np.random.default_rng(25), 0, 2 * SAMPLES
    for _ in range(samples):
        y = rng.lognormal(0, 1, 80)
        errors = 0.4 * y * (rng.normal(size=80) + rng.normal(size=(4, 80))) / np.sqrt(2)
        comparison = cal.compare(y, {f"m{i}": y + e for i, e in enumerate(errors)}, metrics=["concordance"])
        hits += min(d.adjusted for d in comparison["concordance"].values()) < 0.05
    assert hits / samples <= 0.06


def test_clusters_are_what_varies():
    rng = np.random.default_rng(21)
    rejections = as_rows = 0
    for _ in range(SAMPLES):
        y = np.repeat(rng.permutation(np.arange(40) % 2), 5)
        models = {m: np.repeat(rng.normal(size=40), 5) + y + 0.2 * rng.normal(size=200) for m in "AB"}
        rejections += cal.compare(y, models, metrics=["roc_auc"], groups=np.arange(200) // 5)["roc_auc"].pvalue < 0.05
        as_rows += cal.compare(y, models, metrics=["roc_auc"])["roc_auc"].pvalue < 0.05
    assert rejections / SAMPLES <= MOST
    assert as_rows / SAMPLES > 0.25


def test_repeated_folds():
    """Runs that share nine tenths of their training rows, as differences with a correlation of 0.1."""
    rng = np.random.default_rng(22)
    corrected = plain = 0
    for _ in range(4 * SAMPLES):
        d = np.sqrt(0.1) * rng.normal() + np.sqrt(0.9) * rng.normal(size=100)
        corrected += folds.shift(d, 1 / 9).test("").pvalue < 0.05
        plain += folds.shift(d).test("").pvalue < 0.05
    assert corrected / (4 * SAMPLES) <= 0.06
    assert plain / (4 * SAMPLES) > 0.4


def test_ranks_over_data_sets():
    rng = np.random.default_rng(23)
    overall = pairs = 0
    limit = friedman.critical_difference(4, 12)
    for _ in range(4 * SAMPLES):
        ranks = friedman.ranks_of(rng.normal(size=(12, 4)))
        overall += friedman.iman_davenport(ranks).pvalue < 0.05
        pairs += np.ptp(ranks.mean(0)) > limit
    assert overall / (4 * SAMPLES) <= 0.07
    assert pairs / (4 * SAMPLES) <= 0.07
