"""Clusters by where their rows lie: compact ones that are far apart."""

from __future__ import annotations

import numpy as np

from calipers.metrics.agreement import Subsample
from calipers.metrics.base import metric
from calipers.metrics.left_out import LeftOut
from calipers.metrics.values import Without
from calipers.remarks import Remark
from calipers.statistics.geometry import Geometry

SHOWN = {"clustering": (None,)}
POSITIVE = (0.0, float("inf"))
ALL_ROWS, TWO_ROWS = Remark("metrics.of_these_rows"), Remark("metrics.two_rows_decide")
ONE, NO_CENTRES = Remark("metrics.one_cluster"), Remark("metrics.no_centres")


def _of_rows(g: Geometry, name: str, value: float) -> LeftOut | Without:
    """A number that varies with the rows; without an interval where its values without each row are not known."""
    if value != value or name not in g.left_out:
        return Without(value, ALL_ROWS, resampled=False)
    return LeftOut(value, g.rows, lambda: g.without(name, value), "rows")


@metric(over=Geometry, better="higher", bounds=(-1.0, 1.0), headline=SHOWN,
        formula="mean(({to_nearest} - {to_own}) / maximum({to_nearest}, {to_own}))", undefined=ONE,
        reference="Rousseeuw 1987, J. Comput. Appl. Math. 20:53-65")
def silhouette(g: Geometry) -> Subsample | LeftOut | Without:
    """How much closer a row is to its own cluster than to the nearest other one, on average: 1 is well separated,
    0 is on the border, below 0 is closer to another cluster.

    Caution: It prefers round clusters of similar size, even if the true groups are long or nested.
    """
    values = g.silhouettes
    if not len(values) or np.isnan(values).any():
        return Without(np.nan, ALL_ROWS, resampled=False)
    if not g.sampled:
        return _of_rows(g, "silhouette", float(values.mean()))
    return Subsample(float(values.mean()), float(values.var(ddof=1)), len(values), g.rows)


@metric(title="Davies-Bouldin index", over=Geometry, better="lower", bounds=POSITIVE, headline=SHOWN,
        formula="mean({worst_ratio})", undefined=NO_CENTRES,
        reference="Davies and Bouldin 1979, IEEE PAMI 1:224-227")
def davies_bouldin(g: Geometry) -> LeftOut | Without:
    """Average over clusters of how large they are relative to their distance from the most similar other cluster.

    Caution: It describes clusters by their centres, and prefers round clusters.
    """
    return _of_rows(g, "davies_bouldin", g.davies_bouldin if g.centres and len(g.clusters) > 1 else np.nan)


@metric(title="Calinski-Harabasz index", over=Geometry, better="higher", bounds=POSITIVE, headline=SHOWN,
        formula="({between} / ({cluster_count} - 1)) / ({within} / ({points} - {cluster_count}))", undefined=NO_CENTRES,
        aliases=("variance_ratio",), reference="Calinski and Harabasz 1974, Commun. Stat. 3:1-27")
def calinski_harabasz(g: Geometry) -> LeftOut | Without:
    """Variance between clusters divided by variance within clusters.

    Caution: It has no fixed scale: compare only clusterings of the same rows. It prefers round clusters.
    """
    k = len(g.clusters)
    if not g.centres or not 1 < k < g.rows:
        return Without(np.nan, ALL_ROWS, resampled=False)
    value = 1.0 if g.within == 0 else g.between * (g.rows - k) / (g.within * (k - 1))
    return _of_rows(g, "calinski_harabasz", value)


@metric(title="Dunn index", over=Geometry, better="higher", bounds=POSITIVE, formula="{least_between} / {most_within}",
        undefined=Remark("metrics.no_diameter"), reference="Dunn 1974, J. Cybernetics 4:95-104")
def dunn(g: Geometry) -> Without:
    """Smallest distance between rows of different clusters, divided by the largest distance between rows of one
    cluster.

    Caution: It depends on two pairs of rows, so a single outlier can change it completely.
    """
    return Without(g.least / g.most if g.most > 0 else np.nan, TWO_ROWS, resampled=False)


@metric(over=Geometry, better="lower", bounds=POSITIVE, formula="{within}", undefined=NO_CENTRES,
        aliases=("within_cluster_sum_of_squares",))
def inertia(g: Geometry) -> LeftOut | Without:
    """Sum of squared distances of the rows to the centre of their cluster.

    Caution: It always falls with more clusters, and depends on the units of the features.
    """
    return _of_rows(g, "inertia", g.within if g.centres else np.nan)
