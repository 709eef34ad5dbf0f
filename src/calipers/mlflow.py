"""Adapter to MLflow: the numbers, the report, the document and the charts of a result, in a run.

    import mlflow, calipers.mlflow

    with mlflow.start_run():
        calipers.mlflow.log(cal.evaluate(y, p))
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calipers.errors import InputError, MissingExtra

if TYPE_CHECKING:
    from calipers.choices import Lang
    from calipers.result import AnyResult

FOLDER = "calipers"  # of the artifacts


def log(
    result: AnyResult,
    *,
    prefix: str = "",
    bounds: bool = True,
    charts: Sequence[str] | None = None,
    folder: str = FOLDER,
    lang: Lang | None = None,
    step: int | None = None,
) -> dict[str, float]:
    """Log a result to the active run of MLflow, or to a new one, and return the metrics that were logged.

    - prefix: the prefix of the names of the metrics: "test_" logs test_roc_auc, test_roc_auc_low, ...
    - bounds: whether to log the bounds of the intervals too.
    - charts: the kinds of the charts to log as PNG (`result.plot`); by default the most informative one, [] for none.
    - folder: where the artifacts go: report.html, result.json, result.md and the charts.
    - lang: the language of the report and the charts.
    """
    try:
        import mlflow  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise MissingExtra("report.no_mlflow") from None
    metrics = {f"{prefix}{name}": value for name, value in result.to_flat_dict(bounds=bounds).items()}
    mlflow.log_metrics(metrics, step=step)
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        for name in ("report.html", "result.json", "result.md"):
            result.save(root / name, lang=lang)
        for kind in [None] if charts is None else charts:
            _draw(result, kind, lang, root)
        mlflow.log_artifacts(place, folder)
    return metrics


def _draw(result: AnyResult, kind: str | None, lang: Lang | None, folder: Path) -> None:
    """Write a chart; a result without charts has none unless one is named."""
    try:
        figure: Any = result.plot(kind, lang=lang).get_figure(root=True)
    except InputError as error:
        if kind is None and error.code == "report.no_chart":
            return
        raise
    from matplotlib import pyplot

    figure.savefig(folder / f"{kind or 'chart'}.png")
    pyplot.close(figure)
