"""From a measure and the views of the evidence to a value that inference understands."""

from __future__ import annotations

import numpy as np

from calipers.metrics.base import Measure
from calipers.metrics.values import Answer, Without, number
from calipers.metrics.views import Unavailable, Views
from calipers.remarks import Remark


def resolve(measure: Measure, views: Views, index: int | None = None) -> Answer:
    """The value of a measure: of the class at `index`, of the positive class, or over all classes."""
    metric = measure.metric
    try:
        if views.facts.of_numbers != metric.of_numbers:
            other = Remark("metrics.of_numbers") if metric.of_numbers else Remark("metrics.not_of_numbers")
            raise Unavailable(other)
        if views.facts.clustered != metric.view.of_clusters:
            other = Remark("metrics.of_clusters") if metric.view.of_clusters else Remark("metrics.not_of_clusters")
            raise Unavailable(other)
        if views.facts.of_topics != metric.view.of_topics:
            other = Remark("topics.of_topics") if metric.view.of_topics else Remark("topics.not_of_topics")
            raise Unavailable(other)
        with np.errstate(all="ignore"):
            answer = metric.view.value(measure, views, index)
            point = float(number(answer.value))
    except Unavailable as why:
        return Answer(Without(np.nan, why.remark), why.remark, available=False)
    return answer._replace(reason=answer.reason or (metric.undefined if point != point else ""), point=point)
