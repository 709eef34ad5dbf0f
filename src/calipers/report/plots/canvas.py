"""What a drawing function receives: colours, texts, and axes of the size that it needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calipers import numerals
from calipers.inference.estimate import Estimate
from calipers.report.plots.theme import LINES, MARKERS, Theme
from calipers.report.terminal import distinct_labels, escape_label, fitted, width, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.report.language import Language

BAND, SQUARE, WIDE = 0.16, (4.9, 4.7), (6.4, 4.0)
POINTS = 400  # of a curve: two pixels apart where a chart is printed large
TITLE = 10  # columns of a title in an inch
LABEL, NARROW = 22, 24  # columns of a label beside a line, and of one that leaves room for another


@dataclass(frozen=True)
class Canvas:
    """A theme, a language, fonts, and where to draw: `onto(width, height)` gives the axes."""

    theme: Theme
    words: Language
    fonts: tuple[str, ...]
    onto: Callable[[float, float], Axes]
    narrow: bool = False  # for a column of a page: no wider than a square chart, names below in two columns

    def say(self, key: str, **values: Any) -> str:
        """A text of the charts; what a user wrote is made harmless on its way in."""
        return self.words.say(f"plots.{key}", **values)

    def label(self, value: object, columns: int = LABEL) -> str:
        """A label of the user, in one visible line of at most this number of columns."""
        return fitted(escape_label(value), columns)

    def labels(self, values: Iterable[object], columns: int = LABEL) -> list[str]:
        """Labels beside each other, which stay different when they are shortened."""
        return distinct_labels(values, columns)

    def estimate(self, e: Estimate) -> str:
        """A value with its interval, as far as there is one."""
        if math.isnan(e):
            return self.say("undefined")
        if math.isnan(e.low):
            return self.words.number(e)
        value, low, high = e.shown()
        return f"{self.words.local(value)} {self.words.interval(low, high)}"

    def signed(self, value: float, low: float, high: float) -> str:
        """A difference with its interval, signs shown."""
        middle, *ends = numerals.interval(value, low, high, sign=True)
        if math.isnan(low):
            return self.words.local(middle)
        return f"{self.words.local(middle)} {self.words.interval(*ends)}"

    def line(self, index: int, width: float = 1.8) -> dict[str, Any]:
        """How the line of a series looks; lines also differ by their dashes."""
        color = self.theme.series[index % len(self.theme.series)]
        return {"color": color, "linestyle": LINES[index % len(LINES)], "linewidth": width}

    def dot(self, index: int, size: float = 6) -> dict[str, Any]:
        """How the points of a series look."""
        color = self.theme.series[index % len(self.theme.series)]
        return {"color": color, "marker": MARKERS[index % len(MARKERS)], "markersize": size, "linestyle": "none",
                "markeredgecolor": self.theme.paper}  # fmt: skip

    @property
    def aside(self) -> dict[str, Any]:
        """How a line of reference looks: chance, no difference, a threshold."""
        return {"color": self.theme.muted, "linestyle": (0, (2, 2)), "linewidth": 1.0, "zorder": 1.5}

    def axes(self, size: tuple[float, float], title: str, x: str = "", y: str = "") -> Axes:
        """The axes, dressed, with a title and the names of both axes."""
        ax = self.onto(min(size[0], SQUARE[0]) if self.narrow else size[0], size[1])
        self.style_axes(ax)
        inches = ax.get_position().width * ax.figure.get_size_inches()[0]  # type: ignore[union-attr]
        ax.set_title("\n".join(wrapped(title, int(TITLE * inches), "")))
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        return ax

    def style_axes(self, ax: Axes) -> None:
        """Give axes the colours and fonts of the theme; ticks that are made later have them too."""
        ax.set_facecolor(self.theme.paper)
        for side, spine in ax.spines.items():
            spine.set_visible(side in ("left", "bottom"))
            spine.set_color(self.theme.muted)
        ax.tick_params(which="both", color=self.theme.muted, labelcolor=self.theme.ink, labelsize=8.5,
                       labelfontfamily=list(self.fonts))  # fmt: skip
        ax.grid(visible=True, color=self.theme.grid, linewidth=0.6)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(axis_numbers(self.words))

    def share_axes(self, ax: Axes) -> None:
        """Both axes from 0 to 1, of the same length."""
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")

    def legend(self, ax: Axes, where: str, **more: Any) -> None:
        """The names of the lines, inside the axes where there is room, on the paper's own colour."""
        look: dict[str, Any] = {"handlelength": 2.4, "borderaxespad": 0.6, "frameon": True, "framealpha": 0.86}
        look |= {"facecolor": self.theme.paper, "edgecolor": "none", "alignment": "left", "loc": where}
        legend = ax.legend(**{**look, **more})
        legend.set_zorder(4)
        legend.get_title().set_color(self.theme.muted)

    def legend_below(self, ax: Axes, columns: int, **more: Any) -> None:
        """The names of the lines under the axes, where they cannot cover anything."""
        if self.narrow:
            handles = more.get("handles") or ax.get_legend_handles_labels()[0]
            columns = 1 if max(width(str(h.get_label())) for h in handles) > NARROW else min(columns, 2)
        self.legend(ax, "upper center", bbox_to_anchor=(0.5, -0.13), ncol=columns, **more)


def axis_numbers(words: Language, *, unsigned: bool = False) -> Any:
    """Numbers on an axis, in one notation and with the decimal mark of the language; unsigned: how far from 0."""
    from matplotlib.ticker import Formatter

    class Numbers(Formatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return str(self.format_ticks([x])[0])

        def format_ticks(self, values: Sequence[float]) -> list[str]:
            texts = numerals.ticks([abs(x) for x in values] if unsigned else list(values))
            return [words.local(text) for text in texts]

    return Numbers()
