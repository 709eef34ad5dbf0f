"""Models over folds and resamples."""

from functools import partial

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from trials.cells import Fits
from trials.held_out.common import Generator


def rings(rng: Generator, n: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """A class around the other: no line separates them."""
    y = (rng.random(n) < share).astype(int)
    angle, radius = rng.uniform(0, 2 * np.pi, n), 1 + 0.9 * y + 0.5 * rng.normal(size=n)
    return np.c_[radius * np.cos(angle), radius * np.sin(angle)], y


def faint(rng: Generator, n: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Eight skewed features of which two say a little."""
    y = (rng.random(n) < share).astype(int)
    x = rng.gamma(2, 1, (n, 8))
    x[:, :2] += 0.6 * y[:, None]
    return x, y


def bumps(rng: Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    x = rng.uniform(-2, 2, (n, 2))
    return x, np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] ** 2 + 0.5 * rng.standard_t(5, n)


def plane(rng: Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    x = rng.laplace(0, 1, (n, 6))
    return x, x @ np.array([1, 1, 0.5, 0, 0, 0]) + rng.gumbel(0, 1, n)


OF_FITS = "accuracy brier log_loss roc_auc"
FOLDS = [
    Fits(
        "naive Bayes, faint signal, 15 % of 400, 5 folds",
        partial(faint, share=0.15),
        400,
        GaussianNB,
        OF_FITS,
        {"cv": 5},
    ),
    Fits(
        "logistic regression, faint signal, 4 % of 1 000, 10 folds",
        partial(faint, share=0.04),
        1000,
        partial(LogisticRegression, max_iter=300),
        OF_FITS,
        {"cv": 10},
    ),
    Fits(
        "3 neighbours, rings, 30 % of 80, 10 folds",
        partial(rings, share=0.3),
        80,
        partial(KNeighborsClassifier, 3),
        "accuracy brier roc_auc",
        {"cv": 10},
    ),
    Fits(
        "tree of depth 6, rings, 120 rows, 3 x 5 folds",
        partial(rings, share=0.5),
        120,
        partial(DecisionTreeClassifier, max_depth=6),
        "accuracy brier",
        {"cv": 5, "repeats": 3},
    ),
    Fits(
        "tree of depth 3, faint signal, 6 % of 500, 5 folds",
        partial(faint, share=0.06),
        500,
        partial(DecisionTreeClassifier, max_depth=3),
        "accuracy brier roc_auc",
        {"cv": 5},
    ),
    Fits(
        "stump, rings, 40 rows, leave one out",
        partial(rings, share=0.5),
        40,
        partial(DecisionTreeClassifier, max_depth=1),
        "accuracy brier",
        {"cv": "loo"},
    ),
    Fits("ridge, 45 rows, leave one out", plane, 45, Ridge, "mse mae", {"cv": "loo"}),
    Fits(
        "5 neighbours of numbers, 100 rows, 10 folds",
        bumps,
        100,
        partial(KNeighborsRegressor, 5),
        "mse mae",
        {"cv": 10},
    ),
    Fits(
        "regression tree, 80 rows, 5 folds",
        bumps,
        80,
        partial(DecisionTreeRegressor, max_depth=4),
        "mse mae",
        {"cv": 5},
    ),
    Fits(
        "1 neighbour, rings, 60 rows, .632+",
        partial(rings, share=0.5),
        60,
        partial(KNeighborsClassifier, 1),
        "error_rate",
        {"replicates": 50},
    ),
    Fits(
        "tree of depth 3, faint signal, 100 rows, .632+",
        partial(faint, share=0.4),
        100,
        partial(DecisionTreeClassifier, max_depth=3),
        "error_rate roc_auc",
        {"replicates": 50},
    ),
    Fits(
        "naive Bayes, faint signal, 20 % of 90, .632+",
        partial(faint, share=0.2),
        90,
        GaussianNB,
        "error_rate roc_auc brier",
        {"replicates": 50},
    ),
]
