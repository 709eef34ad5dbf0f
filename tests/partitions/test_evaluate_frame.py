"""Partitions in, the evaluation of memory out: without an engine, in one process."""

import pyarrow as pa
import pytest
from partition_cases import ASKED, FRAME, PARTS, assert_same

import calipers as cal
from calipers.partitions.evaluate_frame import of_engine
from calipers.settings import metric_names

COLUMNS = ("truth", "pred", "score", "by", "weights", "groups")


class Tables:
    """An engine of tables in a list, merged in a tree."""

    def __init__(self, parts, limit=None):
        self.parts, self.limit, self.sent = parts, limit, []
        self.columns = list(parts[0].columns if hasattr(parts[0], "iloc") else parts[0].column_names)

    def reduced(self, columns, work, together=None):
        parts = [part[list(columns)] if hasattr(part, "iloc") else part.select(columns) for part in self.parts]
        states = [work.on_partition(number, [part]) for number, part in enumerate(parts)]
        self.sent.append(sum(map(len, states)))
        while len(states) > 1:
            states = [work.joined(states[at : at + 3]) for at in range(0, len(states), 3)]
        return states[0]


def evaluated(parts, asked, **more):
    named = {name: asked.get(name) for name in COLUMNS}
    options = {name: value for name, value in asked.items() if name not in COLUMNS}
    engine = parts if isinstance(parts, Tables) else Tables(parts)
    return of_engine(engine, named, options | {"metrics": metric_names(options.get("metrics"))}, **more)


@pytest.mark.parametrize("of", [lambda part: part, pa.Table.from_pandas], ids=["pandas", "arrow"])
@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_partitions_give_the_evaluation_of_memory(asked, of):
    parts = [of(part) for part in PARTS]
    assert_same(evaluated(parts, asked), cal.evaluate(FRAME, **asked))


def test_counts_ranks_and_losses_are_the_same_bits():
    found, wanted = evaluated(PARTS, ASKED["scores"]), cal.evaluate(FRAME, **ASKED["scores"])
    for name in ("accuracy", "f1", "roc_auc", "ap", "ks"):
        assert found[name] == wanted[name]
        assert (found[name].low, found[name].high) == (wanted[name].low, wanted[name].high)
