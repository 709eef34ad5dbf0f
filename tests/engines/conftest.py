"""One Spark session and one Dask cluster for all tests. `make test-engines` runs them; `make test` leaves them out."""

import os
import warnings

import pytest

if not os.environ.get("CALIPERS_ENGINES"):
    collect_ignore_glob = ["test_*.py"]


SKIPPED: dict[str, None] = {}  # the reasons, once each


def pytest_runtest_logreport(report):
    if report.skipped:
        SKIPPED[report.longrepr[2].removeprefix("Skipped: ")] = None


def pytest_collectreport(report):
    if report.skipped:
        SKIPPED[report.longrepr[2].removeprefix("Skipped: ")] = None


def pytest_unconfigure(config):
    """The last line: what did not run, and why."""
    if os.environ.get("CALIPERS_ENGINES") and not hasattr(config, "workerinput"):
        print(f"Skipped: {'; '.join(SKIPPED)}" if SKIPPED else "Nothing was skipped: Spark and Dask ran.")


@pytest.fixture(scope="session")
def spark():
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    import calipers as cal
    import calipers.spark

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            session = calipers.spark.session(spark__ui__showConsoleProgress="false", spark__log__level="ERROR")
        except cal.MissingExtra as error:
            pytest.skip(str(error))
    yield session
    session.stop()


@pytest.fixture(scope="session")
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    client = distributed.Client(cluster, set_as_default=False)
    yield client
    client.close()
    cluster.close()
