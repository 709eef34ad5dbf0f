"""What the rows mean, found in one pass together with their statistics, where each partition looks like all rows.

A partition with both classes and scores, with measurements, or with many rows of each class, nearly always means what
all rows mean. It then also returns its statistics, and a second pass is needed only if another partition shows a
different meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from calipers.data.schema import Columns, Schema
from calipers.errors import CalipersError
from calipers.evaluation.merging import difference
from calipers.partitions.engine import Engine, Work, known_columns, result_of
from calipers.partitions.states import Pile, State, question_of
from calipers.partitions.witnesses import Meaning, joined_witnesses, meaning_of_witnesses, witnesses
from calipers.settings import Settings

PER_CLASS = 100  # rows, on average


@dataclass(frozen=True)
class Found:
    """The witnesses of some rows; with the statistics of these rows, if one schema fits each partition of them."""

    witnesses: Any
    schema: Schema | None = None
    state: State | None = None

    def __sizeof__(self) -> int:
        return 0 if self.state is None else self.state.size


@dataclass(frozen=True)
class FirstPass:
    """What each partition is asked while the meaning of all rows is not known."""

    settings: Settings
    columns: Columns
    by: Sequence[str]
    memory: int

    def of_tables(self, tables: Iterable[Any]) -> Found | None:
        """What a partition shows; None if it has no rows."""
        each = (self._of_table(table) for table in tables if len(table))
        for first in each:
            return self.joined(chain((first,), each))
        return None

    def _of_table(self, table: Any) -> Found:
        shown = witnesses(table, self.columns)
        try:
            meaning = meaning_of_witnesses(shown, self.settings, self.columns, self.by)
            if not _is_usual(meaning.schema, len(table)):
                return Found(shown)
            return Found(shown, meaning.schema, question_of(meaning, self.memory).of_tables([table]))
        except CalipersError:  # which the second pass raises, if all rows have this meaning
            return Found(shown)

    def joined(self, parts: Iterable[Found], *, beyond: bool = False) -> Found:
        """The parts as one; beyond: whether it is known that all statistics exceed the memory."""
        shown, pile = list[Any](), Pile(self.memory, beyond=beyond)
        schema, is_one = None, True
        for part in parts:
            shown.append(part.witnesses)
            schema = schema or part.schema
            if part.state is None or not _is_same(part.schema, schema):
                is_one = False
            elif is_one:
                pile.add(part.state)
        found = joined_witnesses(shown, self.columns)
        return Found(found, schema, pile.whole()) if is_one else Found(found)


def _is_usual(schema: Schema, rows: int) -> bool:
    """Whether this schema of so many rows is most likely that of all: few rows may lack one of many classes."""
    is_sure = schema.facts.of_numbers or (schema.facts.one_score and schema.scored)
    return is_sure or rows >= PER_CLASS * len(schema.labels)


def _is_same(first: Schema | None, second: Schema | None) -> bool:
    """Whether both read rows in the same way; scores that are no probabilities have other statistics."""
    if first is None or second is None or difference(Schema, first, second) is not None:
        return False
    return bool(first.why_not_probabilities) == bool(second.why_not_probabilities)


def meaning_and_state_of(
    engine: Engine, settings: Settings, columns: Columns, by: Sequence[str], memory: int
) -> tuple[Meaning, State | None]:
    """What the rows of all partitions mean, and their statistics, if each partition shows this meaning."""
    first = FirstPass(settings, columns, by, memory)
    work = Work(first.of_tables, first.joined, memory=memory, summarise=partial(first.joined, beyond=True))
    found = result_of(engine, known_columns(engine, *columns, by), work)
    meaning = meaning_of_witnesses(found and found.witnesses, settings, columns, by)
    return meaning, found.state if found and _is_same(found.schema, meaning.schema) else None
