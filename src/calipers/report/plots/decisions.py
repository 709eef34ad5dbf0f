"""Charts of decisions: calibration before and after, the map itself, and net benefit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.decisions.decision_curve import DEFAULT
from calipers.errors import InputError, UnknownName, nearest
from calipers.report.plots.canvas import BAND, POINTS, SQUARE, WIDE, Canvas
from calipers.report.plots.curves import each_line, one, title_of, value_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.decisions.calibrate import Calibration
    from calipers.decisions.decision_curve import DecisionCurve
    from calipers.evaluation.evaluation import Evaluation
    from calipers.settings import Label

NAMED = 6  # models with a colour and a band


def calibration(canvas: Canvas, result: Calibration) -> Axes:
    """Observed frequency against mean probability, as given and recalibrated."""
    size = SQUARE[0], SQUARE[1] + 0.5
    title = canvas.say("recalibration.title", method=canvas.words.say(f"decisions.method.{result.method}"))
    ax = canvas.axes(size, title, canvas.say("calibration.x"), canvas.say("calibration.y"))
    ax.plot([0, 1], [0, 1], label=canvas.say("calibration.perfect"), **canvas.aside)
    errors = result["ece"]
    for index, (name, curve) in enumerate(result.curves.items()):
        look, value = canvas.line(index, 1.4), errors.before if name == "before" else errors.after
        ax.fill_between(curve.score, curve.low, curve.high, color=look["color"], alpha=BAND, linewidth=0)
        label = canvas.say(f"recalibration.{name}", value=canvas.words.number(value))
        ax.plot(curve.score, curve.outcome, label=label, **{**canvas.dot(index, 5), **look})
    canvas.share_axes(ax)
    canvas.legend_below(ax, 1)
    return ax


def calibration_of_slices(
    canvas: Canvas, ev: Evaluation, by: str, label: Label | None, bins: int, rule: str
) -> Axes:
    """Observed frequency against mean score, a line for each slice of a column, with its calibration error."""
    if by not in ev.by:
        raise UnknownName("report.unknown_slice", name=by, near=nearest(str(by), ev.by))
    name = "ece" if rule == "width" and bins == 10 else f"ece(bins={bins}, rule={rule})"
    slices = {str(value): part for value, part in ev.by[by].items()}
    errors = {value: value_of(part, name, label) for value, part in slices.items()}
    known = {value: part for value, part in slices.items() if not math.isnan(errors[value])}
    if not known:
        raise InputError("report.no_calibration", why=next(iter(errors.values())).reason)
    curves = {value: part.curve("calibration", label, bins=bins, rule=rule) for value, part in known.items()}
    size = SQUARE[0], SQUARE[1] + 0.5
    title = canvas.say("recalibration.slices", column=canvas.label(by))
    ax = canvas.axes(size, title, canvas.say("calibration.x"), canvas.say("calibration.y"))
    ax.plot([0, 1], [0, 1], label=canvas.say("calibration.perfect"), **canvas.aside)
    for curve, look in each_line(canvas, curves, errors.__getitem__, "other_slices"):
        ax.plot(curve.score, curve.outcome, marker="o", markersize=3.5, **look)
    canvas.share_axes(ax)
    canvas.legend_below(ax, 1, title=canvas.say("calibration.head", level=canvas.words.percent(ev.level, 0)))
    return ax


def map_of(canvas: Canvas, result: Calibration) -> Axes:
    """The recalibrated probability against the one that was given."""
    title = canvas.say("recalibration.map", method=canvas.words.say(f"decisions.method.{result.method}"))
    ax = canvas.axes(SQUARE, title, canvas.say("recalibration.x"), canvas.say("recalibration.y"))
    ax.plot([0, 1], [0, 1], **canvas.aside)
    p = np.linspace(0, 1, POINTS)
    mapped = result.apply(np.stack((1 - p, p), 1))[:, 1]  # of several classes, one against another that has the rest
    ax.plot(p, mapped, **canvas.line(0))
    canvas.share_axes(ax)
    return ax


def decision(canvas: Canvas, result: DecisionCurve) -> Axes:
    """The net benefit of each model against the threshold, beside treating all and treating none."""
    ax = canvas.axes(WIDE, canvas.say("decision.title"), canvas.say("decision.x"), canvas.say("decision.y"))
    _references(canvas, ax, result.thresholds, result.treat_all)
    short = canvas.labels(result.models)
    for index, (name, each) in enumerate(zip(short, result.models.values(), strict=True)):
        _line(ax, canvas, index, name, result.thresholds, each.value, each.low, each.high)
    _frame(ax, result.prevalence, [each.value for each in result.models.values()])
    canvas.legend_below(ax, 3)
    return ax


def difference(canvas: Canvas, result: DecisionCurve) -> Axes:
    """The paired differences of net benefit against the threshold: of models, or of a model and the default."""
    several = [d for d in result.differences.values() if (d.baseline == DEFAULT) == (len(result.models) == 1)]
    level = canvas.words.percent(result.level, 0)
    title = canvas.say("decision.differences", level=level)
    ax = canvas.axes(WIDE, title, canvas.say("decision.x"), canvas.say("decision.difference"))
    ax.axhline(0, **canvas.aside)
    for index, d in enumerate(several[:NAMED]):
        names = [canvas.label(canvas.say("decision.default") if x == DEFAULT else x) for x in (d.candidate, d.baseline)]
        _line(ax, canvas, index, " − ".join(names), result.thresholds, d.value, d.low, d.high)
    ends = np.concatenate([np.abs(np.concatenate((d.low, d.high))) for d in several[:NAMED]])
    most = 1.05 * float(np.nanquantile(ends, 0.95)) or 0.01
    ax.set(xlim=(0, 1), ylim=(-most, most))
    canvas.legend_below(ax, 2)
    return ax


def of_evaluation(canvas: Canvas, ev: Evaluation, *, label: Label | None = None, band: Any = "pointwise") -> Axes:
    """The net benefit of one model against the threshold."""
    curve = ev.curve("decision", one(ev, "decision", label), band=band)
    ax = canvas.axes(WIDE, title_of(canvas, ev, "decision", label), canvas.say("decision.x"), canvas.say("decision.y"))
    _references(canvas, ax, curve.threshold, curve.treat_all)
    low, high = (curve.low, curve.high) if band is not None else (curve.net_benefit, curve.net_benefit)
    _line(ax, canvas, 0, canvas.say("model"), curve.threshold, curve.net_benefit, low, high)
    _frame(ax, float(curve.prevalence[0]), [curve.net_benefit])
    canvas.legend_below(ax, 3)
    return ax


def _references(canvas: Canvas, ax: Axes, thresholds: Any, treat_all: Any) -> None:
    ax.axhline(0, label=canvas.say("decision.none"), **{**canvas.aside, "linestyle": "-"})
    ax.plot(thresholds, treat_all, label=canvas.say("decision.all"), **canvas.aside)


def _line(ax: Axes, canvas: Canvas, index: int, name: str, x: Any, y: Any, low: Any, high: Any) -> None:
    look = canvas.line(index)
    if index < NAMED:
        ax.fill_between(x, low, high, color=look["color"], alpha=BAND, linewidth=0)
    ax.plot(x, y, label=name, **look)


def _frame(ax: Axes, prevalence: float, values: list[Any]) -> None:
    """What is far below 0 interests nobody: it would press the rest together."""
    top = max(prevalence, *(float(np.nanmax(v)) for v in values), 0.01)
    ax.set(xlim=(0, 1), ylim=(-0.25 * top, 1.1 * top))
