"""Charts of several models: ROC, precision-recall and calibration curves, scores, and mean ranks over data sets."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from calipers.errors import InputError
from calipers.report.layout import method_name
from calipers.report.plots.canvas import SQUARE, WIDE, Canvas
from calipers.report.plots.curves import each_line, from_zero, scored
from calipers.report.plots.scores import calibrated, sides

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.comparison.compare import Comparison
    from calipers.comparison.folds_and_datasets import DatasetComparison

CROSSINGS = 8  # if two curves cross more often, the crossings are not marked
SPREADS, HALF = 20, 0.44  # models whose scores are drawn, and how far from their line


def roc(canvas: Canvas, comparison: Comparison) -> Axes:
    """The ROC curves of all models; of two, where they cross and which is above on how much of the axis."""
    models = comparison.models
    curves = {name: ev.curve("roc") for name, ev in models.items()}
    crossing = comparison.curves("roc") if len(models) == 2 else None
    ax = canvas.axes(SQUARE, canvas.say("roc.models"), canvas.say("roc.x"), canvas.say("roc.y"))
    ax.plot([0, 1], [0, 1], **canvas.aside)
    for curve, look in each_line(canvas, curves, lambda name: models[name]["roc_auc"], "other_models", highest=True):
        ax.plot(curve.fpr, curve.tpr, **look)
    title = canvas.say("roc.head", level=canvas.words.percent(comparison.settings.level, 0))
    if crossing is not None:
        d = comparison["roc_auc"][crossing.second, crossing.first]
        title += "\n" + canvas.say("roc.difference", value=canvas.signed(d.difference, d.low, d.high))
        if 0 < len(crossing.crossings) <= CROSSINGS:
            first = curves[crossing.first]
            heights = np.interp(crossing.crossings, first.fpr, first.tpr)
            look = {"marker": "X", "linestyle": "none", "color": canvas.theme.ink, "markersize": 7,
                    "markeredgecolor": canvas.theme.paper}  # fmt: skip
            shares = [canvas.words.percent(crossing.share(name), 0) for name in (crossing.first, crossing.second)]
            text = canvas.say("roc.cross", first=shares[0], second=shares[1])
            ax.plot(crossing.crossings, heights, label=text, zorder=3, **look)
    canvas.share_axes(ax)
    canvas.legend(ax, "lower right", title=title)
    return ax


def pr(canvas: Canvas, comparison: Comparison) -> Axes:
    """Precision against recall of all models, in steps."""
    models = comparison.models
    curves = {name: ev.curve("pr") for name, ev in models.items()}
    ax = canvas.axes(SQUARE, canvas.say("pr.models"), canvas.say("pr.x"), canvas.say("pr.y"))
    areas = {name: ev["average_precision"] for name, ev in models.items()}
    for curve, look in each_line(canvas, curves, areas.__getitem__, "other_models", highest=True):
        ax.plot(from_zero(curve.recall, 0.0), from_zero(curve.precision), drawstyle="steps-pre", **look)
    share = float(next(iter(curves.values())).precision[-1])  # where everything is called positive
    ax.axhline(share, **canvas.aside)
    canvas.share_axes(ax)
    high = np.nanmean([np.nanmean(curve.precision) for curve in curves.values()]) > 0.5
    title = canvas.say("pr.head", level=canvas.words.percent(comparison.settings.level, 0))
    canvas.legend(ax, "lower left" if high else "upper right", title=title)
    return ax


def calibration(canvas: Canvas, comparison: Comparison) -> Axes:
    """Observed frequency against mean score of all models that have probabilities."""
    models = {name: ev for name, ev in comparison.models.items() if not math.isnan(ev["ece"])}
    if not models:
        raise InputError("report.no_calibration", why=next(iter(comparison.models.values()))["ece"].reason)
    curves = {name: ev.curve("calibration") for name, ev in models.items()}
    return calibrated(
        canvas, canvas.say("calibration.models"), curves, lambda name: models[name]["ece"], "other_models",
        comparison.settings.level,
    )  # fmt: skip


def scores(canvas: Canvas, comparison: Comparison, *, bins: int = 40) -> Axes:
    """How each model spreads the scores of both classes: the positive class above its line, the other one below."""
    from matplotlib.patches import Patch

    models = dict(islice(comparison.models.items(), SPREADS))
    for ev in models.values():
        scored(ev, "scores")
    curves = {name: ev.curve("scores", bins=bins) for name, ev in models.items()}
    ax = canvas.axes((WIDE[0], 1.2 + 0.75 * len(models)), canvas.say("scores.models"), canvas.say("score"))
    looks = [canvas.line(index)["color"] for index in (0, 1)]
    for at, (name, curve) in enumerate(curves.items()):
        edges = np.append(curve.begin, curve.end[-1])
        for side, color, way in zip(("positive", "negative"), looks, (-1, 1), strict=True):
            heights = curve[f"{side}_share"]
            drawn = at + way * HALF * heights / (float(np.nanmax(heights)) or 1.0)
            ax.stairs(drawn, edges, baseline=at, fill=True, color=color, alpha=0.45, linewidth=0)
        if (threshold := models[name].threshold) is not None:
            ax.plot([threshold, threshold], [at - HALF, at + HALF], **{**canvas.aside, "linewidth": 1.4})
    left = len(comparison.models) - len(models)
    ax.set_xlabel(canvas.say("score") + (canvas.say("intervals.left", count=left) if left else ""))
    ax.set_yticks(range(len(models)), canvas.labels(models), parse_math=False)
    ax.set_ylim(len(models) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    names = sides(canvas, next(iter(models.values())), None)
    fills = [Patch(color=color, alpha=0.45, label=text) for color, text in zip(looks, names, strict=True)]
    canvas.legend_below(ax, 2, handles=fills)
    return ax


def critical_difference(canvas: Canvas, comparison: DatasetComparison) -> Axes:
    """Mean ranks over data sets on one axis, best on the left; a bar joins models that do not differ."""
    order = sorted(comparison.ranks, key=lambda name: comparison.ranks[name])
    half, short = (len(order) + 1) // 2, dict(zip(order, canvas.labels(order), strict=True))
    first = 0.9 + 0.28 * len(comparison.groups)
    title = canvas.say("ranks.title", sets=comparison.sets, level=canvas.words.percent(comparison.level, 0))
    ax = canvas.axes((7.2, 1.3 + 0.3 * (half + first)), title)
    low, high = 1.0, float(len(order))
    for at, name in enumerate(order):
        rank, left = comparison.ranks[name], at < half
        row = first + 0.6 * (at if left else len(order) - 1 - at)
        edge = low - 0.08 * (high - low) if left else high + 0.08 * (high - low)
        ax.plot([rank, rank, edge], [0, row, row], color=canvas.theme.muted, linewidth=0.9, solid_capstyle="butt")
        ax.plot([rank], [0], **canvas.dot(0, 5))
        texts = (short[name], canvas.words.number(rank, 2))
        ax.text(
            edge, row, f" {'  '.join(texts if left else texts[::-1])} ", ha="right" if left else "left", va="center"
        )
    for at, group in enumerate(comparison.groups):
        ends = [comparison.ranks[group[0]] - 0.04, comparison.ranks[group[-1]] + 0.04]
        ax.plot(ends, [0.35 + 0.28 * at] * 2, color=canvas.theme.series[0], linewidth=4, solid_capstyle="round")
    _ruler(canvas, ax, comparison, low, high)
    ax.set(xlim=(low - 0.5 * (high - low), high + 0.5 * (high - low)), ylim=(first + 0.6 * half, -1.15))
    return ax


def _ruler(canvas: Canvas, ax: Axes, comparison: DatasetComparison, low: float, high: float) -> None:
    """The axis of ranks, which is a line of its own, and the length that a difference of ranks must have."""
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.plot([low, high], [0, 0], color=canvas.theme.ink, linewidth=1.1, zorder=1.9)
    for tick in range(int(low), int(high) + 1):
        ax.plot([tick, tick], [0, -0.1], color=canvas.theme.ink, linewidth=1.1)
        ax.text(tick, -0.17, str(tick), ha="center", va="bottom", fontsize=8.5)
    if comparison.method == "nemenyi":
        ends = [low, low + comparison.critical_difference]
        ax.plot(ends, [-0.75, -0.75], color=canvas.theme.ink, linewidth=1.4, marker="|", markersize=7)
        text = canvas.say("ranks.critical", value=canvas.words.number(comparison.critical_difference, 2))
        ax.text(sum(ends) / 2, -0.83, text, ha="center", va="bottom", fontsize=8.5)
    else:
        text = canvas.say("ranks.method", method=method_name(comparison.method))
        ax.text(low, -0.75, text, ha="left", va="center", fontsize=8.5, color=canvas.theme.muted)
