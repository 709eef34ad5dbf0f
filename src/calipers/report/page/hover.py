"""What a chart says under the pointer and on focus: invisible points along its lines, each with its numbers as a title.

The script of the page lets arrow keys go from point to point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from calipers.report.language import Language

MOST, LEAST, NAME = 60, 6, 64  # points of a chart, of each of its lines at least, columns of a line's name


def points(fig: Any, words: Language) -> str:
    """The points of all lines that the legend names, in the units of the picture; matplotlib counts from below."""
    from markupsafe import escape

    from calipers.report.terminal import fitted

    ax = fig.axes[0]
    lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
    lines = [line for line in lines if len(line.get_xdata()) not in (0, 2, 3)]  # lines of reference have two points
    if not lines:
        return ""
    each, scale, height = max(LEAST, MOST // len(lines)), 72 / fig.dpi, fig.get_size_inches()[1] * 72
    colon, comma, parts = words.say("report.colon"), words.say("report.separator"), []
    for line in lines:
        x, y = (np.asarray(data, float) for data in (line.get_xdata(), line.get_ydata()))
        name = fitted(str(line.get_label()).split("  ")[0], NAME)
        known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
        for at in known[np.unique(np.linspace(0, len(known) - 1, min(each, len(known))).round().astype(int))].tolist():
            here, up = float(x[at]), float(y[at])
            left, below = ax.transData.transform((here, up)) * scale
            place = words.number(here) if ax.fmt_xdata is None else ax.fmt_xdata(here)
            said = f"{name}{colon}{ax.get_xlabel()} {place}{comma}{ax.get_ylabel()} {words.number(up)}"
            centre = f'cx="{left:.1f}" cy="{height - below:.1f}"'
            parts.append(f'<circle {centre} r="6"><title>{escape(said)}</title></circle>')
    return f'<g class="points" fill="none" pointer-events="all">{"".join(parts)}</g>'
