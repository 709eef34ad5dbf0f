"""Tests at 5 % find a difference in about 5 % of samples where there is none: small and fixed.

The full trials are `make coverage AREA=compare`; here the bounds are wide enough for a few hundred samples (a true rate
of 5 % stays below them in 999 of 1000 seeds), and the plain t-test over repeated folds shows that a bad one is caught.
"""

import numpy as np
import pytest
from scipy.stats import binom

import calipers as cal
from calipers import resampling
from calipers.inference import folds, friedman

SAMPLES = 250
MOST = binom.ppf(0.999, SAMPLES, 0.05) / SAMPLES


@pytest.fixture
def few_resamples(monkeypatch):
    monkeypatch.setattr(resampling, "MOST", 200)
    monkeypatch.setattr(resampling, "FEWEST", 200)


@pytest.mark.parametrize("rare", [False, True], ids=["balanced", "rare"])
def test_models_on_the_same_rows(few_resamples, rare):
    rng = np.random.default_rng(20)
    names = ["accuracy", "recall", "f1", "mcc", "roc_auc", "average_precision", "log_loss", "brier"]
    found = dict.fromkeys(names, 0)
    for _ in range(SAMPLES):
        y = np.arange(150) < (20 if rare else 75)
        common = rng.normal(size=150)
        given = {m: 1 / (1 + np.exp(-(2 * y - 1 + common + rng.normal(size=150)))) for m in "AB"}
        cmp = cal.compare(y.astype(int), given, metrics=names)
        for name in names:
            found[name] += cmp[name].pvalue < 0.05
    rates = {name: hits / SAMPLES for name, hits in found.items()}
    assert max(rates.values()) <= MOST, rates


def test_clusters_are_what_varies():
    rng = np.random.default_rng(21)
    told = as_rows = 0
    for _ in range(SAMPLES):
        y = np.repeat(rng.permutation(np.arange(40) % 2), 5)
        given = {m: np.repeat(rng.normal(size=40), 5) + y + 0.2 * rng.normal(size=200) for m in "AB"}
        told += cal.compare(y, given, metrics=["roc_auc"], clusters=np.arange(200) // 5)["roc_auc"].pvalue < 0.05
        as_rows += cal.compare(y, given, metrics=["roc_auc"])["roc_auc"].pvalue < 0.05
    assert told / SAMPLES <= MOST
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
