"""Charts of numbers that a person already has: a confusion matrix, or the points of a ROC curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from calipers.choices import Lang, ShareOf, Side, Theme
from calipers.errors import InputError
from calipers.evaluation.confusion import Confusion
from calipers.report.plots import drawing
from calipers.report.plots.canvas import SQUARE, Canvas
from calipers.report.plots.matrix import of_table


def plot_confusion(
    matrix: Any,
    *,
    labels: Sequence[Any] | None = None,
    title: str | None = None,
    cmap: Any = None,
    normalise: ShareOf | None = None,
    rows: Side = "truth",
    margins: bool = True,
    ax: Any = None,
    lang: Lang | None = None,
    theme: Theme | None = None,
) -> Any:
    """Draw a confusion matrix from counts, and return the axes.

    - matrix: a square table of counts, or a `Confusion`.
    - labels: the names of the classes, in the order of the matrix.
    - rows: "truth" if the rows of the matrix are the true classes, or "prediction".
    - normalise: show proportions of each true class ("truth"), of each predicted class ("prediction") or of all rows
      ("all") instead of counts.
    - margins: whether to show the totals of rows and columns.
    - cmap: a colour map of matplotlib.
    - title, ax, lang, theme: the title, the matplotlib axes to draw into, the language ("en", "vi" or "zh"), and the
      theme ("light", "dark" or "print").
    """
    if isinstance(matrix, Confusion):
        labels, rows = labels or matrix.labels, matrix.rows
    counts = np.asarray(matrix)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not counts.size:
        raise InputError("report.matrix_not_square", shape=counts.shape)
    if counts.dtype.kind not in "iufb" or not np.isfinite(counts).all() or (counts < 0).any():
        raise InputError("report.matrix_not_counts")
    names = tuple(range(len(counts)) if labels is None else labels)
    if len(names) != len(counts):
        raise InputError("report.labels_of_matrix", labels=len(names), classes=len(counts))
    if rows not in get_args(Side):
        raise InputError("evaluation.unknown_rows", rows=rows)
    table = Confusion(names, counts, rows)
    with drawing(ax, lang, theme) as canvas:
        return of_table(canvas, table, normalise, margins, cmap, "" if title is None else canvas.label(title, 60))


def plot_roc(
    fpr: npt.ArrayLike, tpr: npt.ArrayLike, *, label: str | None = None, title: str | None = None, ax: Any = None,
    lang: Lang | None = None, theme: Theme | None = None,
) -> Any:  # fmt: skip
    """Draw a ROC curve from its points, joined by straight lines, and return the axes.

    - fpr, tpr: the false positive rates in order, and the true positive rates.
    - label: the name of the curve.
    - title, ax, lang, theme: as in `plot_confusion`.
    """
    x, y = (np.asarray(column, np.float64) for column in (fpr, tpr))
    if x.ndim != 1 or x.shape != y.shape or not x.size:
        raise InputError("report.rates_of_other_lengths", fpr=x.shape, tpr=y.shape)
    for name, column in (("fpr", x), ("tpr", y)):
        if not ((column >= 0) & (column <= 1)).all():
            raise InputError("report.not_rates", name=name)
    if (np.diff(x) < 0).any() and (np.diff(x) > 0).any():
        raise InputError("report.fpr_not_in_order")
    with drawing(ax, lang, theme) as canvas:
        return _roc(canvas, x, y, label, title)


def _roc(canvas: Canvas, x: Any, y: Any, label: str | None, title: str | None) -> Any:
    heading = canvas.say("roc.title") if title is None else canvas.label(title, 60)
    axes = canvas.axes(SQUARE, heading, canvas.say("roc.x"), canvas.say("roc.y"))
    axes.plot([0, 1], [0, 1], **canvas.aside)
    axes.plot(x, y, label=None if label is None else canvas.label(label, 40), **canvas.line(0))
    canvas.share_axes(axes)
    if label is not None:
        canvas.legend(axes, "lower right")
    return axes
