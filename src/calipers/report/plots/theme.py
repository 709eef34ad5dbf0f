"""Colours by what they are for. Every colour of a chart is one of these, so that a page can exchange them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from calipers.errors import UnknownName, nearest


@dataclass(frozen=True)
class Theme:
    """The colours of one look. Series also differ by line style and marker, never by colour alone."""

    paper: str
    ink: str
    muted: str
    grid: str
    heat: str
    series: tuple[str, ...]

    def roles(self) -> dict[str, str]:
        """Each colour with the name of its CSS variable: `--cal-ink`, `--cal-1`, ..."""
        plain = {getattr(self, name): f"--cal-{name}" for name in ("paper", "ink", "muted", "grid", "heat")}
        return plain | {color: f"--cal-{i}" for i, color in enumerate(self.series, 1)}

    def css(self) -> str:
        """The variables as declarations for a style sheet.

        >>> THEMES["dark"].css()[:38]
        '--cal-paper:#15181d;--cal-ink:#e6e8eb;'
        """
        return "".join(f"{name}:{color};" for color, name in self.roles().items())

    def rc(self, fonts: tuple[str, ...]) -> Any:
        """The settings of matplotlib while a chart is drawn; they are undone afterwards."""
        return {
            "axes.axisbelow": True,
            "axes.edgecolor": self.muted,
            "axes.facecolor": self.paper,
            "axes.labelcolor": self.ink,
            "axes.titlelocation": "left",
            "axes.titlesize": 11.0,
            "axes.titleweight": "bold",
            "axes.titlepad": 9.0,
            "figure.constrained_layout.h_pad": 0.09,
            "figure.constrained_layout.w_pad": 0.09,
            "figure.facecolor": self.paper,
            "font.family": list(fonts),
            "font.size": 9.0,
            "legend.fontsize": 9.0,
            "legend.frameon": False,
            "text.color": self.ink,
            "text.parse_math": False,  # a label may hold dollar signs
            "text.usetex": False,
        }


# The hues of Okabe and Ito, darkened (or lightened) until text in them has a contrast of 4.5 on its paper. The light
# colours double as the sentinels that `svg` exchanges: paper is not quite white, so that no white of a user's is taken.
THEMES = {
    "light": Theme(
        paper="#fffffe",
        ink="#1f2328",
        muted="#5f6671",
        grid="#d9dde4",
        heat="#0072b3",
        series=("#0072b2", "#b84f00", "#007a59", "#a8447c", "#8a6100", "#57606b"),
    ),
    "dark": Theme(
        paper="#15181d",
        ink="#e6e8eb",
        muted="#a0a7b1",
        grid="#363c45",
        heat="#3d9bd9",
        series=("#56b4e9", "#f0904d", "#3fc79b", "#e79ac6", "#e6b422", "#aab2bd"),
    ),
    "print": Theme(
        paper="#ffffff",
        ink="#000000",
        muted="#4d4d4d",
        grid="#cccccc",
        heat="#333333",
        series=("#010101", "#5e5e5e", "#2e2e2e", "#737373", "#454545", "#6a6a6a"),
    ),
}
LINES = ("-", (0, (5, 1.6)), (0, (1, 1.3)), (0, (6, 1.6, 1, 1.6)), (0, (9, 2)), (0, (3, 1.2, 1, 1.2, 1, 1.2)))
MARKERS = ("o", "s", "^", "D", "v", "P")


def theme(name: str | None) -> Theme:
    """A theme by name; light by default."""
    if name is not None and name not in THEMES:
        raise UnknownName("report.unknown_theme", name=name, near=nearest(str(name), THEMES))
    return THEMES[name or "light"]
