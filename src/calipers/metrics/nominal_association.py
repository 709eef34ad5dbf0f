"""How closely two columns of labels go together, whatever the labels are called: predicted classes or clusters.

They do not change if predicted labels are renamed, so that they are computed as those of clusters are.
"""

from __future__ import annotations

from typing import get_args

import numpy as np

from calipers.choices import Given
from calipers.errors import InputError
from calipers.metrics.agreement import RootOfChiSquared
from calipers.metrics.base import metric
from calipers.metrics.clustering import NO_ROWS, POSITIVE, SHARE
from calipers.metrics.overlaps import Overlaps
from calipers.metrics.spread import Spread
from calipers.metrics.values import Number, Smooth
from calipers.remarks import Remark

ONE_LABEL = Remark("metrics.one_label_in_one")
GIVEN: tuple[str, ...] = get_args(Given)
GOODMAN = "Goodman and Kruskal 1954, J. Am. Statist. Assoc. 49:732-764"


def _squared_contingency(o: Overlaps) -> Number:
    """Chi-squared divided by the rows."""
    classes, clusters = o.classes[..., o.down], o.clusters[..., o.across]
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(o.cells > 0, o.cells**2 / (classes * clusters), 0.0)
    return np.maximum(each.sum(-1) - 1, 0.0)


def _sides(o: Overlaps) -> tuple[Number, Number]:
    """How many classes and clusters have rows."""
    return np.count_nonzero(o.classes, -1), np.count_nonzero(o.clusters, -1)


@metric(title="Cramér's V", over=Overlaps, better="higher", bounds=SHARE, undefined=ONE_LABEL, aliases=("cramers_v",),
        formula="sqrt((sum({cells}**2 / ({class_of_cell} * {cluster_of_cell})) - 1) / "
                "(minimum({class_count}, {cluster_count}) - 1))",
        reference="Cramér 1946, Mathematical Methods of Statistics, ch. 21")
def cramer_v(o: Overlaps) -> Number | RootOfChiSquared:
    """Association of two columns of labels: 0 is independence, 1 if one column determines the other.

    Caution: It is above 0 on average even for independent labels, more so with few rows and many labels. It does not
    say whether predictions are right: swapped labels have the same value.
    """
    fewer, squared = np.minimum(*_sides(o)), _squared_contingency(o)
    return _root(o, np.where(fewer > 1, np.minimum(squared / np.maximum(fewer - 1, 1), 1.0), np.nan), squared)


def _root(o: Overlaps, square: Number, squared_contingency: Number) -> Number | RootOfChiSquared:
    """The root; of one table with its chi-squared."""
    if o.cells.ndim > 1:
        return np.sqrt(square)
    classes, clusters = (float(count) for count in _sides(o))
    chi_squared = float(o.rows * squared_contingency), (classes - 1) * (clusters - 1)
    return RootOfChiSquared(float(np.sqrt(square)), chi_squared)


@metric(title="contingency coefficient", over=Overlaps, better="higher", bounds=SHARE, undefined=ONE_LABEL,
        aliases=("pearson_c",),
        formula="sqrt(1 - 1 / sum({cells}**2 / ({class_of_cell} * {cluster_of_cell})))",
        reference="Pearson 1904, Drapers' Company Research Memoirs, Biometric Series 1")
def contingency_coefficient(o: Overlaps) -> Number | RootOfChiSquared:
    """Pearson's contingency coefficient: 0 is independence.

    Caution: It never reaches 1: with K labels on both sides its maximum is sqrt((K - 1) / K). To compare, use Cramér's
    V.
    """
    squared = _squared_contingency(o)
    return _root(o, np.where(np.minimum(*_sides(o)) > 1, squared / (1 + squared), np.nan), squared)


@metric(title="Goodman and Kruskal's lambda", over=Overlaps, better="higher", bounds=SHARE, undefined=ONE_LABEL,
        aliases=("goodman_kruskal",), reference=GOODMAN,
        formula="(sum({largest_of_given}) - {most_common}) / ({rows} - {most_common})")
