"""The Lorenz curve of exposure: how few items get how much of the recommendations."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.errors import InputError
from calipers.evaluation.curve import Curve
from calipers.metrics.exposures import Exposures
from calipers.statistics.combine import Evidence
from calipers.statistics.recommended import RecommendedLists

POINTS = 500


def curve(kind: str, evidence: Evidence, *, k: float = 10, points: int = POINTS, **unknown: Any) -> Curve:
    """Columns items_share (of the catalogue, least recommended first) and exposure (share of the recommendations)."""
    lists = evidence.get(RecommendedLists)
    if kind != "exposure" or lists is None or unknown:
        raise InputError("recommendation.other_curve", kind=kind)
    counts = np.sort(Exposures(lists.first(k)).counts)
    total = np.concatenate(([0], np.cumsum(counts)))
    columns = {"items_share": np.arange(len(total)) / len(counts), "exposure": total / max(total[-1], 1)}
    return Curve(kind, columns, "items_share", "exposure").thinned(points)
