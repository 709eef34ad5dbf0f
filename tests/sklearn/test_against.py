"""The same answer, type, error type and warning class as scikit-learn, over inputs drawn by seed."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn.metrics as theirs

import calipers.sklearn as ours

LABELS = {
    "int": lambda c: c,
    "int8": lambda c: c.astype(np.int8),
    "sign": lambda c: np.where(c == 0, -1, c),
    "shifted": lambda c: c * 3 + 5,
    "bool": lambda c: c > 0,
    "float": lambda c: c.astype(float),
    "text": lambda c: np.array(["ab", "b", "c", "dd", "e"])[c],
    "object": lambda c: np.array(["ab", "b", "c", "dd", "e"], dtype=object)[c],
    "list": lambda c: c.tolist(),
    "words": lambda c: [["ab", "b", "c", "dd", "e"][i] for i in c],
    "series": lambda c: pd.Series(c, index=range(7, 7 + len(c))),
    "text series": lambda c: pd.Series(np.array(["ab", "b", "c", "dd", "e"])[c]),
    "category": lambda c: pd.Series(np.array(["ab", "b", "c", "dd", "e"])[c], dtype="category"),
    "column": lambda c: c[:, None],
    "fraction": lambda c: c + 0.5,
    "bytes": lambda c: np.array([b"a", b"b", b"c", b"d", b"e"])[c],
    "missing": lambda c: np.where(c == 0, np.nan, c),
    "objects": lambda c: c.astype(object),
}
MATRICES = {
    "int": lambda m: m.astype(int),
    "bool": lambda m: m,
    "float": lambda m: m.astype(float),
    "csr": lambda m: sp.csr_matrix(m.astype(int)),
    "coo array": lambda m: sp.coo_array(m.astype(int)),
    "csc bool": lambda m: sp.csc_matrix(m),
    "lists": lambda m: m.astype(int).tolist(),
    "frame": lambda m: pd.DataFrame(m.astype(int)),
    "fortran": lambda m: np.asfortranarray(m.astype(np.int32)),
}
AVERAGES = ["binary", "micro", "macro", "weighted", "samples", None]
ZERO = ["warn", 0, 1, np.nan]
OF_LABELS = {
    "accuracy_score": {"normalize": [True, False]},
    "zero_one_loss": {"normalize": [True, False]},
    "hamming_loss": {},
    "confusion_matrix": {"normalize": [None, "true", "pred", "all"], "labels": [None, "some"]},
    "multilabel_confusion_matrix": {"labels": [None, "some"], "samplewise": [False, True]},
    "balanced_accuracy_score": {"adjusted": [False, True]},
    "matthews_corrcoef": {},
    "cohen_kappa_score": {"weights": [None, "linear", "quadratic"], "labels": [None, "some"]},
    "class_likelihood_ratios": {"replace_undefined_by": [np.nan, 1.0, {"LR+": 2.0, "LR-": 0.5}]},
    "precision_score": {"average": AVERAGES, "zero_division": ZERO, "labels": [None, "some"], "pos_label": [1, 0, "b"]},
    "recall_score": {"average": AVERAGES, "zero_division": ZERO, "labels": [None, "some"], "pos_label": [1, 0, "b"]},
    "f1_score": {"average": AVERAGES, "zero_division": ZERO, "labels": [None, "some"], "pos_label": [1, 0, "b"]},
    "fbeta_score": {"beta": [0, 0.5, 2, np.inf], "average": AVERAGES, "zero_division": ZERO, "labels": [None, "some"]},
    "jaccard_score": {"average": AVERAGES, "zero_division": ["warn", 0, 1], "labels": [None, "some"]},
    "precision_recall_fscore_support": {"average": AVERAGES, "zero_division": ZERO, "beta": [1, 2]},
    "classification_report": {"output_dict": [False, True], "digits": [2, 4], "zero_division": ZERO},
}
OF_SCORES = {
    "roc_auc_score": {"average": ["macro", "micro", "weighted", "samples", None], "max_fpr": [None, 0.3],
                      "multi_class": ["raise", "ovr", "ovo"]},
    "average_precision_score": {"average": ["macro", "micro", "weighted", "samples", None], "pos_label": [1, 0, "b"]},
    "roc_curve": {"pos_label": [None, 1, "b"], "drop_intermediate": [True, False]},
    "precision_recall_curve": {"pos_label": [None, 1, "b"], "drop_intermediate": [True, False]},
    "det_curve": {"pos_label": [None, 1, "b"], "drop_intermediate": [True, False]},
    "confusion_matrix_at_thresholds": {"pos_label": [None, 1, "b"]},
    "top_k_accuracy_score": {"k": [1, 2, 3], "normalize": [True, False], "labels": [None, "all"]},
    "log_loss": {"normalize": [True, False], "labels": [None, "all"]},
    "brier_score_loss": {"scale_by_half": ["auto", True, False], "labels": [None, "all"], "pos_label": [None, 1, "b"]},
    "d2_log_loss_score": {"labels": [None, "all"]},
    "d2_brier_score": {"labels": [None, "all"], "pos_label": [None, 1, "b"]},
    "hinge_loss": {"labels": [None, "all"]},
    "coverage_error": {},
    "dcg_score": {"k": [None, 1, 2, 7], "log_base": [2, 10, 0.5], "ignore_ties": [False, True]},
    "ndcg_score": {"k": [None, 1, 2, 7], "ignore_ties": [False, True]},
    "label_ranking_loss": {},
    "label_ranking_average_precision_score": {},
}  # fmt: skip


def choose(r, options):
    return {name: allowed[r.integers(len(allowed))] for name, allowed in options.items()}


def weights(r, n):
    kinds = [None, None, None, r.integers(1, 4, n), r.random(n) + 0.1, r.integers(0, 2, n) + (np.arange(n) == 0)]
    chosen = kinds[r.integers(len(kinds))]
    return chosen.tolist() if chosen is not None and r.random() < 0.2 else chosen


def outcome(function, *arguments, **named):
    """The answer or the error, and the classes of the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = function(*arguments, **named)
        except (ValueError, TypeError, NotImplementedError, *SLIPS) as error:
            answer = error
    return answer, {w.category for w in caught}


