"""The confusion matrix as a picture: shares as the depth of one hue, with numbers in it while they can be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from calipers.choices import ShareOf, Side
from calipers.errors import InputError
from calipers.evaluation.confusion import NORMS, Confusion
from calipers.report.plots.canvas import Canvas
from calipers.report.terminal import width as columns_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.evaluation.evaluation import Evaluation

NUMBERED, TWO_LINES, VECTOR = 20, 6, 8  # classes with numbers, with counts and shares, with a shape for each cell
DEEPEST = 0.62  # under numbers: the ink stays readable on it, on light paper and on dark


def confusion(
    canvas: Canvas, ev: Evaluation, *, normalise: ShareOf | None = None, rows: Side = "truth", margins: bool = True,
    cmap: Any = None,
) -> Axes:  # fmt: skip
    """The confusion matrix. normalise: "truth", "prediction" or "all"; rows: "truth" or "prediction"."""
    if rows not in get_args(Side):
        raise InputError("evaluation.unknown_rows", rows=rows)
    table = ev.confusion
    return of_table(canvas, table if table.rows == rows else table.T, normalise, margins, cmap)


def of_table(
    canvas: Canvas, table: Confusion, normalise: str | None, margins: bool, cmap: Any, title: str = ""
) -> Axes:
    """A table of counts. Colour is the share that `normalise` names, of the true class when none is."""
    if normalise is not None and normalise not in NORMS:
        raise InputError("report.unknown_normalise", normalise=normalise, known=list(NORMS))
    shares, classes = table.normalised(normalise or "truth"), len(table.labels)
    numbered = classes <= NUMBERED
    names = canvas.labels(table.labels, 18 if classes <= 30 else 14)
    longest = max(map(columns_of, names), default=1)
    kinds = ("truth", "prediction") if table.rows == "truth" else ("prediction", "truth")
    down, across = (canvas.say(f"confusion.{kind}") for kind in kinds)
    cell = max(0.66, 2.6 / classes) if classes <= TWO_LINES else 0.42 if numbered else max(0.105, 5 / classes)
    edge = min(1.0, 0.5 / cell) if margins and numbered else 0.0  # the totals, in cells
    size = cell * (classes + edge) + 0.075 * longest + 0.6
    ax = canvas.axes((size + 0.5, size + 0.35), title or canvas.say("confusion.title"), across, down)
    power = 1.0 if classes <= TWO_LINES else 0.5  # a root, so that rare confusions show among many
    deepest = DEEPEST if numbered else 1.0
    _cells(canvas, ax, deepest * shares**power, cmap)
    if cmap is None and classes > TWO_LINES:
        _scale(canvas, ax, normalise or "truth", lambda share: deepest * share**power)
    if numbered:
        _numbers(canvas, ax, table, shares, cmap, normalised=normalise is not None)
    if edge:
        _margins(canvas, ax, table, edge)
    _dress(canvas, ax, names, longest)
    return ax


def _scale(canvas: Canvas, ax: Axes, share: str, depth: Callable[[float], float]) -> None:
    """What the depths of the hue mean."""
    from matplotlib.patches import Patch

    steps = {s: canvas.words.percent(s, 0) for s in (0.01, 0.1, 0.5, 1.0)}
    fills = [Patch(facecolor=(canvas.theme.heat, depth(s)), edgecolor=canvas.theme.grid, linewidth=0.5, label=text)
             for s, text in steps.items()]  # fmt: skip
    canvas.legend(ax, "lower right", handles=fills, ncol=len(fills), title=canvas.say(f"confusion.of_{share}"),
               fontsize=8, bbox_to_anchor=(1.0, 1.0), handlelength=1.2, columnspacing=1.0)  # fmt: skip


def _cells(canvas: Canvas, ax: Axes, depths: Any, cmap: Any) -> None:
    """The cells. The depth is opacity, so that one drawing is right on any paper."""
    from matplotlib.colors import to_rgba

    depth = np.nan_to_num(depths)
    if cmap is not None:
        image = ax.imshow(depth, cmap=cmap, vmin=0, vmax=1, interpolation="nearest", aspect="equal")
        image.set_zorder(0.5)
        return
    colors = np.empty((*depth.shape, 4))
    colors[...] = to_rgba(canvas.theme.heat)
    colors[..., 3] = depth
    edges = np.arange(len(depth) + 1) - 0.5
    if len(depth) > VECTOR:  # hundreds of shapes would weigh more than all other charts of a page
        ax.imshow(colors, interpolation="none", aspect="equal", zorder=0.5)
    else:
        ax.pcolormesh(edges, edges, colors, edgecolor=canvas.theme.grid, linewidth=0.5, zorder=0.5)
    ax.set(xlim=edges[[0, -1]], ylim=edges[[-1, 0]], aspect="equal")


def _numbers(canvas: Canvas, ax: Axes, table: Confusion, shares: Any, cmap: Any, *, normalised: bool) -> None:
    """Counts, or shares where those were asked for; of few classes the share stands below the count."""
    classes = len(table.labels)
    size = 10.5 if classes <= TWO_LINES else 8.0
    for (row, column), count in np.ndenumerate(table.counts):
        share, ink = shares[row, column], _ink(canvas, shares[row, column], cmap)
        if not count and classes > TWO_LINES:
            continue  # an empty cell says zero
        if normalised:
            text = "" if np.isnan(share) else canvas.words.percent(share, 1 if classes <= TWO_LINES else 0)
            _written(ax, text, column, row, fontsize=size, color=ink)
            continue
        both = classes <= TWO_LINES and not np.isnan(share)
        _written(ax, counted(canvas, count), column, row, 5 if both else 0, fontsize=size, color=ink)
        if both:
            _written(ax, canvas.words.percent(share), column, row, -8, fontsize=8, color=ink)


def _written(ax: Axes, text: str, column: float, row: float, up: float = 0, **look: Any) -> None:
    """A number in a cell, so many points above its middle; the layout need not ask hundreds of them for their size."""
    middle: dict[str, Any] = {"ha": "center", "va": "center", "textcoords": "offset points"}
    ax.annotate(text, (column, row), (0, up), **middle, **look).set_in_layout(False)


def _ink(canvas: Canvas, share: float, cmap: Any) -> Any:
    """The colour of a number; on a user's own scale whichever of black and white is farther from the cell."""
    if cmap is None:
        return canvas.theme.ink
    from matplotlib import colormaps

    red, green, blue, _ = colormaps.get_cmap(cmap)(0.0 if np.isnan(share) else float(share))
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"


