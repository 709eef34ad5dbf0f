"""Spark data frames in `local[2,4]`: the numbers of memory, whatever happens to a worker."""

import re
from pathlib import Path

import pytest
from partition_cases import ASKED, CLUSTERINGS, FRAME, KEYED, MANY, QUERIES, assert_same, assert_same_differences

import calipers as cal

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
PAGE = Path(__file__).parents[2] / "docs" / "spark-dask.md"


@pytest.fixture(scope="module")
def frame(spark):
    """Three partitions, one of them empty."""
    from pyspark.sql import functions as of

    rows = spark.createDataFrame(FRAME)
    return rows.repartition(3, of.col("id") % 2).cache()


@pytest.mark.parametrize("name", ASKED)
def test_the_evaluation_is_that_of_memory(frame, name):
    assert_same(cal.evaluate(frame, **ASKED[name]), cal.evaluate(FRAME, **ASKED[name]))


def test_names_of_columns_may_be_odd(spark):
    names = {"y": "true label", "p": "score.of`a", "region": "a.b"}
    rows = FRAME[list(names)].rename(columns=names)
    asked = dict(zip(("truth", "score", "by"), names.values(), strict=True))
    assert_same(cal.evaluate(spark.createDataFrame(rows), **asked), cal.evaluate(rows, **asked))


@pytest.mark.parametrize("kind", ["vector", "array<double>", "struct<low:double,high:double>"])
def test_several_numbers_per_row_are_refused_with_a_remedy(frame, kind):
    from pyspark.ml.functions import array_to_vector
    from pyspark.sql import functions as of

    ends = [1 - of.col("p"), of.col("p")]
    column = of.struct(ends[0].alias("low"), ends[1].alias("high")) if kind.startswith("struct") else of.array(*ends)
    rows = frame.withColumn("probability", array_to_vector(column) if kind == "vector" else column)
    remedy = f"holds several values per row ({kind}): select one, such as df.withColumn("
    with pytest.raises(cal.InputError, match=re.escape(remedy)):
        cal.evaluate(rows, truth="y", score="probability")


def test_label_sets_are_columns_of_lists(spark):
    rows = FRAME[["kind", "guess"]].map(lambda kind: [kind] if kind != "cat" else ["ant", "bee"])
    asked = {"truth": "kind", "pred": "guess", "task": "multilabel"}
    assert_same(cal.evaluate(spark.createDataFrame(rows), **asked), cal.evaluate(rows, **asked))


def test_rankings(spark):
    assert_same(cal.evaluate_ranking(spark.createDataFrame(QUERIES)), cal.evaluate_ranking(QUERIES))


def test_comparisons_groups_and_keys(frame):
    models, asked = {"A": "p", "B": "q"}, {"truth": "y", "key": "id", "metrics": ["roc_auc", "f1"]}
    assert_same_differences(cal.compare(frame, models, **asked), cal.compare(FRAME, models, **asked))
    for asked in (KEYED, {**ASKED["scores"], "groups": "who", "metrics": ["f1", "roc_auc"]}):
        assert_same(cal.evaluate(frame, **asked), cal.evaluate(FRAME, **asked))


def test_clusterings_are_compared_on_the_same_rows(frame):
    assert_same_differences(cal.compare(frame, **CLUSTERINGS), cal.compare(FRAME, **CLUSTERINGS))


def test_beyond_the_memory_ranks_have_brackets_and_rows_are_refused(spark):
    rows = spark.createDataFrame(MANY)
    low, high = cal.evaluate(rows, **ASKED["scores"], memory=64_000)["roc_auc"].bracket
    assert low < cal.evaluate(MANY, **ASKED["scores"])["roc_auc"] < high
    with pytest.raises(cal.InputError, match=r"take more than memory= \(64,000 bytes\): pass a larger memory=, or a"):
        cal.compare(rows, {"A": "p", "B": "q"}, truth="y", memory=64_000)


def test_dates_are_slices_that_give_a_trend_and_the_result_can_be_gated(frame):
    from pyspark.sql import functions as of

    asked = {"truth": "y", "score": "p", "by": ["day"]}
    found = cal.evaluate(frame.withColumn("day", of.to_date("day")), **asked)
    wanted = cal.evaluate(FRAME, **asked)
    assert_same(found, wanted)
    assert str(cal.trend(found.by["day"])["roc_auc"]) == str(cal.trend(wanted.by["day"])["roc_auc"])
    assert str(cal.gate(found, "roc_auc >= 0.7")) == str(cal.gate(wanted, "roc_auc >= 0.7"))


def test_a_killed_worker_changes_nothing(frame, kill_workers, tmp_path):
    marker = tmp_path / "killed"
    kill_workers(marker)
    schema = cal.Schema.of(FRAME, **ASKED["slices"])
    found = cal.evaluate(frame, schema=schema)
    assert marker.exists()
    assert_same(found, cal.evaluate(FRAME, schema=schema))


def test_what_cannot_be_evaluated_says_what_to_do(spark, frame):
    with pytest.raises(cal.InputError, match="foreachBatch"):
        cal.evaluate(spark.readStream.format("rate").load(), truth="y", score="p")
    with pytest.raises(cal.InputError, match="GroupedData is not a data frame"):
        cal.evaluate(frame.groupBy("region"), truth="y", score="p")
    with pytest.raises(cal.UnknownName, match="did you mean"):
        cal.evaluate(frame, truth="y", score="pp")
    with pytest.raises(cal.InputError, match=r"spark.driver.maxResultSize, which is 1,073,741,824 bytes"):
        cal.evaluate(frame, **ASKED["scores"], memory="1 GB")
    with pytest.raises(cal.InputError, match=r"partition \d .*not in labels="):
        cal.evaluate(frame, schema=cal.Schema.of(["ant", "cow"], ["ant", "cow"]), truth="kind", pred="guess")


def test_the_samples_of_the_guide_run(spark):
    pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    names = {}
    for sample in re.findall(r"```py\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(sample, str(PAGE), "exec"), names)
    assert names["ev"].rows == 100_000
