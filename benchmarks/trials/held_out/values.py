"""Losses of good models, predicted numbers, many classes, calibrated predictions, means over queries."""

from functools import partial

import numpy as np
from scipy.special import expit, logit, softmax

from trials.cells import MANY, Columns, Queries, Rows
from trials.held_out.common import BINARY, NUMBERS, OF_ERRORS, Generator, labels

# Losses of good models


def overconfident(rng: Generator) -> Columns:
    y = labels(rng, np.full(MANY, 0.45))
    x = 4 * (1.8 * (2 * y - 1) + 0.5 * rng.normal(size=MANY))
    return {"y": np.where(rng.random(MANY) < 0.02, 1 - y, y), "p": np.clip(expit(x), 1e-7, 1 - 1e-7)}


def sharp(rng: Generator) -> Columns:
    p = np.clip(rng.beta(0.15, 0.15, MANY), 1e-9, 1 - 1e-9)
    return {"y": labels(rng, p), "p": p}


def clipped(rng: Generator) -> Columns:
    y = labels(rng, np.full(MANY, 0.3))
    return {"y": np.where(rng.random(MANY) < 0.005, 1 - y, y), "p": np.where(y == 1, 0.999, 0.001)}


def sharp_kinds(rng: Generator) -> Columns:
    y = rng.choice(4, MANY, p=[0.4, 0.3, 0.2, 0.1])
    p = softmax(7 * np.eye(4)[y] + rng.gumbel(size=(MANY, 4)), axis=1)
    return {"y": np.where(rng.random(MANY) < 0.015, rng.integers(0, 4, MANY), y), "p": p}


def rare(rng: Generator) -> Columns:
    p = np.clip(rng.beta(0.3, 9, MANY), 1e-6, 1)
    return {"y": labels(rng, p), "p": p}


LOSSES = [
    Rows("four times too sure, 2 % noise, 80 rows", overconfident, 80, "log_loss brier", BINARY),
    Rows("calibrated and sharp, 60 rows", sharp, 60, "log_loss brier", BINARY),
    Rows("calibrated and sharp, 200 rows, 90 %", sharp, 200, "log_loss brier", BINARY, 0.9),
    Rows("clipped at 0.001, 0.5 % noise, 150 rows", clipped, 150, "log_loss brier", BINARY),
    Rows("four classes, 1.5 % noise, 120 rows", sharp_kinds, 120, "log_loss brier", {"labels": (0, 1, 2, 3)}),
    Rows("calibrated, 3 % positive, 400 rows, 90 %", rare, 400, "log_loss brier", BINARY, 0.9),
]


# Predicted numbers


def numbers(truth, error, rng: Generator) -> Columns:
    y = truth(rng)
    return {"y": y, "p": y + error(rng, y)}


def skewed_errors(rng, y):
    return rng.gamma(2, 1, MANY) - 2


def multiplied(rng, y):
    return y * (rng.gamma(12, 1 / 12, MANY) - 1)


def contaminated(rng, y):
    return rng.normal(size=MANY) * np.where(rng.random(MANY) < 0.05, 4, 1)


def counts(rng: Generator) -> Columns:
    rate = rng.gamma(3, 1.2, MANY) + 0.2
    return {"y": rng.poisson(rate).astype(float), "p": rate}


def tall(rng):
    return rng.normal(170, 9, MANY)


REGRESSION = [
    Rows("Laplace errors, 40 rows", partial(numbers, tall, lambda r, y: r.laplace(0, 5, MANY)), 40, OF_ERRORS, NUMBERS),
    Rows("gamma errors, 60 rows", partial(numbers, tall, skewed_errors), 60, OF_ERRORS, NUMBERS),
    Rows(
        "Weibull truth, errors in proportion, 150 rows",
        partial(numbers, lambda r: 5 * r.weibull(0.8, MANY) + 0.1, multiplied),
        150,
        f"{OF_ERRORS} mape wape",
        NUMBERS,
    ),
    Rows("5 % of errors four times as large, 300 rows", partial(numbers, tall, contaminated), 300, OF_ERRORS, NUMBERS),
    Rows(
        "uniform errors, 25 rows, 99 %",
        partial(numbers, tall, lambda r, y: r.uniform(-4, 5, MANY)),
        25,
        OF_ERRORS,
        NUMBERS,
        0.99,
    ),
    Rows("counts, 200 rows, 90 %", counts, 200, "bias mae mse poisson_deviance", NUMBERS, 0.9),
]


