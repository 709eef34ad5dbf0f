"""Rows for every task from one generator, so that every test meets ties, infinities, lone classes and weights."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import calipers as cal
from calipers import addresses
from calipers.data.batch import Batch
from calipers.data.item_facts import Features
from calipers.data.item_pairs import Coded, Pairs
from calipers.data.rankings import Rankings
from calipers.data.reading import read
from calipers.data.reading_rankings import of_lists
from calipers.data.recommendations import Given, Reading
from calipers.data.recommendations import read as recommendations
from calipers.data.texts import TextPart, documents, parts
from calipers.data.topics import Vocabulary
from calipers.settings import Rules, Settings

collect_ignore_glob = ["known/*/make.py"]  # these freeze what peers answered, and need the peers

# No deadlines: peers are slow, machines are shared, and time is for benchmarks to judge. On CI every run draws the same
# examples, so that a submission is judged by what it changed; everywhere else they are new each time.
settings.register_profile(
    "calipers", deadline=None, derandomize="CI" in os.environ, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("calipers")



@pytest.fixture(scope="session", autouse=True)
def not_published():
    """Texts of views are frozen without links, so that `make urls` changes none of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(addresses, "SITE", "https://calipers.example/docs")
        yield


KINDS = ("binary labels", "probabilities", "margins", "classes", "matrix", "score matrix", "label sets", "numbers")
NAMES = {"int": (0, 1, 2, 3, 4), "str": ("ab", "b", "c", "é", "京"), "wide": (-7, 0, 3, 10**12, 2**40)}


@dataclass(frozen=True)
class Rows:
    """What a user would pass: the truth, the prediction, weights, groups, and the options."""

    truth: Any
    pred: Any = None
    score: Any = None
    weights: Any = None
    group: Any = None
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __len__(self) -> int:
        return len(self.truth)

    def take(self, index: Any) -> Rows:
        """These rows, in this order; an index that comes twice is a row that comes twice."""
        parts = {name: getattr(self, name) for name in ("truth", "pred", "score", "weights", "group")}
        return replace(self, **{name: None if part is None else part[index] for name, part in parts.items()})

    def batch(self) -> Batch:
        """The rows as the library reads them."""
        by = None if self.group is None else {"group": self.group}
        return read(Settings(**self.options), self.truth, self.pred, self.score, self.weights, by)

    def evaluate(self, **more: Any) -> cal.Evaluation:
        """The evaluation of the rows."""
        by = None if self.group is None else {"group": self.group}
        options = {"score": self.score, "weights": self.weights, "by": by, **self.options, **more}
        return cal.evaluate(self.truth, self.pred, **options)


@dataclass(frozen=True)
class Queries(Rows):
    """A row is a query: the relevances of its documents in `truth`, their scores in `score`."""

    def batch(self) -> Rankings:
        return of_lists(Rules(**self.options), self.truth.tolist(), self.score.tolist())


@dataclass(frozen=True)
class Clusters(Rows):
    """Classes and clusters, which have no weights."""

    def batch(self) -> Batch:
        by = None if self.group is None else {"group": self.group}
        return read(Settings(**self.options), self.truth, self.pred, by=by)


@dataclass(frozen=True)
class Lists(Rows):
    """Users with items that they liked and items that they were shown; the history is of other users."""

    def batch(self) -> Any:
        def coded(lists: Any, name: str) -> Coded:
            rows = [(user, item, float(n)) for user, items in enumerate(lists) for n, item in enumerate(items)]
            return Coded.of(Pairs(*map(list, zip(*rows, strict=True)), name))

        past = Coded.of(Pairs([900 + user for user in range(8)] * 2, [*range(8), *range(1, 9)], None, "history"))
        given = Given(list(range(30)), past, Features(list(range(30)), np.arange(90.0).reshape(30, 3) % 7))
        return recommendations(coded(self.truth, "truth"), coded(self.score, "recommendations"), given, Reading())


def lists_of(rng: Any, n: int) -> Lists:
    """Users with 1 to 4 liked items and 1 to 9 recommended ones of 30."""
    lists = [np.empty(n, object) for _ in range(2)]
    for column, most in zip(lists, (4, 9), strict=True):
        for user in range(n):
            column[user] = rng.choice(30, int(rng.integers(1, most + 1)), replace=False).tolist()
    return Lists(lists[0], None, lists[1])


@dataclass(frozen=True)
class Documents(Rows):
    """A row is a document: its tokens in `truth`, its log-likelihood in `score`."""

    def batch(self) -> TextPart:
        vocabulary = Vocabulary((("a", "b", "é"), ("b", "京"), ("c", "never")))
        likelihoods = None if self.score is None else self.score.tolist()
        return next(parts(vocabulary, documents(self.truth.tolist(), likelihoods), size=1 << 30))


def documents_of(rng: Any, n: int) -> Documents:
    """Documents of 0 to 40 tokens, some of them equal; half of the time with a log-likelihood."""
    texts = np.empty(n, object)
    for at in range(n):
        texts[at] = rng.choice(["a", "b", "c", "é", "京", "x", "y"], int(rng.choice([0, 1, 2, 40]))).tolist()
    return Documents(texts, None, np.round(-rng.exponential(size=n), 3) if rng.random() < 0.5 else None)


