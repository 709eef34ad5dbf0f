"""Clusters: do they agree with the classes, and are they apart?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from calipers.answers.base import Card
from calipers.answers.classes import group_of

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation


def cards(ev: Evaluation) -> Iterator[Card]:
    """Agreement with the classes and separation of the clusters, as far as they were measured and asked for."""
    asked = {group_of(measure.metric) for measure in ev.listed if measure.metric.better}
    if "agreement" in asked and ev.schema.predicted:
        yield from _agreement(ev)
    if "separation" in asked:
        yield from _separation(ev)


def _agreement(ev: Evaluation) -> Iterator[Card]:
    """The adjusted Rand index against 0, which random clusters have on average."""
    index = ev["adjusted_rand"]
    if math.isnan(index) or math.isnan(index.low):
        return
    above = "perfect" if float(index) == 1 else "better"
    code = above if index.low > 0 else "worse" if index.high < 0 else "open"
    yield Card("agreement", code, "adjusted_rand", index, mark=0.0)


def _separation(ev: Evaluation) -> Iterator[Card]:
    """The silhouette, and how many rows are closer to another cluster."""
    geometry, value = ev.views.geometry if ev.is_live else None, ev["silhouette"]
    if geometry is None or math.isnan(value):
        return
    below = int(np.count_nonzero(geometry.silhouettes < 0))
    yield Card("separation", "measured", "silhouette", value, numbers={"below": below, "points": len(geometry.of)})
