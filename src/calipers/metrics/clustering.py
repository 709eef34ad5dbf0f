"""Clusters against classes: metrics that do not depend on how clusters are numbered."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calipers.metrics.base import metric
from calipers.metrics.overlaps import Overlaps
from calipers.metrics.values import Number, Proportion
from calipers.remarks import Remark
from calipers.statistics.contingency import Contingency

SHARE, SIGNED, POSITIVE = (0.0, 1.0), (-1.0, 1.0), (0.0, float("inf"))
SHOWN = {"clustering": (None,)}
NO_ROWS, FEW = Remark("metrics.no_clustered_rows"), Remark("metrics.one_clustered_row")
NO_PAIRS = Remark("metrics.no_pairs_together")
HUBERT = "Hubert and Arabie 1985, J. Classif. 2:193-218"
VINH = "Vinh, Epps and Bailey 2010, JMLR 11:2837-2854"
ROSENBERG = "Rosenberg and Hirschberg 2007, EMNLP-CoNLL 410-420"
MEANS: dict[str, Callable[[Number, Number], Number]] = {
    "arithmetic": lambda a, b: (a + b) / 2,
    "geometric": lambda a, b: np.sqrt(a * b),
    "min": np.minimum,
    "max": np.maximum,
}


@metric(title="adjusted Rand index", over=Overlaps, better="higher", bounds=SIGNED, headline=SHOWN, aliases=("ari",),
        formula="({together} - {of_classes} * {of_clusters} / {pairs}) / "
                "(({of_classes} + {of_clusters}) / 2 - {of_classes} * {of_clusters} / {pairs})",
        undefined=FEW, reference=HUBERT)
def adjusted_rand(o: Overlaps) -> Number:
    """Agreement of clusters and classes on pairs of rows, corrected for chance: 0 is chance, 1 is perfect agreement.

    Caution: If one class has nearly all rows, a few rows change it a lot.
    """
    chance = o.of_classes * o.of_clusters / o.pairs
    most = (o.of_classes + o.of_clusters) / 2
    # Both in one cluster, or every row in a cluster of its own: the same partition.
    return np.where(most == chance, 1.0, (o.together - chance) / (most - chance))


@metric(title="Rand index", over=Overlaps, better="higher", bounds=SHARE,
        formula="({pairs} + 2 * {together} - {of_classes} - {of_clusters}) / {pairs}", undefined=FEW,
        reference="Rand 1971, JASA 66:846-850")
def rand(o: Overlaps) -> Number:
    """Fraction of pairs of rows on which clusters and classes agree: both put the two rows together, or both separate
    them.

    Caution: It is close to 1 for many clusters even without agreement; use the adjusted Rand index.
    """
    return (o.pairs + 2 * o.together - o.of_classes - o.of_clusters) / o.pairs


@metric(over=Overlaps, better="higher", bounds=SHARE, formula="{together} / {of_clusters}", undefined=NO_PAIRS)
def pair_precision(o: Overlaps) -> Number:
    """Of all pairs of rows in the same cluster, the fraction with the same class.

    Caution: Many small clusters make it high; read it together with pair recall.
    """
    return o.together / o.of_clusters


@metric(over=Overlaps, better="higher", bounds=SHARE, formula="{together} / {of_classes}", undefined=NO_PAIRS)
def pair_recall(o: Overlaps) -> Number:
    """Of all pairs of rows with the same class, the fraction in the same cluster.

    Caution: One cluster of all rows makes it 1; read it together with pair precision.
    """
    return o.together / o.of_classes


@metric(title="pair F1", over=Overlaps, better="higher", bounds=SHARE,
        formula="2 * {together} / ({of_classes} + {of_clusters})", undefined=NO_PAIRS)
def pair_f1(o: Overlaps) -> Number:
    """Harmonic mean of pair precision and pair recall.

    Caution: It is not corrected for chance, and large classes dominate it, since the number of pairs grows with the
    square of the size.
    """
    return 2 * o.together / (o.of_classes + o.of_clusters)


@metric(title="Fowlkes-Mallows index", over=Overlaps, better="higher", bounds=SHARE,
        formula="{together} / sqrt({of_classes} * {of_clusters})", undefined=NO_PAIRS,
        reference="Fowlkes and Mallows 1983, JASA 78:553-569")
def fowlkes_mallows(o: Overlaps) -> Number:
    """Geometric mean of pair precision and pair recall.

    Caution: It is not corrected for chance: few large clusters make it high even without agreement.
    """
    return o.together / np.sqrt(o.of_classes) / np.sqrt(o.of_clusters)


@metric(title="mutual information", over=Overlaps, better="higher", bounds=POSITIVE, aliases=("mi",),
        formula="sum({cells} / {rows} * log({cells} * {rows} / ({class_of_cell} * {cluster_of_cell})))",
        undefined=NO_ROWS)
def mutual_information(o: Overlaps) -> Number:
    """Information that the cluster of a row gives about its class, in nats.

    Caution: It has no fixed upper bound and grows with the number of clusters; use the adjusted form to compare.
    """
    return o.information


@metric(title="normalised mutual information", over=Overlaps, better="higher", bounds=SHARE,
        aliases=("nmi", "normalized_mutual_information"),
        formula="{information} / {mean_entropy}", undefined=NO_ROWS, reference=VINH)
def normalised_mutual_information(o: Overlaps, *, mean: str = "arithmetic") -> Number:
    """Mutual information as a share of the mean entropy of classes and clusters: 0 is independence, 1 is the same
    partition.

    Caution: It is not corrected for chance: with many clusters random labels score high.
    """
    normaliser = mean_entropy(o, mean)
    one = (o.class_entropy == 0) & (o.cluster_entropy == 0)
    return np.where(one, 1.0, np.where(o.information == 0, 0.0, np.minimum(o.information / normaliser, 1.0)))


def mean_entropy(o: Overlaps, mean: str) -> Number:
    """The mean of both entropies: arithmetic, geometric, min or max."""
    return MEANS[mean](o.class_entropy, o.cluster_entropy)


@metric(title="adjusted mutual information", over=Overlaps, better="higher", bounds=SIGNED, headline=SHOWN,
        aliases=("ami",),
        formula="({information} - {expected_information}) / ({mean_entropy} - {expected_information})",
        undefined=NO_ROWS, reference=VINH)
def adjusted_mutual_information(o: Overlaps, *, mean: str = "arithmetic") -> Number:
    """Mutual information beyond chance, relative to the largest possible value: 0 is chance, 1 is the same partition.

    Caution: Its value depends on how the two entropies are averaged in the denominator; state which average was used.
    """
    expected, most = o.expected_information, mean_entropy(o, mean)
    apart = most - expected
    tiny = np.finfo(np.float64).eps
    apart = np.where(apart < 0, np.minimum(apart, -tiny), np.maximum(apart, tiny))
    classes, clusters = (np.count_nonzero(sizes, -1) for sizes in (o.classes, o.clusters))
    # One cluster of one class, or all rows apart in both: the same partition, where both differences are 0.
    same = ((classes == 1) & (clusters == 1)) | ((classes == o.rows) & (clusters == o.rows))
    return np.where(same, 1.0, np.clip((o.information - expected) / apart, -1.0, 1.0))


@metric(over=Overlaps, better="higher", bounds=SHARE, headline=SHOWN, formula="{information} / {class_entropy}",
        undefined=NO_ROWS, reference=ROSENBERG)
def homogeneity(o: Overlaps) -> Number:
    """How far each cluster contains rows of only one class: 1 if every cluster does.

    Caution: Many small clusters make it high; read it together with completeness.
    """
    return _share(o.information, o.class_entropy)


@metric(over=Overlaps, better="higher", bounds=SHARE, headline=SHOWN, formula="{information} / {cluster_entropy}",
        undefined=NO_ROWS, reference=ROSENBERG)
def completeness(o: Overlaps) -> Number:
    """How far all rows of a class are in the same cluster: 1 if this is so for every class.

    Caution: One cluster of all rows makes it 1; read it together with homogeneity.
    """
    return _share(o.information, o.cluster_entropy)


def _share(information: Number, entropy: Number) -> Number:
    """The information as a share of an entropy; 1 where there is nothing to know."""
    return np.where(entropy == 0, 1.0, np.minimum(information / np.where(entropy == 0, 1.0, entropy), 1.0))


@metric(title="V-measure", over=Overlaps, better="higher", bounds=SHARE, headline=SHOWN,
        formula="(1 + {beta}) * {homogeneity} * {completeness} / ({beta} * {homogeneity} + {completeness})",
        undefined=NO_ROWS, reference=ROSENBERG)
def v_measure(o: Overlaps, *, beta: float = 1.0) -> Number:
    """Harmonic mean of homogeneity and completeness; beta above 1 gives completeness more weight.

    Caution: It is not corrected for chance: with many clusters random labels score high.
    """
    pure, whole = _share(o.information, o.class_entropy), _share(o.information, o.cluster_entropy)
    below = beta * pure + whole
    return np.where(below == 0, 0.0, (1 + beta) * pure * whole / np.where(below == 0, 1.0, below))


@metric(over=Overlaps, better="higher", bounds=SHARE, headline=SHOWN, formula="sum({largest_in_clusters}) / {rows}",
        undefined=NO_ROWS, percent=True)
def purity(o: Overlaps) -> Number:
    """Fraction of rows whose class is the most common class of their cluster.

    Caution: Many small clusters make it high: with one row per cluster it is 1.
    """
    return o.largest_in_clusters.sum(-1) / o.rows


@metric(over=Overlaps, better="higher", bounds=SHARE, formula="sum({largest_in_classes}) / {rows}", undefined=NO_ROWS,
        percent=True)
def inverse_purity(o: Overlaps) -> Number:
    """Fraction of rows whose cluster is the most common cluster of their class.

    Caution: One cluster of all rows makes it 1; read it together with purity.
    """
    return o.largest_in_classes.sum(-1) / o.rows


@metric(title="accuracy under the best matching", over=Overlaps, better="higher", bounds=SHARE,
        formula="{matched} / {rows}", undefined=NO_ROWS, percent=True, aliases=("clustering_accuracy",),
        reference="Kuhn 1955, Naval Research Logistics 2:83-97")
def matched_accuracy(o: Overlaps) -> Number:
    """Accuracy when each cluster is matched with at most one class, in the best possible way.

    Caution: The matching is chosen on the same rows, so the value is slightly too high if there are many clusters.
    """
    return o.matched / o.rows


@metric(title="variation of information", over=Overlaps, better="lower", bounds=POSITIVE,
        formula="{class_entropy} + {cluster_entropy} - 2 * {information}", undefined=NO_ROWS,
        reference="Meila 2007, J. Multivar. Anal. 98:873-895")
def variation_of_information(o: Overlaps) -> Number:
    """Information in the classes and in the clusters that the other does not contain, in nats: a distance, 0 for the
    same partition.

    Caution: It grows with the logarithm of the number of clusters; compare only on the same rows.
    """
    return np.maximum(o.class_entropy + o.cluster_entropy - 2 * o.information, 0.0)


@metric(title="B-cubed precision", over=Overlaps, better="higher", bounds=SHARE,
        formula="sum({cells}**2 / {cluster_of_cell}) / {rows}", undefined=NO_ROWS,
        reference="Amigó et al. 2009, Inf. Retrieval 12:461-486")
def bcubed_precision(o: Overlaps) -> Number:
    """Average over rows of the fraction of the row's cluster that has the same class.

    Caution: Many small clusters make it high; read it together with B-cubed recall.
    """
    return _mean_share(o, o.clusters[..., o.across])


@metric(title="B-cubed recall", over=Overlaps, better="higher", bounds=SHARE,
        formula="sum({cells}**2 / {class_of_cell}) / {rows}", undefined=NO_ROWS,
        reference="Amigó et al. 2009, Inf. Retrieval 12:461-486")
def bcubed_recall(o: Overlaps) -> Number:
    """Average over rows of the fraction of the row's class that is in the same cluster.

    Caution: One cluster of all rows makes it 1; read it together with B-cubed precision.
    """
    return _mean_share(o, o.classes[..., o.down])


def _mean_share(o: Overlaps, sizes: Number) -> Number:
    """The mean over rows of their cell as a share of the class or cluster that contains it."""
    return np.where(o.cells > 0, o.cells**2 / sizes, 0.0).sum(-1) / o.rows


@metric(title="B-cubed F1", over=Overlaps, better="higher", bounds=SHARE,
        formula="2 / (1 / {bcubed_precision} + 1 / {bcubed_recall})", undefined=NO_ROWS,
        reference="Amigó et al. 2009, Inf. Retrieval 12:461-486")
def bcubed_f1(o: Overlaps) -> Number:
    """Harmonic mean of B-cubed precision and recall.

    Caution: It is not corrected for chance.
    """
    precise, whole = _mean_share(o, o.clusters[..., o.across]), _mean_share(o, o.classes[..., o.down])
    return 2 * precise * whole / (precise + whole)


@metric(over=Contingency, better="", bounds=SHARE, formula="{noise} / {all_rows}",
        undefined=Remark("metrics.no_rows"), percent=True)
def noise_share(c: Contingency) -> Proportion:
    """Fraction of rows that the clustering leaves out as noise (label -1).

    Caution: The other metrics do not include these rows, so they can look better if more rows are noise.
    """
    return Proportion(c.noise, c.rows)
