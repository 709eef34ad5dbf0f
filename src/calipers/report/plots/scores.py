"""Charts of one class over its scores: calibration, how the scores are spread, and metrics against the threshold."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.choices import Band
from calipers.errors import InputError
from calipers.report.plots.canvas import BAND, POINTS, SQUARE, WIDE, Canvas
from calipers.report.plots.curves import at_threshold, each_line, one, scored, title_of, value_of
from calipers.report.plots.decisions import calibration_of_slices

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.evaluation.curve import Curve
    from calipers.evaluation.evaluation import Evaluation
    from calipers.inference.estimate import Estimate
    from calipers.settings import Label


def calibration(
    canvas: Canvas, ev: Evaluation, *, label: Label | None = None, bins: int = 10, rule: str = "width",
    band: Band | None = "pointwise", by: str | None = None,
) -> Axes:  # fmt: skip
    """Observed frequency against mean score in each bin, with its interval and the rows that it holds.

    With several classes, of the top class: how often the class with the highest score was right. With label sets, a
    line for each label. by: a curve for each slice of this column.
    """
    if by is not None:
        return calibration_of_slices(canvas, ev, by, label, bins, rule)
    if label is None and ev.schema.facts.label_sets:
        return _of_labels(canvas, ev, bins, rule)
    of_top = label is None and ev.schema.facts.top_class
    scored(ev, "calibration")
    about = None if of_top else one(ev, "calibration", label)
    curve = ev.curve("calibration", about, bins=bins, rule=rule, band=band)
    error = value_of(ev, "ece" if rule == "width" and bins == 10 else f"ece(bins={bins}, rule={rule})", label)
    if math.isnan(error):
        raise InputError("report.no_calibration", why=error.reason)
    size = SQUARE[0], SQUARE[1] + 0.5
    title = canvas.say("calibration.top") if of_top else title_of(canvas, ev, "calibration", label)
    ax = canvas.axes(
        size, title, canvas.say("calibration.x"), canvas.say("calibration.y_top" if of_top else "calibration.y")
    )
    ax.plot([0, 1], [0, 1], label=canvas.say("calibration.perfect"), **canvas.aside)
    if band is not None:
        ax.vlines(curve.score, curve.low, curve.high, color=canvas.line(0)["color"], linewidth=1.4)
        ax.fill_between(curve.score, curve.low, curve.high, color=canvas.line(0)["color"], alpha=BAND, linewidth=0)
    ax.plot(curve.score, curve.outcome, **canvas.line(0, 1.2))
    ax.plot(
        curve.score, curve.outcome, label=canvas.say("calibration.ece", value=canvas.estimate(error)), **canvas.dot(0)
    )
    below = ax.inset_axes((0, 0, 1, 0.14), sharex=ax, zorder=0.5)
    below.bar(curve.begin, curve.rows, curve.end - curve.begin, align="edge", color=canvas.theme.muted, alpha=0.4,
              edgecolor=canvas.theme.paper)  # fmt: skip
    below.set_axis_off()
    below.text(0.99, 1, canvas.say("calibration.rows"), color=canvas.theme.muted, fontsize=8, ha="right", va="bottom",
               transform=below.transAxes)  # fmt: skip
    canvas.share_axes(ax)
    canvas.legend_below(ax, 1)
    return ax


def _of_labels(canvas: Canvas, ev: Evaluation, bins: int, rule: str) -> Axes:
    """The calibration of each label; of many, the labels with the largest calibration error are named."""
    scored(ev, "calibration")
    name = "ece" if rule == "width" and bins == 10 else f"ece(bins={bins}, rule={rule})"
    errors = {v: ev.classes[v][name] for v in ev.labels}
    known = {v: e for v, e in errors.items() if not math.isnan(e)}
    if not known:
        raise InputError("report.no_calibration", why=next(iter(errors.values())).reason)
    return calibrated(
        canvas, canvas.say("calibration.labels"), {v: ev.curve("calibration", v, bins=bins, rule=rule) for v in known},
        known.__getitem__, "other_labels", ev.level, highest=True,
    )  # fmt: skip


def calibrated(
    canvas: Canvas, title: str, curves: Mapping[Any, Curve], error: Callable[[Any], Estimate], others_as: str,
    level: float, *, highest: bool = False,
) -> Axes:  # fmt: skip
    """Calibration curves of several models or labels on one chart; of many, those with the lowest errors are named."""
    size = SQUARE[0], SQUARE[1] + 0.5
    ax = canvas.axes(size, title, canvas.say("calibration.x"), canvas.say("calibration.y"))
    ax.plot([0, 1], [0, 1], label=canvas.say("calibration.perfect"), **canvas.aside)
    for curve, look in each_line(canvas, curves, error, others_as, highest=highest):
        ax.plot(curve.score, curve.outcome, marker="o", markersize=3.5, **look)
    canvas.share_axes(ax)
    canvas.legend_below(ax, 1, title=canvas.say("calibration.head", level=canvas.words.percent(level, 0)))
    return ax


def scores(canvas: Canvas, ev: Evaluation, *, label: Label | None = None, bins: int = 40) -> Axes:
    """How the scores of the positives and of the negatives are spread, each as shares of its own, and the threshold."""
    curve = ev.curve("scores", one(ev, "scores", label), bins=bins)
    ax = canvas.axes(WIDE, title_of(canvas, ev, "scores", label), canvas.say("score"), canvas.say("scores.y"))
    edges, names = np.append(curve.begin, curve.end[-1]), sides(canvas, ev, label)
    for index, side in enumerate(("positive", "negative")):
        heights, look = curve[f"{side}_share"], canvas.line(index, 1.5)
        ax.stairs(heights, edges, fill=True, color=look["color"], alpha=0.28, linewidth=0)
        rows = canvas.words.count(curve[f"{side}s"].sum())
        ax.stairs(heights, edges, label=canvas.say("scores.side", label=names[index], rows=rows), **look)
    _threshold(canvas, ax, ev, label)
    ax.set_ylim(bottom=0)
    canvas.legend_below(ax, 3)
    return ax


def sides(canvas: Canvas, ev: Evaluation, label: Label | None) -> tuple[str, str]:
    """The names of a class and of all other rows, which are one class where there are two."""
    about = ev.positive if label is None else label
    others = [v for v in ev.labels if v != about]
    one = len(others) == 1 and ev.schema.facts.one_class
    name = canvas.label(about)
    return name, canvas.label(others[0]) if one else canvas.say("scores.rest", label=name)


def thresholds(
    canvas: Canvas, ev: Evaluation, *, label: Label | None = None,
    metrics: Sequence[str] = ("precision", "recall", "f1"), cost: Mapping[str, float] | None = None,
) -> Axes:  # fmt: skip
    """Metrics of one class against the threshold, and the mean cost of a row on an axis of its own."""
    curve = ev.curve("thresholds", one(ev, "thresholds", label), metrics=metrics, cost=cost, points=POINTS)
    best = None if cost is None else ev.best_threshold(cost=cost, label=label)
    ax = canvas.axes(WIDE, title_of(canvas, ev, "thresholds", label), canvas.say("threshold"), canvas.say("value"))
    names = [name for name in curve if name not in ("threshold", "cost")]
    for index, name in enumerate(names):
        ax.plot(curve.threshold, curve[name], label=canvas.words.heading(name), **canvas.line(index))
    _threshold(canvas, ax, ev, label)
    if best is not None:
        cost_axes = ax.twinx()
        canvas.style_axes(cost_axes)
        cost_axes.grid(visible=False)
        cost_axes.spines["right"].set_visible(True)
        look = canvas.line(len(names))
        cost_axes.plot(curve.threshold, curve.cost, **look)
        ax.plot([], [], label=canvas.say("thresholds.cost"), **look)
        text = canvas.say("thresholds.best", threshold=canvas.words.number(best), cost=canvas.words.number(best.value))
        cost_axes.plot([best], [best.value], **canvas.dot(len(names), 7))
        ax.plot([], [], label=text, **canvas.dot(len(names), 7))
        cost_axes.set_ylabel(canvas.say("thresholds.cost"))
        cost_axes.set_ylim(bottom=min(0.0, float(curve.cost.min())))
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    canvas.legend_below(ax, 3 if cost is not None else 4)
    return ax


def _threshold(canvas: Canvas, ax: Axes, ev: Evaluation, label: Label | None) -> None:
    """A line at the threshold of the predictions, where they were cut from these scores."""
    at = ev.threshold if label in (None, ev.positive) else None
    if at is not None:
        ax.axvline(at, label=at_threshold(canvas, at), **{**canvas.aside, "linewidth": 1.4})
