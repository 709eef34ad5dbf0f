"""Partitions in, the evaluation of memory out: without an engine, in one process."""

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from partition_cases import ASKED, CLUSTERINGS, FRAME, MANY, PARTS, QUERIES, assert_same, assert_same_differences

import calipers as cal
from calipers import _native
from calipers.data.schema import Columns
from calipers.evaluation.evaluate_ranking import ranking_settings
from calipers.evaluation.summary import size_of
from calipers.partitions.compare_frame import compare_engine
from calipers.partitions.engine import DriverLimit, Work
from calipers.partitions.evaluate_frame import of_engine, schema_of_engine
from calipers.partitions.rankings_of_frame import rankings_of_engine
from calipers.partitions.states import State
from calipers.partitions.tables import tables_of
from calipers.partitions.tree import Tree
from calipers.partitions.witnesses import MOST, joined_witnesses, witnesses
from calipers.settings import Rules, metric_names
from calipers.statistics.scores import ScoreSamples

COMPARED = {"truth": "y", "by": None, "groups": None, "key": None, "weights": None, "task": None}
COLUMNS = ("truth", "pred", "score", "by", "weights", "groups")


class Tables:
    """An engine of tables in a list, merged in a tree: every second result is sent as a pickle."""

    def __init__(self, parts, limit=None):
        self.parts, self.limit, self.sent = parts, limit, []
        self.columns = list(parts[0].columns if hasattr(parts[0], "iloc") else parts[0].column_names)

    def reduced(self, columns, work, together=None):
        parts = [part[list(columns)] if hasattr(part, "iloc") else part.select(columns) for part in self.parts]
        states = [work.on_partition(number, [part]) for number, part in enumerate(parts)]
        self.sent.append(sum(len(pickle.dumps(state)) for state in states))
        while len(states) > 2:
            states[::2] = [pickle.loads(pickle.dumps(state)) for state in states[::2]]
            states = [work.joined(states[at : at + 3]) for at in range(0, len(states), 3)]
        return states


class Workers(Tables):
    """The same on two workers, whose results are merged as they come."""

    def reduced(self, columns, work, together=None):
        states = [work.on_partition(number, [part[list(columns)]]) for number, part in enumerate(self.parts)]
        self.sent.append(sum(map(sys.getsizeof, states)))
        tree = Tree(work.joined, len(states), work.memory, partial(work.joined, beyond=True))
        added = (tree.add(state, "ab"[number % 2], sys.getsizeof(state)) for number, state in enumerate(states))
        return [*chain.from_iterable(added), *tree.last()]


def evaluated(parts, asked, **more):
    named = {name: asked.get(name) for name in COLUMNS}
    options = {name: value for name, value in asked.items() if name not in COLUMNS}
    engine = parts if isinstance(parts, Tables) else Tables(parts)
    return of_engine(engine, named, options | {"metrics": metric_names(options.get("metrics"))}, **more)


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_partitions_give_the_schema_of_memory(asked):
    named = {name: asked.get(name) for name in COLUMNS}
    options = {name: asked[name] for name in ("task", "threshold") if name in asked}
    found = schema_of_engine(Tables(PARTS), named, options)
    assert found == cal.Schema.of(FRAME, **{name: value for name, value in named.items() if value}, **options)


def test_slices_of_missing_values_are_the_last_ones():
    parts = [part.assign(region=part["region"].where(part["id"] % 3 > 0)) for part in PARTS]
    asked = {"truth": "y", "score": "p", "by": ["region"]}
    assert_same(evaluated(parts, asked), cal.evaluate(pd.concat(parts, ignore_index=True), **asked))
    whole = cal.merge(cal.evaluate(part, schema=cal.Schema.of(FRAME, **asked)) for part in parts[:2])
    assert list(whole.by["region"]) == ["north", "south", "west", "(missing)"]


@pytest.mark.parametrize("value", [0, FRAME["y"]], ids=["number", "column"])
def test_columns_are_given_by_name(value):
    with pytest.raises(cal.InputError, match=r"given by name, but (0|'Series') is not a name"):
        evaluated(PARTS, {"truth": value, "score": "p"})


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


