"""Scores of many classes and of many labels against scikit-learn."""

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers as cal

SEEDS = st.integers(0, 2**32 - 1)


def close(sample):
    return {"rel": 1e-12, "abs": 1e-12} if sample.score.dtype == np.float64 else {"rel": 1e-6, "abs": 1e-6}


def many(rows, kind, seed, **how):
    rng = np.random.default_rng(seed)
    return rows(kind, seed, whole=True, n=int(rng.choice([6, 30, 80])), classes=int(rng.integers(3, 6)), **how)


@settings(max_examples=30)
@given(seed=SEEDS)
def test_one_versus_rest_and_one_versus_one(rows, seed):
    sample = many(rows, "matrix", seed)
    ev, labels = sample.evaluate(), list(sample.options["labels"])
    for average in ("macro", "weighted"):
        theirs = sk.roc_auc_score(
            sample.truth, sample.score, multi_class="ovr", average=average, labels=labels, sample_weight=sample.weights
        )
        assert ev[f"roc_auc(average={average})"] == pytest.approx(theirs, **close(sample)), average
    plain = many(rows, "matrix", seed, weighted=False)  # scikit-learn's pairs take no weights
    ev, labels = plain.evaluate(), list(plain.options["labels"])
    for pairs, average in (("equal", "macro"), ("prevalence", "weighted")):
        theirs = sk.roc_auc_score(plain.truth, plain.score, multi_class="ovo", average=average, labels=labels)
        assert ev[f"roc_auc_ovo(pairs={pairs})"] == pytest.approx(theirs, **close(sample)), average


@settings(max_examples=20)
@given(seed=SEEDS)
def test_each_class_against_the_rest(rows, seed):
    sample = many(rows, "matrix", seed)
    ev = sample.evaluate()
    truth = np.equal.outer(sample.truth, np.array(ev.labels))
    for name, function in (("roc_auc", sk.roc_auc_score), ("average_precision", sk.average_precision_score)):
        for k, label in enumerate(ev.labels):
            theirs = function(truth[:, k], sample.score[:, k], sample_weight=sample.weights)
            assert ev.classes[label][name] == pytest.approx(theirs, **close(sample))
        for average in ("macro", "micro", "weighted"):
            theirs = function(truth, sample.score, average=average, sample_weight=sample.weights)
            assert ev[f"{name}(average={average})"] == pytest.approx(theirs, **close(sample)), (name, average)


@settings(max_examples=30)
@given(seed=SEEDS)
def test_probabilities_of_many_classes(rows, seed):
    sample = many(rows, "matrix", seed)
    ev, how = sample.evaluate(), {"labels": list(sample.options["labels"]), "sample_weight": sample.weights}
    single = sample.score.dtype == np.float32  # scikit-learn warns where rows sum to 1 in single precision only
    shares = sample.score.astype(float) / sample.score.astype(float).sum(1, keepdims=True) if single else sample.score
    assert ev["log_loss"] == pytest.approx(sk.log_loss(sample.truth, shares, **how), **close(sample))
    assert ev["brier"] == pytest.approx(
        sk.brier_score_loss(sample.truth, shares, scale_by_half=False, **how), **close(sample)
    )
    pred = np.array(sample.options["labels"])[sample.score.argmax(1)]
    assert ev["accuracy"] == pytest.approx(sk.accuracy_score(sample.truth, pred, sample_weight=sample.weights))


@settings(max_examples=30)
@given(seed=SEEDS, k=st.integers(1, 5))
def test_top_k_without_ties(rows, seed, k):
    sample = many(rows, "score matrix", seed, digits=16)
    labels = list(sample.options["labels"])
    if k < len(labels):
        theirs = sk.top_k_accuracy_score(sample.truth, sample.score, k=k, labels=labels, sample_weight=sample.weights)
        ev = sample.evaluate()
        assert ev[f"top_k(k={k})"] == ev[f"top_k_accuracy@{k}"] == pytest.approx(theirs, **close(sample))
        assert ev[f"top_k_error@{k}"] == pytest.approx(1 - theirs, **close(sample))


@settings(max_examples=20)
@given(seed=SEEDS)
def test_hinge_of_many_classes(rows, seed):
    sample = many(rows, "score matrix", seed)
    labels = list(sample.options["labels"])
    theirs = sk.hinge_loss(sample.truth, sample.score, labels=labels, sample_weight=sample.weights)
    assert sample.evaluate()["hinge"] == pytest.approx(theirs, **close(sample))


