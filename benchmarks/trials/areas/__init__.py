"""The areas of the trials: which populations each has, and how many samples of each are drawn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from trials.areas import (
    auc,
    bands,
    calibration,
    classes,
    classification,
    clusters,
    compare,
    folds,
    groups,
    losses,
    methods,
    named,
    ranking,
    recommendations,
    regression,
    tests,
    topics,
    trend,
    weights,
)
from trials.cells import Trial


@dataclass(frozen=True)
class Area:
    """A part of `make coverage` that can be run alone."""

    title: str
    parts: Callable[[], Mapping[str, Sequence[Trial]]]
    samples: int = 4_000
    asked_only: bool = False


def held_out() -> Mapping[str, Sequence[Trial]]:
    from trials.held_out import PARTS

    return PARTS


AREAS = {
    "classification": Area("Classes and scores", classification.parts),
    "classes": Area("Many classes", classes.parts),
    "bands": Area("Bands", bands.parts),
    "auc": Area("AUC close to 1", auc.parts),
    "groups": Area("Rows in groups", groups.parts),
    "weights": Area("Weights", weights.parts),
    "losses": Area("Losses and calibration", losses.parts),
    "calibration": Area("Calibration, thresholds and net benefit", calibration.parts, 1_000),
    "clusters": Area("Clusters", clusters.parts, 1_000),
    "topics": Area("Topics in texts", topics.parts, 200),
    "regression": Area("Regression", regression.parts),
    "ranking": Area("Means over queries", ranking.parts),
    "recommendations": Area("Recommendations", recommendations.parts),
    "folds": Area("Models over folds", folds.parts),
    "compare": Area("Comparisons", compare.parts),
    "tests": Area("Tests by name", tests.parts),
    "trend": Area("Different rows and periods", trend.parts),
    "methods": Area("Other methods", methods.parts, 500),
    "named": Area("Methods that papers name", named.parts),
    "held-out": Area("Held-out populations", held_out, asked_only=True),
}
