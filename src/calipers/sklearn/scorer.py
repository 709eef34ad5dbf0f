"""`calipers.scorer`: any metric of the catalogue as a scorer for scikit-learn's `scoring=`."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.arguments import refuse_unknown
from calipers.errors import InputError
from calipers.evaluation.evaluate import OF_ONE_METRIC
from calipers.metrics import named
from calipers.metrics.base import Measure


class Scorer:
    """Scores a fitted model: greater is better, so losses have a minus sign."""

    def __init__(self, measure: Measure, settings: dict[str, Any]) -> None:
        if not measure.metric.better:
            raise InputError("sklearn.cannot_choose", metric=str(measure))
        self.measure, self.settings = measure, settings
        self.sign = 1.0 if measure.metric.better == "higher" else -1.0

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.settings.items())
        return f"calipers.scorer({str(self.measure)!r}{options})"

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:  # noqa: N803
        """The value of the metric for the model's predictions for X."""
        settings = dict(self.settings)
        if sample_weight is not None:
            settings["weights"] = sample_weight
        if self.measure.metric.from_labels and "threshold" not in settings:
            return self._signed(self.measure(y, estimator.predict(X), **settings))
        classes = np.asarray(estimator.classes_).tolist()
        score = _scores(estimator, X, self.measure.metric.probabilities)
        if score.ndim == 2 and score.shape[1] == 2:
            score = score[:, 1]
        settings["labels"] = classes
        if score.ndim == 1 and settings.setdefault("positive", classes[1]) != classes[1]:
            score = 1 - score if self.measure.metric.probabilities else -score
        return self._signed(self.measure(y, score=score, **settings))

    def _signed(self, value: float) -> float:
        """An undefined label metric, as of a fold that never predicts a class, counts as 0, or as the worst loss."""
        if value != value and self.measure.metric.from_labels:
            value = 0.0 if self.sign > 0 else self.measure.metric.worst
        return self.sign * float(value)


def _scores(estimator: Any, rows: Any, probabilities: bool) -> Any:
    """The scores of the model for each class: probabilities if the metric needs them, otherwise margins first."""
    for name in ("predict_proba",) if probabilities else ("decision_function", "predict_proba"):
        if hasattr(estimator, name):
            return np.asarray(getattr(estimator, name)(rows))
    code = "sklearn.no_probabilities" if probabilities else "sklearn.no_scores"
    raise InputError(code, model=type(estimator).__name__)


def scorer(name: str, **settings: Any) -> Scorer:
    """A scorer for `scoring=` of GridSearchCV, cross_val_score and others.

    - name: a metric with a better direction; losses get a minus sign.
    - settings: arguments of `calipers.evaluate`, such as positive= and threshold=.

    >>> scorer("roc_auc"), scorer("fbeta(beta=2)", positive="BAD")
    (calipers.scorer('roc_auc'), calipers.scorer('fbeta(beta=2)', positive='BAD'))
    """
    measure = named(name)
    refuse_unknown("scorer", settings, (*OF_ONE_METRIC, *measure.metric.parameters, "average"))
    return Scorer(measure, settings)
