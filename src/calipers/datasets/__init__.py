"""Small example files that come with the package."""

from __future__ import annotations

import csv
from importlib import resources

from calipers.errors import UnknownName, nearest

NUMBERS = {"bad_debt": ("score",), "weather": ("p_rain", "p_snow", "p_sun"), "flats": ("truth", "predicted"),
           "flowers": ("length", "width")}  # fmt: skip


def names() -> list[str]:
    """The names of the examples that `load` reads.

    >>> names()
    ['bad_debt', 'flats', 'flowers', 'weather']
    """
    return sorted(NUMBERS)


def path(name: str) -> str:
    """Where an example file is, such as the judgements "search.qrels" and the runs "search.run" and "search_new.run",
    or the recommended films "films_recommendations.csv".

    >>> path("search.qrels").endswith("search.qrels")
    True
    """
    known = sorted(f.name for f in resources.files(__name__).iterdir() if not f.name.startswith("_"))
    if name not in known:
        raise UnknownName("datasets.unknown_file", name=name, near=nearest(name, known))
    return str(resources.files(__name__).joinpath(name))


def load(name: str) -> dict[str, list[str] | list[float]]:
    """The columns of an example: text, and numbers in the columns of scores and measurements.

    >>> example = load("bad_debt")
    >>> list(example), len(example["truth"])
    (['truth', 'predicted', 'score', 'region'], 1000)
    """
    if name not in names():
        raise UnknownName("datasets.unknown", name=name, near=nearest(name, names()))
    text = resources.files(__name__).joinpath(f"{name}.csv").read_text(encoding="utf-8")
    head, *rows = csv.reader(text.splitlines())
    columns = dict(zip(head, map(list, zip(*rows, strict=True)), strict=True))
    return {key: [float(v) for v in column] if key in NUMBERS[name] else column for key, column in columns.items()}
