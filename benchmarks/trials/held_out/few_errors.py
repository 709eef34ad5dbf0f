"""Models with few errors: written down after the intervals of tables were chosen on the populations of
areas/classes.py, and run once.
"""

import numpy as np

from trials.cells import MANY, Columns, Rows
from trials.held_out.common import BINARY, Generator, grouped, labels

OF_LABELS = "f1(average=macro) f1(average=micro) precision(average=macro) recall(average=macro) hamming_loss"
OF_TABLES = "accuracy balanced_accuracy f1(average=macro) f1(average=weighted) precision(average=macro) mcc kappa"


def neighbours(rng: Generator) -> Columns:
    """Seven ordered classes; errors are one class away."""
    y = rng.binomial(6, 0.45, MANY)
    step = np.where(rng.random(MANY) < 0.5, 1, -1) * (rng.random(MANY) < 0.04)
    return {"y": y, "p": np.clip(y + step, 0, 6)}


def rare_positives(rng: Generator) -> Columns:
    """3 % positive; one positive in six is missed, and 0.4 % of the negatives are called positive."""
    y = labels(rng, np.full(MANY, 0.03))
    return {"y": y, "p": labels(rng, np.where(y == 1, 5 / 6, 0.004))}


def letters(rng: Generator) -> Columns:
    """26 classes of Zipf shares; 1.5 % of the predictions are any class."""
    of = 1 / (3.0 + np.arange(26))
    y = rng.choice(26, MANY, p=of / of.sum())
    return {"y": y, "p": np.where(rng.random(MANY) < 0.015, rng.integers(0, 26, MANY), y)}


def documents(rng: Generator) -> Columns:
    """Four classes in groups of four rows; one group in sixteen has errors."""
    g = grouped(np.full(MANY // 4, 4))
    y, difficult = rng.integers(0, 4, len(g)), (rng.random(MANY // 4) < 1 / 16)[g]
    return {"y": y, "p": np.where(difficult & (rng.random(len(g)) < 0.6), rng.integers(0, 4, len(g)), y), "groups": g}


def weighted(rng: Generator) -> Columns:
    """Twelve classes with weights that are not related to errors."""
    y = rng.integers(0, 12, MANY)
    wrong = rng.random(MANY) < 0.03
    return {"y": y, "p": np.where(wrong, rng.integers(0, 12, MANY), y), "weights": rng.gamma(2, 0.5, MANY)}


def flipped(rng: Generator) -> Columns:
    """Five labels, of which 1 % are wrong."""
    y = (rng.random((MANY, 5)) < [0.5, 0.3, 0.2, 0.2, 0.1]).astype(np.int8)
    return {"y": y, "p": np.where(rng.random((MANY, 5)) < 0.01, 1 - y, y).astype(np.int8)}


FEW_ERRORS = [
    Rows("7 ordered classes, errors of one class, 250 rows", neighbours, 250, OF_TABLES, {"labels": range(7)}),
    Rows("3% positive, few errors, 1000 rows", rare_positives, 1000, "accuracy f1 balanced_accuracy mcc kappa", BINARY),
    Rows("26 letters, 1.5% noise, 1200 rows", letters, 1200, OF_TABLES, {"labels": range(26)}),
    Rows("150 documents of 4 rows, few difficult ones", documents, 150, OF_TABLES, {"labels": range(4)}),
    Rows("12 classes with weights, 3% noise, 500 rows", weighted, 500, OF_TABLES, {"labels": range(12)}),
    Rows(
        "five labels, 1% wrong, 300 rows",
        flipped,
        300,
        f"{OF_LABELS} jaccard_of_rows",
        {"task": "multilabel", "labels": tuple("abcde")},
    ),
]
