"""AUC close to 1: few pairs are misranked, often none in a sample."""

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import ndtri

from trials.cells import MANY, Columns, Rows
from trials.draws import BINARY, Generator, labels

Scores = Callable[[Generator], np.ndarray]
SIZES = ((50, 0.5), (450, 0.33), (200, 0.1), (1000, 0.5), (2000, 0.02))


def scored(share: float, positive: Scores, negative: Scores, rng: Generator) -> Columns:
    y = labels(rng, share, MANY)
    return {"y": y, "p": np.where(y == 1, positive(rng), negative(rng))}


def binormal(auc: float, spread: float = 1.0) -> tuple[Scores, Scores]:
    shift = float(ndtri(auc)) * np.sqrt(1 + spread**2)
    return lambda rng: shift + spread * rng.normal(size=MANY), lambda rng: rng.normal(size=MANY)


def exponential(auc: float) -> tuple[Scores, Scores]:
    """Exponential scores, those of the positives so many times as long."""
    times = auc / (1 - auc)
    return lambda rng: times * rng.exponential(1, MANY), lambda rng: rng.exponential(1, MANY)


def heavy(shift: float) -> tuple[Scores, Scores]:
    """Student's t with 1.5 degrees of freedom."""
    return lambda rng: shift + rng.standard_t(1.5, MANY), lambda rng: rng.standard_t(1.5, MANY)


def likert(rng: Generator, levels: list[float]) -> np.ndarray:
    return rng.choice(5, MANY, p=levels).astype(float)


def misplaced(share: float) -> tuple[Scores, Scores]:
    """This share of the positives lies below all negatives: the AUC is a binomial share."""
    return (lambda rng: np.where(rng.random(MANY) < share, -9, 9) + rng.normal(size=MANY),
            lambda rng: rng.normal(size=MANY))  # fmt: skip


def trial(name: str, n: int, share: float, scores: tuple[Scores, Scores], level: float = 0.95) -> Rows:
    at = f"{name}, {n} rows, {share:.0%}" + ("" if level == 0.95 else f", level {level:.0%}")
    return Rows(at, partial(scored, share, *scores), n, "roc_auc", BINARY | {"threshold": 0.5}, level)


def parts() -> dict[str, list[Rows]]:
    graded = [
        trial(f"binormal {auc}", n, share, binormal(auc)) for auc in (0.99, 0.995, 0.999, 0.9999) for n, share in SIZES
    ]
    agreed = (
        partial(likert, levels=[0.005, 0.005, 0.02, 0.17, 0.8]),
        partial(likert, levels=[0.8, 0.18, 0.015, 0.004, 0.001]),
    )
    others = [
        trial("wide positives 0.995", 450, 0.33, binormal(0.995, 2.0)),
        trial("narrow positives 0.99", 100, 0.3, binormal(0.99, 0.4)),
        trial("exponential 0.99", 200, 0.5, exponential(0.99)),
        trial("exponential 0.999", 1000, 0.1, exponential(0.999)),
        trial("t1.5 shifted by 12", 300, 0.3, heavy(12)),
        trial("t1.5 shifted by 30", 100, 0.5, heavy(30)),
        trial("five levels", 150, 0.5, agreed),
        trial("five levels", 600, 0.1, agreed),
        trial("1 % of the positives misplaced", 200, 0.5, misplaced(0.01)),
        trial("4 % of the positives misplaced", 400, 0.5, misplaced(0.04)),
        trial("as breast_cancer, binormal 0.993", 143, 0.63, binormal(0.993)),
        trial("binormal 0.995", 300, 0.3, binormal(0.995), 0.9),
        trial("binormal 0.99", 500, 0.5, binormal(0.99), 0.99),
        trial("binormal 0.9", 100, 0.3, binormal(0.9)),
    ]
    return {"binormal scores": graded, "other scores": others}
