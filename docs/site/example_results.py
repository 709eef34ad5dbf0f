"""One or more results of every kind, from the example data: for the schemas of documents and the gallery."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import calipers as cal
from calipers import datasets


@cache
def results() -> dict[str, list[Any]]:
    """Results by their kind."""
    from cards import examples
    from sklearn.cluster import KMeans
    from sklearn.tree import DecisionTreeClassifier

    loans = datasets.load("bad_debt")
    truth, score = loans["truth"], loans["score"]
    wary = [0.9 * s + 0.1 * (row * 0.618 % 1) for row, s in enumerate(score)]
    mixed = [0.5 * s + 0.5 * (row * 0.618 % 1) for row, s in enumerate(score)]
    ev = cal.evaluate(loans, truth="truth", score="score", positive="BAD", by="region")
    points, bad = np.column_stack([score, wary]), [label == "BAD" for label in truth]
    small, large = (DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (2, None))
    several: dict[str, Any] = {"old": score, "new": wary, "mixed": mixed}
    asked: dict[str, Any] = {"cv": 3, "seed": 0, "metrics": ["roc_auc", "accuracy"]}
    months = {f"2026-0{m}": cal.evaluate(truth[m::5], score[m::5], positive="BAD") for m in range(1, 5)}
    every = [
        ev,
        *examples().values(),
        cal.compare(truth, {"old": score, "new": wary}, positive="BAD"),
        cal.compare(truth, several, positive="BAD", metrics=["roc_auc", "f1"]),
        cal.compare_independent(months["2026-01"], months["2026-02"], metrics=["roc_auc"]),
        cal.compare_folds([0.8, 0.82, 0.79, 0.81], [0.84, 0.85, 0.8, 0.83], test_share=0.25),
        cal.compare_datasets({"a": [0.8, 0.7, 0.9, 0.6], "b": [0.9, 0.8, 0.95, 0.7], "c": [0.7, 0.75, 0.8, 0.5]}),
        cal.gate(ev, ["roc_auc >= 0.8", "recall >= 0.6", "precision >= 0.9"]),
        cal.power(accuracy=(0.9, 0.92)),
        cal.which_test(folds=10),
        ev.explain("roc_auc"),
        cal.MetricList(("f1", "mae")),
        cal.cross_validate(small, points, bad, **asked),
        cal.bootstrap_validate(small, points, bad, replicates=10, seed=0, metrics=["accuracy"]),
        cal.learning_curve(small, points, bad, sizes=[100, 300], **asked),
        cal.validation_curve(small, points, bad, param="max_depth", values=[1, 2, 4], **asked),
        cal.bias_variance(small, points, bad, replicates=20, seed=0),
        cal.select({"small": small, "large": large}, points, bad, cv=3, seed=0, metric="roc_auc"),
        cal.select_n_clusters(KMeans(n_init=3), points[:120], k=[2, 3], pairs=5, seed=0),
        ev.worst_rows(5),
        cal.calibrate(truth, score, positive="BAD", method="platt"),
        cal.decision_curve(truth, {"old": score, "new": wary}, positive="BAD"),
        cal.trend(months, metrics=["recall", "roc_auc"]),
    ]
    found: dict[str, list[Any]] = {}
    for result in every:
        found.setdefault(result.kind, []).append(result)
    return found
