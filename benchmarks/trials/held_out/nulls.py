"""Comparisons of equally good models."""

from functools import partial

import numpy as np
from scipy.special import expit

from trials.cells import Null
from trials.held_out.common import NUMBERS, OF_BINARY, Generator, grouped, labels


def equal_scores(n: int, share: float, count: int, common: float, rng: Generator):
    """Exchangeable models; what they have in common is skewed, what is their own is not."""
    y = labels(rng, np.full(n, share))
    y[:4] = 0, 0, 1, 1
    base = common * (rng.exponential(1, n) - 1)
    models = {f"m{i}": expit(1.7 * y - 1 + base + (1 - common) * rng.logistic(0, 1, n)) for i in range(count)}
    return y, models, {}


def equal_in_groups(groups: int, share: float, rng: Generator):
    g = grouped(rng.geometric(1 / 6, groups))
    own = labels(rng, np.full(groups, share))
    own[:6] = 0, 1, 0, 1, 0, 1
    models = {
        name: expit(1.8 * own[g] - 1 + rng.gumbel(0, 0.8, groups)[g] + 0.6 * rng.normal(size=len(g))) for name in "AB"
    }
    return own[g], models, {"groups": g}


def saturated(rng: Generator):
    """Nearly the same model twice, nearly always right."""
    y = labels(rng, np.full(200, 0.4))
    shown = np.where(rng.random(200) < 0.03, 1 - y, y)
    base = 5 * (2 * shown - 1) + rng.normal(size=200)
    return y, {name: expit(base + 0.3 * rng.normal(size=200)) for name in "AB"}, {}


def equal_kinds(rng: Generator):
    y = rng.choice(4, 150, p=[0.4, 0.3, 0.2, 0.1])
    base = 1.4 * np.eye(4)[y] + 0.7 * rng.gumbel(size=(150, 4))
    return y, {name: (base + 0.7 * rng.gumbel(size=(150, 4))).argmax(1) for name in "AB"}, {}


def equal_numbers(n: int, count: int, truth, error, rng: Generator):
    y = truth(rng, n)
    common = error(rng, y)
    return y, {f"m{i}": y + (common + error(rng, y)) / np.sqrt(2) for i in range(count)}, {}


def equal_sites(rng: Generator):
    g = grouped(rng.integers(2, 13, 22))
    y = rng.gamma(3, 2, len(g))
    models = {name: y + rng.laplace(0, 0.6, 22)[g] + rng.normal(size=len(g)) for name in "AB"}
    return y, models, {"groups": g}


def equal_with_weights(rng: Generator):
    y, models, _ = equal_scores(200, 0.4, 2, 0.5, rng)
    return y, models, {"weights": rng.gamma(0.8, 1, 200) + 0.05}


OF_NUMBERS = "r2 explained_variance concordance mse mae"
NULLS = [
    Null(
        "two models, gamma truth, errors in proportion, 60 rows",
        partial(
            equal_numbers, 60, 2, lambda r, n: r.gamma(0.7, 3, n) + 0.1, lambda r, y: 0.4 * y * r.normal(size=len(y))
        ),
        OF_NUMBERS,
        NUMBERS,
    ),
    Null(
        "two models, Weibull truth, t3 errors, 90 rows",
        partial(equal_numbers, 90, 2, lambda r, n: 4 * r.weibull(0.7, n), lambda r, y: r.standard_t(3, len(y))),
        OF_NUMBERS,
        NUMBERS,
    ),
    Null(
        "five models, Laplace errors, 50 rows",
        partial(equal_numbers, 50, 5, lambda r, n: r.normal(0, 3, n), lambda r, y: r.laplace(0, 1, len(y))),
        OF_NUMBERS,
        NUMBERS,
    ),
    Null("two models in 22 sites of numbers", equal_sites, "mse mae bias", NUMBERS),
    Null("two models, 25 % of 140 rows", partial(equal_scores, 140, 0.25, 2, 0.6), OF_BINARY),
    Null("two models, 4 % of 500 rows", partial(equal_scores, 500, 0.04, 2, 0.4), OF_BINARY),
    Null("four models, 25 % of 120 rows", partial(equal_scores, 120, 0.25, 4, 0.5), "accuracy f1 roc_auc brier"),
    Null("two saturated models, 200 rows", saturated, "log_loss brier roc_auc average_precision accuracy"),
    Null("two models in 35 groups, 30 % positive", partial(equal_in_groups, 35, 0.3), OF_BINARY),
    Null("two models in 90 groups, 10 % positive", partial(equal_in_groups, 90, 0.1), OF_BINARY),
    Null(
        "two models of four classes, 150 rows",
        equal_kinds,
        "accuracy f1(average=macro) kappa mcc",
        {"labels": range(4)},
    ),
    Null("two models, gamma weights, 200 rows", equal_with_weights, OF_BINARY),
]
