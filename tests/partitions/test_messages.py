"""What is missing is named, with the command that installs it; engines are imported by nobody who does not use them."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

import calipers as cal
import calipers.spark


def test_no_pyspark(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.errors", None)
    with pytest.raises(cal.MissingExtra, match=r'pip install "calipers\[spark\]"'):
        calipers.spark.session()


def test_no_java(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyspark.errors", SimpleNamespace(PySparkException=RuntimeError))
    monkeypatch.setitem(sys.modules, "pyspark.sql", SimpleNamespace(SparkSession=None))
    monkeypatch.setitem(sys.modules, "pyspark", SimpleNamespace())
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(cal.MissingExtra, match="apt-get install default-jre-headless"):
        calipers.spark.session()


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("ModuleNotFoundError: No module named 'calipers'", "the workers do not have Calipers"),
        ("Total size of serialized results is bigger than spark.driver.maxResultSize", "smaller memory="),
        ("Python worker exited unexpectedly (crashed)", "spark.task.maxFailures"),
    ],
)
def test_errors_of_spark_are_explained(text, match):
    assert match in str(calipers.spark.explained(text))


def test_other_errors_of_spark_are_left_alone():
    assert calipers.spark.explained("AnalysisException: ...") is None


def test_engines_are_not_imported_without_need():
    code = "import calipers as cal, sys; cal.evaluate([0, 1], [0.2, 0.7]); import calipers.dask, calipers.spark; "
    code += "print([name for name in ('dask', 'distributed', 'pyspark', 'py4j') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
