"""Charts of predicted numbers: errors over predictions, and predictions over the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calipers.report.plots.canvas import BAND, SQUARE, WIDE, Pen
from calipers.report.plots.matrix import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.evaluation.evaluation import Evaluation
    from calipers.settings import Label


def residuals(
    pen: Pen, ev: Evaluation, *, label: Label | None = None, bins: int = 20, band: str | None = "pointwise"
) -> Axes:
    """The mean error of rows of like prediction with its interval, inside the spread of the errors there."""
    curve = ev.curve("residuals", label, bins=bins, band=band)
    ax = pen.axes(WIDE, _title(pen, "residuals", label), pen.say("residuals.x"), pen.say("residuals.y"))
    color = pen.line(0)["color"]
    ax.fill_between(curve.predicted, curve.error - curve.sd, curve.error + curve.sd, color=color, alpha=BAND,
                    linewidth=0, label=pen.say("residuals.spread"))  # fmt: skip
    if band is not None:
        ax.vlines(curve.predicted, curve.low, curve.high, color=color, linewidth=1.4)
    ax.plot(curve.predicted, curve.error, **pen.line(0, 1.2))
    told = pen.say("residuals.mean", level=pen.words.percent(ev.level, 0))
    ax.plot(curve.predicted, curve.error, label=told, **pen.dot(0))
    ax.axhline(0, **pen.aside)
    pen.legend_below(ax, 2)
    return ax


def predicted(pen: Pen, ev: Evaluation, *, label: Label | None = None, bins: int = 30) -> Axes:
    """How many rows have about this truth and about this prediction; a perfect model has them on the line."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Patch

    curve = ev.curve("predictions", label, bins=bins)
    size = SQUARE[0], SQUARE[1] + 0.4
    ax = pen.axes(size, _title(pen, "predicted", label), pen.say("predicted.x"), pen.say("predicted.y"))
    spans = [(curve.truth_begin, curve.truth_end), (curve.begin, curve.end)]
    (left, right), (low, high) = ((float(begin.min()), float(end.max())) for begin, end in spans)
    column, row = (np.round((b - b.min()) / (e - b)).astype(int) for b, e in spans)
    cells = np.zeros((row.max() + 1, column.max() + 1, 4))
    cells[...] = to_rgba(pen.theme.heat, 0.0)
    most = float(curve.rows.max())
    cells[row, column, 3] = np.sqrt(curve.rows / most)  # a root, so that lone rows show
    ax.imshow(cells, extent=(left, right, low, high), origin="lower", aspect="auto", interpolation="none", zorder=1.2)
    ends = min(left, low), max(right, high)
    ax.plot(ends, ends, label=pen.say("predicted.perfect"), **pen.aside)
    steps = {counted(pen, n): (n / most) ** 0.5 for n in (1.0, round(most / 4), most) if 1 <= n <= most}
    fills = [Patch(facecolor=(pen.theme.heat, depth), edgecolor=pen.theme.grid, linewidth=0.5,
                   label=pen.say("predicted.rows", count=told)) for told, depth in steps.items()]  # fmt: skip
    ax.set(xlim=ends, ylim=ends, aspect="equal")
    pen.legend_below(ax, 2, handles=[*ax.get_lines(), *fills])
    return ax


def _title(pen: Pen, kind: str, label: Label | None) -> str:
    title = pen.say(f"{kind}.title")
    return title if label is None else pen.say("of_class", title=title, label=pen.label(label))
