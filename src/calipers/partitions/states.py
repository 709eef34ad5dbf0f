"""Statistics of a partition, merged within a given memory: exact while they fit, then sketches with brackets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from calipers.cached import lazy
from calipers.data.batch import Batch
from calipers.data.columns import Inputs
from calipers.data.reading import read
from calipers.data.schema import Columns, Schema
from calipers.errors import InputError
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.merging import MANY, merged, piled, whole
from calipers.evaluation.of_batch import checked, listed_in, of_batch, of_evidence, statistics_of
from calipers.evaluation.saved import SavedEvaluation, restored, saved
from calipers.evaluation.summary import PER_CELL, size_of, size_of_rows, sketch_count, summarised, within
from calipers.partitions.engine import BeyondMemory, Engine, Work, known_columns, result_of
from calipers.partitions.witnesses import Meaning
from calipers.settings import Label, Settings
from calipers.statistics.sketch import LEAST

NO_COLUMNS = Columns(None)
MOSTLY = 0.9  # of the bytes are of rows where sizes add up; counts of slices are merged into as many


@dataclass(frozen=True, eq=False)
class State:
    """The statistics of some rows; summarised: whether cells stand in the place of scores."""

    evaluation: Evaluation
    summarised: bool = False

    @lazy
    def size(self) -> int:
        """The bytes of the statistics."""
        return size_of(self.evaluation)

    def __sizeof__(self) -> int:
        return self.size  # which Dask asks for, to compute where large results are

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (saved(self.evaluation), self.summarised)

    def within(self, memory: int) -> State:
        """The state as it is while it fits, else summarised."""
        return self if self.size <= memory else merged_state([self], memory)


def _restored(evaluation: SavedEvaluation, is_summarised: bool) -> State:
    return State(restored(evaluation), is_summarised)


def merged_state(states: Sequence[State], memory: int, *, beyond: bool = False) -> State:
    """States as one, which is exact if all are and their rows fit the memory. What does not fit is not merged before it
    is summarised.

    beyond: whether it is known that the sizes of these and of other states exceed the memory.
    """
    exact = [state.evaluation for state in states if not state.summarised]
    summaries = [state.evaluation for state in states if state.summarised]
    of_rows = sum(map(size_of_rows, exact))
    is_beyond = of_rows > memory or (beyond and of_rows > MOSTLY * sum(map(size_of, exact)))
    if not summaries and not is_beyond:
        whole_state = State(whole(exact, merged))
        if whole_state.size <= memory:
            return whole_state
        exact = [whole_state.evaluation]
    if exact:
        schema, size = exact[0].schema, sum(map(size_of, exact))
        if schema.weighted and schema.scored:
            raise BeyondMemory("partitions.weights_beyond_memory", size=size, memory=memory)
        if schema.facts.ranked:
            return _without_documents(whole(exact, merged), memory)
        summaries.append(summarised(exact, memory // PER_CELL))
    return _in_few_cells(whole(summaries, merged), memory)


def _without_documents(ev: Evaluation, memory: int) -> State:
    """Rankings have no summary, but do without the documents of their queries."""
    ev = replace(ev, seen=replace(ev.views, rankings=None))
    if size_of(ev) > memory:
        raise BeyondMemory("partitions.queries_beyond_memory", size=size_of(ev), memory=memory)
    return State(ev)


def _in_few_cells(ev: Evaluation, memory: int) -> State:
    cells, count = memory // PER_CELL, sketch_count(ev)
    if count * LEAST > cells:
        raise BeyondMemory("partitions.slices_beyond_memory", count=count, needed=count * LEAST * PER_CELL)
    return State(within(ev, cells), summarised=True)


class Pile:
    """States that become one within a memory, as they come; beyond: whether it is known that all states exceed it."""

    def __init__(self, memory: int, *, beyond: bool = False) -> None:
        self._memory, self._beyond, self._states = memory, beyond, list[State]()

    def add(self, state: State) -> None:
        """One more. Those that may exceed the memory together wait for the others."""
        states = [*self._states, state.within(self._memory)]
        if sum(each.size for each in states) > self._memory:
            states = [self._merged(*states)]
        elif not self._beyond and state.size * MANY**2 <= self._memory:
            states = piled(states, self._merged, attrgetter("size"))
        self._states = states

    def whole(self) -> State:
        """All of them, which are not none, as one."""
        return whole(self._states, self._merged)

    def _merged(self, *states: State) -> State:
        return merged_state(states, self._memory, beyond=self._beyond)


def merged_states(states: Iterable[State], memory: int, *, beyond: bool = False) -> State:
    """All states as one."""
    pile = Pile(memory, beyond=beyond)
    for state in states:
        pile.add(state)
    return pile.whole()


@dataclass(frozen=True)
class Question:
    """The settings of the evaluation of each partition; has_notes: whether the notes on how rows are read are known."""

    settings: Settings
    schema: Schema
    memory: int
    has_notes: bool = False

    def of_tables(self, tables: Iterable[Any]) -> State:
        """The statistics of the tables of a partition."""
        return merged_states((State(self._of_table(table)) for table in tables), self.memory)

    def _of_table(self, table: Any) -> Evaluation:
        if not len(table):
            return statistics_of(self.settings, Batch(self.schema, np.zeros(0)))
        inputs = Inputs.of(table, None, None, NO_COLUMNS, None, self.schema)
        batch = read(self.settings, *inputs.values, names=inputs.names, schema=self.schema)
        batch = replace(batch, notes=()) if self.has_notes else batch
        return statistics_of(self.settings, batch, whole=not batch.slices)


def work_of(of_tables: Callable[[Iterable[Any]], State | None], memory: int) -> Work[State]:
    """Statistics of each partition, merged within a memory."""
    join = partial(merged_states, memory=memory)
    return Work(of_tables, join, memory=memory, summarise=partial(join, beyond=True))


def question_of(meaning: Meaning, memory: int) -> Question:
    """What each partition is asked, if its rows have this meaning."""
    plain = replace(meaning.settings, positive=None, labels=None, threshold=None, task=None)  # as the schema says
    return Question(plain, meaning.schema, memory, meaning.notes is not None and not meaning.schema.facts.clustered)


def state_of(engine: Engine, meaning: Meaning, memory: int) -> State | None:
    """The statistics of all partitions, whose rows have this meaning; None if there are no rows."""
    schema, columns = meaning.schema, meaning.schema.columns
    assert columns is not None
    names = known_columns(engine, *columns, schema.by)
    return result_of(engine, names, work_of(question_of(meaning, memory).of_tables, memory))


def evaluation_of(state: State | None, meaning: Meaning, memory: int) -> Evaluation:
    """The evaluation of the statistics of all partitions, whose rows have this meaning."""
    schema = meaning.schema
    if state is None or not state.evaluation.rows:
        if meaning.notes is None:
            return of_batch(meaning.settings, Batch(schema, np.zeros(0)))
        dropped = state is not None and state.evaluation.notes
        raise InputError("data.all_rows_missing" if dropped else "data.all_weights_zero")
    return checked(_laid_out(state, meaning, memory))


def _laid_out(state: State, meaning: Meaning, memory: int) -> Evaluation:
    """The result as memory has it: the whole is the merge of the slices of one column, which were sent once."""
    ev, settings, schema = state.evaluation, meaning.settings, meaning.schema
    notes = (*(meaning.notes or ()), *ev.notes)
    listed = listed_in(settings, schema)

    def again(part: Evaluation) -> Evaluation:
        return of_evidence(settings, schema, listed, part.views.evidence, None, notes, rows=part.rows)

    slices: dict[str, dict[Label, Evaluation]] = {
        name: {value: again(part) for value, part in parts.items()} for name, parts in ev.slices.items()
    }
    if ev.slices:
        ev = merged_states(_states(ev, state.summarised), memory).evaluation
    return replace(again(ev), slices=slices)


def _states(ev: Evaluation, is_summarised: bool) -> Iterator[State]:
    return (State(part, is_summarised) for part in next(iter(ev.slices.values())).values())
