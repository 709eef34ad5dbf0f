"""Metrics and curves of binary scores against scikit-learn: ties, infinities, float32 and weights included."""

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

import calipers as cal

SEEDS = st.integers(0, 2**32 - 1)
BINARY = pytest.mark.parametrize("kind", ["probabilities", "margins"])


def close(sample):
    return {"rel": 1e-12, "abs": 1e-12} if sample.score.dtype == np.float64 else {"rel": 1e-6, "abs": 1e-6}


def both_classes(rows, kind, seed, **how):
    """Rows with both classes, and finite scores (scikit-learn takes no others) that keep the order of infinite ones."""
    sample = rows(kind, seed, whole=True, n=int(np.random.default_rng(seed).choice([2, 5, 30, 80])), **how)
    finite = np.where(np.isinf(sample.score), np.sign(sample.score) * np.float32(1e30), sample.score)
    return sample, finite.astype(sample.score.dtype)


@BINARY
@settings(max_examples=30)
@given(seed=SEEDS)
def test_areas(rows, kind, seed):
    sample, score = both_classes(rows, kind, seed)
    ev, how = sample.evaluate(), {"sample_weight": sample.weights}
    assert ev["roc_auc"] == pytest.approx(sk.roc_auc_score(sample.truth, score, **how), **close(sample))
    assert ev["gini"] == pytest.approx(2 * sk.roc_auc_score(sample.truth, score, **how) - 1, **close(sample))
    precision = sk.average_precision_score(sample.truth, score, **how)
    assert ev["average_precision"] == pytest.approx(precision, **close(sample))
    for top in (0.05, 0.3, 1):
        theirs = sk.roc_auc_score(sample.truth, score, max_fpr=top, **how)
        assert ev[f"partial_auc(max_fpr={top})"] == pytest.approx(theirs, rel=1e-9, abs=1e-9)


@BINARY
@settings(max_examples=30)
@given(seed=SEEDS, weighted=st.booleans())
def test_curves(rows, kind, seed, weighted):
    sample, score = both_classes(rows, kind, seed, weighted=weighted, infinite=False)
    how = {"sample_weight": None if not weighted else np.round(sample.weights * 4 + 1)}  # sums without rounding
    ev = cal.evaluate(sample.truth, score=sample.score, weights=how["sample_weight"], positive=1)
    fpr, tpr, thresholds = sk.roc_curve(sample.truth, score, drop_intermediate=True, **how)
    roc = ev.curve("roc")
    np.testing.assert_array_equal(roc.threshold, thresholds)
    np.testing.assert_allclose([roc.fpr, roc.tpr], [fpr, tpr], atol=1e-12)
    precision, recall, thresholds = (a[::-1] for a in sk.precision_recall_curve(sample.truth, score, **how))
    pr = ev.curve("pr")
    np.testing.assert_array_equal(pr.threshold, thresholds)
    np.testing.assert_allclose([pr.recall, pr.precision], [recall[1:], precision[1:]], atol=1e-12)


@BINARY
@settings(max_examples=30)
@given(seed=SEEDS)
def test_curves_end_at_exactly_one(rows, kind, seed):
    """Weighted counts that add up in another order than their total would end at 0.9999999999999999, or beyond 1."""
    sample, _ = both_classes(rows, kind, seed, weighted=True)
    roc, pr = sample.evaluate().curve("roc"), sample.evaluate().curve("pr")
    assert (roc.fpr[-1], roc.tpr[-1], pr.recall[-1]) == (1, 1, 1)
    assert max(roc.fpr.max(), roc.tpr.max(), pr.recall.max()) == 1


@BINARY
@settings(max_examples=30)
@given(seed=SEEDS)
def test_det_curve(rows, kind, seed):
    """scikit-learn cuts the ends where one rate no longer changes; every point it keeps lies on our curve."""
    sample, score = both_classes(rows, kind, seed, weighted=False, infinite=False)
    fpr, fnr, thresholds = sk.det_curve(sample.truth, score)
    ours, sweep = sample.evaluate().curve("det"), sample.evaluate().curve("sweep")
    assert (ours.fpr[0], ours.fnr[0], ours.threshold[0]) == (0, 1, np.inf)
    assert (ours.fpr[-1], ours.fnr[-1]) == (1, 0)
    at = [np.flatnonzero(sweep.threshold == t)[0] for t in thresholds]
    np.testing.assert_allclose(sweep.fpr[at], fpr, atol=1e-12)
    np.testing.assert_allclose(1 - sweep.recall[at], fnr, atol=1e-12)


@settings(max_examples=30)
@given(seed=SEEDS)
def test_probability_losses(rows, seed):
    sample = rows("probabilities", seed)
    ev, how = sample.evaluate(), {"sample_weight": sample.weights, "labels": [0, 1]}
    assert ev["log_loss"] == pytest.approx(sk.log_loss(sample.truth, sample.score, **how), **close(sample))
    brier = sk.brier_score_loss(sample.truth, sample.score, pos_label=1, **how)
    assert ev["brier"] == pytest.approx(brier, **close(sample))


@settings(max_examples=30)
@given(seed=SEEDS)
def test_hinge(rows, seed):
    sample, _ = both_classes(rows, "margins", seed, infinite=False)
    theirs = sk.hinge_loss(sample.truth, sample.score, labels=[0, 1], sample_weight=sample.weights)
    assert sample.evaluate()["hinge"] == pytest.approx(theirs, **close(sample))


@settings(max_examples=30)
@given(seed=SEEDS, bins=st.integers(2, 12))
def test_calibration_curve(rows, seed, bins):
    sample = rows("probabilities", seed, n=200, digits=16, weighted=False, dtype=np.float64, whole=True)
    ev = sample.evaluate()
    for rule, strategy in (("width", "uniform"), ("mass", "quantile")):
        n = 200 - 200 % bins  # quantiles fall between rows, not on one
        part = sample.take(slice(0, n)) if rule == "mass" else sample
        outcome, score = calibration_curve(part.truth, part.score, n_bins=bins, strategy=strategy)
        ours = (part.evaluate() if rule == "mass" else ev).curve("calibration", bins=bins, rule=rule)
        np.testing.assert_allclose([ours.outcome, ours.score], [outcome, score], atol=1e-12)
        assert ours.rows.sum() == len(part)


@BINARY
@settings(max_examples=30)
@given(seed=SEEDS, tenths=st.integers(-5, 15))
def test_labels_cut_at_a_threshold(rows, kind, seed, tenths):
    """`score >= threshold` as NumPy compares: a single-precision 0.7 reaches the threshold 0.7."""
    sample, threshold = rows(kind, seed), tenths / 10
    cut = (sample.score >= threshold).astype(int)
    ev = sample.evaluate(threshold=threshold)
    theirs = sk.confusion_matrix(sample.truth, cut, labels=[0, 1], sample_weight=sample.weights)
    np.testing.assert_allclose(ev.confusion.counts, theirs, rtol=1e-12)
    assert ev["accuracy"] == pytest.approx(sk.accuracy_score(sample.truth, cut, sample_weight=sample.weights))
