"""What sizes of clusters and silhouettes give away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from calipers.findings.base import Number, rule

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

Findings = Iterator[Mapping[str, Number]]
GIANT, MANY_ALONE, NOISY, MISPLACED = 0.9, 0.1, 0.2, 0.25


def _sizes(ev: Evaluation) -> tuple[list[str], np.ndarray]:
    table = ev.views.contingency
    sizes = np.bincount(table.columns_of, table.cells, len(table.clusters)).astype(np.int64)
    return [str(label) for label in table.clusters], sizes


@rule("warning", "clustering", tests=False)
def one_giant_cluster(ev: Evaluation) -> Findings:
    """Cluster {label} has {share:percent} of the clustered rows ({rows} of {total}), so the clustering hardly divides
    them.

    Try more clusters, scale the features, or use an algorithm that does not chain through dense areas (single linkage
    and a large eps of DBSCAN do). Completeness and inverse purity are high even if the cluster means nothing; read the
    adjusted metrics.
    """
    labels, sizes = _sizes(ev)
    if len(sizes) > 1 and sizes.max() > GIANT * sizes.sum():
        k = int(sizes.argmax())
        yield {"label": labels[k], "rows": int(sizes[k]), "total": int(sizes.sum()),
               "share": float(sizes[k] / sizes.sum())}  # fmt: skip


@rule("note", "clustering", tests=False)
def single_row_clusters(ev: Evaluation) -> Findings:
    """{alone} of {clusters} clusters have only one row.

    These rows may be outliers: look at them, or use fewer clusters. Homogeneity, purity and pair precision rise with
    every such cluster, and its silhouette is 0 by definition.
    """
    _, sizes = _sizes(ev)
    alone = int((sizes == 1).sum())
    if len(sizes) > 1 and alone >= 2 and alone > MANY_ALONE * len(sizes):
        yield {"alone": alone, "clusters": len(sizes)}


@rule("warning", "clustering", tests=False)
def much_noise(ev: Evaluation) -> Findings:
    """{share:percent} of the rows ({rows} of {total}) are noise and belong to no cluster; the metrics do not
    include them.

    A clustering that keeps only the easy rows looks better than it is. Report the share of noise with the metrics,
    or compare with noise="cluster".
    """
    table = ev.views.contingency
    if table.rows and table.noise > NOISY * table.rows:
        yield {"share": table.noise / table.rows, "rows": table.noise, "total": table.rows}


@rule("note", "clustering", tests=False)
def rows_nearer_to_another_cluster(ev: Evaluation) -> Findings:
    """{share:percent} of the rows are closer to another cluster than to their own (silhouette below 0).

    Look at the silhouettes of each cluster: clusters with low values overlap, are too many, or have a shape that mean
    distances do not fit.
    """
    geometry = ev.views.geometry
    if geometry is not None and len(geometry.silhouettes):
        share = float((geometry.silhouettes < 0).mean())
        if share > MISPLACED:
            yield {"share": share}
