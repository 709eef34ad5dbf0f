"""The inputs of the snapshot, by name: each gives a result whose numbers are frozen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import calipers as cal

Input = Callable[[], Any]
INPUTS: dict[str, Input] = {}


def rows(n: int, prevalence: float = 0.3, strength: float = 1.2, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Two classes and a score between 0 and 1, by arithmetic that every machine rounds alike."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prevalence).astype(int)
    raw = rng.random(n) + rng.random(n) + strength * y / 2
    return y, raw / 3.2


def classes(n: int, k: int, seed: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """K classes and a matrix of probabilities."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    raw = rng.random((n, k)) + 0.6 * (np.arange(k) == y[:, None])
    return y, raw / raw.sum(axis=1, keepdims=True)


def numbers(n: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Positive numbers and predictions that are off by up to a third."""
    rng = np.random.default_rng(seed)
    y = 1 + 20 * rng.random(n) ** 2
    return y, y * (0.7 + 0.6 * rng.random(n))


def sets(n: int, k: int = 4, seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Label sets and predicted sets."""
    rng = np.random.default_rng(seed)
    y = rng.random((n, k)) < 0.4
    return y.astype(int), np.where(rng.random((n, k)) < 0.8, y, ~y).astype(int)


def weights(n: int, seed: int = 5) -> np.ndarray:
    return 0.25 + 2 * np.random.default_rng(seed).random(n)


def add(name: str, given: Input) -> None:
    assert name not in INPUTS
    INPUTS[name] = given


class Bins:
    """The mean of the truth in equal bins of the first column, as a probability."""

    def __init__(self, bins: int = 4) -> None:
        self.bins = bins

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"bins": self.bins}

    def set_params(self, **params: Any) -> Bins:
        self.__dict__.update(params)
        return self

    def fit(self, X: np.ndarray, y: np.ndarray) -> Bins:
        self.classes_ = np.unique(y)
        at = self._bin(X)
        self.means_ = np.array([y[at == b].mean() if (at == b).any() else y.mean() for b in range(self.bins)])
        return self

    def _bin(self, X: np.ndarray) -> np.ndarray:
        return np.minimum((np.asarray(X)[:, 0] * self.bins).astype(int), self.bins - 1)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        p = self.means_[self._bin(X)]
        return np.column_stack([1 - p, p])


class Means(Bins):
    """The same as a predicted number."""

    predict_proba = None  # type: ignore[assignment]
    _estimator_type = "regressor"

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.means_[self._bin(X)]


def columns(score: np.ndarray, seed: int = 6) -> np.ndarray:
    """A table of features: the score and noise."""
    return np.column_stack([score, np.random.default_rng(seed).random(len(score))])