NUMBER = re.compile(r"(?<!\w)\d+\.?\d*(?:e[+-]\d+)?| *nan")
SLIPS = (AttributeError, ZeroDivisionError)  # lists that not all of their functions take; 0/0 and rounding beside it
COUNTS = ("multilabel_confusion_matrix", "precision_recall_fscore_support", "classification_report")
ERRORS = (NotImplementedError, TypeError, ValueError)


def assert_same(mine, peer, context):
    (answer, warned), (expected, peer_warnings) = mine, peer
    if isinstance(expected, SLIPS) or (isinstance(expected, float) and abs(expected) > 1e15):
        return
    if "previously unseen labels" in str(expected):  # a pos_label of text: 0 beside integers, this beside floats
        return
    if isinstance(expected, Exception) and not isinstance(answer, Exception) and absent_rows(context[-1]):
        return  # theirs stumbles over a column whose rows all weigh 0
    if isinstance(expected, Exception):
        # scikit-learn's parameter errors are both kinds
        kinds = tuple(kind for kind in ERRORS if isinstance(expected, kind))
        assert isinstance(answer, kinds), (context, expected, answer)
        return
    assert not isinstance(answer, Exception), (context, expected, answer)
    assert_equal(answer, expected, context)
    if not absent_rows(context[-1]):
        assert warned - {RuntimeWarning} == peer_warnings - {RuntimeWarning}, (context, warned, peer_warnings)


def absent_rows(options):
    """Theirs warns about rows of weight 0, which we take as absent."""
    return isinstance(options, dict) and 0 in np.asarray(options.get("sample_weight", 1))


