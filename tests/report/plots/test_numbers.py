"""Charts of predicted values."""

import numpy as np
import pytest
from matplotlib.text import Text

import calipers as cal
from calipers.errors import InputError
from calipers.report.plots.files import figure
from calipers.tasks import TASKS

pytestmark = pytest.mark.skipif("regression" not in TASKS, reason="numbers are not measured here")


def test_errors_by_prediction_are_those_of_the_evaluation(flats):
    ax = figure(flats, "residuals", bins=10, lang="en").axes[0]
    curve = flats.curve("residuals", bins=10, band="pointwise")
    dots = next(x for x in ax.get_lines() if x.get_label() == "mean error, 95% interval")
    assert dots.get_xdata().tolist() == curve.predicted.tolist()
    assert dots.get_ydata().tolist() == curve.error.tolist()
    ends = np.array([segment[:, 1] for segment in ax.collections[1].get_segments()])
    assert ends.tolist() == np.stack((curve.low, curve.high), 1).tolist()
    spread = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert spread.max() == pytest.approx((curve.error + curve.sd).max())
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted value", "error (predicted − actual)")


def test_predictions_by_truth_are_those_of_the_evaluation(flats):
    ax = figure(flats, "predicted", bins=12, lang="en").axes[0]
    curve = flats.curve("predictions", bins=12)
    depth = np.asarray(ax.images[0].get_array())[..., 3]
    assert np.count_nonzero(depth) == len(curve.rows)
    assert np.sort(depth[depth > 0]) == pytest.approx(np.sort(np.sqrt(curve.rows / curve.rows.max())))
    left, right, low, high = ax.images[0].get_extent()
    fullest = int(np.argmax(curve.rows))
    row, column = np.unravel_index(depth.argmax(), depth.shape)
    assert left + (column + 0.5) * (right - left) / depth.shape[1] == pytest.approx(curve.truth[fullest])
    assert low + (row + 0.5) * (high - low) / depth.shape[0] == pytest.approx(curve.predicted[fullest])
    assert ax.get_xlim() == ax.get_ylim()


@pytest.mark.parametrize("kind", ["residuals", "predicted"])
def test_all_languages_and_poor_data(flats, kind):
    by_language = {
        code: {text.get_text() for text in figure(flats, kind, lang=code, text_as_text=True).findobj(Text)}
        for code in ("en", "vi", "zh")
    }
    assert by_language["vi"] != by_language["en"] != by_language["zh"]
    for truth, predicted in (([1.0, 1.0, 1.0], [2.0, 2.0, 2.0]), ([1.0, 2.5], [2.0, 2.0])):
        figure(cal.evaluate(truth, predicted, task="regression"), kind, lang="en").canvas.draw()


def test_charts_of_classes_do_not_fit(flats):
    with pytest.raises(
        InputError, match="the roc chart is for classification, but the task is regression: available charts are"
    ):
        flats.plot("roc")
    assert figure(flats, "intervals", metrics=["mae", "rmse"]).axes[0].get_yticklabels()[0].get_text()