class ByQuery(Tables):
    """The same, with the rows of a query in one part."""

    def reduced(self, columns, work, together=None):
        if together is None:
            return super().reduced(columns, work)
        rows = pd.concat(self.parts)
        where = rows[together].map(hash) % 4
        return Tables([rows[where == at] for at in range(5)]).reduced(columns, work)


@pytest.mark.parametrize("metrics", [None, ["ndcg@5", "err@10", "map"]], ids=["usual", "graded"])
def test_queries_are_brought_together(metrics):
    parts = [QUERIES.iloc[:250], QUERIES.iloc[250:]]
    found = rankings_of_engine(ByQuery(parts), ranking_settings(metrics, Rules()), {})
    wanted = cal.evaluate_ranking(QUERIES, metrics=metrics)
    assert_same(found, wanted)
    for name in wanted:
        np.testing.assert_array_equal(found.per_query[name], wanted.per_query[name])


@pytest.mark.parametrize("more", [{"groups": "who"}, {"key": "id"}, {"key": "id", "by": ["region"]}], ids=str)
def test_a_bootstrap_is_that_of_memory_with_groups_or_keys(more):
    asked = {"truth": "y", "score": "p", "interval": "percentile", "metrics": ["f1", "log_loss", "roc_auc"]}
    asked |= {"replicates": 50, **more}
    key = asked.pop("key", None)
    found, wanted = evaluated(PARTS, asked, key=key), cal.evaluate(FRAME, **asked, key=key)
    assert_same(found, wanted)
    shuffled = evaluated([part.sample(frac=1, random_state=1) for part in PARTS[::-1]], asked, key=key)
    assert_same(shuffled, wanted)


def test_without_a_key_what_has_no_formula_says_why():
    found = evaluated(PARTS, {"truth": "target", "pred": "predicted", "interval": "percentile", "replicates": 50})
    assert "pass key= or groups=" in found["mae"].reason


@pytest.mark.parametrize("more", [{}, {"key": "id"}, {"groups": "who"}, {"by": ["region"]}], ids=str)
def test_models_are_compared_on_the_same_rows(more):
    asked = COMPARED | more
    models = {"A": "p", "B": "q"}
    found = compare_engine(Tables(PARTS), models, None, **asked)
    wanted = cal.compare(FRAME, models, **asked)
    if "key" in more or "groups" in more:
        assert_same_differences(found, wanted)
        return
    for name in ("roc_auc", "log_loss", "accuracy"):
        assert str(found[name]) == str(wanted[name])
    assert "need key= or groups=" in found["f1"]["B", "A"].note
    for value, part in wanted.by.get("region", {}).items():
        assert str(found.by["region"][value]["roc_auc"]) == str(part["roc_auc"])


ODD = {
    "one class": ([[0, 0], [1, 1, 0]], [[0.2, 0.3], [0.9, 0.4, 0.6]]),
    "0.0 and 1.0": ([[0, 1], [1, 0]], [[0.0, 1.0], [0.3, 0.4]]),
    "0.0 and 1.0 in all": ([[0, 1], [1, 0]], [[0.0, 1.0], [1.0, 1.0]]),
    "whole targets": ([[1.0, 2.0], [3.5, 4.0]], [[1.5, 2.0], [3.0, 4.5]]),
    "many whole targets": ([list(range(12)), list(range(12, 30))], [[0.5] * 12, [20.5] * 18]),
    "whole in all": ([[1, 2, 3], [3, 2, 1]], [[1, 2, 2], [3, 2, 2]]),
    "not probabilities": ([[0, 1], [1, 0]], [[0.2, 0.9], [7.0, -3.0]]),
    "text": ([["no", "no"], ["yes", "no"]], [[0.1, 0.2], [0.7, 0.4]]),
    "unseen prediction": ([["a", "b"], ["b", "a"]], [["a", "c"], ["b", "b"]]),
    "too large for a label": ([[1.0, 2.0], [1e20, 4.0]], [[1.5, 2.0], [3.0, 4.5]]),
}


