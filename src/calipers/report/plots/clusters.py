"""Charts of clusterings: classes against clusters, and the silhouettes of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calipers.errors import InputError
from calipers.report.plots.canvas import WIDE, Canvas
from calipers.report.plots.matrix import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.evaluation.evaluation import Evaluation
    from calipers.validation.cluster_selection import ClusterSelection

LARGEST, NUMBERED = 30, 20  # classes and clusters that are drawn, and that have numbers
DEEPEST = 0.62  # under numbers
POINTS = 2_000  # rows of a silhouette chart


def contingency(canvas: Canvas, ev: Evaluation) -> Axes:
    """How many rows each class and cluster have in common; the depth is the share of the cluster."""
    from matplotlib.colors import to_rgba

    table = ev.views.contingency
    if not table.classes or not len(table.cells):
        raise InputError("evaluation.no_matrix", why="")
    sizes = [np.bincount(codes, table.cells) for codes in (table.rows_of, table.columns_of)]
    down, across = (np.sort(np.argsort(-size, kind="stable")[:LARGEST]) for size in sizes)
    cells = np.zeros((len(sizes[0]), len(sizes[1])))
    cells[table.rows_of, table.columns_of] = table.cells
    cells, shares = cells[np.ix_(down, across)], (cells / sizes[1])[np.ix_(down, across)]
    classes = canvas.labels([table.classes[i] for i in down], 18)
    clusters = canvas.labels([table.clusters[i] for i in across], 12)
    size = (1.6 + 0.5 * max(len(clusters), 5), 1.3 + 0.42 * max(len(classes), 4))
    x, y = canvas.say("contingency.cluster"), canvas.say("contingency.class")
    ax = canvas.axes((min(size[0], 9.0), min(size[1], 9.0)), canvas.say("contingency.title"), x, y)
    numbered = max(cells.shape) <= NUMBERED
    colors = np.empty((*cells.shape, 4))
    colors[...] = to_rgba(canvas.theme.heat)
    colors[..., 3] = (DEEPEST if numbered else 1.0) * np.nan_to_num(shares)
    ax.imshow(colors, interpolation="none", aspect="auto", zorder=0.5)
    if numbered:
        for (row, column), count in np.ndenumerate(cells):
            if count:
                text = counted(canvas, float(count))
                ax.text(column, row, text, ha="center", va="center", fontsize=8, color=canvas.theme.ink)
    ax.set_xticks(range(len(clusters)), clusters, rotation=0 if len(clusters) <= 8 else 90, parse_math=False)
    ax.set_yticks(range(len(classes)), classes, parse_math=False)
    ax.tick_params(length=0)
    ax.grid(visible=False)
    return ax


def silhouette(canvas: Canvas, ev: Evaluation) -> Axes:
    """The silhouettes of the rows, cluster by cluster and sorted within each; a line at the mean."""
    geometry = ev.views.geometry if ev.is_live else None
    if geometry is None or not len(geometry.silhouettes):
        raise InputError("evaluation.no_silhouettes")
    mean = ev["silhouette"]
    order = np.argsort(-geometry.sizes, kind="stable")[:LARGEST]
    step = max(1, len(geometry.silhouettes) // POINTS)
    title = canvas.say("silhouette.title")
    height = max(WIDE[1], 0.3 * len(order) + 1.4)
    ax = canvas.axes((WIDE[0], min(height, 9.0)), title, canvas.say("silhouette.x"), canvas.say("contingency.cluster"))
    at, ticks = 0.0, []
    gap = max(1.0, len(geometry.silhouettes) / step / 60)
    for number, k in enumerate(order):
        values = np.sort(geometry.silhouettes[geometry.codes == k])[::-1][::step]
        where = at + np.arange(len(values) + 1)
        look = canvas.line(number % 2, 0)["color"]
        ax.fill_betweenx(np.repeat(where, 2)[1:-1], 0, np.repeat(values, 2), color=look, alpha=0.6, linewidth=0)
        ticks.append(at + len(values) / 2)
        at += len(values) + gap
    ax.axvline(float(mean), label=canvas.say("silhouette.mean", value=canvas.estimate(mean)), **canvas.aside)
    ax.set_yticks(ticks, canvas.labels([geometry.clusters[k] for k in order], 14), parse_math=False)
    least = min(-0.1, float(np.nanmin(geometry.silhouettes)) - 0.02)
    ax.set(ylim=(at, -gap), xlim=(least, 1.0))
    ax.set_xticks([tick for tick in (-1.0, -0.5, 0.0, 0.5, 1.0) if tick >= least])
    ax.grid(visible=False, axis="y")
    canvas.legend_below(ax, 1)
    return ax


def n_clusters(canvas: Canvas, selection: ClusterSelection) -> Axes:
    """Silhouette and stability against the number of clusters, with their intervals; a line at the choice."""
    level = canvas.words.percent(selection.level, 0)
    ax = canvas.axes(WIDE, canvas.say("n_clusters.title", level=level), canvas.say("n_clusters.x"))
    for index, name in enumerate(("silhouette", "stability")):
        known = [(c.k, getattr(c, name)) for c in selection.candidates if getattr(c, name) == getattr(c, name)]
        k, values = [each[0] for each in known], [float(each[1]) for each in known]
        color = canvas.line(index)["color"]
        ax.vlines(k, [e.low for _, e in known], [e.high for _, e in known], color=color, linewidth=1.4)
        ax.plot(k, values, **canvas.line(index, 1.2))
        ax.plot(k, values, label=canvas.say(f"n_clusters.{name}"), **canvas.dot(index))
    ax.axvline(selection.choice, label=canvas.say("n_clusters.choice", k=selection.choice), **canvas.aside)
    ax.set_xticks([c.k for c in selection.candidates], [str(c.k) for c in selection.candidates])
    canvas.legend_below(ax, 2)
    return ax