# Many classes


def shares_alone(shares: np.ndarray, rng: Generator) -> Columns:
    y = rng.choice(len(shares), MANY, p=shares)
    return {"y": y, "p": np.where(rng.random(MANY) < 0.6, y, rng.integers(0, len(shares), MANY))}


def zipf(k: int) -> np.ndarray:
    return (w := 1 / np.arange(1, k + 1)) / w.sum()


def kinds(shares: np.ndarray, error: float, rng: Generator) -> Columns:
    """Errors fall on the neighbouring class, more often on the commoner one."""
    k = len(shares)
    y = rng.choice(k, MANY, p=shares)
    step = np.where(rng.random(MANY) < 0.7, -1, 1)
    return {"y": y, "p": np.where(rng.random(MANY) < error, (y + step) % k, y)}


def dirichlet(k: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.full(k, 3.0))


OF_KINDS = "f1(average=macro) mcc kappa balanced_accuracy accuracy"
CLASSES = [
    Rows("largest of 40 Zipf classes, 500 rows", partial(shares_alone, zipf(40)), 500, "no_information_rate"),
    Rows("largest of 25 equal classes, 300 rows", partial(shares_alone, np.full(25, 0.04)), 300, "no_information_rate"),
    Rows(
        "largest of 200 equal classes, 1 000 rows",
        partial(shares_alone, np.full(200, 0.005)),
        1000,
        "no_information_rate",
    ),
    Rows(
        "two equal classes of six, 250 rows, 90 %",
        partial(shares_alone, np.array([0.3, 0.3, 0.1, 0.1, 0.1, 0.1])),
        250,
        "no_information_rate",
        level=0.9,
    ),
    Rows("8 classes, 20 % errors, 400 rows", partial(kinds, dirichlet(8, 1), 0.2), 400, OF_KINDS, {"labels": range(8)}),
    Rows(
        "15 classes, 8 % errors, 900 rows", partial(kinds, dirichlet(15, 2), 0.08), 900, OF_KINDS, {"labels": range(15)}
    ),
    Rows(
        "5 uneven classes, 45 % errors, 150 rows",
        partial(kinds, np.array([0.5, 0.25, 0.12, 0.08, 0.05]), 0.45),
        150,
        OF_KINDS,
        {"labels": range(5)},
    ),
]


# Hosmer and Lemeshow's test of calibrated predictions, and means over queries


def calibrated(a: float, b: float, decimals: int, rng: Generator) -> Columns:
    p = np.clip(np.round(rng.beta(a, b, MANY), decimals), 10.0**-decimals, 1 - 10.0**-decimals)
    return {"y": labels(rng, p), "p": p}


def logit_normal(rng: Generator) -> Columns:
    p = expit(logit(0.1) + 0.9 * rng.normal(size=MANY))
    return {"y": labels(rng, p), "p": p}


GOODNESS = [
    Rows("calibrated, beta(2, 5), 300 rows", partial(calibrated, 2, 5, 9), 300, "hosmer_lemeshow_p", BINARY),
    Rows("calibrated, uniform, 150 rows", partial(calibrated, 1, 1, 9), 150, "hosmer_lemeshow_p", BINARY),
    Rows("calibrated, one decimal, 500 rows", partial(calibrated, 2, 2, 1), 500, "hosmer_lemeshow_p", BINARY),
    Rows("calibrated, logit-normal about 10 %, 1 500 rows", logit_normal, 1500, "hosmer_lemeshow_p", BINARY),
]

QUERIES = [
    Queries(
        "beta(3, 1), one in ten is 0, 25 queries", lambda r: np.where(r.random(MANY) < 0.1, 0, r.beta(3, 1, MANY)), 25
    ),
    Queries("reciprocal of 1 + Poisson(2), 40 queries, 90 %", lambda r: 1 / (1 + r.poisson(2, MANY)), 40, 0.9),
]