def qrels(queries: int, seed: int = 7) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgements and a run of eight documents per query."""
    rng = np.random.default_rng(seed)
    judged = {f"q{i}": {f"d{j}": int(rng.integers(0, 4)) for j in range(8)} for i in range(queries)}
    run = {q: {d: g + 3 * float(rng.random()) for d, g in one.items()} for q, one in judged.items()}
    return judged, run


def _evaluations() -> None:
    for n in (5, 40, 400, 3000):
        y, s = rows(n)
        add(f"scores, {n} rows", lambda y=y, s=s: cal.evaluate(y, s))
        add(f"labels, {n} rows", lambda y=y, s=s: cal.evaluate(y, (s > 0.4).astype(int)))
    y, s = rows(400)
    w, region, person = weights(400), np.where(np.arange(400) % 3 == 0, "north", "south"), np.arange(400) // 4
    add("scores, weights", lambda: cal.evaluate(y, s, weights=w))
    add("labels, weights", lambda: cal.evaluate(y, (s > 0.4).astype(int), weights=w))
    add("scores, whole weights", lambda: cal.evaluate(y, s, weights=np.ceil(w)))
    add("scores, slices", lambda: cal.evaluate(y, s, by={"region": region}))
    add("scores, groups", lambda: cal.evaluate(y, s, groups=person))
    add("labels, groups", lambda: cal.evaluate(y, (s > 0.4).astype(int), groups=person))
    add("scores, groups and weights", lambda: cal.evaluate(y, s, groups=person, weights=w))
    add("scores, threshold", lambda: cal.evaluate(y, s, threshold=0.3))
    add("scores, level 0.8", lambda: cal.evaluate(y, s, level=0.8))
    add("scores, level 0.999", lambda: cal.evaluate(y, s, level=0.999))
    add("scores, positive class 0", lambda: cal.evaluate(y, s, positive=0, labels=(0, 1)))
    add("scores, tied", lambda: cal.evaluate(y, np.round(s, 1)))
    add("scores, margins", lambda: cal.evaluate(y, 5 * s - 2, threshold=0.0))
    add("scores, float32", lambda: cal.evaluate(y, s.astype(np.float32)))
    add("scores, perfect", lambda: cal.evaluate(y, 0.1 + 0.8 * y))
    add("scores, one class", lambda: cal.evaluate(np.ones(30, int), rows(30)[1], labels=(0, 1), positive=1))
    for method in ("percentile", "basic", "bca"):
        small = rows(120)
        add(f"scores, {method}", lambda m=method, g=small: cal.evaluate(*g, interval=m, replicates=200, seed=3))
    for k, n in ((3, 60), (3, 600), (12, 800)):
        y_k, p_k = classes(n, k)
        add(f"{k} classes, {n} rows, matrix", lambda y=y_k, p=p_k: cal.evaluate(y, p))
        add(f"{k} classes, {n} rows, labels", lambda y=y_k, p=p_k: cal.evaluate(y, p.argmax(axis=1), task="multiclass"))
    y_3, p_3 = classes(600, 3)
    add("3 classes, weights", lambda: cal.evaluate(y_3, p_3, weights=weights(600)))
    add("3 classes, groups", lambda: cal.evaluate(y_3, p_3, groups=np.arange(600) // 5))
    add("3 classes, slices", lambda: cal.evaluate(y_3, p_3, by={"half": np.arange(600) % 2}))
    for n in (50, 500):
        add(f"label sets, {n} rows", lambda n=n: cal.evaluate(*sets(n), task="multilabel"))
    add("label sets, weights", lambda: cal.evaluate(*sets(200), task="multilabel", weights=weights(200)))
    for n in (8, 200):
        add(f"numbers, {n} rows", lambda n=n: cal.evaluate(*numbers(n)))
    add("numbers, weights", lambda: cal.evaluate(*numbers(200), weights=weights(200)))
    add("numbers, groups", lambda: cal.evaluate(*numbers(200), groups=np.arange(200) // 4))
    add("numbers, slices", lambda: cal.evaluate(*numbers(200), by={"half": np.arange(200) % 2}))
    add("counts", lambda: cal.evaluate_counts(tp=40, fp=7, fn=12, tn=141))
    add("counts, matrix", lambda: cal.evaluate_counts([[30, 4, 1], [3, 22, 6], [0, 5, 29]]))
    add("ranking", lambda: cal.evaluate_ranking(*qrels(30)))
    add(
        "ranking, cut-offs",
        lambda: cal.evaluate_ranking(*qrels(30), metrics=["ndcg@3", "p@5", "recall@5", "map", "mrr"]),
    )
    add("ranking, relevances", lambda: cal.evaluate_ranking(relevances=[[3, 0, 1], [0, 0, 2, 1], [1], [0, 1, 0]]))


def _comparisons() -> None:
    y, a = rows(300)
    b, c = 0.7 * a + 0.3 * rows(300, seed=8)[1], 0.9 * a + 0.1 * rows(300, seed=9)[1]
    person = np.arange(300) // 3
    add("compare two", lambda: cal.compare(y, {"a": a, "b": b}))
    add("compare three", lambda: cal.compare(y, {"a": a, "b": b, "c": c}))
    add("compare, Holm", lambda: cal.compare(y, {"a": a, "b": b, "c": c}, adjust="holm"))
    add("compare, weights", lambda: cal.compare(y, {"a": a, "b": b}, weights=weights(300)))
    add("compare, groups", lambda: cal.compare(y, {"a": a, "b": b}, groups=person))
    add("compare, margin", lambda: cal.compare(y, {"a": a, "b": b}, margin=0.05, metrics=["accuracy", "roc_auc"]))
    y_3, p = classes(300, 3)
    q = 0.5 * p + 0.5 * classes(300, 3, seed=10)[1]
    add("compare, 3 classes", lambda: cal.compare(y_3, {"p": p, "q": q}))
    z, one = numbers(150)
    add("compare, numbers", lambda: cal.compare(z, {"one": one, "two": 0.5 * (z + one)}))
    judged, run = qrels(25)
    other = {query: {d: s + (i % 3) for i, (d, s) in enumerate(docs.items())} for query, docs in run.items()}
    add("compare, rankings", lambda: cal.compare(judged, {"run": run, "other": other}))
    add("gate", lambda: cal.gate(cal.evaluate(y, a), ["accuracy >= 0.6", "roc_auc >= 0.95", "recall >= 0.5"]))
    ev, other_ev = (lambda: cal.evaluate(y, a)), (lambda: cal.evaluate(y, b))
    add("gate, baseline", lambda: cal.gate(ev(), baseline=other_ev(), margin=0.02, metrics=["roc_auc", "f1"]))
    pair = lambda: cal.compare(y, {"b": b, "a": a})  # noqa: E731
    add("gate, pair", lambda: cal.gate(ev(), baseline=pair(), margin=0.02, metrics=["roc_auc", "f1"]))


def _validations() -> None:
    y, s = rows(200)
    X, (z, predictions) = columns(s), numbers(120)
    Z = columns(predictions / 40)
    add("folds", lambda: cal.cross_validate(Bins(), X, y, cv=5, seed=1))
    add("folds, repeated", lambda: cal.cross_validate(Bins(), X, y, cv=4, repeats=3, seed=1))
    add("folds, groups", lambda: cal.cross_validate(Bins(), X, y, cv=5, seed=1, groups=np.arange(200) // 4))
    add("folds, numbers", lambda: cal.cross_validate(Means(), Z, z, cv=5, seed=1))
    add("bootstrap of a model", lambda: cal.bootstrap_validate(Bins(), X, y, replicates=50, seed=1))
    add("learning curve", lambda: cal.learning_curve(Bins(), X, y, cv=4, seed=1))
    add("validation curve", lambda: cal.validation_curve(Bins(), X, y, "bins", [2, 4, 8], cv=4, seed=1))
    add("bias and variance", lambda: cal.bias_variance(Means(), Z, z, replicates=40, seed=1))
    add("selection", lambda: cal.select({"two": Bins(2), "eight": Bins(8)}, X, y, cv=4, seed=1))


_evaluations()
_comparisons()
_validations()
