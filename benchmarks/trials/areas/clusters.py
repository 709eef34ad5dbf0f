"""Clusters against classes: few and many cells, agreement from none to nearly perfect. Clusters by where rows lie."""

from dataclasses import dataclass
from functools import partial

import numpy as np

import calipers as cal
from calipers.metrics.base import CATALOGUE
from calipers.metrics.overlaps import Overlaps
from calipers.metrics.values import number
from calipers.statistics.contingency import Contingency
from trials.cells import Answer, Null, Ready, Tests, Trial, answer
from trials.promises import Promise

METRICS = ("adjusted_rand", "adjusted_mutual_information", "mutual_information", "homogeneity", "v_measure", "purity",
           "bcubed_f1", "fowlkes_mallows", "variation_of_information")  # fmt: skip
GEOMETRY = ("silhouette", "davies_bouldin", "calinski_harabasz", "inertia")
TRUTH = 2_000  # samples whose mean is the truth
WHOLE = 10**9  # rows of the population
FEW = 4  # rows per cell of the table, below which information metrics are biased


@dataclass(frozen=True)
class Tables:
    """Samples of n rows from a table of shares."""

    name: str
    shares: np.ndarray
    n: int
    level: float = 0.95
    metrics: tuple[str, ...] = METRICS

    def ready(self) -> Ready:
        down, across = np.indices(self.shares.shape)
        names = tuple(range(down.shape[0])), tuple(range(down.shape[1]))
        cells = np.round(self.shares * WHOLE).astype(np.int64).ravel()
        whole = Overlaps.of(Contingency(*names, down.ravel()[cells > 0], across.ravel()[cells > 0], cells[cells > 0]))
        truths = {name: float(number(CATALOGUE[name].formula(whole))) for name in self.metrics}

        def ask(rng: np.random.Generator) -> dict[str, Answer]:
            at = rng.choice(cells.size, self.n, p=self.shares.ravel())
            ev = cal.evaluate_clusters(across.ravel()[at], down.ravel()[at], metrics=self.metrics, level=self.level)
            return {name: answer(ev[name], truths[name]) for name in self.metrics}

        few = Promise(few=self.n < FEW * cells.size, wide=True)
        return Ready(ask, dict.fromkeys(self.metrics, few))


def shares(classes: int, clusters: int, right: float, uneven: bool = False) -> np.ndarray:
    """A share `right` of the rows in the cluster of their class, the others anywhere."""
    table = np.full((classes, clusters), (1 - right) / (classes * clusters))
    sizes = np.arange(1.0, min(classes, clusters) + 1) ** (1.5 if uneven else 0.0)
    table[np.arange(len(sizes)), np.arange(len(sizes))] += right * sizes / sizes.sum()
    return table / table.sum()


@dataclass(frozen=True)
class Silhouettes:
    """Silhouettes of a part of the rows: the truth is their mean over all rows."""

    name: str
    rows: int
    drawn: int
    level: float = 0.95

    def ready(self) -> Ready:
        rng = np.random.default_rng(1)
        labels = rng.integers(0, 4, self.rows)
        points = rng.normal(size=(self.rows, 2)) + 2 * np.eye(4, 2)[labels]
        truth = float(cal.evaluate_clusters(labels, X=points)["silhouette"])

        def ask(rng: np.random.Generator) -> dict[str, Answer]:
            seed = int(rng.integers(1 << 31))
            ev = cal.evaluate_clusters(labels, X=points, sample=self.drawn, seed=seed, level=self.level)
            return {"silhouette": answer(ev["silhouette"], truth)}

        return Ready(ask, {"silhouette": Promise()})