ROW_WISE = {
    "coverage_error": sk.coverage_error,
    "ranking_loss": sk.label_ranking_loss,
    "lrap": sk.label_ranking_average_precision_score,
}
COUNTED = {"precision": sk.precision_score, "recall": sk.recall_score, "f1": sk.f1_score, "jaccard": sk.jaccard_score}


@settings(max_examples=30)
@given(seed=SEEDS)
def test_label_sets(rows, seed):
    sample = rows("label sets", seed, classes=int(np.random.default_rng(seed).integers(2, 5)))
    ev, how = sample.evaluate(), {"sample_weight": sample.weights}
    assert ev["subset_accuracy"] == pytest.approx(sk.accuracy_score(sample.truth, sample.pred, **how), **close(sample))
    assert ev["hamming_loss"] == pytest.approx(sk.hamming_loss(sample.truth, sample.pred, **how), **close(sample))
    for name, function in (("row_jaccard", sk.jaccard_score), ("row_f1", sk.f1_score)):
        theirs = function(sample.truth, sample.pred, average="samples", zero_division=1, **how)
        assert ev[name] == pytest.approx(theirs, **close(sample)), name
    for name, function in ROW_WISE.items():
        assert ev[name] == pytest.approx(function(sample.truth, sample.score, **how), **close(sample)), name
    for name, function in COUNTED.items():
        micro = function(sample.truth, sample.pred, average="micro", zero_division=0, **how)
        assert np.nan_to_num(float(ev[f"{name}_micro"])) == pytest.approx(micro, **close(sample)), name
        each = function(sample.truth, sample.pred, average=None, zero_division=0, **how)
        assert np.nan_to_num([float(ev.classes[v][name]) for v in ev.labels]) == pytest.approx(each, **close(sample)), (
            name
        )
        present = np.flatnonzero((sample.truth + sample.pred).any(0))
        if len(present):  # a label that is in neither is left out here
            for average in ("macro", "weighted"):
                theirs = function(sample.truth, sample.pred, average=average, labels=present, zero_division=0, **how)
                assert np.nan_to_num(float(ev[f"{name}_{average}"])) == pytest.approx(theirs, **close(sample)), (
                    name,
                    average,
                )


@settings(max_examples=30)
@given(seed=SEEDS)
def test_scores_of_labels(rows, seed):
    sample = many(rows, "label sets", seed)
    ev, how = sample.evaluate(), {"sample_weight": sample.weights}
    for average in ("macro", "micro", "weighted"):
        theirs = sk.roc_auc_score(sample.truth, sample.score, average=average, **how)
        assert ev[f"roc_auc(average={average})"] == pytest.approx(theirs, **close(sample)), average
        theirs = sk.average_precision_score(sample.truth, sample.score, average=average, **how)
        assert ev[f"average_precision(average={average})"] == pytest.approx(theirs, **close(sample)), average


def test_columns_follow_labels():
    """labels= names the columns in the order given, as in scikit-learn they must be sorted."""
    truth, score = ["b", "a", "c", "a"], np.array([[0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.3, 0.3, 0.4], [0.6, 0.2, 0.2]])
    ev = cal.evaluate(truth, score, labels=["b", "a", "c"])
    assert ev["accuracy"] == 3 / 4
    assert ev["log_loss"] == pytest.approx(sk.log_loss(truth, score[:, [1, 0, 2]]))
    assert ev.confusion.labels == ev.labels == ("b", "a", "c")
    assert ev.confusion["a", "b"] == 1


@pytest.mark.parametrize("name", ["brier", "log_loss", "accuracy"])
def test_two_columns_say_what_one_says(name):
    """Two classes have one Brier score (scikit-learn: scale_by_half="auto"), whether positive= is given or not."""
    truth, p = ["n", "y", "n"], np.array([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]])
    one, two = cal.evaluate(truth, p[:, 1], positive="y")[name], cal.evaluate(truth, p)[name]
    assert two == pytest.approx(one)
    if name == "brier":
        assert one == pytest.approx(sk.brier_score_loss(truth, p, labels=["n", "y"]))


@pytest.mark.parametrize(("name", "function"), [("brier", sk.brier_score_loss), ("log_loss", sk.log_loss)])
def test_losses_of_each_class(rows, name, function):
    """A class's own loss is that of its column, and not the loss of all classes under its name."""
    sample = rows("matrix", 3, n=50, classes=3, whole=True, weighted=False, dtype=np.float64)
    ev = sample.evaluate()
    each = [function(sample.truth == v, sample.score[:, k], labels=[False, True]) for k, v in enumerate(ev.labels)]
    assert [float(ev.classes[v][name]) for v in ev.labels] == pytest.approx(each)
    assert ev[f"{name}(average=macro)"] == pytest.approx(np.mean(each))
