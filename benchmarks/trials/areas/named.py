"""Coefficients and methods that papers name. Published methods are not the defaults: nothing is promised for them, and
the tables say how far they are off."""

from collections.abc import Mapping
from functools import partial

import numpy as np
from scipy.special import expit

import calipers as cal
from calipers.metrics.base import CATALOGUE
from trials.areas.clusters import Tables, shares
from trials.areas.methods import Methods, OfNumbers
from trials.areas.ranking import POPULATIONS
from trials.areas.regression import numbers
from trials.cells import MANY, Columns, Queries, Rows, Tests, Trial
from trials.draws import BINARY, NUMBERS, Generator, labels

AGREEMENT = "scott_pi krippendorff_alpha gwet_ac1 bennett_s bangdiwala_b"
ASSOCIATION = ("cramer_v", "contingency_coefficient", "goodman_kruskal_lambda", "class_entropy", "joint_entropy",
               "conditional_entropy")  # fmt: skip
OF_NUMBERS = "relative_absolute_error log_cosh"


def flagged(share: float, rng: Generator) -> Columns:
    """Labels of a model with a recall and a specificity of 80 %."""
    y = labels(rng, share, MANY)
    return {"y": y, "p": labels(rng, np.where(y, 0.8, 0.2))}


def scored(shift: float, rng: Generator) -> Columns:
    """Normal scores, so far apart."""
    y = labels(rng, 0.5, MANY)
    return {"y": y, "p": expit(shift * y + rng.normal(size=MANY))}


def rated(share: float, right: float, rng: Generator) -> Columns:
    """Three classes, the first with this share; predictions are right so often, and guess otherwise."""
    sizes = (share, (1 - share) / 2, (1 - share) / 2)
    y = rng.choice(3, MANY, p=sizes)
    return {"y": y, "p": np.where(rng.random(MANY) < right, y, rng.choice(3, MANY, p=sizes))}


def correlated(kind: str, rng: Generator) -> Columns:
    """A correlation of 0.6 of normal numbers, or of their exponentials."""
    x, noise = rng.normal(size=(2, MANY))
    p = 0.6 * x + 0.8 * noise
    return {"y": x, "p": p} if kind == "normal" else {"y": np.exp(x), "p": np.exp(p)}


def two_areas(n: int, shift: float, rng: Generator) -> Mapping[str, float]:
    """P-values of equal areas of different rows."""
    sizes = (n, 3 * n)
    truths = [np.arange(size) % 2 for size in sizes]
    first, second = (cal.evaluate(y, expit(shift * y + rng.normal(size=len(y))), metrics=["roc_auc"]) for y in truths)
    ways = ("delong", "delong-z")
    return {way: cal.compare_independent(first, second, method=way)["roc_auc"].pvalue for way in ways}


def differences(n: int, rng: Generator) -> Mapping[str, float]:
    """Heavy tails around 0; an interval rejects where 0 lies outside."""
    zeros, d = np.zeros(n), rng.standard_t(3, n)
    located = cal.compare_folds(zeros, d, method="hodges-lehmann")
    return {
        "Hodges-Lehmann interval": 0.0 if located.low > 0 or located.high < 0 else 1.0,
        "Wilcoxon": located.pvalue,
        "sign": cal.compare_folds(zeros, d, method="sign").pvalue,
    }


def parts() -> dict[str, list[Trial | Methods | OfNumbers | Tables]]:
    ratios = "diagnostic_odds_ratio lr_plus lr_minus recall"
    of_labels = [Rows(f"labels, {n} rows, {share:.0%} positive", partial(flagged, share), n, ratios, BINARY)
                 for n in (60, 300) for share in (0.5, 0.15)]  # fmt: skip
    of_scores = [Rows(f"normal scores {shift} apart, {n} rows", partial(scored, shift), n, "roc_auc", BINARY)
                 for n in (40, 120) for shift in (1.0, 2.5)]  # fmt: skip
    pearson = [Rows(f"{kind} numbers, {n} rows", partial(correlated, kind), n, "pearson", NUMBERS)
               for kind in ("normal", "log-normal") for n in (20, 100)]  # fmt: skip
    tables = {"3 × 3, 80 % right": shares(3, 3, 0.8), "3 × 3, 10 % right": shares(3, 3, 0.1),
              "5 × 5, 60 % right, uneven": shares(5, 5, 0.6, uneven=True)}  # fmt: skip
    errors = ("normal errors", "lognormal truth and errors", "errors grow with the truth")
    geometric = CATALOGUE["gm_map"].formula
    queries = ("beta(1/2, 1), as average precision", "6 in 10 are 0", "beta(2, 2)")
    return {
        "agreement": [Rows(f"{share:.0%} of the first of 3 classes, {right:.0%} right, {n} rows",
                           partial(rated, share, right), n, AGREEMENT, {"labels": (0, 1, 2)})
                      for share, right in ((1 / 3, 0.7), (0.8, 0.5), (0.6, 0.0)) for n in (60, 300)],
        "association": [Tables(f"{name}, {n} rows", table, n, metrics=ASSOCIATION)
                        for name, table in tables.items() for n in (100, 400)],
        "numbers": [Rows(f"{kind}, {n} rows", partial(numbers, kind), n, OF_NUMBERS, NUMBERS)
                    for kind in errors for n in (30, 100)],
        "geometric means": [Queries(f"{name}, {n} queries", POPULATIONS[name], n, of=geometric, key="gm_map")
                            for name in queries for n in (30, 100)],
        "published intervals": [
            *(Methods(rows, only=("woolf", "simel", "wilson-cc", "hanley-mcneil")) for rows in of_labels + of_scores),
            *(OfNumbers(rows, methods={"pearson": ("fisher-z",)}) for rows in pearson),
        ],
        "areas of different rows": [Tests(f"{n} and {3 * n} rows, normal scores {shift} apart",
                                          partial(two_areas, n, shift)) for n in (40, 120) for shift in (1.0, 2.5)],
        "differences": [Tests(f"{n} differences with heavy tails", partial(differences, n), ("Wilcoxon", "sign"))
                        for n in (10, 30)],
    }  # fmt: skip
