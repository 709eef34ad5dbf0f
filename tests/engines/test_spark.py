"""`evaluate` of Spark data frames, in `local[2,4]`."""

import pytest
from partition_cases import ASKED, FRAME, assert_same

import calipers as cal

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")


@pytest.fixture(scope="module")
def frame(spark):
    """Four partitions, one of them empty."""
    from pyspark.sql import functions as of

    rows = spark.createDataFrame(FRAME)
    return rows.repartition(3, of.col("id") % 2).cache()


@pytest.mark.parametrize("name", ASKED)
def test_the_evaluation_is_that_of_memory(frame, name):
    assert_same(cal.evaluate(frame, **ASKED[name]), cal.evaluate(FRAME, **ASKED[name]))
