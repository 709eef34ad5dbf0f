"""Label metrics against scikit-learn: random, unbalanced, weighted, string-labelled rows, and one class only."""

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers as cal

SEEDS = st.integers(0, 2**32 - 1)
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning"),
    pytest.mark.filterwarnings("ignore:y_pred contains classes not in y_true"),
    pytest.mark.filterwarnings("ignore:A single label was found"),
]
CLOSE = {"rel": 1e-12, "abs": 1e-12, "nan_ok": True}
PER_CLASS = {
    "precision": (sk.precision_score, {}),
    "recall": (sk.recall_score, {}),
    "f1": (sk.f1_score, {}),
    "fbeta(beta=2)": (sk.fbeta_score, {"beta": 2}),
    "fbeta(beta=0.5)": (sk.fbeta_score, {"beta": 0.5}),
    "jaccard": (sk.jaccard_score, {}),
}


def peer(sample, function, **how):
    return function(sample.truth, sample.pred, sample_weight=sample.weights, **how)


@pytest.mark.parametrize("kind", ["binary labels", "classes"])
@settings(max_examples=40)
@given(seed=SEEDS)
def test_whole_table(rows, kind, seed):
    sample = rows(kind, seed)
    ev = sample.evaluate()
    np.testing.assert_allclose(ev.confusion.counts, peer(sample, sk.confusion_matrix, labels=ev.labels), rtol=1e-12)
    assert ev["accuracy"] == pytest.approx(peer(sample, sk.accuracy_score), **CLOSE)
    assert ev["zero_one_loss"] == pytest.approx(peer(sample, sk.zero_one_loss), **CLOSE)
    assert ev["error_rate"] == pytest.approx(peer(sample, sk.hamming_loss), **CLOSE)
    assert ev["balanced_accuracy"] == pytest.approx(peer(sample, sk.balanced_accuracy_score), **CLOSE)
    for norm, by in (("true", "truth"), ("pred", "prediction"), ("all", "all")):
        theirs = peer(sample, sk.confusion_matrix, labels=ev.labels, normalize=norm)
        np.testing.assert_allclose(np.nan_to_num(ev.confusion.normalised(by)), theirs, atol=1e-12)


@settings(max_examples=100)
@given(seed=SEEDS)
def test_correlations_are_nan_with_a_reason_where_scikit_learn_says_0(rows, seed):
    sample = rows("classes", seed)
    ev = sample.evaluate()
    alone = [len(set(x.tolist())) == 1 for x in (sample.truth, sample.pred)]
    if any(alone):
        assert np.isnan(ev["mcc"])
        assert ev["mcc"].reason == "the true labels or the predictions contain only one class"
        assert peer(sample, sk.matthews_corrcoef) == 0
    else:
        assert ev["mcc"] == pytest.approx(peer(sample, sk.matthews_corrcoef), **CLOSE)
    if all(alone) and set(sample.truth) == set(sample.pred):
        assert np.isnan(ev["kappa"])
        assert ev["kappa"].reason == "the true labels and the predictions contain only one class, the same in both"
    else:
        assert ev["kappa"] == pytest.approx(peer(sample, sk.cohen_kappa_score), **CLOSE)


@pytest.mark.parametrize("name", PER_CLASS)
@settings(max_examples=40)
@given(seed=SEEDS)
def test_each_class_and_averages(rows, name, seed):
    sample = rows("classes", seed)
    ev, (function, how) = sample.evaluate(), PER_CLASS[name]
    nothing = {} if name == "jaccard" else {"zero_division": np.nan}
    theirs = peer(sample, function, labels=ev.labels, average=None, **nothing, **how)
    assert [float(ev.classes[v][name]) for v in ev.labels] == pytest.approx(theirs, **CLOSE)
    for average in ("macro", "weighted", "micro"):
        metric = name.replace(")", f", average={average})") if "(" in name else f"{name}(average={average})"
        theirs = peer(sample, function, labels=ev.labels, average=average, zero_division=0, **how)
        assert ev[metric] == pytest.approx(theirs, **CLOSE), average


@settings(max_examples=40)
@given(seed=SEEDS)
def test_binary(rows, seed):
    sample = rows("binary labels", seed)
    ev = sample.evaluate()
    for name, (function, how) in PER_CLASS.items():
        theirs = peer(sample, function, zero_division=0, **how)
        assert np.nan_to_num(float(ev[name])) == pytest.approx(theirs, **CLOSE), name
    if len(set(sample.truth.tolist())) == 2:
        plus, minus = peer(sample, sk.class_likelihood_ratios, labels=[0, 1], replace_undefined_by=np.nan)
        for name, theirs in (("lr_plus", plus), ("lr_minus", minus)):
            if np.isfinite(theirs):  # a ratio over 0: inf when something is compared with nothing, NaN when nothing is
                assert ev[name] == pytest.approx(theirs, **CLOSE)
            else:
                assert not np.isfinite(ev[name])
                assert ev[name].reason


def test_labels_that_do_not_occur_are_left_out_and_counted():
    """Where scikit-learn's macro average over labels=[...] counts an absent class as 0 (edge case 27)."""
    ev = cal.evaluate([0, 0, 2], [0, 2, 2], labels=[0, 1, 2])
    assert ev["f1_macro"] == pytest.approx(2 / 3)
    assert ev["f1_macro"].flags[0].startswith("1 of 3 classes left out: it occurs neither among the true labels nor")
    assert sk.f1_score([0, 0, 2], [0, 2, 2], labels=[0, 1, 2], average="macro", zero_division=0) == pytest.approx(4 / 9)
    assert np.isnan(ev.classes[1]["f1"])
