"""Formulas over all thresholds of one score, of which the best one is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from calipers.errors import UnknownName
from calipers.metrics.conditions import Thresholds, best_of
from calipers.metrics.over.samples import OfSamples
from calipers.metrics.values import Answer, Selected, Value
from calipers.metrics.views import Views

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.resampling.bootstrap import Acceleration, Bootstrap

Array = npt.NDArray[Any]


class OfThresholds(OfSamples, over=Thresholds):
    """The thresholds of the positive class, or of a column of scores; labels alone have none."""

    averaged = False

    def value(self, measure: Measure, views: Views, index: int | None) -> Answer:
        """At the best threshold of one class."""
        if index is None and not views.facts.one_score and views.scored:
            raise UnknownName("metrics.condition_of_one_class", metric=measure.name)
        return super().value(measure, views, index)

    def drawn(self, bootstrap: Bootstrap, measure: Measure, value: Value) -> tuple[Array, Acceleration]:
        """Every sample chooses its own threshold."""
        return bootstrap.of_thresholds(measure, value)

    def symbols(self, measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
        """The four counts at the chosen threshold."""
        value, rule = self.value(measure, views, index).value, best_of(measure)
        if rule is None or not isinstance(value, Selected):
            return {}
        samples = views.samples if index is None else views.class_scores.columns[index]
        of = rule.measure
        return {**samples.at(value.threshold).counts._asdict(), **of.metric.parameters, **of.parameters}