def queries_of(rng: Any, n: int, digits: int, options: Mapping[str, Any]) -> Queries:
    """Queries of 0 to 12 documents, graded from 0 to 3 or not judged; with one digit, many of a score."""
    truth, score = np.empty(n, object), np.empty(n, object)
    for query in range(n):
        size = int(rng.integers(0, 13))
        grades = rng.integers(0, 4, size).astype(float)
        grades[rng.random(size) < 0.2] = np.nan
        truth[query], score[query] = grades.tolist(), np.round(rng.normal(size=size), digits).tolist()
    return Queries(truth, None, score, options=options)


def rows_of(kind: str, seed: int, **traits: Any) -> Rows:
    """Random rows of a task. What `traits` does not set is drawn.

    Traits are n, classes, names, digits (ties), dtype, weighted, grouped.

    `whole` asks for every class in the truth; without it one class may be all there is.
    """
    rng = np.random.default_rng(seed)
    n = traits.get("n", int(rng.choice([1, 2, 3, 5, 12, 40])))
    digits = traits.get("digits", int(rng.choice([0, 1, 16])))
    dtype = traits.get("dtype", rng.choice([np.float64, np.float32]))
    whole, k = traits.get("whole", False), traits.get("classes", int(rng.integers(2, 5)))
    weighted = traits.get("weighted", rng.random() < 0.4)
    weights = rng.choice([0.25, 1.0, 2.0, rng.exponential() + 1e-3], n) if weighted else None
    group = np.array(["north", "south", "west"])[rng.integers(0, 3, n)] if traits.get("grouped", False) else None
    side_columns = {"weights": weights, "group": group}

    def codes(classes: int) -> Any:
        share = rng.dirichlet(np.full(classes, 0.7))
        draws = rng.choice(classes, n, p=share)
        return rng.permutation(np.concatenate((np.arange(classes), draws[classes:]))) if whole else draws

    def numbers(x: Any) -> Any:
        return np.round(x, digits).astype(dtype)

    if kind == "queries":
        return queries_of(rng, n, digits, traits.get("options", {"ties": ("mean", "order")[seed % 2]}))
    if kind == "lists":
        return lists_of(rng, n)
    if kind == "documents":
        return documents_of(rng, n)
    if kind == "clusters":
        truth = np.array(["ab", "b", "c", "é", "京"])[codes(k)]
        names = np.array((-1, 0, 3, 7, 10**12))
        pred = names[np.where(rng.random(n) < 0.6, np.unique(truth, return_inverse=True)[1] + 1, rng.integers(0, 5, n))]
        return Clusters(truth, pred, group=group, options={"task": "clustering"})
    if kind in ("numbers", "outputs"):
        shape = n if kind == "numbers" else (n, 2)
        truth = numbers(rng.lognormal(size=shape) * rng.choice([1.0, 50.0]) + 0.1)
        score = np.maximum(numbers(truth * rng.lognormal(0, 0.3, shape)), truth.dtype.type(0.1))
        if traits.get("negative", rng.random() < 0.3):
            truth = truth - truth.dtype.type(2)
        return Rows(truth, score, None, **side_columns, options={"task": "regression"})
    if kind == "label sets":
        truth, score = rng.random((n, k)) < rng.uniform(0.1, 0.9, k), numbers(rng.random((n, k)))
        if whole:
            truth[:2] = np.resize([[True, False], [False, True]], (2, k)) if n > 1 else truth[:2]
            truth[0], truth[1] = np.arange(k) % 2 == 0, np.arange(k) % 2 == 1
        pred = score >= 0.5 if traits.get("cut", rng.random() < 0.5) else rng.random((n, k)) < 0.4
        return Rows(truth.astype(int), pred.astype(int), score, **side_columns)
    if kind in ("probabilities", "margins", "binary labels"):
        truth = codes(2)
        spread = numbers(rng.normal(size=n) + truth * rng.uniform(-1, 3))
        if kind == "binary labels":
            return Rows(truth, (spread > 0.5).astype(int), **side_columns, options={"labels": (0, 1), "task": "binary"})
        if kind == "margins":
            if traits.get("infinite", rng.random() < 0.3):
                spread[rng.random(n) < 0.2] = rng.choice([-np.inf, np.inf])
            return Rows(truth, None, spread, **side_columns, options={"positive": 1, "labels": (0, 1)})
        return Rows(
            truth,
            None,
            numbers(1 / (1 + np.exp(-spread.astype(float)))),
            **side_columns,
            options={"positive": 1, "labels": (0, 1)},
        )
    names = np.array(NAMES[traits.get("names", rng.choice([*NAMES]))][:k])
    truth = codes(k)
    if kind == "classes":
        pred = np.where(rng.random(n) < 0.6, truth, codes(k))
        return Rows(names[truth], names[pred], **side_columns, options={"task": "multiclass"})
    score = rng.normal(size=(n, k)) + np.eye(k)[truth]
    if kind == "matrix":
        score = np.exp(score)
        score = np.maximum(np.round(score / score.sum(1, keepdims=True), max(1, digits)), 1e-3)
        score = (score / score.sum(1, keepdims=True)).astype(dtype)
    else:
        score = numbers(score + 10)  # rows that sum to 1 by chance would be read as probabilities
    options = {"labels": tuple(names.tolist()), "task": "multiclass"}
    return Rows(names[truth], None, score, **side_columns, options=options)


@pytest.fixture(scope="session")
def rows() -> Any:
    """`rows(kind, seed, **traits)`: random rows of a task."""
    return rows_of
