"""Charts that docs/page.md and the pages promise: scores of models, numbers, folds, labels, and axes of any size."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import calipers as cal
from calipers import datasets


@pytest.fixture(autouse=True)
def _figures():
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def test_item_c15_comparison_scores_have_a_line_for_each_model_and_the_names_of_the_classes():
    debts = datasets.load("bad_debt")
    other = [score**2 for score in debts["score"]]
    models = cal.compare(debts["truth"], {"first": debts["score"], "second": other}, positive="BAD")
    ax = models.plot("scores", lang="en")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first", "second"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["BAD", "GOOD"]


def test_item_c15_intervals_of_numbers_have_their_own_scales():
    flats = cal.evaluate(datasets.load("flats"), truth="truth", pred="predicted")
    ax = flats.plot("intervals", lang="en")
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert "RMSE" in names
    assert "R²" in names
    assert "each row has its own scale" in ax.get_xlabel()
    assert len(ax.get_xticks()) == 0


def test_item_c9_the_corner_of_good_curves_is_drawn_larger():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    good = cal.cross_validate(LogisticRegression(), np.c_[y + rng.normal(0, 0.25, 300)], y, seed=0).plot("roc")
    (corner,) = good.child_axes
    assert corner.get_xlim() == (0, 0.1)
    assert len(corner.lines) == 6
    weak = cal.cross_validate(LogisticRegression(), np.c_[y + rng.normal(0, 2, 300)], y, seed=0).plot("roc")
    assert weak.child_axes == []


def test_item_c11_labels_have_a_calibration_chart():
    rng = np.random.default_rng(6)
    truth = rng.random((300, 3)) < [0.3, 0.2, 0.5]
    sets = [{label for label, has in zip("abc", row, strict=True) if has} for row in truth]
    ev = cal.evaluate(sets, score=np.clip(0.4 * truth + 0.6 * rng.random((300, 3)), 0, 1), labels=list("abc"))
    texts = [text.get_text() for text in ev.plot("calibration", lang="en").get_legend().get_texts()]
    for label in "abc":
        error = ev.classes[label]["ece"]
        assert any(text.startswith(f"{label}  {float(error):.3f}") for text in texts)


def test_item_b2_large_and_small_axes_have_one_notation_and_no_corner():
    rng = np.random.default_rng(1)
    for size, mark in ((1e9, "e9"), (1e-6, "e−6")):
        x = rng.gamma(2, size, 300)
        ax = cal.evaluate(x, x * np.exp(rng.normal(0, 0.1, 300))).plot("predicted", lang="en")
        ax.figure.canvas.draw()
        texts = [label.get_text() for label in ax.get_xticklabels()]
        assert [text for text in texts if mark in text]
        assert ax.xaxis.get_offset_text().get_text() == ""