@pytest.mark.parametrize(("truth", "second"), ODD.values(), ids=ODD)
def test_what_the_rows_mean_is_found_as_in_memory(truth, second):
    parts = [pd.DataFrame({"t": t, "s": s}) for t, s in zip(truth, second, strict=True)]
    parts = [parts[0], parts[1].iloc[:0], parts[1]]
    asked = {"truth": "t", "pred": "s"}
    assert_same(evaluated(parts, asked), cal.evaluate(pd.concat(parts, ignore_index=True), **asked))


@pytest.mark.parametrize("of", [lambda part: part, pa.Table.from_pandas], ids=["pandas", "arrow"])
def test_a_column_of_label_sets(of):
    sets = [["a"], ["b", "a"], [], ["c"]]
    parts = [pd.DataFrame({"t": sets[:2], "s": [["a"], ["b"]]}), pd.DataFrame({"t": sets[2:], "s": [["c"], ["c"]]})]
    asked = {"truth": "t", "pred": "s", "task": "multilabel"}
    assert_same(evaluated(list(map(of, parts)), asked), cal.evaluate(pd.concat(parts, ignore_index=True), **asked))


def test_missing_values_are_dropped_and_counted_or_refused_with_their_partition():
    parts = [part.copy() for part in PARTS]
    parts[0]["p"] = np.nan  # all of a partition
    parts[4].loc[3:5, "p"] = np.nan
    asked = {"truth": "y", "score": "p", "by": ["region"]}
    whole = pd.concat(parts, ignore_index=True)
    assert_same(evaluated(parts, asked | {"missing": "drop"}), cal.evaluate(whole, **asked, missing="drop"))
    with pytest.raises(cal.InputError, match=r"partition 0 .*column 'p' contains 100 NaN \(first at row 0\)"):
        evaluated(parts, {"truth": "y", "score": "p"})


def test_clusters_of_a_partition_may_all_be_missing():
    parts = [part.assign(cluster=part["cluster"].astype(float)) for part in PARTS]
    parts[1]["cluster"] = np.nan
    whole = pd.concat(parts, ignore_index=True)
    asked = ASKED["clusters"] | {"missing": "drop"}
    assert_same(evaluated(parts, asked), cal.evaluate(whole, **asked))
    schema = cal.Schema.of(whole, **asked)
    merged = cal.merge(cal.evaluate(part, schema=schema, missing="drop") for part in parts)
    assert merged["adjusted_rand"] == cal.evaluate(whole, **asked)["adjusted_rand"]


@pytest.mark.skipif(_native.threads() < 2, reason="one core")
def test_a_task_uses_one_thread_and_leaves_others_alone(monkeypatch):
    def threads(_):
        return bytes([_native.threads(), ThreadPoolExecutor(1).submit(_native.threads).result()])

    before = _native.threads()
    work = Work(threads, threads)
    assert tuple(work.on_partition(0, [FRAME])) == tuple(work.joined([b"."])) == (1, before)
    assert _native.threads() == before
    monkeypatch.setenv("CALIPERS_THREADS", "3")
    assert work.on_partition(0, [FRAME])[0] == 3


@pytest.mark.skipif(_native.threads() < 2, reason="one core")
def test_the_driver_merges_the_last_parts_on_all_its_threads():
    work = Work(len, lambda parts: (_native.threads(), sum(parts)))
    assert work.result([2, None, 3]) == (_native.threads(), 5)
    assert work.result([None, None]) is None
    failed = work.on_partition(3, fail_at_once())
    for parts in ([2, failed], [work.joined([failed, 2])], [pickle.loads(pickle.dumps(failed))]):
        with pytest.raises(cal.InputError, match=r"partition 3 .*no rows"):
            work.result(parts)


LATE = np.arange(30_000) % 7 + 0.0
WHOLE = {  # numbers, and how many witnesses they have beside the least and the greatest
    "labels": (LATE, 7),
    "a late label": (np.append(LATE, 9), 8),
    "a late fraction": (np.append(LATE, 3.5), 1),
    "a fraction after many labels": (np.append(np.arange(30_000.0), 3.5), 1),
    "too many labels": (np.arange(30_000.0), MOST),
    "too many labels of integers": (np.arange(30_000), MOST),
    "missing values": (np.append(np.nan, LATE), 7),
    "all missing": (np.full(9, np.nan), 0),
    "beyond 64 bits": (np.array([1.0, 1e300, -1e300, np.inf, 2.0]), 3),
    "single precision": (LATE.astype(np.float32), 7),
    "flags": (LATE > 3, 2),
}


