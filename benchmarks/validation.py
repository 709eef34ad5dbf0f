"""Ten folds by `calipers.cross_validate` and by scikit-learn's: same splits, models and metrics, training rows too.

Both sides compute on one thread: what is to be seen is what is spent beside fitting, which is the same work.
"""

from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

import calipers as cal
from timing import Row

NAMES = ("roc_auc", "average_precision", "accuracy", "f1")
FOLDS = StratifiedKFold(10, shuffle=True, random_state=0)
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())
FOREST = RandomForestClassifier(8, max_depth=10, random_state=0)


def data(model: Any) -> tuple:
    return model, *make_classification(20_000, 30, n_informative=10, flip_y=0.1, random_state=0)


def ours(model: Any, X: Any, y: Any) -> tuple:
    with threadpool_limits(1):
        validation = cal.cross_validate(model, X, y, cv=FOLDS, metrics=NAMES, seed=0)
    return tuple(float(validation[name]) for name in NAMES) + tuple(float(validation.train[name]) for name in NAMES)


def theirs(model: Any, X: Any, y: Any) -> tuple:
    with threadpool_limits(1):
        scores = cross_validate(model, X, y, cv=FOLDS, scoring=NAMES, return_train_score=True, return_indices=True)
    return tuple(float(np.mean(scores[f"{part}_{name}"])) for part in ("test", "train") for name in NAMES)


def rows() -> list[Row]:
    """Our time in units of theirs, which it may exceed by 5%."""
    return [
        Row(f"cross_validate, 10 folds, 20,000 rows, {name} / scikit-learn's", "<= 1.05", lambda m=model: data(m), ours,
            theirs, tolerance=1e-9)
        for name, model in (("logistic regression", LOGISTIC), ("forest of 8 trees", FOREST))
    ]  # fmt: skip
