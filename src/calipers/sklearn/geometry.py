"""Clusters by where their rows lie, under scikit-learn's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.data import features
from calipers.data.containers import Array
from calipers.errors import InputError
from calipers.metrics.base import CATALOGUE
from calipers.sklearn.clustering import encoded
from calipers.sklearn.inputs import InvalidParameter
from calipers.statistics.distances import nearness
from calipers.statistics.geometry import Geometry
from calipers.statistics.silhouettes import silhouette


def _read(X: Any, labels: Any, metric: Any = "euclidean") -> tuple[Any, Array, int]:  # noqa: N803
    """The points, the codes of their clusters, and how many clusters there are: from 2 to one less than rows."""
    found = encoded(labels, "labels")
    if found.missing:
        raise InputError("sklearn.missing_labels", name="labels", count=found.missing, row=found.first_missing)
    points = features.read(X, len(found.codes), metric)
    if not 1 < len(found.values) < len(found.codes):
        raise InputError("sklearn.number_of_clusters", count=len(found.values), most=len(found.codes) - 1)
    return points, found.codes.astype(np.int64), len(found.values)


def silhouette_samples(X: Any, labels: Any, *, metric: Any = "euclidean", **kwds: Any) -> Array:  # noqa: N803
    """The silhouette of each row."""
    if not isinstance(metric, str) and not callable(metric):
        raise InvalidParameter("sklearn.not_a_metric", value=metric)
    points, codes, clusters = _read(X, labels, metric)
    near = nearness(points, codes, clusters, np.arange(len(codes)), metric, kwds)
    return silhouette(near.own, near.other, np.bincount(codes)[codes])


def silhouette_score(
    X: Any, labels: Any, *, metric: Any = "euclidean", sample_size: Any = None, random_state: Any = None, **kwds: Any  # noqa: N803
) -> float:
    """The mean silhouette of all rows, or of a random subset on its own."""
    if sample_size is not None:
        labels = np.asarray(labels)
        points = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
        drawn = _state(random_state).permutation(points.shape[0])[:sample_size]
        within = points[drawn][:, drawn] if isinstance(metric, str) and metric == "precomputed" else points[drawn]
        X, labels = within, labels[drawn]  # noqa: N806
    return float(np.mean(silhouette_samples(X, labels, metric=metric, **kwds)))


def _state(random_state: Any) -> Any:
    """NumPy's old generator, as scikit-learn draws."""
    return random_state if hasattr(random_state, "permutation") else np.random.RandomState(random_state)


def calinski_harabasz_score(X: Any, labels: Any) -> float:  # noqa: N803
    """Variance between clusters over variance within clusters."""
    return _of_centres("calinski_harabasz", X, labels)


def davies_bouldin_score(X: Any, labels: Any) -> float:  # noqa: N803
    """Size of clusters relative to their distance from the most similar other cluster."""
    return _of_centres("davies_bouldin", X, labels)


def _of_centres(name: str, X: Any, labels: Any) -> float:  # noqa: N803
    points, codes, clusters = _read(X, labels)
    seen = Geometry.of_points(points, codes, tuple(range(clusters)), sample=0)
    return float(CATALOGUE[name].formula(seen).value)