@pytest.mark.parametrize(("numbers", "count"), WHOLE.values(), ids=WHOLE)
def test_witnesses_show_labels_a_fraction_and_the_ends(numbers, count):
    shown = witnesses(pd.DataFrame({"x": numbers}), Columns("x"))["x"].to_numpy()
    present = numbers[~np.isnan(numbers)]
    if not len(present):
        assert not len(shown)
        return
    assert {present.min(), present.max()} <= set(shown)
    beside = len(set(shown) - {present.min(), present.max()})
    assert count - 2 <= beside <= count
    whole = np.array_equal(np.floor(present), present) if present.dtype.kind == "f" else True
    if whole and count < MOST and np.isfinite(present).all():
        assert set(shown) >= set(present)
    assert whole == (np.array_equal(np.floor(shown), shown) if shown.dtype.kind == "f" else True)


def fail_at_once():
    raise cal.InputError("partitions.no_rows")
    yield


@pytest.mark.parametrize("sizes", [(), (0,), (0, 3, 0), (4, 4, 4), (10, 1)], ids=str)
def test_batches_become_tables_of_many_rows(sizes):
    batches = [pa.RecordBatch.from_pydict({"x": list(range(size))}) for size in sizes]
    found = [len(table) for table in tables_of(batches, 8)]
    assert found == {(0, 3, 0): [3], (4, 4, 4): [8, 4], (10, 1): [10, 1]}.get(sizes, [])


ALIKE = [FRAME.iloc[200:650], FRAME.iloc[:0], FRAME.iloc[650:]]  # one is empty, which means anything
PASSES = {  # how often the rows are read
    "scores": (ALIKE, ASKED["scores"], 1),
    "slices": (ALIKE, ASKED["slices"], 1),
    "weights": (ALIKE, ASKED["weights"], 1),
    "words": (ALIKE, ASKED["words"], 1),
    "numbers": (ALIKE, ASKED["numbers"], 1),
    "whole targets in a partition": (PARTS, ASKED["numbers"], 1),
    "a partition of one row": (PARTS, ASKED["scores"], 1),
    "whole targets and predictions in a partition": (PARTS, {"truth": "target", "pred": "target"}, 2),
    "a partition lacks a class": ([FRAME[FRAME["y"] == 1], FRAME], ASKED["words"], 2),
    "labels": (ALIKE, ASKED["labels"], 1),
    "classes": (ALIKE, ASKED["classes"], 1),
    "label sets": (ALIKE, ASKED["label sets"], 1),
    "clusters": (ALIKE, ASKED["clusters"], 1),
    "few rows, which may lack a class": ([FRAME.iloc[200:450], FRAME.iloc[450:]], ASKED["labels"], 2),
    "a class that only one partition has": ([FRAME[FRAME["kind"] != "cat"], FRAME], ASKED["classes"], 2),
    "scores that are no probabilities in a partition": (
        [FRAME.iloc[200:650], FRAME.iloc[650:].assign(p_ant=FRAME["p_ant"] + 0.5)],
        ASKED["classes"],
        2,
    ),
    "a score that is no probability in a partition": ([FRAME, FRAME.assign(p=3 * FRAME["p"])], ASKED["scores"], 1),
    "no fractions in a partition": ([FRAME.iloc[:100], FRAME.iloc[100:]], {"truth": "y", "pred": "p"}, 2),
    "a missing value": ([FRAME.assign(p=FRAME["p"].where(FRAME["id"] > 9)), FRAME], {**ASKED["scores"]}, 2),
}


@pytest.mark.parametrize(("parts", "asked", "passes"), PASSES.values(), ids=PASSES)
def test_one_pass_is_enough_if_each_partition_shows_what_all_rows_mean(parts, asked, passes):
    engine, whole = Tables(parts), pd.concat(parts)
    try:
        wanted = cal.evaluate(whole, **asked)
    except cal.InputError:
        with pytest.raises(cal.InputError, match=r"partition 0 .*column 'p' contains 10 NaN"):
            evaluated(engine, asked)
    else:
        assert_same(evaluated(engine, asked), wanted)
    assert len(engine.sent) == passes


