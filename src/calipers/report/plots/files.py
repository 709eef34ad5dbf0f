"""Charts as figures, and as the bytes of files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from calipers.choices import Lang, Theme
from calipers.errors import InputError
from calipers.report.plots import drawing, fit, fitting, function
from calipers.report.plots.svg import svg

FORMATS = (".png", ".svg", ".pdf")
DPI = 150


def format_of(path: str) -> str:
    """What kind of file a name asks for."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError("report.not_a_picture", path=path, known=FORMATS)
    return suffix


def figure(
    result: Any, kind: str, *, lang: Lang | None = None, theme: Theme | None = None, text_as_text: bool = False,
    narrow: bool = False, **how: Any,
) -> Any:  # fmt: skip
    """A chart as a figure that is not registered with pyplot; narrow: for a page, which gives it a box of its own."""
    draw = function(type(result), kind, how, fitting(result))
    fit(result, kind)
    from matplotlib.figure import Figure

    def onto(width: float, height: float) -> Any:
        return Figure(figsize=(width, height), layout=None if narrow else "constrained").subplots()

    with drawing(None, lang, theme, onto, text_as_text=text_as_text, narrow=narrow) as canvas:
        return draw(canvas, result, **how).figure


def rendered(
    result: Any, kind: str, suffix: str, *, lang: Lang | None = None, theme: Theme | None = None, dpi: int = DPI,
    **how: Any,
) -> bytes:  # fmt: skip
    """The bytes of a chart's file."""
    fig = figure(result, kind, lang=lang, theme=theme, text_as_text=suffix == ".svg", **how)
    if suffix == ".svg":
        return ('<?xml version="1.0" encoding="utf-8"?>\n' + svg(fig, variables=False) + "\n").encode()
    import matplotlib as mpl

    buffer = io.BytesIO()
    undated = {"Software": None} if suffix == ".png" else {"CreationDate": None}
    with mpl.rc_context({"pdf.fonttype": 42}):
        fig.savefig(buffer, format=suffix[1:], dpi=dpi, metadata=undated)
    return buffer.getvalue()
