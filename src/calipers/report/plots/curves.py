"""Curves over the scores: ROC, precision-recall, DET, gain and lift."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.choices import Band, ComparedCurve, CurveAverage
from calipers.errors import InputError
from calipers.report.plots.canvas import BAND, POINTS, SQUARE, WIDE, Canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.evaluation.curve import Curve
    from calipers.evaluation.evaluation import Evaluation
    from calipers.inference.estimate import Estimate
    from calipers.settings import Label

EACH, NAMED = 6, 3  # classes with a colour of their own; of more, how many of the lowest are named
TICKS = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)


def roc(canvas: Canvas, ev: Evaluation, *, label: Label | None = None, band: Band | None = "pointwise") -> Axes:
    """TPR against FPR: of one class with its band, or of every class with micro and macro averages."""
    lines = list(_lines(canvas, ev, "roc", "roc_auc", label, band))
    point = operating_point(canvas, ev, label, "fpr", "recall")
    ax = canvas.axes(SQUARE, title_of(canvas, ev, "roc", label), canvas.say("roc.x"), canvas.say("roc.y"))
    ax.plot([0, 1], [0, 1], **canvas.aside)
    for curve, look in lines:
        ax.plot(curve.fpr, curve.tpr, **look)
        if "low" in curve:
            ax.fill_between(curve.fpr, curve.low, curve.high, color=look["color"], alpha=BAND, linewidth=0)
    _point(canvas, ax, point)
    canvas.share_axes(ax)
    canvas.legend(ax, "lower right", title=_head(canvas, ev, "roc", lines))
    return ax


def pr(canvas: Canvas, ev: Evaluation, *, label: Label | None = None, band: Band | None = "pointwise") -> Axes:
    """Precision against recall, in steps: of one class with its band, or of every class with both averages."""
    lines = list(_lines(canvas, ev, "pr", "average_precision", label, band))
    point = operating_point(canvas, ev, label, "recall", "precision")
    crowded = len(lines) > EACH + 2  # lines everywhere: no room for their names
    size = (SQUARE[0], SQUARE[1] + 1.2) if crowded else SQUARE
    ax = canvas.axes(size, title_of(canvas, ev, "pr", label), canvas.say("pr.x"), canvas.say("pr.y"))
    for curve, look in lines:
        recall, precision = from_zero(curve.recall, 0.0), from_zero(curve.precision)
        ax.plot(recall, precision, drawstyle="steps-pre", **look)
        if "low" in curve:
            ends = from_zero(curve.low), from_zero(curve.high)
            ax.fill_between(recall, *ends, step="pre", color=look["color"], alpha=BAND, linewidth=0)
    if len(lines) == 1:  # where everything is called positive, precision is the prevalence
        ax.axhline(lines[0][0].precision[-1], **canvas.aside)
    _point(canvas, ax, point)
    canvas.share_axes(ax)
    if crowded:
        canvas.legend_below(ax, 1, title=_head(canvas, ev, "pr", lines))
    else:
        high = np.nanmean([np.nanmean(curve.precision) for curve, _ in lines]) > 0.5
        canvas.legend(ax, "lower left" if high else "upper right", title=_head(canvas, ev, "pr", lines))
    return ax


def det(canvas: Canvas, ev: Evaluation, *, label: Label | None = None) -> Axes:
    """The miss rate against the false positive rate on normal deviates, with the point where they are equal."""
    from scipy.special import ndtr, ndtri

    curve = ev.curve("det", one(ev, "det", label), points=POINTS)
    eer = value_of(ev, "eer", label)
    ax = canvas.axes(SQUARE, title_of(canvas, ev, "det", label), canvas.say("roc.x"), canvas.say("det.y"))
    least = TICKS[0]
    deviates = (lambda p: ndtri(np.clip(p, 1e-6, 1 - 1e-6)), ndtr)
    ax.set_xscale("function", functions=deviates)
    ax.set_yscale("function", functions=deviates)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(TICKS, [canvas.words.percent(t, 1 if t < 0.01 else 0) for t in TICKS])
        axis.set_ticks([], minor=True)
    ax.plot([least, 0.99], [least, 0.99], **canvas.aside)
    ax.plot(curve.fpr, curve.fnr, **canvas.line(0))
    if eer == eer:
        ax.plot([eer], [eer], label=canvas.say("det.eer", value=canvas.estimate(eer)), **canvas.dot(1))
        canvas.legend(ax, "lower left")
    ax.set(xlim=(least, 0.99), ylim=(least, 0.99), aspect="equal")
    return ax


def gain(canvas: Canvas, ev: Evaluation, *, label: Label | None = None) -> Axes:
    """The share of positives found among the share of rows scored highest, between chance and a perfect order."""
    curve = ev.curve("gain", one(ev, "gain", label), points=POINTS)
    prevalence = value_of(ev, "prevalence", label)
    ax = canvas.axes(SQUARE, title_of(canvas, ev, "gain", label), canvas.say("gain.x"), canvas.say("gain.y"))
    ax.plot([0, 1], [0, 1], label=canvas.say("chance"), **canvas.aside)
    ax.plot([0, prevalence, 1], [0, 1, 1], label=canvas.say("gain.perfect"), **{**canvas.line(5, 1.0), "zorder": 1.6})
    ax.plot(curve.share, curve.gain, label=canvas.say("model"), **canvas.line(0))
    canvas.share_axes(ax)
    canvas.legend(ax, "lower right")
    return ax


def lift(canvas: Canvas, ev: Evaluation, *, label: Label | None = None) -> Axes:
    """How many times more positives than chance are among the share of rows scored highest."""
    curve = ev.curve("lift", one(ev, "lift", label), points=POINTS)
    ax = canvas.axes(WIDE, title_of(canvas, ev, "lift", label), canvas.say("gain.x"), canvas.say("lift.y"))
    ax.axhline(1, label=canvas.say("chance"), **canvas.aside)
    ax.plot(curve.share, curve.lift, label=canvas.say("model"), **canvas.line(0))
    heights = curve.lift[curve.share >= 0.01]
    ax.set(xlim=(-0.01, 1.01), ylim=(0, 1.08 * float(np.nanmax(heights if len(heights) else curve.lift))))
    canvas.legend(ax, "upper right")
    return ax


def scored(ev: Evaluation, kind: str) -> None:
    """Refuse an evaluation that has no scores to draw."""
    if ev.is_live and not ev.views.scored:
        raise InputError("report.chart_needs_scores", kind=kind)


def one(ev: Evaluation, kind: str, label: Label | None) -> Label | None:
    """The class that a chart of one class is about."""
    scored(ev, kind)
    if label is None and ev.is_live and len(ev.labels) > 2:
        raise InputError("report.chart_of_one_class", kind=kind, labels=[repr(v) for v in ev.labels[:6]])
    return label


def value_of(ev: Evaluation, name: str, label: Label | None) -> Estimate:
    """A metric of the class that a chart is about."""
    return ev[name] if label is None or label == ev.positive else ev.classes[label][name]


def operating_point(
    canvas: Canvas, ev: Evaluation, label: Label | None, x: str, y: str
) -> tuple[float, float, str] | None:
    """Where the predictions lie on a chart of two classes, and what they are."""
    if ev.positive is None or label not in (None, ev.positive):
        return None
    at = float(ev[x]), float(ev[y])
    if np.isnan(at).any():
        return None
    text = canvas.say("labels_given") if ev.threshold is None else at_threshold(canvas, ev.threshold)
    return *at, text


def at_threshold(canvas: Canvas, threshold: float) -> str:
    """A threshold in words, with as many digits as it has."""
    return canvas.say("at_threshold", value=canvas.words.local(f"{threshold:.6g}"))


def _point(canvas: Canvas, ax: Axes, point: tuple[float, float, str] | None) -> None:
    if point is not None:
        ax.plot(*([x] for x in point[:2]), label=point[2], zorder=3, **canvas.dot(1, 7))


def _head(canvas: Canvas, ev: Evaluation, kind: str, lines: list[Any]) -> str | None:
    """What the numbers behind the names are, where there are several."""
    return canvas.say(f"{kind}.head", level=canvas.words.percent(ev.level, 0)) if len(lines) > 1 else None


def title_of(canvas: Canvas, ev: Evaluation, kind: str, label: Label | None) -> str:
    """What a chart shows, and of which class."""
    about = ev.positive if label is None else label
    title = canvas.say(f"{kind}.title")
    return title if about is None else canvas.say("of_class", title=title, label=canvas.label(about))


def _lines(
    canvas: Canvas, ev: Evaluation, kind: ComparedCurve, metric: str, label: Label | None, band: Band | None
) -> Iterator[tuple[Curve, dict[str, Any]]]:
    """The curves of a chart with the looks of their lines: one with its band, or each class and the averages."""
    scored(ev, kind)
    if label is not None or len(ev.labels) <= 2:
        curve = ev.curve(kind, label, band=band, points=POINTS)
        name = canvas.say(f"{kind}.area", value=canvas.estimate(value_of(ev, metric, label)))
        yield curve, {**canvas.line(0), "label": name}
        return
    curves = {v: curve for v in ev.labels if not np.isnan((curve := ev.curve(kind, v)).y).any()}
    yield from each_line(canvas, curves, lambda v: ev.classes[v][metric], "other_classes")
    averages: tuple[tuple[CurveAverage, Any], ...] = (("micro", (0, (4, 1.5))), ("macro", "-"))
    for average, dashes in averages:
        name = canvas.say(average, value=canvas.estimate(ev[f"{metric}(average={average})"]))
        look = {"color": canvas.theme.ink, "linestyle": dashes, "linewidth": 2.6, "label": name, "zorder": 2.6}
        yield ev.curve(kind, average=average).thinned(POINTS), look


def each_line(
    canvas: Canvas, curves: Mapping[Any, Curve], area: Callable[[Any], Estimate], others_as: str, *,
    highest: bool = False,
) -> Iterator[tuple[Curve, dict[str, Any]]]:
    """A line for each; of many only the lowest (or the highest) are named, and the others stand behind them."""
    named = list(curves)
    if len(named) > EACH:
        named = sorted(named, key=lambda v: float(area(v)), reverse=highest)[:NAMED]
    others = [v for v in curves if v not in named]
    for at, v in enumerate(others):
        legend = {"label": canvas.say(others_as, count=len(others))} if not at else {}
        look = {"color": canvas.theme.muted, "linewidth": 0.7, "alpha": 0.45, "zorder": 1.8}
        yield curves[v].thinned(POINTS), {**look, **legend}
    short = dict(zip(curves, canvas.labels(curves), strict=True))
    for at, v in enumerate(named):
        yield curves[v].thinned(POINTS), {**canvas.line(at, 1.6), "label": f"{short[v]}  {canvas.estimate(area(v))}"}


def from_zero(column: Any, start: float | None = None) -> Any:
    """A column of steps with a point at recall 0, where the first step begins."""
    return np.insert(column, 0, column[0] if start is None else start)
