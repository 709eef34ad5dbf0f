"""Spark data frames in `local[2,4]`: the numbers of memory, whatever happens to a worker."""

import os
import re
import signal
from pathlib import Path

import pytest
from partition_cases import ASKED, FRAME, QUERIES, assert_same, assert_same_differences

import calipers as cal

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
PATIENCE = 100
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


def test_rankings(spark):
    assert_same(cal.evaluate_ranking(spark.createDataFrame(QUERIES)), cal.evaluate_ranking(QUERIES))


def test_comparisons_and_groups(frame):
    models, asked = {"A": "p", "B": "q"}, {"truth": "y", "key": "id", "metrics": ["roc_auc", "f1"]}
    assert_same_differences(cal.compare(frame, models, **asked), cal.compare(FRAME, models, **asked))
    asked = {**ASKED["scores"], "groups": "who", "metrics": ["f1", "roc_auc"]}
    assert_same(cal.evaluate(frame, **asked), cal.evaluate(FRAME, **asked))


def test_dates_are_slices_and_give_a_trend(frame):
    from pyspark.sql import functions as of

    asked = {"truth": "y", "score": "p", "by": ["day"]}
    found = cal.evaluate(frame.withColumn("day", of.to_date("day")), **asked)
    wanted = cal.evaluate(FRAME, **asked)
    assert_same(found, wanted)
    assert str(cal.trend(found.by["day"])["roc_auc"]) == str(cal.trend(wanted.by["day"])["roc_auc"])


def killing(marker):
    """A function of batches that kills its worker in the middle of them: once, or every time where there is no marker.

    Made inside a function, since the workers cannot import a module of tests.
    """

    def killed(batches):
        for batch in batches:
            yield batch
            if batch.num_rows > 400 and (marker is None or not os.path.exists(marker)):
                if marker is not None:
                    Path(marker).touch()
                os.kill(os.getpid(), signal.SIGKILL)

    return killed


@pytest.fixture
def patience(spark):
    """At most so many seconds for Spark to replace a killed worker: on a busy machine it can take minutes."""

    def give_up(*_):
        pytest.skip(f"Spark did not replace a killed worker within {PATIENCE} s")

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE)
    yield
    signal.alarm(0)
    spark.sparkContext.cancelAllJobs()


@pytest.mark.usefixtures("patience")
def test_a_killed_worker_changes_nothing(frame, tmp_path):
    marker = str(tmp_path / "killed")
    schema = cal.Schema.of(FRAME, **ASKED["slices"])
    found = cal.evaluate(frame.mapInArrow(killing(marker), frame.schema), schema=schema)
    assert os.path.exists(marker)
    assert_same(found, cal.evaluate(FRAME, schema=schema))


@pytest.mark.usefixtures("patience")
def test_a_worker_that_is_killed_every_time_is_an_error_with_a_remedy(frame):
    with pytest.raises(cal.InputError, match=re.escape('master("local[2,4]")')):
        cal.evaluate(frame.mapInArrow(killing(None), frame.schema), **ASKED["scores"])


def test_what_cannot_be_evaluated_says_what_to_do(spark, frame):
    with pytest.raises(cal.InputError, match="foreachBatch"):
        cal.evaluate(spark.readStream.format("rate").load(), truth="y", score="p")
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
