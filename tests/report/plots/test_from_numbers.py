"""Charts of numbers that are already there."""

import numpy as np
import pytest
from matplotlib import pyplot

import calipers as cal
from calipers.errors import InputError

MATRIX = [[55, 45], [50, 850]]


@pytest.fixture(autouse=True)
def _english(monkeypatch):
    monkeypatch.setenv("CALIPERS_LANG", "en")
    yield
    pyplot.close("all")


def cells(ax):
    return [t.get_text() for t in ax.texts if hasattr(t, "xy")]


def test_a_matrix_is_drawn_as_it_is():
    ax = cal.plot_confusion(MATRIX, labels=["BAD", "GOOD"], title="Loans")
    assert cells(ax) == ["55", "55.0%", "45", "45.0%", "50", "5.6%", "850", "94.4%"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["BAD", "GOOD"]
    assert ax.get_title("left") == "Loans"
    assert cells(cal.plot_confusion(MATRIX, normalise="all")) == ["5.5%", "4.5%", "5.0%", "85.0%"]
    turned = cal.plot_confusion(MATRIX, rows="prediction")
    assert (turned.get_xlabel(), cells(turned)[1]) == ("true class", "52.4%")


def test_a_confusion_of_ours_brings_its_labels():
    table = cal.evaluate_counts(MATRIX, labels=["BAD", "GOOD"], positive="BAD").confusion
    ax = cal.plot_confusion(table.T)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["BAD", "GOOD"]
    assert ax.get_ylabel() == "predicted class"


def test_a_colour_map_has_numbers_that_can_be_read_on_it():
    ax = cal.plot_confusion([[1, 0], [0, 1]], cmap="Greys", normalise="truth")
    assert [t.get_color() for t in ax.texts if hasattr(t, "xy")] == ["white", "black", "black", "white"]
    assert ax.images[0].get_cmap().name == "Greys"


def test_points_of_a_curve_are_drawn_as_they_are():
    _, ax = pyplot.subplots()
    assert cal.plot_roc([0, 0.2, 1], [0, 0.7, 1], label="theirs", ax=ax) is ax
    assert ax.get_lines()[1].get_xydata().tolist() == [[0, 0], [0.2, 0.7], [1, 1]]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["theirs"]
    assert cal.plot_roc([1, 0.2, 0], [1, 0.7, 0], title="falling").get_title("left") == "falling"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: cal.plot_confusion([[1, 2]]),
            r"matrix has shape \(1, 2\): a confusion matrix has one row and one column per class"),
        (lambda: cal.plot_confusion([[1, -2], [0, 1]]), "pass finite numbers, 0 or more"),
        (lambda: cal.plot_confusion([["a", "b"], ["c", "d"]]), "matrix contains values that are not counts"),
        (lambda: cal.plot_confusion([[1, np.nan], [0, 1]]), "pass finite numbers, 0 or more"),
        (lambda: cal.plot_confusion(MATRIX, labels="abc"), "there are 3 labels for a matrix of 2 classes"),
        (lambda: cal.plot_confusion(MATRIX, rows="x"), "rows='x' is not known"),
        (lambda: cal.plot_roc([0, 1], [0, 0.5, 1]), r"fpr has shape \(2,\) and tpr has shape \(3,\): pass two columns"),
        (lambda: cal.plot_roc([0, 1.5], [0, 1]), r"fpr has values outside \[0, 1\]: pass rates"),
        (lambda: cal.plot_roc([0, np.nan], [0, 1]), r"fpr has values outside \[0, 1\]: pass rates"),
        (lambda: cal.plot_roc([0, 0.5, 0.2], [0, 1, 1]), "fpr is not sorted: pass the points in"),
    ],
)
def test_what_is_no_matrix_and_no_curve_is_refused(call, text):
    with pytest.raises(InputError, match=text):
        call()
    assert not pyplot.get_fignums()
