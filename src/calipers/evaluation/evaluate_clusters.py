"""`evaluate_clusters`: clusters against classes, and by where their rows lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from calipers.arguments import named_arguments
from calipers.choices import IntervalMethod, Missing, Noise
from calipers.data import clusterings, features, frames
from calipers.data.batch import Batch
from calipers.errors import InputError
from calipers.evaluation.evaluate import with_origin
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.of_batch import (
    demand,
    is_resampled,
    known_methods,
    of_batch,
    raise_interval_error,
    statistics_of,
)
from calipers.evaluation.worst_rows import KeptRows
from calipers.metrics import plan
from calipers.metrics.base import CATALOGUE
from calipers.metrics.calling import AskedMetrics
from calipers.settings import Settings, metric_names
from calipers.statistics.geometry import Geometry


@named_arguments
def evaluate_clusters(
    labels: Any,
    truth: Any = None,
    X: Any = None,  # noqa: N803
    metrics: AskedMetrics | None = None,
    *,
    distance: Any = "euclidean",
    sample: int | None = None,
    noise: Noise = "drop",
    groups: Any = None,
    missing: Missing = "error",
    level: float = 0.95,
    interval: IntervalMethod | Mapping[str, IntervalMethod] | None = None,
    seed: int = 0,
    replicates: int = 1000,
    model: str | None = None,
    source: str | Sequence[str] | None = None,
) -> Evaluation:
    """Evaluate the clusters of rows against their true classes, by the distances between rows, or both.

    - labels: the cluster of each row. Rows with the label -1 are noise, as DBSCAN writes it: they are in no cluster.
      The numbering of the clusters does not matter.
    - truth: the class of each row.
    - X: the features that the rows were clustered by: an array, a frame or a sparse matrix.
    - distance: any metric of SciPy's `cdist`, a function, or "precomputed" if X has the distances between rows.
    - sample: the number of rows whose silhouette is computed; by default all rows, or a sample if there are more than
      about 30,000.
    - metrics: the metrics to show.
    - noise: "drop" leaves noise out of all metrics but noise_share; "cluster" treats it as a cluster, as
      scikit-learn does.
    - groups: the group of each row (a patient, a document) if rows are not independent.
    - missing: "error" or "drop", for rows with missing values.
    - level, interval, seed, replicates, model, source: as in `evaluate`. Intervals assume that each row keeps its
      cluster: they do not include how other rows would be clustered.

    >>> ev = evaluate_clusters([0, 0, 1, 1, 1, 0], ["a", "a", "b", "b", "b", "b"])
    >>> round(float(ev["adjusted_rand"]), 3), round(float(ev["purity"]), 3)
    (0.324, 0.833)
    >>> round(float(evaluate_clusters([0, 0, 1, 1], X=[[0.0], [1.0], [9.0], [8.0]])["silhouette"]), 3)
    0.875
    """
    frames.refuse_results((labels, truth, X), "evaluate_clusters(labels, truth, X)")
    if any(frames.package_of_engine(x) for x in (labels, truth, X)):
        raise InputError("partitions.clusters_by_name")
    settings = cluster_settings(
        metrics, missing=missing, level=level, interval=interval, seed=seed, replicates=replicates
    )
    if truth is None and X is None:
        raise InputError("evaluation.clusters_of_nothing")
    batch = clusterings.read(labels, truth, noise=noise, missing=missing, groups=groups)
    table = None if X is None else features.table_of(X, len(batch) + batch.dropped)
    if table is not None and missing == "drop" and distance != features.PRECOMPUTED:
        batch = clusterings.complete(batch, features.incomplete(table))
    geometry = None if table is None else geometry_of(batch, table, distance, sample, seed)
    batch = batch.meaning(scored=geometry is not None, predicted="" if truth is None else batch.schema.predicted)
    return with_origin(evaluation_of(settings, batch, geometry), model, source)


def geometry_of(batch: Batch, table: Any, distance: Any, sample: int | None, seed: int) -> Geometry:
    """Where the clusters lie, of the rows that were kept; sample: how many rows get a silhouette."""
    whole = isinstance(sample, (int, np.integer)) and not isinstance(sample, bool)
    if sample is not None and (not whole or sample < 2):
        raise InputError("evaluation.not_a_sample", value=sample)
    assert batch.pred is not None
    assert batch.code_names is not None
    if batch.kept is not None:
        table = table[batch.kept]
        table = table[:, batch.kept] if distance == features.PRECOMPUTED else table
    points = features.checked(table, distance)
    return Geometry.of_points(points, batch.pred, batch.code_names[1], distance, sample, seed, errors=True)


def evaluation_of(settings: Settings, batch: Batch, geometry: Geometry | None = None) -> Evaluation:
    """The evaluation of clusters whose distances were measured; without distances, that of any rows."""
    if geometry is None:
        return of_batch(settings, batch)
    listed = tuple(CATALOGUE[name] for name in settings.metrics) if settings.metrics else plan.headline(batch.schema)
    everything, keeps_rows = replace(settings, metrics=None), is_resampled(settings, batch)
    table = statistics_of(everything, batch, KeptRows.of(batch, None), keeps_rows=keeps_rows)
    seen = replace(table.views, geometry=geometry)
    evaluation = replace(table, settings=settings, listed=listed, seen=seen, known={})
    if settings.metrics is not None:
        demand(evaluation)
    raise_interval_error(settings, evaluation)
    return evaluation


def cluster_settings(metrics: AskedMetrics | None, **rest: Any) -> Settings:
    """The question, its metrics all of clusters."""
    settings = known_methods(Settings(metrics=metric_names(metrics), task="clustering", **rest))
    for name in settings.metrics or ():
        if not CATALOGUE[name].metric.view.of_clusters:
            known = [m.name for m in CATALOGUE if m.view.of_clusters]
            raise InputError("evaluation.not_of_clusters", metric=name, known=known)
    return settings
