"""Charts of a page: one plot box for all of them, and their legends as lists beside the pictures.

A legend inside a picture makes its plot smaller than that of its neighbour, and is shrunk with it on a phone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from calipers.report.plots.theme import THEMES

# Inches. The picture is as wide as a phone's column, so that its text has about the size of the page's.
WIDE, BOX, RIGHT, BOTTOM, TOP = 4.0, 3.22, 0.12, 0.56, 0.1
EDGE = 0.03  # inches between names and the edge of the picture
SMALLEST = 9.6  # points of text: 11.6 pixels where a picture is 350 pixels wide
MARKS = {
    "o": "M18 6a4 4 0 1 1-8 0a4 4 0 1 1 8 0z", "s": "M10.5 2.5h7v7h-7z", "^": "M14 2l4.5 8h-9z",
    "D": "M14 1.5l4.5 4.5-4.5 4.5-4.5-4.5z", "v": "M14 10l4.5-8h-9z",
}  # fmt: skip
CROSS = "M12.5 2h3v2.5h2.5v3h-2.5v2.5h-3v-2.5h-2.5v-3h2.5z"


class Key(NamedTuple):
    """An entry of a legend: a picture of its line, point or area, and its name."""

    swatch: Any
    text: str


class Legend(NamedTuple):
    """What the entries are, and the entries."""

    title: str
    keys: tuple[Key, ...]


def taken(fig: Any) -> Legend | None:
    """The legend of a figure, which loses it."""
    legend = next((found for ax in fig.axes if (found := ax.get_legend()) is not None), None)
    if legend is None:
        return None
    texts = [text.get_text() for text in legend.get_texts()]
    keys = tuple(Key(_swatch(h), text) for h, text in zip(legend.legend_handles, texts, strict=True))
    title = legend.get_title().get_text()
    legend.remove()
    return Legend(title if title != "None" else "", keys)


def boxed(fig: Any) -> None:
    """Give a figure the plot box that all charts of a page have, and text that can be read on a phone."""
    from matplotlib.text import Text

    ax = fig.axes[0]
    height = BOX + BOTTOM + TOP
    fig.set_size_inches(WIDE, height)
    ax.set_position([(WIDE - RIGHT - BOX) / WIDE, BOTTOM / height, BOX / WIDE, BOX / height])
    ax.set_aspect("auto")  # the box is square: equal ends are enough
    if _plain(ax):
        ax.locator_params(nbins=5)
    for text in fig.findobj(Text):
        if text.get_fontsize() < SMALLEST:
            text.set_fontsize(SMALLEST)
    for one in fig.axes:
        one.tick_params(labelsize=SMALLEST)
    _with_room(fig, ax)


def _with_room(fig: Any, ax: Any) -> None:
    """Room for names and long numbers: a narrower box beside them, a higher picture above them."""
    around, (wide, high) = ax.get_tightbbox(), fig.get_size_inches()
    left, below = (max(0.0, EDGE - start / fig.dpi) for start in (around.x0, around.y0))
    right = max(0.0, EDGE + around.x1 / fig.dpi - wide)
    box = ax.get_position()
    fig.set_size_inches(wide, high + below)
    ax.set_position([box.x0 + left / wide, (box.y0 * high + below) / (high + below),
                     box.width - (left + right) / wide, box.height * high / (high + below)])  # fmt: skip


def _plain(ax: Any) -> bool:
    """Whether the places of ticks on both axes are matplotlib's own choice."""
    from matplotlib.ticker import AutoLocator

    return all(type(axis.get_major_locator()) is AutoLocator for axis in (ax.xaxis, ax.yaxis))


def _swatch(handle: Any) -> Any:
    """A small picture of a line, a point or an area, in colours that follow the reader's theme."""
    from markupsafe import Markup
    from matplotlib.lines import Line2D

    parts = []
    if isinstance(handle, Line2D):
        color = _color(handle.get_color())
        if handle.get_linestyle() not in ("None", "none", ""):
            dashes = _dashes(handle)
            parts.append(
                f'<path d="M0 6h28" stroke="{color}" stroke-width="{handle.get_linewidth():.2g}"{dashes} '
                f'opacity="{handle.get_alpha() or 1:.2g}"/>'
            )
        if handle.get_marker() not in ("None", "none", "", None):
            parts.append(f'<path d="{MARKS.get(str(handle.get_marker()), CROSS)}" fill="{color}"/>')
    else:
        from matplotlib.colors import to_hex

        face = handle.get_facecolor()
        face = face[0] if getattr(face, "ndim", 1) == 2 else face
        parts.append(
            f'<path d="M2 1h24v10h-24z" fill="{_color(to_hex(face))}" fill-opacity="{face[3]:.2g}" '
            f'stroke="var(--cal-grid)"/>'
        )
    return Markup(f'<svg width="28" height="12" aria-hidden="true" focusable="false">{"".join(parts)}</svg>')


def _dashes(handle: Any) -> str:
    """The dashes of a line as SVG has them."""
    offset_and_pattern = handle._unscaled_dash_pattern  # the public getter says only that there are some
    pattern = offset_and_pattern[1]
    if not pattern:
        return ""
    wide = max(handle.get_linewidth(), 1.0)
    return f' stroke-dasharray="{" ".join(f"{wide * x:.3g}" for x in pattern)}"'


def _color(color: Any) -> str:
    from matplotlib.colors import to_hex

    text = to_hex(color)
    role = THEMES["light"].roles().get(text)
    return text if role is None else f"var({role})"
