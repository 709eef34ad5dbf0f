"""Samples of rows: in groups, with an AUC close to 1, with weights."""

from functools import partial

import numpy as np
from scipy.special import expit

from trials.cells import MANY, Columns, Rows
from trials.held_out.common import BINARY, NUMBERS, OF_BINARY, Generator, grouped, labels

# Rows in groups


def schools(rng: Generator) -> Columns:
    """Mixed classes whose share differs between groups, uniform effects, gamma scores."""
    g = grouped(rng.geometric(1 / 8, 25_000))
    y = labels(rng, rng.beta(1, 3, 25_000)[g])
    x = rng.gamma(1 + 2 * y) + rng.uniform(-1.5, 1.5, 25_000)[g]
    return {"y": y, "p": expit(x - 2.2), "groups": g}


def twins(rng: Generator) -> Columns:
    """Pairs that nearly always have the same class."""
    g = grouped(np.full(80_000, 2))
    y = labels(rng, np.full(80_000, 0.15))[g]
    y = np.where(rng.random(len(y)) < 0.04, 1 - y, y)
    return {
        "y": y,
        "p": expit(2.2 * y - 2 + rng.logistic(0, 0.6, len(y)) + rng.logistic(0, 0.5, 80_000)[g]),
        "groups": g,
    }


def devices(rng: Generator) -> Columns:
    """Few large groups, balanced classes within each, Laplace effects on both classes alike."""
    g = grouped(np.full(6_000, 40))
    y = labels(rng, np.full(len(g), 0.5))
    return {"y": y, "p": expit(2 * y - 1 + rng.laplace(0, 0.7, 6_000)[g] + rng.normal(size=len(y))), "groups": g}


def households(rng: Generator) -> Columns:
    """Zipf sizes, one class per group, 8 % positive, one-sided effects."""
    sizes = np.minimum(rng.zipf(1.7, 40_000), 80)
    g, own = grouped(sizes), labels(rng, np.full(40_000, 0.08))
    x = 2.5 * own[g] + rng.exponential(1, 40_000)[g] + 0.7 * rng.normal(size=len(g))
    return {"y": own[g], "p": expit(x - 2.6), "groups": g}


def nearly_perfect(rng: Generator) -> Columns:
    """Groups of four that are wrong together, seldom."""
    g, own = grouped(np.full(50_000, 4)), labels(rng, np.full(50_000, 0.12))
    wrong = (rng.random(50_000) < 0.05)[g] & (rng.random(len(g)) < 0.7)
    side = np.where(wrong, 1 - own[g], own[g])
    return {"y": own[g], "p": np.clip(rng.beta(1 + 7 * side, 1 + 7 * (1 - side)), 1e-4, 1 - 1e-4), "groups": g}


def three_kinds(rng: Generator) -> Columns:
    """Predicted labels of three classes in groups of three."""
    g = grouped(np.full(60_000, 3))
    y = rng.choice(3, 60_000, p=[0.5, 0.35, 0.15])[g]
    x = 1.6 * np.eye(3)[y] + rng.gumbel(size=(len(y), 3)) * 0.6 + (0.8 * rng.gumbel(size=(60_000, 3)))[g]
    return {"y": y, "p": x.argmax(1), "groups": g}


def sites(rng: Generator) -> Columns:
    """Predicted numbers with a shift per site, Student's t with 5 degrees of freedom."""
    g = grouped(rng.integers(4, 31, 12_000))
    y = 10 + rng.gamma(4, 1, len(g))
    return {"y": y, "p": y + rng.standard_t(5, 12_000)[g] + rng.normal(size=len(g)), "groups": g}


GROUPS = [
    Rows("45 schools, geometric sizes, mixed classes", schools, 45, OF_BINARY, BINARY),
    Rows("200 pairs, 15 % positive", twins, 200, OF_BINARY, BINARY),
    Rows("15 devices of 40 rows", devices, 15, OF_BINARY, BINARY),
    Rows("150 households, Zipf sizes, 8 % positive", households, 150, OF_BINARY, BINARY),
    Rows("70 nearly perfect groups of 4, 12 % positive, 90 %", nearly_perfect, 70, OF_BINARY, BINARY, 0.9),
    Rows(
        "80 groups of 3, three classes", three_kinds, 80, "accuracy f1(average=macro) kappa mcc", {"labels": (0, 1, 2)}
    ),
    Rows("25 sites of 4 to 30 predicted numbers, 90 %", sites, 25, "bias mae mse", NUMBERS, 0.9),
]


# AUC close to 1


def two_classes(share: float, positive, negative, decimals: int | None, rng: Generator) -> Columns:
    y = labels(rng, np.full(MANY, share))
    x = np.where(y == 1, positive(rng), negative(rng))
    return {"y": y, "p": x if decimals is None else np.round(x, decimals)}


def flipped(rng: Generator) -> Columns:
    """Well apart, but one label in 200 is wrong."""
    y = labels(rng, np.full(MANY, 0.25))
    x = 5 * y + rng.normal(size=MANY)
    return {"y": np.where(rng.random(MANY) < 0.005, 1 - y, y), "p": x}


