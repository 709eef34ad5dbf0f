"""What is missing is named, with the command that installs it; engines are imported by nobody who does not use them."""

import subprocess
import sys

import pytest

import calipers as cal
import calipers.spark


def test_no_pyspark(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.errors", None)
    with pytest.raises(cal.MissingExtra, match=r'pip install "calipers\[spark\]"'):
        calipers.spark.session()


def test_engines_are_not_imported_without_need():
    code = "import calipers as cal, sys; cal.evaluate([0, 1], [0.2, 0.7]); import calipers.dask, calipers.spark; "
    code += "print([name for name in ('dask', 'distributed', 'pyspark', 'py4j') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
