"""Models over folds and resamples: stable and unstable learners, rare classes, leave-one-out, .632+."""

from functools import partial

import numpy as np
from scipy.special import expit
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from trials.cells import Fits
from trials.draws import Generator
from trials.learners import Centroids, LeastSquares, Logistic, Neighbour

AWAY = 0.4 * np.ones(5)  # each class's centre is so far from the origin
SLOPES = np.array([1.0, -0.5, 0.0, 0.0, 0.25])
Data = tuple[np.ndarray, np.ndarray]


def apart(rng: Generator, n: int, share: float = 0.5, scale: float = 1.0) -> Data:
    """Two normal classes in five dimensions."""
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=(n, 5)) + scale * np.where(y[:, None], AWAY, -AWAY), y


def linear(rng: Generator, n: int) -> Data:
    X = rng.normal(size=(n, 5))
    return X, X @ SLOPES + rng.normal(size=n)


def broad(rng: Generator, n: int) -> Data:
    """Five of thirty features matter."""
    X = rng.normal(size=(n, 30))
    return X, X[:, :5] @ SLOPES + rng.normal(size=n)


def bent(rng: Generator, n: int) -> Data:
    """A line and a wave, with long-tailed errors."""
    X = rng.normal(size=(n, 3))
    return X, 2 * X[:, 0] + 2 * np.sin(2 * X[:, 1]) + rng.standard_t(4, n)


def curved(rng: Generator, n: int) -> Data:
    X = rng.normal(size=(n, 1))
    return X, (rng.random(n) < expit(2.5 * X[:, 0])).astype(int)


def corners(rng: Generator, n: int, share: float = 0.5) -> Data:
    """A class that two features decide together, with a fifth of the labels wrong."""
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] * X[:, 1] > 0) & (X[:, 2] > -1) if share == 0.5 else (X[:, 0] > 0.5) & (X[:, 1] > -0.3)
    return X, np.where(rng.random(n) < 0.2, ~y if share == 0.5 else False, y).astype(int)


tree = partial(DecisionTreeClassifier, random_state=0)
number_tree = partial(DecisionTreeRegressor, max_depth=3, random_state=0)
stump = partial(tree, max_depth=1)
seven = partial(KNeighborsClassifier, 7)
weak, rarer = partial(apart, share=0.1, scale=0.5), partial(apart, share=0.2, scale=0.7)
rare_corner = partial(corners, share=0.2)
SCORES = "accuracy brier log_loss roc_auc"
LABELS = "accuracy recall precision f1 balanced_accuracy mcc"


def parts() -> dict[str, list[Fits]]:
    stable = [
        Fits("logistic, weak, 10 % of 2 000, 5 folds", weak, 2000, Logistic, SCORES, {"cv": 5}),
        Fits("logistic, weak, 10 % of 200, 10 folds", weak, 200, Logistic, f"{SCORES} average_precision", {"cv": 10}),
        Fits("logistic, 50 rows, 5 folds", apart, 50, Logistic, "accuracy brier roc_auc", {"cv": 5}),
        Fits("centroids, 60 rows, 10 folds", apart, 60, Centroids, "error_rate", {"cv": 10}),
        Fits("centroids, 200 rows, 5 x 2 folds", apart, 200, Centroids, "error_rate", {"cv": "5x2"}),
        Fits("least squares, 60 rows, 10 folds", linear, 60, LeastSquares, "mse mae r2", {"cv": 10}),
        Fits("logistic, 20 % of 500, 5 folds", rarer, 500, Logistic, f"{LABELS} roc_auc average_precision", {"cv": 5}),
        Fits("least squares, 60 rows, 15 hold-outs", linear, 60, LeastSquares, "mse", {"cv": 0.2, "repeats": 15}),
        Fits("least squares, 40 rows, leave one out", linear, 40, LeastSquares, "mse mae", {"cv": "loo"}),
    ]
    unstable = [
        Fits("neighbour, 50 rows, 5 folds", curved, 50, Neighbour, "error_rate", {"cv": 5}),
        Fits("neighbour, 60 rows, 10 x 10 folds", curved, 60, Neighbour, "error_rate", {"cv": 10, "repeats": 10}),
        Fits("neighbour, 50 rows, leave one out", curved, 50, Neighbour, "error_rate", {"cv": "loo"}),
        Fits(
            "3 neighbours, 100 rows, 5 folds",
            corners,
            100,
            partial(KNeighborsClassifier, 3),
            "accuracy brier",
            {"cv": 5},
        ),
        Fits("tree, 50 rows, 5 folds", corners, 50, tree, "accuracy", {"cv": 5}),
        Fits(
            "tree of depth 4, 20 % of 500, 5 folds",
            rare_corner,
            500,
            partial(tree, max_depth=4),
            "accuracy brier roc_auc",
            {"cv": 5},
        ),
        Fits(
            "tree of depth 3, 60 rows, 4 x 5 folds",
            corners,
            60,
            partial(tree, max_depth=3),
            "accuracy brier",
            {"cv": 5, "repeats": 4},
        ),
        Fits(
            "tree of depth 3, 20 % of 200, 5 folds", rare_corner, 200, partial(tree, max_depth=3), LABELS, {"cv": 5}
        ),
        Fits("tree of depth 1, 60 rows, 10 folds", corners, 60, stump, "accuracy brier", {"cv": 10}),
        Fits("7 neighbours, 200 rows, 10 folds", corners, 200, seven, "accuracy brier roc_auc", {"cv": 10}),
        Fits("ridge, 30 features, 60 rows, 10 folds", broad, 60, partial(Ridge, 10.0), "mse mae r2", {"cv": 10}),
        Fits("tree of depth 3, numbers, 100 rows, 5 folds", bent, 100, number_tree, "mse mae r2", {"cv": 5}),
        Fits("tree, 50 rows, leave one out", corners, 50, tree, "accuracy", {"cv": "loo"}),
    ]
    resampled = [
        Fits("centroids, 60 rows, .632+", apart, 60, Centroids, "error_rate", {"replicates": 50}),
        Fits("least squares, 60 rows, .632+", linear, 60, LeastSquares, "mse", {"replicates": 50}),
        Fits("neighbour, 60 rows, .632+", curved, 60, Neighbour, "error_rate", {"replicates": 50}),
        Fits(
            "tree of depth 4, 100 rows, .632+",
            corners,
            100,
            partial(tree, max_depth=4),
            "error_rate roc_auc",
            {"replicates": 50},
        ),
        Fits("logistic, weak, 10 % of 200, .632+", weak, 200, Logistic, "error_rate brier roc_auc", {"replicates": 50}),
    ]
    return {"stable learners": stable, "unstable learners": unstable, "resamples, .632+": resampled}
