"""`compare` by its defaults on models that are equally good, and on models that are equal in one measure only."""

from functools import cache, partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr, ndtri

from trials.areas.groups import Sizes, sizes_of
from trials.cells import Null
from trials.draws import NUMBERS, OF_BINARY, Generator, grouped, labels

OF_SQUARES = "r2 explained_variance concordance mse rmse"
OF_NUMBERS = f"{OF_SQUARES} mae"


def scored(n: int, share: float, auc: float, common: float, count: int, rng: Generator):
    """Calibrated scorers of this AUC whose noise has `common` of its variance in common."""
    y = labels(rng, share, n)
    while not 2 <= y.sum() <= n - 2:
        y = labels(rng, share, n)
    shift, base = float(np.sqrt(2) * ndtri(auc)), rng.normal(size=n)
    noise = (np.sqrt(common) * base + np.sqrt(1 - common) * rng.normal(size=n) for _ in range(count))
    models = {f"m{i}": expit(shift * (shift * y + e) - shift**2 / 2 + logit(share)) for i, e in enumerate(noise)}
    return y, models, {}


def equal_in_one(n: int, share: float, name: str, rng: Generator):
    """Models of equal F1, or equal balanced accuracy, at different recall."""
    value = partial({"f1": f1, "balanced_accuracy": balanced}[name], share=share)
    specific = brentq(lambda s: value(0.9, s) - value(0.5, 0.97), 0.3, 0.9999)
    y = np.zeros(n, int)
    y[: max(2, rng.binomial(n, share))] = 1
    common = rng.normal(size=n)
    predicted = []
    for recall, specificity in ((0.5, 0.97), (0.9, specific)):
        right = ndtr(0.7 * common + np.sqrt(0.51) * rng.normal(size=n)) < np.where(y == 1, recall, specificity)
        predicted.append(np.where(right, y, 1 - y))
    return y, dict(zip("AB", predicted, strict=True)), {}


def f1(recall: float, specificity: float, share: float) -> float:
    return 2 * share * recall / (share * (1 + recall) + (1 - share) * (1 - specificity))


def balanced(recall: float, specificity: float, share: float) -> float:
    return (recall + specificity) / 2


def patients(count: int, sizes: Sizes, share: float, rng: Generator):
    """Patients of one class each; most of a model's noise is the patient's own."""
    own = labels(rng, share, count)
    own[:4] = 0, 0, 1, 1
    g = grouped(sizes_of(rng, sizes, count))
    effects = (rng.normal(size=count)[g] + 0.5 * rng.normal(size=len(g)) for _ in range(2))
    return own[g], {name: expit(1.6 * own[g] - 0.8 + e) for name, e in zip("AB", effects, strict=True)}, {"groups": g}


def numbers(n: int, kind: str, count: int, rng: Generator):
    """Errors of all models have half of their variance in common."""
    y = {
        "lognormal": lambda: rng.lognormal(0, 1, n), "Pareto": lambda: 1 + rng.pareto(2.2, n),
        "t2 errors": lambda: rng.normal(0, 3, n), "normal": lambda: rng.normal(0, 3, n),
    }[kind]()  # fmt: skip

    def error() -> np.ndarray:
        e = rng.standard_t(2, n) if kind == "t2 errors" else rng.normal(size=n)
        return 0.4 * y * e if kind in ("lognormal", "Pareto") else e

    common = error()
    return y, {f"m{i}": y + (common + error()) / np.sqrt(2) for i in range(count)}, {}


def unlike(n: int, kind: str, rng: Generator):
    """Errors of equal mean square and unlike shape."""
    y = rng.normal(0, 3, n)
    other = {
        "t5": lambda: rng.standard_t(5, n) / np.sqrt(5 / 3),
        "Laplace": lambda: rng.laplace(0, np.sqrt(0.5), n),
        "rare": lambda: np.where(rng.random(n) < 0.05, 5.0, 1.0) * rng.normal(size=n) / np.sqrt(2.2),
    }[kind]()
    own = rng.uniform(-np.sqrt(3), np.sqrt(3), n) if kind == "Laplace" else rng.normal(size=n)
    return y, {"A": y + own, "B": y + other}, {}


def confident(n: int, share: float, rng: Generator):
    """An overconfident and a calibrated model of equal log loss."""
    y = labels(rng, share, n)
    while not 2 <= y.sum() <= n - 2:
        y = labels(rng, share, n)
    noise, base = rng.normal(size=(2, n)), rng.normal(size=n)
    first, second = (np.sqrt(0.5) * (base + e) for e in noise)
    overconfident, calibrated = log_odds(y, first, share, 2.0, 2.0), log_odds(y, second, share, equal_loss(share), 1.0)
    return y, {"sure": expit(overconfident), "calibrated": expit(calibrated)}, {}


def log_odds(y: np.ndarray, noise: np.ndarray, share: float, shift: float, sharpen: float) -> np.ndarray:
    return sharpen * (shift * (shift * (y - 0.5) + noise) + logit(share))


