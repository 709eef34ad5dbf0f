"""The document of a choice of the number of clusters."""

from __future__ import annotations

from typing import Any

from calipers.cached import given
from calipers.report.documents.values import Fields
from calipers.validation.cluster_selection import ClusterSelection, NumberOfClusters

BOUNDS = (-1.0, 1.0)


def contents(result: ClusterSelection) -> dict[str, Any]:
    """Each number of clusters with its silhouette and its stability, and the choice."""
    return {
        "settings": {"pairs": result.pairs, "seed": result.seed, "level": result.level},
        "model": result.model,
        "rows": result.rows,
        "choice": result.choice,
        "best": result.best,
        "stable": list(result.stable),
        "candidates": [
            {"k": c.k, "silhouette": c.silhouette.to_dict(), "stability": c.stability.to_dict()}
            for c in result.candidates
        ],
        "findings": [finding.to_dict() for finding in result.findings],
    }


def restored(fields: Fields) -> ClusterSelection:
    """The result that a document describes."""
    settings = fields.part("settings")
    candidates = tuple(
        NumberOfClusters(part.count("k"), *(part.part(name).estimate(BOUNDS) for name in ("silhouette", "stability")))
        for part in fields.parts("candidates")
    )
    result = ClusterSelection(
        candidates, fields.text("model"), fields.count("rows"), settings.count("pairs"), settings.count("seed"),
        settings.level(),
    )  # fmt: skip
    return given(result, findings=fields.findings())
