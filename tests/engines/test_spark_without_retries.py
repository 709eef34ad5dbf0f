"""Spark in `local[2]`, which never tries a lost task again."""

import re

import pytest
from partition_cases import ASKED, FRAME

import calipers as cal

MASTER = "local[2]"


@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
def test_a_killed_worker_is_an_error_with_a_remedy(spark, kill_workers, tmp_path):
    assert spark.sparkContext.master == MASTER
    rows = spark.createDataFrame(FRAME)
    marker = tmp_path / "killed"
    kill_workers(marker)
    with pytest.raises(cal.InputError, match=re.escape('master("local[2,4]")')):
        cal.evaluate(rows, **ASKED["scores"])
    assert marker.exists()
    assert cal.evaluate(rows, **ASKED["scores"]).rows == len(FRAME)  # the session lives on
