"""Clusters against classes: few and many cells, agreement from none to nearly perfect."""

from dataclasses import dataclass

import numpy as np

import calipers as cal
from calipers.metrics.base import CATALOGUE
from calipers.metrics.overlaps import Overlaps
from calipers.statistics.contingency import Contingency
from trials.cells import Answer, Ready, answer
from trials.promises import Promise

METRICS = ("adjusted_rand", "adjusted_mutual_information", "mutual_information", "homogeneity", "v_measure", "purity",
           "bcubed_f1", "fowlkes_mallows", "variation_of_information")  # fmt: skip
WHOLE = 10**9  # rows of the population
FEW = 4  # rows per cell of the table, below which information metrics are biased


@dataclass(frozen=True)
class Tables:
    """Samples of n rows from a table of shares."""

    name: str
    shares: np.ndarray
    n: int

    def ready(self) -> Ready:
        down, across = np.indices(self.shares.shape)
        names = tuple(range(down.shape[0])), tuple(range(down.shape[1]))
        cells = np.round(self.shares * WHOLE).astype(np.int64).ravel()
        whole = Overlaps.of(Contingency(*names, down.ravel()[cells > 0], across.ravel()[cells > 0], cells[cells > 0]))
        truths = {name: float(CATALOGUE[name].formula(whole)) for name in METRICS}

        def ask(rng: np.random.Generator) -> dict[str, Answer]:
            at = rng.choice(cells.size, self.n, p=self.shares.ravel())
            ev = cal.evaluate_clusters(across.ravel()[at], down.ravel()[at], metrics=METRICS)
            return {name: answer(ev[name], truths[name]) for name in METRICS}

        few = Promise(few=self.n < FEW * cells.size, wide=True)
        return Ready(ask, dict.fromkeys(METRICS, few))


def shares(classes: int, clusters: int, right: float, uneven: bool = False) -> np.ndarray:
    """A share `right` of the rows in the cluster of their class, the others anywhere."""
    table = np.full((classes, clusters), (1 - right) / (classes * clusters))
    sizes = np.arange(1.0, min(classes, clusters) + 1) ** (1.5 if uneven else 0.0)
    table[np.arange(len(sizes)), np.arange(len(sizes))] += right * sizes / sizes.sum()
    return table / table.sum()


def parts() -> dict[str, list[Tables]]:
    kinds = {
        "3 × 3, 80 % right": (shares(3, 3, 0.8), (50, 150, 500)),
        "3 × 3, 98 % right": (shares(3, 3, 0.98), (150, 500)),
        "5 × 8, 60 % right, uneven": (shares(5, 8, 0.6, uneven=True), (200, 1000)),
        "10 × 10, 50 % right": (shares(10, 10, 0.5), (200, 1000)),
    }
    return {name: [Tables(f"{name}, {n} rows", table, n) for n in sizes] for name, (table, sizes) in kinds.items()}
