"""The documents of comparisons over folds and over data sets."""

from __future__ import annotations

import math
from typing import Any

from calipers.comparison.folds_and_datasets import DatasetComparison, FoldComparison
from calipers.inference.folds import Rope
from calipers.remarks import Remark, plain, with_codes
from calipers.report.documents.values import SHARE, Fields, demand, outcome_values


def contents_of_folds(comparison: FoldComparison) -> dict[str, Any]:
    """The difference with its interval, the test, and what both come to."""
    names = ("difference", "low", "high", "pvalue", "method", "winner", "verdict", "folds")
    probabilities = comparison.probabilities
    return {
        "settings": {"level": comparison.level},
        **with_codes({name: getattr(comparison, name) for name in names}),
        "test": outcome_values(comparison.test),
        "probabilities": None if probabilities is None else probabilities._asdict(),
    }


def restored_of_folds(fields: Fields) -> FoldComparison:
    """The comparison over folds that a document describes."""
    difference, low, high = (fields.number(name, null=True) for name in ("difference", "low", "high"))
    demand(not low > high, fields.where or "low", [low, high], Remark("report.bounds_in_order"))
    level, test = fields.part("settings").level(), fields.part("test").outcome()
    probabilities = None
    if fields.value("probabilities") is not None:
        part = fields.part("probabilities")
        probabilities = Rope(*(part.number(name, SHARE) for name in Rope._fields))
    return FoldComparison(difference, low, high, level, test, fields.count("folds"), probabilities)


def contents_of_datasets(comparison: DatasetComparison) -> dict[str, Any]:
    """Mean ranks, the test that all are equal, and the pairs."""
    return {
        "settings": {"level": comparison.level, "method": comparison.method},
        "ranks": dict(comparison.ranks),
        "overall": outcome_values(comparison.overall),
        "friedman": outcome_values(comparison.friedman),
        "critical_difference": plain(comparison.critical_difference),
        "pairs": [{"first": a, "second": b, "pvalue": plain(p)} for (a, b), p in comparison.pairs.items()],
        "sets": comparison.sets,
    }


def restored_of_datasets(fields: Fields) -> DatasetComparison:
    """The comparison over data sets that a document describes."""
    settings, ranks = fields.part("settings"), fields.part("ranks")
    between = (1.0, max(1.0, float(len(ranks.values))))
    means = {name: ranks.number(name, between) for name in ranks.values}
    demand(len(means) > 1, "ranks", dict(ranks.values), Remark("report.two_models"))
    pairs = {}
    for pair in fields.parts("pairs"):
        names = pair.choice("first", tuple(means)), pair.choice("second", tuple(means))
        pairs[names] = pair.number("pvalue", SHARE, null=True)
    return DatasetComparison(
        means,
        fields.part("overall").outcome(),
        fields.part("friedman").outcome(),
        fields.number("critical_difference", (0.0, math.inf), null=True),
        pairs,
        settings.text("method"),
        settings.level(),
        fields.count("sets"),
    )