def of_scores(name, n, share, positive, negative, decimals=None, level=0.95):
    whole = partial(two_classes, share, positive, negative, decimals)
    return Rows(name, whole, n, "roc_auc average_precision", {**BINARY, "threshold": 0.5}, level)


AUC = [
    of_scores("logistic, 80 rows, 40 %", 80, 0.4, lambda r: r.logistic(7.5, 1, MANY), lambda r: r.logistic(0, 1, MANY)),
    of_scores("beta, 250 rows, 10 %", 250, 0.1, lambda r: r.beta(8, 1, MANY), lambda r: r.beta(1, 6, MANY)),
    of_scores("Gumbel, 600 rows, 30 %", 600, 0.3, lambda r: r.gumbel(7, 1, MANY), lambda r: r.gumbel(0, 1, MANY)),
    of_scores(
        "two decimals, 2 000 rows, 5 %",
        2000,
        0.05,
        lambda r: 5 + 0.8 * r.normal(size=MANY),
        lambda r: r.gamma(2, 0.5, MANY),
        2,
    ),
    of_scores(
        "overlapping uniforms, 50 rows, 50 %",
        50,
        0.5,
        lambda r: r.uniform(0.45, 1, MANY),
        lambda r: r.uniform(0, 0.5, MANY),
    ),
    of_scores(
        "logistic, 150 rows, 50 %, 99 %",
        150,
        0.5,
        lambda r: r.logistic(6.8, 1, MANY),
        lambda r: r.logistic(0, 1, MANY),
        level=0.99,
    ),
    of_scores(
        "lognormal, 120 rows, 30 %, 80 %",
        120,
        0.3,
        lambda r: r.lognormal(2.2, 0.6, MANY),
        lambda r: r.lognormal(0, 0.7, MANY),
        level=0.8,
    ),
    Rows("one label in 200 flipped, 400 rows", flipped, 400, "roc_auc average_precision", {**BINARY, "threshold": 2.5}),
]


# Weights


def strata(rng: Generator) -> Columns:
    """The heavier a stratum, the easier it is."""
    s = rng.choice(3, MANY, p=[0.5, 0.3, 0.2])
    y = labels(rng, np.array([0.5, 0.3, 0.2])[s])
    x = np.array([0.6, 1.4, 2.6])[s] * (2 * y - 1) + rng.logistic(0, 0.8, MANY)
    return {"y": y, "p": expit(x), "weights": np.array([1.0, 3.0, 9.0])[s]}


def unrelated(rng: Generator) -> Columns:
    y = labels(rng, np.full(MANY, 0.35))
    return {"y": y, "p": expit(2 * y - 1.2 + rng.normal(size=MANY)), "weights": rng.gamma(0.5, 2, MANY) + 0.01}


def costs(rng: Generator) -> Columns:
    """Positives have costs of their own, exponentially distributed."""
    y = labels(rng, np.full(MANY, 0.25))
    return {"y": y, "p": expit(2.4 * y - 1.5 + rng.logistic(0, 0.7, MANY)),
            "weights": np.where(y == 1, 5 * rng.exponential(1, MANY), 1.0) + 0.05}  # fmt: skip


def towards_the_score(rng: Generator) -> Columns:
    p = rng.beta(0.8, 1.6, MANY)
    return {"y": labels(rng, p), "p": p, "weights": 0.1 + 4 * p**2}


def light_errors(rng: Generator) -> Columns:
    y = labels(rng, np.full(MANY, 0.4))
    x = 2.5 * (2 * y - 1) + rng.logistic(0, 1.2, MANY)
    return {"y": y, "p": expit(x), "weights": np.where((x > 0) == (y == 1), 1.0, 1 / 6)}


def raked(rng: Generator) -> Columns:
    y = labels(rng, np.full(MANY, 0.3))
    return {"y": y, "p": expit(1.8 * y - 1 + rng.normal(size=MANY)),
            "weights": np.clip(rng.lognormal(0.5 * y - 0.2, 0.7), 0.2, 6)}  # fmt: skip


def weighted_numbers(rng: Generator) -> Columns:
    """Large errors weigh more."""
    y, e = rng.normal(50, 10, MANY), rng.laplace(0, 2, MANY)
    return {"y": y, "p": y + e, "weights": 0.5 + abs(e) * rng.uniform(0, 1, MANY)}


WEIGHTS = [
    Rows("strata of weight 1, 3, 9, 250 rows", strata, 250, OF_BINARY, BINARY),
    Rows("unrelated gamma weights, 120 rows", unrelated, 120, OF_BINARY, BINARY),
    Rows("exponential costs of positives, 300 rows", costs, 300, OF_BINARY, BINARY),
    Rows("weights that rise with the score, 500 rows", towards_the_score, 500, OF_BINARY, BINARY),
    Rows("errors weigh a sixth, 200 rows", light_errors, 200, OF_BINARY, BINARY),
    Rows("raked weights, 160 rows, 90 %", raked, 160, OF_BINARY, BINARY, 0.9),
    Rows("large errors weigh more, 150 rows", weighted_numbers, 150, "bias mae mse", NUMBERS),
]
