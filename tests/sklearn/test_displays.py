"""Displays have scikit-learn's numbers and Calipers' charts."""

import numpy as np
import pytest
import sklearn.metrics as theirs
from sklearn.linear_model import LinearRegression, LogisticRegression

import calipers.sklearn as ours

plt = pytest.importorskip("matplotlib.pyplot")
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
Y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
MODEL = LogisticRegression().fit(X[:100], Y[:100])
TEST, TRUTH = X[100:], Y[100:]
SCORE = MODEL.predict_proba(TEST)[:, 1]


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


CURVES = {
    "RocCurveDisplay": ("roc_auc", {"drop_intermediate": False}), "PrecisionRecallDisplay": ("average_precision", {}),
    "DetCurveDisplay": (None, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", CURVES)
def test_curves(name):
    number, options = CURVES[name]
    mine = getattr(ours, name).from_estimator(MODEL, TEST, TRUTH)
    again = getattr(ours, name).from_predictions(TRUTH, SCORE)
    peer = getattr(theirs, name).from_predictions(TRUTH, SCORE, **options)
    assert mine.figure_ is mine.ax_.figure
    assert mine.ax_.lines
    assert mine.name == "LogisticRegression"
    if number:
        assert getattr(mine, number) == getattr(again, number) == pytest.approx(getattr(peer, number))


def test_the_confusion_matrix():
    mine = ours.ConfusionMatrixDisplay.from_estimator(MODEL, TEST, TRUTH)
    again = ours.ConfusionMatrixDisplay.from_predictions(TRUTH, MODEL.predict(TEST))
    peer = theirs.ConfusionMatrixDisplay.from_estimator(MODEL, TEST, TRUTH)
    np.testing.assert_array_equal(mine.confusion_matrix, peer.confusion_matrix)
    np.testing.assert_array_equal(again.confusion_matrix, peer.confusion_matrix)
    assert mine.display_labels == (0, 1)


def test_calibration_numbers_and_axes_that_are_given():
    _, ax = plt.subplots()
    mine = ours.CalibrationDisplay.from_predictions(TRUTH, SCORE, ax=ax)
    assert mine.ax_ is ax
    assert len(mine.prob_true) == len(mine.prob_pred)
    model = LinearRegression().fit(X[:100, 1:], X[:100, 0])
    assert ours.PredictionErrorDisplay.from_estimator(model, TEST[:, 1:], TEST[:, 0]).ax_ is not None


def test_weights_and_the_positive_class():
    weights = rng.uniform(0.5, 2, 100)
    mine = ours.RocCurveDisplay.from_predictions(TRUTH, 1 - SCORE, sample_weight=weights, pos_label=0)
    assert mine.pos_label == 0
    assert mine.roc_auc == pytest.approx(theirs.roc_auc_score(TRUTH, SCORE, sample_weight=weights))