@cache
def equal_loss(share: float) -> float:
    """The shift of a calibrated model whose log loss is that of one with twice the log-odds of a shift of 2."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)

    def loss(shift: float, sharpen: float) -> float:
        odds = (log_odds(np.array(y), nodes, share, shift, sharpen) for y in (0, 1))
        negative, positive = (np.logaddexp(0, side * each) for side, each in zip((1, -1), odds, strict=True))
        return float(weights @ ((1 - share) * negative + share * positive) / weights.sum())

    return float(brentq(lambda shift: loss(shift, 1.0) - loss(2.0, 2.0), 0.05, 3.0))


def saturated(n: int, noise: float, rng: Generator):
    """Two models that separate the classes, as sure as 6 and as some other log-odds; their log loss is equal."""

    def loss(odds: float) -> float:
        return (1 - noise) * np.logaddexp(0, -odds) + noise * np.logaddexp(0, odds)

    best = logit(1 - noise)
    other = brentq(lambda odds: loss(odds) - loss(6.0), 0.1, best)
    y = labels(rng, 0.5, n)
    noisy = np.where(rng.random(n) < noise, 1 - y, y)
    jitter = 1 + 1e-3 * rng.normal(size=(2, n))  # so that losses of a model differ at all
    return noisy, {"sure": expit((2 * y - 1) * 6 * jitter[0]), "less": expit((2 * y - 1) * other * jitter[1])}, {}


def three_classes(n: int, rng: Generator):
    y = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    base = 1.2 * np.eye(3)[y] + 0.7 * rng.normal(size=(n, 3))
    return y, {name: (base + 0.7 * rng.normal(size=(n, 3))).argmax(1) for name in "AB"}, {}


def measured(count: int, rng: Generator):
    """Predicted numbers of patients."""
    g = grouped(sizes_of(rng, "skewed", count))
    y = rng.normal(30, 5, len(g))
    models = {name: y + rng.normal(size=count)[g] + rng.normal(size=len(g)) for name in "AB"}
    return y, models, {"groups": g}


def parts() -> dict[str, list[Null]]:
    sizes = ((60, 0.5), (150, 0.2), (300, 0.1), (1000, 0.05))
    rows = [
        Null(
            f"two models of AUC {auc:g}, {n} rows, {share:.0%} positive",
            partial(scored, n, share, auc, 0.5, 2),
            OF_BINARY,
            {"threshold": share},
        )
        for n, share in sizes
        for auc in (0.7, 0.9)
    ]
    rows += [
        Null(
            f"two models that nearly agree, {n} rows",
            partial(scored, n, 0.4, 0.8, 0.999, 2),
            OF_BINARY,
            {"threshold": 0.4},
        )
        for n in (100, 400)
    ]
    rows += [
        Null(f"two models of equal {name} and different recall, {n} rows", partial(equal_in_one, n, share, name), name)
        for n, share in ((150, 0.3), (300, 0.1))
        for name in ("f1", "balanced_accuracy")
    ]
    rows += [
        Null(
            "two models of three classes, 120 rows",
            partial(three_classes, 120),
            "accuracy f1(average=macro) mcc kappa",
            {"labels": (0, 1, 2)},
        )
    ]
    rows += [
        Null(
            f"an overconfident and a calibrated model of equal log loss, {n} rows, {share:.0%} positive",
            partial(confident, n, share),
            "log_loss",
        )
        for n, share in ((30, 0.5), (60, 0.5), (150, 0.1), (500, 0.03))
    ]
    rows += [
        Null(f"two saturated models of equal log loss, 1 % noise, {n} rows", partial(saturated, n, 0.01), "log_loss")
        for n in (50, 100, 300)
    ]
    rows.append(Null("two models of AUC 0.8, 100 rows, calibration", partial(scored, 100, 0.4, 0.8, 0.5, 2), "ece"))
    several = [
        Null(
            f"{count} models, {n} rows", partial(scored, n, 0.3, 0.8, 0.5, count), "accuracy f1 roc_auc log_loss brier"
        )
        for count, n in ((3, 100), (5, 300))
    ]
    several.append(Null("4 models of numbers, 80 rows", partial(numbers, 80, "lognormal", 4), OF_NUMBERS, NUMBERS))
    of_numbers = [
        Null(f"two models, {kind}, {n} rows", partial(numbers, n, kind, 2), OF_NUMBERS, NUMBERS)
        for kind in ("lognormal", "Pareto", "t2 errors", "normal")
        for n in (40, 100)
    ]
    of_numbers += [
        Null(f"two models, {name}, {n} rows", partial(unlike, n, kind), OF_SQUARES, NUMBERS)
        for kind, name in (
            ("t5", "normal and t5 errors"),
            ("Laplace", "uniform and Laplace errors"),
            ("rare", "normal errors and one in twenty five times as large"),
        )
        for n in (40, 100, 300)
    ]
    in_groups = [
        Null(
            f"two models, {count} patients, {sizes} rows each, {share:.0%} positive",
            partial(patients, count, sizes, share),
            OF_BINARY,
        )
        for count, sizes, share in (
            (40, 5, 0.15),
            (60, 5, 0.1),
            (100, "skewed", 0.05),
            (20, "skewed", 0.5),
            (60, 5, 0.4),
        )
    ]
    in_groups.append(Null("two models of numbers, 25 patients", partial(measured, 25), "mse mae", NUMBERS))
    return {"rows": rows, "several models": several, "predicted numbers": of_numbers, "rows in groups": in_groups}