def test_results_may_arrive_at_any_byte():
    buffers: list[pickle.PickleBuffer] = []
    state = State(cal.evaluate(FRAME, **ASKED["scores"]))
    data = pickle.dumps(state, protocol=5, buffer_callback=buffers.append)
    odd = [memoryview(b"." + bytes(buffer.raw()))[1:] for buffer in buffers]
    found = pickle.loads(data, buffers=odd)
    assert sum(buffer.nbytes for buffer in odd) >= 8 * len(FRAME)  # the arrays are not in the pickle
    assert len(data) < 10_000
    assert sys.getsizeof(state) >= 8 * len(FRAME)  # as Dask sees it
    samples = found.evaluation.views.evidence.get(ScoreSamples)
    assert all(x.flags.aligned for x in samples.state().values() if isinstance(x, np.ndarray))
    assert_same(found.evaluation, state.evaluation)


def test_a_schema_needs_one_pass_and_slices_are_sent_once():
    engine = Tables(PARTS)
    schema = cal.Schema.of(FRAME, truth="y", score="p")
    evaluated(engine, {}, schema=schema)
    sliced = cal.Schema.of(FRAME, truth="y", score="p", by=["region"])
    assert_same(evaluated(engine, {}, schema=sliced), cal.evaluate(FRAME, schema=sliced))
    whole, slices = engine.sent
    assert slices < 1.2 * whole + 3 * 6 * 4_000  # scores once; what each slice says of itself
    with pytest.raises(cal.InputError, match="positive"):
        evaluated(engine, {"positive": 1}, schema=schema)


def test_witnesses_are_few_rows_of_truth_and_score():
    table = joined_witnesses([witnesses(part, Columns("y", None, "p")) for part in PARTS], Columns("y", None, "p"))
    assert list(table) == ["y", "p"]
    assert len(table) < 10


@pytest.mark.parametrize("engine", [Tables, Workers])
@pytest.mark.parametrize("name", ["scores", "slices", "numbers"])
def test_beyond_the_memory_ranks_have_brackets_and_counts_are_exact(name, engine):
    rows = pd.concat([FRAME] * 30, ignore_index=True)
    rows["p"] = np.clip(rows["p"] + np.random.default_rng(0).normal(0, 0.01, len(rows)), 0, 1)
    rows["target"] += np.random.default_rng(1).normal(0, 1, len(rows))
    parts = [rows.iloc[at::17] for at in range(17)]
    found = evaluated(engine(parts), ASKED[name], memory="400 kB" if name == "slices" else "150 kB")
    wanted = cal.evaluate(rows, **ASKED[name])
    ranked = "roc_auc" if name != "numbers" else "median_ae"
    low, high = found[ranked].bracket
    assert low <= wanted[ranked] <= high
    assert 0 < high - low < 0.1 * wanted[ranked]
    exact = ("recall", "brier") if name != "numbers" else ("mae", "r2")
    for metric in exact:
        assert float(found[metric]) == pytest.approx(float(wanted[metric]), rel=1e-12)
    for value, part in wanted.by.get("region", {}).items():
        low, high = found.by["region"][value]["roc_auc"].bracket
        assert low <= part["roc_auc"] <= high


@pytest.mark.parametrize("engine", [Tables, Workers])
def test_statistics_whose_sizes_do_not_add_up_are_exact_while_they_fit_together(engine):
    """Each partition has the counts of 50 slices, and all together have no more."""
    rows = FRAME.assign(slice=FRAME["id"] % 50)
    asked = ASKED["scores"] | {"by": ["slice"]}
    wanted = cal.evaluate(rows, **asked)
    workers = engine([rows.iloc[at::12] for at in range(12)])
    memory = 2 * size_of(wanted)
    found = evaluated(workers, asked, memory=memory)
    assert sum(workers.sent) > 2 * memory
    assert_same(found, wanted)


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_scores_are_exact_while_they_fit_and_only_then(share):
    parts = [MANY.iloc[at::25] for at in range(25)]
    memory = int(share * size_of(cal.evaluate(MANY, **ASKED["scores"])))
    found = evaluated(Workers(parts), ASKED["scores"], memory=memory)
    low, high = found["roc_auc"].bracket
    assert (low == high) == (share > 1)


