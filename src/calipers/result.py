"""The methods of every result: show, save, draw, and convert to plain data.

What a result looks like is described once in `calipers.report`, for all formats; so is its document. Imports
flow from rows to reports, and this module is where results call the other way: inside its methods, so that a program
that prints nothing imports no report.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    import os

    import pandas as pd
    from matplotlib.axes import Axes

    from calipers.choices import Lang, Theme


Chart = TypeVar("Chart", bound=str)


class Result(Generic[Chart]):
    """The base class of all results. kind: the kind of the result, as in its document.

    Chart: the names of its charts, for type checkers.
    """

    kind: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """The document: plain values that JSON can hold, never a row of the data; `calipers.loads` reads its JSON."""
        from calipers.report import documents

        return documents.to_dict(self)

    def to_json(self, indent: int | None = None) -> str:
        """The document as JSON; NaN is null."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_text(self, lang: Lang | None = None) -> str:
        """The report as plain text, 80 columns wide; lang: "en", "vi" or "zh" (guide "Languages")."""
        from calipers.report import rendering

        return rendering.to_text(self, lang)

    def to_markdown(self, lang: Lang | None = None) -> str:
        """The report as Markdown, findings first, for pull requests and wikis."""
        from calipers.report import rendering

        return rendering.to_markdown(self, lang)

    def to_html(self, lang: Lang | None = None) -> str:
        """The report as a piece of HTML without scripts, as notebooks show it."""
        from calipers.report import rendering

        return rendering.to_html(self, lang)

    def to_latex(self, lang: Lang | None = None) -> str:
        """The tables of the report as LaTeX, for papers; they need the package booktabs."""
        from calipers.report import rendering

        return rendering.to_latex(self, lang)

    def to_frame(self) -> pd.DataFrame:
        """The main table as a pandas frame."""
        from calipers.report import frame

        return frame.to_frame(self)

    def to_flat_dict(self, sep: str = "_", *, bounds: bool = True) -> dict[str, float]:
        """The numbers of the main table in one dict, with names that experiment trackers accept: roc_auc, roc_auc_low,
        roc_auc_high, region_north_recall. Undefined numbers are left out. bounds: whether to include the bounds of the
        intervals.
        """
        from calipers.report import flat

        return flat.to_flat_dict(self, sep, bounds=bounds)

    def plot(
        self,
        kind: Chart | None = None,
        ax: Axes | None = None,
        *,
        lang: Lang | None = None,
        theme: Theme | None = None,
        **options: Any,
    ) -> Axes:
        """Draw a chart with matplotlib and return its axes (guide "Charts").

        kind: the chart; by default the most informative one. ax: axes to draw into. lang: en, vi or zh. theme: light,
        dark or print. options: the options of this kind of chart.
        """
        from calipers.report import plots

        return plots.plot(self, kind, ax, lang=lang, theme=theme, **options)

    def save(self, path: str | os.PathLike[str], *, lang: Lang | None = None, title: str | None = None) -> None:
        """Write the result to a file; the extension of the name chooses the format.

        .html: the HTML report. .json: the document. .csv: the table. .md: Markdown. .tex: LaTeX. .txt: text. lang: en,
        vi or zh. title: the title of the HTML report (guide "HTML report").
        """
        from calipers.report import saving

        saving.save(self, path, lang=lang, title=title)

    def __repr__(self) -> str:
        from calipers.report import rendering, terminal

        return rendering.to_text(self, columns=terminal.columns())

    def _repr_html_(self) -> str:
        return self.to_html()


AnyResult: TypeAlias = Result[Any]