@dataclass(frozen=True)
class Points:
    """Samples of n rows around the middles of k groups, each in the cluster whose middle is nearest.

    The truth is the mean over samples of as many rows: inertia and Calinski and Harabasz's index grow with them.
    """

    name: str
    n: int
    k: int
    apart: float
    level: float = 0.95

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        middles = self.apart * np.eye(self.k, max(2, self.k - 1))
        points = rng.normal(size=(self.n, middles.shape[1])) + middles[rng.integers(0, self.k, self.n)]
        return points, ((points[:, None] - middles) ** 2).sum(2).argmin(1)

    def ready(self) -> Ready:
        rng = np.random.default_rng(1)
        values = [self._measured(rng) for _ in range(TRUTH)]
        truths = {name: float(np.mean([ev[name] for ev in values])) for name in GEOMETRY}

        def ask(rng: np.random.Generator) -> dict[str, Answer]:
            ev = self._measured(rng)
            return {name: answer(ev[name], truths[name]) for name in GEOMETRY}

        return Ready(ask, dict.fromkeys(GEOMETRY, Promise()))

    def _measured(self, rng: np.random.Generator) -> cal.Evaluation:
        points, labels = self.draw(rng)
        return cal.evaluate_clusters(labels, X=points, metrics=GEOMETRY, level=self.level)


def equally_separated(rng: np.random.Generator, n: int) -> tuple:
    """Two clusterings, each with other rows in a cluster that is not nearest."""
    points, labels = Points("", n, 3, 3.0).draw(rng)
    each = {name: np.where(rng.random(n) < 0.85, labels, rng.integers(0, 3, n)) for name in "AB"}
    return None, each, {"rules": {"X": points}}


def equally_good(rng: np.random.Generator, n: int) -> tuple:
    """Two clusterings that are right for the same share of the rows, most of them the same rows."""
    truth, easy = rng.integers(0, 3, n), rng.random(n) < 0.6
    each = {name: np.where(easy | (rng.random(n) < 0.3), truth, rng.integers(0, 3, n)) for name in "AB"}
    return truth, each, {}


def by_chance(rng: np.random.Generator, n: int, of: str) -> float:
    """The p-value of clusters that have nothing to do with the classes."""
    return float(cal.metrics.permutation_p(rng.integers(0, 3, n), rng.integers(0, 4, n), of=of, count=199))


def parts() -> dict[str, list[Trial]]:
    kinds = {
        "3 × 3, 80 % right": (shares(3, 3, 0.8), (50, 150, 500)),
        "3 × 3, 98 % right": (shares(3, 3, 0.98), (150, 500)),
        "5 × 8, 60 % right, uneven": (shares(5, 8, 0.6, uneven=True), (200, 1000)),
        "10 × 10, 50 % right": (shares(10, 10, 0.5), (200, 1000)),
    }
    tables = {name: [Tables(f"{name}, {n} rows", table, n) for n in sizes] for name, (table, sizes) in kinds.items()}
    compared = "adjusted_rand adjusted_mutual_information v_measure purity"
    nulls = [
        Null(
            f"clusterings that are equally good, {n} rows", partial(equally_good, n=n), compared, {"task": "clustering"}
        )
        for n in (100, 400)
    ]
    nulls += [
        Null(f"clusterings that are equally far apart, {n} rows", partial(equally_separated, n=n),
             "silhouette davies_bouldin calinski_harabasz", {"task": "clustering"})
        for n in (100, 400)
    ]  # fmt: skip
    names = ("adjusted_rand", "mutual_information")
    chance = [
        Tests(f"clusters by chance, {n} rows", lambda rng, n=n: {of: by_chance(rng, n, of) for of in names}, names)
        for n in (30, 300)
    ]
    samples = [Silhouettes(f"{m} of {n} rows", n, m) for n, m in ((1000, 100), (1000, 500))]
    points = [Points(f"{k} groups, {apart:g} apart, {n} rows", n, k, apart)
              for n, k, apart in ((40, 2, 3.0), (60, 3, 3.0), (150, 4, 2.0), (300, 3, 5.0))]  # fmt: skip
    others = {"differences": nulls, "permutations": chance, "samples of silhouettes": samples}
    return {**tables, "where rows lie": points, **others}
