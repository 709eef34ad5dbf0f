"""Which columns of a file are the models, and what they say: labels, scores or numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from calipers.errors import InputError
from calipers.files.choosing import named, one_of_usual, split
from calipers.files.column_names import PRED, SCORE, TRUTH
from calipers.files.guessing import are_measurements
from calipers.files.table import Columns, Table


class Models(NamedTuple):
    """What one file says: its truth, the columns of its models (scores, or labels), the key of its rows."""

    title: str
    truth: Any
    predictions: dict[str, Any]
    labelled: bool
    key: Any = None
    groups: Any = None
    weights: Any = None
    steps: tuple[str, ...] = ()
    by: Mapping[str, Any] = MappingProxyType({})


class ModelColumns(NamedTuple):
    """The columns of a file. labelled: models predict labels. of_numbers: truth and predictions are numbers."""

    truth: str
    models: list[str]
    labelled: bool
    of_numbers: bool
    keys: dict[str, str]  # "key" and "groups"
    weights: str | None
    by: list[str]
    inferred: bool = False  # whether some were found by their usual names

    @property
    def width(self) -> int:
        """How many columns are read."""
        return 1 + len(self.models) + len(self.keys) + (self.weights is not None) + len(self.by)

    @property
    def found(self) -> dict[str, list[str]]:
        """The columns of the truth and of the models, by the option that names them."""
        return {"truth": [self.truth], "pred" if self.labelled or self.of_numbers else "score": self.models}

    def read(self, table: Table) -> Models:
        """Read them."""
        numbers = [*([] if self.labelled else self.models), *([self.truth] if self.of_numbers else [])]
        numbers += [] if self.weights is None else [self.weights]
        labels = [] if self.of_numbers else [self.truth, *(self.models if self.labelled else [])]
        cells: Columns = table.read(labels, numbers, [*self.keys.values(), *self.by])
        kind = "label" if self.labelled else "number"
        return Models(
            table.title,
            cells["number" if self.of_numbers else "label", self.truth],
            {name: cells[kind, name] for name in self.models},
            self.labelled,
            cells.get(("group", self.keys.get("key", ""))),
            cells.get(("group", self.keys.get("groups", ""))),
            None if self.weights is None else cells["number", self.weights],
            tuple(table.steps()),
            {name: cells["group", name] for name in self.by},
        )


def choose_models(
    table: Table,
    truth: str | None,
    score: Sequence[str],
    pred: Sequence[str],
    key: str | None,
    group: str | None,
    weight: str | None,
    *,
    by: Sequence[str] = (),
    alone: bool,
    of_numbers: bool | None,
) -> ModelColumns:
    """The columns of a file; those that were not named are found by their usual names, scores before labels."""
    true = named(table, truth, "truth") if truth else one_of_usual(table, TRUTH, "truth", needed=True)
    option, requested = ("pred", split(table, pred)) if pred else ("score", split(table, score))
    columns = [named(table, name, option) for name in requested]
    if alone and len(columns) < 2:
        raise InputError("cli.one_file", file=table.title)
    if not alone and len(columns) > 1:
        raise InputError("cli.one_column_each", option=option)
    labelled = bool(pred)
    if not columns:
        scores = one_of_usual(table, SCORE, "score")
        labelled = scores is None
        columns = [scores or one_of_usual(table, PRED, "pred", needed=True)]
    other = {"key": key, "groups": group}
    keys = {what: named(table, name, f"--{what}") for what, name in other.items() if name}
    slicing = [named(table, name, "by") for name in split(table, by)]
    weights = None if weight is None else named(table, weight, "weights")
    if of_numbers is None:
        of_numbers = all(are_measurements(table.sample(true), table.sample(name)) for name in columns)
    labelled = labelled and not of_numbers
    inferred = not (truth and requested)
    return ModelColumns(true, columns, labelled, of_numbers, keys, weights, slicing, inferred)
