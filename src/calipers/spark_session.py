"""A Spark session on this machine: `calipers.spark.session()`, for tests and first experiments."""

from __future__ import annotations

import os
import sys
from typing import Any

from calipers.errors import MissingExtra


def session(cores: int = 2, **settings: Any) -> Any:
    """A Spark session on this machine, for tests and first experiments. It retries lost tasks, and its workers use the
    same Python interpreter. settings: settings of Spark, with `__` instead of dots."""
    try:
        from pyspark.errors import PySparkException  # pyright: ignore[reportMissingImports]
        from pyspark.sql import SparkSession  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise MissingExtra("partitions.no_pyspark") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{cores},4]").config("spark.ui.enabled", "false")
    for name, value in settings.items():
        builder = builder.config(name.replace("__", "."), value)
    try:
        return builder.getOrCreate()
    except PySparkException as error:
        raise MissingExtra("partitions.no_java") from error
