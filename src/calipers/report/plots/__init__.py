"""Charts. A drawing function takes a canvas and a result, asks the result for what it shows, and computes nothing.

Everything a chart needs is asked for before its axes are made, so that what cannot be drawn leaves no empty figure.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from calipers.choices import Lang, Theme
from calipers.comparison.compare import Comparison
from calipers.comparison.folds_and_datasets import DatasetComparison, FoldComparison
from calipers.comparison.trend import Trend
from calipers.decisions.calibrate import Calibration
from calipers.decisions.decision_curve import DecisionCurve
from calipers.errors import InputError, MissingExtra, UnknownName, nearest
from calipers.evaluation.evaluation import Evaluation
from calipers.gating.gate import GateResult
from calipers.remarks import Remark
from calipers.report.language import typeset
from calipers.report.plots.canvas import Canvas
from calipers.report.plots.theme import theme as theme_of
from calipers.tasks import REGRESSION
from calipers.validation.bias_variance import BiasVariance
from calipers.validation.bootstrap_validation import BootstrapValidation
from calipers.validation.cluster_selection import ClusterSelection
from calipers.validation.cross_validation import Validation
from calipers.validation.curves import LearningCurve, ValidationCurve
from calipers.validation.selection import Selection

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.result import AnyResult

# What can be drawn of what, and where the drawing function is.
KINDS: dict[type, dict[str, str]] = {
    Evaluation: {
        "roc": "curves:roc",
        "pr": "curves:pr",
        "confusion": "matrix:confusion",
        "calibration": "scores:calibration",
        "scores": "scores:scores",
        "thresholds": "scores:thresholds",
        "decision": "decisions:of_evaluation",
        "gain": "curves:gain",
        "lift": "curves:lift",
        "det": "curves:det",
        "intervals": "forest:intervals",
        "residuals": "numbers:residuals",
        "predicted": "numbers:predicted",
        "errors": "numbers:errors",
        "contingency": "clusters:contingency",
        "silhouette": "clusters:silhouette",
        "exposure": "recommendations:exposure",
        "topics": "topics:topics",
    },
    Comparison: {
        "difference": "forest:difference",
        "intervals": "forest:models",
        "roc": "comparison:roc",
        "pr": "comparison:pr",
        "calibration": "comparison:calibration",
        "scores": "comparison:scores",
    },
    DatasetComparison: {"critical_difference": "comparison:critical_difference"},
    FoldComparison: {"difference": "forest:over_folds"},
    Calibration: {"calibration": "decisions:calibration", "map": "decisions:map_of"},
    DecisionCurve: {"decision": "decisions:decision", "difference": "decisions:difference"},
    GateResult: {"checks": "forest:checks"},
    Validation: {"folds": "folds:folds", "roc": "folds:roc", "pr": "folds:pr"},
    BootstrapValidation: {"intervals": "forest:resampled"},
    Selection: {"intervals": "forest:candidates"},
    ClusterSelection: {"n_clusters": "clusters:n_clusters"},
    LearningCurve: {"learning": "sweeps:learning"},
    ValidationCurve: {"validation": "sweeps:validation"},
    BiasVariance: {"parts": "sweeps:parts"},
    Trend: {"trend": "trends:trend"},
}
NEEDED = {"roc": "roc_auc"}  # the metric without which a usual chart cannot be drawn


def plot(
    result: AnyResult,
    kind: str | None = None,
    ax: Axes | None = None,
    *,
    lang: Lang | None = None,
    theme: Theme | None = None,
    **how: Any,
) -> Axes:
    """Draw a chart of a result into axes, or into a new figure of pyplot, and return the axes."""
    kind = usual(result) if kind is None else kind
    draw = function(type(result), kind, how, fitting(result))
    fit(result, kind)
    with drawing(ax, lang, theme) as canvas:
        return draw(canvas, result, **how)


def usual(result: AnyResult) -> str:
    """The chart that says most about a result."""
    kinds = kinds_of(type(result))
    if not kinds:
        raise InputError("report.no_chart", name=type(result).__name__)
    if not isinstance(result, Evaluation):
        return next(iter(kinds))
    kind, otherwise = result.schema.facts.usual_charts
    measured = kind not in NEEDED or NEEDED[kind] in result
    return kind if result.is_live and measured else otherwise  # what a document holds is not enough for a curve


def kinds_of(result: type) -> Mapping[str, str]:
    """The kinds of charts of such a result, and where they are drawn."""
    return next((known for of, known in KINDS.items() if issubclass(result, of)), {})


def fitting(result: AnyResult) -> tuple[str, ...]:
    """The kinds of charts of a result that are of its task."""
    if isinstance(result, Evaluation):
        return result.schema.facts.charts
    kinds = tuple(kinds_of(type(result)))
    if isinstance(result, Validation):
        return tuple(kind for kind in kinds if kind == "folds" or kind in result.problem.facts.charts)
    return kinds


def fit(result: AnyResult, kind: str) -> None:
    """Refuse a chart that is not of this task, and say which are."""
    kinds, task = fitting(result), getattr(result, "task", "")
    if kind in kinds:
        return
    if isinstance(result, Validation):
        raise InputError("report.chart_of_classes_over_folds", kind=kind, task=task)
    code = "report.chart_of_numbers" if kind in REGRESSION.charts else "report.chart_of_classes"
    raise InputError(code, kind=kind, task=task, kinds=kinds)


def function(result: type, kind: str, how: Mapping[str, Any], fitting: Sequence[str] = ()) -> Callable[..., Axes]:
    """The function that draws a kind of chart of such a result; what it does not take is refused with what it does.

    fitting: the kinds to choose from, where fewer than those of the type.
    """
    kinds = kinds_of(result)
    if not kinds:
        raise InputError("report.no_chart", name=result.__name__)
    if kind not in kinds:
        name, other = result.__name__, next((of.__name__ for of, known in KINDS.items() if kind in known), None)
        one = Remark("report.an" if name[0] in "AEIOU" else "report.a", name=name)
        if other is None:
            raise UnknownName("report.unknown_chart", result=one, kind=kind, kinds=list(fitting or kinds))
        raise UnknownName("report.chart_of_another", result=one, kind=kind, other=other, kinds=list(fitting or kinds))
    module, _, name = kinds[kind].partition(":")
    _required()
    draw: Callable[..., Axes] = getattr(import_module(f"{__name__}.{module}"), name)
    taken = [p.name for p in inspect.signature(draw).parameters.values() if p.kind is p.KEYWORD_ONLY]
    for option in how:
        if option not in taken and not taken:
            raise InputError("report.no_chart_options", kind=kind, option=option)
        if option not in taken:
            near = nearest(option, taken)
            raise InputError("report.unknown_chart_option", kind=kind, option=option, near=near, options=taken)
    return draw


def _required() -> None:
    try:
        import matplotlib  # noqa: F401 - only whether it is there
    except ImportError:
        raise MissingExtra("report.needs_matplotlib") from None


@contextmanager
def drawing(
    ax: Axes | None,
    lang: Lang | None,
    theme: Theme | None,
    onto: Callable[[float, float], Axes] | None = None,
    *,
    text_as_text: bool = False,
    narrow: bool = False,
) -> Iterator[Canvas]:
    """A canvas; while it is in use, matplotlib has the colours and fonts of the theme.

    onto: makes the axes where pyplot shall not. text_as_text: the reader's own fonts will show it, so none is missed.
    """
    look, words = theme_of(theme), typeset(lang)
    _required()
    import matplotlib as mpl

    from calipers.report.plots import fonts

    used: list[Axes] = []

    def axes(width: float, height: float) -> Axes:
        used.append(ax if ax is not None else (onto or _figure)(width, height))
        return used[0]

    if ax is None and onto is None:
        _load_backend()
    names = fonts.families()
    with mpl.rc_context(look.rc(names)):
        yield Canvas(look, words, names, axes, narrow)
        for panel in used[0].figure.axes if used else ():
            for axis in (panel.xaxis, panel.yaxis):
                axis.get_majorticklabels()  # create the tick labels now, with our settings
    if used and not text_as_text:
        fonts.warn(_texts(used[0]), names, words)


def _load_backend() -> None:
    """Let pyplot load its backend now: that sets how figures are shown, which rc_context would undo at its end."""
    from matplotlib import pyplot

    pyplot.draw_if_interactive()  # type: ignore[no-untyped-call]


def _figure(width: float, height: float) -> Axes:
    """Axes in a new figure of pyplot, which notebooks show."""
    from matplotlib import pyplot

    axes: Axes = pyplot.subplots(figsize=(width, height), layout="constrained")[1]
    return axes


def _texts(ax: Axes) -> list[str]:
    from matplotlib.text import Text

    return [text.get_text() for text in ax.findobj(Text) if isinstance(text, Text)]
