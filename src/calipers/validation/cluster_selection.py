"""`select_n_clusters`: how many clusters do silhouettes and stability support?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import index
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from calipers.arguments import named_arguments
from calipers.cached import lazy
from calipers.choices import ClusterChart
from calipers.data import clusterings, features
from calipers.errors import InputError
from calipers.inference.estimate import Estimate, Interval
from calipers.inference.quantiles import t
from calipers.metrics.base import CATALOGUE
from calipers.metrics.overlaps import Overlaps
from calipers.progress import with_progress
from calipers.remarks import Remark
from calipers.result import Result
from calipers.settings import level_of
from calipers.statistics.contingency import Contingency
from calipers.statistics.geometry import Geometry
from calipers.validation.models import fresh, name_of

Array = npt.NDArray[Any]
SHARE = 0.8  # of the rows that a resample has
COUNTS = ("n_clusters", "n_components")  # what models call the number of clusters


@dataclass(frozen=True)
class NumberOfClusters:
    """One number of clusters: the mean silhouette and the stability, each with an interval."""

    k: int
    silhouette: Estimate
    stability: Estimate


@dataclass(frozen=True, eq=False, repr=False)
class ClusterSelection(Result[ClusterChart]):
    """The result of `calipers.select_n_clusters`: the candidates in the order of k, and the choice among them."""

    kind: ClassVar[str] = "cluster_selection"

    candidates: tuple[NumberOfClusters, ...]
    model: str
    rows: int
    pairs: int
    seed: int
    level: float

    @property
    def best(self) -> int:
        """The number of clusters with the highest silhouette."""
        return max(self.candidates, key=lambda c: (_known(c.silhouette), -c.k)).k

    @property
    def stable(self) -> tuple[int, ...]:
        """Numbers whose stability cannot be distinguished from that of the most stable one: their intervals overlap."""
        most = max(self.candidates, key=lambda c: _known(c.stability))
        return tuple(c.k for c in self.candidates if _known(c.stability) >= _known(most.stability) or
                     c.stability.high >= most.stability.low)  # fmt: skip

    @property
    def choice(self) -> int:
        """The number with the highest silhouette among the stable ones."""
        return max((c for c in self.candidates if c.k in self.stable), key=lambda c: (_known(c.silhouette), -c.k)).k

    @lazy
    def findings(self) -> tuple[Any, ...]:
        """What to be careful about."""
        from calipers.findings import look_at_validation

        return look_at_validation(self, self.kind)


def _known(e: Estimate) -> float:
    return float(e) if e == e else -np.inf


@named_arguments
def select_n_clusters(
    model: Any,
    X: Any,  # noqa: N803 - what everybody calls it
    k: Iterable[int] = range(2, 11),
    *,
    pairs: int = 10,
    distance: Any = "euclidean",
    sample: int | None = None,
    seed: int = 0,
    level: float = 0.95,
) -> ClusterSelection:
    """Compare numbers of clusters by their silhouette and by how stable the clusters are.

    For each k the model is fitted on all rows, and on pairs of random subsamples of 80% of the rows. Stability is the
    adjusted Rand index between the two fits of a pair, on the rows that both have: 1 if both fits give the same
    clusters.

    - model: a clusterer of scikit-learn with the parameter n_clusters or n_components.
    - k: the numbers of clusters to try.
    - pairs: the number of pairs of subsamples for each k.
    - distance, sample: as in `evaluate_clusters`. seed: the seed of the subsamples. level: the confidence level.

    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> X = np.random.default_rng(0).normal(size=(90, 2)) + 8 * np.repeat(np.eye(3, 2), 30, axis=0)
    >>> select_n_clusters(KMeans(n_init=3), X, k=[2, 3, 4], pairs=5).choice
    3
    """
    level = level_of(level)
    numbers = _numbers(k)
    name = _parameter(model)
    if isinstance(pairs, bool) or not isinstance(pairs, int) or pairs < 2:
        raise InputError("validation.not_pairs", value=pairs)
    rows = X.shape[0] if getattr(X, "shape", ()) else len(X) if hasattr(X, "__len__") else 0
    points = features.read(X, rows, None)
    if max(numbers) >= int(SHARE * rows):
        raise InputError("validation.clusters_and_rows", k=max(numbers), rows=rows)
    found = []
    for each in with_progress(numbers, len(numbers)):
        fit = _Fits(model, name, points, each, distance, sample, seed)
        found.append(fit.measured(pairs, level))
    if all(np.isnan(each.silhouette) for each in found):
        raise InputError("validation.no_clusters_found", model=name_of(model))
    return ClusterSelection(tuple(found), name_of(model), rows, pairs, seed, level)


def _numbers(k: Iterable[int]) -> list[int]:
    try:
        numbers = sorted({index(each) for each in ([k] if isinstance(k, (int, np.integer)) else k)})
    except TypeError:
        numbers = []
    if not numbers or numbers[0] < 2:
        raise InputError("validation.numbers_of_clusters", value=str(k)[:60])
    return numbers


def _parameter(model: Any) -> str:
    known = model.get_params() if hasattr(model, "get_params") and not isinstance(model, type) else {}
    name = next((name for name in COUNTS if name in known), None)
    if name is None or not hasattr(model, "fit_predict"):
        raise InputError("validation.not_a_clusterer", kind=type(model).__name__)
    return name


@dataclass(frozen=True)
class _Fits:
    """Fits of one number of clusters."""

    model: Any
    name: str
    points: Any
    k: int
    distance: Any
    sample: int | None
    seed: int

    def labels(self, rows: Array, seed: int) -> Array:
        fitted = fresh(self.model, {self.name: self.k}, seed)
        return np.asarray(fitted.fit_predict(self.points[rows]))

    def silhouette(self, rows: Array, labels: Array) -> float:
        batch = clusterings.read(labels, None)
        assert batch.pred is not None
        assert batch.code_names is not None
        points = self.points[rows]
        g = Geometry.of_points(points, batch.pred, batch.code_names[1], self.distance, self.sample, self.seed)
        return float(np.mean(g.silhouettes)) if len(g.silhouettes) else np.nan

    def measured(self, pairs: int, level: float) -> NumberOfClusters:
        n = self.points.shape[0]
        m = int(SHARE * n)
        every = np.arange(n)
        whole = self.silhouette(every, self.labels(every, self.seed))
        rng = np.random.default_rng((self.seed, self.k))
        agreed, values = [], []
        for _ in range(pairs):
            parts = [np.sort(rng.choice(n, m, replace=False)) for _ in range(2)]
            labels = [self.labels(rows, int(rng.integers(2**31))) for rows in parts]
            values += [self.silhouette(*each) for each in zip(parts, labels, strict=True)]
            agreed.append(_agreement(parts, labels))
        # The variance over subsamples of m out of n rows, times m / (n - m), is the variance for n rows.
        spread = float(np.std(values, ddof=1)) * np.sqrt(m / (n - m))
        error = float(np.std(agreed, ddof=1)) / np.sqrt(pairs)
        return NumberOfClusters(
            self.k,
            _estimate(whole, spread, 2 * pairs - 1, n, level, Remark("validation.over_subsamples", count=2 * pairs)),
            _estimate(float(np.mean(agreed)), error, pairs - 1, n, level, Remark("validation.over_pairs", count=pairs)),
        )


def _agreement(parts: list[Array], labels: list[Array]) -> float:
    """The adjusted Rand index of two fits on the rows that both have."""
    _, first, second = np.intersect1d(parts[0], parts[1], assume_unique=True, return_indices=True)
    batch = clusterings.read(labels[1][second], labels[0][first], noise="cluster")
    with np.errstate(invalid="ignore"):  # both are one cluster: the formula chooses 1
        return float(CATALOGUE["adjusted_rand"].formula(Overlaps.of(Contingency.of(batch))))


def _estimate(value: float, error: float, df: int, rows: int, level: float, method: str) -> Estimate:
    reach = t(level, df) * error
    low, high = (max(-1.0, value - reach), min(1.0, value + reach)) if value == value else (np.nan, np.nan)
    bounds = Interval(low, high, method)
    return Estimate(value, n=rows, level=level, interval=lambda: bounds, stderr=lambda: error,
                    reason=Remark("metrics.one_cluster") if value != value else "")  # fmt: skip
