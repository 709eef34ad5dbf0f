"""Many classes: averages over classes, MCC and kappa, and the share of the largest class."""

from functools import partial

import numpy as np

from trials.cells import MANY, Columns, Rows
from trials.draws import Generator

OF_MANY = "accuracy balanced_accuracy f1(average=macro) f1(average=weighted) precision(average=macro) mcc kappa"


def shares(k: int, kind: str) -> np.ndarray:
    weights = {"equal": np.ones(k), "falling": 0.8 ** np.arange(k), "one large": np.r_[k, np.ones(k - 1)]}[kind]
    return weights / weights.sum()


def confused(of: np.ndarray, right: float, rng: Generator) -> Columns:
    """Errors fall on any other class, in proportion to its share."""
    y, other = rng.choice(len(of), MANY, p=of), rng.choice(len(of), MANY, p=of)
    return {"y": y, "p": np.where(rng.random(MANY) < right, y, other)}


def rare_class_missed(of: np.ndarray, right: float, rng: Generator) -> Columns:
    """Rows of the last class are mostly predicted as the first one, and of the others a few."""
    y = rng.choice(len(of), MANY, p=of)
    wrong = rng.random(MANY) > np.where(y == len(of) - 1, 0.4, right)
    return {"y": y, "p": np.where(wrong, (y == 0).astype(int), y)}


def trial(name: str, k: int, kind: str, right: float, n: int, metrics: str) -> Rows:
    return Rows(f"{name}, {n} rows", partial(confused, shares(k, kind), right), n, metrics, {"labels": tuple(range(k))})


def parts() -> dict[str, list[Rows]]:
    averages = [
        trial(f"{k} classes, {kind} shares, {right:.0%} known", k, kind, right, n, OF_MANY)
        for k, kind, right, n in (
            (4, "falling", 0.6, 100), (4, "equal", 0.9, 400), (10, "equal", 0.6, 300), (10, "equal", 0.9, 1000),
            (10, "falling", 0.7, 500), (20, "equal", 0.8, 1000), (20, "falling", 0.8, 2000), (50, "equal", 0.5, 2000),
        )
    ]  # fmt: skip
    nearly = [
        trial(f"{k} classes, {kind} shares, {right:.1%} known", k, kind, right, n, OF_MANY)
        for k, kind, right, n in (
            (2, "equal", 0.94, 100), (2, "equal", 0.98, 300), (3, "falling", 0.96, 150), (3, "equal", 0.99, 150),
            (10, "equal", 0.98, 300), (10, "equal", 0.99, 1000), (10, "falling", 0.97, 400), (50, "equal", 0.99, 1000),
        )
    ]  # fmt: skip
    missed = partial(rare_class_missed, shares(10, "falling"), 0.99)
    nearly.append(Rows("10 classes, the rarest mostly missed, 1000 rows", missed, 1000, OF_MANY, {"labels": range(10)}))
    largest = [
        trial(f"largest of {k} classes, {kind} shares", k, kind, 0.7, n, "no_information_rate")
        for k, kind, n in (
            (2, "equal", 100), (3, "falling", 200), (10, "equal", 100), (10, "equal", 1000), (10, "one large", 200),
            (100, "equal", 2000), (100, "one large", 500), (30, "falling", 400),
        )
    ]  # fmt: skip
    return {
        "averages over classes": averages,
        "nearly perfect models": nearly,
        "the no-information rate": largest,
    }