def assert_equal(answer, expected, context):
    if isinstance(expected, tuple):
        assert isinstance(answer, tuple), context
        assert len(answer) == len(expected), context
        for one, other in zip(answer, expected, strict=True):
            assert_equal(one, other, context)
    elif isinstance(expected, dict):
        assert list(answer) == list(expected), context
        for key in expected:
            assert_equal(answer[key], expected[key], context)
    elif isinstance(expected, str):  # weights are shown to the last digit
        blank = [" ".join(NUMBER.sub("#", text).split()) for text in (answer, expected)]
        assert blank[0] == blank[1], context
        np.testing.assert_allclose(*(np.array(NUMBER.findall(text), float) for text in (answer, expected)))
    elif expected is None:
        assert answer is None, context
    else:
        assert np.shape(answer) == np.shape(expected), context
        assert isinstance(answer, np.ndarray) == isinstance(expected, np.ndarray), context
        if isinstance(expected, np.ndarray):
            # their counts turn to floats when no prediction is right, and weighted ones to integers when nothing is 1
            quirk = context[0] in COUNTS and {answer.dtype, expected.dtype} == {np.dtype(np.int64), np.dtype(float)}
            assert quirk or answer.dtype == expected.dtype, (context, answer.dtype, expected.dtype)
        single = "float32" in str(context)  # where we sum in double precision
        near = {"rtol": 1e-5, "atol": 1e-6} if single else {"rtol": 1e-9, "atol": 1e-12}
        np.testing.assert_allclose(answer, expected, **near, err_msg=str(context))


def draw_labels(r, n):
    classes = int(r.choice([1, 2, 2, 2, 3, 5]))
    kind = r.choice(list(LABELS))
    truth, pred = r.integers(0, classes, n), r.integers(0, classes, n)
    pred = np.where(r.random(n) < 0.6, truth, pred)
    other = r.choice(["int", "text", "float", "bool", "column"]) if r.random() < 0.1 else kind
    return LABELS[kind](truth), LABELS[other](pred), np.unique(np.asarray(LABELS[kind](np.arange(classes))).ravel())


def draw_matrices(r, n):
    columns = int(r.choice([1, 2, 4]))
    truth, pred = r.random((n, columns)) < 0.4, r.random((n, columns)) < 0.4
    kinds = r.choice(list(MATRICES), 2)
    return MATRICES[kinds[0]](truth), MATRICES[kinds[1]](pred), np.arange(columns)


@pytest.mark.parametrize("name", OF_LABELS)
def test_of_labels(name):
    for seed in range(120):
        r = np.random.default_rng([seed, len(name)])
        n = int(r.choice([1, 2, 3, 30]))
        y_true, y_pred, known = (draw_matrices if r.random() < 0.3 else draw_labels)(r, n)
        options = choose(r, OF_LABELS[name])
        if options.get("labels") == "some":
            options["labels"] = r.permutation(known)[: max(1, len(known) - 1)]
        if r.random() < 0.5:  # mostly the usual
            options.pop("pos_label", None)
        options["sample_weight"] = weights(r, n)
        compare(name, y_true, y_pred, options)


def draw_scores(r, name, n):
    """A truth of one of the kinds that scores are given for, and scores of a fitting shape, mostly."""
    shape = r.choice(["binary", "binary", "multiclass", "multilabel"])
    if "ranking" in name or "dcg" in name or name == "coverage_error":
        shape = "multilabel"
    ties = r.random() < 0.3
    classes = {"binary": 2, "multiclass": 3, "multilabel": 4}[shape]
    if shape == "binary":
        score = r.random(n)
        y_true = LABELS[r.choice(list(LABELS))](r.integers(0, r.choice([1, 2, 2, 2]), n))
    else:
        score = r.random((n, classes))
        if r.random() < 0.8:
            score /= score.sum(1, keepdims=True)
        if shape == "multilabel":
            y_true = MATRICES[r.choice(list(MATRICES))](r.random((n, classes)) < 0.4)
        else:
            y_true = LABELS[r.choice(["int", "text", "words", "series", "sign"])](r.integers(0, classes, n))
    if ties and shape == "binary":
        score = np.round(score, 1)
    elif ties and "loss" in name:
        score = np.round(score * 4) / 4
    how = r.choice(["float64", "float64", "float32", "list", "series", "margin", "integer", "nan"])
    if how == "float32":
        score = score.astype(np.float32)
    elif how == "margin":
        score = score * 4 - 2
    elif how == "integer":
        score = (score * 5).astype(int)
    elif how == "nan" and r.random() < 0.5:
        score.flat[0] = np.nan
    elif how == "series" and score.ndim == 1:
        score = pd.Series(score)
    elif how == "list":
        score = score.tolist()
    return y_true, score


