"""Charts of recommendations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calipers.report.plots.canvas import BAND, SQUARE, Canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.evaluation.evaluation import Evaluation


def exposure(canvas: Canvas, ev: Evaluation, *, k: int = 10) -> Axes:
    """The Lorenz curve of the first k recommendations, with the line of equal exposure and the Gini coefficient."""
    curve, gini = ev.curve("exposure", k=k), ev[f"exposure_gini@{k}"]
    ax = canvas.axes(SQUARE, canvas.say("exposure.title"), canvas.say("exposure.x"), canvas.say("exposure.y"))
    look = canvas.line(0)
    ax.fill_between(curve.items_share, curve.exposure, curve.items_share, color=look["color"], alpha=BAND, linewidth=0)
    ax.plot(curve.items_share, curve.exposure, label=canvas.say("exposure.gini", value=canvas.estimate(gini)), **look)
    ax.plot((0, 1), (0, 1), label=canvas.say("exposure.equal"), **canvas.aside)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    canvas.legend_below(ax, 1)
    return ax