def goodman_kruskal_lambda(o: Overlaps, *, given: str = "clusters") -> Number | Smooth:
    """Fraction of the errors of always predicting the most common class that knowing the cluster, or the predicted
    class, avoids; given=classes: the other way round.

    Caution: It is 0 if the same class is the most common one everywhere, even if the labels are clearly associated.
    """
    if given not in GIVEN:
        raise InputError("metrics.unknown_value", name="given", value=given, known=GIVEN)
    known = given == "clusters"
    sizes, largest = (o.classes, o.largest_in_clusters) if known else (o.clusters, o.largest_in_classes)
    common, several = sizes.max(-1), np.count_nonzero(sizes, -1) > 1
    value = np.where(several, (largest.sum(-1) - common) / np.where(several, o.rows - common, 1.0), np.nan)
    if o.cells.ndim > 1 or not several:
        return value
    other, own = (o.down, o.across) if known else (o.across, o.down)
    modal = np.zeros(len(o.cells), bool)
    modal[[np.flatnonzero(own == k)[o.cells[own == k].argmax()] for k in range(len(largest))]] = True
    most = other == sizes.argmax()
    each = (modal.astype(np.float64) - most - value * ~most) / (o.rows - common)  # what a row of each cell adds

    def spread(added: float) -> Spread:
        return Spread(float(value), float(o.cells @ each**2))

    return Smooth(float(value), spread, 0, float(o.rows - common), float(o.rows))


@metric(over=Overlaps, better="", bounds=POSITIVE, undefined=NO_ROWS, aliases=("reference_entropy",),
        formula="{class_entropy}")
def class_entropy(o: Overlaps) -> Number | Smooth:
    """Entropy of the true classes, in nats: how uncertain the class of a row is.

    Caution: It describes the data, not the model.
    """
    return _of_one_side(o, o.class_entropy, o.classes)


@metric(over=Overlaps, better="", bounds=POSITIVE, undefined=NO_ROWS, aliases=("response_entropy",),
        formula="{cluster_entropy}")
def cluster_entropy(o: Overlaps) -> Number | Smooth:
    """Entropy of the clusters, or of the predicted classes, in nats.

    Caution: It says nothing about whether they are right.
    """
    return _of_one_side(o, o.cluster_entropy, o.clusters)


def _of_one_side(o: Overlaps, entropy: Number, sizes: Number) -> Number | Smooth:
    """An entropy with its variance to the second order: of labels that are equally common, the first order is 0, and
    2n times what the sample lacks is chi-squared.
    """
    if o.cells.ndim > 1:
        return entropy
    share, rows = sizes / o.rows, float(o.rows)
    first = float(share @ np.log(share) ** 2 - entropy**2) / rows

    def spread(added: float) -> Spread:
        return Spread(float(entropy), max(first, 0.0) + (len(sizes) - 1) / (2 * rows**2))

    return Smooth(float(entropy), spread, 0, float(sizes.min()), rows)


@metric(over=Overlaps, better="", bounds=POSITIVE, undefined=NO_ROWS,
        formula="{class_entropy} + {cluster_entropy} - {information}")
def joint_entropy(o: Overlaps) -> Number:
    """Entropy of pairs of true class and cluster, or predicted class, in nats.

    Caution: It grows with the number of labels on both sides; compare only on the same rows.
    """
    return o.class_entropy + o.cluster_entropy - o.information


@metric(over=Overlaps, better="lower", bounds=POSITIVE, undefined=NO_ROWS, formula="{entropy_of_other} - {information}",
        reference="Shannon 1948, Bell Syst. Tech. J. 27:379-423")
def conditional_entropy(o: Overlaps, *, given: str = "classes") -> Number:
    """What remains uncertain about the cluster, or the predicted class, if the true class is known, in nats;
    given=clusters: about the true class.

    Caution: Always predicting one class gives 0: read it together with mutual information.
    """
    if given not in GIVEN:
        raise InputError("metrics.unknown_value", name="given", value=given, known=GIVEN)
    return np.maximum((o.cluster_entropy if given == "classes" else o.class_entropy) - o.information, 0.0)
