"""Weights: unrelated to outcomes, or errors, classes and audits with weights of their own."""

from functools import partial

import numpy as np
from scipy.special import expit

from trials.cells import MANY, Columns, Rows
from trials.draws import BINARY, NUMBERS, OF_BINARY, Generator, labels

SIZES = (100, 400)


def scored(rng: Generator, share: float = 0.4, shift: float = 2.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Classes, probabilities, and which of them are on the right side."""
    y = labels(rng, share, MANY)
    p = expit(shift * (shift * (y - 0.5) + rng.normal(size=MANY)))
    return y, p, (p >= 0.5) == (y == 1)


def unrelated(kind: str, rng: Generator) -> Columns:
    y, p, _ = scored(rng)
    weights = {"equal": lambda: np.ones(MANY), "lognormal": lambda: rng.lognormal(0, 1, MANY),
               "Pareto": lambda: 1 + rng.pareto(2.5, MANY),
               "rare": lambda: np.where(rng.random(MANY) < 0.02, 50.0, 1.0)}[kind]()  # fmt: skip
    return {"y": y, "p": p, "weights": weights}


def of_errors(weight: float, rng: Generator) -> Columns:
    """One row in twenty is wrong, and has a weight of its own."""
    y, p, right = scored(rng, shift=3.3)
    return {"y": y, "p": p, "weights": np.where(right, 1.0, weight)}


def of_classes(rng: Generator) -> Columns:
    """Classes weigh 1 and 10."""
    y, p, _ = scored(rng, 0.2)
    return {"y": y, "p": p, "weights": np.where(y == 1, 10.0, 1.0)}


def heavy_few(rng: Generator) -> Columns:
    """8 % of the rows weigh 20 and are harder."""
    heavy = rng.random(MANY) < 0.08
    y = labels(rng, 0.4, MANY)
    p = expit(np.where(heavy, 0.8, 2.0) * (2 * y - 1) + rng.normal(size=MANY))
    return {"y": y, "p": p, "weights": np.where(heavy, 20.0, 1.0)}


def audit(rng: Generator) -> Columns:
    """Rows with uncertain scores were drawn more often, and weigh less for it."""
    y, p, _ = scored(rng, 0.3, 2.5)
    chance = np.clip(1 - 2 * abs(p - 0.5), 0.05, 1)
    rows = rng.choice(MANY, MANY, p=chance / chance.sum())
    return {"y": y[rows], "p": p[rows], "weights": 1 / chance[rows]}


def strata(rng: Generator) -> Columns:
    s = rng.integers(0, 4, MANY)
    y = labels(rng, np.array([0.2, 0.3, 0.4, 0.5])[s])
    p = expit(np.array([1.0, 1.2, 1.5, 2.0])[s] * (2 * y - 1) + rng.normal(size=MANY))
    return {"y": y, "p": p, "weights": np.array([0.5, 1.0, 2.0, 4.0])[s]}


def numbers(kind: str, rng: Generator) -> Columns:
    y, e = rng.normal(20, 5, MANY), rng.normal(0, 2, MANY)
    weights = rng.lognormal(0, 0.8, MANY) if kind == "unrelated" else np.where(abs(e) > 3, 4.0, 1.0)
    return {"y": y, "p": y + e, "weights": weights}


KINDS = {
    "equal weights": partial(unrelated, "equal"),
    "unrelated lognormal weights": partial(unrelated, "lognormal"),
    "unrelated Pareto weights": partial(unrelated, "Pareto"),
    "2 % weigh 50, unrelated": partial(unrelated, "rare"),
    "errors weigh 8": partial(of_errors, 8.0),
    "errors weigh 1/4": partial(of_errors, 0.25),
    "classes weigh 1 and 10": of_classes,
    "8 % weigh 20 and are harder": heavy_few,
    "audit of uncertain rows": audit,
    "strata": strata,
}


def parts() -> dict[str, list[Rows]]:
    classes = [Rows(f"{name}, {n} rows", whole, n, OF_BINARY, BINARY) for name, whole in KINDS.items() for n in SIZES]
    levels = [
        Rows("errors weigh 8, 250 rows, level 90 %", KINDS["errors weigh 8"], 250, OF_BINARY, BINARY, 0.9),
        Rows(
            "audit of uncertain rows, 600 rows, level 99 %",
            KINDS["audit of uncertain rows"],
            600,
            OF_BINARY,
            BINARY,
            0.99,
        ),
    ]
    of_numbers = [
        Rows(f"numbers, {kind}, 150 rows", partial(numbers, kind), 150, "bias mae mse rmse", NUMBERS)
        for kind in ("unrelated", "large errors weigh 4")
    ]
    return {"two classes": classes, "other levels": levels, "predicted numbers": of_numbers}