@pytest.mark.parametrize("name", OF_SCORES)
def test_of_scores(name):
    for seed in range(120):
        r = np.random.default_rng([seed, len(name)])
        n = int(r.choice([1, 2, 3, 30]))
        y_true, score = draw_scores(r, name, n)
        options = choose(r, OF_SCORES[name])
        if r.random() < 0.5:
            options.pop("pos_label", None)
        if options.get("labels") == "all":
            text = isinstance(np.asarray(y_true).flat[0] if not sp.issparse(y_true) else 0, str)
            options["labels"] = ["ab", "b", "c"] if text else [0, 1, 2]
        options["sample_weight"] = weights(r, n)
        compare(name, y_true, score, options)


@pytest.mark.parametrize("name", ["dcg_score", "ndcg_score"])
def test_graded_gains_of_tied_scores(name):
    for seed in range(60):
        r = np.random.default_rng(seed)
        n, width = int(r.choice([1, 2, 30])), int(r.choice([1, 2, 3, 200]))
        truth = r.integers(-1 if seed % 10 == 0 else 0, 5, (n, width)) * r.choice([1, 0.5])
        score = np.round(r.random((n, width)), int(r.choice([0, 1, 16])))
        options = choose(r, OF_SCORES[name]) | {"ignore_ties": False, "sample_weight": weights(r, n)}
        compare(name, truth, score, options)
        compare(name, truth, score.astype(np.float32), options)


def compare(name, first, second, options):
    passed = {key: value for key, value in options.items() if key != "sample_weight" or value is not None}
    context = (name, first, second, passed)
    mine, peer = (outcome(getattr(module, name), first, second, **passed) for module in (ours, theirs))
    assert_same(mine, peer, context)


def test_auc():
    r = np.random.default_rng(0)
    for n in (0, 1, 2, 3, 100, 70_000):
        x, y = np.sort(r.random(n)), r.random(n)
        for points in ((x, y), (x[::-1], y), (x.tolist(), y), (r.random(n), y), (x[:-1], y), (pd.Series(x), y)):
            assert_same(outcome(ours.auc, *points), outcome(theirs.auc, *points), ("auc", n))


@pytest.mark.parametrize("weighted", [False, True])
def test_metric_at_thresholds(weighted):
    r = np.random.default_rng(0)
    y, s = r.integers(0, 2, 60), np.round(r.random(60), 1)
    named = {"sample_weight": r.integers(0, 3, 60)} if weighted else {}
    for metric, parameters in ((ours.f1_score, {"zero_division": 0}), (theirs.accuracy_score, {})):
        named["metric_params"] = parameters
        both = (module.metric_at_thresholds(y, s, metric, **named) for module in (ours, theirs))
        assert_equal(*both, (metric.__name__,))


def test_more_classes_than_a_table_holds():
    r = np.random.default_rng(0)
    y, p = r.integers(0, 3000, 20_000), r.integers(0, 3000, 20_000)
    p[::2] = y[::2]
    for w in (None, r.random(len(y))):
        for name in ("precision_score", "recall_score", "f1_score"):
            for average in ("macro", "micro", "weighted"):
                options = {"average": average, "zero_division": 0, "sample_weight": w}
                mine, peer = (getattr(module, name)(y, p, **options) for module in (ours, theirs))
                assert mine == pytest.approx(peer, rel=1e-12)
        assert ours.matthews_corrcoef(y, p, sample_weight=w) == pytest.approx(
            theirs.matthews_corrcoef(y, p, sample_weight=w)
        )


def test_labels_beyond_64_bits_and_thresholds_of_booleans():
    big = np.array([2**64 - 1, 1, 5], np.uint64), np.array([2**64 - 1, 2, 5], np.uint64)
    assert ours.accuracy_score(*big) == theirs.accuracy_score(*big)
    y, s = [0, 1, 1, 0], np.array([False, True, False, False])
    for name in ("precision_recall_curve", "roc_curve", "confusion_matrix_at_thresholds"):
        assert_equal(getattr(ours, name)(y, s), getattr(theirs, name)(y, s), (name,))
