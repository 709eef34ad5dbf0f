"""Rows in groups: patients with several rows each, of one class or of both."""

from functools import partial

import numpy as np
from scipy.special import expit, logit

from trials.cells import Columns, Rows
from trials.draws import BINARY, NUMBERS, OF_BINARY, Generator, grouped, labels

Sizes = int | str
PATIENTS, DEVICES = 40_000, 10_000
OF_GROUPS = f"{OF_BINARY} specificity"


def sizes_of(rng: Generator, sizes: Sizes, patients: int) -> np.ndarray:
    """All alike, or skewed between 2 and 60 (median 7), or negative binomial, or such that a few have most rows."""
    if sizes == "skewed":
        return np.clip(np.round(np.exp(rng.normal(2, 1, patients))), 2, 60).astype(int)
    if sizes == "negative binomial":
        return 1 + rng.negative_binomial(1, 0.15, patients)
    if sizes == "large":
        return rng.integers(20, 101, patients)
    if sizes == "Zipf":
        return np.minimum(rng.zipf(1.8, patients), 60)
    if sizes == "Pareto":
        return np.minimum(np.ceil(1 + rng.pareto(1.1, patients)), 300).astype(int)
    if sizes == "hubs":
        return np.where(rng.random(patients) < 0.05, 60, 3)
    return np.full(patients, sizes)


def patients(sizes: Sizes, share: float, rng: Generator, shift: float = 1.8, effect: str = "normal") -> Columns:
    """Patients of one class each; half of the score's variance is the patient's own."""
    g = grouped(sizes_of(rng, sizes, PATIENTS))
    y = labels(rng, share, PATIENTS)[g]
    own = rng.normal(size=PATIENTS) if effect == "normal" else rng.standard_t(4, PATIENTS) / np.sqrt(2)
    x = shift * (y - 0.5) + np.sqrt(0.5) * own[g] + np.sqrt(0.5) * rng.normal(size=len(g))
    return {"y": y, "p": expit(shift * x), "groups": g}


def mixed(sizes: Sizes, rng: Generator) -> Columns:
    """Patients with rows of both classes, whose share and scores are the patient's own."""
    g = grouped(sizes_of(rng, sizes, PATIENTS))
    y = labels(rng, expit(rng.normal(0, 1.5, PATIENTS))[g])
    x = 1.6 * (y - 0.5) + 0.8 * rng.normal(size=PATIENTS)[g] + rng.normal(size=len(g))
    return {"y": y, "p": expit(x), "groups": g}


def offsets(kind: str, rng: Generator, count: int) -> np.ndarray:
    """What the scores of a group have in common, with a variance of 1."""
    draw = {
        "normal": rng.standard_normal,
        "laplace": lambda n: rng.laplace(0, np.sqrt(0.5), n),
        "t4": lambda n: rng.standard_t(4, n) / np.sqrt(2),
        "uniform": lambda n: rng.uniform(-np.sqrt(3), np.sqrt(3), n),
        "one-sided": lambda n: rng.exponential(1, n) - 1,
    }
    return np.asarray(draw[kind](count))


def devices(sizes: Sizes, kind: str, own: float, share: float, rng: Generator, mixture: float = 0.0) -> Columns:
    """Rows of both classes whose scores share an offset of their device; shares of positives may differ too."""
    g = grouped(sizes_of(rng, sizes, DEVICES))
    y = labels(rng, expit(logit(share) + mixture * rng.normal(size=DEVICES))[g])
    x = 2 * y - 1 + logit(share) / 2 + own * offsets(kind, rng, DEVICES)[g] + rng.normal(size=len(g))
    return {"y": y, "p": expit(x), "groups": g}


def households(sizes: Sizes, kind: str, share: float, rng: Generator) -> Columns:
    """Households of one class each and of very different sizes, whose scores share an offset."""
    g = grouped(sizes_of(rng, sizes, PATIENTS))
    y = labels(rng, share, PATIENTS)[g]
    x = 2 * y - 1 + logit(share) / 2 + offsets(kind, rng, PATIENTS)[g] + rng.normal(size=len(g))
    return {"y": y, "p": expit(x), "groups": g}


def three_classes(rng: Generator) -> Columns:
    g = grouped(np.full(PATIENTS, 5))
    y = rng.choice(3, PATIENTS, p=[0.5, 0.3, 0.2])[g]
    x = 1.5 * np.eye(3)[y] + 0.7 * rng.normal(size=(PATIENTS, 3))[g] + 0.7 * rng.normal(size=(len(g), 3))
    return {"y": y, "p": x.argmax(1), "groups": g}


def measured(sizes: Sizes, rng: Generator) -> Columns:
    """Predicted numbers whose errors have a part of the patient's own."""
    g = grouped(sizes_of(rng, sizes, PATIENTS))
    y = rng.normal(30, 6, PATIENTS)[g] + rng.normal(size=len(g))
    return {"y": y, "p": y + rng.normal(size=PATIENTS)[g] + rng.normal(size=len(g)), "groups": g}


def rows(name: str, n: int, whole, metrics: str = OF_GROUPS, how: dict = BINARY, level: float = 0.95) -> Rows:
    return Rows(name, whole, n, metrics, how, level)


