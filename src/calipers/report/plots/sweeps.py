"""Charts of a model at several sizes or values, and of the parts of a loss."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.report.plots.canvas import BAND, WIDE, Canvas

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.validation.bias_variance import BiasVariance
    from calipers.validation.curves import LearningCurve, ValidationCurve
    from calipers.validation.sweep import Sweep

WIDEST = 30  # a range of values that is so many times its smallest gets an axis of logarithms
TICKS, BAR = 10, 0.52  # places that are all named; the height of a bar


def learning(canvas: Canvas, sweep: LearningCurve, *, metric: str | None = None) -> Axes:
    """Test and training rows against the size of the training set."""
    return _sweep(canvas, sweep, metric, "learning", canvas.say("learning.x"))


def validation(canvas: Canvas, sweep: ValidationCurve, *, metric: str | None = None) -> Axes:
    """Test and training rows against the values of a parameter, the best and the simplest good one marked."""
    line = sweep[metric or sweep.main_metric]
    marks: dict[str, int] = {}
    if line.measure.metric.better and line.known:
        marks["best"] = line.best
        if sweep.simpler is not None:
            marks["simplest"] = sweep.within(metric or sweep.main_metric)
    ax = _sweep(canvas, sweep, metric, "validation", canvas.label(sweep.axis))
    x = _positions(sweep)
    for index, (name, at) in enumerate(marks.items(), 2):
        text = canvas.say(f"validation.{name}", value=canvas.label(sweep.places[at]))
        ring = {**canvas.dot(index, 16 - 2 * index), "markerfacecolor": "none", "markeredgewidth": 1.8}
        ring["markeredgecolor"] = ring["color"]
        ax.plot([x[at]], [line.test[at]], label=text, zorder=3, **ring)
    canvas.legend_below(ax, 2)
    return ax


def parts(canvas: Canvas, bias_variance: BiasVariance) -> Axes:
    """How the parts of a loss add up: each bar begins where the one above it ended."""
    signs = {"bias": 1, "unbiased": 1, "biased": -1} if bias_variance.loss == "zero-one" else {"bias": 1, "variance": 1}
    level = canvas.words.percent(bias_variance.level, 0)
    title = canvas.say("parts.title", loss=canvas.words.say(f"sweeps.loss.{bias_variance.loss}").strip(), level=level)
    ax = canvas.axes((7.2, 1.25 + 0.42 * len(signs)), title)
    start = 0.0
    for at, (name, sign) in enumerate(signs.items()):
        _bar(canvas, ax, at, start, sign, bias_variance[name], {1: 0, -1: 2}[sign])
        start += sign * bias_variance[name]
        ax.plot([start, start], [at, at + 1], **{**canvas.aside, "linewidth": 0.8})
    _bar(canvas, ax, len(signs), 0.0, 1, bias_variance["loss"], 1)
    names = [canvas.say(f"parts.{name}") for name in (*signs, "loss")]
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.axvline(0, color=canvas.theme.muted, linewidth=0.9)
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", nbins=6)
    ax.set_xlabel(canvas.say("parts.x", models=bias_variance.replicates, rows=bias_variance.rows))
    return ax


def _bar(canvas: Canvas, ax: Axes, at: int, start: float, sign: int, e: Any, series: int) -> None:
    color = canvas.line(series)["color"]
    ax.barh(at, sign * float(e), BAR, left=start, color=color, alpha=0.42, linewidth=0)
    if not math.isnan(e.low):
        ax.plot([start + sign * e.low, start + sign * e.high], [at, at], color=color, linewidth=1.6)
    ax.plot([start + sign * float(e)], [at], **canvas.dot(series, 5))
    text = canvas.estimate(e)
    ax.text(1.015, at, f"− {text}" if sign < 0 else text, transform=ax.get_yaxis_transform(), va="center", fontsize=8.5)


def _sweep(canvas: Canvas, sweep: Sweep, metric: str | None, kind: str, x_name: str) -> Axes:
    """Test with its band, training rows with what the folds span, and the places on the axis."""
    name = metric or sweep.main_metric
    line, curve, x = sweep[name], sweep.curve(name), _positions(sweep)
    ax = canvas.axes(WIDE, canvas.say(f"{kind}.title", metric=canvas.words.name(name)), x_name, canvas.words.name(name))
    level = canvas.words.percent(sweep.level, 0)
    ends = np.array([_span(average.known) for average in line.train_averages])
    for index, (part, y, low, high) in enumerate(
        (("test", curve.test, curve.low, curve.high), ("train", curve.train, ends[:, 0], ends[:, 1]))
    ):
        color = canvas.line(index)["color"]
        ax.fill_between(x, low, high, color=color, alpha=BAND if part == "test" else BAND / 2, linewidth=0)
        ax.vlines(x, low, high, color=color, linewidth=1.2 if part == "test" else 0.7)
        text = canvas.say(f"learning.{part}", level=level, folds=len(sweep.splits))
        ax.plot(x, y, label=text, **{**canvas.dot(index, 5.5), **canvas.line(index, 1.5)})
    _ticks(canvas, ax, sweep, x)
    canvas.legend_below(ax, 2)
    return ax


def _span(values: Any) -> tuple[float, float]:
    return (float(values.min()), float(values.max())) if len(values) else (math.nan, math.nan)


def _positions(sweep: Sweep) -> Any:
    """Where the places are: numbers at their value, other things side by side."""
    places = sweep.curve().at
    return places if places.dtype.kind == "f" and np.isfinite(places).all() else np.arange(len(places), dtype=float)


def _ticks(canvas: Canvas, ax: Axes, sweep: Sweep, x: Any) -> None:
    """Places by their names; a wide range of numbers on an axis of logarithms."""
    from matplotlib.ticker import NullLocator

    numbers = sweep.curve().at.dtype.kind == "f"
    if not numbers:
        ax.set_xlim(-0.3, len(x) - 0.7)  # also where the last of them failed
    elif len(x) > 1 and x.min() > 0 and x.max() >= WIDEST * x.min():
        ax.set_xscale("log")
        ax.xaxis.set_minor_locator(NullLocator())
    elif len(x) > 4:
        return
    indices = range(0, len(x), -(-len(x) // TICKS))
    names = canvas.labels([sweep.places[at] for at in indices], 12)
    ax.set_xticks([x[at] for at in indices], [canvas.words.local(name) for name in names], parse_math=False)
