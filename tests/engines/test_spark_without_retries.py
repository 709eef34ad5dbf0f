"""Spark in `local[2]`, which never tries a lost task again, with a driver that accepts little; and without Java."""

import os
import re
import subprocess
import sys

import pytest
from partition_cases import ASKED, FRAME

import calipers as cal
import calipers.spark
from calipers.partitions.engine import Work

MASTER = "local[2]"
SETTINGS = {"spark__master": MASTER, "spark__driver__maxResultSize": "1m"}
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")


def test_a_killed_worker_is_an_error_with_a_remedy(spark, kill_workers, tmp_path):
    assert spark.sparkContext.master == MASTER
    rows = spark.createDataFrame(FRAME)
    marker = tmp_path / "killed"
    kill_workers(marker)
    with pytest.raises(cal.InputError, match=re.escape('master("local[2,4]")')):
        cal.evaluate(rows, **ASKED["scores"])
    assert marker.exists()
    assert cal.evaluate(rows, **ASKED["scores"]).rows == len(FRAME)  # the session lives on


def test_the_limit_of_the_driver_is_named(spark):
    rows = spark.createDataFrame(FRAME)
    assert cal.evaluate(rows, **ASKED["scores"]).rows == len(FRAME)
    with pytest.raises(cal.InputError, match=r"spark.driver.maxResultSize, which is 1,048,576 bytes"):
        cal.evaluate(rows, **ASKED["scores"], memory="1 MB")
    too_much = Work(lambda tables: os.urandom(1 << 20), b"".join)
    with pytest.raises(cal.InputError, match=r"larger than spark.driver.maxResultSize allows: .* smaller memory="):
        calipers.spark.Adapter(rows).reduced(["y"], too_much)


def test_workers_without_calipers_are_an_error_with_a_remedy(spark, tmp_path, monkeypatch):
    (tmp_path / "calipers_of_the_driver.py").write_text("def count(tables):\n    return 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    work = Work(__import__("calipers_of_the_driver").count, sum)
    with pytest.raises(cal.InputError, match="the workers do not have Calipers"):
        calipers.spark.Adapter(spark.createDataFrame(FRAME)).reduced(["y"], work)


def test_no_java(tmp_path):
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    for folder in ("/usr/bin", "/bin"):
        for name in set(os.listdir(folder)) - {"java"} - set(os.listdir(tmp_path)):
            (tmp_path / name).symlink_to(f"{folder}/{name}")
    bare = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"} | {"PATH": str(tmp_path)}
    for environment in (bare, bare | {"JAVA_HOME": str(tmp_path / "nowhere")}):
        code = "import calipers.spark; calipers.spark.session()"
        done = subprocess.run([sys.executable, "-c", code], env=environment, text=True, capture_output=True)
        assert "MissingExtra: Spark needs Java 17 or later: install it (Debian: apt-get" in done.stderr
