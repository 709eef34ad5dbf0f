"""Charts of a model over folds: the value of each fold, and the curve of each with their mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.choices import ComparedCurve, CurveAverage
from calipers.errors import InputError
from calipers.report.plots.canvas import BAND, POINTS, SQUARE, Canvas
from calipers.report.plots.forest import bounded, forest, rows_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.evaluation.curve import Curve
    from calipers.inference.estimate import Estimate
    from calipers.settings import Label
    from calipers.validation.cross_validation import Validation

LIFT, TALL = 0.2, 0.17  # how far the points of folds are above their mean, and spread there
AREAS = {"roc": "roc_auc", "pr": "average_precision"}
CORNERS = ((0.97, 0.1), (0.94, 0.2), (0.9, 0.3))  # area from which on the corner is drawn larger, and its side


def folds(canvas: Canvas, validation: Validation, *, metrics: Sequence[str] | str | None = None) -> Axes:
    """Each metric: a point for every fold, below them the mean with its corrected interval."""
    if validation.splits.alone:
        raise InputError("report.folds_of_one_row")
    names = [metrics] if isinstance(metrics, str) else metrics or _shares(validation)
    each = [[float(fold.evaluation[name]) for fold in validation.folds] for name in names]
    rows = rows_of(canvas, {canvas.words.heading(name): validation[name] for name in names})
    level = canvas.words.percent(validation.level, 0)
    title = canvas.say("folds.title", count=len(validation.folds), level=level)
    ax = forest(canvas, rows, title, canvas.say("intervals.rows", count=validation.rows))
    spread = np.linspace(-TALL, TALL, len(validation.folds)) if len(validation.folds) > 1 else np.zeros(1)
    look = {**canvas.dot(0, 4), "markerfacecolor": canvas.theme.muted, "alpha": 0.75, "zorder": 1.8}
    for at, values in enumerate(each[: len(ax.get_yticks())]):
        ax.plot(values, at - LIFT + spread * LIFT, **look)
    return ax


def roc(canvas: Canvas, validation: Validation, *, label: Label | None = None) -> Axes:
    """The ROC curve of every fold, their mean, and its band."""
    return _curves(canvas, validation, "roc", label)


def pr(canvas: Canvas, validation: Validation, *, label: Label | None = None) -> Axes:
    """Precision against recall in every fold, the mean, and its band."""
    return _curves(canvas, validation, "pr", label)


def _curves(canvas: Canvas, validation: Validation, kind: ComparedCurve, label: Label | None) -> Axes:
    if all(fold.answer.score is None for fold in validation.folds):
        raise InputError("report.folds_without_scores", kind=kind)
    average: CurveAverage | None = "macro" if label is None and len(validation.problem.classes) != 2 else None
    curves = validation.curve(kind, label, average=average)
    title = (
        canvas.say(f"{kind}.title") if average is None else canvas.say("folds.macro", title=canvas.say(f"{kind}.title"))
    )
    about = validation.problem.positive if label is None else label
    if about is not None:
        title = canvas.say("of_class", title=canvas.say(f"{kind}.title"), label=canvas.label(about))
    ax = canvas.axes(SQUARE, title, canvas.say(f"{kind}.x"), canvas.say(f"{kind}.y"))
    if kind == "roc":
        ax.plot([0, 1], [0, 1], **canvas.aside)
    look: dict[str, Any] = {"color": canvas.theme.muted, "linewidth": 0.8, "alpha": 0.6, "zorder": 1.8}
    if kind == "pr":
        look["drawstyle"] = "steps-pre"
    each, mean = [curve.thinned(POINTS) for curve in curves.folds], curves.mean
    for at, thin in enumerate(each):
        ax.plot(thin.x, thin.y, label=None if at else canvas.say("folds.each", count=len(each)), **look)
    if not np.isnan(mean.low).all():
        ax.fill_between(mean.x, mean.low, mean.high, color=canvas.line(0)["color"], alpha=BAND, linewidth=0)
    ax.plot(mean.x, mean.y, label=_named(canvas, validation, kind, average, label), **canvas.line(0, 2.2))
    canvas.share_axes(ax)
    if kind == "roc":
        _corner(canvas, ax, [(thin, look) for thin in each] + [(mean, canvas.line(0, 2.0))])
    high = kind == "roc" or np.nanmean(mean.y) > 0.5
    canvas.legend(ax, "lower right" if kind == "roc" else "lower left" if high else "upper right")
    return ax


def _corner(canvas: Canvas, ax: Axes, lines: Sequence[tuple[Curve, dict[str, Any]]]) -> None:
    """Curves that differ in the upper left corner only, drawn larger in the empty half of the chart."""
    mean = lines[-1][0]
    area = float((np.diff(mean.x) * (mean.y[1:] + mean.y[:-1]) / 2).sum())
    wide = next((wide for least, wide in CORNERS if area >= least), None)
    if wide is None:
        return
    corner = ax.inset_axes((0.4, 0.3, 0.57, 0.5), xlim=(0, wide), ylim=(1 - wide, 1.002))
    canvas.style_axes(corner)
    for curve, look in lines:
        here = (curve.x <= 1.5 * wide) & (curve.y >= 1 - 1.5 * wide)
        before = max(0, int(np.argmax(here)) - 1)  # a line enters the corner from outside
        x, y = curve.x[before:][: int(here.sum()) + 2], curve.y[before:][: int(here.sum()) + 2]
        corner.plot(x, y, **look)
    corner.locator_params(nbins=4)
    ax.indicate_inset_zoom(corner, edgecolor=canvas.theme.muted)


def _named(canvas: Canvas, validation: Validation, kind: str, average: str | None, label: Label | None) -> str:
    """The mean with its area; a class of several has none that was averaged."""
    if label is not None and label != validation.problem.positive:
        return canvas.say("folds.mean")
    name = AREAS[kind] if average is None else f"{AREAS[kind]}(average={average})"
    area: Estimate = validation[name]
    return canvas.say("folds.mean") + "  " + canvas.say(f"{kind}.area", value=canvas.estimate(area))


def _shares(validation: Validation) -> list[str]:
    """The metrics that fit on one axis; where there are none, the main metric."""
    names = [m.name for m in validation.listed if bounded(validation[m.name], m.metric.bounds)]
    return names or [validation.main_metric or next(iter(validation))]
