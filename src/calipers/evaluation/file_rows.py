"""The columns of a file that are evaluated, and the settings of the evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from calipers.data.columns import Inputs
from calipers.data.schema import Columns as SchemaColumns
from calipers.data.schema import Names, Schema
from calipers.errors import InputError
from calipers.evaluation.evaluate import of_inputs
from calipers.evaluation.evaluation import Evaluation
from calipers.files.choosing import Chosen
from calipers.files.spellings import as_in, as_known, as_labels, values
from calipers.files.table import Columns
from calipers.remarks import Remark
from calipers.settings import Settings


@dataclass(frozen=True)
class FileRows:
    """The cells of a file that are to be measured, and which column is what."""

    chosen: Chosen
    cells: Columns
    slices: Sequence[str]
    weight: str | None
    groups: str | None
    others: Mapping[str, Any] = field(default_factory=dict)  # additional columns, for tables of rows

    def question(self, options: Mapping[str, Any], schema: Schema | None = None) -> tuple[Settings, Inputs]:
        """The settings and the rows; options: arguments of `calipers.evaluate`."""
        cells, chosen, options = self.cells, self.chosen, dict(options)
        groups = None if self.groups is None else cells["group", self.groups]
        weights = None if self.weight is None else cells["number", self.weight]
        by = {name: cells["group", name] for name in self.slices}
        if chosen.numbers:
            assert chosen.pred is not None
            true, predicted = cells["number", chosen.truth], cells["number", chosen.pred]
            if schema is None:
                options["task"] = "regression"
            return Settings(**options), self._inputs(true, predicted, None, weights, by, groups)
        labelled = [cells["label", name] for name in (chosen.truth, chosen.pred) if name is not None]
        columns = {name: cells["number", name] for name in chosen.scores}
        if schema is None:
            true, *labels = as_labels(labelled, options["labels"] or ())
            options |= _named_classes(true, chosen, options)
        else:
            true, *labels = (as_known(column, schema.labels) for column in labelled)
        score = None if not columns else next(iter(columns.values())) if len(columns) == 1 else columns
        return Settings(**options), self._inputs(true, labels[0] if labels else None, score, weights, by, groups)

    def _inputs(self, true: Any, pred: Any, score: Any, weights: Any, by: Mapping[str, Any], groups: Any) -> Inputs:
        chosen = self.chosen
        scores = None if not chosen.scores else chosen.scores[0] if len(chosen.scores) == 1 else list(chosen.scores)
        named = SchemaColumns(chosen.truth, chosen.pred, scores, self.weight, self.groups)
        return Inputs(true, pred, score, weights, by, groups, self.names, named, self.others)

    def evaluation(self, options: Mapping[str, Any], schema: Schema | None = None) -> Evaluation:
        """The evaluation of these rows, which mean what the schema says, or what they look like."""
        return of_inputs(*self.question(options, schema), schema)

    @property
    def names(self) -> Names:
        """How messages name the columns."""
        chosen = self.chosen
        scores: str = Remark("files.column", name=chosen.scores[0]) if chosen.scores else ""
        return Names(
            Remark("files.column", name=chosen.truth),
            "" if chosen.pred is None else Remark("files.column", name=chosen.pred),
            Remark("files.score_columns", names=chosen.scores) if len(chosen.scores) > 1 else scores,
        )


def _named_classes(true: Any, chosen: Chosen, options: Mapping[str, Any]) -> dict[str, Any]:
    """The positive class and the list of classes as the truth writes them, or as the names of score columns say."""
    positive, labels = options["positive"], options["labels"]
    if positive is not None:
        positive = as_in(true, [positive])[0]
    elif len(chosen.classes) == len(chosen.scores) == 1:
        positive = as_in(true, chosen.classes)[0]
    if labels is not None:
        labels = as_in(true, labels)
    elif chosen.classes and len(chosen.scores) > 1:
        labels = _matched(true, chosen)
    return {"positive": positive, "labels": labels}


def _matched(true: Any, chosen: Chosen) -> list[Any]:
    """The classes of the score columns, as the truth writes them; a true label without a column is an error."""
    classes = as_in(true, chosen.classes)
    lacking = [v for v in values(true) if v not in classes]
    if lacking:
        raise InputError("files.no_score_column", label=lacking[0], truth=chosen.truth, columns=chosen.scores)
    return classes
