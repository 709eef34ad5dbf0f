"""Dask data frames, on threads and on two processes: the numbers of memory, whatever happens to a worker."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest
from partition_cases import (
    ASKED,
    CLUSTERINGS,
    CUTS,
    FRAME,
    KEYED,
    MANY,
    QUERIES,
    QUICK,
    assert_same,
    assert_same_differences,
)

import calipers as cal
import calipers.dask
from calipers.partitions.engine import Work
from calipers.partitions.tree import Tree

dask = pytest.importorskip("dask", reason="Dask is not installed")
dd = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
ADD = Tree.add


def frame():
    divisions = [*dict.fromkeys(CUTS[:-1]), len(FRAME) - 1]
    return dd.from_pandas(FRAME, npartitions=1).repartition(divisions=divisions)


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_the_evaluation_is_that_of_memory(asked):
    assert_same(cal.evaluate(frame(), **asked), cal.evaluate(FRAME, **asked))


@pytest.mark.parametrize("name", QUICK)
def test_two_processes_give_it_too(name, cluster):
    with cluster.as_current():
        assert_same(cal.evaluate(frame(), **ASKED[name]), cal.evaluate(FRAME, **ASKED[name]))


def test_rankings_comparisons_and_bootstraps():
    queries = dd.from_pandas(QUERIES, npartitions=5)
    assert_same(cal.evaluate_ranking(queries), cal.evaluate_ranking(QUERIES))
    models, asked = {"A": "p", "B": "q"}, {"truth": "y", "key": "id", "metrics": ["roc_auc", "f1"]}
    assert_same_differences(cal.compare(frame(), models, **asked), cal.compare(FRAME, models, **asked))
    for asked in (KEYED, {**ASKED["scores"], "groups": "who", "metrics": ["f1", "roc_auc"]}):
        assert_same(cal.evaluate(frame(), **asked), cal.evaluate(FRAME, **asked))


def test_clusterings_are_compared_on_the_same_rows(cluster):
    with cluster.as_current():
        found = cal.compare(frame(), **CLUSTERINGS)
    assert_same_differences(found, cal.compare(FRAME, **CLUSTERINGS))


def test_rows_that_do_not_fit_the_driver_are_an_error_that_says_what_to_do(cluster):
    remedy = r"take more than memory= \(64,000 bytes\): pass a larger memory=, or a sample of the rows"
    with cluster.as_current():
        with pytest.raises(cal.InputError, match=remedy):
            cal.compare(many(), {"A": "p", "B": "q"}, truth="y", memory=64_000)
        with pytest.raises(cal.InputError, match=remedy):
            cal.evaluate(many(), **ASKED["scores"], groups="who", memory=64_000)


def test_beyond_the_memory_ranks_have_brackets(cluster):
    with cluster.as_current():
        low, high = cal.evaluate(many(), **ASKED["scores"], memory=64_000)["roc_auc"].bracket
    assert low < cal.evaluate(MANY, **ASKED["scores"])["roc_auc"] < high


def test_workers_and_driver_merge_few_parts_at_once(cluster):
    def largest(merged):
        merged = list(merged)
        return max(len(merged), *merged)

    work = Work(lambda tables: 1, largest)
    for scheduler in ("distributed", "threads"):
        with cluster.as_current(), dask.config.set(scheduler=scheduler):
            parts = list(calipers.dask.Adapter(many(100)).reduced(["y"], work))
        assert len(parts) <= 8
        assert work.result(parts) == 8


def test_parts_are_merged_where_they_are_and_nothing_stays_on_the_workers(cluster):
    here = Work(lambda tables: {os.getpid()}, lambda parts: set().union(*parts, {os.getpid()}))
    with cluster.as_current():
        parts = list(calipers.dask.Adapter(many(40)).reduced(["y"], here))
    assert 2 <= len(parts) <= 8
    assert set(map(len, parts)) == {1}
    assert len(here.result(parts)) == 3  # with this process
    del parts
    cluster.sync(asyncio.sleep, 0)  # Dask releases results in its event loop
    assert not cluster.futures


def test_workers_do_not_keep_parts_that_are_merged(cluster, monkeypatch):
    scheduler, held = cluster.cluster.scheduler, []

    def join(parts):
        return sum(parts)

    def add(tree, *part):
        held.append(sum(task.state == "memory" for task in scheduler.tasks.values()))
        return ADD(tree, *part)

    monkeypatch.setattr(Tree, "add", add)
    with cluster.as_current():
        parts = calipers.dask.Adapter(many(200)).reduced(["y"], Work(lambda tables: time.sleep(0.005) or 1, join))
        assert sum(parts) == 200
    assert max(held) < 100


def test_a_task_of_a_cluster_may_evaluate_too(cluster):
    def auc():
        return float(cal.evaluate(dd.from_pandas(FRAME, npartitions=3), truth="y", score="p")["roc_auc"])

    assert cluster.submit(auc).result(timeout=60) == cal.evaluate(FRAME, truth="y", score="p")["roc_auc"]


def many(partitions=20):
    return dd.from_pandas(MANY, npartitions=partitions)


def test_dates_give_a_trend_and_the_result_can_be_gated():
    found, wanted = (cal.evaluate(rows, **ASKED["slices"]) for rows in (frame(), FRAME))
    assert str(cal.trend(found.by["day"])["roc_auc"]) == str(cal.trend(wanted.by["day"])["roc_auc"])
    assert str(cal.gate(found, "roc_auc >= 0.7")) == str(cal.gate(wanted, "roc_auc >= 0.7"))


def test_what_cannot_be_evaluated_says_what_to_pass():
    with pytest.raises(cal.InputError, match="needs names of columns"):
        cal.evaluate(frame()["y"], frame()["p"])
    with pytest.raises(cal.InputError, match="Series is not a data frame"):
        cal.evaluate(frame()["y"], truth="y", score="p")
    with pytest.raises(cal.InputError, match="Delayed is not a data frame"):
        cal.evaluate(frame().to_delayed()[0], truth="y", score="p")
    with pytest.raises(cal.UnknownName, match="did you mean"):
        cal.evaluate(frame(), truth="y", score="pp")
    with pytest.raises(cal.InputError, match="metrics of distances need the rows in memory"):
        cal.evaluate_clusters(frame()["cluster"], frame()["kind"])
    with pytest.raises(cal.InputError, match=r"partition \d+ .*'bee'"):
        cal.evaluate(frame(), schema=cal.Schema.of(["ant", "cow"], ["ant", "cow"]), truth="kind", pred="guess")


def test_names_of_columns_may_be_numbers():
    rows = FRAME.rename(columns={"y": 0, "p": 1})
    found = cal.evaluate(dd.from_pandas(rows, npartitions=3), truth="0", score="1")
    assert_same(found, cal.evaluate(rows, truth="0", score="1"))


@pytest.mark.parametrize("name", QUICK)
def test_a_schema_is_found_without_an_evaluation(name):
    assert cal.Schema.of(frame(), **ASKED[name]) == cal.Schema.of(FRAME, **ASKED[name])


def killing(rows, folder):
    """The rows; the first time that the last partition comes, another worker dies, which has finished results."""
    folder = Path(folder)
    (folder / f"{os.getpid()}.pid").touch()
    if len(rows) > 500 and not (folder / "killed").exists():
        time.sleep(1)
        others = [pid for pid in (int(path.stem) for path in folder.glob("*.pid")) if pid != os.getpid()]
        (folder / "killed").touch()
        os.kill(others[0], signal.SIGKILL)
        time.sleep(0.5)
    return rows


def dying(rows):
    if len(rows) > 500:
        os.kill(os.getpid(), signal.SIGKILL)
    return rows


@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_dies_with_its_results_changes_nothing(cluster, tmp_path):
    asked = ASKED["slices"]
    with cluster.as_current():
        schema = cal.Schema.of(FRAME, **asked)
        rows = frame().map_partitions(killing, str(tmp_path), meta=FRAME.iloc[:0])
        found = cal.evaluate(rows, schema=schema)
    assert (tmp_path / "killed").exists()
    assert_same(found, cal.evaluate(FRAME, schema=schema))


@pytest.mark.filterwarnings("ignore")
def test_a_partition_that_kills_every_worker_is_an_error_with_a_remedy(cluster):
    scheduler = cluster.cluster.scheduler
    scheduler.allowed_failures = 0
    try:
        with cluster.as_current(), pytest.raises(cal.InputError, match="make partitions smaller"):
            cal.evaluate(frame().map_partitions(dying, meta=FRAME.iloc[:0]), **ASKED["scores"])
    finally:
        scheduler.allowed_failures = 3
