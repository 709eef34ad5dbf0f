"""A permutation test of the agreement of clusters with classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.errors import InputError
from calipers.metrics.base import CATALOGUE, Metric, metric
from calipers.metrics.overlaps import Overlaps
from calipers.metrics.values import Without, number
from calipers.remarks import Remark

Array = npt.NDArray[Any]
CELLS = 10_000  # cells of a table that is drawn cell by cell; for a larger one, rows are permuted
SLACK = 1e-12  # rounding of sums of the same counts in another order


@metric(title="permutation p-value", over=Overlaps, better="", bounds=(0.0, 1.0), headline={"clustering": (None,)},
        formula="(1 + {as_good}) / (1 + {count})", undefined=Remark("metrics.one_clustered_row"),
        reference="Hubert and Arabie 1985, J. Classif. 2:193-218")
def permutation_p(o: Overlaps, *, of: str = "adjusted_rand", count: int = 999) -> Without:
    """P-value of the null hypothesis that clusters and classes are independent: the fraction of random assignments,
    with the same sizes of classes and clusters, that agree at least as well.

    Caution: A small p-value shows that the agreement is not due to chance, not that it is good.
    """
    why = Remark("metrics.a_pvalue")
    if o.rows < 2:
        return Without(np.nan, why, resampled=False)
    return Without((1 + as_good(o, of, count)) / (1 + count), why, resampled=False)


def as_good(o: Overlaps, of: str, count: int) -> int:
    """How many of this number of random tables with the same margins agree at least as well."""
    measure = CATALOGUE[of]
    if not _of_agreement(measure.metric):
        known = [m.name for m in CATALOGUE if _of_agreement(m)]
        raise InputError("metrics.not_of_agreement", name=str(of), known=known)
    sign = -1.0 if measure.metric.better == "lower" else 1.0
    observed = sign * float(number(measure.formula(o)))
    found = 0
    with np.errstate(all="ignore"):
        for tables in _at_random(o, int(count)):
            values = sign * np.atleast_1d(number(measure.formula(tables)))
            found += int((values >= observed - SLACK * max(1.0, abs(observed))).sum())
    return found


def _of_agreement(metric: Metric) -> bool:
    return metric.view.of_clusters and metric.from_labels and bool(metric.better)


def _at_random(o: Overlaps, count: int) -> Iterator[Overlaps]:
    """Tables whose rows were dealt to the clusters at random."""
    rng = np.random.default_rng(0)
    classes, clusters = o.classes.astype(np.int64), o.clusters.astype(np.int64)
    if len(classes) * len(clusters) <= CELLS:
        down, across = (codes.ravel() for codes in np.indices((len(classes), len(clusters))))
        yield Overlaps(_dealt(classes, clusters, count, rng).reshape(count, -1).astype(np.float64), down, across)
        return
    codes, other = np.repeat(np.arange(len(classes)), classes), np.repeat(np.arange(len(clusters)), clusters)
    for _ in range(count):
        filled, cells = np.unique(codes * len(clusters) + rng.permutation(other), return_counts=True)
        yield Overlaps(cells.astype(np.float64), filled // len(clusters), filled % len(clusters))


def _dealt(classes: Array, clusters: Array, count: int, rng: np.random.Generator) -> Array:
    """Random tables with these margins: cell by cell hypergeometric, all tables at once."""
    tables = np.zeros((count, len(classes), len(clusters)), np.int64)
    left = np.broadcast_to(clusters, (count, len(clusters))).copy()  # rows of each cluster that have no class yet
    for i, size in enumerate(classes[:-1]):
        wanted, others = np.full(count, size), left.sum(1)
        for j in range(len(clusters)):
            others = others - left[:, j]
            drawn = rng.hypergeometric(left[:, j], others, wanted)
            tables[:, i, j], left[:, j], wanted = drawn, left[:, j] - drawn, wanted - drawn
    tables[:, -1] = left
    return tables
