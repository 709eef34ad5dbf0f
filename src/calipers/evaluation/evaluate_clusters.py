"""`evaluate_clusters`: clusters against classes, each metric with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from calipers.arguments import named_arguments
from calipers.choices import IntervalMethod, Missing, Noise
from calipers.data import clusterings, frames, side_columns
from calipers.errors import InputError
from calipers.evaluation.evaluate import with_origin
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.of_batch import known_methods, of_batch
from calipers.metrics.base import CATALOGUE
from calipers.metrics.calling import AskedMetrics
from calipers.settings import Settings, metric_names


@named_arguments
def evaluate_clusters(
    labels: Any,
    truth: Any = None,
    metrics: AskedMetrics | None = None,
    *,
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
    """Evaluate the clusters of rows against their true classes. How clusters are numbered does not matter.

    - labels: the cluster of each row. Rows with the label -1 are noise, as DBSCAN writes it: they are in no cluster.
    - truth: the class of each row.
    - metrics: the metrics to show.
    - noise: "drop" leaves noise out of all metrics but noise_share; "cluster" takes it as one more cluster, as
      scikit-learn does.
    - groups: the group of each row (a patient, a document) if rows are not independent.
    - missing: "error" or "drop", for rows with missing values.
    - level, interval, seed, replicates, model, source: as in `evaluate`. Intervals draw the rows again, with the
      clusters that they have: they do not say how other rows would be clustered.

    >>> ev = evaluate_clusters([0, 0, 1, 1, 1, 0], ["a", "a", "b", "b", "b", "b"], ["adjusted_rand", "purity"])
    >>> round(float(ev["adjusted_rand"]), 3), round(float(ev["purity"]), 3)
    (0.324, 0.833)
    """
    frames.refuse_results((labels, truth), "evaluate_clusters(labels, truth)")
    settings = cluster_settings(
        metrics, missing=missing, level=level, interval=interval, seed=seed, replicates=replicates
    )
    batch = clusterings.read(labels, truth, noise=noise, missing=missing)
    if groups is not None:
        batch = side_columns.grouped(batch, groups).meaning(grouped=True)
    return with_origin(of_batch(settings, batch), model, source)


def cluster_settings(metrics: AskedMetrics | None, **rest: Any) -> Settings:
    """The question, its metrics all of clusters."""
    settings = known_methods(Settings(metrics=metric_names(metrics), task="clustering", **rest))
    for name in settings.metrics or ():
        if not CATALOGUE[name].metric.view.of_clusters:
            known = [m.name for m in CATALOGUE if m.view.of_clusters]
            raise InputError("evaluation.not_of_clusters", metric=name, known=known)
    return settings