def test_what_cannot_be_summarised_says_what_to_do():
    parts = [pd.concat([FRAME] * 10)] * 2
    for asked, match in (
        ({"weights": "w"}, r"^the statistics .* cannot be summarised: pass a larger memory="),
        ({"groups": "who"}, r"^groups, resampling .* take more than memory="),
    ):
        with pytest.raises(cal.InputError, match=match):
            evaluated(parts, ASKED["scores"] | asked, memory=64_000)
    with pytest.raises(cal.InputError, match=r"^groups, .* comparisons need .* more than memory= \(64,000 bytes\)"):
        compare_engine(Tables(parts), {"A": "p", "B": "q"}, 64_000, **COMPARED)


def test_what_cannot_be_compared_says_why():
    for models, more, match in (
        ({"A": "p"}, {}, "at least two"),
        ("p", {}, "at least two"),
        ({"A": "p", "B": "q"}, {"truth": None}, "truth="),
        ({"A": "p", "B": "pp"}, {}, "did you mean"),
        ({"A": "p", "B": "q"}, {"task": "ranking"}, "cannot be compared: pass them in memory"),
    ):
        with pytest.raises((cal.InputError, cal.UnknownName), match=match):
            compare_engine(Tables(PARTS), models, None, **COMPARED | more)


def test_clusterings_are_compared_on_the_same_rows():
    found = compare_engine(Tables(PARTS), memory=None, **COMPARED | CLUSTERINGS)
    assert_same_differences(found, cal.compare(FRAME, **CLUSTERINGS))


def test_the_limit_of_the_driver_is_respected_and_named():
    limit = DriverLimit(200_000, "spark.driver.maxResultSize")
    with pytest.raises(cal.InputError, match=r"1/2 of spark.driver.maxResultSize, which is 200,000 bytes"):
        evaluated(Tables(PARTS, limit), ASKED["scores"], memory="1 MB")
    rows = pd.concat([FRAME] * 20, ignore_index=True)
    rows["p"] += np.random.default_rng(0).random(len(rows)) * 1e-3
    for within, is_exact in ((limit, False), (None, True)):
        low, high = evaluated(Tables([rows], within), ASKED["scores"])["roc_auc"].bracket
        assert (low == high) is is_exact


def test_arguments_that_do_not_fit_are_named():
    for asked, match in (
        ({"truth": "y", "score": "prob"}, "prob"),
        ({"score": "p"}, "truth="),
        ({"truth": "y"}, "y"),
        ({"truth": "y", "score": "p", "by": {"region": "region"}}, "names of columns"),
        ({"truth": "y", "score": "p", "weights": [1.0]}, "1.0 is not a name"),
    ):
        with pytest.raises((cal.InputError, cal.UnknownName), match=match):
            evaluated(PARTS, asked)
    with pytest.raises(cal.InputError, match="empty"):
        evaluated([FRAME.iloc[:0]], ASKED["scores"])
    with pytest.raises(cal.InputError, match="rows in memory are always"):
        cal.evaluate([0, 1], [0.2, 0.7], memory="1 GB")
    with pytest.raises(cal.InputError, match="2 distinct values for 3 rows"):
        cal.evaluate([0, 1, 1], [0.2, 0.7, 0.4], key=["a", "a", "b"])


def test_a_date_column_gives_a_trend_and_the_result_can_be_gated():
    ev = evaluated(PARTS, ASKED["slices"])
    wanted = cal.evaluate(FRAME, **ASKED["slices"])
    assert str(cal.trend(ev.by["day"])["roc_auc"]) == str(cal.trend(wanted.by["day"])["roc_auc"])
    assert str(cal.gate(ev, "roc_auc >= 0.7")) == str(cal.gate(wanted, "roc_auc >= 0.7"))
