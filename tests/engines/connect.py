"""What `test_spark_connect.py` runs: Spark Connect, in a process of its own, which has no other session of Spark."""

import os
import signal
import sys
import warnings

from partition_cases import ASKED, FRAME, QUERIES, QUICK, assert_same

import calipers as cal


def dying(batches):
    os.kill(os.getpid(), signal.SIGKILL)
    yield from batches


def refusal(rows):
    try:
        cal.evaluate(rows, **ASKED["scores"])
    except cal.InputError as error:
        return str(error)
    raise AssertionError("not refused")


def main():
    from pyspark.sql import SparkSession  # not above: `make test` reads this file for doctests, without Spark

    warnings.simplefilter("ignore", FutureWarning)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = SparkSession.builder.remote("local[2]").getOrCreate()
    rows = spark.createDataFrame(FRAME).repartition(3)
    assert type(rows).__module__ == "pyspark.sql.connect.dataframe"
    for name in QUICK:
        assert_same(cal.evaluate(rows, **ASKED[name]), cal.evaluate(FRAME, **ASKED[name]))
    assert_same(cal.evaluate_ranking(spark.createDataFrame(QUERIES)), cal.evaluate_ranking(QUERIES))
    holed = rows.selectExpr("y", "IF(id = 7, double('NaN'), p) AS p")
    assert "column 'p' contains 1 NaN" in refusal(holed)
    assert 'master("local[2,4]")' in refusal(rows.mapInArrow(dying, rows.schema))
    spark.stop()
    print("the same as in memory")


if __name__ == "__main__":
    main()
