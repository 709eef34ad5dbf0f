"""How an evaluation is shown: as every result, and with its worst rows where a reader asks for them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Literal, cast

from calipers.choices import CurveKind, EvaluationChart, Lang
from calipers.result import Result

if TYPE_CHECKING:
    import pandas as pd

    from calipers.evaluation.evaluation import Evaluation
    from calipers.evaluation.worst_rows import WorstRows


class ShownWithRows(Result[EvaluationChart]):
    """The outputs of a result that has rows; rows=20 adds the 20 worst ones, and no output has any without it."""

    def worst_rows(self, n: int = 10) -> WorstRows:
        """The n rows with the largest loss, and of a ranking the queries: where they are, truth, prediction, score,
        loss, slices and the columns of the frame (guide "Worst rows").

        >>> import calipers as cal
        >>> cal.evaluate(["a", "b", "b"], ["a", "a", "b"]).worst_rows()["row"]
        (1,)
        """
        from calipers.evaluation.worst_rows import worst_rows

        return worst_rows(cast("Evaluation", self), n)

    def to_frame(self, part: Literal["metrics", "confusion"] | CurveKind = "metrics", **options: Any) -> pd.DataFrame:
        """A table as a pandas frame: the metrics with classes and slices, the confusion matrix ("confusion"), or a
        curve ("roc", "pr", "calibration", "sweep", ...), with the options of `curve`.
        """
        evaluation = cast("Evaluation", self)
        if part == "metrics":
            return super().to_frame()
        return evaluation.confusion.to_frame() if part == "confusion" else evaluation.curve(part, **options).to_frame()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "kept": None}  # rows stay in the process that has them

    def _asked(self, rows: int | None) -> WorstRows | None:
        return None if rows is None else self.worst_rows(rows)

    def to_dict(self, *, rows: int | None = None) -> dict[str, Any]:
        """The document: plain values that JSON can hold. rows: how many of the worst rows it has, else none."""
        from calipers.report import documents

        return documents.to_dict(self, self._asked(rows))

    def to_json(self, indent: int | None = None, *, rows: int | None = None) -> str:
        """The document as JSON; NaN is null. rows: as in `to_dict`."""
        return json.dumps(self.to_dict(rows=rows), indent=indent, ensure_ascii=False, allow_nan=False)

    def to_text(self, lang: Lang | None = None, *, rows: int | None = None) -> str:
        """The report as plain text. rows: the number of worst rows to include."""
        from calipers.report import rendering

        return rendering.to_text(self, lang, self._asked(rows))

    def to_markdown(self, lang: Lang | None = None, *, rows: int | None = None) -> str:
        """The report as Markdown. rows: the number of worst rows to include."""
        from calipers.report import rendering

        return rendering.to_markdown(self, lang, self._asked(rows))

    def to_html(self, lang: Lang | None = None, *, rows: int | None = None) -> str:
        """The report as a piece of HTML. rows: the number of worst rows to include."""
        from calipers.report import rendering

        return rendering.to_html(self, lang, self._asked(rows))

    def to_latex(self, lang: Lang | None = None, *, rows: int | None = None) -> str:
        """The tables of the report as LaTeX. rows: the number of worst rows to include."""
        from calipers.report import rendering

        return rendering.to_latex(self, lang, self._asked(rows))

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        lang: Lang | None = None,
        title: str | None = None,
        rows: int | None = None,
    ) -> None:
        """Write the result; the ending of the name decides what is written (see `Result.save`).

        rows: with so many of the worst rows, in a page, .json, .md, .tex or .txt.
        """
        from calipers.report import saving

        saving.save(self, path, lang=lang, title=title, rows=self._asked(rows))
