"""`compare` by its defaults on models that are equally good, and on models that are equal in one measure only."""

from functools import partial

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr, ndtri

from trials.areas.groups import Sizes, sizes_of
from trials.cells import Null
from trials.draws import NUMBERS, OF_BINARY, Generator, grouped, labels

OF_NUMBERS = "r2 explained_variance concordance mse rmse mae"


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
    return own[g], {name: expit(1.6 * own[g] - 0.8 + e) for name, e in zip("AB", effects, strict=True)}, {"clusters": g}


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


def three_classes(n: int, rng: Generator):
    y = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    base = 1.2 * np.eye(3)[y] + 0.7 * rng.normal(size=(n, 3))
    return y, {name: (base + 0.7 * rng.normal(size=(n, 3))).argmax(1) for name in "AB"}, {}


def measured(count: int, rng: Generator):
    """Predicted numbers of patients."""
    g = grouped(sizes_of(rng, "skewed", count))
    y = rng.normal(30, 5, len(g))
    models = {name: y + rng.normal(size=count)[g] + rng.normal(size=len(g)) for name in "AB"}
    return y, models, {"clusters": g}


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