def counted(canvas: Canvas, count: float) -> str:
    """A number of rows, or their weight, short enough for a cell.

    Ten thousand and more have a letter: 12k, 3.4M.
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= 10 * size or (count >= size and size > 1e3):
            return canvas.words.local(f"{count / size:.3g}{letter}")
    return canvas.words.count(count)


def _margins(canvas: Canvas, ax: Axes, table: Confusion, edge: float) -> None:
    """Row sums to the right and column sums below, with the sum of all in the corner."""
    last = len(table.labels)
    margin = last - 0.5 + edge / 2
    small: dict[str, Any] = {
        "ha": "center", "va": "center", "fontsize": 8.5 if last <= 12 else 7.5, "color": canvas.theme.muted
    }  # fmt: skip
    for at, (row, column) in enumerate(zip(*table.margins, strict=True)):
        ax.text(margin, at, counted(canvas, row), **small)
        ax.text(at, margin, counted(canvas, column), **small)
    ax.text(margin, margin, counted(canvas, float(table.counts.sum())), **small)
    ax.set(xlim=(-0.5, last - 0.5 + edge), ylim=(last - 0.5 + edge, -0.5))


def _dress(canvas: Canvas, ax: Axes, names: list[str], longest: int) -> None:
    """Names beside and below the cells, upright where they would run into each other."""
    size = 9.0 if len(names) <= 12 else 7.0 if len(names) <= 30 else max(4.5, 300 / len(names) + 2)
    flat = longest <= 5 or (len(names) <= 3 and longest <= 11)
    ax.set_xticks(range(len(names)), names, rotation=0 if flat else 90, parse_math=False)
    ax.set_yticks(range(len(names)), names, parse_math=False)
    ax.tick_params(length=0, labelsize=size)
    ax.grid(visible=False)
    for spine in ax.spines.values():
        spine.set_visible(False)