def parts() -> dict[str, list[Rows]]:
    one_class = [
        rows("40 patients x 5 rows, 50 % positive", 40, partial(patients, 5, 0.5)),
        rows("30 patients x 5 rows, 20 % positive", 30, partial(patients, 5, 0.2)),
        rows("60 patients x 5 rows, 10 % positive", 60, partial(patients, 5, 0.1)),
        rows("60 patients x 5 rows, 10 % positive, nearly perfect", 60, partial(patients, 5, 0.1, shift=4.0)),
        rows("100 patients, skewed sizes, 5 % positive", 100, partial(patients, "skewed", 0.05)),
        rows("200 patients, skewed sizes, 10 % positive", 200, partial(patients, "skewed", 0.1)),
        rows("12 patients, skewed sizes, 50 % positive", 12, partial(patients, "skewed", 0.5)),
        rows("20 patients, skewed sizes, 50 % positive", 20, partial(patients, "skewed", 0.5)),
        rows("40 patients, skewed sizes, 50 % positive", 40, partial(patients, "skewed", 0.5)),
        rows("50 patients, negative binomial sizes, t4 effects, 15 % positive", 50,
             partial(patients, "negative binomial", 0.15, effect="t")),
        rows("25 patients, negative binomial sizes, t4 effects, 40 % positive", 25,
             partial(patients, "negative binomial", 0.4, effect="t")),
        rows("500 pairs of rows, 0.6 % positive, nearly perfect", 500, partial(patients, 2, 0.006, shift=4.0),
             "recall precision f1 accuracy roc_auc"),
        rows("150 patients of one row, 10 % positive", 150, partial(patients, 1, 0.1)),
        rows("40 patients x 5 rows, 30 % positive, 90 %", 40, partial(patients, 5, 0.3), level=0.9),
        rows("60 patients, skewed sizes, 20 % positive, 99 %", 60, partial(patients, "skewed", 0.2), level=0.99),
    ]  # fmt: skip
    both = [
        rows("mixed classes, 15 patients x 5 rows", 15, partial(mixed, 5)),
        rows("mixed classes, 30 patients, skewed sizes", 30, partial(mixed, "skewed")),
        rows("mixed classes, 10 hospitals of 20 to 100 rows", 10, partial(mixed, "large")),
        rows("mixed classes, 25 hospitals of 20 to 100 rows", 25, partial(mixed, "large")),
    ]
    shared = [
        rows("8 devices x 40 rows, normal offsets of 0.5", 8, partial(devices, 40, "normal", 0.5, 0.5)),
        rows("10 devices x 60 rows, Laplace offsets of 1", 10, partial(devices, 60, "laplace", 1.0, 0.5)),
        rows("12 devices x 25 rows, normal offsets of 0.8", 12, partial(devices, 25, "normal", 0.8, 0.5)),
        rows("12 devices x 30 rows, Laplace offsets of 0.7, 10 % positive", 12,
             partial(devices, 30, "laplace", 0.7, 0.1)),
        rows("15 devices, negative binomial sizes, normal offsets of 1", 15,
             partial(devices, "negative binomial", "normal", 1.0, 0.5, mixture=1.0)),
        rows("15 devices x 40 rows, Laplace offsets of 1", 15, partial(devices, 40, "laplace", 1.0, 0.5)),
        rows("15 devices x 40 rows, normal offsets of 0.1", 15, partial(devices, 40, "normal", 0.1, 0.5)),
        rows("20 devices x 30 rows, t4 offsets of 1.2, 40 % positive", 20, partial(devices, 30, "t4", 1.2, 0.4)),
        rows("25 devices, skewed sizes, one-sided offsets of 0.8, 30 % positive", 25,
             partial(devices, "skewed", "one-sided", 0.8, 0.3, mixture=0.7)),
        rows("40 devices x 15 rows, Laplace offsets of 1.5, 20 % positive", 40,
             partial(devices, 15, "laplace", 1.5, 0.2)),
        rows("60 devices x 10 rows, Laplace offsets of 1.2", 60, partial(devices, 10, "laplace", 1.2, 0.5)),
    ]  # fmt: skip
    uneven = [
        rows("80 households, Zipf sizes, both classes", 80,
             partial(devices, "Zipf", "one-sided", 1.0, 0.3, mixture=1.0)),
        rows("100 households, 5 % of them with 60 rows, 30 % positive", 100,
             partial(households, "hubs", "normal", 0.3)),
        rows("120 households, Zipf sizes, 10 % positive", 120, partial(households, "Zipf", "normal", 0.1)),
        rows("200 households, Pareto sizes, 15 % positive", 200, partial(households, "Pareto", "normal", 0.15)),
    ]  # fmt: skip
    others = [
        rows("three classes, 40 patients x 5 rows", 40, three_classes,
             "accuracy balanced_accuracy f1(average=macro) mcc kappa", {"labels": (0, 1, 2)}),
        rows("numbers, 30 patients x 5 rows", 30, partial(measured, 5), "bias mae mse rmse r2", NUMBERS),
        rows("numbers, 30 patients, skewed sizes", 30, partial(measured, "skewed"), "bias mae mse rmse r2", NUMBERS),
    ]  # fmt: skip
    return {
        "patients of one class": one_class,
        "patients with rows of both classes": both,
        "devices whose scores share an offset": shared,
        "a few groups have most of the rows": uneven,
        "other tasks": others,
    }
