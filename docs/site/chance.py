"""What guessing gives on the example data, for the metric cards: predictions that know nothing of the truth."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

import calipers as cal
from calipers import datasets
from calipers.errors import CalipersError

TIMES = 8  # guesses whose mean is shown


class Guess(NamedTuple):
    """What was guessed, in words, and the evaluations of the guesses."""

    words: str
    evaluations: tuple[Any, ...]


def about(name: str) -> str:
    """The mean value of guesses, and what was guessed; empty where no guess has a value."""
    for guess in guesses():
        values = [value for ev in guess.evaluations if not math.isnan(value := value_of(ev, name))]
        if values:
            mean = float(np.mean(values))
            written = f"{mean:.3g}" if abs(mean) < 1000 else f"{mean:,.0f}"
            return f"depends on the data; about {written} for {guess.words}"
    return ""


def value_of(ev: Any, name: str) -> float:
    """A metric of an evaluation; NaN where it has none."""
    try:
        return float(ev[name])
    except CalipersError:
        return math.nan


@cache
def guesses() -> tuple[Guess, ...]:
    """Guesses for each task."""
    made: dict[str, Callable[[np.random.Generator], Any]] = {
        "the loans if the predictions are shuffled": loans,
        "the weather forecasts if they are shuffled": forecasts,
        "the searches if the documents are in random order": searches,
        "200 rows with four labels if the predictions are shuffled": labels,
        "two clusters of 50 rows each if the rows are shuffled": clusters,
        "the films if random ones are recommended": films,
        "the articles with topics of random words": articles,
    }
    several = [Guess(words, tuple(make(rng) for rng in seeds())) for words, make in made.items()]
    return (Guess("the flats if the mean is always predicted", (flats(),)), *several)


def seeds() -> Iterator[np.random.Generator]:
    """Sources of random numbers, one for each guess."""
    return map(np.random.default_rng, range(TIMES))


def flats() -> Any:
    """The mean price for every flat."""
    truth = datasets.load("flats")["truth"]
    return cal.evaluate(truth, [float(np.mean(truth))] * len(truth))


def loans(rng: np.random.Generator) -> Any:
    """The predictions of other loans."""
    loans = datasets.load("bad_debt")
    other = rng.permutation(len(loans["truth"]))
    predicted, score = (np.asarray(loans[name])[other] for name in ("predicted", "score"))
    return cal.evaluate(loans["truth"], predicted, score=score, positive="BAD")


def forecasts(rng: np.random.Generator) -> Any:
    """The forecasts of other days."""
    days = datasets.load("weather")
    scores = np.column_stack([days[f"p_{label}"] for label in ("rain", "snow", "sun")])
    return cal.evaluate(days["truth"], scores[rng.permutation(len(scores))])


def searches(rng: np.random.Generator) -> Any:
    """The documents of each query in random order."""
    with open(datasets.path("search.run"), encoding="utf-8") as file:
        pairs = [(query, document) for query, _, document, *_ in map(str.split, file)]
    run: dict[str, dict[str, float]] = {}
    for query, document in pairs:
        run.setdefault(query, {})[document] = rng.random()
    return cal.evaluate_ranking(datasets.path("search.qrels"), run)


def labels(rng: np.random.Generator) -> Any:
    """Scores of other rows."""
    from cards import label_sets

    truth, scores = label_sets()
    return cal.evaluate(truth, scores[rng.permutation(len(scores))])


def clusters(rng: np.random.Generator) -> Any:
    """Clusters of the same sizes that have nothing to do with the points."""
    from cards import points

    classes, features = points()
    return cal.evaluate_clusters(rng.permutation(np.repeat([0, 1], 50)), classes, features)


def films(rng: np.random.Generator) -> Any:
    """Ten random films for each viewer, with random ratings."""
    with open(datasets.path("films_items.csv"), encoding="utf-8") as file:
        items = [row["item"] for row in csv.DictReader(file)]
    with open(datasets.path("films_truth.csv"), encoding="utf-8") as file:
        users = sorted({row["user"] for row in csv.DictReader(file)})
    shown = {user: dict(zip(rng.permutation(items)[:10], rng.uniform(1, 5, 10), strict=True)) for user in users}
    truth, history, features = (datasets.path(f"films_{name}.csv") for name in ("truth", "history", "items"))
    return cal.evaluate_recommendations(truth, shown, history=history, items=features, min_rating=4)


def articles(rng: np.random.Generator) -> Any:
    """As many topics of as many words, drawn from the words of the texts."""
    with open(datasets.path("articles_topics.json"), encoding="utf-8") as file:
        lengths = map(len, json.load(file).values())
    with open(datasets.path("articles.jsonl"), encoding="utf-8") as file:
        texts = [json.loads(line)["text"].split() for line in file]
    words = sorted({word for text in texts for word in text})
    return cal.evaluate_topics([list(rng.permutation(words)[:length]) for length in lengths], texts)
