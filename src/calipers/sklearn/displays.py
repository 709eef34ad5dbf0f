"""The displays of `sklearn.metrics`: the charts of Calipers, with bands, behind scikit-learn's names.

    RocCurveDisplay.from_estimator(model, X, y)
    RocCurveDisplay.from_predictions(y, score)

A display has the axes (`ax_`), the figure (`figure_`), the numbers under scikit-learn's names (`fpr`, `tpr`,
`roc_auc`), and the whole evaluation (`evaluation`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from calipers.evaluation.evaluate import evaluate
from calipers.evaluation.evaluation import Evaluation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calipers.choices import EvaluationChart


class Display:
    """A chart of an evaluation. chart: its kind; scored: whether it is drawn from scores, not from labels."""

    chart: ClassVar[EvaluationChart]
    scored: ClassVar[bool] = True
    options: ClassVar[dict[str, Any]] = {}

    def __init__(self, evaluation: Evaluation, name: str | None = None) -> None:
        self.evaluation, self.name, self.pos_label = evaluation, name, evaluation.positive

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
        **chart_options: Any,
    ) -> Self:
        """Draw the chart of predictions: scores, or labels for a confusion matrix."""
        scores = {"score": y_pred} if cls.scored else {"y_pred": y_pred}
        evaluation = evaluate(y_true, weights=sample_weight, positive=pos_label, **scores, **cls.options)
        return cls(evaluation, name).plot(ax, **chart_options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,  # noqa: N803 - scikit-learn's name
        y: Any,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Axes | None = None,
        **chart_options: Any,
    ) -> Self:
        """Draw the chart of a fitted model."""
        from calipers.validation.evaluate_model import evaluate_model

        evaluation = evaluate_model(estimator, X, y, weights=sample_weight, positive=pos_label)
        return cls(evaluation, name or type(estimator).__name__).plot(ax, **chart_options)

    def plot(self, ax: Axes | None = None, **chart_options: Any) -> Self:
        """Draw the chart; chart_options: those of `Evaluation.plot`."""
        self.ax_ = self.evaluation.plot(self.chart, ax, **chart_options)
        self.figure_ = self.ax_.figure
        return self


class RocCurveDisplay(Display):
    """The ROC curve."""

    chart = "roc"

    def __init__(self, evaluation: Evaluation, name: str | None = None) -> None:
        super().__init__(evaluation, name)
        curve = evaluation.curve("roc")
        self.fpr, self.tpr, self.roc_auc = curve["fpr"], curve["tpr"], float(evaluation["roc_auc"])


class PrecisionRecallDisplay(Display):
    """The precision-recall curve."""

    chart = "pr"

    def __init__(self, evaluation: Evaluation, name: str | None = None) -> None:
        super().__init__(evaluation, name)
        curve = evaluation.curve("pr")
        self.precision, self.recall = curve["precision"], curve["recall"]
        self.average_precision = float(evaluation["average_precision"])


class DetCurveDisplay(Display):
    """The DET curve: the miss rate against the false positive rate."""

    chart = "det"

    def __init__(self, evaluation: Evaluation, name: str | None = None) -> None:
        super().__init__(evaluation, name)
        curve = evaluation.curve("det")
        self.fpr, self.fnr = curve["fpr"], curve["fnr"]


class CalibrationDisplay(Display):
    """The calibration curve."""

    chart = "calibration"

    def __init__(self, evaluation: Evaluation, name: str | None = None) -> None:
        super().__init__(evaluation, name)
        curve = evaluation.curve("calibration")
        self.prob_pred, self.prob_true = curve.x, curve.y


class ConfusionMatrixDisplay(Display):
    """The confusion matrix."""

    chart = "confusion"
    scored = False

    def __init__(self, evaluation: Evaluation, name: str | None = None) -> None:
        super().__init__(evaluation, name)
        self.confusion_matrix, self.display_labels = evaluation.confusion.counts, evaluation.labels


class PredictionErrorDisplay(Display):
    """Predicted against true numbers."""

    chart = "predicted"
    scored = False
    options: ClassVar[dict[str, Any]] = {"task": "regression"}
