"""Charts of predicted numbers: errors over predictions, and predictions over the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calipers.choices import Band
from calipers.report.plots.canvas import BAND, SQUARE, WIDE, Canvas
from calipers.report.plots.matrix import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.evaluation.evaluation import Evaluation
    from calipers.settings import Label


def residuals(
    canvas: Canvas, ev: Evaluation, *, label: Label | None = None, bins: int = 20, band: Band | None = "pointwise"
) -> Axes:
    """The mean error of rows of like prediction with its interval, inside the spread of the errors there."""
    curve = ev.curve("residuals", label, bins=bins, band=band)
    ax = canvas.axes(WIDE, _title(canvas, "residuals", label), canvas.say("residuals.x"), canvas.say("residuals.y"))
    color = canvas.line(0)["color"]
    ax.fill_between(curve.predicted, curve.error - curve.sd, curve.error + curve.sd, color=color, alpha=BAND,
                    linewidth=0, label=canvas.say("residuals.spread"))  # fmt: skip
    if band is not None:
        ax.vlines(curve.predicted, curve.low, curve.high, color=color, linewidth=1.4)
    ax.plot(curve.predicted, curve.error, **canvas.line(0, 1.2))
    text = canvas.say("residuals.mean", level=canvas.words.percent(ev.level, 0))
    ax.plot(curve.predicted, curve.error, label=text, **canvas.dot(0))
    ax.axhline(0, **canvas.aside)
    canvas.legend_below(ax, 2)
    return ax


def errors(canvas: Canvas, ev: Evaluation, *, label: Label | None = None, bins: int = 30) -> Axes:
    """How the errors are spread, with the mean error and a line at 0."""
    curve = ev.curve("errors", label, bins=bins)
    mean = ev["bias"] if label is None else ev.classes[label]["bias"]
    ax = canvas.axes(WIDE, _title(canvas, "errors", label), canvas.say("residuals.y"), canvas.say("calibration.rows"))
    edges, look = np.append(curve.begin, curve.end[-1]), canvas.line(0, 1.5)
    ax.stairs(curve.rows, edges, fill=True, color=look["color"], alpha=0.28, linewidth=0)
    ax.stairs(curve.rows, edges, **look)
    ax.axvline(0, **canvas.aside)
    ax.axvline(float(mean), label=canvas.say("errors.mean", value=canvas.estimate(mean)), **canvas.line(1, 1.4))
    ax.set_ylim(bottom=0)
    canvas.legend_below(ax, 1)
    return ax


def predicted(canvas: Canvas, ev: Evaluation, *, label: Label | None = None, bins: int = 30) -> Axes:
    """How many rows have about this truth and about this prediction; a perfect model has them on the line."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Patch

    curve = ev.curve("predictions", label, bins=bins)
    size = SQUARE[0], SQUARE[1] + 0.4
    ax = canvas.axes(size, _title(canvas, "predicted", label), canvas.say("predicted.x"), canvas.say("predicted.y"))
    spans = [(curve.truth_begin, curve.truth_end), (curve.begin, curve.end)]
    (left, right), (low, high) = ((float(begin.min()), float(end.max())) for begin, end in spans)
    column, row = (np.round((b - b.min()) / (e - b)).astype(int) for b, e in spans)
    cells = np.zeros((row.max() + 1, column.max() + 1, 4))
    cells[...] = to_rgba(canvas.theme.heat, 0.0)
    most = float(curve.rows.max())
    cells[row, column, 3] = np.sqrt(curve.rows / most)  # a root, so that single rows show
    ax.imshow(cells, extent=(left, right, low, high), origin="lower", aspect="auto", interpolation="none", zorder=1.2)
    ends = min(left, low), max(right, high)
    ax.plot(ends, ends, label=canvas.say("predicted.perfect"), **canvas.aside)
    steps = {counted(canvas, n): (n / most) ** 0.5 for n in (1.0, round(most / 4), most) if 1 <= n <= most}
    fills = [Patch(facecolor=(canvas.theme.heat, depth), edgecolor=canvas.theme.grid, linewidth=0.5,
                   label=canvas.say("predicted.rows", count=count)) for count, depth in steps.items()]  # fmt: skip
    ax.set(xlim=ends, ylim=ends, aspect="equal")
    canvas.legend_below(ax, 2, handles=[*ax.get_lines(), *fills])
    return ax


def _title(canvas: Canvas, kind: str, label: Label | None) -> str:
    title = canvas.say(f"{kind}.title")
    return title if label is None else canvas.say("of_class", title=title, label=canvas.label(label))
