"""Spark Connect: the numbers and the errors of memory, through the server of another process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def test_a_session_of_connect_gives_the_evaluation_of_memory():
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    pytest.importorskip("grpc", reason="Spark Connect is not installed: pip install 'pyspark[connect]'")
    where = os.pathsep.join(map(str, (HERE.parent / "partitions", HERE)))
    done = subprocess.run(
        [sys.executable, HERE / "connect.py"], env=os.environ | {"PYTHONPATH": where}, text=True, capture_output=True
    )
    assert done.stdout.splitlines()[-1:] == ["the same as in memory"], done.stderr[-3000:]
